/* bench_order.c - helpers of the subjects: see bench_order.h. */
#include "bench/subjects/bench_order.h"
#include "bench/harness/bench_cuda.h"

#include <math.h>
#include <stdio.h>

enum {
    BATCH_KEYS = 1 << 18, /* in all arrays of a batch; at 10 ns a key this takes milliseconds */
    GRAPH_KEYS = 1 << 20, /* up to this n a call on a GPU is also measured as a graph         */
    MANY_KEYS = 1 << 24   /* above this n, lengths are measured for few distributions         */
};

const bench_dist bench_dists[] = {
    {"uniform", ORDO_DIST_UNIFORM, 0, false, true},
    {"gaussian", ORDO_DIST_GAUSSIAN, 0, false, true},
    {"zero", ORDO_DIST_ZERO, 0, false, false},
    {"dupes", ORDO_DIST_DUPES, 0, false, false},
    {"staggered", ORDO_DIST_STAGGERED, 0, false, false},
    {"bucket", ORDO_DIST_BUCKET, 0, false, false},
    {"few", ORDO_DIST_FEW, 0, true, false},
    {"zipf", ORDO_DIST_ZIPF, 0, true, true},
    {"sorted", ORDO_DIST_SORTED, 0, false, false},
    {"reverse", ORDO_DIST_REVERSE, 0, false, false},
    {"organpipe", ORDO_DIST_ORGANPIPE, 0, true, false},
    {"sawtooth", ORDO_DIST_SAWTOOTH, 0, false, false},
    {"ksorted", ORDO_DIST_KSORTED, 100, false, false},
    {"signed", ORDO_DIST_SIGNED, 0, true, false},
    {"normal", ORDO_DIST_NORMAL, 0, true, true},
    {"loguniform", ORDO_DIST_LOGUNIFORM, 0, true, true},
    {"outliers", ORDO_DIST_OUTLIERS, 0, true, false},
    {"timestamps", ORDO_DIST_TIMESTAMPS, 0, true, false},
    {"prices", ORDO_DIST_PRICES, 0, true, false},
    {"sensors", ORDO_DIST_SENSORS, 0, true, false},
    {NULL, ORDO_DIST_UNIFORM, 0, false, false},
};

const char *bench_pick(const bench *b, const char *host, const char *gpu)
{
    return b->place == NULL ? host : gpu;
}

uint64_t bench_flags(const bench *b) { return b->place == NULL ? 0 : (uint64_t)ORDO_ON_DEVICE; }

void *bench_stream(const bench *b) { return b->place == NULL ? NULL : b->place->stream; }

void bench_heading_over(bench *b, const char *what, const char *base, size_t n, const char *label,
                        int label_width)
{
    char title[160];
    snprintf(title, sizeof title, "%s; speed-up over %s", what, base);
    bench_heading(b, title, n, label, label_width);
}

size_t bench_first_n(const bench *b) { return b->place == NULL ? 1000 : 1024; }

size_t bench_next_n(const bench *b, size_t n) { return n * (b->place == NULL ? 10 : 8); }

size_t bench_next_length(size_t n) { return n * (n < MANY_KEYS ? 2 : 4); }

size_t bench_last_length(const bench *b, const bench_dist *dist)
{
    return dist->every_length || b->set.n < MANY_KEYS ? b->set.n : MANY_KEYS;
}

bench_restore bench_restore_dst(const bench *b, size_t bytes)
{
    return (bench_restore){.b = b, .to = {b->dst}, .from = {b->src}, .bytes = {bytes}};
}

ordo_status bench_restore_call(ordo_ctx *ctx, const void *what)
{
    const bench_restore *const a = what;
    const bench_place *const   place = a->b->place;
    ordo_status                status = ORDO_OK;

    for (int i = 0; i < 2 && status == ORDO_OK; i++) {
        if (a->bytes[i] == 0)
            continue;
        if (place == NULL)
            status = ordo_copy(ctx, a->to[i], a->from[i], a->bytes[i]);
        else if (!place->copy(a->to[i], a->from[i], a->bytes[i]))
            status = ORDO_E_DEVICE;
    }
    return status;
}

bench_question bench_ask(const char *op, ordo_type type, size_t n)
{
    return (bench_question){
        .op = op,
        .variant = "",
        .type = type,
        .dist = "uniform",
        .p = NAN,
        .k = NAN,
        .n = n,
    };
}

bool bench_add_both(bench *b, const char *name, bench_call *call, const void *what)
{
    return bench_add(b, name, 1, BENCH_CONTENDER, call, what) &&
           (b->set.threads == 1 || bench_add(b, name, b->set.threads, BENCH_CONTENDER, call, what));
}

size_t bench_batch(size_t n) { return n < BATCH_KEYS ? BATCH_KEYS / n : 1; }

void bench_drop_slow(const bench *b, bench_algorithm *algorithms, size_t count, double growth)
{
    for (size_t i = 0; i < count; i++) {
        bench_algorithm *const a = &algorithms[i];
        const double           now = bench_last_median(b, a->name, 1);
        a->out = a->out || now * pow(growth, a->power) > b->set.patience;
    }
}

bool bench_measure_auto(bench *b, const bench_peer_ask *peers, bench_call *call, const void *what,
                        const bench_question *question)
{
    void *const graph =
        b->place != NULL && question->n <= GRAPH_KEYS ? bench_cuda_record(b, call, what) : NULL;
    const bool ok = bench_add_all_peers(b, peers) && bench_add_both(b, "auto", call, what) &&
                    (graph == NULL || bench_add_both(b, "auto, graph", bench_cuda_replay, graph)) &&
                    bench_measure(b, question);

    if (graph != NULL)
        bench_cuda_forget(graph);
    return ok;
}
