/* api_clock.h - the clock of reports, which every call reads twice.
 *
 * A call on a few keys takes some tens of nanoseconds, less than two readings of CLOCK_MONOTONIC
 * (V1: 29 ns each). On AArch64 the clock is therefore the counter register of the CPU, whose rate
 * is in another register (V1: 7 ns); on other CPUs it is CLOCK_MONOTONIC. */
#ifndef ORDO_API_API_CLOCK_H
#define ORDO_API_API_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t api_clock_nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

#if defined(__aarch64__)
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
static inline uint64_t api_clock_ticks(void) { return api_clock_nanoseconds(); }
static inline double   api_clock_second(void) { return 1e9; }
#endif

#endif
