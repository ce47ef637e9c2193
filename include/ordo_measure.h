/* ordo_measure.h - how sorted an array is: is_sorted, the radius and the number of runs. ordo.h
 * includes this file. The rules of ordo.h apply. */
#ifndef ORDO_MEASURE_H
#define ORDO_MEASURE_H

#include "ordo.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ordo_order_opts {
    size_t   struct_size;
    uint64_t flags;     /* ORDO_DESCENDING                                                       */
    uint32_t algorithm; /* ordo_radius: AUTO; SEQUENTIAL: LR, RL and DM by one CPU thread; PREFIX:
                         * the same by parallel scans, on a GPU                                  */
    uint32_t reserved;  /* 0                                                                     */
    void    *stream;    /* for ORDO_ON_DEVICE                                                    */
    /* ordo_radius: arrays for the sequences LR, RL (n keys) and DM (n counts); NULL: not wanted.
     * Any of them makes AUTO compute the sequences. They must not overlap each other or keys.    */
    void                *lr, *rl;
    uint64_t            *dm;
    const ordo_segments *segments; /* many arrays in one call; NULL: one (ordo_segments.h)       */
} ordo_order_opts;

/* *sorted = 1 if keys[0..n) is sorted, else 0. *where (may be NULL) gets the smallest i with
 * keys[i] before keys[i-1], or n if there is none.                                               */
ORDO_MUST ordo_status ordo_is_sorted(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                                     int *sorted, size_t *where, const ordo_order_opts *opts);

/* *radius = the smallest k such that any two keys more than k places apart are in order; 0 if and
 * only if the array is sorted. Tied keys are always in order. The array is then k-sorted: no key is
 * more than k places from its place in a stable sort.
 * The sequences, of Pfaff and Treadwell, in the order of ordo_sort (with ORDO_DESCENDING the
 * largest key is first): LR[i] is the last key of keys[0..i], RL[i] the first key of keys[i..n-1].
 * DM[i] is the largest i - j, j < i, such that RL[i] comes before LR[j] and does not tie with it; 0
 * if there is none. The radius is the largest DM[i]. */
ORDO_MUST ordo_status ordo_radius(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                                  size_t *radius, const ordo_order_opts *opts);
ORDO_MUST ordo_status ordo_radius_scratch(ordo_ctx *ctx, ordo_type type, size_t n,
                                          const ordo_order_opts *opts, size_t *bytes);
/* *runs = the number of runs (maximal sorted stretches): 0 if n is 0, 1 if the array is sorted.  */
ORDO_MUST ordo_status ordo_runs(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                                size_t *runs, const ordo_order_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
