/* bench_peers.h - the peers of `ordo bench`: sorts of other libraries, from a module.
 *
 * The module is libordo_peers.so beside ordo-bench, or the file that ORDO_PEERS names. Without the
 * module every section still runs, and the first lines of the output say why there are no peers.
 * The peers on a GPU come from the bench_place (bench_cuda.c). */
#ifndef ORDO_BENCH_HARNESS_BENCH_PEERS_H
#define ORDO_BENCH_HARNESS_BENCH_PEERS_H

#include "bench/harness/bench_core.h"

/* Loads a module: the file that the environment variable names, or `file` in the folder of the
 * running program. Returns the table of its function `symbol`. NULL, with the reason in why, if
 * there is no such file or its table has another ABI number. The module stays loaded, because
 * threads that its libraries started may still run. */
const void *bench_module_open(const char *variable, const char *file, const char *symbol,
                              uint32_t abi, char *why, size_t why_size);

/* False, after a message, only if there is no memory. */
bool bench_peers_open(bench *b);
void bench_peers_close(bench *b);

/* Uses these peers from now on; the same result as bench_peers_open. */
bool bench_peers_use(bench *b, const bench_peer_table *peers);

typedef struct bench_peer_ask {
    bench_peer_op   op;
    ordo_type       type;
    bench_peer_task task;          /* bench_add_peers sets its threads                          */
    size_t          batch, stride; /* arrays of one call, bytes to the next one; batch 0: 1       */
    size_t          out_stride;    /* the same for out                                          */
    const char     *only;          /* names, separated by commas; NULL: all                     */
    const char     *base;          /* the peer that speed-ups are relative to; NULL: none       */
    const char     *loose;         /* names of peers whose answers are not compared; NULL: none */
} bench_peer_ask;

/* Adds a row for every peer that has the operation: sequential peers if threads is 1, otherwise
 * parallel peers. */
bool bench_add_peers(bench *b, const bench_peer_ask *ask, unsigned threads);

/* Adds sequential peers and, for at least 10^5 keys, parallel peers with all threads. */
bool bench_add_all_peers(bench *b, const bench_peer_ask *ask);

#endif
