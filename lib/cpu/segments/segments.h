/* segments.h - what the files of this folder share. */
#ifndef ORDO_CPU_SEGMENTS_SEGMENTS_H
#define ORDO_CPU_SEGMENTS_SEGMENTS_H

#include "backend/segments.h"
#include "cpu/cpu.h"

/* ---- The services of a job on one segment: segment_exec.c ---- */

/* A lock for moments: a worker takes scratch, or notes a failure. */
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
    ordo_exec     exec;  /* given to the job; its owner is this struct */
    ordo_exec    *outer; /* the call on all segments */
    segment_lock *lock;
    bool          shared;      /* loops use the threads of the call */
    char         *slab;        /* scratch that each segment uses anew */
    size_t        bytes, used; /* of the slab */
    char         *gathered;    /* room for gathered segments */
    double        share;       /* the part of the current loop of the call that is done */
    unsigned      unit, units; /* progress of the call: parts that are done, and all of them */
    atomic_flag   busy;
    char          why[256]; /* the text of an error */
} segment_worker;

/* All workers of a call have the same outer exec and lock. The slab may be NULL. */
void segment_worker_open(segment_worker *worker, ordo_exec *outer, segment_lock *lock, bool shared);
/* Begins a segment: frees the slab and drops what an earlier segment reported. */
static inline void segment_worker_begin(segment_worker *worker)
{
    worker->used = 0;
    worker->exec.phase = 0;
    worker->exec.phases = 1;
}

/* ---- Strided segments: gather.c ---- */

/* Copies `count` neighbouring segments of the array to `room`, one after the other, or back. A
 * block of `count` segments is read row by row, so that a cache line is used as a whole. */
void segment_gather(const ordo_segment_view *view, const ordo_segment_array *array, size_t first,
                    size_t count, void *room);
void segment_scatter(const ordo_segment_view *view, const ordo_segment_array *array, size_t first,
                     size_t count, const void *room);

#endif
