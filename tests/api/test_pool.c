/* test_pool.c - loops of the thread pool: every item is done once and before the loop returns, for
 * loops that follow each other at once, after a pause in which the workers sleep, and after
 * ordo_pool_wake; with fewer threads than CPUs, which wait for the next loop, and with more. */
#define _POSIX_C_SOURCE 200809L
#include "core/pool.h"
#include "testkit.h"

#include <stdlib.h>
#include <time.h>

enum {
    ITEMS = 3000,
    ROUNDS = TESTKIT_SANITIZED ? 300 : 2000
};

typedef struct loop_work {
    atomic_uchar done[ITEMS];
    size_t       plain[ITEMS]; /* written without atomics: the loop orders its end after them */
    atomic_int   over;         /* the loop has returned */
    atomic_int   late;         /* pieces that ran after it */
} loop_work;

static loop_work work;

static void *take(void *user, size_t bytes) { return user == NULL ? malloc(bytes) : NULL; }

static void give(void *user, void *block)
{
    (void)user;
    free(block);
}

static void body(void *arg, size_t lo, size_t hi)
{
    loop_work *const w = arg;
    if (atomic_load(&w->over) != 0)
        atomic_fetch_add(&w->late, 1);
    for (size_t i = lo; i < hi; i++) {
        atomic_fetch_add(&w->done[i], 1);
        w->plain[i]++;
    }
}

static void tick(void *user, double share)
{
    (void)user;
    (void)share;
}

static void pause_for(long nanoseconds)
{
    struct timespec const time = {0, nanoseconds};
    nanosleep(&time, NULL);
}

/* One loop over n items, and a check of each. Returns how many were not done exactly once. */
static size_t loop_once(ordo_pool *pool, size_t n, size_t grain)
{
    atomic_int stop = 0;
    size_t     wrong = 0;
    for (size_t i = 0; i < n; i++) {
        atomic_store(&work.done[i], 0);
        work.plain[i] = 0;
    }
    atomic_store(&work.over, 0);
    bool const all = ordo_pool_loop(pool, n, grain, body, &work, &stop, tick, NULL);
    atomic_store(&work.over, 1);
    for (size_t i = 0; i < n; i++)
        wrong += atomic_load(&work.done[i]) != 1 || work.plain[i] != 1;
    return wrong + !all;
}

static void test_loops(test_rng *rng, unsigned threads)
{
    ordo_alloc const source = {take, give, NULL};
    ordo_pool *const pool = ordo_pool_create(&source, threads);
    size_t           wrong = 0;
    CHECK(pool != NULL);
    if (pool == NULL)
        return;
    ordo_pool_wake(pool); /* before the first loop: nothing happens */
    for (size_t r = 0; r < ROUNDS; r++) {
        if (r % 64 == 0)
            pause_for(200000); /* the workers sleep */
        if (test_rng_below(rng, 4) == 0)
            ordo_pool_wake(pool);
        size_t const n = test_rng_below(rng, ITEMS + 1);
        wrong += loop_once(pool, n, 1 + test_rng_below(rng, r % 3 == 0 ? 4 : ITEMS));
    }
    testkit_case("pool: %u threads", threads);
    CHECK(wrong == 0);
    CHECK(atomic_load(&work.late) == 0);
    ordo_pool_wake(pool);
    ordo_pool_free(pool);
}

int main(void)
{
    static const unsigned threads[] = {1, 2, 3, 8, 40};
    test_rng              rng = {7};
    testkit_start();
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
        test_loops(&rng, threads[t]);
    return testkit_done();
}
