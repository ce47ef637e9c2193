/* test_papers.c - the CPU backend with and without the table of the papers' algorithms: without it
 * a named algorithm is refused, its size query returns, and the caller's arrays are unchanged. And
 * Table I of the ranking paper: the operator of its prefix computation is associative. */
#include "backend/backend.h"
#include "papers/ranking/rank_operator.h"
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

/* Checks a call; `result` has N elements and becomes `wanted`; without papers it stays the same. */
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

/* ---- The operator of the ranking paper ---- */

typedef struct element {
    uint64_t datum, rank;
} element;

static element joined(element i, element j)
{
    return (element){j.datum, rank_joined(i.datum == j.datum, i.rank, j.rank)};
}

/* Both groupings of three elements with ascending data give the entry of Table I. */
static void try_elements(const uint64_t data[3], const uint64_t ranks[3])
{
    element const  a = {data[0], ranks[0]}, b = {data[1], ranks[1]}, c = {data[2], ranks[2]};
    element const  left = joined(joined(a, b), c), right = joined(a, joined(b, c));
    uint64_t const expected = data[1] != data[2] ? c.rank : data[0] != data[1] ? b.rank : a.rank;
    CHECK_EQ_U64(c.datum, left.datum);
    CHECK_EQ_U64(c.datum, right.datum);
    CHECK_EQ_U64(expected, left.rank);
    CHECK_EQ_U64(expected, right.rank);
}

/* The same for words with every combination of flags. */
static void try_words(const uint64_t ranks[3])
{
    for (uint64_t flags = 0; flags < 8; flags++) {
        uint64_t wide[3];
        uint32_t narrow[3];
        for (unsigned i = 0; i < 3; i++) {
            wide[i] = (ranks[i] & INT64_MAX) | (flags >> i & 1) << 63;
            narrow[i] = ((uint32_t)ranks[i] & INT32_MAX) | (uint32_t)(flags >> i & 1) << 31;
        }
        unsigned const last = (flags & 4) != 0 ? 2 : (flags & 2) != 0 ? 1 : 0;
        CHECK_EQ_U64(wide[last],
                     rank_words_joined_64(rank_words_joined_64(wide[0], wide[1]), wide[2]));
        CHECK_EQ_U64(wide[last],
                     rank_words_joined_64(wide[0], rank_words_joined_64(wide[1], wide[2])));
        CHECK_EQ_U64(narrow[last],
                     rank_words_joined_32(rank_words_joined_32(narrow[0], narrow[1]), narrow[2]));
        CHECK_EQ_U64(narrow[last],
                     rank_words_joined_32(narrow[0], rank_words_joined_32(narrow[1], narrow[2])));
    }
}

static void test_table_1(test_rng *rng)
{
    static const uint64_t extreme[] = {0,         1,          INT32_MAX, UINT32_MAX,
                                       INT64_MAX, UINT64_MAX, 2,         UINT64_MAX - 1};
    enum {
        EXTREMES = sizeof extreme / sizeof *extreme,
        CASES = EXTREMES * EXTREMES * EXTREMES
    };
    for (size_t i = 0; i < 2 * CASES; i++) {
        uint64_t const ranks[] = {
            i < CASES ? extreme[i % EXTREMES] : test_rng_below(rng, UINT64_MAX),
            i < CASES ? extreme[i / EXTREMES % EXTREMES] : test_rng_below(rng, UINT64_MAX),
            i < CASES ? extreme[i / EXTREMES / EXTREMES] : test_rng_below(rng, UINT64_MAX)};
        testkit_case("Table I, case %zu", i);
        for (uint64_t least = 0; least < 2; least++)
            for (uint64_t ties = 0; ties < 4; ties++) {
                uint64_t const first = least == 0 ? 0 : UINT64_MAX - 2;
                uint64_t const second = first + (ties & 1);
                try_elements((uint64_t[]){first, second, second + (ties >> 1)}, ranks);
            }
        try_words(ranks);
    }
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
    test_table_1(&rng);
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
