/* test_rough.c - the sorts of nearly sorted keys and records against a simple sort: every type and
 * direction, radii from 1 to n, a radius that is too small, too large or not given, several thread
 * counts, inaccessible pages, too little memory, and cancellation. The test calls internal
 * functions with its own ordo_exec. */
#define _POSIX_C_SOURCE 200809L
#include "core/pool.h"
#include "cpu/rough/rough.h"
#include "cpu/sort/sort_steps.h"
#include "inputs.h"
#include "oracle.h"
#include "papers/roughsort/roughsort.h"
#include "testkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    LARGE = 150001,
    MAX_THREADS = 8
};

/* ---- Threads and scratch ---- */

typedef struct test_exec {
    ordo_exec  exec; /* first member */
    ordo_pool *pool;
    atomic_int stop;
    size_t     limit, taken;
    void      *blocks[64];
    size_t     count;
} test_exec;

static void no_tick(void *user, double share) { (void)user, (void)share; }

static bool test_loop(ordo_exec *exec, size_t n, size_t grain, ordo_body *body, void *arg)
{
    test_exec *const own = exec->owner;
    return ordo_pool_loop(own->pool, n, grain, body, arg, &own->stop, no_tick, own);
}

static bool test_poll(ordo_exec *exec, double share)
{
    test_exec *const own = exec->owner;
    (void)share;
    return atomic_load(&own->stop) != 0;
}

static ordo_status test_scratch(ordo_exec *exec, size_t bytes, void **out)
{
    test_exec *const own = exec->owner;
    own->taken += bytes;
    if (own->limit != 0 && own->taken > own->limit)
        return ORDO_E_NOMEM;
    *out = aligned_alloc(64, (bytes + 127) / 64 * 64);
    memset(*out, 0xee, bytes);
    own->blocks[own->count++] = *out;
    return ORDO_OK;
}

static ordo_status test_fail(ordo_exec *exec, ordo_status status, const char *format, va_list args)
{
    (void)exec, (void)format, (void)args;
    return status;
}

static void *plain_alloc(void *user, size_t bytes) { return (void)user, malloc(bytes); }
static void  plain_release(void *user, void *block) { (void)user, free(block); }

static test_exec execs[MAX_THREADS + 1];

static void execs_make(void)
{
    ordo_alloc const source = {plain_alloc, plain_release, NULL};
    for (unsigned threads = 1; threads <= MAX_THREADS; threads++) {
        execs[threads].exec = (ordo_exec){.owner = &execs[threads],
                                          .threads = threads,
                                          .loop = test_loop,
                                          .poll = test_poll,
                                          .scratch = test_scratch,
                                          .fail = test_fail,
                                          .phases = 1};
        execs[threads].pool = ordo_pool_create(&source, threads);
        CHECK(execs[threads].pool != NULL);
    }
}

static ordo_exec *exec_start(unsigned threads, size_t limit)
{
    test_exec *const own = &execs[threads];
    own->limit = limit;
    own->taken = 0;
    own->exec.phase = 0;
    own->exec.phases = 1;
    atomic_store(&own->stop, 0);
    return &own->exec;
}

static void exec_end(unsigned threads)
{
    test_exec *const own = &execs[threads];
    while (own->count > 0)
        free(own->blocks[--own->count]);
}

static void slow_sort(ordo_type type, void *keys, size_t n, bool desc)
{
    size_t const bytes = n * ordo_type_size(type);
    void *const  copy = test_need(bytes);
    memcpy(copy, keys, bytes);
    oracle_sort(type, copy, n, desc, keys);
    free(copy);
}

/* ---- Kernels ---- */

static int by_u32(const void *a, const void *b)
{
    uint32_t const x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int by_u64(const void *a, const void *b)
{
    uint64_t const x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void words_32(void *words, void *spare, size_t n, void *to, unsigned bits,
                     const cpu_words_map *map)
{
    (void)spare, (void)bits, (void)map;
    qsort(words, n, sizeof(uint32_t), by_u32);
    memmove(to, words, n * sizeof(uint32_t));
}

static void words_64(void *words, void *spare, size_t n, void *to, unsigned bits,
                     const cpu_words_map *map)
{
    (void)spare, (void)bits, (void)map;
    qsort(words, n, sizeof(uint64_t), by_u64);
    memmove(to, words, n * sizeof(uint64_t));
}

/* Tells that vectors can be compressed; windows do not call it. */
static size_t no_split(const void *in, size_t n, const uint64_t *words, void *first, void *second)
{
    (void)in, (void)n, (void)words, (void)first, (void)second;
    abort();
}

static cpu_kernels with_words; /* every machine tests the windows that vectors sort */

/* One of the tables that this CPU can run. */
static const cpu_kernels *draw_kernels(test_rng *rng)
{
    const cpu_kernels *of[4] = {&cpu_kernels_generic, &with_words};
    size_t             count = 2;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        of[count++] = &cpu_kernels_avx2;
    if (__builtin_cpu_supports("avx512vpopcntdq"))
        of[count++] = &cpu_kernels_avx512;
#endif
    with_words = cpu_kernels_generic;
    with_words.sort_words[CPU_WORDS_32] = words_32;
    with_words.sort_words[CPU_WORDS_64] = words_64;
    with_words.split[CPU_WIDTH_32] = with_words.split[CPU_WIDTH_64] = no_split;
    with_words.most_words[CPU_WORDS_32] = with_words.most_words[CPU_WORDS_64] = 1 << 20;
    return of[test_rng_below(rng, count)];
}

/* ---- Inputs ---- */

/* Shuffles blocks of k + 1 keys of a sorted array. */
static void disturb(test_rng *rng, unsigned char *keys, size_t size, size_t n, size_t k)
{
    unsigned char key[16];
    for (size_t begin = 0; begin < n; begin += k + 1) {
        size_t const count = n - begin < k + 1 ? n - begin : k + 1;
        for (size_t i = count; i > 1; i--) {
            size_t const j = test_rng_below(rng, i);
            memcpy(key, keys + (begin + i - 1) * size, size);
            memcpy(keys + (begin + i - 1) * size, keys + (begin + j) * size, size);
            memcpy(keys + (begin + j) * size, key, size);
        }
    }
}

/* ---- Keys ---- */

static guard_region  region;
static unsigned char expected[LARGE * 16], saved[LARGE * 16];

static void try_keys(test_rng *rng, ordo_type type, size_t n, size_t k, size_t told, bool desc,
                     guard_side side)
{
    size_t const         size = ordo_type_size(type), bytes = n * size;
    unsigned const       threads = (unsigned)(1 + test_rng_below(rng, MAX_THREADS));
    unsigned char *const keys = guard_place(&region, bytes, side);
    size_t               radius = SIZE_MAX;

    const cpu_kernels *const kernels = draw_kernels(rng);
    inputs_fill(test_rng_below(rng, inputs_count()), type, keys, n, k);
    slow_sort(type, keys, n, desc);
    memcpy(expected, keys, bytes);
    disturb(rng, keys, size, n, k);
    testkit_case("%s n=%zu k=%zu told %zu %s threads=%u %s%s", ordo_type_name(type), n, k, told,
                 desc ? "desc" : "asc", threads, kernels->isa,
                 kernels == &with_words ? " with words" : "");

    ordo_sort_job const job = {.type = type,
                               .keys = keys,
                               .n = n,
                               .descending = desc,
                               .algorithm = ORDO_ALGORITHM_WINDOWS,
                               .radius = told};
    memcpy(saved, keys, bytes);
    if (n <= 300) {
        CHECK_STATUS(ORDO_OK, cpu_radius_bits(kernels, &job, &radius, exec_start(threads, 0)),
                     NULL);
        exec_end(threads);
        CHECK_EQ_U64(oracle_radius_total(type, keys, n, desc), radius);
    }
    CHECK_STATUS(ORDO_OK, cpu_sort((void *)kernels, &job, exec_start(threads, 0)), NULL);
    if (told == 0)
        CHECK(execs[threads].taken <= cpu_sort_scratch(&job, &execs[threads].exec));
    exec_end(threads);
    CHECK_BYTES(expected, keys, bytes, size);
    CHECK(guard_intact(&region, bytes, side));

    if (told > 0 &&
        size >= 4) { /* a single try: the array is sorted if and only if the try says so */
        bool sorted = false;
        memcpy(keys, saved, bytes);
        CHECK_STATUS(ORDO_OK, cpu_rough_try(kernels, &job, told, &sorted, exec_start(threads, 0)),
                     NULL);
        CHECK(execs[threads].taken <= cpu_rough_try_scratch(&job, told, threads));
        exec_end(threads);
        CHECK(sorted || told < k);
        CHECK(sorted == (bytes == 0 || memcmp(expected, keys, bytes) == 0));
        slow_sort(type, keys, n, desc);
        CHECK_BYTES(expected, keys, bytes, size);
    }
}

static void test_keys(test_rng *rng, size_t n, size_t draws)
{
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t i = 0; i < draws; i++) {
            size_t const k = 1 + test_rng_below(rng, i % 3 == 0 ? n + 1 : 40);
            size_t const told = i % 4 == 0   ? 0
                                : i % 4 == 1 ? 1 + test_rng_below(rng, k)
                                : i % 4 == 2 ? k
                                             : k + test_rng_below(rng, 2 * n + 1);
            try_keys(rng, inputs_types[t], n, k, told, test_rng_below(rng, 2) != 0,
                     (guard_side)test_rng_below(rng, 2));
        }
}

/* ---- Records ---- */

static int by_record(const void *a, const void *b)
{
    const record_p64 *const x = a, *const y = b;
    return record_less_p64(*y, *x) - record_less_p64(*x, *y);
}

static void fill_records(test_rng *rng, const cpu_records *records)
{
    uint64_t const values = 1 + test_rng_below(rng, 3 * records->n + 1);
    for (size_t i = 0; i < records->n; i++) {
        uint64_t const key = test_rng_below(rng, values);
        if (records->kind == RECORD_K32)
            ((uint32_t *)records->array)[i] = (uint32_t)key;
        else if (records->kind != RECORD_P64)
            ((uint64_t *)records->array)[i] = key << 32 | i;
        else
            ((record_p64 *)records->array)[i] = (record_p64){key << 40, i};
    }
    if (records->kind == RECORD_P64)
        qsort(records->array, records->n, sizeof(record_p64), by_record);
    else
        slow_sort(records->kind == RECORD_K32 ? ORDO_U32 : ORDO_U64, records->array, records->n,
                  false);
}

static void test_records(test_rng *rng, size_t n, size_t draws)
{
    for (enum record_kind kind = RECORD_K32; kind < RECORD_KINDS; kind++)
        for (size_t i = 0; i < draws; i++) {
            size_t const      size = record_size(kind), bytes = n * size;
            size_t const      k = 1 + test_rng_below(rng, i % 2 ? n + 1 : 20);
            size_t const      told = i % 3 == 0 ? 0 : i % 3 == 1 ? k : 1 + test_rng_below(rng, k);
            unsigned const    threads = (unsigned)(1 + test_rng_below(rng, MAX_THREADS));
            guard_side const  side = (guard_side)(i % 2);
            cpu_records const records = {kind, guard_place(&region, bytes, side), n};

            const cpu_kernels *const kernels = draw_kernels(rng);
            fill_records(rng, &records);
            memcpy(expected, records.array, bytes);
            disturb(rng, records.array, size, n, k);
            memcpy(saved, records.array, bytes);
            testkit_case("records of %zu bytes n=%zu k=%zu told %zu threads=%u %s%s", size, n, k,
                         told, threads, kernels->isa, kernels == &with_words ? " with words" : "");
            CHECK_STATUS(ORDO_OK,
                         cpu_records_windows(&records, kernels, told, exec_start(threads, 0)),
                         NULL);
            if (told == 0)
                CHECK(execs[threads].taken <= cpu_records_windows_scratch(kind, n, threads));
            exec_end(threads);
            CHECK_BYTES(expected, records.array, bytes, size);
            memcpy(records.array, saved, bytes);
            CHECK_STATUS(ORDO_OK, cpu_records_halving(&records, told, exec_start(threads, 0)),
                         NULL);
            CHECK(execs[threads].taken <= cpu_records_halving_scratch(&records));
            exec_end(threads);
            CHECK_BYTES(expected, records.array, bytes, size);
            memcpy(records.array, saved, bytes);
            CHECK_STATUS(ORDO_OK, cpu_records_rough(&records, told, exec_start(threads, 0)), NULL);
            CHECK(execs[threads].taken <= (told == 0 ? cpu_records_halving_scratch(&records) : 0));
            exec_end(threads);
            CHECK_BYTES(expected, records.array, bytes, size);
            CHECK(guard_intact(&region, bytes, side));
        }
}

/* Every shape, among them inputs against a quickselect that takes the median of three. */
static void test_hostile(size_t n)
{
    uint32_t *const keys = guard_place(&region, n * sizeof *keys, GUARD_END);
    for (unsigned shape = 0; shape < inputs_count(); shape++) {
        cpu_records const records = {RECORD_K32, keys, n};
        inputs_fill(shape, ORDO_U32, keys, n, shape);
        memcpy(expected, keys, n * sizeof *keys);
        slow_sort(ORDO_U32, expected, n, false);
        testkit_case("halving of %s n=%zu", inputs_name(shape), n);
        CHECK_STATUS(ORDO_OK, cpu_records_halving(&records, 0, exec_start(4, 0)), NULL);
        exec_end(4);
        CHECK_BYTES(expected, keys, n * sizeof *keys, sizeof *keys);
    }
}

/* ---- Too little memory, and cancellation ---- */

/* Without enough scratch, keys are sorted or unchanged. */
static void test_refused(test_rng *rng, size_t n)
{
    static const size_t told[] = {0, 1, 3, 16, 40, 2000};
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t i = 0; i < sizeof told / sizeof *told; i++)
            for (size_t limit = 1; limit < 16 * n; limit *= 7) {
                ordo_type const      type = inputs_types[t];
                size_t const         size = ordo_type_size(type);
                unsigned char *const keys = guard_place(&region, n * size, GUARD_END);
                ordo_sort_job const  job = {.type = type,
                                            .keys = keys,
                                            .n = n,
                                            .algorithm = ORDO_ALGORITHM_WINDOWS,
                                            .radius = told[i]};
                inputs_fill(test_rng_below(rng, inputs_count()), type, keys, n, i);
                slow_sort(type, keys, n, false);
                memcpy(expected, keys, n * size);
                disturb(rng, keys, size, n, 1 + test_rng_below(rng, n));
                memcpy(saved, keys, n * size);
                testkit_case("%s limit %zu told %zu", ordo_type_name(type), limit, told[i]);
                ordo_status const status =
                    cpu_sort((void *)&cpu_kernels_generic, &job, exec_start(3, limit));
                exec_end(3);
                CHECK(status == ORDO_OK || status == ORDO_E_NOMEM);
                CHECK_BYTES(status == ORDO_OK ? expected : saved, keys, n * size, size);
            }
}

static void test_cancelled(void)
{
    uint32_t *const   keys = guard_place(&region, LARGE * sizeof *keys, GUARD_END);
    cpu_records const records = {RECORD_K32, keys, LARGE};
    size_t const      radii[] = {0, 4, 300};
    for (size_t i = 0; i < 3; i++) {
        testkit_case("cancelled, radius %zu", radii[i]);
        inputs_fill(0, ORDO_U32, keys, LARGE, i);
        ordo_exec *exec = exec_start(2, 0);
        atomic_store(&execs[2].stop, 1);
        CHECK_STATUS(ORDO_E_CANCELLED, cpu_records_windows(&records, NULL, radii[i], exec), NULL);
        CHECK_STATUS(ORDO_E_CANCELLED, cpu_records_rough(&records, radii[i], exec), NULL);
        CHECK_STATUS(ORDO_E_CANCELLED, cpu_records_halving(&records, radii[i], exec), NULL);
        exec_end(2);
    }
}

int main(void)
{
    test_rng rng = {31};
    testkit_start();
    region = guard_make(LARGE * 16);
    execs_make();

    for (size_t n = 0; n <= 260; n += TESTKIT_SANITIZED ? 7 : 1)
        test_keys(&rng, n, TESTKIT_SANITIZED ? 4 : 12);
    for (size_t n = 0; n <= 200; n += TESTKIT_SANITIZED ? 5 : 1)
        test_records(&rng, n, 6);
    test_keys(&rng, 3001, TESTKIT_SANITIZED ? 4 : 24);
    test_records(&rng, 3001, TESTKIT_SANITIZED ? 6 : 24);
    test_keys(&rng, LARGE, TESTKIT_SANITIZED ? 1 : 4);
    test_records(&rng, LARGE, TESTKIT_SANITIZED ? 1 : 4);
    test_hostile(5000);
    test_hostile(TESTKIT_SANITIZED ? 20000 : 100000);
    test_refused(&rng, 700);
    test_cancelled();

    for (unsigned threads = 1; threads <= MAX_THREADS; threads++)
        ordo_pool_free(execs[threads].pool);
    guard_free(&region);
    return testkit_done();
}
