/* test_external_limit.c - a call that may hold M bytes has at most M + 32 MiB of resident memory.
 *
 * A child process makes each call, with M = 64 MiB on 256 MiB of u64 keys (4 GiB with
 * ORDO_TORTURE=1), and ranks 64 MiB of keys with M = 8 MiB, which is too little to read all runs
 * at once. Its source makes the keys and its sink checks them, so no other file is needed. The
 * parent reads the peak resident memory of the child. Skipped if the disk has too little space, and
 * for builds whose memory is not that of the library: sanitizers, shrunk thresholds. */
#define _GNU_SOURCE
#include "ordo_external.h"
#include "testkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MEMORY = 64 << 20,
    LITTLE = 8 << 20,
    ALLOWED = 32 << 20,
    POSITIONS = 700000 /* of select: 64 bytes each are two thirds of the memory */
};

typedef struct stream { /* of keys: a mixed counter, so that the sum is known */
    uint64_t at, n, sum;
    uint64_t last, seen;
    bool     unordered;
} stream;

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static ptrdiff_t make_keys(void *user, void *into, size_t bytes)
{
    stream *const s = user;
    uint64_t     *to = into;
    size_t        n = bytes / sizeof *to;
    n = n < s->n - s->at ? n : (size_t)(s->n - s->at);
    for (size_t i = 0; i < n; i++) {
        uint64_t const key = mix(s->at++);
        memcpy(to + i, &key, sizeof key);
        s->sum += key;
    }
    return (ptrdiff_t)(n * sizeof *to);
}

static ptrdiff_t check_keys(void *user, const void *from, size_t bytes)
{
    stream *const         s = user;
    const uint64_t *const keys = from;
    for (size_t i = 0; i < bytes / sizeof *keys; i++) {
        s->unordered = s->unordered || keys[i] < s->last;
        s->last = keys[i];
        s->sum -= keys[i];
        s->seen++;
    }
    return (ptrdiff_t)bytes;
}

static ptrdiff_t count_results(void *user, const void *from, size_t bytes)
{
    stream *const         s = user;
    const uint64_t *const results = from;
    for (size_t i = 0; i < bytes / sizeof *results; i++)
        s->last += results[i];
    s->seen += bytes / sizeof *results;
    return (ptrdiff_t)bytes;
}

typedef enum verb {
    SORT,
    ARGSORT,
    RANK,
    RANK_LITTLE,
    MEDIAN,
    SELECT,
    VERBS
} verb;

static const char *const names[] = {"sort",   "argsort", "rank", "rank with 8 MiB",
                                    "median", "select"};

/* Keys at many positions. The array of the caller is not part of the limit. */
static ordo_status select_many(ordo_ctx *ctx, const ordo_elements *elements,
                               const ordo_source *from, const ordo_external_opts *opts, uint64_t n)
{
    uint64_t *const k = malloc(POSITIONS * sizeof *k);
    if (k == NULL)
        return ORDO_E_NOMEM;
    for (uint64_t i = 0; i < POSITIONS; i++)
        k[i] = n / POSITIONS * i;
    ordo_status const status =
        ordo_external_select(ctx, elements, from, k, POSITIONS, k, opts, NULL);
    for (size_t i = 1; i < POSITIONS && status == ORDO_OK; i++)
        if (k[i - 1] >= k[i]) {
            free(k);
            return ORDO_E_IO;
        }
    free(k);
    return status;
}

static uint64_t memory_of(verb v) { return v == RANK_LITTLE ? LITTLE : MEMORY; }

/* Whether the results are those of n different keys. */
static bool is_right(verb v, const stream *s, uint64_t n)
{
    if (v == SORT)
        return !s->unordered && s->sum == 0 && s->seen == n;
    if (v == RANK || v == RANK_LITTLE)
        return s->seen == n && s->last == n / 2 * (n + 1);
    return v != ARGSORT || (s->seen == n && s->last == n / 2 * (n - 1));
}

/* Makes the call and returns an exit code. */
static int call(verb v, uint64_t n)
{
    ordo_ctx           *ctx;
    stream              s = {.n = n};
    double              median = 0;
    ordo_elements const elements = ORDO_OPTS(ordo_elements, .type = ORDO_U64);
    ordo_source const   from =
        ORDO_OPTS(ordo_source, .read = make_keys, .user = &s, .bytes = n * sizeof(uint64_t));
    ordo_sink const to =
        ORDO_OPTS(ordo_sink, .user = &s, .write = v == SORT ? check_keys : count_results);
    ordo_external_opts const opts = ORDO_OPTS(ordo_external_opts, .memory = memory_of(v));
    if (ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .threads = 2)) != ORDO_OK)
        return 2;
    ordo_status const status =
        v == SORT      ? ordo_external_sort(ctx, &elements, &from, &to, &opts, NULL)
        : v == ARGSORT ? ordo_external_argsort(ctx, &elements, &from, ORDO_U64, &to, &opts, NULL)
        : v == RANK || v == RANK_LITTLE
            ? ordo_external_rank(ctx, &elements, &from, ORDO_TIES_MIN, ORDO_U64, &to, &opts, NULL)
        : v == SELECT
            ? select_many(ctx, &elements, &from, &opts, n)
            : ordo_external_median(ctx, &elements, &from, &median, ORDO_NANS_LAST, &opts, NULL);
    if (status != ORDO_OK)
        fprintf(stderr, "%s: %s\n", names[v], ordo_last_error(ctx));
    ordo_ctx_free(ctx);
    return status == ORDO_OK && is_right(v, &s, n) ? 0 : 1;
}

static void check_limit(verb v, uint64_t n)
{
    struct rusage usage = {.ru_maxrss = 0};
    int           status = 0;
    testkit_case("%s of %llu keys", names[v], (unsigned long long)n);
    fflush(NULL);
    pid_t const child = fork();
    if (child == 0)
        _exit(call(v, n));
    CHECK(child > 0 && wait4(child, &status, 0, &usage) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    uint64_t const peak = (uint64_t)usage.ru_maxrss * 1024;
    printf("%s: peak resident memory %llu KiB\n", names[v], (unsigned long long)peak / 1024);
    CHECK(peak <= memory_of(v) + ALLOWED);
}

int main(void)
{
    bool const        torture = getenv("ORDO_TORTURE") != NULL;
    uint64_t const    bytes = torture ? UINT64_C(4) << 30 : UINT64_C(256) << 20;
    const char *const named = getenv("TMPDIR");
    const char *const folder = named != NULL && named[0] != 0 ? named : "/var/tmp";
    struct statvfs    space;
    testkit_start();
#ifdef ORDO_TINY
    testkit_skip("the library has the shrunk thresholds of the tests");
    return testkit_done();
#endif
    if (TESTKIT_SANITIZED)
        testkit_skip("a sanitizer has memory of its own");
    else if (statvfs(folder, &space) != 0 || (uint64_t)space.f_bavail * space.f_frsize < 4 * bytes)
        testkit_skip("%s has too little free space: 4 times %llu bytes are needed", folder,
                     (unsigned long long)bytes);
    else
        for (verb v = 0; v < VERBS; v++) /* the rest of the memory of select sorts 256 MiB */
            check_limit(v, (v == SELECT        ? (uint64_t)256 << 20
                            : v == RANK_LITTLE ? (uint64_t)64 << 20
                                               : bytes) /
                               sizeof(uint64_t));
    return testkit_done();
}
