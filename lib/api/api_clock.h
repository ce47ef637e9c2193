/* api_clock.h - the clock of reports, which every call reads twice.
 *
 * A call on a few keys takes some tens of nanoseconds, less than two readings of CLOCK_MONOTONIC
 * (Neoverse V1 29 ns each, Sapphire Rapids 25 to 50). The clock is therefore a counter of the CPU
 * (7 and 10 ns): the counter register of AArch64, and the time stamp counter of x86-64 CPUs that
 * count at a constant rate. On other CPUs the clock is CLOCK_MONOTONIC. */
#ifndef ORDO_API_API_CLOCK_H
#define ORDO_API_API_CLOCK_H

#include <stdint.h>

#if defined(__aarch64__)

static inline void api_clock_open(void) {}

static inline uint64_t api_clock_ticks(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

static inline double api_clock_second(void) /* in ticks */
{
    uint64_t rate;
    __asm__("mrs %0, cntfrq_el0" : "=r"(rate));
    return (double)rate;
}

#else
#include <stdbool.h>

/* Whether the clock is the time stamp counter; set by api_clock_open and constant then. */
extern bool api_clock_counts;

/* Called before the other functions, by every thread that makes a context. */
void     api_clock_open(void);
uint64_t api_clock_monotonic(void); /* nanoseconds of CLOCK_MONOTONIC */
/* Ticks of a second. The rate of the counter is measured since the first api_clock_open. */
double api_clock_second(void);

static inline uint64_t api_clock_ticks(void)
{
#if defined(__x86_64__)
    if (api_clock_counts)
        return __builtin_ia32_rdtsc();
#endif
    return api_clock_monotonic();
}

#endif
#endif
