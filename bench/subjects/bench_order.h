/* bench_order.h - what the subjects share: distributions, fresh input for sorts in place, plain
 * loops to compare with, and the differences between arrays on the host and on a GPU. */
#ifndef ORDO_BENCH_SUBJECTS_BENCH_ORDER_H
#define ORDO_BENCH_SUBJECTS_BENCH_ORDER_H

#include "bench/harness/bench_measure.h"
#include "bench/harness/bench_peers.h"

typedef struct bench_dist {
    const char *name;
    ordo_dist   dist;
    size_t      k;            /* 0: the generator's default                         */
    bool        every_type;   /* sorts on the host measure it with all types of keys */
    bool        every_length; /* sorts on a GPU measure it with the largest lengths too */
} bench_dist;

/* The six distributions of the sample sort paper (uniform to bucket), then the other generators.
 * The list ends with a NULL name. */
extern const bench_dist bench_dists[];

/* Values that depend on where the arrays are. */
const char *bench_pick(const bench *b, const char *host, const char *gpu);
uint64_t    bench_flags(const bench *b); /* ORDO_ON_DEVICE, or 0 */
void       *bench_stream(const bench *b);

/* Prints the heading "WHAT; speed-up over BASE". */
void bench_heading_over(bench *b, const char *what, const char *base, size_t n, const char *label,
                        int label_width);

/* The sizes of a sweep up to b->set.n: each is 10 times the one before, on a GPU 8 times. */
size_t bench_first_n(const bench *b);
size_t bench_next_n(const bench *b, size_t n);

/* The next of many lengths, twice the one before and from 2^24 on four times, and the last. */
size_t bench_next_length(size_t n);
size_t bench_last_length(const bench *b, const bench_dist *dist);

/* The prepare step of calls that sort in place: bench_restore_call() copies bytes[i] bytes from
 * from[i] to to[i]. b must be set, because it says where the arrays are. */
typedef struct bench_restore {
    const bench *b;
    void        *to[2];
    const void  *from[2];
    size_t       bytes[2];
} bench_restore;

ordo_status bench_restore_call(ordo_ctx *ctx, const void *what);

/* Copies the first bytes of b->src to b->dst. */
bench_restore bench_restore_dst(const bench *b, size_t bytes);

/* bench_arrays.c: k-sorted u32 keys, a new array in b->src in every round. */
typedef struct bench_arrays {
    const bench *b;
    char        *all;  /* arrays in the place of the benchmark */
    char        *host; /* on a GPU: the same arrays on the host; NULL: none */
    uint32_t    *now;  /* on a GPU: the keys of this round, on the host; NULL: none */
    size_t       bytes, count, round;
} bench_arrays;

/* Makes the arrays; on_host: also host copies of arrays on a GPU. bench_arrays_take() is the
 * prepare step of a question whose `round` points to a->round. Free the arrays afterwards. */
bool bench_arrays_make(bench *b, bench_arrays *a, ordo_dist dist, size_t n, size_t k, bool on_host);
ordo_status bench_arrays_take(ordo_ctx *ctx, const void *what);
void        bench_arrays_free(bench_arrays *a);

/* A question about n uniform keys of a type; the caller sets the other fields. */
bench_question bench_ask(const char *op, ordo_type type, size_t n);

/* Adds the call with one thread and with all threads. */
bool bench_add_both(bench *b, const char *name, bench_call *call, const void *what);

/* How many arrays of n keys one call should sort to run long enough for the clock. */
size_t bench_batch(size_t n);

/* A named algorithm. It leaves the sweep when its next call would take more than b->set.patience
 * seconds. */
typedef struct bench_algorithm {
    const char    *name;
    double         power; /* its time grows with this power of the swept quantity */
    ordo_algorithm algorithm;
    bool           out;
} bench_algorithm;

/* Marks algorithms that are too slow for the next question, which is `growth` times as large. */
void bench_drop_slow(const bench *b, bench_algorithm *algorithms, size_t count, double growth);

/* Measures the peers and `auto`; a small question on a GPU also as a replayed CUDA graph. */
bool bench_measure_auto(bench *b, const bench_peer_ask *peers, bench_call *call, const void *what,
                        const bench_question *question);

/* bench_loops.c: the plain sequential loop for a scan; NULL if there is none. A loop reads in[0..n)
 * and writes out[0..n). */
typedef void bench_loop(const void *in, size_t n, void *out);
bench_loop  *bench_loop_for(const char *op, ordo_type type, ordo_type out_type);
uint64_t     bench_read(const void *memory, size_t bytes); /* reads all bytes; returns a sum */

#endif
