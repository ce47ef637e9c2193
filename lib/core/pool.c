/* pool.c - a thread pool (see pool.h).
 *
 * An atomic counter hands out the pieces. A loop opens as many seats as it can use; a worker takes a
 * seat, works, and leaves it. When no pieces are left, the caller closes the free seats, so that a
 * worker that comes late does not delay the loop. Seats are one atomic word, so a loop takes the
 * mutex only to wake workers that sleep. A call makes several loops, with some microseconds between
 * them: workers and the caller spin that long before they sleep, if there is a CPU for each. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "core/pool.h"
#include "core/forked.h"
#include "core/sequencer.h"

#include "core/fpmode.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

enum {
    TICK_NANOSECONDS = 5 * 1000 * 1000,
    SPIN_NANOSECONDS = 10 * 1000,
    SPIN_STEPS = 8 /* pauses between two readings of the clock */
};

/* The two halves of the word of seats. */
#define FREE_SEAT (UINT64_C(1) << 32)
#define TAKEN(state) ((uint32_t)(state))
#define HAS_FREE(state) ((state) >= FREE_SEAT)

struct ordo_pool {
    ordo_alloc source;
    unsigned   threads; /* wanted, including the caller */
    unsigned   workers; /* running */
    bool       tried;   /* to start them */
    uint64_t   owner;   /* ordo_process_number of the workers' process */
    pthread_t *ids;

    bool spins; /* there is a CPU for each thread */

    pthread_mutex_t lock;     /* held to sleep and to wake */
    pthread_cond_t  wake;     /* a seat is free, or quit */
    pthread_cond_t  idle;     /* no seat is taken */
    atomic_uint     sleepers; /* workers that sleep, or will if no seat is free */
    atomic_bool     waiting;  /* the caller sleeps, or will if a seat is taken */
    atomic_bool     quit;

    /* The current loop: written while no seat is free or taken, read by workers on a seat. */
    ordo_body       *body;
    void            *arg;
    size_t           n, grain;
    atomic_int      *stop;
    char             pad[ORDO_CACHE_LINE]; /* next has its own cache line: every piece writes it */
    atomic_size_t    next;                 /* the first item that is not handed out yet */
    char             pad_after[ORDO_CACHE_LINE];
    _Atomic uint64_t seats; /* free ones above taken ones: FREE_SEAT, TAKEN */
    char             pad_seats[ORDO_CACHE_LINE];
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

/* ---- Waiting ---- */

static uint64_t nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

static bool is_called(ordo_pool *pool) { return HAS_FREE(pool->seats) || pool->quit; }
static bool is_idle(ordo_pool *pool) { return TAKEN(pool->seats) == 0; }

/* Waits a short time; returns whether the event came. */
static bool spin(ordo_pool *pool, bool came(ordo_pool *))
{
    if (came(pool) || !pool->spins)
        return came(pool);
    uint64_t const end = nanoseconds() + SPIN_NANOSECONDS;
    do
        for (int i = 0; i < SPIN_STEPS; i++) {
            ordo_cpu_relax();
            if (came(pool))
                return true;
        }
    while (nanoseconds() < end);
    return false;
}

/* ---- Workers ---- */

static bool take_seat(ordo_pool *pool)
{
    uint64_t state = atomic_load(&pool->seats);
    while (HAS_FREE(state))
        if (atomic_compare_exchange_weak(&pool->seats, &state, state - FREE_SEAT + 1))
            return true;
    return false;
}

/* Sequentially consistent operations order this and close_seats: either the caller sees that no
 * seat is taken, or this thread sees that the caller waits. */
static void leave_seat(ordo_pool *pool)
{
    if (TAKEN(atomic_fetch_sub(&pool->seats, 1)) != 1 || !pool->waiting)
        return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_signal(&pool->idle);
    pthread_mutex_unlock(&pool->lock);
}

/* The same order holds here and in open_seats: either this thread sees the free seat, or the caller
 * sees the sleeper. */
static void sleep_until_called(ordo_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleepers, 1);
    while (!is_called(pool))
        pthread_cond_wait(&pool->wake, &pool->lock);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->lock);
}

static void *worker_main(void *arg)
{
    ordo_pool *const pool = arg;

    (void)ordo_fpmode_enter(); /* a new thread has the mode of its creator */
    while (!pool->quit) {
        if (take_seat(pool)) {
            for (size_t lo, hi; take_piece(pool, &lo, &hi);)
                pool->body(pool->arg, lo, hi);
            leave_seat(pool);
        }
        if (!spin(pool, is_called))
            sleep_until_called(pool);
    }
    return NULL;
}

static void init_sleep(ordo_pool *pool)
{
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&pool->idle, &monotonic);
    pthread_condattr_destroy(&monotonic);
    atomic_init(&pool->seats, 0);
    atomic_init(&pool->sleepers, 0);
    atomic_init(&pool->waiting, false);
    atomic_init(&pool->quit, false);
    pool->workers = 0;
    pool->tried = false;
    pool->spins = false;
    pool->owner = ordo_process_number();
}

/* Workers block all signals, so that handlers run on the threads of the program. */
static void start_workers(ordo_pool *pool)
{
    sigset_t  all, before;
    cpu_set_t cpus;
    pool->spins = sched_getaffinity(0, sizeof cpus, &cpus) == 0 &&
                  (unsigned)CPU_COUNT(&cpus) >= pool->threads;
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

/* Opens a seat for each worker that can get a piece. */
static void open_seats(ordo_pool *pool)
{
    if (pool->owner != ordo_process_number())
        init_sleep(pool);
    if (!pool->tried)
        start_workers(pool);

    unsigned const seats = (unsigned)ordo_min(pool->workers, ordo_div_up(pool->n, pool->grain) - 1);
    atomic_store(&pool->seats, seats * FREE_SEAT);
    unsigned const sleepers = pool->sleepers, awake = pool->workers - sleepers;
    if (seats <= awake)
        return; /* workers that are awake look for a seat before they sleep */
    pthread_mutex_lock(&pool->lock);
    if (seats == pool->workers)
        pthread_cond_broadcast(&pool->wake);
    else
        for (unsigned i = awake; i < seats; i++)
            pthread_cond_signal(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

static struct timespec next_tick(void)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += TICK_NANOSECONDS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    return until;
}

/* Waits for workers at their last pieces, and reports progress meanwhile. */
static void close_seats(ordo_pool *pool, ordo_pool_tick *tick, void *user)
{
    atomic_fetch_and(&pool->seats, FREE_SEAT - 1);
    if (spin(pool, is_idle))
        return;
    pthread_mutex_lock(&pool->lock);
    pool->waiting = true;
    while (!is_idle(pool)) {
        struct timespec const until = next_tick();
        if (pthread_cond_timedwait(&pool->idle, &pool->lock, &until) == ETIMEDOUT) {
            size_t const next = atomic_load_explicit(&pool->next, memory_order_relaxed);
            pthread_mutex_unlock(&pool->lock);
            tick(user, (double)next / (double)pool->n);
            pthread_mutex_lock(&pool->lock);
        }
    }
    pool->waiting = false;
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
