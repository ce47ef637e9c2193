/* resume.h - what an interrupted sort leaves in opts.resume_directory, so that a later call can go
 * on: the runs, an index of their blocks, and a manifest.
 *
 * The directory has mode 0700 and is locked while a call uses it. Files: "runs" (blocks, as
 * runs.h), "index" (for each run a checksum of its part of the source, its blocks, and a checksum
 * of the entry) and "manifest" (text: version, source, elements, how many runs are complete).
 * "ranges" says which part of the result is in the sink, with a checksum of that part, if the sink
 * is a regular file. After each run the runs and the index are flushed to disk and the manifest is
 * replaced by a rename, so it never names a run that is not there.
 *
 * Nothing of it is trusted: the source of each run is read again and compared with its checksum,
 * and so are the results in the sink. */
#ifndef ORDO_EXTERNAL_RESUME_H
#define ORDO_EXTERNAL_RESUME_H

#include "external/disk/runs.h"
#include "external/external_call.h"

enum {
    RESUME_FACTS = 8 /* device, inode, size, times of data and inode in seconds and ns, start */
};

typedef struct resume {
    external_call *call;
    int            folder, index; /* file descriptors; -1: not open */
    uint64_t       index_bytes;
    uint64_t       source[RESUME_FACTS];
    size_t         buffer; /* elements of each run but the last, if all calls need the same */
} resume;

typedef struct resume_point { /* the ranges that are complete */
    bool     is_kept;         /* points are saved: see resume_point_make() */
    uint64_t next;            /* blocks taken: see ranges_tell() */
    uint64_t results;         /* elements in the sink */
    uint64_t last;            /* with ORDO_UNIQUE: the tie bits of its last element */
    uint64_t sink[3];         /* its device, its inode, and where the results begin */
    uint64_t runs;
    uint64_t sum; /* a checksum of the results in the sink */
} resume_point;

/* Whether the source is a regular file, whose facts go to source[]. Otherwise after
 * failure_record(). */
bool resume_find_source(external_call *c, uint64_t source[RESUME_FACTS]);

/* Opens or makes the directory and loads the runs that an earlier call has completed, if the source
 * still has their elements. The source is moved behind them; c->read is their number then. Uses the
 * first buffer of the call. Does nothing if opts.resume_directory is NULL. A call with another
 * `buffer` is refused; 0: any buffers will do. Call resume_close() in any case; `done` removes the
 * directory. */
bool resume_open(resume *r, external_call *c, runs *all, size_t buffer);
void resume_close(resume *r, bool done);

/* The checksum of what was read from the source since the last call; 0 without a directory. */
uint32_t resume_take_sum(external_call *c);

/* Makes the runs so far durable; `sum` is the checksum of the source of the last one. Does nothing
 * without a directory. */
bool resume_save(resume *r, const runs *all, uint32_t sum);

/* Makes a point for all runs. Ranges are not kept without a directory, or if the sink is not a
 * regular file. */
resume_point resume_point_make(const resume *r, size_t run_count);

/* Makes the results in the sink durable up to a point. */
bool resume_save_point(const resume *r, const resume_point *p);

/* Loads the last point of an earlier call and moves the sink there. *found is false if it has none
 * for this sink, or if the results in the sink have changed; then the results begin again. Uses the
 * first buffer of the call. */
bool resume_load_point(const resume *r, resume_point *p, bool *found);

/* Whether the place that ranges_seek() found has the results of the point before it. Otherwise
 * after failure_record(). */
bool resume_point_fits(const resume *r, const resume_point *p, uint64_t passed, uint64_t last);

#endif
