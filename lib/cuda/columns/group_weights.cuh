/* group_weights.cuh - quantiles of groups of rows with weights.
 *
 * The rows are sorted by (group key, key); ties keep their order. One kernel gathers the weights in
 * this order and finds the last row of each group that has a weight. The weights of a group are
 * added up as on the CPU: floats one by one (segment_chain.cuh), integers by a scan of the segments
 * (segment_scan.cuh). A quantile is a binary search in the sums (core/weighted.h). Nothing waits
 * for the host: a group with a weight that is refused, or with a sum that is too large, has the
 * result NaN. Memory moved: the weights three times. Scratch: 8 bytes per row and per group, and
 * that of the scan. */
#ifndef ORDO_CUDA_COLUMNS_GROUP_WEIGHTS_H
#define ORDO_CUDA_COLUMNS_GROUP_WEIGHTS_H

#include "backend/job.h"
#include "core/weighted.h"
#include "cuda/columns/groups.cuh"
#include "cuda/scan/segment_chain.cuh"
#include "cuda/segments/segment_scan.cuh"

/* Sums of integer weights stay at this value when they reach it. */
static constexpr uint64_t WEIGHTS_TOO_LARGE = (uint64_t)1 << 63;

struct group_weights { /* a kernel argument */
    const void         *weights;
    unsigned            bytes; /* of a weight */
    bool                is_float, is_signed;
    bool                waits;  /* see ordo_weighted_groups_job */
    bool                counts; /* dense ranks: the sums are numbers of rows with a weight */
    void               *sums;   /* of sorted rows: double for floats, else uint64_t */
    uint64_t            groups; /* entries of `last`: no more groups have results */
    unsigned long long *last;   /* 1 + the last sorted row of each group with a weight; 0: none */
    unsigned long long *too_large; /* 1 if a sum is too large; a sum that needs ranks of 64 bits */
    /* Not 0: places of results, which the group keys give (ordo_weighted_groups_job). */
    uint64_t    places;
    const void *group_keys;
    unsigned    group_bytes;
};

static inline group_weights group_weights_layout(cuda_scratch                   *scratch,
                                                 const ordo_weighted_groups_job *job)
{
    size_t const  n = job->groups.n;
    group_weights weights = {};
    weights.weights = job->weights;
    weights.bytes = (unsigned)cuda_type_size(job->weight_type);
    weights.is_float = job->weight_type == ORDO_F32 || job->weight_type == ORDO_F64;
    weights.is_signed = job->weight_type == ORDO_I8 || job->weight_type == ORDO_I16 ||
                        job->weight_type == ORDO_I32 || job->weight_type == ORDO_I64;
    weights.waits = job->waits;
    weights.counts = job->groups.verb == ORDO_GROUP_RANK && job->groups.ties == ORDO_TIES_DENSE;
    weights.groups = ordo_min(n, job->groups.capacity);
    weights.sums = scratch_take<uint64_t>(scratch, n);
    weights.last = scratch_take<unsigned long long>(scratch, weights.groups + 2);
    weights.too_large = weights.last == NULL ? NULL : weights.last + weights.groups;
    weights.places = job->places;
    weights.group_keys = job->groups.group_keys;
    weights.group_bytes = (unsigned)cuda_type_size(job->groups.group_type);
    return weights;
}

/* ---- The weights in order ---- */

/* The float weight of a row; NaN if it is refused. */
static DEVICE double float_weight(const group_weights &in, uint64_t row)
{
    double const weight = in.bytes == 8 ? ((const double *)in.weights)[row]
                                        : (double)((const float *)in.weights)[row];
    return weight >= 0 && isfinite(weight) ? weight : group_no_value();
}

/* The integer weight of a row; too large if it is refused. */
static DEVICE uint64_t integer_weight(const group_weights &in, uint64_t row)
{
    uint64_t const weight = column_read(in.weights, row, in.bytes);
    bool const     is_negative = in.is_signed && (weight >> (8 * in.bytes - 1) & 1) != 0;
    return is_negative ? WEIGHTS_TOO_LARGE : min(weight, WEIGHTS_TOO_LARGE);
}

/* Stores the weight of sorted row i and returns whether it is above 0. */
template <typename WORD, typename INDEX>
static DEVICE bool gather_weight(const segment_codes<WORD> &codes, const group_read &in,
                                 const group_weights &to, uint64_t i)
{
    uint64_t const row = ((const INDEX *)in.index)[i];
    bool const     omit = in.nans == ORDO_NANS_OMIT && is_nan(codes, in.keys, row);
    if (to.counts) {
        bool const has = to.is_float ? float_weight(to, row) > 0 : integer_weight(to, row) > 0;
        ((uint64_t *)to.sums)[i] = has;
        return has;
    }
    if (to.is_float) {
        double const weight = float_weight(to, row);
        ((double *)to.sums)[i] = omit && weight >= 0 ? 0 : weight;
        return !omit && weight > 0;
    }
    uint64_t const weight = integer_weight(to, row);
    ((uint64_t *)to.sums)[i] = omit && weight < WEIGHTS_TOO_LARGE ? 0 : weight;
    return !omit && weight > 0;
}

/* The rows of a tile are read from its end, so that most rows find a later one in `last`. */
template <typename WORD, typename INDEX>
static __global__ void __launch_bounds__(ROWS_THREADS)
    gather_weights(const __grid_constant__ segment_codes<WORD> codes,
                   const __grid_constant__ row_tiles rows, const __grid_constant__ group_read in,
                   const __grid_constant__ group_weights to)
{
    __shared__ row_shared shared;
    for (uint64_t t = blockIdx.x; t < rows.count; t += gridDim.x) {
        row_tile_load(rows, t, &shared);
        for (unsigned end = ROWS_TILE; end > 0; end -= ROWS_THREADS) {
            unsigned const at = end - ROWS_THREADS + threadIdx.x;
            uint64_t const i = t * ROWS_TILE + at;
            bool const     is_there = i < rows.n;
            bool const     has = is_there && gather_weight<WORD, INDEX>(codes, in, to, i);
            uint64_t const number = is_there ? row_place_of(shared, t, at).number : 0;
            uint32_t const later = __ballot_sync(WARP_ALL, has) & ~lanes_to_here();
            uint64_t const next =
                __shfl_sync(WARP_ALL, number, later == 0 ? 0 : __ffs((int)later) - 1);
            if (has && (later == 0 || next != number) && number < to.groups &&
                *(volatile unsigned long long *)(to.last + number) < i + 1)
                atomicMax(to.last + number, (unsigned long long)(i + 1));
        }
        __syncthreads();
    }
}

/* ---- The sums ---- */

struct weight_chain {
    static DEVICE double start(void) { return 0; }
    static DEVICE double add(double sum, double x) { return __dadd_rn(sum, x); }
};

struct weight_add { /* no sum is above WEIGHTS_TOO_LARGE */
    typedef uint64_t ACC;

    static DEVICE ACC identity(void) { return 0; }
    static DEVICE ACC add(ACC a, ACC b)
    {
        ACC const sum = a + b;
        return sum < a || sum > WEIGHTS_TOO_LARGE ? WEIGHTS_TOO_LARGE : sum;
    }
};

struct weight_problem { /* for scan_segments */
    typedef weight_add OP;

    static constexpr unsigned VECTOR = segment_shape<uint64_t>::VECTOR;

    uint64_t *sums;

    DEVICE uint64_t start(void) const { return 0; }
    DEVICE void     get(const segment &s, uint64_t j, uint64_t (&v)[VECTOR]) const
    {
#pragma unroll
        for (unsigned e = 0; e < VECTOR; e++)
            v[e] = j + e < s.length ? sums[s.start + j + e] : 0;
    }
    DEVICE void put(const segment &s, uint64_t j, uint64_t base, const uint64_t (&v)[VECTOR]) const
    {
        uint64_t sum = base;
#pragma unroll
        for (unsigned e = 0; e < VECTOR; e++) {
            sum = weight_add::add(sum, v[e]);
            if (j + e < s.length)
                sums[s.start + j + e] = sum;
        }
    }
};

/* The groups as segments. Entries of `starts` after the last group are above n, so that they begin
 * no segment. */
static inline ordo_segment_view group_segments(const group_weights &weights, const uint64_t *starts)
{
    ordo_segment_view view = {};
    view.count = weights.groups;
    view.offsets = starts;
    return view;
}

static inline size_t add_weights_scratch(const group_weights &weights, size_t n)
{
    static const uint64_t   none = 0;
    ordo_segment_view const view = group_segments(weights, &none);
    return weights.is_float && !weights.counts
               ? 0
               : scratch_of(segment_scan_layout<uint64_t>, &view, n);
}

/* Replaces the weights of the rows of each group by their sums: weights.sums, or other integers. */
static inline ordo_status add_weights(cuda_call *call, const group_weights &weights, void *sums,
                                      const uint64_t *starts, size_t n)
{
    ordo_segment_view const view = group_segments(weights, starts);
    if (weights.is_float && !weights.counts)
        return chain_segments<weight_chain, false>(call, (const double *)sums, (double *)sums,
                                                   segment_map_of(&view, n));
    size_t const                      used = call->scratch.used;
    segment_scan_work<uint64_t> const work =
        segment_scan_layout<uint64_t>(&call->scratch, &view, n);
    weight_problem const problem = {(uint64_t *)sums};
    TRY(segment_classes_fill(call, work.classes));
    TRY(scan_segments(call, problem, work));
    call->scratch.used = used;
    return ORDO_OK;
}

/* ---- The quantiles ---- */

static DEVICE bool weights_are_too_large(const group_weights &weights, uint64_t end)
{
    return weights.is_float ? !isfinite(((const double *)weights.sums)[end - 1])
                            : ((const uint64_t *)weights.sums)[end - 1] >= WEIGHTS_TOO_LARGE;
}

/* The place of the results of group g, whose first row is `row`. */
static DEVICE uint64_t weighted_place(const group_weights &weights, uint64_t g, uint64_t row)
{
    if (weights.places == 0)
        return g;
    return column_read(weights.group_keys, row, weights.group_bytes);
}

template <typename WORD, typename INDEX>
static __global__ void weighted_quantiles(const __grid_constant__ segment_codes<WORD> codes,
                                          const __grid_constant__ group_read          in,
                                          const __grid_constant__ group_weights       weights,
                                          double                                     *out)
{
    grid_each(groups_with_room(in) * in.each, [&](size_t t) {
        uint64_t const g = t / in.each, start = in.starts[g], end = weights.last[g];
        uint64_t const place = weighted_place(weights, g, ((const INDEX *)in.index)[start]);
        double *const  to = out + place * in.each + t % in.each;
        bool const     too_large = weights_are_too_large(weights, in.starts[g + 1]);
        if (weights.places != 0 && place >= weights.places)
            return;
        if (too_large)
            *weights.too_large = 1;
        if (end == 0 || too_large ||
            (in.nans == ORDO_NANS_PROPAGATE &&
             is_nan(codes, in.keys, ((const INDEX *)in.index)[end - 1]))) {
            *to = group_no_value();
            return;
        }
        size_t const         last = (size_t)(end - 1 - start);
        double const         q = group_q(in, t);
        quantile_place const at =
            weights.is_float
                ? weighted_place_of_floats((const double *)weights.sums + start, last, in.method, q)
                : weighted_place_of_integers((const uint64_t *)weights.sums + start, last,
                                             in.method, q);
        *to = quantile_value(&at, value_at<WORD, INDEX>(codes, in, start + at.below),
                             value_at<WORD, INDEX>(codes, in, start + at.above));
    });
}

#endif
