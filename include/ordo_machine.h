/* ordo_machine.h - what calls do with a machine, and what they cost on it: profiles of calls that
 * were streamed through a GPU, and the calibration by which AUTO and HYBRID choose. Few programs
 * need it beside ordo.h; the same rules hold. */
#ifndef ORDO_MACHINE_H
#define ORDO_MACHINE_H

#include "ordo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Profiles --------------------------------------------------------------------------- */

/* What the parts of a machine did during the last call that was streamed through a GPU, by a
 * context with `profile` set. Of a thread or of its way to the GPU `lane` says which.            */
typedef enum ordo_span_kind {
    ORDO_SPAN_PHASE_I = 1, /* the whole phase: a sample of the keys; memory                       */
    ORDO_SPAN_PHASE_III,   /* II and III: the array divided and sent                              */
    ORDO_SPAN_PHASE_IV,    /* sorts, and the result                                               */
    ORDO_SPAN_DIVIDE,      /* a thread: a piece of the array to where it goes                     */
    ORDO_SPAN_PUT,         /* a thread: a piece of the result to its place                        */
    ORDO_SPAN_BIN,         /* a thread: a bin sorted                                              */
    ORDO_SPAN_IN,          /* the link: a piece to the GPU                                        */
    ORDO_SPAN_OUT,         /* the link: a piece from the GPU                                      */
    ORDO_SPAN_WORK         /* the GPU: a run or a segment sorted                                  */
} ordo_span_kind;

typedef struct ordo_span {
    uint32_t kind; /* an ordo_span_kind                                                           */
    uint32_t lane;
    double   began, ended; /* seconds since the call began                                        */
    uint64_t bytes;
} ordo_span;

/* Copies at most `room` of them, in the order in which they ended; returns how many there are, or 0
 * while a call runs.                                                                             */
ORDO_API size_t ordo_last_profile(const ordo_ctx *ctx, ordo_span *spans, size_t room);

/* ---- Calibration ------------------------------------------------------------------------ */

/* AUTO and HYBRID give a large call to whoever is predicted to be fastest: CPU, GPU or both. They
 * predict from costs that are built in, or measured on this machine by ordo_calibrate (`ordo tune`)
 * and kept in a file: ordo_ctx_opts.calibration, else ORDO_TUNE_FILE ("": none), else one named
 * after the machine in the folder ordo of XDG_CACHE_HOME or ~/.cache. A context reads it once, with
 * the first large call. What is damaged, old or of another machine is not used: ordo_info says
 * why.                                                                                          */
typedef struct ordo_cost {
    size_t      struct_size;
    const char *name, *unit, *meaning; /* "cpu_32", "ps", "a key of 4 bytes"; static              */
    double      value, standard;       /* in use, and built in                                    */
    uint64_t    measured;              /* 1: value was measured                                   */
} ordo_cost;

typedef struct ordo_calibrate_opts {
    size_t   struct_size;
    uint64_t most; /* keys of the largest array; default: 2^27, or a sixteenth of the memory      */
} ordo_calibrate_opts;

/* Measures the CPU with the context's threads and its GPU, if any, for a few seconds, in which
 * nothing else should run. The context uses the costs from now on; if the file cannot be written,
 * ordo_info says why and the call succeeds. On failure the costs stay what they were.           */
ORDO_MUST ordo_status ordo_calibrate(ordo_ctx *ctx, const ordo_calibrate_opts *opts);
/* The i-th cost, from 0; ORDO_E_ARG behind the last one.                                        */
ORDO_MUST ordo_status ordo_calibration_cost(ordo_ctx *ctx, size_t i, ordo_cost *out);
/* Removes the file; the context has the built-in costs again. ORDO_E_ARG if it cannot be.       */
ORDO_MUST ordo_status ordo_calibration_remove(ordo_ctx *ctx);

#ifdef __cplusplus
}
#endif

#endif
