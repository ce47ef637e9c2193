/* bench_order.h - what the experiments share, above all those on unsorted keys: distributions,
 * fresh input, and what differs between arrays of the host and of a GPU. */
#ifndef ORDO_BENCH_SUBJECTS_BENCH_ORDER_H
#define ORDO_BENCH_SUBJECTS_BENCH_ORDER_H

#include "bench/harness/bench_core.h"
#include "bench/harness/bench_peers.h"

typedef struct bench_dist {
    const char *name;
    ordo_dist   dist;
    size_t      k; /* 0: the generator's default */
} bench_dist;

/* Those of the sample-sort paper (uniform, gaussian, zero, dupes, staggered, bucket) and the
 * others of the generators; ends with a NULL name. */
extern const bench_dist bench_dists[];

/* By where the arrays are: one word or another, and what every options struct says of them. */
const char *bench_pick(const bench *b, const char *host, const char *gpu);
uint64_t    bench_flags(const bench *b); /* ORDO_ON_DEVICE, or 0 */
void       *bench_stream(const bench *b);

/* A table of speed-ups: "what; speed-up over whom". */
void bench_heading_over(bench *b, const char *what, const char *whom, size_t n, const char *label,
                        int label_width);

/* Numbers of keys to sweep: rising to the n of the settings, by powers of ten on the host and of
 * eight on a GPU. */
size_t bench_first_n(const bench *b);
size_t bench_next_n(const bench *b, size_t n);

/* The prepare step of calls that work in place: bench_restore_call() copies bytes[i] bytes from
 * from[i] to to[i]. b must be set: it says where the arrays are. */
typedef struct bench_restore {
    const bench *b;
    void        *to[2];
    const void  *from[2];
    size_t       bytes[2];
} bench_restore;

ordo_status bench_restore_call(ordo_ctx *ctx, const void *what);

/* Copies the first bytes of b->src to b->dst. */
bench_restore bench_restore_dst(const bench *b, size_t bytes);

/* A question about n keys of a type, of a uniform distribution unless said otherwise later. */
bench_question bench_ask(const char *op, ordo_type type, size_t n);

/* The call with one thread and with all threads. */
bool bench_add_both(bench *b, const char *name, bench_call *call, const void *what);

/* How many arrays of n keys one call should take, so that it runs long enough for the clock. */
size_t bench_batch(size_t n);

/* Named algorithms and the sizes they can bear: one whose next call would take longer than the
 * settings' patience drops out. */
typedef struct bench_algorithm {
    const char    *name;
    double         power; /* its time grows with this power of what is swept */
    ordo_algorithm algorithm;
    bool           out;
} bench_algorithm;

/* Looks at the last question measured; the next one is `growth` times as large. */
void bench_drop_slow(const bench *b, bench_algorithm *algorithms, size_t count, double growth);

/* The usual question: peers, then `auto`; a small one on a GPU also as a graph that is replayed. */
bool bench_measure_auto(bench *b, const bench_peer_ask *peers, bench_call *call, const void *what,
                        const bench_question *question);

#endif
