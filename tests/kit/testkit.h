/* testkit.h - what every test uses: checks that count, memory with forbidden neighbours, an
 * allocator that fails on demand, random numbers, and one context for each ISA and thread count.
 *
 * A test is a program: testkit_start(), checks, return testkit_done(). A failed check prints
 * where and why and the program goes on; after a while only the count goes on. Checks may be
 * used by one thread at a time. */
#ifndef ORDO_TESTS_TESTKIT_H
#define ORDO_TESTS_TESTKIT_H

#include "ordo.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__SANITIZE_ADDRESS__)
#define TESTKIT_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define TESTKIT_TSAN 1
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TESTKIT_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define TESTKIT_TSAN 1
#endif
#endif
#if defined(TESTKIT_ASAN) || defined(TESTKIT_TSAN) || defined(TESTKIT_FEWER)
#define TESTKIT_SANITIZED 1 /* each call is slow, on a GPU too: tests make fewer */
#else
#define TESTKIT_SANITIZED 0
#endif

/* Forgets ORDO_* of the environment, so that a test sees the same library everywhere. With
 * ORDO_TEST_DEVICE=cuda all contexts are made for the GPU, which gets the arrays of the host; if
 * there is none, the test ends here as skipped. */
void testkit_start(void);
bool testkit_on_device(void);

/* Whether to make this case of nested loops: on a device, where each call goes to the GPU and
 * back, and under ThreadSanitizer, which looks for races and not for wrong answers, every `of`th
 * one; elsewhere, and with ORDO_TEST_BIG=1, all. `of` is prime to the lengths of the inner loops,
 * so that over the outer ones all pairs of choices meet. */
bool testkit_turn(size_t of);

/* Prints 'N passed, N failed' (and what was skipped) and returns the exit status of the test:
 * 0, 1 if a check failed or none was made, 77 if all was skipped. */
int testkit_done(void);

/* Says, in front of every later failure, which case is being tested. */
__attribute__((format(printf, 1, 2))) void testkit_case(const char *format, ...);

/* A part of the test cannot run here; the reason is printed and counted. */
__attribute__((format(printf, 1, 2))) void testkit_skip(const char *format, ...);

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
/* The bytes are the same; `item` bytes belong together and a difference is told by its index. */
#define CHECK_BYTES(expected, got, bytes, item)                                                    \
    testkit_check_bytes((expected), (got), (bytes), (item), __FILE__, __LINE__, #got)

/* ---- Random numbers: the same on every machine ------------------------------------------- */

typedef struct test_rng {
    uint64_t state;
} test_rng;

uint64_t test_rng_next(test_rng *rng);
uint64_t test_rng_below(test_rng *rng, uint64_t bound); /* bound > 0 */

/* ---- Guarded memory ----------------------------------------------------------------------- */

typedef enum guard_side {
    GUARD_END,  /* the array ends where a forbidden page begins   */
    GUARD_START /* the array begins where a forbidden page ends   */
} guard_side;

typedef struct guard_region {
    unsigned char *map;
    size_t         map_bytes;
    unsigned char *data; /* `bytes` usable bytes between two forbidden pages */
    size_t         bytes;
} guard_region;

guard_region guard_make(size_t bytes); /* ends the test if there is no memory */
void         guard_free(guard_region *region);
void         guard_readonly(guard_region *region, bool readonly);

/* A place for an array in the region; the same region serves many arrays, one at a time. The
 * free side next to the array gets a pattern, which guard_intact finds unchanged or not. */
void *guard_place(const guard_region *region, size_t bytes, guard_side side);
bool  guard_intact(const guard_region *region, size_t bytes, guard_side side);

/* One array of its own. */
typedef struct guard_block {
    guard_region region;
    void        *data;
} guard_block;

guard_block guard_alloc(size_t bytes, guard_side side);

/* ---- An allocator that counts and fails ---------------------------------------------------- */

typedef struct test_allocator {
    atomic_size_t calls;    /* so far                                 */
    atomic_size_t live;     /* blocks not given back yet              */
    atomic_size_t refused;  /* how many were                          */
    size_t        fail_at;  /* this call and later ones fail; 0: none */
    bool          only_one; /* just that call fails                  */
} test_allocator;

void *test_alloc(void *allocator, size_t bytes);
void  test_release(void *allocator, void *block);

/* ---- Contexts ------------------------------------------------------------------------------ */

typedef struct test_context {
    ordo_ctx *ctx;
    char      isa[16];
    unsigned  threads;
} test_context;

enum {
    TEST_MAX_THREADS = 8,
    TEST_MAX_CONTEXTS = 4 * TEST_MAX_THREADS
};

/* One for each ISA this machine offers and each number of threads, the first ISA's first; on a
 * device two. */
size_t test_contexts_make(test_context contexts[TEST_MAX_CONTEXTS]);
void   test_contexts_free(test_context *contexts, size_t count);

/* The seed of contexts made from now on; 0, the default: a new seed for each call. */
void testkit_seed(uint64_t seed);
/* A context with that many threads, or the end of the test. */
ordo_ctx *test_context_make(unsigned threads);

double test_now(void); /* seconds of a monotonic clock */

/* Whether limits on elapsed time are checked: only with ORDO_TEST_TIMES=1 in the environment, which
 * is for an otherwise idle machine. Every other check must hold on a busy machine, too. */
bool test_times_count(void);

/* Seconds of CPU time of this process. Other processes cannot add to them. */
double test_cpu_seconds(void);

#endif
