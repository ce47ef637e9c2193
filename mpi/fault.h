/* fault.h - kills a rank at a chosen step, so that tests can end a job at any step.
 *
 * The environment variable ORDO_MPI_FAULT is PHASE:RANK or PHASE:RANK:RANGE. The rank then kills
 * itself when it reaches that phase (of that key range), after it has created the file
 * ORDO_MPI_FAULT_FILE. The phases are the second arguments of the calls. Without the variable
 * nothing happens. */
#ifndef ORDO_MPI_FAULT_H
#define ORDO_MPI_FAULT_H

#include <mpi.h>
#include <stddef.h>

void fault_point(MPI_Comm comm, const char *phase, size_t range);

#endif
