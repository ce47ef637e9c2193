/* ordo_external.h - data larger than memory: sort elements from files, pipes and callbacks.
 *
 * Memory   A call holds at most opts.memory bytes: buffers, scratch, and what it knows of the data
 *          on disk. More data than fit go to temporary files, sorted and packed, and are read once
 *          more. N bytes with M bytes of memory take two passes while N <= M * M / 6 MiB, and one
 *          pass more beyond that.
 * Files    Temporary files have no name. They are gone when the call ends or the process dies.
 * Failure  The source is only read. The writer may have received a part of the result; a caller who
 *          replaces a file writes to a new one and renames it after ORDO_OK.
 * Results  Are the bytes that ordo_sort and ordo_sort_records give on the whole data. */
#ifndef ORDO_EXTERNAL_H
#define ORDO_EXTERNAL_H

#include "ordo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an element is. */
typedef struct ordo_elements {
    size_t   struct_size;
    uint32_t type;       /* an ordo_type: that of the key                                        */
    uint32_t reserved;   /* 0                                                                    */
    size_t   size;       /* bytes of an element; 0: the element is its key                       */
    size_t   key_offset; /* of the key in the element, without alignment                         */
} ordo_elements;

/* Where data come from: a file descriptor, or a callback. */
typedef struct ordo_reader {
    size_t struct_size;
    /* Writes up to `bytes` bytes to `into` and returns how many; 0 at the end, -1 with errno set
     * after a failure. It is called by another thread, one call at a time. NULL: fd is read.    */
    ptrdiff_t (*read)(void *user, void *into, size_t bytes);
    void    *user;
    uint64_t bytes;    /* all data, if known; 0: not known. A file knows its size.               */
    int32_t  fd;       /* read from its position to its end                                      */
    uint32_t reserved; /* 0                                                                      */
    const char *name;  /* for messages; NULL: "the source"                                       */
} ordo_reader;

/* Where results go, in order. */
typedef struct ordo_writer {
    size_t struct_size;
    /* Takes up to `bytes` bytes and returns how many, at least 1; -1 with errno set after a
     * failure. It is called by another thread, one call at a time. NULL: fd is written.         */
    ptrdiff_t (*write)(void *user, const void *from, size_t bytes);
    void    *user;
    int32_t  fd;       /* written from its position                                              */
    uint32_t reserved; /* 0                                                                      */
    const char *name;  /* for messages; NULL: "the result"                                       */
} ordo_writer;

typedef struct ordo_external_opts {
    size_t   struct_size;
    uint64_t flags;  /* ORDO_DESCENDING                                                           */
    uint64_t memory; /* bytes the call may hold, at least 8 MiB; 0: half of the memory that the
                      * system has available                                                       */
    /* Where temporary files go, in turn. Default: $TMPDIR, else the system's folder for large
     * temporary files.                                                                            */
    const char *const *directories;
    size_t             directory_count;
} ordo_external_opts;

typedef struct ordo_external_report {
    size_t   struct_size;
    uint64_t n;       /* elements                                                                 */
    uint64_t runs;    /* sorted parts on disk; 0: all data fit in memory                          */
    uint64_t levels;  /* how often data were written to temporary files                           */
    uint64_t ranges;  /* parts of the result that were sorted in memory                           */
    uint64_t spilled; /* bytes written to temporary files                                         */
    uint64_t memory;  /* the limit in use                                                         */
    double   run_seconds, range_seconds; /* of the two phases                                     */
} ordo_external_report;

/* Sorts all elements of `from` to `to`. Elements that are more than a key keep the sequence of ties.
 * report may be NULL. Errors: ORDO_E_IO if a file or callback fails, ORDO_E_ARG if the data are not
 * a whole number of elements, ORDO_E_NOMEM if `memory` is too small.                             */
ORDO_MUST ordo_status ordo_external_sort(ordo_ctx *ctx, const ordo_elements *elements,
                                         const ordo_reader *from, const ordo_writer *to,
                                         const ordo_external_opts *opts,
                                         ordo_external_report     *report);

#ifdef __cplusplus
}
#endif

#endif
