/* text_work.h - what the steps of a text call share: threads, scratch that several sorts use one
 * after the other, and progress.
 *
 * A step takes scratch that must live to the end of the call from `exec`. A sort of the backend
 * takes its scratch from the slab of text_sort, which the next sort uses again. */
#ifndef ORDO_TEXT_TEXT_WORK_H
#define ORDO_TEXT_TEXT_WORK_H

#include "api/api.h"
#include "backend/inner.h"
#include "backend/text.h"

typedef struct text_work {
    ordo_ctx           *ctx;
    ordo_exec          *exec;
    const ordo_backend *backend; /* sorts */
    void               *state;
    ordo_inner          inner; /* of a sort */
    char               *slab;
    size_t              slab_bytes;
    /* The text calls of a device, or NULL: the CPU does the call. */
    const ordo_text_slots *device;
} text_work;

#define TEXT_PREFETCH(address) __builtin_prefetch(address)
#define TEXT_PREFETCH_WRITE(address) __builtin_prefetch(address, 1)

/* Chooses the CPU and fills *work. `call` names the call in errors. */
ordo_status text_begin(ordo_ctx *ctx, ordo_exec *exec, const char *call, text_work *work);

/* The same for a call that a device may do, on n bytes of text. ns: nanoseconds per byte that one
 * CPU thread takes; link_bytes: bytes of all arrays per byte of text. If ns is 0, a device is
 * chosen only if the context or the arrays demand it. */
ordo_status text_begin_any(ordo_ctx *ctx, ordo_exec *exec, const char *call, size_t n, double ns,
                           double link_bytes, text_work *work);
/* Runs a job on the device of text_begin_any. If that fails and the CPU may do the call, *done is
 * false, and *work is for the CPU. */
typedef ordo_status text_slot(void *state, const ordo_text_job *job, ordo_exec *exec);
ordo_status text_on_device(text_work *work, text_slot *slot, const ordo_text_job *job, bool *done);

/* Ends the call if the backend has text calls and does this one. */
#define TEXT_ON_DEVICE(work, slot, job)                                                            \
    do {                                                                                           \
        bool done_ = false;                                                                        \
        if ((work).device != NULL)                                                                 \
            TRY(text_on_device(&(work), (work).device->slot, &(job), &done_));                     \
        if (done_)                                                                                 \
            return ORDO_OK;                                                                        \
    } while (0)

/* Sorts keys of 64 bits. */
ordo_status text_sort_keys(text_work *work, uint64_t *keys, size_t n);

/* ORDO_E_CANCELLED if the loop did not finish. */
ordo_status text_loop(text_work *work, size_t n, size_t grain, ordo_body *body, void *arg);
/* The same, with pieces that depend on the number of threads: `least` items or more. */
ordo_status text_share(text_work *work, size_t n, size_t least, ordo_body *body, void *arg);

/* Counts a phase of the call as done. */
void text_phase(text_work *work);

/* Sets below[c] to the number of bytes below c, for c = 0 to 256. */
ordo_status text_histogram(text_work *work, const uint8_t *text, size_t n, uint64_t *below);

/* Sets bytes to 0 with all threads. */
ordo_status text_clear(text_work *work, void *bytes, size_t count);

#endif
