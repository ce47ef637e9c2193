/* bench_peers.h - the peers of `ordo bench`: other libraries' sorts from a module, if it is there.
 *
 * The module is libordo_peers.so beside the command, or what ORDO_PEERS names. Without it every
 * section runs all the same, and the head of the output says why there are no peers. Where the
 * arrays are not the host's, the peers come with their place (bench_cuda.c). */
#ifndef ORDO_BENCH_HARNESS_BENCH_PEERS_H
#define ORDO_BENCH_HARNESS_BENCH_PEERS_H

#include "bench/harness/bench_core.h"

/* The path of a file beside the running command; its name alone if the system does not tell. */
void bench_beside_command(const char *name, char *path, size_t size);

/* False, after a message, only if there is no memory. A second call does nothing. */
bool bench_peers_open(bench *b);
void bench_peers_close(bench *b);

/* What is asked of the peers. */
typedef struct bench_peer_ask {
    bench_peer_op   op;
    ordo_type       type;
    bench_peer_task task;          /* its threads are set for each row                          */
    size_t          batch, stride; /* arrays for one call, bytes from one to the next; batch 0: 1 */
    size_t          out_stride;    /* the same for out                                          */
    const char     *only;          /* names, separated by commas; NULL: all                     */
    const char     *base;          /* the one that speed-ups are over; NULL: none               */
    const char     *loose;         /* names of those whose answer is not compared; NULL: none   */
} bench_peer_ask;

/* Adds a row for every peer that can do it: with one thread those that know no threads, with more
 * those that do. */
bool bench_add_peers(bench *b, const bench_peer_ask *ask, unsigned threads);

/* Both: one thread and all threads; arrays of less than 10^5 keys are no work for the latter. */
bool bench_add_all_peers(bench *b, const bench_peer_ask *ask);

#endif
