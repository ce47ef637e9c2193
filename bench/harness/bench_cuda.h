/* bench_cuda.h - the GPU as the place of a benchmark (`ordo bench --device cuda`).
 *
 * Arrays are in GPU memory. Calls use ORDO_ON_DEVICE on one stream and are timed by CUDA events.
 * Keys are generated on the host, as for the CPU, and uploaded. */
#ifndef ORDO_BENCH_HARNESS_BENCH_CUDA_H
#define ORDO_BENCH_HARNESS_BENCH_CUDA_H

#include "bench/harness/bench_core.h"

/* Opens the module and the GPU; NULL, after a message, if one of them is missing. The generators
 * use `threads` threads; 0: all. */
const bench_place *bench_cuda_open(unsigned threads);
void               bench_cuda_close(void);

/* The peers of the module for arrays on the host (BENCH_PEER_COPIED_SORT). NULL, with the reason in
 * why, without the module or a GPU. */
const bench_peer_table *bench_cuda_host_peers(char *why, size_t why_size);

/* Fills flags for n elements with random bits, half of them set. */
bool bench_cuda_flags(bench *b, ordo_flags_kind kind, void *flags, size_t n);

/* Copies a host array to the GPU and waits. */
bool bench_cuda_upload(void *to, const void *from, size_t bytes);

/* The host copy of the last generated keys, and a CPU context with one thread. */
const void *bench_cuda_host_keys(void);
ordo_ctx   *bench_cuda_host_context(void);

/* Records a call as a CUDA graph. bench_cuda_replay with the graph as `what` is then a contender.
 * NULL, without a message, if the call cannot be recorded. */
void       *bench_cuda_record(bench *b, bench_call *call, const void *what);
ordo_status bench_cuda_replay(ordo_ctx *ctx, const void *graph);
void        bench_cuda_forget(void *graph);

#endif
