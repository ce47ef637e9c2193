/* test_record_sorts.c - the named sorts, the merge of runs and the sorts without scratch, called
 * directly with an ordo_exec of the test: every kind of record, shape and size, and several thread
 * counts. The exec has the library's threads and a pattern after each block of scratch.
 *
 * qsort gives the expected result; records that compare equal have equal bytes. */
#include "backend/backend.h"
#include "core/keybits.h"
#include "core/pool.h"
#include "cpu/sort/sort_steps.h"
#include "inputs.h"
#include "oracle.h"
#include "papers/ballot/ballot.h"
#include "papers/hybrid/hybrid.h"
#include "papers/median/median.h"
#include "papers/roughsort/roughsort.h"
#include "testkit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 200,
    POWERS = (1 << 14) + 1,
    BLOCKS = 8 /* the largest number of scratch blocks of a call */
};

/* ---- The exec of the test ---- */

typedef struct test_exec {
    ordo_exec  exec; /* first */
    ordo_pool *pool;
    atomic_int stop;
    long       polls_left; /* until the call is cancelled; negative: not cancelled */
    void      *blocks[BLOCKS];
    size_t     sizes[BLOCKS], count, taken;
    bool       refuse; /* all requests for scratch */
} test_exec;

static pthread_t caller; /* the thread that makes the calls */

static void *plain_alloc(void *user, size_t bytes) { return (void)user, malloc(bytes); }
static void  plain_release(void *user, void *block) { (void)user, free(block); }

static void count_down(void *user, double share)
{
    test_exec *const t = user;
    (void)share;
    if (t->polls_left >= 0 && t->polls_left-- == 0)
        atomic_store(&t->stop, 1);
}

static bool exec_loop(ordo_exec *exec, size_t n, size_t grain, ordo_body *body, void *arg)
{
    test_exec *const t = exec->owner;
    return ordo_pool_loop(t->pool, n, grain, body, arg, &t->stop, count_down, t);
}

static bool exec_poll(ordo_exec *exec, double share)
{
    test_exec *const t = exec->owner;
    if (pthread_equal(pthread_self(), caller))
        count_down(t, share);
    return atomic_load(&t->stop) != 0;
}

static ordo_status exec_scratch(ordo_exec *exec, size_t bytes, void **out)
{
    enum {
        GUARD = 64
    };
    test_exec *const t = exec->owner;
    if (t->refuse || t->count == BLOCKS)
        return ORDO_E_NOMEM;
    char *const block = aligned_alloc(GUARD, ordo_round_up(bytes, GUARD) + GUARD);
    if (block == NULL)
        return ORDO_E_NOMEM;
    memset(block, 0xa5, ordo_round_up(bytes, GUARD) + GUARD);
    t->blocks[t->count] = block;
    t->sizes[t->count++] = bytes;
    t->taken += bytes;
    *out = block;
    return ORDO_OK;
}

static ordo_status exec_fail(ordo_exec *exec, ordo_status status, const char *format, va_list args)
{
    (void)exec, (void)format, (void)args;
    return status;
}

static void make_exec(test_exec *t, unsigned threads)
{
    ordo_alloc const source = {plain_alloc, plain_release, NULL};
    *t = (test_exec){.exec = {.owner = t,
                              .threads = threads,
                              .loop = exec_loop,
                              .poll = exec_poll,
                              .scratch = exec_scratch,
                              .fail = exec_fail,
                              .phases = 1},
                     .polls_left = -1};
    t->pool = ordo_pool_create(&source, threads);
    if (t->pool == NULL)
        abort();
}

/* Frees the scratch. Returns false if the call has written outside of it. */
static bool drop_scratch(test_exec *t)
{
    bool intact = true;
    for (size_t i = 0; i < t->count; i++) {
        const unsigned char *const block = t->blocks[i];
        for (size_t b = t->sizes[i]; b < t->sizes[i] + 64; b++)
            intact = intact && block[b] == 0xa5;
        free(t->blocks[i]);
    }
    t->count = t->taken = 0;
    atomic_store(&t->stop, 0);
    return intact;
}

static const unsigned thread_counts[] = {1, 2, 5};
enum {
    EXECS = 3
};
static test_exec execs[EXECS];

/* ---- Records ---- */

static int compare_k32(const void *a, const void *b)
{
    record_k32 const x = *(const record_k32 *)a, y = *(const record_k32 *)b;
    return (x > y) - (x < y);
}
static int compare_k64(const void *a, const void *b)
{
    record_k64 const x = *(const record_k64 *)a, y = *(const record_k64 *)b;
    return (x > y) - (x < y);
}
static int compare_p64(const void *a, const void *b)
{
    const record_p64 *const x = a, *const y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}
static int (*const compare[RECORD_KINDS])(const void *, const void *) = {compare_k32, compare_k64,
                                                                         compare_k64, compare_p64};

enum {
    RANDOM,
    EQUAL,
    FEW,
    SORTED,
    REVERSED,
    ORGAN_PIPE,
    K_SORTED,
    ALL_ONES, /* the largest records, and others */
    SHAPES
};
static const char *const shape_names[SHAPES] = {"random",   "equal",      "few",      "sorted",
                                                "reversed", "organ pipe", "k-sorted", "all ones"};

static uint64_t draw(unsigned shape, size_t i, size_t n, test_rng *rng)
{
    switch (shape) {
    case EQUAL:
        return UINT64_C(0x1234567812345678);
    case FEW:
        return test_rng_below(rng, 7) * UINT64_C(0x0100000000010001);
    case SORTED:
        return i * UINT64_C(0x300000007);
    case REVERSED:
        return (n - i) * UINT64_C(0x300000007);
    case ORGAN_PIPE:
        return ordo_min(i, n - i) * UINT64_C(0x100000001);
    case K_SORTED:
        return i + test_rng_below(rng, 8);
    case ALL_ONES:
        return test_rng_below(rng, 2) != 0 ? UINT64_MAX : UINT64_MAX - test_rng_below(rng, 5);
    default:
        return test_rng_next(rng);
    }
}

/* indexed: the low half of a record is its index, as in an argsort; otherwise any bits. */
static void fill(enum record_kind kind, unsigned shape, bool indexed, void *records, size_t n,
                 uint64_t seed)
{
    test_rng rng = {seed};
    for (size_t i = 0; i < n; i++) {
        uint64_t const x = draw(shape, i, n, &rng);
        if (kind == RECORD_K32)
            ((record_k32 *)records)[i] = (uint32_t)(indexed ? x >> 32 : x);
        else if (kind != RECORD_P64)
            ((record_k64 *)records)[i] = indexed ? x << 32 | i : x;
        else
            ((record_p64 *)records)[i] = (record_p64){x, indexed ? i : draw(shape, n - i, n, &rng)};
    }
}

typedef struct sorter {
    const char     *name;
    cpu_records_fn *sort;
    size_t (*scratch)(const cpu_records *records);
} sorter;

static size_t no_scratch(const cpu_records *records) { return (void)records, 0; }

static size_t sample_scratch(const cpu_records *records)
{
    return cpu_records_sample_scratch(records, false);
}

static size_t intervals_scratch(const cpu_records *records)
{
    return cpu_records_sample_scratch(records, true);
}

/* With the vector sort of this CPU, if it has one. */
static ordo_status sample_of(const cpu_records *records, bool intervals, ordo_exec *exec)
{
    static void              *kernels;
    char                      why[200];
    ordo_backend_wishes const wishes = {.isa = NULL};
    if (kernels == NULL)
        TRY(ordo_cpu_backend()->open(&kernels, &wishes, why, sizeof why));
    return cpu_records_sample(records, intervals, kernels, exec);
}

static ordo_status sample_by_words(const cpu_records *records, ordo_exec *exec)
{
    return sample_of(records, false, exec);
}

static ordo_status sample_intervals(const cpu_records *records, ordo_exec *exec)
{
    return sample_of(records, true, exec);
}

static ordo_status sample_by_merging(const cpu_records *records, ordo_exec *exec)
{
    return cpu_records_sample(records, false, NULL, exec);
}

static const sorter sorters[] = {{"sample", sample_by_words, sample_scratch},
                                 {"sample, merging", sample_by_merging, sample_scratch},
                                 {"intervals", sample_intervals, intervals_scratch},
                                 {"merge", cpu_records_merge, cpu_records_merge_scratch},
                                 {"bitonic", cpu_records_bitonic, no_scratch},
                                 {"split", cpu_records_split, cpu_records_split_scratch},
                                 {"bubble", cpu_records_bubble, no_scratch},
                                 {"inplace", cpu_records_inplace, no_scratch}};
enum {
    SORTERS = sizeof sorters / sizeof *sorters,
    BUBBLE = 6
};

static guard_region area;
static void        *input, *expected;

static void try_sort(const sorter *s, enum record_kind kind, size_t n, test_exec *t)
{
    size_t const      bytes = n * record_size(kind);
    void *const       data = guard_place(&area, bytes, GUARD_END);
    cpu_records const records = {kind, data, n};
    memcpy(data, input, bytes);
    t->refuse = s->scratch == no_scratch;
    CHECK(s->sort(&records, &t->exec) == ORDO_OK);
    CHECK_BYTES(expected, data, bytes, record_size(kind));
    CHECK(t->taken <= s->scratch(&records));
    CHECK(drop_scratch(t));
    CHECK(guard_intact(&area, bytes, GUARD_END));
}

static void try_all(enum record_kind kind, unsigned shape, bool indexed, size_t n)
{
    size_t const bytes = n * record_size(kind);
    fill(kind, shape, indexed, input, n, n + shape);
    memcpy(expected, input, bytes);
    if (n > 0)
        qsort(expected, n, record_size(kind), compare[kind]);
    for (size_t s = 0; s < SORTERS; s++)
        for (size_t e = 0; e < EXECS; e++) {
            /* Bubble sort is quadratic. The other sorts use threads for every third size. */
            bool const quick = shape == SORTED || shape == K_SORTED || shape == EQUAL;
            if (s == BUBBLE && (e > 0 || (n > 2100 && !quick)))
                continue;
            if (e > 0 && n <= SMALL && (n + shape + s) % 3 != 0)
                continue;
            testkit_case("%s kind %u %s n=%zu indexed=%d threads=%u", sorters[s].name, kind,
                         shape_names[shape], n, indexed, thread_counts[e]);
            try_sort(&sorters[s], kind, n, &execs[e]);
        }
}

/* The example of the median paper: its four sorted sub-arrays, then both merges. */
static void test_paper_example(void)
{
    static const uint32_t keys[] = {41,    18467, 6334, 26500, 19169, 15724, 11478, 29358,
                                    26962, 24464, 5705, 28145, 23281, 16827, 9961,  491};
    static const uint32_t parts[] = {41,   6334,  18467, 26500, 11478, 15724, 19169, 29358,
                                     5705, 24464, 26962, 28145, 491,   9961,  16827, 23281};
    static const uint32_t merged[] = {41,    491,   5705,  6334,  9961,  11478, 15724, 16827,
                                      18467, 19169, 23281, 24464, 26500, 26962, 28145, 29358};
    uint32_t              data[16];
    cpu_records const     records = {RECORD_K32, data, 16};
    for (size_t e = 0; e < EXECS; e++)
        for (int in_pairs = 0; in_pairs < 2; in_pairs++) {
            const void *sorted = NULL;
            testkit_case("the median paper's example, in_pairs=%d", in_pairs);
            execs[e].refuse = false;
            memcpy(data, keys, sizeof data);
            CHECK(cpu_records_bitonic_parts(&records, 4, NULL, &execs[e].exec) == ORDO_OK);
            CHECK_BYTES(parts, data, sizeof data, sizeof *data);
            memcpy(data, keys, sizeof data);
            CHECK(cpu_sub_arrays(&records, 4, in_pairs != 0, &sorted, &execs[e].exec) == ORDO_OK);
            CHECK_BYTES(merged, sorted, sizeof merged, sizeof *merged);
            CHECK(drop_scratch(&execs[e]));
        }
}

static void test_sorts(void)
{
    for (size_t n = SIZE_MAX; inputs_next_size(&n, SMALL, POWERS);)
        for (unsigned kind = 0; kind < RECORD_KINDS; kind++)
            for (unsigned shape = 0; shape < SHAPES; shape++) {
                if (n > 8 && (n + shape + kind) % (TESTKIT_SANITIZED ? 7 : n > SMALL ? 2 : 1) != 0)
                    continue;
                try_all((enum record_kind)kind, shape, (n + shape) % 2 != 0, n);
            }
}

/* Large enough for several levels of recursion in the library as shipped. */
static void test_large(void)
{
#ifdef ORDO_TINY
    size_t const n = 20011;
#else
    size_t const n = TESTKIT_SANITIZED ? 70001 : 300007;
#endif
    for (unsigned kind = 0; kind < RECORD_KINDS; kind++)
        for (unsigned shape = 0; shape < SHAPES; shape++)
            if (!TESTKIT_SANITIZED || (shape + kind) % 4 == 0)
                try_all((enum record_kind)kind, shape, shape % 2 != 0, n);
}

/* ---- Runs ---- */

static void try_runs(enum record_kind kind, size_t n, size_t runs, test_exec *t, test_rng *rng)
{
    size_t const size = record_size(kind), lead = test_rng_below(rng, 3);
    size_t       bounds[66];
    bounds[0] = lead;
    for (size_t r = 1; r < runs; r++)
        bounds[r] = lead + (n > 0 ? (size_t)test_rng_below(rng, n + 1) : 0);
    bounds[runs] = lead + n;
    for (size_t r = 1; r < runs; r++) /* sorts the bounds; some runs are empty */
        for (size_t q = r; q > 1 && bounds[q] < bounds[q - 1]; q--) {
            size_t const was = bounds[q];
            bounds[q] = bounds[q - 1];
            bounds[q - 1] = was;
        }
    fill(kind, (unsigned)test_rng_below(rng, SHAPES), false, input, n + 2 * lead, n + runs);
    for (size_t r = 0; r < runs; r++)
        if (bounds[r + 1] > bounds[r])
            qsort((char *)input + bounds[r] * size, bounds[r + 1] - bounds[r], size, compare[kind]);
    memcpy(expected, input, (n + 2 * lead) * size);
    if (n > 0)
        qsort((char *)expected + lead * size, n, size, compare[kind]);

    void *const       data = guard_place(&area, (n + 2 * lead) * size, GUARD_END);
    cpu_records const records = {kind, data, n + 2 * lead};
    memcpy(data, input, (n + 2 * lead) * size);
    t->refuse = false;
    testkit_case("runs kind %u n=%zu runs=%zu threads=%u", kind, n, runs, t->exec.threads);
    CHECK(cpu_records_merge_runs(&records, bounds, runs, &t->exec) == ORDO_OK);
    CHECK_BYTES(expected, data, (n + 2 * lead) * size, size);
    CHECK(drop_scratch(t));
}

static void test_runs(test_rng *rng)
{
    static const size_t sizes[] = {0, 1, 2, 3, 10, 64, 65, 200, 999, 5000, 70000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t runs = 1; runs <= 64; runs = runs < 9 ? runs + 1 : 2 * runs - 1)
            for (unsigned kind = 0; kind < RECORD_KINDS; kind++)
                try_runs((enum record_kind)kind, sizes[i], runs, &execs[(i + runs) % EXECS], rng);
}

/* ---- Too little memory, and cancellation ---- */

static void test_refused(void)
{
    enum {
        N = 5000
    };
    for (size_t s = 0; s < SORTERS; s++)
        for (unsigned kind = 0; kind < RECORD_KINDS; kind++) {
            if (sorters[s].scratch == no_scratch)
                continue;
            size_t const      bytes = N * record_size((enum record_kind)kind);
            void *const       data = guard_place(&area, bytes, GUARD_END);
            cpu_records const records = {(enum record_kind)kind, data, N};
            fill((enum record_kind)kind, RANDOM, false, input, N, s);
            memcpy(data, input, bytes);
            execs[0].refuse = true;
            testkit_case("%s without scratch", sorters[s].name);
            CHECK(sorters[s].sort(&records, &execs[0].exec) == ORDO_E_NOMEM);
            CHECK_BYTES(input, data, bytes, record_size((enum record_kind)kind));
        }
}

static void test_cancel(void)
{
    enum {
        N = 200000
    };
    for (size_t s = 0; s < SORTERS; s++)
        for (size_t e = 0; e < EXECS; e++)
            for (long polls = 0; polls < 4; polls++) {
                void *const       data = guard_place(&area, N * sizeof(record_k64), GUARD_END);
                cpu_records const records = {RECORD_K64, data, N};
                fill(RECORD_K64, RANDOM, false, data, N, s);
                execs[e].refuse = false;
                execs[e].polls_left = polls;
                testkit_case("%s cancelled after %ld, threads=%u", sorters[s].name, polls,
                             thread_counts[e]);
                ordo_status const status = sorters[s].sort(&records, &execs[e].exec);
                /* A stop may come after the last step, but not go unnoticed before it. */
                bool const sorted = oracle_first_violation(ORDO_U64, data, N, false) == N;
                CHECK(status == ORDO_E_CANCELLED || sorted);
                CHECK(status == ORDO_E_CANCELLED || e > 0);
                execs[e].polls_left = -1;
                CHECK(drop_scratch(&execs[e]));
            }
}

/* ---- Argsort and pairs without scratch ---- */

static void try_argsort(ordo_type type, size_t shape, size_t n, bool desc, test_exec *t)
{
    size_t *const order = expected;
    size_t const  key_size = ordo_type_size(type);
    ordo_type     index_type = (n + shape) % 2 != 0 ? ORDO_U32 : ORDO_U64;
    size_t const  index_size = ordo_type_size(index_type);
    inputs_fill(shape, type, input, n, n);
    void *const            index = guard_place(&area, n * index_size, GUARD_END);
    ordo_argsort_job const job = {.type = type,
                                  .keys = input,
                                  .n = n,
                                  .descending = desc,
                                  .index_type = index_type,
                                  .index = index};
    t->refuse = true;
    testkit_case("argsort %s n=%zu %s desc=%d threads=%u", ordo_type_name(type), n,
                 inputs_name(shape), desc, t->exec.threads);
    CHECK(cpu_argsort_inplace(&job, &t->exec) == ORDO_OK);
    /* Sorted keys with ties by index, and indices below n: a permutation. */
    bool   ok = true;
    size_t before = 0;
    for (size_t i = 0; i < n; i++) {
        size_t const at =
            index_size == 4 ? ((const uint32_t *)index)[i] : (size_t)((const uint64_t *)index)[i];
        ok = ok && at < n;
        if (!ok)
            break;
        if (i > 0) {
            int const c = oracle_compare(type, input, before, input, at, desc);
            ok = c < 0 || (c == 0 && before < at);
        }
        order[i] = before = at;
    }
    CHECK(ok);

    /* The values identify their keys. */
    size_t const value_size = 1 + (n + shape) % 16;
    char *const values = malloc(n * value_size + 1), *const keys = malloc(n * key_size + 1);
    char *const want = malloc(n * (value_size + key_size) + 1);
    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; b < value_size; b++)
            values[i * value_size + b] = (char)((i * 2654435761u) >> (8 * (b % 4)) ^ b);
    memcpy(keys, input, n * key_size);
    for (size_t i = 0; i < n && ok; i++) {
        memcpy(want + i * value_size, values + order[i] * value_size, value_size);
        memcpy(want + n * value_size + i * key_size, keys + order[i] * key_size, key_size);
    }
    ordo_pairs_job const pairs = {
        {.type = type, .keys = keys, .n = n, .descending = desc}, values, value_size};
    testkit_case("pairs %s n=%zu %s desc=%d value_size=%zu threads=%u", ordo_type_name(type), n,
                 inputs_name(shape), desc, value_size, t->exec.threads);
    CHECK(cpu_pairs_inplace(&pairs, &t->exec) == ORDO_OK);
    CHECK_BYTES(want, values, n * value_size, value_size);
    CHECK_BYTES(want + n * value_size, keys, n * key_size, key_size);
    CHECK(drop_scratch(t));
    free(values);
    free(keys);
    free(want);
}

static void test_inplace_keys(void)
{
    for (size_t n = SIZE_MAX; inputs_next_size(&n, 70, 4097);)
        for (size_t type = 0; type < INPUTS_TYPES; type++) {
            if (TESTKIT_SANITIZED && (n + type) % 4 != 0)
                continue;
            try_argsort(inputs_types[type], (n + type) % inputs_count(), n, (n + type) % 3 == 0,
                        &execs[(n + type) % EXECS]);
        }
    for (size_t shape = 0; shape < inputs_count(); shape++)
        for (size_t type = 0; type < INPUTS_TYPES; type += 1 + 2 * TESTKIT_SANITIZED)
            try_argsort(inputs_types[type], shape, 1500, type % 2 != 0, &execs[shape % EXECS]);
    try_argsort(ORDO_F32, 0, 100001, false, &execs[1]);
    try_argsort(ORDO_U8, 0, 100001, true, &execs[2]);
}

int main(void)
{
    testkit_start();
    test_rng rng = {7};
    caller = pthread_self();
    for (size_t e = 0; e < EXECS; e++)
        make_exec(&execs[e], thread_counts[e]);
    area = guard_make(sizeof(record_p64) * 600000);
    input = malloc(sizeof(record_p64) * 600000);
    expected = malloc(sizeof(record_p64) * 600000);

    test_paper_example();
    test_sorts();
    test_large();
    test_runs(&rng);
    test_refused();
    test_cancel();
    test_inplace_keys();

    free(input);
    free(expected);
    guard_free(&area);
    for (size_t e = 0; e < EXECS; e++)
        ordo_pool_free(execs[e].pool);
    return testkit_done();
}
