/* test_dist_optional.c - calls over many ranks with every subset of their results NULL, on all
 * ranks and on one rank alone, with counts that may be 0.
 *
 * A needed result that is NULL on any rank is ORDO_E_ARG on every rank. Otherwise the results that
 * are given have the bytes of the call with all results, and nothing else is written. */
#include "distkit.h"

enum {
    RANKS = 3,
    MOST = 41,   /* keys, and results of a rank */
    RESULTS = 3, /* of a call, at most          */
    ROOM = (MOST + 2) * (int)sizeof(uint64_t),
    FILL = 0x5a
};

typedef enum verb {
    COUNTS,
    SORT,
    ARGSORT,
    RANK,
    SELECT,
    QUANTILES,
    MEDIAN,
    TOPK,
    SCAN,
    IS_SORTED,
    UNIQUE,
    STRINGS_ARGSORT,
    STRINGS_RANK,
    STRINGS_SELECT,
    STRINGS_TOPK,
    STRINGS_IS_SORTED,
    STRINGS_UNIQUE,
    VERBS
} verb;

static const struct {
    const char *name;
    unsigned    results, needed; /* needed: bits of the results that may not be NULL */
    bool        counted;         /* needed only if there are results                 */
} facts[VERBS] = {
    [COUNTS] = {"counts", 3, 0, false},
    [SORT] = {"sort", 1, 1, true},
    [ARGSORT] = {"argsort", 1, 1, true},
    [RANK] = {"rank", 1, 1, true},
    [SELECT] = {"select", 1, 1, true},
    [QUANTILES] = {"quantiles", 1, 1, true},
    [MEDIAN] = {"median", 1, 1, false},
    [TOPK] = {"topk", 3, 0, false},
    [SCAN] = {"scan", 1, 1, true},
    [IS_SORTED] = {"is_sorted", 2, 1, false},
    [UNIQUE] = {"unique_count", 1, 1, false},
    [STRINGS_ARGSORT] = {"argsort_strings", 1, 1, true},
    [STRINGS_RANK] = {"rank_strings", 1, 1, true},
    [STRINGS_SELECT] = {"select_strings", 2, 0, false},
    [STRINGS_TOPK] = {"topk_strings", 3, 0, false},
    [STRINGS_IS_SORTED] = {"is_sorted_strings", 2, 1, false},
    [STRINGS_UNIQUE] = {"unique_count_strings", 1, 1, false},
};

static distkit  kit;
static verb     doing;
static size_t   n, k;
static unsigned given[RANKS]; /* bit i: result i of the rank is not NULL */
static uint32_t keys[MOST];
static uint64_t offsets[MOST + 1], positions[MOST];
static double   q[MOST];
static char     texts[MOST * sizeof(uint32_t)], taken[RANKS][MOST * sizeof(uint32_t)];
static _Alignas(8) char results[RANKS][RESULTS][ROOM], complete[RANKS][RESULTS][ROOM];

static size_t count_of(size_t rank) { return kit.starts[rank + 1] - kit.starts[rank]; }

static void *result(size_t rank, unsigned i)
{
    return (given[rank] >> i & 1) != 0 ? results[rank][i] : NULL;
}

static char *take(void *user, uint64_t bytes)
{
    CHECK(bytes <= sizeof *taken);
    return user;
}

static ordo_status call_strings(ordo_ctx *ctx, const ordo_comm *comm, size_t r)
{
    ordo_strings const s =
        ORDO_OPTS(ordo_strings, .bytes = texts, .offsets = offsets + kit.starts[r]);
    ordo_dist_text const text =
        ORDO_OPTS(ordo_dist_text, .offsets = result(r, 1), .take = take, .user = taken[r]);
    ordo_dist_text const *out = text.offsets != NULL ? &text : NULL;
    size_t const          mine = count_of(r);
    switch (doing) {
    case STRINGS_ARGSORT:
        return ordo_dist_argsort_strings(ctx, comm, &s, mine, ORDO_U64, result(r, 0), NULL);
    case STRINGS_RANK:
        return ordo_dist_rank_strings(ctx, comm, &s, mine, ORDO_TIES_MIN, ORDO_U64, result(r, 0),
                                      NULL);
    case STRINGS_SELECT:
        return ordo_dist_select_strings(ctx, comm, &s, mine, positions, k, result(r, 0), out, NULL);
    case STRINGS_TOPK:
        return ordo_dist_topk_strings(ctx, comm, &s, mine, k, result(r, 0), out, result(r, 2),
                                      NULL);
    case STRINGS_IS_SORTED:
        return ordo_dist_is_sorted_strings(ctx, comm, &s, mine, result(r, 0), result(r, 1), NULL);
    default:
        return ordo_dist_unique_count_strings(ctx, comm, &s, mine, result(r, 0), NULL);
    }
}

static ordo_status call_verb(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t r)
{
    const uint32_t *const mine = keys + kit.starts[r];
    size_t const          m = count_of(r);
    (void)user;
    switch (doing) {
    case COUNTS:
        return ordo_dist_counts(ctx, comm, m, result(r, 0), result(r, 1), result(r, 2));
    case SORT: /* in place */
        if (given[r] != 0)
            memcpy(results[r][0], mine, m * sizeof *mine);
        return ordo_dist_sort(ctx, comm, ORDO_U32, result(r, 0), m, NULL);
    case ARGSORT:
        return ordo_dist_argsort(ctx, comm, ORDO_U32, mine, m, ORDO_U64, result(r, 0), NULL);
    case RANK:
        return ordo_dist_rank(ctx, comm, ORDO_U32, mine, m, ORDO_TIES_MIN, ORDO_U64, result(r, 0),
                              NULL);
    case SELECT:
        return ordo_dist_select(ctx, comm, ORDO_U32, mine, m, positions, k, result(r, 0), NULL);
    case QUANTILES:
        return ordo_dist_quantiles(ctx, comm, ORDO_U32, mine, m, q, k, result(r, 0), ORDO_NANS_LAST,
                                   ORDO_METHOD_DEFAULT, NULL);
    case MEDIAN:
        return ordo_dist_median(ctx, comm, ORDO_U32, mine, m, result(r, 0), ORDO_NANS_LAST, NULL);
    case TOPK:
        return ordo_dist_topk(ctx, comm, ORDO_U32, mine, m, k, result(r, 0), result(r, 1),
                              result(r, 2), NULL);
    case SCAN:
        return ordo_dist_scan(ctx, comm, ORDO_SUM, ORDO_U32, mine, m, ORDO_U64, result(r, 0), NULL);
    case IS_SORTED:
        return ordo_dist_is_sorted(ctx, comm, ORDO_U32, mine, m, result(r, 0), result(r, 1), NULL);
    case UNIQUE:
        return ordo_dist_unique_count(ctx, comm, ORDO_U32, mine, m, result(r, 0), NULL);
    default:
        return call_strings(ctx, comm, r);
    }
}

/* The results that the call has on this rank, if they are counted. */
static size_t results_of(size_t rank)
{
    return doing == SELECT || doing == QUANTILES ? k : count_of(rank);
}

static bool lacks(size_t rank)
{
    unsigned const needed = facts[doing].needed;
    return (given[rank] & needed) != needed && (!facts[doing].counted || results_of(rank) > 0);
}

/* A call with the results of given[]; compares them with those of the call with all results. */
static void attempt(void)
{
    bool refused = false;
    for (size_t r = 0; r < RANKS; r++)
        refused = refused || lacks(r);
    memset(results, FILL, sizeof results);
    if (!distkit_run(&kit, refused ? ORDO_E_ARG : ORDO_OK) || refused)
        return;
    for (size_t r = 0; r < RANKS; r++)
        for (unsigned i = 0; i < RESULTS; i++)
            if ((given[r] >> i & 1) != 0)
                CHECK_BYTES(complete[r][i], results[r][i], ROOM, sizeof(uint32_t));
            else
                CHECK(test_bytes_not(results[r][i], ROOM, FILL) == 0);
}

static void test_verb(void)
{
    unsigned const all = (1u << facts[doing].results) - 1;
    for (size_t r = 0; r < RANKS; r++)
        given[r] = all;
    testkit_case("%s n=%zu k=%zu: all results", facts[doing].name, n, k);
    memset(results, FILL, sizeof results);
    distkit_run(&kit, ORDO_OK);
    memcpy(complete, results, sizeof results);
    for (unsigned subset = 0; subset < all; subset++)
        for (size_t one = 0; one <= RANKS; one++) { /* RANKS: on all ranks */
            testkit_case("%s n=%zu k=%zu: results 0x%x on rank %zu of %d", facts[doing].name, n, k,
                         subset, one, RANKS);
            for (size_t r = 0; r < RANKS; r++)
                given[r] = one == r || one == RANKS ? subset : all;
            attempt();
        }
}

int main(void)
{
    static const size_t sizes[] = {0, 1, 2, MOST};
    testkit_start();
    kit = (distkit){.ranks = RANKS, .threads = 1, .call = call_verb};
    for (size_t i = 0; i < MOST; i++) {
        keys[i] = (uint32_t)(i * 7919 % 30);
        q[i] = (double)i / MOST;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        n = sizes[i];
        distkit_split(i % 2 == 0 ? 2 : 0, n, RANKS, 1, kit.starts);
        for (size_t s = 0; s < n; s++) {
            offsets[s + 1] = offsets[s] + s % 4;
            positions[s] = n - 1 - s;
        }
        size_t const counts[] = {0, 1, n, n + 1};
        for (doing = 0; doing < VERBS; doing++)
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
                bool const top = doing == TOPK || doing == STRINGS_TOPK;
                bool const chosen = doing == SELECT || doing == STRINGS_SELECT;
                k = counts[c];
                if ((k > n && !top) || (c > 0 && !top && !chosen && doing != QUANTILES))
                    continue;
                test_verb();
            }
    }
    return testkit_done();
}
