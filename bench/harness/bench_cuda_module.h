/* bench_cuda_module.h - the interface between `ordo bench --device cuda` and its module, for C and
 * C++.
 *
 * The module libordo_cuda_peers.so (bench/cuda) is built by nvcc and exports one function that
 * returns this table: GPU memory, GPU timing and the peers. So ordo-bench itself needs no CUDA.
 * All calls come from one thread and use one device and one stream. A function that returns int
 * returns 0 on success; otherwise last_error() has CUDA's error text. */
#ifndef ORDO_BENCH_HARNESS_BENCH_CUDA_MODULE_H
#define ORDO_BENCH_HARNESS_BENCH_CUDA_MODULE_H

#include "bench/harness/bench_peer.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_CUDA_ABI 2u
#define BENCH_CUDA_SYMBOL "ordo_bench_cuda"

typedef struct bench_cuda_module {
    uint32_t         abi; /* BENCH_CUDA_ABI                                                    */
    bench_peer_table peers;

    /* Opens the first device and writes its description; *stream is for the timed calls.       */
    int (*open)(char *device, size_t device_size, void **stream);
    const char *(*last_error)(void);
    size_t (*available)(void); /* bytes of device memory                                       */
    int (*alloc)(void **array, size_t bytes);
    void (*release)(void *array);
    int (*on_device)(const void *array); /* 1: GPU memory                                      */
    int (*alloc_host)(void **array, size_t bytes); /* pinned                                    */
    void (*release_host)(void *array);
    int (*upload)(void *device, const void *host, size_t bytes); /* waits                       */
    int (*copy)(void *dst, const void *src, size_t bytes);       /* enqueues                     */
    int (*wipe)(void *array, size_t bytes);
    int (*lower_to_flags)(void *bytes, size_t n); /* each byte & 1                              */
    int (*fingerprint)(const void *array, size_t bytes, uint64_t *out); /* waits                */

    /* Time between two events. A short kernel runs before the first event, so that the time does
     * not include the latency of the first launch.                                               */
    int (*start)(void);
    int (*stop)(double *seconds);

    /* Between begin and end, calls on the stream are recorded as a graph and not run.            */
    int (*graph_begin)(void);
    int (*graph_end)(void **graph);
    int (*graph_run)(void *graph); /* enqueues                                                  */
    void (*graph_free)(void *graph);
} bench_cuda_module;

#ifdef __cplusplus
}
#endif
#endif
