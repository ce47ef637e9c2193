/* ordo_external.h - data larger than memory: sort elements from files, pipes and callbacks.
 *
 * Memory   A call holds at most opts.memory bytes: buffers, scratch and the index of its temporary
 *          files. Data that do not fit go to temporary files, sorted and packed, and are read once
 *          more. If the data are very large for the memory (by calculation more than 4 GiB of u64
 *          keys with 64 MiB, 90 GiB with 512 MiB), they are written and read once more.
 * Files    Temporary files have no name. They are gone when the call ends or the process dies,
 *          unless opts.resume_directory is given. Each block has a checksum, which is verified when
 *          the block is read.
 * Failure  The source is only read. The sink may have received a part of the result: a caller who
 *          replaces a file writes to a new file and renames it after ORDO_OK.
 * Results  The bytes that ordo_sort and ordo_sort_records return for all data in memory. */
#ifndef ORDO_EXTERNAL_H
#define ORDO_EXTERNAL_H

#include "ordo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an element is. */
typedef struct ordo_elements {
    size_t   struct_size;
    uint32_t type;       /* an ordo_type: the type of the key                                  */
    uint32_t reserved;   /* 0                                                                  */
    size_t   size;       /* bytes of an element; 0: the element is its key                     */
    size_t   key_offset; /* of the key in the element; any alignment                           */
} ordo_elements;

/* Where data come from: a callback or a file descriptor. */
typedef struct ordo_source {
    size_t struct_size;
    /* Writes up to `bytes` bytes to `into` and returns their number: 0 at the end of the data, -1
     * with errno set after a failure. Another thread of the library calls it, one call at a time.
     * NULL: fd is read from its position to its end.                                          */
    ptrdiff_t (*read)(void *user, void *into, size_t bytes);
    void       *user;
    uint64_t    bytes;    /* number of bytes that `read` will deliver; 0: not known             */
    int32_t     fd;       /* used if read is NULL                                               */
    uint32_t    reserved; /* 0                                                                  */
    const char *name;     /* for messages; NULL: "the source"                                   */
} ordo_source;

/* Where results go, in their order: a callback or a file descriptor. */
typedef struct ordo_sink {
    size_t struct_size;
    /* Takes up to `bytes` bytes and returns their number, at least 1; -1 with errno set after a
     * failure. Another thread of the library calls it, one call at a time. NULL: fd is written
     * from its position on.                                                                   */
    ptrdiff_t (*write)(void *user, const void *from, size_t bytes);
    void       *user;
    int32_t     fd;       /* used if write is NULL                                              */
    uint32_t    reserved; /* 0                                                                  */
    const char *name;     /* for messages; NULL: "the sink"                                     */
} ordo_sink;

/* The default of opts.memory: ORDO_EXTERNAL_PERCENT of the memory that the system and the control
 * group of this process have available now; at least 8 MiB.                                      */
#define ORDO_EXTERNAL_PERCENT 75
ORDO_API uint64_t ordo_external_memory(void);

/* Flags of ordo_external_opts besides ORDO_DESCENDING. */
#define ORDO_UNIQUE (UINT64_C(1) << 32) /* sort: keep only the first of tied keys      */
#define ORDO_SPILL_IN_MEMORY                                                                       \
    (UINT64_C(1) << 33) /* temporary files may be on a file system in
                                                  * memory (tmpfs), which is refused otherwise  */

/* What a call is doing. The names of phases: "copy" (of a pipe to temporary files), "check" (of
 * what an interrupted call has done), "runs", "longer runs", "ranges", "ranks", "pass", "choose",
 * "merge". */
typedef struct ordo_external_phase {
    size_t      struct_size;
    const char *name;
    uint64_t    done, all; /* bytes read in this phase, and to be read; 0: not known          */
    double      seconds;   /* since the phase began                                           */
} ordo_external_phase;

typedef struct ordo_external_opts {
    size_t   struct_size;
    uint64_t flags;  /* ORDO_DESCENDING, ORDO_UNIQUE, ORDO_SPILL_IN_MEMORY                      */
    uint64_t memory; /* bytes that the call may hold, at least 8 MiB; 0: ordo_external_memory() */
    /* Where temporary files go, in turn. None: $TMPDIR, else the system's folder for large
     * temporary files (/var/tmp).                                                             */
    const char *const *directories;
    size_t             directory_count; /* at most 64                                          */
    /* Sort, argsort and rank: a directory that keeps sorted runs if the call fails or the process
     * dies. It is made with mode 0700 if it does not exist, and removed after ORDO_OK. A later call
     * with the same source, elements and flags goes on behind the last complete run; rank also
     * needs the same memory. If its sink is the same regular file at the same position, sort and
     * argsort go on behind the last complete part of the result. Rank returns ORDO_E_NOMEM with
     * less memory than it needs without pairs (see there).
     * The later call reads the source of the complete runs and the complete part of the result
     * again and compares checksums. A source that has changed is refused (ORDO_E_ARG); a result
     * that has changed is made again. The source must be a regular file, at the position where the
     * first call began. opts.directories is not used then. NULL: nothing is kept.             */
    const char *resume_directory;
    /* Called on the caller's thread, many times a second while the call works; NULL: not called. */
    void (*watch)(void *user, const ordo_external_phase *phase);
    void *watch_user;
    /* Sort of lines: merge at most so many sorted runs at once, at least 2; more runs are merged in
     * several steps through temporary files. 0: as many as the memory allows.                  */
    uint64_t most_runs;
} ordo_external_opts;

/* A phase that has ended. The step with the most busy seconds is the bound of the phase. */
typedef struct ordo_external_step {
    char     name[16];
    double   seconds;
    double   read_busy, work_busy, write_busy; /* seconds of the three threads, without waiting */
    uint64_t read, written;                    /* bytes of all files                            */
} ordo_external_step;
#define ORDO_EXTERNAL_STEPS 8

typedef struct ordo_external_report {
    size_t   struct_size;
    uint64_t n;       /* elements                                                              */
    uint64_t runs;    /* sorted parts that were written to temporary files; 0: all fit memory  */
    uint64_t levels;  /* how often an element was written to temporary files                   */
    uint64_t ranges;  /* parts of the result that were sorted in memory                        */
    uint64_t passes;  /* reads of all data by select and quantiles                             */
    uint64_t spilled; /* bytes written to temporary files                                      */
    uint64_t memory;  /* the limit in use                                                      */
    double   run_seconds, range_seconds; /* of the two phases                                  */
    uint64_t read, written; /* bytes of the source, the sink and the temporary files           */
    uint64_t unpacked;      /* bytes of the elements in the first runs, and the bytes that they  */
    uint64_t packed;        /* take in the temporary files                                      */
    uint64_t steps;         /* phases; the first ORDO_EXTERNAL_STEPS of them are in step       */
    ordo_external_step step[ORDO_EXTERNAL_STEPS];
} ordo_external_report;

/* Sorts all elements of `from` to `to`. Elements that are only a key are sorted as by ordo_sort,
 * other elements as by ordo_sort_records, so ties keep their sequence. report may be NULL. Errors:
 * ORDO_E_IO if a file or callback fails or the disk has too little space, ORDO_E_ARG if the data
 * are not a whole number of elements, ORDO_E_NOMEM if the memory is too small for the elements. */
ORDO_MUST ordo_status ordo_external_sort(ordo_ctx *ctx, const ordo_elements *elements,
                                         const ordo_source *from, const ordo_sink *to,
                                         const ordo_external_opts *opts,
                                         ordo_external_report     *report);

/* Sorts as ordo_external_sort with ORDO_UNIQUE and writes to `counts` how many elements tie with
 * each element of the result, as uint64_t. */
ORDO_MUST ordo_status ordo_external_unique(ordo_ctx *ctx, const ordo_elements *elements,
                                           const ordo_source *from, const ordo_sink *to,
                                           const ordo_sink *counts, const ordo_external_opts *opts,
                                           ordo_external_report *report);

/* Merges `count` sources that are sorted in the direction of opts.flags into one. Tied elements
 * keep the sequence of the sources. ORDO_E_ARG if a source is not sorted: ordo_last_error names the
 * source and the element. Memory holds a buffer of each source; no temporary files. */
ORDO_MUST ordo_status ordo_external_merge(ordo_ctx *ctx, const ordo_elements *elements,
                                          const ordo_source *sources, size_t count,
                                          const ordo_sink *to, const ordo_external_opts *opts,
                                          ordo_external_report *report);

/* Writes the positions of the elements in sorted order to `to`, as ordo_argsort: index_type is
 * ORDO_U32 (at most 2^32 elements) or ORDO_U64. Tied elements keep their sequence. */
ORDO_MUST ordo_status ordo_external_argsort(ordo_ctx *ctx, const ordo_elements *elements,
                                            const ordo_source *from, ordo_type index_type,
                                            const ordo_sink *to, const ordo_external_opts *opts,
                                            ordo_external_report *report);

/* Writes the first k elements in order to `to`; fewer if there are fewer. Tied elements keep their
 * sequence. One read without temporary files if k elements and their scratch fit in the memory. */
ORDO_MUST ordo_status ordo_external_topk(ordo_ctx *ctx, const ordo_elements *elements,
                                         const ordo_source *from, uint64_t k, const ordo_sink *to,
                                         const ordo_external_opts *opts,
                                         ordo_external_report     *report);

/* Writes the 1-based rank of each element to `to`, in the order of the source, as ordo_rank.
 * rank_type is ORDO_U32 (fewer than 2^32 elements), ORDO_U64 or ORDO_F64; ORDO_TIES_AVERAGE needs
 * ORDO_F64. A regular file is read twice; other data are copied to temporary files first. With less
 * memory than about the square root of 6 MiB times the bytes of the keys (80 MiB for 1 GiB of keys)
 * pairs of keys and positions are sorted instead, which moves about seven times as many bytes
 * through temporary files. */
ORDO_MUST ordo_status ordo_external_rank(ordo_ctx *ctx, const ordo_elements *elements,
                                         const ordo_source *from, ordo_ties ties,
                                         ordo_type rank_type, const ordo_sink *to,
                                         const ordo_external_opts *opts,
                                         ordo_external_report     *report);

/* Writes the k[j]-th key in order to out[j], as ordo_select; k[j] = 0 is the first key. A regular
 * file is read about once, without temporary files. Other data are copied to temporary files and
 * read again. With two or more passes in the report, the keys were uneven beyond the sample. A
 * position takes 64 bytes of opts.memory, a quantile 128; ORDO_E_NOMEM if they need more than three
 * quarters of it. */
ORDO_MUST ordo_status ordo_external_select(ordo_ctx *ctx, const ordo_elements *elements,
                                           const ordo_source *from, const uint64_t *k, size_t count,
                                           void *out, const ordo_external_opts *opts,
                                           ordo_external_report *report);

/* Writes the q[j]-quantile of the keys to out[j], as ordo_quantiles and ordo_median. Of opts.flags
 * only ORDO_SPILL_IN_MEMORY matters. */
ORDO_MUST ordo_status ordo_external_quantiles(ordo_ctx *ctx, const ordo_elements *elements,
                                              const ordo_source *from, const double *q,
                                              size_t count, double *out, ordo_nans nans,
                                              ordo_method method, const ordo_external_opts *opts,
                                              ordo_external_report *report);
ORDO_MUST ordo_status ordo_external_median(ordo_ctx *ctx, const ordo_elements *elements,
                                           const ordo_source *from, double *out, ordo_nans nans,
                                           const ordo_external_opts *opts,
                                           ordo_external_report     *report);

#ifdef __cplusplus
}
#endif

#endif
