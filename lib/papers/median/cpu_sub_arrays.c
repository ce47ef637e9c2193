/* cpu_sub_arrays.c - sorts records for a selection by sorted sub-arrays: B. Alyafi and F.
 * Khalid, "Median Element Parallelized Search".
 *
 * All threads sort the sub-arrays by the paper's bitonic network (cpu_bitonic.c). Then one thread
 * merges them as the paper does (paper_merge.t.h), or all threads merge pairs
 * (cpu/sort/merge_records.c), which the paper does not do. Cost: n lg^2(part) / 4 exchanges, then n
 * * n / part comparisons, or lg(n / part) passes. Scratch: n records, 8 bytes per sub-array, and a
 * sub-array if the last one is shorter. */
#define _POSIX_C_SOURCE 200809L
#include "backend/profile.h"
#include "cpu/sort/sort_steps.h"
#include "papers/median/median.h"

#include <string.h>

#define ORDO_TEMPLATE "papers/median/paper_merge.t.h"
#include "core/for_each_word.h"

/* The length of the sub-arrays: a longer one would hold only padding besides all records. */
static size_t length_of_parts(size_t n, size_t sub_array)
{
    size_t part = sub_array;
    while (part > 2 && part / 2 >= n)
        part /= 2;
    return part;
}

size_t cpu_sub_arrays_scratch(const cpu_records *records, size_t sub_array)
{
    size_t const part = length_of_parts(records->n, sub_array);
    return ordo_round_up(records->n * record_size(records->kind), ORDO_CACHE_LINE) +
           ordo_round_up((ordo_div_up(records->n, part) + 1) * sizeof(size_t), ORDO_CACHE_LINE) +
           part * record_size(records->kind);
}

static ordo_status merge_sequentially(const cpu_records *records, size_t part, void *room,
                                      size_t *heads, ordo_exec *exec)
{
    bool const done =
        records->kind == RECORD_K32
            ? merge_sub_arrays_32(records->array, records->n, part, heads, room, exec)
            : merge_sub_arrays_64(records->array, records->n, part, heads, room, exec);
    return done ? ORDO_OK : ORDO_E_CANCELLED;
}

static ordo_status merge_pairs(const cpu_records *records, size_t part, size_t *bounds,
                               ordo_exec *exec)
{
    size_t const parts = ordo_div_up(records->n, part);
    for (size_t i = 0; i <= parts; i++)
        bounds[i] = i == parts ? records->n : i * part;
    return cpu_records_merge_runs(records, bounds, parts, exec);
}

ordo_status cpu_sub_arrays(const cpu_records *records, size_t sub_array, bool in_pairs,
                           const void **sorted, ordo_exec *exec)
{
    size_t const part = length_of_parts(records->n, sub_array);
    size_t const parts = ordo_div_up(records->n, part);
    void        *indices, *pad = NULL, *room = NULL;
    TRY(ordo_scratch(exec, (parts + 1) * sizeof(size_t), &indices));
    if (records->n % part != 0)
        TRY(ordo_scratch(exec, part * record_size(records->kind), &pad));
    if (!in_pairs)
        TRY(ordo_scratch(exec, records->n * record_size(records->kind), &room));
    double const began = ordo_profile_clock();
    TRY(cpu_records_bitonic_parts(records, part, pad, exec));
    double const halfway = ordo_profile_clock();
    TRY(in_pairs ? merge_pairs(records, part, indices, exec)
                 : merge_sequentially(records, part, room, indices, exec));
    *sorted = in_pairs ? records->array : room;
    exec->facts.strategy = ORDO_STRATEGY_SUB_ARRAYS;
    exec->facts.tile = sub_array;
    exec->facts.phase_seconds[0] = halfway - began;
    exec->facts.phase_seconds[1] = ordo_profile_clock() - halfway;
    return ORDO_OK;
}
