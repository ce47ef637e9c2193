/* test_order_words.c - argsorts, ranks and stable sorts of pairs of keys that the vector sort
 * orders as words of a part of the key and its index (lib/cpu/sort/order_words.c): against the
 * oracle, on keys made for this method.
 *
 * Even keys, whose words have 32 bits; floats of both signs; groups of neighbours that share a
 * word, a few and many of them; few values; NaNs and zeros; one key far from the others. */
#include "oracle.h"
#include "testkit.h"

#include <math.h>
#include <string.h>

enum {
#ifdef ORDO_TINY
    MOST = 129,
#else
    MOST = (1 << 17) + 1,
#endif
    KINDS = 9
};

static uint64_t keys[MOST], before[MOST], values[MOST], expected[MOST], found[MOST];

static const size_t sizes[] = {
#ifdef ORDO_TINY
    60,  65,  80, 127,
    128, MOST
#else
    257,      1000, 3000, 32768,
    MOST - 1, MOST
#endif
};

static const char *const names[KINDS] = {
    "even",       "both signs", "pairs of neighbours", "groups of neighbours", "one group far away",
    "few values", "some NaNs",  "crowds among even",   "equal but one"};

/* A float between -1 and 1, as key bits of a double. */
static uint64_t float_bits(uint64_t x, bool negative)
{
    double const value = (double)(x >> 11) * (negative && x % 2 != 0 ? -0x1p-53 : 0x1p-53);
    uint64_t     bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t make_key(size_t kind, size_t i, test_rng *rng)
{
    static const double special[] = {NAN, -0.0, 0.0, -INFINITY, -NAN};
    uint64_t const      x = test_rng_next(rng);
    uint64_t            bits;
    switch (kind) {
    case 0:
        return x >> 2;
    case 1:
        return float_bits(x, true);
    case 2: /* the words of 64 bits lack the last bits */
        return i % 2 == 0 || i == 0 ? x >> 1 : keys[i - 1] ^ (x % 2);
    case 3:
        return (x % 5 << 60) + (x >> 32) % 64;
    case 4:
        return i == 1 ? UINT64_MAX / 3 : (x >> 40) % 4096;
    case 5:
        return float_bits(x >> 58 << 58, false);
    case 6:
        memcpy(&bits, &special[x % 5], sizeof bits);
        return (x >> 8) % 3 == 0 ? bits : float_bits(x, true);
    case 7:
        return i % 40 < 30 || i < 40 ? x >> 2 : keys[i - i % 40] + x % 16;
    default:
        return i == 7 ? UINT64_MAX / 5 : 12345;
    }
}

/* Keys of 32 bits are the high halves. */
static void make(size_t kind, ordo_type type, size_t n, test_rng *rng)
{
    for (size_t i = 0; i < n; i++)
        keys[i] = make_key(kind, i, rng);
    if (type == ORDO_F32)
        for (size_t i = 0; i < n; i++) {
            double value;
            memcpy(&value, &keys[i], sizeof value);
            float const narrow = (float)value;
            memcpy((char *)keys + i * sizeof narrow, &narrow, sizeof narrow);
        }
    else if (ordo_type_size(type) == sizeof(uint32_t))
        for (size_t i = 0; i < n; i++) {
            uint32_t const narrow = (uint32_t)(keys[i] >> 32 ^ keys[i]);
            memcpy((char *)keys + i * sizeof narrow, &narrow, sizeof narrow);
        }
    memcpy(before, keys, sizeof keys);
}

/* The method must be used if one thread has a vector sort and keys of 64 bits are crowded. */
static void check_way(const test_context *with, size_t kind, ordo_type type, size_t n)
{
    ordo_report report = {.struct_size = sizeof report};
    bool const  vectors = strncmp(with->isa, "avx", 3) == 0 && with->threads == 1;
    bool const  crowded = ordo_type_size(type) == sizeof(uint64_t) && kind == 4;
    CHECK_STATUS(ORDO_OK, ordo_last_report(with->ctx, &report), with->ctx);
    CHECK(!vectors || !crowded || (strcmp(report.algorithm, "vector") == 0) == (n < MOST));
}

static void try_argsort(const test_context *with, size_t kind, ordo_type type, size_t n, bool desc)
{
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = desc ? ORDO_DESCENDING : 0);
    for (int wide = 0; wide < 2; wide++) {
        ordo_type const index = wide ? ORDO_U64 : ORDO_U32;
        oracle_argsort(type, keys, n, desc, index, expected);
        CHECK_STATUS(ORDO_OK, ordo_argsort(with->ctx, type, keys, n, index, found, &opts),
                     with->ctx);
        CHECK_BYTES(expected, found, n * ordo_type_size(index), ordo_type_size(index));
        check_way(with, kind, type, n);
    }
}

static void try_ranks(const test_context *with, ordo_type type, size_t n, bool desc)
{
    for (uint32_t ties = 0; ties < ORDO_TIES_RULES; ties++) {
        ordo_rank_opts const opts =
            ORDO_OPTS(ordo_rank_opts, .flags = desc ? ORDO_DESCENDING : 0, .ties = ties);
        ordo_type const rank = ties == ORDO_TIES_AVERAGE ? ORDO_F64
                               : ties % 2 == 0           ? ORDO_U64
                                                         : ORDO_U32;
        oracle_rank_unsorted(type, keys, n, desc, (ordo_ties)ties, rank, expected);
        CHECK_STATUS(ORDO_OK, ordo_rank(with->ctx, type, keys, n, rank, found, &opts), with->ctx);
        CHECK_BYTES(expected, found, n * ordo_type_size(rank), ordo_type_size(rank));
    }
}

/* The values of sorted pairs are the argsort, if they were the indices. Changes the keys. */
static void try_pairs(const test_context *with, ordo_type type, size_t n, bool desc)
{
    ordo_sort_opts const opts =
        ORDO_OPTS(ordo_sort_opts, .flags = (desc ? ORDO_DESCENDING : 0) | ORDO_STABLE);
    oracle_argsort(type, keys, n, desc, ORDO_U64, expected);
    for (size_t i = 0; i < n; i++)
        values[i] = i;
    CHECK_STATUS(ORDO_OK, ordo_sort_pairs(with->ctx, type, keys, n, values, sizeof *values, &opts),
                 with->ctx);
    CHECK_BYTES(expected, values, n * sizeof *values, sizeof *values);
}

int main(void)
{
    static const ordo_type types[] = {ORDO_F64, ORDO_U64, ORDO_I64, ORDO_F32, ORDO_I32};
    test_rng               rng = {29};
    size_t                 turn = 0;
    testkit_start();
    test_contexts_start();
    for (size_t kind = 0; kind < KINDS; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
                const test_context *const with = &contexts[turn++ % context_count];
                bool const                desc = turn % 3 == 0;
                if (sizes[s] > 10000 && (kind + t + s) % 9 != 0)
                    continue;
                make(kind, types[t], sizes[s], &rng);
                testkit_case("%s n=%zu %s %s isa=%s threads=%u", ordo_type_name(types[t]), sizes[s],
                             names[kind], desc ? "desc" : "asc", with->isa, with->threads);
                try_argsort(with, kind, types[t], sizes[s], desc);
                try_ranks(with, types[t], sizes[s], desc);
                CHECK_BYTES(before, keys, sizeof keys, 1);
                try_pairs(with, types[t], sizes[s], desc);
            }
    return testkit_done();
}
