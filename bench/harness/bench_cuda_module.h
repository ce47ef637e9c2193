/* bench_cuda_module.h - the border between `ordo bench --device cuda` and its module, in C and C++.
 *
 * The module libordo_cuda_peers.so (bench/cuda) is built by nvcc and exports one function, which
 * returns this table: memory of the GPU, its clock, and the peers, so that the command itself
 * needs no CUDA. Everything is done by one thread on one device and one stream. What returns int
 * gives 0 if all went well; else last_error() has the reason in CUDA's words. */
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

    /* Opens the first device and writes what it is; *stream is for the calls to be timed.       */
    int (*open)(char *device, size_t device_size, void **stream);
    const char *(*last_error)(void);
    size_t (*available)(void); /* bytes of device memory                                       */
    int (*alloc)(void **array, size_t bytes);
    void (*release)(void *array);
    int (*on_device)(const void *array); /* 1: it is memory of the device                      */
    int (*alloc_host)(void **array, size_t bytes); /* pinned                                    */
    void (*release_host)(void *array);
    int (*upload)(void *device, const void *host, size_t bytes); /* and waits                   */
    int (*copy)(void *dst, const void *src, size_t bytes);       /* on the device, enqueued      */
    int (*wipe)(void *array, size_t bytes);
    int (*lower_to_flags)(void *bytes, size_t n); /* each byte & 1                              */
    int (*fingerprint)(const void *array, size_t bytes, uint64_t *out); /* and waits            */

    /* Time between two events around what is enqueued in between. The first event waits behind a
     * short kernel, so that a call's first launch does not count the way to the GPU.             */
    int (*start)(void);
    int (*stop)(double *seconds);

    /* The stream's work as a graph: between begin and end calls are recorded, not run.           */
    int (*graph_begin)(void);
    int (*graph_end)(void **graph);
    int (*graph_run)(void *graph); /* enqueued                                                  */
    void (*graph_free)(void *graph);
} bench_cuda_module;

typedef const bench_cuda_module *bench_cuda_entry(void);

#ifdef __cplusplus
}
#endif
#endif
