/* test_dist_spill_faults.c - failures of sorts through local disks: every operation of the
 * transport fails in turn; a folder is missing, a source or a sink fails on one rank, the limit is
 * too small. Every rank must return the same status and message, and arrays sorted in place keep
 * their keys. */
#define _GNU_SOURCE
#include "faultkit.h"
#include "ordo_dist_external.h"

#include <errno.h>
#include <stdio.h>

enum {
    RANKS = 3,
    N = 3000,
    LIMIT = 10 << 20,
    MANY = RANKS * (LIMIT / 8), /* keys of 8 bytes whose scratch exceeds the limit */
    MOST_OPERATIONS = 300
};

typedef struct stream {
    size_t at, bytes;
    bool   fails;
} stream;

static distkit     kit;
static uint32_t    keys[N];
static uint64_t   *many, *before, *sorted;
static const char *directory;
static int         what;

static size_t count_of(size_t rank) { return kit.starts[rank + 1] - kit.starts[rank]; }

static ptrdiff_t read_stream(void *user, void *into, size_t bytes)
{
    stream *const s = user;
    size_t const  rest = s->bytes - s->at, now = rest < bytes ? rest : bytes;
    if (s->fails) {
        errno = ENXIO;
        return -1;
    }
    memcpy(into, (const char *)keys + s->at, now);
    s->at += now;
    return (ptrdiff_t)now;
}

static ptrdiff_t write_stream(void *user, const void *from, size_t bytes)
{
    const stream *const s = user;
    (void)from;
    errno = ENOSPC;
    return s->fails ? -1 : (ptrdiff_t)bytes;
}

static ordo_status sort_stream(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    bool const        odd = rank == 1;
    const char *const folder = odd && what == 1 ? "/missing folder" : directory;
    size_t const      at = kit.starts[rank] * 4, bytes = count_of(rank) * 4;
    stream in = {.at = at, .bytes = at + bytes - (odd && what == 5), .fails = odd && what == 2};
    stream out = {.fails = odd && what == 3};
    ordo_elements const elements =
        ORDO_OPTS(ordo_elements, .type = ORDO_U32, .size = odd && what == 4 ? 8 : 0);
    ordo_source const from =
        ORDO_OPTS(ordo_source, .read = read_stream, .user = &in, .name = "this source");
    ordo_sink const to =
        ORDO_OPTS(ordo_sink, .write = write_stream, .user = &out, .name = "this sink");
    ordo_external_opts const opts =
        ORDO_OPTS(ordo_external_opts, .flags = ORDO_SPILL_IN_MEMORY | (what == 6 ? ORDO_UNIQUE : 0),
                  .memory = 8 << 20, .directories = odd && what == 8 ? NULL : &folder,
                  .directory_count = 1, .resume_directory = what == 7 ? "/tmp" : NULL);
    ordo_dist_report report = {.struct_size = odd && what == 9 ? 1 : sizeof report};
    (void)user;
    return ordo_dist_external_sort(ctx, comm, &elements, &from, &to, &opts, &report);
}

static void check_streams(void)
{
    static const struct {
        ordo_status status;
        const char *says;
    } cases[] = {{ORDO_OK, ""},
                 {ORDO_E_IO, "rank 1: opening a temporary file in /missing folder failed"},
                 {ORDO_E_IO, "rank 1: "},
                 {ORDO_E_IO, "rank 1: writing this sink failed"},
                 {ORDO_E_ARG, "rank 1 calls ordo_dist_external_sort with other arguments"},
                 {ORDO_E_ARG, "rank 1: "},
                 {ORDO_E_VERSION, "rank 0: opts.flags is"},
                 {ORDO_E_ARG, "rank 0: opts.resume_directory is set"},
                 {ORDO_E_ARG, "rank 1: opts.directories is NULL"},
                 {ORDO_E_ARG, "rank 1: report->struct_size is 1"}};
    kit = (distkit){.ranks = RANKS, .threads = 1, .call = sort_stream};
    distkit_split(0, N, RANKS, 1, kit.starts);
    for (what = 0; what < (int)(sizeof cases / sizeof *cases); what++) {
        testkit_case("stream %d", what);
        CHECK(ordo_dist_threads(RANKS, distkit_body, &kit) == ORDO_OK);
        for (size_t r = 0; r < RANKS; r++) {
            CHECK(kit.status[r] == cases[what].status);
            CHECK(strcmp(kit.message[r], kit.message[0]) == 0);
            if (!CHECK(strstr(kit.message[r], cases[what].says) != NULL))
                printf("rank %zu says: %s\n", r, kit.message[r]);
        }
    }
}

static void check_transport(void)
{
    what = 0;
    kit = (distkit){.ranks = RANKS, .threads = 1, .wrap = wrap, .call = sort_stream};
    distkit_split(0, N, RANKS, 1, kit.starts);
    faultkit_each(&kit, 1, MOST_OPERATIONS);
}

/* ---- Arrays ---- */

static void array_body(void *user, ordo_comm *comm)
{
    size_t const    rank = (size_t)comm->rank;
    ordo_comm const used = wrap(NULL, comm);
    ordo_ctx       *ctx;
    size_t const    limit = what == 1 && rank == 2 ? 1 << 20 : LIMIT;
    (void)user;
    kit.status[rank] = ordo_ctx_create(
        &ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU, .threads = 1, .mem_limit = limit));
    if (kit.status[rank] != ORDO_OK)
        return;
    ordo_dist_opts const opts = ORDO_OPTS(ordo_dist_opts, .flags = ORDO_SPILL_IN_MEMORY,
                                          .directory = what == 2 && rank == 2   ? "/missing folder"
                                                       : what == 3 && rank == 2 ? NULL
                                                                                : directory);
    kit.status[rank] =
        ordo_dist_sort(ctx, &used, ORDO_U64, many + kit.starts[rank], count_of(rank), &opts);
    strncpy(kit.message[rank], ordo_last_error(ctx), DISTKIT_MESSAGE - 1);
    ordo_ctx_free(ctx);
}

static int by_key(const void *a, const void *b)
{
    uint64_t const x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Each rank has the keys that it had, in any order, or its part of the sorted array. */
static void check_kept(size_t rank)
{
    size_t const    n = count_of(rank), start = kit.starts[rank];
    uint64_t *const had = test_need(n * 8), *const has = test_need(n * 8);
    memcpy(had, before + start, n * 8);
    memcpy(has, many + start, n * 8);
    qsort(had, n, 8, by_key);
    qsort(has, n, 8, by_key);
    CHECK(memcmp(had, has, n * 8) == 0 || memcmp(sorted + start, many + start, n * 8) == 0);
    free(had);
    free(has);
}

static void run_arrays(ordo_status expected, const char *says)
{
    memcpy(many, before, (size_t)MANY * 8);
    CHECK(ordo_dist_threads(RANKS, array_body, NULL) == ORDO_OK);
    for (size_t r = 0; r < RANKS; r++) {
        CHECK(kit.status[r] == expected);
        if (!CHECK(strstr(kit.message[r], says) != NULL))
            printf("rank %zu says: %s\n", r, kit.message[r]);
        check_kept(r);
    }
}

static void check_arrays(void)
{
    many = test_need((size_t)MANY * 8);
    before = test_need((size_t)MANY * 8);
    sorted = test_need((size_t)MANY * 8);
    inputs_fill(inputs_find("random bits"), ORDO_U64, before, MANY, 3);
    memcpy(sorted, before, (size_t)MANY * 8);
    qsort(sorted, MANY, 8, by_key);
    kit = (distkit){.ranks = RANKS};
    distkit_split(0, MANY, RANKS, 1, kit.starts);
    failing_rank = RANKS; /* none */
    what = 1;
    testkit_case("a limit that is too small");
    run_arrays(ORDO_E_NOMEM, "rank 2: mem_limit is 1048576 bytes");
    what = 2;
    testkit_case("a missing folder");
    run_arrays(ORDO_E_IO, "rank 2: opening a temporary file in /missing folder failed");
    what = 3;
    testkit_case("a folder on some ranks only");
    run_arrays(ORDO_E_ARG, "other arguments");
    what = 0;
    testkit_case("no failure");
    run_arrays(ORDO_OK, "");
    CHECK(memcmp(sorted, many, (size_t)MANY * 8) == 0);
    size_t const all = ranks_of[1].made;
    failing_rank = 1;
    for (size_t part = 1; part < 6; part++) { /* in the exchange, which overwrites the keys */
        fails_at = all * part / 6;
        testkit_case("operation %zu of %zu fails", fails_at, all);
        run_arrays(ORDO_E_IO, "transport");
    }
    free(many);
    free(before);
    free(sorted);
}

int main(void)
{
    const char *const named = getenv("TMPDIR");
    directory = named != NULL && named[0] != 0 ? named : "/var/tmp";
    testkit_start();
    inputs_fill(inputs_find("random bits"), ORDO_U32, keys, N, 7);
    check_streams();
    check_transport();
    check_arrays();
    return testkit_done();
}
