/* test_weighted_rank.c - weights of ordo_rank: against sums over all pairs of keys and against an
 * array that repeats its keys, every type, tie rule and direction, sums that round, any number of
 * threads, segments, too little memory, and refusals. */
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <math.h>

enum {
    MOST = 260,
    REPEATS = 4,
    MANY = 60000
};

static ordo_ties const rules[] = {ORDO_TIES_MIN, ORDO_TIES_MAX, ORDO_TIES_DENSE, ORDO_TIES_AVERAGE};

enum {
    RULES = sizeof rules / sizeof *rules
};

static ordo_rank_opts weighted(const void *weights, ordo_type type, ordo_ties ties, bool desc)
{
    return ORDO_OPTS(ordo_rank_opts, .weights = weights, .weight_type = (uint32_t)type,
                     .ties = (uint32_t)ties, .flags = desc ? ORDO_DESCENDING : 0);
}

static void put_weight(ordo_type type, void *weights, size_t i, unsigned weight)
{
    if (type == ORDO_F32)
        ((float *)weights)[i] = (float)weight;
    else if (type == ORDO_F64)
        ((double *)weights)[i] = (double)weight;
    else
        oracle_put_bits(type, weights, i, weight);
}

/* The rank of key x by the contract. The weights are small integers, so all sums are exact. */
static double rank_by_pairs(ordo_type type, const void *keys, const unsigned *weights, size_t n,
                            bool desc, ordo_ties ties, size_t x)
{
    double before = 0, up_to = 0, groups = 0;
    for (size_t i = 0; i < n; i++) {
        int const order = oracle_compare(type, keys, i, keys, x, desc);
        bool      first = weights[i] > 0; /* the first of its ties that has a weight */
        for (size_t j = 0; first && ties == ORDO_TIES_DENSE && j < i; j++)
            first = weights[j] == 0 || oracle_compare(type, keys, j, keys, i, desc) != 0;
        before += order < 0 ? weights[i] : 0;
        up_to += order <= 0 ? weights[i] : 0;
        groups += order < 0 && first;
    }
    return ties == ORDO_TIES_MIN     ? before + 1
           : ties == ORDO_TIES_MAX   ? up_to
           : ties == ORDO_TIES_DENSE ? groups + 1
                                     : (before + up_to + 1) / 2;
}

static double as_double(ordo_type rank_type, const void *ranks, size_t i)
{
    return rank_type == ORDO_U32   ? ((const uint32_t *)ranks)[i]
           : rank_type == ORDO_U64 ? (double)((const uint64_t *)ranks)[i]
                                   : ((const double *)ranks)[i];
}

static void test_pairs(void)
{
    test_rng rng = {51};
    uint64_t keys[MOST], weights[MOST], ranks[MOST];
    unsigned plain[MOST];
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t w = 0; w < INPUTS_TYPES; w++)
            for (size_t r = 0; r < RULES; r++) {
                ordo_type const type = inputs_types[t], weight_type = inputs_types[w];
                ordo_ties const ties = rules[r];
                bool const      floats = weight_type == ORDO_F32 || weight_type == ORDO_F64;
                bool const      needs_f64 = ties == ORDO_TIES_AVERAGE || (floats && r != 2);
                ordo_type const rank_type = needs_f64                 ? ORDO_F64
                                            : test_rng_below(&rng, 2) ? ORDO_U32
                                                                      : ORDO_U64;
                size_t const    n = test_rng_below(&rng, TESTKIT_SANITIZED ? 40 : 90);
                bool const      desc = test_rng_below(&rng, 2) != 0;
                size_t          wrong = n;
                inputs_fill(test_rng_below(&rng, inputs_count()), type, keys, n,
                            test_rng_next(&rng));
                for (size_t i = 0; i < n; i++) {
                    plain[i] = (unsigned)test_rng_below(&rng, 5);
                    put_weight(weight_type, weights, i, plain[i]);
                }
                const test_context *const with = next_context();
                ordo_rank_opts const      opts = weighted(weights, weight_type, ties, desc);
                testkit_case("pairs %s weights %s ties=%d n=%zu %s ranks %s threads=%u",
                             ordo_type_name(type), ordo_type_name(weight_type), (int)ties, n,
                             desc ? "desc" : "asc", ordo_type_name(rank_type), with->threads);
                CHECK_STATUS(ORDO_OK, ordo_rank(with->ctx, type, keys, n, rank_type, ranks, &opts),
                             with->ctx);
                for (size_t i = n; i-- > 0;)
                    if (as_double(rank_type, ranks, i) !=
                        rank_by_pairs(type, keys, plain, n, desc, ties, i))
                        wrong = i;
                CHECK_EQ_U64(n, wrong); /* the first wrong rank */
            }
}

/* Unit weights give the ranks without weights; integers those of an array that repeats keys. */
static void test_repeats(void)
{
    test_rng rng = {52};
    uint64_t keys[MOST], weights[MOST];
    double   ranks[MOST], expected[MOST];
    char    *repeated = test_keep(MOST * REPEATS * sizeof(uint64_t));
    double  *all_ranks = test_keep(MOST * REPEATS * sizeof *all_ranks);
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t r = 0; r < RULES; r++) {
            ordo_type const           type = inputs_types[t];
            size_t const              n = 1 + test_rng_below(&rng, MOST);
            size_t const              size = ordo_type_size(type);
            size_t                    all = 0, at = 0, wrong = n;
            const test_context *const with = next_context();
            ordo_rank_opts const      opts = weighted(weights, ORDO_U64, rules[r], r % 2 != 0);
            ordo_rank_opts            plain = opts;
            plain.weights = NULL;
            plain.weight_type = 0;
            inputs_fill(test_rng_below(&rng, inputs_count()), type, keys, n, test_rng_next(&rng));
            testkit_case("repeats %s ties=%d n=%zu", ordo_type_name(type), (int)rules[r], n);
            for (size_t i = 0; i < n; i++)
                weights[i] = 1;
            CHECK_STATUS(ORDO_OK, ordo_rank(with->ctx, type, keys, n, ORDO_F64, ranks, &opts),
                         with->ctx);
            CHECK_STATUS(ORDO_OK, ordo_rank(with->ctx, type, keys, n, ORDO_F64, expected, &plain),
                         with->ctx);
            CHECK_BYTES(expected, ranks, n * sizeof *ranks, sizeof *ranks);
            for (size_t i = 0; i < n; i++) {
                weights[i] = test_rng_below(&rng, REPEATS);
                for (uint64_t k = 0; k < weights[i]; k++)
                    memcpy(repeated + all++ * size, (const char *)keys + i * size, size);
            }
            CHECK_STATUS(ORDO_OK, ordo_rank(with->ctx, type, keys, n, ORDO_F64, ranks, &opts),
                         with->ctx);
            CHECK_STATUS(ORDO_OK,
                         ordo_rank(with->ctx, type, repeated, all, ORDO_F64, all_ranks, &plain),
                         with->ctx);
            for (size_t i = 0; i < n; at += weights[i], i++)
                if (weights[i] > 0 && ranks[i] != all_ranks[at])
                    wrong = i;
            CHECK_EQ_U64(n, wrong);
        }
}

/* Sums of floats that round: the sums of the contract, in order, on all threads and ISAs. */
static void test_threads(void)
{
    test_rng  rng = {53};
    float    *keys = test_keep(MANY * sizeof *keys);
    double   *weights = test_keep(MANY * sizeof *weights);
    double   *ranks = test_keep(MANY * sizeof *ranks);
    double   *expected = test_keep(MANY * sizeof *expected);
    uint32_t *index = test_keep(MANY * sizeof *index);
    for (size_t i = 0; i < MANY; i++) {
        keys[i] = test_rng_below(&rng, 50) == 0 ? NAN : (float)test_rng_below(&rng, 20000);
        weights[i] = (double)test_rng_below(&rng, 1 << 20) / 3.0;
    }
    oracle_argsort(ORDO_F32, keys, MANY, false, ORDO_U32, index);
    for (size_t r = 0; r < RULES; r++) {
        double sum = 0, groups = 1;
        for (size_t from = 0, to; from < MANY; from = to, groups++) {
            double const before = sum;
            for (to = from; to < MANY && oracle_compare(ORDO_F32, keys, index[to], keys,
                                                        index[from], false) == 0;
                 to++)
                sum += weights[index[to]];
            for (size_t i = from; i < to; i++)
                expected[index[i]] = rules[r] == ORDO_TIES_MIN     ? before + 1
                                     : rules[r] == ORDO_TIES_MAX   ? sum
                                     : rules[r] == ORDO_TIES_DENSE ? groups
                                                                   : before / 2 + (sum + 1) / 2;
        }
        for (size_t c = 0; c < context_count; c++) {
            ordo_rank_opts const opts = weighted(weights, ORDO_F64, rules[r], false);
            testkit_case("threads ties=%d context=%zu", (int)rules[r], c);
            CHECK_STATUS(ORDO_OK,
                         ordo_rank(contexts[c].ctx, ORDO_F32, keys, MANY, ORDO_F64, ranks, &opts),
                         contexts[c].ctx);
            CHECK_BYTES(expected, ranks, MANY * sizeof *ranks, sizeof *ranks);
        }
    }
}

/* Each segment has the ranks of a separate call: rows, columns, and offsets with an empty one. */
static void test_segments(void)
{
    enum {
        ROWS = 12,
        LENGTH = 17,
        ALL = ROWS * LENGTH
    };
    static uint64_t const offsets[] = {2, 2, 9, 60, ALL};
    ordo_segments const   layouts[] = {
          ORDO_OPTS(ordo_segments, .count = ROWS, .length = LENGTH),
          ORDO_OPTS(ordo_segments, .count = ROWS, .length = LENGTH, .stride = 1, .step = ROWS),
          ORDO_OPTS(ordo_segments, .count = 4, .offsets = offsets)};
    float    keys[ALL], row[ALL];
    uint16_t weights[ALL], row_weights[ALL];
    double   ranks[ALL], expected[ALL];
    test_rng rng = {54};
    for (size_t i = 0; i < ALL; i++) {
        keys[i] = test_rng_below(&rng, 9) == 0 ? NAN : (float)test_rng_below(&rng, 8);
        weights[i] = (uint16_t)test_rng_below(&rng, 4);
    }
    for (size_t which = 0; which < 3 * RULES; which++) {
        const ordo_segments *const s = &layouts[which % 3];
        ordo_ties const            ties = rules[which / 3];
        ordo_ctx *const            ctx = next_context()->ctx;
        ordo_rank_opts             all = weighted(weights, ORDO_U16, ties, false);
        ordo_rank_opts const       one = weighted(row_weights, ORDO_U16, ties, false);
        size_t                     bytes = 0;
        all.segments = s;
        testkit_case("segments %zu ties=%d", which % 3, (int)ties);
        CHECK_STATUS(ORDO_OK, ordo_rank_scratch(ctx, ORDO_F32, ALL, ORDO_F64, &all, &bytes), ctx);
        CHECK(bytes > 0);
        CHECK_STATUS(ORDO_OK, ordo_rank(ctx, ORDO_F32, keys, ALL, ORDO_F64, ranks, &all), ctx);
        for (size_t r = 0; r < s->count; r++) {
            size_t const n = s->offsets != NULL ? (size_t)(offsets[r + 1] - offsets[r]) : LENGTH;
            size_t const start = s->offsets != NULL ? (size_t)offsets[r]
                                 : s->step != 0     ? r
                                                    : r * LENGTH;
            size_t const step = s->step != 0 ? s->step : 1;
            for (size_t i = 0; i < n; i++) {
                row[i] = keys[start + i * step];
                row_weights[i] = weights[start + i * step];
            }
            CHECK_STATUS(ORDO_OK, ordo_rank(ctx, ORDO_F32, row, n, ORDO_F64, expected, &one), ctx);
            for (size_t i = 0; i < n; i++)
                CHECK(expected[i] == ranks[start + i * step]);
        }
    }
}

static void test_memory(void)
{
    uint32_t *const keys = test_keep(MANY * sizeof *keys);
    uint8_t *const  weights = test_keep(MANY * sizeof *weights);
    uint64_t *const ranks = test_keep(MANY * sizeof *ranks);
    size_t          bytes = 0;
    for (size_t i = 0; i < MANY; i++) {
        keys[i] = (uint32_t)(i * 2654435761u);
        weights[i] = 1;
    }
    ordo_rank_opts const opts = weighted(weights, ORDO_U8, ORDO_TIES_MIN, false);
    testkit_case("weighted ranks with a memory limit");
    CHECK_STATUS(ORDO_OK,
                 ordo_rank_scratch(contexts[0].ctx, ORDO_U32, MANY, ORDO_U64, &opts, &bytes),
                 contexts[0].ctx);
    for (int enough = 0; enough < 2; enough++) {
        ordo_ctx *const ctx = CONTEXT(.threads = 1, .mem_limit = enough ? bytes : 8);
        ranks[0] = 77;
        CHECK_STATUS(enough ? ORDO_OK : ORDO_E_NOMEM,
                     ordo_rank(ctx, ORDO_U32, keys, MANY, ORDO_U64, ranks, &opts), ctx);
        CHECK(ranks[0] == (enough ? 1 : 77));
        ordo_ctx_free(ctx);
    }
}

static void refuse(ordo_status status, const char *text, ordo_type rank_type, ordo_rank_opts opts)
{
    static double const keys[3] = {1, 2, 3};
    ordo_ctx *const     ctx = contexts[0].ctx;
    double              ranks[3] = {7, 7, 7};
    CHECK_STATUS(status, ordo_rank(ctx, ORDO_F64, keys, 3, rank_type, ranks, &opts), ctx);
    CHECK(strstr(ordo_last_error(ctx), text) != NULL && ranks[0] == 7 && ranks[2] == 7);
}

static void test_refusals(void)
{
    static double const sorted[3] = {1, 2, 3};
    ordo_ctx *const     ctx = contexts[0].ctx;
    double const        negative[3] = {1, -1, 1}, nan[3] = {1, 1, NAN}, ones[3] = {1, 1, 1};
    double const        huge[3] = {1e308, 1e308, 1e308};
    uint64_t const      large[3] = {(uint64_t)1 << 62, (uint64_t)1 << 62, 0};
    uint32_t const      wide[3] = {UINT32_MAX - 1, 1, 0};
    uint32_t            small[3];
    double              ranks[3] = {7, 7, 7};
    ordo_rank_opts      opts = weighted(ones, ORDO_F64, ORDO_TIES_MIN, false);
    testkit_case("refusals");
    refuse(ORDO_E_ARG, "weights[1] is -1", ORDO_F64, weighted(negative, ORDO_F64, 0, false));
    refuse(ORDO_E_ARG, "weights[2]", ORDO_F64, weighted(nan, ORDO_F64, 0, false));
    refuse(ORDO_E_ARG, "not finite", ORDO_F64, weighted(huge, ORDO_F64, 0, false));
    refuse(ORDO_E_ARG, "2^63", ORDO_U64, weighted(large, ORDO_U64, 0, false));
    refuse(ORDO_E_ARG, "2^32 - 1", ORDO_U32, weighted(wide, ORDO_U32, 0, false));
    refuse(ORDO_E_ARG, "need f64", ORDO_U64, opts);
    refuse(ORDO_E_ARG, "ordinal", ORDO_F64, weighted(ones, ORDO_F64, ORDO_TIES_ORDINAL, false));
    refuse(ORDO_E_ARG, "weight_type", ORDO_F64, weighted(ones, (ordo_type)0, 0, false));
    refuse(ORDO_E_ARG, "weight_type", ORDO_F64, weighted(NULL, ORDO_F64, 0, false));
    opts.algorithm = ORDO_ALGORITHM_RADIX;
    refuse(ORDO_E_ARG, "algorithm", ORDO_F64, opts);
    opts.algorithm = 0;
    opts.reserved = 1;
    refuse(ORDO_E_VERSION, "reserved", ORDO_F64, opts);
    opts.reserved = 0;
    CHECK_STATUS(ORDO_E_ARG, ordo_rank(ctx, ORDO_F64, sorted, 3, ORDO_F64, (void *)ones, &opts),
                 ctx);
    CHECK_STATUS(ORDO_E_UNSUPPORTED,
                 ordo_rank_sorted(ctx, ORDO_F64, sorted, 3, ORDO_F64, ranks, &opts), ctx);
    ordo_column const column = {.keys = sorted, .type = ORDO_F64};
    CHECK_STATUS(ORDO_E_UNSUPPORTED, ordo_lexrank(ctx, &column, 1, 3, ORDO_F64, ranks, &opts), ctx);
    CHECK(ranks[0] == 7);
    ordo_rank_opts const dense = weighted(wide, ORDO_U32, ORDO_TIES_DENSE, false);
    CHECK_STATUS(ORDO_OK, ordo_rank(ctx, ORDO_F64, sorted, 3, ORDO_U32, small, &dense), ctx);
    CHECK(small[0] == 1 && small[1] == 2 && small[2] == 3);
}

int main(void)
{
    testkit_start();
    test_contexts_start();
    test_pairs();
    test_repeats();
    test_threads();
    test_segments();
    test_memory();
    test_refusals();
    return testkit_done();
}
