/* test_dist_memory.c - every request for memory of a call over many ranks is refused in turn, on
 * one rank. All ranks must return the same status: ORDO_OK if the call can do without, or
 * ORDO_E_NOMEM with the number of the rank. Before the ranks have greeted each other it is
 * ORDO_E_NOMEM on the rank itself and ORDO_E_IO on the others. No rank may wait. */
#define _GNU_SOURCE
#include "distkit.h"
#include "ordo_dist_strings.h"

#include <stdio.h>

enum {
    N = 2400,
    RANKS = 3,
    VERBS = 18,
    STRING = 8, /* bytes */
    MOST_REQUESTS = 300
};

typedef struct refusal { /* of one rank */
    size_t requests, refused;
} refusal;

static distkit  kit;
static uint64_t keys[N], work[N], values[N], results[N + RANKS];
static size_t   failing, refused;
static int      verb;
static refusal  of_rank[RANKS];

static void *take(void *user, size_t bytes)
{
    refusal *const r = user;
    r->requests++;
    return r->requests == r->refused ? NULL : malloc(bytes);
}

static void release(void *user, void *block)
{
    (void)user;
    free(block);
}

static char *take_text(void *user, uint64_t bytes)
{
    char **const memory = user;
    return *memory = malloc((size_t)bytes + 1);
}

static ordo_status call_numbers(ordo_ctx *ctx, const ordo_comm *comm, size_t start, size_t n)
{
    uint64_t *const part = work + start, *const out = results + start;
    uint64_t k[9] = {7, N / 2}, few[9], index[9];
    double   q[2] = {0.1, 0.9}, quantiles[2];
    size_t   found;
    int      sorted;
    switch (verb) {
    case 0:
        return ordo_dist_sort(ctx, comm, ORDO_U64, part, n, NULL);
    case 1:
        return ordo_dist_sort_pairs(ctx, comm, ORDO_U64, part, n, values + start, 8, NULL);
    case 2:
        return ordo_dist_argsort(ctx, comm, ORDO_U64, part, n, ORDO_U64, out, NULL);
    case 3:
        return ordo_dist_rank(ctx, comm, ORDO_U64, part, n, ORDO_TIES_DENSE, ORDO_U64, out, NULL);
    case 4: /* so many positions that the keys are labelled */
        for (size_t i = 2; i < 9; i++)
            k[i] = i * N / 9;
        return ordo_dist_select(ctx, comm, ORDO_U64, part, n, k, 9, few, NULL);
    case 5:
        return ordo_dist_quantiles(ctx, comm, ORDO_U64, part, n, q, 2, quantiles,
                                   ORDO_NANS_PROPAGATE, ORDO_METHOD_DEFAULT, NULL);
    case 6:
        return ordo_dist_topk(ctx, comm, ORDO_U64, part, n, 9, few, index, &found, NULL);
    case 7:
        return ordo_dist_scan(ctx, comm, ORDO_SUM, ORDO_U64, part, n, ORDO_U64, out, NULL);
    case 8:
        return ordo_dist_is_sorted(ctx, comm, ORDO_U64, part, n, &sorted, NULL, NULL);
    default:
        return ordo_dist_unique_count(ctx, comm, ORDO_U64, part, n, k, NULL);
    }
}

static ordo_status call_strings(ordo_ctx *ctx, const ordo_comm *comm, size_t start, size_t n,
                                uint64_t *offsets, const ordo_dist_text *out)
{
    ordo_strings const in =
        ORDO_OPTS(ordo_strings, .bytes = (const char *)(work + start), .offsets = offsets);
    uint64_t const k[2] = {7, N / 2};
    uint64_t       index[9], count;
    size_t         found;
    int            sorted;
    switch (verb - 10) {
    case 0:
        return ordo_dist_sort_strings(ctx, comm, &in, n, out, NULL);
    case 1:
        return ordo_dist_argsort_strings(ctx, comm, &in, n, ORDO_U64, results + start, NULL);
    case 2:
        return ordo_dist_rank_strings(ctx, comm, &in, n, ORDO_TIES_MIN, ORDO_U64, results + start,
                                      NULL);
    case 3:
        return ordo_dist_select_strings(ctx, comm, &in, n, k, 2, index, out, NULL);
    case 4:
        return ordo_dist_median_strings(ctx, comm, &in, n, index, out, NULL);
    case 5:
        return ordo_dist_topk_strings(ctx, comm, &in, n, 9, index, out, &found, NULL);
    case 6:
        return ordo_dist_is_sorted_strings(ctx, comm, &in, n, &sorted, NULL, NULL);
    default:
        return ordo_dist_unique_count_strings(ctx, comm, &in, n, &count, NULL);
    }
}

static ordo_status call_verb(ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    size_t const start = kit.starts[rank], n = kit.starts[rank + 1] - start;
    if (verb < 10)
        return call_numbers(ctx, comm, start, n);
    uint64_t             offsets[N + 1], sorted[N + 1];
    char                *bytes = NULL;
    ordo_dist_text const out =
        ORDO_OPTS(ordo_dist_text, .n = n, .offsets = sorted, .take = take_text, .user = &bytes);
    for (size_t i = 0; i <= n; i++)
        offsets[i] = i * STRING;
    ordo_status const status = call_strings(ctx, comm, start, n, offsets, &out);
    free(bytes);
    return status;
}

static void body(void *user, ordo_comm *comm)
{
    size_t const rank = (size_t)comm->rank;
    ordo_ctx    *ctx;
    (void)user;
    of_rank[rank] = (refusal){0};
    kit.status[rank] = ordo_ctx_create(
        &ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU, .threads = 1, .alloc = take,
                         .release = release, .alloc_user = &of_rank[rank]));
    if (kit.status[rank] != ORDO_OK)
        return;
    of_rank[rank] = (refusal){.refused = rank == failing ? refused : 0};
    kit.status[rank] = call_verb(ctx, comm, rank);
    strncpy(kit.message[rank], ordo_last_error(ctx), DISTKIT_MESSAGE - 1);
    ordo_ctx_free(ctx);
}

/* Whether the statuses are one of the three that the header comment lists. */
static bool agrees(void)
{
    ordo_status const mine = kit.status[failing];
    bool              same = true, alone = mine == ORDO_E_NOMEM;
    char              name[16];
    snprintf(name, sizeof name, "rank %zu: ", failing);
    for (size_t r = 0; r < RANKS; r++) {
        same = same && kit.status[r] == mine;
        alone = alone && (r == failing || kit.status[r] == ORDO_E_IO);
        if (kit.status[r] == ORDO_E_NOMEM && !alone)
            same = same && strstr(kit.message[r], name) != NULL;
    }
    return alone || (same && (mine == ORDO_OK || mine == ORDO_E_NOMEM));
}

/* Refuses request 1, 2, ... until the call makes fewer; returns how often the call failed. */
static size_t check_verb(void)
{
    size_t failures = 0;
    for (refused = 1; refused < MOST_REQUESTS; refused++) {
        testkit_case("verb %d, request %zu of rank %zu is refused", verb, refused, failing);
        memcpy(work, keys, sizeof keys);
        CHECK(ordo_dist_threads(RANKS, body, NULL) == ORDO_OK);
        if (!CHECK(agrees()))
            for (size_t r = 0; r < RANKS; r++)
                printf("rank %zu returns %d: %s\n", r, kit.status[r], kit.message[r]);
        failures += kit.status[failing] != ORDO_OK;
        if (of_rank[failing].requests < refused)
            break;
    }
    CHECK(refused < MOST_REQUESTS);
    CHECK(kit.status[failing] == ORDO_OK);
    return failures;
}

int main(void)
{
    uint64_t state = 3;
    testkit_start();
    for (size_t i = 0; i < N; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        keys[i] = i % 3 == 0 ? 77 : state;
    }
    kit.ranks = RANKS;
    distkit_split(3, N, RANKS, 5, kit.starts);
    for (verb = 0; verb < VERBS; verb++)
        for (failing = 0; failing < RANKS; failing += 2)
            CHECK(check_verb() > 0);
    return testkit_done();
}
