/* test_papers.c - the CPU backend with and without the table of the papers' algorithms: without it
 * a named algorithm is refused, its size query returns, and the caller's arrays are unchanged. */
#include "backend/backend.h"
#include "testkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    N = 100,
    BLOCKS = 64 /* the largest number of scratch blocks of a call */
};

static void  *blocks[BLOCKS];
static size_t taken;
static char   message[256];

static bool loop(ordo_exec *exec, size_t n, size_t grain, ordo_body *body, void *arg)
{
    (void)exec;
    for (size_t lo = 0; lo < n; lo += grain)
        body(arg, lo, ordo_min(lo + grain, n));
    return true;
}

static bool poll(ordo_exec *exec, double share) { return (void)exec, (void)share, false; }

static ordo_status scratch(ordo_exec *exec, size_t bytes, void **out)
{
    (void)exec;
    if (taken == BLOCKS || (blocks[taken] = aligned_alloc(64, (bytes + 64) / 64 * 64)) == NULL)
        return ORDO_E_NOMEM;
    *out = blocks[taken++];
    return ORDO_OK;
}

static ordo_status fail(ordo_exec *exec, ordo_status status, const char *format, va_list args)
{
    (void)exec;
    vsnprintf(message, sizeof message, format, args);
    return status;
}

static ordo_exec exec_with(const ordo_papers *papers)
{
    while (taken > 0)
        free(blocks[--taken]);
    message[0] = '\0';
    return (ordo_exec){.threads = 1,
                       .loop = loop,
                       .poll = poll,
                       .scratch = scratch,
                       .fail = fail,
                       .phases = 1,
                       .papers = papers};
}

static const ordo_backend *cpu;
static void               *state;
static uint32_t            random_keys[N], sorted_keys[N];

/* Checks a call; `result` has N elements and becomes `wanted`; without papers it stays as it was. */
static void check(bool with, ordo_status status, const uint32_t *was, const uint32_t *wanted,
                  const uint32_t *result)
{
    CHECK_STATUS(with ? ORDO_OK : ORDO_E_UNSUPPORTED, status, NULL);
    CHECK(with == (strstr(message, "papers' algorithms") == NULL));
    CHECK_BYTES(with ? wanted : was, result, N * sizeof *result, sizeof *result);
}

static void test_sorts(const ordo_papers *papers)
{
    static const ordo_algorithm algorithms[] = {ORDO_ALGORITHM_SAMPLE, ORDO_ALGORITHM_BITONIC,
                                                ORDO_ALGORITHM_SPLIT,  ORDO_ALGORITHM_BUBBLE,
                                                ORDO_ALGORITHM_ROUGH,  ORDO_ALGORITHM_HALVING};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        uint32_t            keys[N];
        ordo_exec           exec = exec_with(papers);
        ordo_sort_job const job = {
            .type = ORDO_U32, .keys = keys, .n = N, .algorithm = algorithms[i]};
        testkit_case("sort, algorithm %d, %s papers", (int)algorithms[i],
                     papers != NULL ? "with" : "without");
        memcpy(keys, random_keys, sizeof keys);
        (void)cpu->sort_scratch(&job, &exec);
        check(papers != NULL, cpu->sort(state, &job, &exec), random_keys, sorted_keys, keys);
    }
}

static void test_select(const ordo_papers *papers, ordo_algorithm algorithm)
{
    static const size_t   k[] = {N / 2};
    uint32_t              was[N] = {0}, wanted[N] = {0}, out[N] = {0};
    ordo_exec             exec = exec_with(papers);
    ordo_select_job const job = {.type = ORDO_U32,
                                 .keys = random_keys,
                                 .n = N,
                                 .k = k,
                                 .count = 1,
                                 .out = out,
                                 .algorithm = algorithm,
                                 .sub_array = 4};
    testkit_case("select, algorithm %d, %s papers", (int)algorithm,
                 papers != NULL ? "with" : "without");
    wanted[0] = sorted_keys[N / 2];
    (void)cpu->select_scratch(&job, &exec);
    check(papers != NULL, cpu->select(state, &job, &exec), was, wanted, out);
}

static void test_rank(const ordo_papers *papers, ordo_algorithm algorithm)
{
    uint32_t                   was[N] = {0}, wanted[N], ranks[N] = {0};
    ordo_exec                  exec = exec_with(papers);
    ordo_rank_sorted_job const job = {.type = ORDO_U32,
                                      .sorted = sorted_keys,
                                      .n = N,
                                      .rank_type = ORDO_U32,
                                      .ranks = ranks,
                                      .ties = ORDO_TIES_DENSE,
                                      .algorithm = algorithm};
    testkit_case("rank, algorithm %d, %s papers", (int)algorithm,
                 papers != NULL ? "with" : "without");
    wanted[0] = 1;
    for (size_t i = 1; i < N; i++)
        wanted[i] = wanted[i - 1] + (sorted_keys[i] != sorted_keys[i - 1]);
    (void)cpu->rank_sorted_scratch(&job, &exec);
    check(papers != NULL, cpu->rank_sorted(state, &job, &exec), was, wanted, ranks);
}

/* Strings of one byte that fall from the first to the last. */
static void test_strings(const ordo_papers *papers)
{
    char             bytes[N];
    uint64_t         offsets[N + 1] = {0};
    uint32_t         was[N] = {0}, wanted[N], index[N] = {0};
    ordo_exec        exec = exec_with(papers);
    ordo_strings_job job = {
        .n = N, .index_type = ORDO_U32, .index = index, .algorithm = ORDO_ALGORITHM_SAMPLE};
    testkit_case("strings, %s papers", papers != NULL ? "with" : "without");
    for (size_t i = 0; i < N; i++) {
        bytes[i] = (char)(N - i);
        offsets[i + 1] = i + 1;
        wanted[i] = (uint32_t)(N - 1 - i);
    }
    job.strings = (ordo_strings){.struct_size = sizeof job.strings, bytes, offsets};
    check(papers != NULL, cpu->argsort_strings(state, &job, &exec), was, wanted, index);
}

static int compare(const void *a, const void *b)
{
    uint32_t const x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    char                      why[200];
    ordo_backend_wishes const wishes = {.isa = NULL};
    test_rng                  rng = {11};
    testkit_start();
    cpu = ordo_cpu_backend();
    CHECK_STATUS(ORDO_OK, cpu->open(&state, &wishes, why, sizeof why), NULL);
    for (size_t i = 0; i < N; i++)
        random_keys[i] = sorted_keys[i] = (uint32_t)test_rng_below(&rng, 60);
    qsort(sorted_keys, N, sizeof *sorted_keys, compare);
    for (unsigned with = 0; with < 2; with++) {
        const ordo_papers *const papers = with != 0 ? ordo_papers_table() : NULL;
        test_sorts(papers);
        test_select(papers, ORDO_ALGORITHM_BITONIC);
        test_select(papers, ORDO_ALGORITHM_MERGE);
        test_rank(papers, ORDO_ALGORITHM_SEQUENTIAL);
        test_rank(papers, ORDO_ALGORITHM_THREADS);
        test_strings(papers);
    }
    (void)exec_with(NULL); /* frees scratch */
    cpu->close(state);
    return testkit_done();
}
