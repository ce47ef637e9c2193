/* slices.h - the keys of a file divided over the ranks, and results written by all ranks to one
 * file. The functions are collective: all ranks call them and get the same answer. After a failure
 * one rank has printed why. */
#ifndef ORDO_MPI_SLICES_H
#define ORDO_MPI_SLICES_H

#include "cli/base/cli.h"
#include "cli/io/tempfile.h"
#include "ordo_mpi.h"

#include <sys/types.h>

typedef struct slice_wish { /* what a file holds */
    const char *path;
    file_format format;
    ordo_type   type;   /* 0: that of the .npy header; of text i64, or f64 if a line needs it */
    size_t record_size; /* 0: the elements are keys. Else raw records with a key in each      */
    size_t key_offset;
    bool   lines;  /* the file is lines of any bytes */
    bool   unread; /* only find the elements of npy and raw files */
} slice_wish;

typedef struct slice { /* of an input */
    ordo_type   type;
    file_format format;
    char       *keys;    /* of this rank; to be freed */
    char       *records; /* of this rank; to be freed; NULL: the elements are keys */
    size_t      n, record_size;
    char       *text;    /* of lines, without newlines; to be freed */
    uint64_t   *offsets; /* of the n lines; n + 1; to be freed */
    int         fd;      /* of the file; -1: closed */
    uint64_t    bytes;   /* of the file */
    uint64_t    from;    /* the byte where this rank's n elements begin in it */
} slice;

/* Whether all ranks are fine. A rank that is not gives a reason, which the first of them prints.
 * `fine` is evaluated twice. */
#define all_fine(comm, fine, ...) (agree_fine(comm, fine, __VA_ARGS__) && (fine))
__attribute__((format(printf, 3, 4))) bool agree_fine(MPI_Comm comm, bool fine, const char *why,
                                                      ...);

/* Opens a file, in which every rank must find the same bytes: they compare the size and the first
 * and last 64 KiB. Then reads this rank's part of it; `unread` leaves the file open. */
bool slice_open(MPI_Comm comm, const slice_wish *wish, slice *out);
bool slice_read(MPI_Comm comm, const slice_wish *wish, slice *out);
void slice_free(slice *s);

typedef struct slice_target { /* an output */
    const char *path;
    file_format format; /* npy and text need elements of `type` */
    ordo_type   type;
    size_t      size; /* bytes of an element */
    uint64_t    id;   /* of the unfinished file; 0: a new one */
} slice_target;

/* Writes the parts of all ranks, in their order, to a new file that then replaces target->path.
 * Its name is OUTPUT.ordo-mpi-MACHINE-ID, and rank 0 holds flock() on it. First removes unfinished
 * files of this output that are not locked: those with target->id, and those whose rank 0 ran on a
 * machine of this job. Files of other machines stay: a file system may show locks only on one
 * machine. */
bool slice_write(MPI_Comm comm, const slice_target *target, const void *elements, size_t n);

/* The same in steps: each rank writes `bytes` bytes at `at` of the file. */
typedef struct slice_file {
    char     name[4096];
    int      fd;
    uint64_t at;
    tempfile temp; /* on rank 0: the file, with its lock */
} slice_file;

/* A number that no other job has. */
uint64_t new_id(void);

bool slice_begin(MPI_Comm comm, const slice_target *target, const char *head, uint64_t head_bytes,
                 uint64_t bytes, slice_file *out);
/* `fine`: this rank has written its bytes; if not, errno says why, unless `told`: a message was
 * printed, on every rank. */
bool slice_end(MPI_Comm comm, const slice_target *target, slice_file *file, bool fine, bool told);

/* The same for bytes: those of all ranks follow `head`, which rank 0 writes. */
bool slice_write_bytes(MPI_Comm comm, const slice_target *target, const char *head,
                       uint64_t head_bytes, const char *data, uint64_t bytes);

/* What the name of a file says; FORMAT_AUTO if it says nothing. */
file_format format_of_path(const char *path);

/* The part of `all` things that belongs to a rank begins here; that of rank `size` is `all`. */
uint64_t part_start(uint64_t all, int rank, int size);

/* Read and write all bytes at offset `at` of a file. False with errno set; errno is 0 if the file
 * ends early. */
bool read_at(int fd, void *to, uint64_t bytes, uint64_t at);
bool write_at(int fd, const void *from, uint64_t bytes, uint64_t at);
/* What errno says after a failed read_at. */
const char *read_error(void);

#endif
