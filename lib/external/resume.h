/* resume.h - what an interrupted sort leaves in opts.resume_directory, so that a later call can go
 * on: the runs, an index of their blocks, and a manifest.
 *
 * The directory has mode 0700 and is locked while a call uses it. Files: "runs" (blocks, as
 * runs.h), "index" (for each run its blocks and a checksum) and "manifest" (text: version, source,
 * elements, how many runs are complete). "ranges" says which part of the result is in the sink, if
 * the sink is a regular file. After each run the runs and the index are flushed to disk
 * and the manifest is replaced by a rename, so it never names a run that is not there. */
#ifndef ORDO_EXTERNAL_RESUME_H
#define ORDO_EXTERNAL_RESUME_H

#include "external/disk/runs.h"
#include "external/external_call.h"

typedef struct resume {
    external_call *call;
    int            folder, index; /* file descriptors; -1: not open */
    uint64_t       index_bytes;
    uint64_t       source[6]; /* device, inode, size, time in seconds and nanoseconds, start */
    size_t         buffer;    /* elements of each run but the last, if all calls need the same */
} resume;

typedef struct resume_point { /* the ranges that are complete */
    uint64_t  next;           /* blocks taken: see ranges_tell() */
    uint64_t  results;        /* elements in the sink */
    uint64_t  has_last, last; /* with ORDO_UNIQUE: the tie bits of its last element */
    uint64_t  sink[3];        /* its device, its inode, and where the results begin */
    uint64_t  runs;
    uint32_t *carried; /* of each run: see ranges_tell() */
} resume_point;

/* Whether the source is a regular file, whose facts go to source[]. Otherwise after
 * failure_record(). */
bool resume_find_source(external_call *c, uint64_t source[6]);

/* Opens or makes the directory and loads the runs that an earlier call has completed. The source
 * is moved behind their elements, whose number is c->read then. Does nothing if
 * opts.resume_directory is NULL. A call with another `buffer` is refused; 0: any buffers will do.
 * Call resume_close() in any case; `done` removes the directory. */
bool resume_open(resume *r, external_call *c, runs *all, size_t buffer);
void resume_close(resume *r, bool done);

/* Makes the runs so far durable. Does nothing without a directory. */
bool resume_save(resume *r, const runs *all);

/* Makes a point for all runs. `carried` is NULL if ranges cannot be kept: without a directory, or
 * if the sink is not a regular file. False after a failure. */
bool resume_point_make(const resume *r, size_t run_count, resume_point *p);

/* Makes the results in the sink durable up to a point. */
bool resume_save_point(const resume *r, const resume_point *p);

/* Loads the last point of an earlier call and moves the sink there. *found is false if it has none
 * for this sink; then the results begin again. */
bool resume_load_point(const resume *r, resume_point *p, bool *found);

#endif
