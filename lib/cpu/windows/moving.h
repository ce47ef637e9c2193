/* moving.h - one chunk of a moving window, and the loops over it.
 *
 * A chunk has outputs [lo, hi) of the job and the elements [from, to) that their windows cover. A
 * chunk depends on no other chunk, so any thread may run it and the results are always the same.
 * The loops are plain C, compiled for each ISA (kernel/plain_loops.h). */
#ifndef ORDO_CPU_WINDOWS_MOVING_H
#define ORDO_CPU_WINDOWS_MOVING_H

#include "backend/job.h"
#include "core/quantile.h"
#include "cpu/base/kernels.h"
#include "cpu/base/tuning.h"

/* Before a loop whose iterations do not depend on each other; the compiler cannot see that. */
#ifdef __clang__
#define MOVING_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define MOVING_INDEPENDENT _Pragma("GCC ivdep")
#endif

enum {
    MOVING_FEW = ORDO_TUNE(64, 12),    /* elements of calls that are not cut into chunks */
    MOVING_SHORT = ORDO_TUNE_SPAN / 4, /* most elements of windows in tiles of SPAN outputs */
    MOVING_LEVELS = 7,                 /* enough for 2^31 elements, the most of a chunk */
    MOVING_GROUP_BITS = 9,             /* bits of a group that has one counter */
    MOVING_GROUP_WORDS = 1 << (MOVING_GROUP_BITS - 6)
};

/* A set of numbers below a limit. Bit i of level 0: i is in the set. Bit i of a higher level: word
 * i of the level below is not 0. Each level ends with a word that is 0. */
typedef struct moving_set {
    uint64_t *level[MOVING_LEVELS];
    unsigned  levels;
} moving_set;

/* The same numbers as bits, and a Fenwick tree with the number of set bits of each group. */
typedef struct moving_counts {
    uint64_t *words;
    uint32_t *tree; /* entries 1 to groups */
    size_t    groups;
} moving_counts;

typedef struct moving_chunk {
    const ordo_moving_job *job;
    size_t                 lo, hi, from, to;
    size_t                 next;       /* the next output */
    size_t                 head, tail; /* ends of the elements that left the window, and that
                                        * entered it */
    size_t                 inside;     /* observations in the window */
    size_t                 nans;       /* NaNs in the window, unless NaNs are keys */
    size_t                 valid;      /* sorted places from here on are NaNs that are not keys */

    /* Minima and maxima: room for codes of elements; a result is the maximum of codes. */
    void *codes;
    bool  has_nans;

    /* Other results. Sorted place of element from + i, and the element of a sorted place. */
    uint32_t *place, *index;
    /* Median, quantile: the keys in order. */
    double        *values;
    moving_set     set;
    size_t         word, below; /* a word of level 0, and the count of numbers in lower words */
    quantile_place at;          /* the place of the quantile among at_count observations */
    size_t         at_count;
    /* Rank: for each place, the first place of its ties and the place after the last. Dense ranks:
     * a place is the number of a group of ties, and `index` counts the members of each group in the
     * window. */
    uint32_t     *tie_start, *tie_end;
    moving_counts counts;
} moving_chunk;

/* The elements of the window of output i. */
static inline size_t moving_first(const ordo_moving_job *job, size_t i)
{
    if (job->first != NULL)
        return job->first[i];
    return i > job->back ? i - job->back : 0;
}

static inline size_t moving_end(const ordo_moving_job *job, size_t i)
{
    return job->n - i > job->ahead ? i + job->ahead + 1 : job->n;
}

/* few       medians, quantiles and ranks, but not dense ones, of at most MOVING_FEW elements
 * bounds    the minima or maxima of a chunk
 * places    after index has the order of the chunk: place, values or ties, valid
 * quantile  medians and quantiles up to output `end`
 * rank      ranks up to output `end` */
typedef struct moving_loops {
    void (*few[CPU_TYPES])(const ordo_moving_job *job);
    void (*bounds[CPU_TYPES])(moving_chunk *chunk);
    void (*places[CPU_TYPES])(moving_chunk *chunk);
    void (*quantile)(moving_chunk *chunk, size_t end);
    void (*rank)(moving_chunk *chunk, size_t end);
} moving_loops;

#endif
