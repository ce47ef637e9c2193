/* testkit.h - helpers of every test: counted checks, memory between inaccessible pages, an
 * allocator that fails on demand, random numbers, and a context for each ISA and thread count.
 *
 * A test is a program: testkit_start(), checks, return testkit_done(). A failed check prints its
 * place and its values, and the program continues; after 20 failures only the count grows. Only
 * one thread at a time may use checks. */
#ifndef ORDO_TESTS_TESTKIT_H
#define ORDO_TESTS_TESTKIT_H

#include "core/lists.h"
#include "ordo.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__has_feature)
#define TESTKIT_FEATURE(name) __has_feature(name)
#else
#define TESTKIT_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || TESTKIT_FEATURE(address_sanitizer)
#define TESTKIT_ASAN 1
#else
#define TESTKIT_ASAN 0
#endif
#if defined(__SANITIZE_THREAD__) || TESTKIT_FEATURE(thread_sanitizer)
#define TESTKIT_TSAN 1
#else
#define TESTKIT_TSAN 0
#endif
/* A function whose memory only the test's own thread uses: ThreadSanitizer need not watch it. */
#define TESTKIT_UNWATCHED __attribute__((no_sanitize("thread")))
#ifdef TESTKIT_FEWER /* set by the build for tests on a GPU, where calls are slow, too */
#define TESTKIT_SANITIZED 1
#else
#define TESTKIT_SANITIZED (TESTKIT_ASAN || TESTKIT_TSAN) /* calls are slow: tests make fewer */
#endif

#ifndef TEST_PLUGINS
#define TEST_PLUGINS "plugins" /* folder of the shared objects of tests/plugins; set by the build */
#endif
#define USE_PLUGIN(name) setenv("ORDO_BACKEND_DIR", TEST_PLUGINS "/" name, 1)

/* Unsets the ORDO_* variables, so that a test sees the same library everywhere. With
 * ORDO_TEST_DEVICE=cuda all contexts use the GPU for host arrays; without a GPU the test then ends
 * here as skipped. */
void testkit_start(void);
bool testkit_on_device(void);

/* Whether to run this case of nested loops. On a device and under ThreadSanitizer, where calls are
 * slow, only one of `one_of` cases runs; elsewhere, and with ORDO_TEST_BIG=1, every case runs.
 * `one_of` is prime to the lengths of the inner loops, so that all pairs of values still meet. */
bool testkit_run_case(size_t one_of);

/* Prints 'N passed, N failed' (and the number skipped), frees the memory of test_keep and the
 * contexts of test_contexts_start, and returns the exit status of the test: 0; 1 if a check failed
 * or none was made; 77 if everything was skipped. */
int testkit_done(void);

/* Names the current case. The name is printed with every later failure. */
__attribute__((format(printf, 1, 2))) void testkit_case(const char *format, ...);

/* Counts a part of the test that cannot run here and prints the reason. */
__attribute__((format(printf, 1, 2))) void testkit_skip(const char *format, ...);

/* Bytes of memory that programs may still use. */
size_t testkit_free_memory(void);

bool testkit_check(bool ok, const char *file, int line, const char *what);
bool testkit_check_u64(uint64_t expected, uint64_t got, const char *file, int line,
                       const char *what);
bool testkit_check_status(ordo_status expected, ordo_status got, const ordo_ctx *ctx,
                          const char *file, int line, const char *what);
bool testkit_check_bytes(const void *expected, const void *got, size_t bytes, size_t item,
                         const char *file, int line, const char *what);

#define CHECK(cond) testkit_check((cond), __FILE__, __LINE__, #cond)
#define CHECK_EQ_U64(expected, got)                                                                \
    testkit_check_u64((uint64_t)(expected), (uint64_t)(got), __FILE__, __LINE__, #got)
#define CHECK_STATUS(expected, call, ctx)                                                          \
    testkit_check_status((expected), (call), (ctx), __FILE__, __LINE__, #call)
/* The bytes are equal. A failure prints the index of the first different item of `item` bytes. */
#define CHECK_BYTES(expected, got, bytes, item)                                                    \
    testkit_check_bytes((expected), (got), (bytes), (item), __FILE__, __LINE__, #got)

/* ---- Random numbers, the same on every machine ---- */

typedef struct test_rng {
    uint64_t state;
} test_rng;

uint64_t test_rng_next(test_rng *rng);
uint64_t test_rng_below(test_rng *rng, uint64_t bound); /* bound > 0 */

/* ---- Memory ---- */

/* Zeroed memory; the test ends if there is none. The caller frees it, or testkit_done does. */
void *test_need(size_t bytes);
void *test_keep(size_t bytes);

/* How many of the bytes differ from `value`. */
size_t test_bytes_not(const void *bytes, size_t count, unsigned char value);

/* ---- Memory between inaccessible pages ---- */

typedef enum guard_side {
    GUARD_END,  /* an inaccessible page follows the array   */
    GUARD_START /* an inaccessible page precedes the array */
} guard_side;

typedef struct guard_region {
    unsigned char *map;
    size_t         map_bytes;
    unsigned char *data; /* `bytes` usable bytes between two inaccessible pages */
    size_t         bytes;
} guard_region;

guard_region guard_make(size_t bytes); /* the test ends if there is no memory */
void         guard_free(guard_region *region);
void         guard_readonly(guard_region *region, bool readonly);

/* Places an array at one end of the region, which holds one array at a time. The free bytes beside
 * the array get a pattern; guard_intact tells whether the pattern is unchanged. */
void *guard_place(const guard_region *region, size_t bytes, guard_side side);
bool  guard_intact(const guard_region *region, size_t bytes, guard_side side);

typedef struct guard_block {
    guard_region region;
    void        *data;
} guard_block;

guard_block guard_alloc(size_t bytes, guard_side side);

/* ---- An allocator that counts and fails ---- */

typedef struct test_allocator {
    atomic_size_t calls;    /* allocations asked for                       */
    atomic_size_t live;     /* blocks that are not released yet            */
    atomic_size_t refused;  /* allocations that failed                     */
    size_t        fail_at;  /* this allocation and all later fail; 0: none */
    bool          only_one; /* only that allocation fails                  */
} test_allocator;

void *test_alloc(void *allocator, size_t bytes);
void  test_release(void *allocator, void *block);

/* ---- Contexts ---- */

typedef struct test_context {
    ordo_ctx *ctx;
    char      isa[16];
    unsigned  threads;
} test_context;

enum {
    TEST_MAX_THREADS = 8,
    TEST_MAX_CONTEXTS = 4 * TEST_MAX_THREADS
};

/* One context for each ISA of this machine and each number of threads, grouped by ISA; two
 * contexts on a device. test_contexts_start makes them, testkit_done frees them. */
extern test_context contexts[TEST_MAX_CONTEXTS];
extern size_t       context_count;
void                test_contexts_start(void);

/* The seed of contexts made from now on. 0, the default, gives each call a new seed. */
void testkit_seed(uint64_t seed);

/* testkit_case for keys of a type and direction in a context; `what` describes the keys. */
void testkit_case_keys(const char *what, ordo_type type, size_t n, bool desc,
                       const test_context *with);

const test_context *next_context(void); /* each of them in turn */
const test_context *any_context(test_rng *rng);

/* A context with that many threads; the test ends if there is none. */
ordo_ctx *test_context_make(unsigned threads);

/* A new context, CONTEXT(.threads = 2, .mem_limit = 1000), as a check; NULL if it fails. */
ordo_ctx *test_context_checked(const ordo_ctx_opts *opts, const char *file, int line);
#define CONTEXT(...)                                                                               \
    test_context_checked(&ORDO_OPTS(ordo_ctx_opts, __VA_ARGS__), __FILE__, __LINE__)
/* The options that make a context use a test_allocator. */
#define ALLOCATOR(a) .alloc = test_alloc, .release = test_release, .alloc_user = (a)

/* What the context says about itself and about its last call. */
ordo_info   info_of(ordo_ctx *ctx);
ordo_report report_of(const ordo_ctx *ctx);

/* Checks the status of a call with a memory limit (0: none) whose scratch query returned `enough`:
 * the call succeeded within both, or failed with ORDO_E_NOMEM below `enough`. Returns whether the
 * call succeeded. */
bool test_check_limited(const ordo_ctx *ctx, ordo_status status, const char *operation,
                        size_t limit, size_t enough);

/* A comparison for calls that must not compare: it is a failed check. */
ordo_compare_fn test_never_compare;

double test_now(void); /* seconds of a monotonic clock */

/* Whether limits on elapsed time are checked: only with ORDO_TEST_TIMES=1, on an idle machine.
 * Every other check must also hold on a busy machine. */
bool test_times_count(void);

/* Seconds of CPU time of this process. */
double test_cpu_seconds(void);

#endif
