/* segments.h - the types and functions that the files of this folder share. */
#ifndef ORDO_CPU_SEGMENTS_SEGMENTS_H
#define ORDO_CPU_SEGMENTS_SEGMENTS_H

#include "backend/segments.h"
#include "cpu/base/cpu.h"

/* ---- The services of a job on one segment: segment_exec.c ---- */

/* A spin lock, held only while a worker takes scratch or records a failure. */
typedef struct segment_lock {
    atomic_flag taken;
} segment_lock;

static inline void segment_lock_take(segment_lock *lock)
{
    while (atomic_flag_test_and_set_explicit(&lock->taken, memory_order_acquire))
        continue;
}

static inline void segment_lock_give(segment_lock *lock)
{
    atomic_flag_clear_explicit(&lock->taken, memory_order_release);
}

typedef struct segment_worker {
    ordo_exec     exec;  /* the exec of the job; exec.owner is this struct */
    ordo_exec    *outer; /* the exec of the call on all segments */
    segment_lock *lock;
    bool          shared;      /* loops use all threads of the call */
    char         *slab;        /* scratch; the next segment uses the same memory */
    size_t        bytes, used; /* bytes of the slab, and how many are in use */
    char         *gathered;    /* room for gathered segments */
    double        share;       /* progress of the current loop of the call, 0 to 1 */
    unsigned      unit, units; /* progress of the call: finished parts, and all parts */
    atomic_flag   busy;
    char          why[256]; /* the text of an error */
} segment_worker;

/* All workers of a call have the same outer exec and lock. The slab may be NULL. */
void segment_worker_open(segment_worker *worker, ordo_exec *outer, segment_lock *lock, bool shared);
/* Begins a segment: frees the slab and resets the progress. */
static inline void segment_worker_begin(segment_worker *worker)
{
    worker->used = 0;
    worker->exec.phase = 0;
    worker->exec.phases = 1;
}

/* ---- Strided segments: gather.c ---- */

/* Copies `count` neighbouring segments of the array to `room`, one after the other, or back.
 * Elements are copied row by row, so that every cache line is read or written as a whole. */
void segment_copy(const ordo_segment_view *view, const ordo_segment_array *array, size_t first,
                  size_t count, void *room, bool back);

#endif
