/* elements.h - a sort of the keys or records of all ranks into new arrays. */
#ifndef ORDO_MPI_ELEMENTS_H
#define ORDO_MPI_ELEMENTS_H

#include "mpi/job.h"

typedef struct elements {    /* of this rank */
    const char     *keys;    /* aligned */
    const char     *records; /* of j->in.record_size bytes; NULL: the elements are keys */
    const uint64_t *place;   /* key i is that of record place[i]; NULL: of record i */
    size_t          n;
} elements;

/* Sorts the elements of all ranks; this rank gets `count` of them in `out`. The counts of all ranks
 * add up to the number of elements. Records with tied keys keep their sequence. Collective. */
bool elements_sort(job *j, const elements *in, char *out, size_t count);

#endif
