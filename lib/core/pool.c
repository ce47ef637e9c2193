/* pool.c - a thread pool (see pool.h).
 *
 * An atomic counter hands out the pieces. A loop opens as many seats as it can use; one atomic word
 * has the free seats and the seated workers, so a worker that is awake takes and leaves a seat
 * without the lock, which only protects the sleep. When no pieces are left, the caller closes the
 * free seats, so that a worker that wakes up late does not delay the loop.
 *
 * The loops of a call follow each other within microseconds, and to wake a thread takes longer. So
 * a worker looks for a new loop for SPIN_NANOSECONDS before it sleeps, and the caller looks for the
 * end of a loop as long, if there is a CPU for every thread. */
#define _POSIX_C_SOURCE 200809L
#include "core/pool.h"
#include "core/cpus.h"
#include "core/forked.h"
#include "core/fpmode.h"
#include "core/sequencer.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

enum {
    TICK_NANOSECONDS = 5 * 1000 * 1000,
    SPIN_NANOSECONDS = 30 * 1000,
    SPIN_PAUSES = 16 /* between two looks at the clock */
};

/* Of the word `state`: the free seats, and one worker with a seat. */
#define FREE_SEATS UINT64_C(0xffffffff)
#define SEATED (UINT64_C(1) << 32)

struct ordo_pool {
    ordo_alloc source;
    unsigned   threads; /* wanted, including the caller */
    unsigned   workers; /* running */
    bool       tried;   /* to start them */
    bool       spins;   /* there is a CPU for every thread */
    uint64_t   owner;   /* ordo_process_number of the workers' process */
    pthread_t *ids;

    pthread_mutex_t lock;
    pthread_cond_t  wake;     /* there are free seats, or calls, or quit */
    pthread_cond_t  idle;     /* no worker is seated */
    unsigned        sleeping; /* workers that wait for `wake` */
    unsigned        calls;    /* of ordo_pool_wake */
    bool            quit;
    atomic_bool     waits; /* the caller waits for `idle` */

    char                 pad_before[ORDO_CACHE_LINE];
    atomic_uint_fast64_t state; /* opened by the caller with the lock */
    /* The current loop. */
    ordo_body    *body;
    void         *arg;
    size_t        n, grain;
    atomic_int   *stop;
    char          pad[ORDO_CACHE_LINE]; /* next has its own cache line: every piece writes it */
    atomic_size_t next;                 /* the first item that is not handed out yet */
    char          pad_after[ORDO_CACHE_LINE];
};

/* Hands out one piece; false if no piece is left or the loop is stopped. */
static bool take_piece(ordo_pool *pool, size_t *lo, size_t *hi)
{
    if (atomic_load_explicit(pool->stop, memory_order_relaxed) != 0)
        return false;
    /* The counter stops at n, so that it cannot wrap however many threads ask. */
    size_t from = atomic_load_explicit(&pool->next, memory_order_relaxed);
    do {
        if (from >= pool->n)
            return false;
        *hi = pool->n - from > pool->grain ? from + pool->grain : pool->n;
    } while (!atomic_compare_exchange_weak_explicit(&pool->next, &from, *hi, memory_order_relaxed,
                                                    memory_order_relaxed));
    *lo = from;
    return true;
}

static uint64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Waits until the bits `part` of the state are 0, or until they are not 0, for SPIN_NANOSECONDS at
 * most. */
static void spin(ordo_pool *pool, uint64_t part, bool is_zero)
{
    if (!pool->spins)
        return;
    uint64_t const until = nanoseconds() + SPIN_NANOSECONDS;
    do {
        for (unsigned i = 0; i < SPIN_PAUSES; i++) {
            uint64_t const state = atomic_load_explicit(&pool->state, memory_order_relaxed);
            if (((state & part) == 0) == is_zero)
                return;
            ordo_cpu_relax();
        }
    } while (nanoseconds() < until);
}

static bool take_seat(ordo_pool *pool)
{
    uint64_t state = atomic_load_explicit(&pool->state, memory_order_relaxed);
    while ((state & FREE_SEATS) != 0)
        if (atomic_compare_exchange_weak_explicit(&pool->state, &state, state - 1 + SEATED,
                                                  memory_order_acquire, memory_order_relaxed))
            return true;
    return false;
}

/* Either the last worker sees that the caller waits, or the caller sees that no worker is seated:
 * both accesses are sequentially consistent. */
static void leave_seat(ordo_pool *pool)
{
    if (atomic_fetch_sub(&pool->state, SEATED) >> 32 != 1 || !atomic_load(&pool->waits))
        return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_signal(&pool->idle);
    pthread_mutex_unlock(&pool->lock);
}

/* Takes a seat of the next loop. Returns false if the pool ends. */
static bool wait_for_seat(ordo_pool *pool)
{
    spin(pool, FREE_SEATS, false);
    bool seated = take_seat(pool);
    if (seated)
        return true;
    pthread_mutex_lock(&pool->lock);
    while (!pool->quit && !(seated = take_seat(pool))) {
        unsigned const calls = pool->calls;
        pool->sleeping++;
        pthread_cond_wait(&pool->wake, &pool->lock);
        pool->sleeping--;
        if (pool->calls != calls) { /* a loop follows soon */
            pthread_mutex_unlock(&pool->lock);
            spin(pool, FREE_SEATS, false);
            pthread_mutex_lock(&pool->lock);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return seated;
}

static void *worker_main(void *arg)
{
    ordo_pool *const pool = arg;

    (void)ordo_fpmode_enter(); /* a new thread has the mode of its creator */
    while (wait_for_seat(pool)) {
        for (size_t lo, hi; take_piece(pool, &lo, &hi);)
            pool->body(pool->arg, lo, hi);
        leave_seat(pool);
    }
    return NULL;
}

void ordo_pause_init(pthread_cond_t *changed)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

bool ordo_pause(pthread_cond_t *changed, pthread_mutex_t *lock)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += TICK_NANOSECONDS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    return pthread_cond_timedwait(changed, lock, &until) == ETIMEDOUT;
}

static void init_sleep(ordo_pool *pool)
{
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    ordo_pause_init(&pool->idle);
    atomic_init(&pool->state, 0);
    atomic_init(&pool->waits, false);
    pool->sleeping = 0;
    pool->calls = 0;
    pool->workers = 0;
    pool->tried = false;
    pool->spins = false;
    pool->quit = false;
    pool->owner = ordo_process_number();
}

static bool has_cpus(unsigned threads)
{
    ordo_cpus const cpus = ordo_cpus_count();
    return threads <= ordo_cpus_usable(&cpus);
}

/* Workers block all signals, so that handlers run on the threads of the program. */
static void start_workers(ordo_pool *pool)
{
    sigset_t all, before;
    pool->spins = has_cpus(pool->threads);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool->workers + 1 < pool->threads &&
           pthread_create(&pool->ids[pool->workers], NULL, worker_main, pool) == 0)
        pool->workers++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pool->tried = true;
}

ordo_pool *ordo_pool_create(const ordo_alloc *source, unsigned threads)
{
    size_t const     bytes = sizeof(ordo_pool) + threads * sizeof(pthread_t);
    ordo_pool *const pool = source->alloc(source->user, bytes);
    if (pool == NULL)
        return NULL;
    pool->source = *source;
    pool->threads = threads;
    pool->ids = (pthread_t *)(pool + 1);
    atomic_init(&pool->next, 0);
    init_sleep(pool);
    return pool;
}

void ordo_pool_free(ordo_pool *pool)
{
    if (pool == NULL)
        return;
    if (pool->owner == ordo_process_number()) { /* in a forked child the threads do not exist */
        pthread_mutex_lock(&pool->lock);
        pool->quit = true;
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->lock);
        for (unsigned i = 0; i < pool->workers; i++)
            pthread_join(pool->ids[i], NULL);
        pthread_cond_destroy(&pool->wake);
        pthread_cond_destroy(&pool->idle);
        pthread_mutex_destroy(&pool->lock);
    }
    ordo_alloc const source = pool->source;
    source.release(source.user, pool);
}

/* Opens a seat for each worker that can get a piece. Wakes workers only if too few are awake. */
static void open_seats(ordo_pool *pool)
{
    if (pool->owner != ordo_process_number())
        init_sleep(pool);
    if (!pool->tried)
        start_workers(pool);

    size_t const pieces = ordo_div_up(pool->n, pool->grain);
    pthread_mutex_lock(&pool->lock);
    unsigned const seats = (unsigned)ordo_min(pool->workers, pieces - 1);
    unsigned const awake = pool->workers - pool->sleeping;
    unsigned const missing = seats > awake ? seats - awake : 0;
    atomic_store_explicit(&pool->state, seats, memory_order_release);
    if (missing == pool->sleeping && missing > 0)
        pthread_cond_broadcast(&pool->wake);
    else
        for (unsigned i = 0; i < missing; i++)
            pthread_cond_signal(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

/* Waits for workers at their last pieces, and reports progress meanwhile. */
static void close_seats(ordo_pool *pool, ordo_pool_tick *tick, void *user)
{
    (void)atomic_fetch_and_explicit(&pool->state, ~FREE_SEATS, memory_order_relaxed);
    spin(pool, ~FREE_SEATS, true);
    if (atomic_load_explicit(&pool->state, memory_order_acquire) == 0)
        return;
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->waits, true);
    while (atomic_load(&pool->state) != 0) {
        if (ordo_pause(&pool->idle, &pool->lock)) {
            size_t const next = atomic_load_explicit(&pool->next, memory_order_relaxed);
            pthread_mutex_unlock(&pool->lock);
            tick(user, (double)next / (double)pool->n);
            pthread_mutex_lock(&pool->lock);
        }
    }
    atomic_store(&pool->waits, false);
    pthread_mutex_unlock(&pool->lock);
}

void ordo_pool_wake(ordo_pool *pool)
{
    if (!pool->tried || !pool->spins || pool->owner != ordo_process_number())
        return;
    pthread_mutex_lock(&pool->lock);
    if (pool->sleeping > 0) {
        pool->calls++;
        pthread_cond_broadcast(&pool->wake);
    }
    pthread_mutex_unlock(&pool->lock);
}

bool ordo_pool_loop(ordo_pool *pool, size_t n, size_t grain, ordo_body *body, void *arg,
                    atomic_int *stop, ordo_pool_tick *tick, void *user)
{
    bool const shared = pool->threads > 1 && n > grain;

    pool->body = body;
    pool->arg = arg;
    pool->n = n;
    pool->grain = grain;
    pool->stop = stop;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    if (shared)
        open_seats(pool);
    for (size_t lo, hi; take_piece(pool, &lo, &hi);) {
        body(arg, lo, hi);
        tick(user, (double)hi / (double)n);
    }
    if (shared)
        close_seats(pool, tick, user);
    return atomic_load_explicit(&pool->next, memory_order_relaxed) >= n;
}
