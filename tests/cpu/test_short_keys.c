/* test_short_keys.c - argsorts and ranks of 64-bit keys, which move only a part of each key if that
 * part distinguishes the keys: against the oracle, on keys made for this method.
 *
 * Random keys; neighbours that differ only in their last bits; keys far outside of the sample's
 * range; ranges of 32 bits; NaNs among numbers; few or many equal numbers; and so many neighbours
 * that the method must be given up. The report shows which method was used. */
#include "oracle.h"
#include "testkit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
#ifdef ORDO_TINY
    KEYS = 3001,
    CROWD = 8, /* more than can be distinguished, too few for the sample to notice */
#else
    KEYS = 140001,
    CROWD = 6,
#endif
    KINDS = 9
};

static uint64_t keys[KEYS], before[KEYS], expected[KEYS], found[KEYS];

static void make_plain(test_rng *rng, double *as_floats, bool floats)
{
    for (size_t i = 0; i < KEYS; i++) {
        uint64_t const x = test_rng_next(rng);
        if (floats)
            as_floats[i] = (double)(x >> 11) * 0x1p-53;
        else
            keys[i] = x >> 8;
    }
}

/* Makes some keys differ from another key only in their last bits. */
static void make_near(test_rng *rng, size_t count, size_t crowd)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t const first = keys[test_rng_below(rng, KEYS)];
        for (size_t j = 0; j < crowd; j++)
            keys[test_rng_below(rng, KEYS)] = first ^ test_rng_below(rng, 4);
    }
}

typedef struct made_keys {
    const char *name;
    bool        is_short; /* the method is used */
    bool        floats;
    bool        any; /* the method may or may not be used */
} made_keys;

static made_keys make(size_t kind, test_rng *rng)
{
    double *const as_floats = (double *)(void *)keys;
    bool const    floats = kind == 3 || kind == 6 || kind == 7;
    make_plain(rng, as_floats, floats);
    switch (kind) {
    case 0:
        return (made_keys){"random", true, false, false};
    case 1:
        make_near(rng, 20, 1);
        return (made_keys){"pairs of neighbours", true, false, false};
    case 2: /* outside of the sample's range */
        for (size_t i = 0; i < 5; i++)
            keys[test_rng_below(rng, KEYS)] = UINT64_MAX - i / 2 * 3;
        return (made_keys){"far away", true, false, false};
    case 3:
        for (size_t i = 0; i < 9; i++)
            as_floats[test_rng_below(rng, KEYS)] = i % 3 == 0 ? INFINITY : i % 3 == 1 ? NAN : -0.0;
        return (made_keys){"some NaNs", true, true, false};
    case 4:
        for (size_t i = 0; i < KEYS; i++)
            keys[i] = (UINT64_C(1) << 50) + (keys[i] & UINT32_MAX);
        keys[KEYS / 2] = UINT64_C(1) << 50;
        keys[KEYS / 3] = (UINT64_C(1) << 50) + UINT32_MAX;
        return (made_keys){"a range of 32 bits", true, false, false};
    case 5:
        for (size_t i = 0; i < KEYS; i++)
            keys[i] = (UINT64_C(1) << 50) + (keys[i] & 0xfffff);
        keys[KEYS / 2] = 0;
        return (made_keys){"few values and one far away", false, false, false};
    case 6:
        for (size_t i = 0; i < KEYS; i++)
            as_floats[i] = floor(as_floats[i] * 100);
        return (made_keys){"few numbers", false, true, false};
    case 7:
        for (size_t i = 0; i < KEYS; i += 20)
            as_floats[i] = 0;
        return (made_keys){"a twentieth zeros", true, true, CROWD == 8};
    default:
        make_near(rng, 1, CROWD);
        return (made_keys){"a crowd of neighbours", CROWD < 8, false, false};
    }
}

static void check_way(const test_context *with, const made_keys *made)
{
    ordo_report report = {.struct_size = sizeof report};
    CHECK_STATUS(ORDO_OK, ordo_last_report(with->ctx, &report), with->ctx);
    CHECK(made->any || (report.facts.record_bytes == 8) == made->is_short);
}

static void try_all(const test_context *with, const made_keys *made, ordo_type type, bool desc)
{
    uint64_t const       flags = desc ? ORDO_DESCENDING : 0;
    ordo_sort_opts const opts =
        ORDO_OPTS(ordo_sort_opts, .flags = flags, .algorithm = ORDO_ALGORITHM_RADIX);

    for (int wide = 0; wide < 2; wide++) {
        ordo_type const index = wide ? ORDO_U64 : ORDO_U32;
        testkit_case("argsort %s %s %s index=%s isa=%s threads=%u", ordo_type_name(type),
                     made->name, desc ? "desc" : "asc", ordo_type_name(index), with->isa,
                     with->threads);
        oracle_argsort(type, keys, KEYS, desc, index, expected);
        CHECK_STATUS(ORDO_OK, ordo_argsort(with->ctx, type, keys, KEYS, index, found, &opts),
                     with->ctx);
        CHECK_BYTES(expected, found, KEYS * ordo_type_size(index), ordo_type_size(index));
        check_way(with, made);
    }
    for (uint32_t ties = 0; ties < ORDO_TIES_RULES; ties++) {
        ordo_rank_opts const rank_opts = ORDO_OPTS(ordo_rank_opts, .flags = flags, .ties = ties,
                                                   .algorithm = ORDO_ALGORITHM_RADIX);
        ordo_type const      rank = ties == ORDO_TIES_AVERAGE ? ORDO_F64 : ORDO_U64;
        testkit_case("rank %s %s %s ties=%d isa=%s threads=%u", ordo_type_name(type), made->name,
                     desc ? "desc" : "asc", (int)ties, with->isa, with->threads);
        oracle_rank_unsorted(type, keys, KEYS, desc, (ordo_ties)ties, rank, expected);
        CHECK_STATUS(ORDO_OK, ordo_rank(with->ctx, type, keys, KEYS, rank, found, &rank_opts),
                     with->ctx);
        CHECK_BYTES(expected, found, sizeof found, sizeof *found);
    }
    CHECK_BYTES(before, keys, sizeof keys, 1);
}

int main(void)
{
    test_rng rng = {23};
    testkit_start();
    testkit_seed(1); /* the sample decides whether the method is used */
    test_contexts_start();
    for (size_t kind = 0; kind < KINDS; kind++)
        for (int turned = 0; turned < 2; turned++) {
            static size_t   turn;
            made_keys const made = make(kind, &rng);
            memcpy(before, keys, sizeof keys);
            for (size_t c = 0; c < 2; c++)
                try_all(&contexts[turn++ % context_count], &made,
                        made.floats  ? ORDO_F64
                        : c % 2 == 0 ? ORDO_U64
                                     : ORDO_I64,
                        turned != 0);
        }
    return testkit_done();
}
