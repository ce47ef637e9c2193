/* ranges.h - the finished key ranges of a checkpoint: one file for each, with a checksum for every
 * block. A file gets its name when all ranks have written and synced their blocks, so a range with
 * a file is finished. The functions are collective, except ranges_part. */
#ifndef ORDO_MPI_RANGES_H
#define ORDO_MPI_RANGES_H

#include "mpi/checkpoint/plan.h"

/* The elements [*from, *to) of range g that this rank writes: whole blocks. */
void ranges_part(const job *j, const plan *p, size_t g, size_t *from, size_t *to);

/* Writes this rank's part of a range. */
bool ranges_write(const job *j, const plan *p, size_t g, const char *data);

/* finished[g] = 1 if the file of range g is whole. Prints the paths of damaged files. */
bool ranges_check(const job *j, const plan *p, unsigned char *finished);

/* Reads elements [from, to) of the sorted elements. A block with a wrong checksum is an error. */
bool ranges_load(const job *j, const plan *p, uint64_t from, uint64_t to, char *out);

/* Removes the files, the manifest and the folder, if nothing else is in it. */
void ranges_remove(const job *j, const plan *p);

#endif
