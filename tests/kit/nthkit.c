/* nthkit.c - see nthkit.h. */
#include "nthkit.h"

#include "inputs.h"
#include "oracle.h"

#include <string.h>

char               *nth_sorted;
static guard_region input, key_region, index_region;

void nth_start(void)
{
    input = guard_make(NTH_LARGE * NTH_KEY);
    key_region = guard_make(NTH_LARGE * NTH_KEY);
    index_region = guard_make(NTH_LARGE * NTH_KEY);
    nth_sorted = test_keep(NTH_LARGE * NTH_KEY);
}

nth_sample nth_make(ordo_type type, size_t n, size_t shape, bool desc, guard_side side)
{
    void *const keys = guard_place(&input, n * ordo_type_size(type), side);
    inputs_fill(shape, type, keys, n, n + 7);
    oracle_sort(type, keys, n, desc, nth_sorted);
    return (nth_sample){type, n, shape, desc, keys};
}

void nth_readonly(bool readonly) { guard_readonly(&input, readonly); }

nth_result nth_call(const nth_sample *s, const test_context *with, size_t k, ordo_type index_type,
                    unsigned missing, uint64_t flags)
{
    size_t const           size = ordo_type_size(s->type), index_size = ordo_type_size(index_type);
    nth_result const       result = {guard_place(&key_region, s->n * size, GUARD_END),
                                     guard_place(&index_region, s->n * index_size, GUARD_END)};
    ordo_select_opts const opts =
        ORDO_OPTS(ordo_select_opts, .flags = flags | (s->desc ? ORDO_DESCENDING : 0));
    testkit_case("%s n=%zu %s %s k=%zu %s missing=%u isa=%s threads=%u", ordo_type_name(s->type),
                 s->n, inputs_name(s->shape), s->desc ? "desc" : "asc", k,
                 ordo_type_name(index_type), missing, with->isa, with->threads);
    memset(result.out, 0xee, s->n * size);
    memset(result.index, 0xee, s->n * index_size);
    CHECK_STATUS(ORDO_OK,
                 ordo_nth(with->ctx, s->type, s->keys, s->n, k, missing == 1 ? NULL : result.out,
                          index_type, missing == 2 ? NULL : result.index, &opts),
                 with->ctx);
    CHECK(guard_intact(&key_region, s->n * size, GUARD_END));
    CHECK(guard_intact(&index_region, s->n * index_size, GUARD_END));
    if (missing == 1)
        CHECK_EQ_U64(0, test_bytes_not(result.out, s->n * size, 0xee));
    if (missing == 2)
        CHECK_EQ_U64(0, test_bytes_not(result.index, s->n * index_size, 0xee));
    return result;
}

uint64_t nth_index_at(ordo_type type, const void *index, size_t i)
{
    return type == ORDO_U32 ? ((const uint32_t *)index)[i] : ((const uint64_t *)index)[i];
}

void nth_some(test_rng *rng, const nth_sample *s, size_t draws, nth_try_fn *attempt)
{
    for (size_t i = 0; i < draws; i++) {
        size_t const kind = test_rng_below(rng, 4);
        size_t const k = kind == 0 ? 0 : kind == 1 ? s->n - 1 : test_rng_below(rng, s->n);
        attempt(s, any_context(rng), k, test_rng_below(rng, 2) ? ORDO_U32 : ORDO_U64,
                (unsigned)test_rng_below(rng, 3));
    }
}

void nth_all(test_rng *rng, size_t limit, nth_try_fn *attempt)
{
    for (size_t n = 1; n <= NTH_SMALL; n++)
        for (size_t t = 0; t < INPUTS_TYPES; t++) {
            nth_sample const s =
                nth_make(inputs_types[t], n, test_rng_below(rng, inputs_count()),
                         test_rng_below(rng, 2) != 0, n % 2 ? GUARD_END : GUARD_START);
            nth_some(rng, &s, 1, attempt);
        }
    for (size_t shape = 0; shape < inputs_count(); shape++)
        for (size_t t = 0; t < INPUTS_TYPES; t++) {
            nth_sample const s = nth_make(inputs_types[t], 1100 + shape, shape,
                                          test_rng_below(rng, 2) != 0, GUARD_END);
            nth_some(rng, &s, 3, attempt);
        }
    for (size_t n = NTH_SMALL; inputs_next_size(&n, NTH_SMALL, limit);) {
        nth_sample const s = nth_make(
            inputs_types[test_rng_below(rng, INPUTS_TYPES)], n, test_rng_below(rng, inputs_count()),
            test_rng_below(rng, 2) != 0, (guard_side)test_rng_below(rng, 2));
        nth_some(rng, &s, 2, attempt);
    }
}
