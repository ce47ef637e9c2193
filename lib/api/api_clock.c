/* api_clock.c - the rate of the time stamp counter (see api_clock.h).
 *
 * The rate is the quotient of two distances: of counts and of CLOCK_MONOTONIC, between the first
 * api_clock_open and the first question at least LONG_ENOUGH later. Earlier answers are less exact:
 * a reading is wrong by some tens of nanoseconds. */
#define _POSIX_C_SOURCE 200809L
#include "api/api_clock.h"

#if !defined(__aarch64__)

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum {
    TRIES = 5,
    LONG_ENOUGH = 10 * 1000 * 1000 /* nanoseconds */
};

typedef struct both_clocks {
    uint64_t ticks, nanoseconds;
} both_clocks;

static both_clocks    opened;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic double known_rate; /* 0: not known yet */
bool                  api_clock_counts;

uint64_t api_clock_monotonic(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/* CPUID leaf 0x80000007: the counter has a constant rate and never stops. */
static bool has_constant_counter(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d = 0;
    return __get_cpuid(0x80000007U, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0;
#else
    return false;
#endif
}

/* Reads both clocks at about one time: of some tries, the one that was interrupted least. */
static both_clocks read_both(void)
{
    both_clocks best = {0, 0};
    uint64_t    least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t const before = api_clock_ticks(), now = api_clock_monotonic();
        uint64_t const gap = api_clock_ticks() - before;
        if (gap < least) {
            least = gap;
            best = (both_clocks){before + gap / 2, now};
        }
    }
    return best;
}

static void open_clock(void)
{
    api_clock_counts = has_constant_counter();
    opened = read_both();
}

void api_clock_open(void) { (void)pthread_once(&once, open_clock); }

double api_clock_second(void)
{
    if (!api_clock_counts)
        return 1e9;
    double const known = atomic_load_explicit(&known_rate, memory_order_relaxed);
    if (known > 0)
        return known;
    both_clocks now;
    do
        now = read_both();
    while (now.nanoseconds <= opened.nanoseconds || now.ticks <= opened.ticks);
    uint64_t const nanoseconds = now.nanoseconds - opened.nanoseconds;
    double const   rate = (double)(now.ticks - opened.ticks) / (double)nanoseconds * 1e9;
    if (nanoseconds >= LONG_ENOUGH)
        atomic_store_explicit(&known_rate, rate, memory_order_relaxed);
    return rate;
}

#endif
