/* bench_cuda_radius.c - the experiments of the Roughsort paper on the GPU: `ordo bench radius
 * --device cuda` finds how far an array is from sorted (figures 1 and 2, and the radius swept), and
 * the section `rough` of sort sorts such arrays (figures 3 to 6, and at the size of a GPU).
 *
 * The peer of the radius is what one builds from CUB: prefix maxima, a binary search for each key
 * and a reduction. As in the paper, ROUGH is told the radius; AUTO finds out by itself. */
#include "bench_cuda.h"
#include "bench_peers.h"

#include <math.h>
#include <stdio.h>

typedef struct radius_args {
    ordo_type       type;
    const void     *keys;
    size_t          n;
    uint64_t       *answer;
    ordo_order_opts opts;
} radius_args;

static ordo_status call_radius(ordo_ctx *ctx, const void *what)
{
    const radius_args *const a = what;
    size_t                   radius = 0;
    const ordo_status        status = ordo_radius(ctx, a->type, a->keys, a->n, &radius, &a->opts);
    *a->answer = radius;
    return status;
}

static ordo_status call_is_sorted(ordo_ctx *ctx, const void *what)
{
    const radius_args *const a = what;
    int                      sorted = 0;
    const ordo_status status = ordo_is_sorted(ctx, a->type, a->keys, a->n, &sorted, NULL, &a->opts);
    *a->answer = (uint64_t)sorted;
    return status;
}

/* Measures the radius of the keys in b->src; k is NAN if they are no k-sorted array. The test for
 * order, which leaves at the first break, stands beside it where there is none. */
static bool radius_once(bench *b, const char *label, ordo_type type, size_t n, double k)
{
    uint64_t             answer = 0;
    bench_question       q = bench_ask("radius", type, n);
    const radius_args    args = {.type = type,
                                 .keys = b->src,
                                 .n = n,
                                 .answer = &answer,
                                 .opts = ORDO_OPTS(ordo_order_opts, .flags = BENCH_ON_DEVICE,
                                                   .stream = bench_cuda_stream())};
    const bench_peer_ask peers = {.op = BENCH_PEER_RADIUS,
                                  .type = type,
                                  .task = {.keys = b->src, .out = &answer, .n = n},
                                  .base = "cub scan, search"};

    q.dist = isnan(k) ? "uniform" : "ksorted";
    q.k = k;
    q.bytes = n * ordo_type_size(type);
    q.answer = &answer;
    q.answer_bytes = sizeof answer;
    snprintf(q.label, sizeof q.label, "%s", label);
    return bench_add_all_peers(b, &peers) && bench_add_both(b, "auto", call_radius, &args) &&
           (!(k == 0) || bench_add(b, "is_sorted", 1, BENCH_BESIDE, call_is_sorted, &args)) &&
           bench_measure(b, &q);
}

static bool run_k(bench *b)
{
    static const size_t radii[] = {0, 1, 2, 6, 15, 100, 1000, 10000, 100000, 1000000, 10000000};

    bench_heading(b, "Radius of k-sorted u32 keys; speed-up over CUB's scan and searches", b->set.n,
                  "k", 11);
    for (size_t i = 0; i < sizeof radii / sizeof *radii && radii[i] < b->set.n / 2; i++) {
        char count[32];
        if (!bench_generate_k(b, ORDO_DIST_KSORTED, ORDO_U32, b->src, b->set.n, radii[i]) ||
            !radius_once(b, bench_count(count, radii[i]), ORDO_U32, b->set.n, (double)radii[i]))
            return false;
    }
    return bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U32, b->src, b->set.n, 0) &&
           radius_once(b, "uniform", ORDO_U32, b->set.n, NAN) && bench_summary(b, "auto", true);
}

/* Figures 1 and 2 go to 2 million keys. */
static bool run_n(bench *b)
{
    static const size_t radii[] = {2, 100};

    bench_heading(b, "Radius, number of keys n (figures 1, 2), u32; speed-up over CUB", 0, "n, k",
                  18);
    for (size_t i = 0; i < sizeof radii / sizeof *radii; i++) {
        for (size_t n = 1000; n <= b->set.n; n *= 10) {
            char count[32], label[40];
            snprintf(label, sizeof label, "%s, %zu", bench_count(count, n), radii[i]);
            if (!bench_generate_k(b, ORDO_DIST_KSORTED, ORDO_U32, b->src, n, radii[i]) ||
                !radius_once(b, label, ORDO_U32, n, (double)radii[i]))
                return false;
        }
    }
    return true;
}

static bool run_types(bench *b)
{
    bench_heading(b, "Radius, key types, k = 100; speed-up over CUB's scan and searches", b->set.n,
                  "keys", 6);
    for (int type = ORDO_I32; type <= ORDO_F64; type++) { /* narrower ones have too few values */
        if (!bench_generate_k(b, ORDO_DIST_KSORTED, (ordo_type)type, b->src, b->set.n, 100) ||
            !radius_once(b, ordo_type_name((ordo_type)type), (ordo_type)type, b->set.n, 100))
            return false;
    }
    return bench_summary(b, "auto", false);
}

const bench_section bench_cuda_radius_sections[] = {
    {"k", 4, 4, 0, run_k, true},
    {"n", 4, 4, 0, run_n, true},
    {"types", 8, 8, 0, run_types, true},
    {NULL, 0, 0, 0, NULL, false},
};

/* ---- Sorting k-sorted arrays ------------------------------------------------------------- */

enum {
    ROUGH_STEPS = 8, /* lengths up to the longest                                         */
    ROUGH_LONGEST = 2000000
};

typedef struct rough_args {
    void          *keys;
    size_t         n;
    ordo_sort_opts opts;
} rough_args;

static ordo_status call_sort(ordo_ctx *ctx, const void *what)
{
    const rough_args *const a = what;
    return ordo_sort(ctx, ORDO_U32, a->keys, a->n, &a->opts);
}

static bool rough_once(bench *b, const char *label, size_t n, size_t k)
{
    static const struct {
        const char    *name;
        ordo_algorithm algorithm;
    } algorithms[] = {{"auto", ORDO_ALGORITHM_AUTO}, {"rough", ORDO_ALGORITHM_ROUGH}};
    enum {
        COUNT = sizeof algorithms / sizeof *algorithms
    };
    bench_question       q = bench_ask("sort", ORDO_U32, n);
    const size_t         bytes = n * sizeof(uint32_t);
    const bench_restore  restore = {.to = {b->dst}, .from = {b->src}, .bytes = {bytes}};
    const bench_peer_ask peers = {.op = BENCH_PEER_SORT,
                                  .type = ORDO_U32,
                                  .task = {.keys = b->src, .out = b->dst, .n = n},
                                  .only = "cub radix,cub merge",
                                  .base = "cub merge"};
    rough_args           args[COUNT];

    q.dist = "ksorted";
    q.k = (double)k;
    q.bytes = 2 * bytes;
    q.answer = b->dst;
    q.answer_bytes = bytes;
    q.prepare = bench_cuda_restore;
    q.prepare_what = &restore;
    snprintf(q.label, sizeof q.label, "%s", label);
    if (!bench_generate_k(b, ORDO_DIST_KSORTED, ORDO_U32, b->src, n, k) ||
        !bench_add_all_peers(b, &peers))
        return false;
    for (size_t i = 0; i < COUNT; i++) {
        args[i] = (rough_args){
            .keys = b->dst,
            .n = n,
            .opts = ORDO_OPTS(ordo_sort_opts, .flags = BENCH_ON_DEVICE,
                              .radius = algorithms[i].algorithm == ORDO_ALGORITHM_ROUGH ? k : 0,
                              .algorithm = (uint32_t)algorithms[i].algorithm,
                              .stream = bench_cuda_stream()),
        };
        if (!bench_add_both(b, algorithms[i].name, call_sort, &args[i]))
            return false;
    }
    return bench_measure(b, &q);
}

/* Figures 3 and 4: n swept. */
static bool rough_by_n(bench *b, size_t k, const char *figure)
{
    const size_t longest = b->set.n < ROUGH_LONGEST ? b->set.n : ROUGH_LONGEST;
    char         title[96];

    snprintf(title, sizeof title,
             "Sort k-sorted u32 keys (%s), k = %zu; speed-up over CUB's merge sort", figure, k);
    bench_heading(b, title, 0, "n, k", 15);
    for (size_t step = 1; step <= ROUGH_STEPS; step++) {
        const size_t n = longest / ROUGH_STEPS * step;
        char         count[32], label[40];
        snprintf(label, sizeof label, "%s, %zu", bench_count(count, n), k);
        if (!rough_once(b, label, n, k))
            return false;
    }
    return true;
}

/* Figures 5 and 6: k swept; and once more at the size of a GPU. */
static bool rough_by_k(bench *b, size_t n, const char *figure)
{
    static const size_t radii[] = {1,  2,   5,   10,   15,   20,    25,    30,    40,
                                   50, 100, 300, 1000, 4000, 10000, 30000, 100000};
    char                title[96], count[32];

    if (n > b->set.n)
        return true;
    snprintf(title, sizeof title,
             "Sort k-sorted u32 keys (%s), n = %s; speed-up over CUB's merge sort", figure,
             bench_count(count, n));
    bench_heading(b, title, 0, "n, k", 20);
    for (size_t i = 0; i < sizeof radii / sizeof *radii && radii[i] < n / 2; i++) {
        char label[40];
        snprintf(label, sizeof label, "%.18s, %u", count, (unsigned)radii[i]);
        if (!rough_once(b, label, n, radii[i]))
            return false;
    }
    return true;
}

bool bench_cuda_rough(bench *b)
{
    return rough_by_n(b, 2, "figure 3") && rough_by_n(b, 15, "figure 4") &&
           rough_by_k(b, 750000, "figure 5") && rough_by_k(b, 1250000, "figure 6") &&
           rough_by_k(b, b->set.n, "beyond the paper");
}
