/* ranks_times.h - what the programs ordo-ranks* measure of a call, and how they print it.
 *
 * Ranks are threads of one process, so the CPU time and the page faults of the process are those of
 * all ranks. CPU time does not depend on other programs that use the same cores, elapsed time does:
 * a table has the median of the elapsed times and the least CPU time of all rounds. */
#ifndef ORDO_BENCH_HARNESS_RANKS_TIMES_H
#define ORDO_BENCH_HARNESS_RANKS_TIMES_H

#include "ordo_dist.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum {
    RANKS_CALLS = 4, /* sort, average ranks, median, 99 percentiles */
    RANKS_PERCENTILES = 99,
    RANKS_MOST_ROUNDS = 99
};

static const char *const ranks_names[RANKS_CALLS] = {"sort", "ranks", "median", "percentiles"};

typedef struct ranks_moment {
    double elapsed, cpu; /* seconds */
    double faults;       /* page faults without input or output */
} ranks_moment;

typedef struct ranks_times { /* of one call in each round */
    double elapsed[RANKS_MOST_ROUNDS], cpu[RANKS_MOST_ROUNDS], faults[RANKS_MOST_ROUNDS];
} ranks_times;

static inline double ranks_seconds(const struct timeval *t)
{
    return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

static inline ranks_moment ranks_now(void)
{
    struct timespec t;
    struct rusage   used;
    clock_gettime(CLOCK_MONOTONIC, &t);
    getrusage(RUSAGE_SELF, &used);
    return (ranks_moment){(double)t.tv_sec + 1e-9 * (double)t.tv_nsec,
                          ranks_seconds(&used.ru_utime) + ranks_seconds(&used.ru_stime),
                          (double)used.ru_minflt};
}

/* Notes what passed since `begun`. Round 0 comes first, warms up, and is replaced by round 1. */
static inline void ranks_note(ranks_times *times, size_t round, ranks_moment begun)
{
    ranks_moment const ended = ranks_now();
    size_t const       at = round == 0 ? 0 : round - 1;
    times->elapsed[at] = ended.elapsed - begun.elapsed;
    times->cpu[at] = ended.cpu - begun.cpu;
    times->faults[at] = ended.faults - begun.faults;
}

static inline void ranks_percentiles(double q[RANKS_PERCENTILES])
{
    for (size_t i = 0; i < RANKS_PERCENTILES; i++)
        q[i] = (double)(i + 1) / 100;
}

/* Waits until all ranks are here. */
static inline void ranks_meet(const ordo_comm *comm)
{
    uint64_t one = 1;
    if (comm->sum(comm->user, &one, 1) != 0)
        exit(2);
}

static inline int ranks_by_value(const void *a, const void *b)
{
    double const x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value at `part` of the sorted values: 0 the least, 0.5 the median. */
static inline double ranks_value(double *values, size_t n, double part)
{
    qsort(values, n, sizeof *values, ranks_by_value);
    return values[(size_t)(part * (double)n)];
}

static inline void ranks_print_head(void)
{
    printf("%-16s", "ranks x threads");
    for (size_t what = 0; what < RANKS_CALLS; what++)
        printf(" %12s", ranks_names[what]);
    putchar('\n');
}

/* A line of elapsed times, one of CPU times, and one of page faults. A call that no round made has
 * made[what] == false. */
static inline void ranks_print(size_t ranks, size_t threads, ranks_times times[RANKS_CALLS],
                               size_t rounds, const bool made[RANKS_CALLS])
{
    char label[64];
    snprintf(label, sizeof label, "%zu x %zu", ranks, threads);
    const char *const labels[3] = {label, "  CPU", "  page faults"};
    for (size_t line = 0; line < 3; line++) {
        printf("%-16s", labels[line]);
        for (size_t what = 0; what < RANKS_CALLS; what++) {
            ranks_times *const t = &times[what];
            double *const      values = line == 0 ? t->elapsed : line == 1 ? t->cpu : t->faults;
            double const       value = ranks_value(values, rounds, line == 0 ? 0.5 : 0);
            if (!made[what])
                printf(" %12s", "-");
            else if (line == 2)
                printf(" %12.0f", value);
            else
                printf(" %12.2f", 1e3 * value);
        }
        putchar('\n');
    }
    fflush(stdout);
}

#endif
