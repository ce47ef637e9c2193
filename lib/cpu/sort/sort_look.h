/* sort_look.h - what a sort finds out about its keys before it chooses a path: samples of
 * neighbours, of the radius, of the values. Each part is measured when a condition first asks. */
#ifndef ORDO_CPU_SORT_SORT_LOOK_H
#define ORDO_CPU_SORT_SORT_LOOK_H

#include "cpu/radix/records.h"
#include "cpu/sort/few_values.h"

typedef struct look_view {
    size_t looked;    /* neighbours compared */
    size_t falls;     /* keys less than their left neighbour */
    size_t flats;     /* keys that tie with their left neighbour */
    size_t far_falls; /* windows whose first key is less than that of the window before them */
    size_t far_rises; /* windows whose first key is greater */
} look_view;

/* Keys in the order of a sort, or in the order of an argsort, in which keys tie (io.folded). */
radix_io look_order(const cpu_kernels *kernels, const ordo_sort_job *job, bool folded);
/* Compares neighbours in windows all over the array; needs 2 * ORDO_TUNE_LOOK_KEYS keys. */
look_view look_neighbours(const radix_io *io, uint64_t seed);
/* Whether there may be at most `most` runs. */
bool look_shows_runs(const look_view *view, size_t most);
/* Whether all keys are sorted or reversed, in the order of cpu_step `order`. Three keys rule out
 * most arrays. Each check ends at the first key that is out of order. */
void look_at_all(const cpu_kernels *kernels, const ordo_sort_job *job, unsigned order, bool *sorted,
                 bool *reversed);

/* What the order of an argsort, in which keys tie, shows: sorted, reversed without ties, or any. A
 * small array is checked as a whole, a large one by a sample. */
ordo_input look_tied(const cpu_kernels *kernels, const ordo_sort_job *keys, ordo_exec *exec);
/* *is: all keys have the order that look_tied returned; then the report says so. */
ordo_status look_tied_all(const cpu_kernels *kernels, const ordo_sort_job *keys, ordo_input order,
                          bool *is, ordo_exec *exec);

/* The largest radius of the windows of look_neighbours, each on its own. */
size_t look_radius(const radix_io *io, uint64_t seed);
/* Raises *radius to the largest radius of long windows. If memory is refused, *radius becomes
 * larger than `most`. */
ordo_status look_far(const cpu_kernels *kernels, const ordo_sort_job *job, size_t *radius,
                     size_t most, ordo_exec *exec);
size_t      look_far_scratch(const ordo_sort_job *job, unsigned threads);

/* Whether a few keys all over the array are the same bytes. */
bool look_constant(const ordo_sort_job *job);
/* Whether a random sample of the keys has few values; fills the sample. */
bool look_few(const ordo_sort_job *job, uint64_t seed, few_sample *sample);

#endif
