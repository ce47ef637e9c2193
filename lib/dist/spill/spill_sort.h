/* spill_sort.h - a sort over all processes with a limit of memory.
 *
 * Each process sorts its elements to files on its disk (ordo_external_sort), and maps them. Then
 * the result is made in rounds: in each round every process gets the next part of its result from
 * all processes, merges it, and stores it. A round with too little memory on any of
 * them is made again by all of them with half the elements. */
#ifndef ORDO_DIST_SPILL_SPILL_SORT_H
#define ORDO_DIST_SPILL_SPILL_SORT_H

#include "dist/call/dist_call.h"
#include "dist/spill/sorted_file.h"
#include "ordo_external.h"

typedef struct spill_sort {
    dist_call         *c;
    ordo_elements      elements; /* of the source; the layout of `file` says what is kept of them */
    ordo_source        from;
    ordo_external_opts opts; /* memory (0: the default of ordo_external_sort), directories, flags */
    const uint64_t    *wanted; /* elements that each process gets; NULL: as many as it has */
    void              *out;    /* NULL: `put` stores the results */
    char              *out_values;
    ordo_status (*put)(void *user, const void *keys, const char *values, size_t n);
    void *user;

    sorted_file file;
    size_t      n; /* elements of this process */
} spill_sort;

/* Sorts this process's elements to files. Not collective. Call spill_sort_close() in any case. */
ordo_status spill_sort_local(spill_sort *s);
/* Makes the result. Collective. */
ordo_status spill_sort_rounds(spill_sort *s);
void        spill_sort_close(spill_sort *s);

/* sort_spilled.c: ordo_dist_sort and ordo_dist_sort_pairs with less scratch than the elements. */
typedef struct spilled_job {
    ordo_type             type;
    void                 *keys, *values; /* values: NULL, or of value_size bytes each */
    size_t                n, value_size;
    const ordo_dist_opts *opts; /* with a directory */
} spilled_job;

/* A call of its own, on arguments that an earlier call checked. Collective. */
ordo_status dist_sort_spilled(ordo_ctx *ctx, const ordo_comm *comm, const spilled_job *job);

#endif
