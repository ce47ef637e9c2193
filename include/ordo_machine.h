/* ordo_machine.h - profiles of streamed calls, and the calibration that AUTO and HYBRID use to
 * choose a backend. Few programs need this header. The rules of ordo.h apply. */
#ifndef ORDO_MACHINE_H
#define ORDO_MACHINE_H

#include "ordo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Profiles --------------------------------------------------------------------------- */

/* A profile has the spans of the last streamed call, if the context has `profile` set. For spans of
 * a thread or of the link `lane` is the number of the thread.                                    */
typedef enum ordo_span_kind {
    ORDO_SPAN_PHASE_I = 1, /* phase I: sample of the keys, memory                                 */
    ORDO_SPAN_PHASE_III,   /* phases II and III: the array is divided and sent                    */
    ORDO_SPAN_PHASE_IV,    /* phase IV: sorting, and fetching the result                          */
    ORDO_SPAN_DIVIDE,      /* thread: divides a chunk of the array                                */
    ORDO_SPAN_PUT,         /* thread: writes a chunk of the result                                */
    ORDO_SPAN_BUCKET,      /* thread: sorts a bucket                                              */
    ORDO_SPAN_IN,          /* link: copies a chunk to the GPU                                     */
    ORDO_SPAN_OUT,         /* link: copies a chunk from the GPU                                   */
    ORDO_SPAN_WORK,        /* GPU: sorts a batch or a segment; SAMPLE: computes, lane is the GPU  */
    ORDO_SPAN_PHASE_II,    /* SAMPLE: phase II apart from phase III                               */
    ORDO_SPAN_COMPUTE,     /* SAMPLE: all threads of the CPU compute                              */
    ORDO_SPAN_PIECE,       /* SAMPLE, thread: computes                                            */
    ORDO_SPAN_WAIT         /* SAMPLE, thread: waits for a copy                                    */
} ordo_span_kind;

typedef struct ordo_span {
    uint32_t kind; /* an ordo_span_kind                                                           */
    uint32_t lane;
    double   began, ended; /* seconds since the start of the call                                 */
    uint64_t bytes;
} ordo_span;

/* Copies at most `room` spans, in the order of their ends. Returns the number of spans there are,
 * or 0 during a call.                                                                            */
ORDO_API size_t ordo_last_profile(const ordo_ctx *ctx, ordo_span *spans, size_t room);

/* ---- Calibration ------------------------------------------------------------------------ */

/* AUTO and HYBRID give a large call to the backend with the lowest predicted time: CPU, GPU or
 * both. Predictions use built-in costs, or costs that ordo_calibrate (`ordo tune`) has measured on
 * this machine and stored in a file: ordo_ctx_opts.calibration, else ORDO_TUNE_FILE ("": none),
 * else a file named after the machine in the folder ordo of XDG_CACHE_HOME or ~/.cache. A context
 * reads the file once, with the first large call. A file that is damaged or belongs to another
 * version or machine is ignored; ordo_info has the reason.                                       */
typedef struct ordo_cost {
    size_t      struct_size;
    const char *name, *unit, *meaning; /* "cpu_32", "ps", "sorting a key of 4 bytes"; static      */
    double      value, standard;       /* in use, and built in                                    */
    uint64_t    measured;              /* 1 if value was measured                                 */
} ordo_cost;

typedef struct ordo_calibrate_opts {
    size_t   struct_size;
    uint64_t most; /* keys of the largest array; default: 2^27, at most 1/16 of the memory        */
} ordo_calibrate_opts;

/* Measures the CPU with the threads of the context, and its GPU, if any. This takes a few seconds,
 * in which the machine should be idle. From then on the context uses the measured costs. If the
 * file cannot be written, the call succeeds and ordo_info has the reason. After an error the costs
 * are unchanged.                                                                                 */
ORDO_MUST ordo_status ordo_calibrate(ordo_ctx *ctx, const ordo_calibrate_opts *opts);
/* The i-th cost, counted from 0; ORDO_E_ARG after the last one.                                 */
ORDO_MUST ordo_status ordo_calibration_cost(ordo_ctx *ctx, size_t i, ordo_cost *out);
/* Removes the file and sets the built-in costs. ORDO_E_ARG if the file cannot be removed.       */
ORDO_MUST ordo_status ordo_calibration_remove(ordo_ctx *ctx);

#ifdef __cplusplus
}
#endif

#endif
