/* weighted_ranks.cuh - ranks of rows with weights within each group of rows, from the sums of the
 * weights in order (group_weights.cuh).
 *
 * The ranks of tied rows follow from the sums before and up to them (ordo_windows.h). Dense ranks
 * count the ties with a weight: one scan counts the rows with a weight, which tells the ties that
 * have one, and another scan counts these ties. Memory moved beside that of the sums: one read of
 * the order and of the heads, one scattered write. Scratch of dense ranks: 8 bytes per row. */
#ifndef ORDO_CUDA_COLUMNS_WEIGHTED_RANKS_H
#define ORDO_CUDA_COLUMNS_WEIGHTED_RANKS_H

#include "core/ties.h"
#include "cuda/columns/group_weights.cuh"

struct weighted_ranks { /* a kernel argument */
    ordo_ties   ties;
    ordo_type   rank_type;
    void       *ranks;
    const void *index;
    uint64_t   *ties_before; /* dense: 1 for each tie with a weight, then their number */
};

/* The sum of the rows before the ties of a row. */
template <typename T> static DEVICE T sum_before(const T *sums, const row_place &place)
{
    return place.begin > place.group ? sums[place.begin - 1] : (T)0;
}

/* Marks the first row of each tie that has a weight; the sums count rows with a weight. */
static __global__ void __launch_bounds__(ROWS_THREADS)
    mark_weighted_ties(const __grid_constant__ row_tiles rows, const uint64_t *sums,
                       uint64_t *marks)
{
    each_sorted_row(rows, [&](uint64_t i, const row_place &place) {
        marks[i] = place.begin == i && sums[place.end - 1] > sum_before(sums, place);
    });
}

static DEVICE double float_rank(ordo_ties ties, double before, double sum)
{
    return ties == ORDO_TIES_MIN ? __dadd_rn(before, 1)
           : ties == ORDO_TIES_MAX
               ? sum
               : __dadd_rn(__dmul_rn(before, 0.5), __dmul_rn(__dadd_rn(sum, 1), 0.5));
}

static DEVICE void write_weighted_rank(const weighted_ranks &to, uint64_t row, uint64_t rank)
{
    if (to.rank_type == ORDO_U32)
        ((uint32_t *)to.ranks)[row] = (uint32_t)rank;
    else if (to.rank_type == ORDO_U64)
        ((uint64_t *)to.ranks)[row] = rank;
    else
        ((double *)to.ranks)[row] = (double)rank * ordo_tie_unit(to.ties);
}

/* Notes whether the sum of a group is too large, or too large for ranks of 32 bits. */
static DEVICE void check_weighted_sum(const group_weights &weights, ordo_type rank_type,
                                      uint64_t end)
{
    if (weights_are_too_large(weights, end))
        weights.too_large[0] = 1;
    else if (rank_type == ORDO_U32 && ((const uint64_t *)weights.sums)[end - 1] >= UINT32_MAX)
        weights.too_large[1] = ((const uint64_t *)weights.sums)[end - 1];
}

template <typename INDEX>
static __global__ void __launch_bounds__(ROWS_THREADS)
    place_weighted_ranks(const __grid_constant__ row_tiles      rows,
                         const __grid_constant__ group_weights  weights,
                         const __grid_constant__ weighted_ranks to, const uint64_t *starts)
{
    each_sorted_row(rows, [&](uint64_t i, const row_place &place) {
        uint64_t const row = ((const INDEX *)to.index)[i];
        if (weights.places != 0 && weighted_place(weights, place.number, row) >= weights.places)
            return;
        if (to.ties == ORDO_TIES_DENSE) {
            write_weighted_rank(to, row, sum_before(to.ties_before, place) + 1);
            return;
        }
        if (place.is_first)
            check_weighted_sum(weights, to.rank_type, starts[place.number + 1]);
        if (weights.is_float) {
            const double *const sums = (const double *)weights.sums;
            ((double *)to.ranks)[row] =
                float_rank(to.ties, sum_before(sums, place), sums[place.end - 1]);
        } else {
            const uint64_t *const sums = (const uint64_t *)weights.sums;
            uint64_t const        before = sum_before(sums, place);
            write_weighted_rank(to, row,
                                ordo_tie_rank(to.ties, before, sums[place.end - 1], 0, before));
        }
    });
}

#endif
