/* bench_order.h - what the experiments on unsorted keys share: distributions, fresh input. */
#ifndef ORDO_CLI_BENCH_ORDER_H
#define ORDO_CLI_BENCH_ORDER_H

#include "bench_core.h"

typedef struct bench_dist {
    const char *name;
    ordo_dist   dist;
    size_t      k; /* 0: the generator's default */
} bench_dist;

/* Those of the sample-sort paper (uniform, gaussian, zero, dupes, staggered, bucket) and the
 * others of the generators; ends with a NULL name. */
extern const bench_dist bench_dists[];

/* The prepare step of whoever works in place: copies bytes[i] bytes from from[i] to to[i]. */
typedef struct bench_restore {
    void       *to[2];
    const void *from[2];
    size_t      bytes[2];
} bench_restore;

ordo_status bench_restore_call(ordo_ctx *ctx, const void *what);

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

#endif
