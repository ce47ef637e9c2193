/* pipeline.h - read, work and write at the same time, with three buffers.
 *
 * The caller's thread works on one buffer while a second thread fills the next one and a third
 * thread writes the previous one. Buffers pass through the three steps in order. */
#ifndef ORDO_EXTERNAL_PIPELINE_H
#define ORDO_EXTERNAL_PIPELINE_H

#include "external/disk/failure.h"

enum {
    PIPELINE_BUFFERS = 3
};

typedef struct piece { /* a buffer on its way */
    char  *elements;
    size_t n;     /* elements in it */
    bool   ended; /* there are no more data; the buffer is empty */
    /* If the call can be resumed: a checksum of the bytes of the source, or the place behind the
     * range (see ranges_tell()). */
    uint64_t mark;
} piece;

/* Steps return false after failure_record(). `read` sets n, or `ended`. */
typedef struct pipeline {
    bool (*read)(void *user, piece *p);
    bool (*work)(void *user, piece *p); /* on the caller's thread */
    bool (*write)(void *user, const piece *p);
    void *user;
    /* Asks on the caller's thread, before each work and while it waits, whether to go on. */
    bool (*goes_on)(void *owner);
    void    *owner;
    char    *buffers[PIPELINE_BUFFERS];
    failure *failure;
    double  *busy; /* seconds of reading, working, writing; the pipeline adds to them */
} pipeline;

/* Returns false after a failure. All threads have ended then. */
bool pipeline_run(const pipeline *p);

#endif
