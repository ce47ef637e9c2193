/* checkpoint.h - a sort that can be killed at any moment and goes on later. */
#ifndef ORDO_MPI_CHECKPOINT_H
#define ORDO_MPI_CHECKPOINT_H

#include "mpi/job.h"

/* `ordo-mpi sort --checkpoint DIR`. */
bool checkpoint_sort(job *j);

#endif
