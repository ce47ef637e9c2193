/* resume.h - what an interrupted sort leaves in opts.resume_directory, so that a later call can go
 * on: the runs, an index of their blocks, and a manifest.
 *
 * The directory has mode 0700 and is locked while a call uses it. Files: "runs" (blocks, as
 * runs.h), "index" (for each run its blocks and a checksum) and "manifest" (text: version, source,
 * elements, how many runs are complete). After each run the runs and the index are flushed to disk
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
} resume;

/* Opens or makes the directory and loads the runs that an earlier call has completed. The source
 * is moved behind their elements. Does nothing if opts.resume_directory is NULL. Call
 * resume_close() in any case; `done` removes the directory. */
bool resume_open(resume *r, external_call *c, runs *all);
void resume_close(resume *r, bool done);

/* Makes the runs so far durable. Does nothing without a directory. */
bool resume_save(resume *r, const runs *all);

#endif
