/* test_dist_strings_faults.c - failures of calls on strings over many ranks: every operation of the
 * transport fails in turn; a rank has wrong arguments, other arguments, or no memory. Every rank
 * must return the same status and message. */
#define _GNU_SOURCE
#include "faultkit.h"

#include <stdio.h>

enum {
    N = 300,
    RANKS = 5,
    MOST_OPERATIONS = 400,
    LENGTH = 12
};

static distkit  kit;
static char     bytes[N * LENGTH];
static uint64_t offsets[N + 1], broken_offsets[N + 1];
static char     taken[RANKS][N * LENGTH + 1];
static uint64_t out_offsets[RANKS][N + 1], results[N];
static int      verb;

static size_t count_of(size_t rank) { return kit.starts[rank + 1] - kit.starts[rank]; }

static char *take(void *user, uint64_t wanted)
{
    (void)wanted;
    return user;
}

static char *refuse(void *user, uint64_t wanted)
{
    (void)user;
    (void)wanted;
    return NULL;
}

static ordo_dist_text text_of(size_t rank)
{
    return ORDO_OPTS(ordo_dist_text, .n = count_of(rank), .offsets = out_offsets[rank],
                     .take = take, .user = taken[rank]);
}

static ordo_strings strings_of(size_t rank)
{
    return ORDO_OPTS(ordo_strings, .bytes = bytes, .offsets = offsets + kit.starts[rank]);
}

static ordo_status call_verb(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    ordo_strings const   s = strings_of(rank);
    ordo_dist_text const out = text_of(rank);
    size_t const         n = count_of(rank), at = kit.starts[rank];
    uint64_t const       k[2] = {3, N / 2};
    uint64_t             index[9], count;
    int                  sorted;
    (void)user;
    switch (verb) {
    case 0:
        return ordo_dist_sort_strings(ctx, comm, &s, n, &out, NULL);
    case 1:
        return ordo_dist_argsort_strings(ctx, comm, &s, n, ORDO_U64, results + at, NULL);
    case 2:
        return ordo_dist_rank_strings(ctx, comm, &s, n, ORDO_TIES_AVERAGE, ORDO_F64, results + at,
                                      NULL);
    case 3:
        return ordo_dist_select_strings(ctx, comm, &s, n, k, 2, index, &out, NULL);
    case 4:
        return ordo_dist_topk_strings(ctx, comm, &s, n, 9, index, &out, NULL, NULL);
    case 5:
        return ordo_dist_is_sorted_strings(ctx, comm, &s, n, &sorted, NULL, NULL);
    default:
        return ordo_dist_unique_count_strings(ctx, comm, &s, n, &count, NULL);
    }
}

static void fill(void)
{
    uint64_t seed = 7;
    for (size_t i = 0; i < N; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        size_t const length = i % 3 == 0 ? 4 : (size_t)(seed >> 60) % LENGTH;
        memset(bytes + offsets[i], 'a' + (int)(i % 3 == 0 ? 1 : seed >> 40 & 3), length);
        offsets[i + 1] = offsets[i] + length;
    }
    memcpy(broken_offsets, offsets, sizeof offsets);
}

static void check_transport(void)
{
    kit = (distkit){.ranks = RANKS, .threads = 1, .wrap = wrap, .call = call_verb};
    distkit_split(0, N, RANKS, 1, kit.starts);
    for (verb = 0; verb < 7; verb++)
        for (size_t rank = 1; rank < RANKS; rank += 2)
            faultkit_each(&kit, rank, MOST_OPERATIONS);
}

/* ---- One rank differs ---- */

static ordo_status differ(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    bool const           odd = rank == 3;
    ordo_strings         s = strings_of(rank);
    ordo_dist_text       out = text_of(rank);
    ordo_dist_opts const opts =
        ORDO_OPTS(ordo_dist_opts, .flags = odd && verb == 4 ? ORDO_DESCENDING : 0);
    size_t const   n = count_of(rank);
    uint64_t const k[1] = {odd ? 4 : 3};
    double const   q = 0.5;
    uint64_t       index[1] = {UINT64_MAX};
    (void)user;
    out_offsets[rank][0] = UINT64_MAX;
    if (odd && verb == 0) { /* an offset that decreases */
        broken_offsets[kit.starts[3] + 5] = 0;
        s.offsets = broken_offsets + kit.starts[3];
    }
    if (odd && (verb == 1 || verb == 9))
        out.take = refuse;
    if (odd && verb == 2)
        out.n--;
    if (odd && verb == 3)
        out.take = NULL;
    if (verb == 5)
        return ordo_dist_select_strings(ctx, comm, &s, n, k, 1, index, NULL, NULL);
    if (verb == 6)
        return ordo_dist_quantiles_strings(ctx, comm, &s, n, &q, 1, ORDO_METHOD_LINEAR, index, NULL,
                                           NULL);
    if (odd && verb == 7)
        return ordo_dist_rank_strings(ctx, comm, &s, n, ORDO_TIES_MIN, ORDO_U64,
                                      results + kit.starts[rank], NULL);
    if (odd && verb == 8)
        s.pointers = (const char *const *)(const void *)results;
    if (verb == 9) { /* memory is asked for before any result is written */
        uint64_t const    last = N - 1;
        ordo_status const status =
            ordo_dist_select_strings(ctx, comm, &s, n, &last, 1, index, &out, NULL);
        CHECK(!odd || (index[0] == UINT64_MAX && out.offsets[0] == UINT64_MAX));
        return status;
    }
    return ordo_dist_sort_strings(ctx, comm, &s, n, &out, &opts);
}

static void check_differences(void)
{
    static const struct {
        ordo_status status;
        const char *says;
    } cases[] = {{ORDO_E_ARG, "rank 3: strings.offsets decreases at"},
                 {ORDO_E_NOMEM, "rank 3: out.take returned NULL for"},
                 {ORDO_E_ARG, "out.n of all ranks is 299 in all; expected 300"},
                 {ORDO_E_ARG, "rank 3: out.take is NULL"},
                 {ORDO_E_ARG, "other flags"},
                 {ORDO_E_ARG, "positions"},
                 {ORDO_E_ARG, "computes a mean"},
                 {ORDO_E_ARG, "rank 3 calls ordo_dist_rank_strings with another function"},
                 {ORDO_E_ARG, "rank 3: strings has both"},
                 {ORDO_E_NOMEM, "rank 3: out.take returned NULL for"}};
    kit = (distkit){.ranks = RANKS, .threads = 1, .call = differ};
    distkit_split(0, N, RANKS, 1, kit.starts);
    for (verb = 0; verb < (int)(sizeof cases / sizeof *cases); verb++) {
        testkit_case("difference %d", verb);
        CHECK(ordo_dist_threads(RANKS, distkit_body, &kit) == ORDO_OK);
        for (size_t r = 0; r < RANKS; r++) {
            CHECK(kit.status[r] == cases[verb].status);
            CHECK(strcmp(kit.message[r], kit.message[0]) == 0);
            if (!CHECK(strstr(kit.message[r], cases[verb].says) != NULL))
                printf("rank %zu says: %s\n", r, kit.message[r]);
        }
    }
}

/* ---- One rank has no memory or is cancelled ---- */

static int stop_at_once(void *user, double done)
{
    (void)user;
    (void)done;
    return 1;
}

static void stopping_body(void *user, ordo_comm *comm)
{
    size_t const  rank = (size_t)comm->rank;
    ordo_ctx     *ctx;
    ordo_ctx_opts opts = ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU, .threads = 1);
    (void)user;
    if (rank == 2 && verb == 0) {
        opts.progress = stop_at_once;
        opts.progress_interval = -1;
    }
    if (rank == 2 && verb == 1)
        opts.mem_limit = 4096;
    kit.status[rank] = ordo_ctx_create(&ctx, &opts);
    if (kit.status[rank] != ORDO_OK)
        return;
    ordo_strings const   s = strings_of(rank);
    ordo_dist_text const out = text_of(rank);
    kit.status[rank] = ordo_dist_sort_strings(ctx, comm, &s, count_of(rank), &out, NULL);
    strncpy(kit.message[rank], ordo_last_error(ctx), DISTKIT_MESSAGE - 1);
    ordo_ctx_free(ctx);
}

static void check_stopped(void)
{
    for (verb = 0; verb < 2; verb++) {
        ordo_status const wanted = verb == 0 ? ORDO_E_CANCELLED : ORDO_E_NOMEM;
        testkit_case("%s on rank 2", verb == 0 ? "cancelled" : "no memory");
        CHECK(ordo_dist_threads(RANKS, stopping_body, NULL) == ORDO_OK);
        for (size_t r = 0; r < RANKS; r++) {
            if (!CHECK(kit.status[r] == wanted))
                printf("rank %zu returns %d: %s\n", r, kit.status[r], kit.message[r]);
            CHECK(strstr(kit.message[r], "rank 2: ") != NULL);
        }
    }
}

int main(void)
{
    testkit_start();
    fill();
    check_transport();
    check_differences();
    check_stopped();
    return testkit_done();
}
