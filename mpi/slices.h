/* slices.h - the keys of a file divided over the ranks, and results written by all ranks to one
 * file. The functions are collective: all ranks call them and get the same answer. After a failure
 * one rank has printed why. */
#ifndef ORDO_MPI_SLICES_H
#define ORDO_MPI_SLICES_H

#include "cli/cli.h"
#include "ordo_mpi.h"

typedef struct slice { /* of an input */
    ordo_type   type;
    file_format format;
    char       *keys; /* of this rank; to be freed */
    size_t      n;
} slice;

/* Whether all ranks are fine. A rank that is not gives a reason, which the first of them prints.
 * `fine` is evaluated twice. */
#define all_fine(comm, fine, ...) (agree_fine(comm, fine, __VA_ARGS__) && (fine))
__attribute__((format(printf, 3, 4))) bool agree_fine(MPI_Comm comm, bool fine, const char *why,
                                                      ...);

/* Reads this rank's part of a file. `type` 0: that of the .npy header; of text i64 or, if a line is
 * not an integer, f64. */
bool slice_read(MPI_Comm comm, const char *path, file_format format, ordo_type type, slice *out);

/* Writes the parts of all ranks, in their order, to a new file that then replaces `path`. */
bool slice_write(MPI_Comm comm, const char *path, file_format format, ordo_type type,
                 const void *elements, size_t n);

/* What the name of a file says; FORMAT_AUTO if it says nothing. */
file_format format_of_path(const char *path);

#endif
