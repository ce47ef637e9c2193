/* bench_cuda.h - what the experiments of `ordo bench --device cuda` share.
 *
 * Arrays are memory of the GPU, calls are made with ORDO_ON_DEVICE on one stream and timed by
 * CUDA events. Keys are generated on the host, as for the CPU, and uploaded. */
#ifndef ORDO_BENCH_HARNESS_BENCH_CUDA_H
#define ORDO_BENCH_HARNESS_BENCH_CUDA_H

#include "bench/harness/bench_cuda_module.h"
#include "bench/subjects/bench_order.h"

/* Opens the module and the GPU; NULL, after a message, if one of them is not there. threads is for
 * the generators; 0: all. */
const bench_place *bench_cuda_open(unsigned threads);
void               bench_cuda_close(void);

/* Flags of n elements from uniform bytes, half of them set, in no order. */
bool bench_cuda_flags(bench *b, ordo_flags_kind kind, void *flags, size_t n);

/* The keys that were generated last, on the host, and a context with one thread there. */
const void *bench_cuda_host_keys(void);
ordo_ctx   *bench_cuda_host_context(void);

/* A call recorded once as a graph; its replay is a contender like any other, made by
 * bench_cuda_replay with the graph for what. NULL, without a message, if it cannot be recorded. */
void       *bench_cuda_record(bench *b, bench_call *call, const void *what);
ordo_status bench_cuda_replay(ordo_ctx *ctx, const void *graph);
void        bench_cuda_forget(void *graph);

#endif
