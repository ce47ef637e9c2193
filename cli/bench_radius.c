/* bench_radius.c - the experiments of the Roughsort paper: `ordo bench radius` finds how far an
 * array is from sorted (the paper's figures 1 and 2, and the radius swept), and the section `rough`
 * of `ordo bench sort` sorts such arrays (figures 3 to 6).
 *
 * A radius is read off one pass over the keys, so it stands beside a plain read of them (a sum) and
 * beside the test for order on a sorted array. As in the paper, ROUGH and HALVING are told the
 * radius, and the finding of it is not timed with them; AUTO finds out by itself. */
#include "bench_order.h"
#include "bench_peers.h"

#include <math.h>
#include <stdio.h>

/* The keys are in b->src, a sorted array of as many in b->flags. */
typedef struct radius_args {
    ordo_type       type;
    const void     *keys, *sorted;
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
    const ordo_status status = ordo_is_sorted(ctx, a->type, a->sorted, a->n, &sorted, NULL, NULL);
    *a->answer = (uint64_t)sorted;
    return status;
}

static ordo_status call_read(ordo_ctx *ctx, const void *what)
{
    const radius_args *const a = what;
    (void)ctx;
    *a->answer = bench_read(a->keys, a->n * ordo_type_size(a->type));
    return ORDO_OK;
}

static bool make_sorted(bench *b, ordo_type type, size_t n)
{
    return bench_generate(b, ORDO_DIST_SORTED, type, b->flags, n, 0);
}

/* Measures the radius of the keys in b->src; k is NAN if they are no k-sorted array. */
static bool radius_once(bench *b, const char *label, ordo_type type, size_t n, double k)
{
    uint64_t       answer = 0;
    bench_question q = bench_ask("radius", type, n);
    radius_args    found = {.type = type,
                            .keys = b->src,
                            .sorted = b->flags,
                            .n = n,
                            .answer = &answer,
                            .opts.struct_size = sizeof(ordo_order_opts)};
    radius_args    paper = found;

    paper.opts.algorithm = ORDO_ALGORITHM_SEQUENTIAL;
    q.dist = isnan(k) ? "uniform" : "ksorted";
    q.k = k;
    q.bytes = n * ordo_type_size(type);
    q.answer = &answer;
    q.answer_bytes = sizeof answer;
    snprintf(q.label, sizeof q.label, "%s", label);
    return bench_add(b, "sequential", 1, BENCH_BASE, call_radius, &paper) &&
           bench_add_both(b, "auto", call_radius, &found) &&
           bench_add(b, "is_sorted", 1, BENCH_BESIDE, call_is_sorted, &found) &&
           (b->set.threads == 1 ||
            bench_add(b, "is_sorted", b->set.threads, BENCH_BESIDE, call_is_sorted, &found)) &&
           bench_add(b, "sum", 1, BENCH_BESIDE, call_read, &found) && bench_measure(b, &q);
}

static bool run_k(bench *b)
{
    static const size_t radii[] = {0, 1, 2, 6, 15, 100, 1000, 10000, 100000, 1000000, 10000000};

    bench_heading(b, "Radius of k-sorted u32 keys; speed-up over the sequential algorithm",
                  b->set.n, "k", 11);
    if (!make_sorted(b, ORDO_U32, b->set.n))
        return false;
    for (size_t i = 0; i < sizeof radii / sizeof *radii && radii[i] < b->set.n / 2; i++) {
        char count[32];
        if (!bench_generate_k(b, ORDO_DIST_KSORTED, ORDO_U32, b->src, b->set.n, radii[i]) ||
            !radius_once(b, bench_count(count, radii[i]), ORDO_U32, b->set.n, (double)radii[i]))
            return false;
    }
    return bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U32, b->src, b->set.n, 0) &&
           radius_once(b, "uniform", ORDO_U32, b->set.n, NAN) && bench_summary(b, "auto", true);
}

static bool run_n(bench *b)
{
    static const size_t radii[] = {2, 100};

    bench_heading(b, "Radius, number of keys n, u32; speed-up over the sequential algorithm", 0,
                  "n, k", 18);
    for (size_t i = 0; i < sizeof radii / sizeof *radii; i++) {
        for (size_t n = 1000; n <= b->set.n; n *= 10) {
            char count[32], label[40];
            snprintf(label, sizeof label, "%s, %zu", bench_count(count, n), radii[i]);
            if (!make_sorted(b, ORDO_U32, n) ||
                !bench_generate_k(b, ORDO_DIST_KSORTED, ORDO_U32, b->src, n, radii[i]) ||
                !radius_once(b, label, ORDO_U32, n, (double)radii[i]))
                return false;
        }
    }
    return true;
}

static bool run_types(bench *b)
{
    bench_heading(b, "Radius, key types, k = 100; speed-up over the sequential algorithm", b->set.n,
                  "keys", 6);
    for (int type = ORDO_I32; type <= ORDO_F64; type++) { /* narrower ones have too few values */
        if (!make_sorted(b, (ordo_type)type, b->set.n) ||
            !bench_generate_k(b, ORDO_DIST_KSORTED, (ordo_type)type, b->src, b->set.n, 100) ||
            !radius_once(b, ordo_type_name((ordo_type)type), (ordo_type)type, b->set.n, 100))
            return false;
    }
    return bench_summary(b, "auto", false);
}

const bench_section bench_radius_sections[] = {
    {"k", 4, 4, 4, run_k, false},
    {"n", 4, 4, 4, run_n, false},
    {"types", 8, 8, 8, run_types, false},
    {NULL, 0, 0, 0, NULL, false},
};

/* ---- Sorting k-sorted arrays ------------------------------------------------------------- */

enum {
    ROUGH_STEPS = 8, /* lengths up to the longest                                         */
    ROUGH_LONGEST = 2000000
};

typedef struct rough_args {
    uint32_t      *keys;
    size_t         n;
    ordo_sort_opts opts;
} rough_args;

/* Only bubble sort takes as long as the radius. */
static const bench_algorithm rough_algorithms[] = {
    {"auto", 0, ORDO_ALGORITHM_AUTO, false},       {"rough", 0, ORDO_ALGORITHM_ROUGH, false},
    {"halving", 0, ORDO_ALGORITHM_HALVING, false}, {"bubble", 1, ORDO_ALGORITHM_BUBBLE, false},
    {"merge", 0, ORDO_ALGORITHM_MERGE, false},     {"radix", 0, ORDO_ALGORITHM_RADIX, false},
};
enum {
    ROUGH_COUNT = sizeof rough_algorithms / sizeof *rough_algorithms
};

static ordo_status call_sort(ordo_ctx *ctx, const void *what)
{
    const rough_args *const a = what;
    return ordo_sort(ctx, ORDO_U32, a->keys, a->n, &a->opts);
}

static bool rough_once(bench *b, const char *label, size_t n, size_t k,
                       const bench_algorithm *algorithms)
{
    bench_question       q = bench_ask("sort", ORDO_U32, n);
    const size_t         bytes = n * sizeof(uint32_t);
    const bench_restore  restore = {.to = {b->dst}, .from = {b->src}, .bytes = {bytes}};
    const bench_peer_ask peers = {.op = BENCH_PEER_SORT,
                                  .type = ORDO_U32,
                                  .task = {.keys = b->dst, .n = n},
                                  .only = "std::stable_sort,std::sort,gnu parallel",
                                  .base = "std::stable_sort"};
    rough_args           args[ROUGH_COUNT];

    q.dist = "ksorted";
    q.k = (double)k;
    q.bytes = 2 * bytes;
    q.answer = b->dst;
    q.answer_bytes = bytes;
    q.prepare = bench_restore_call;
    q.prepare_what = &restore;
    snprintf(q.label, sizeof q.label, "%s", label);
    if (!bench_generate_k(b, ORDO_DIST_KSORTED, ORDO_U32, b->src, n, k) ||
        !bench_add_all_peers(b, &peers))
        return false;
    for (size_t i = 0; i < ROUGH_COUNT; i++) {
        const ordo_algorithm algorithm = algorithms[i].algorithm;
        const bool told = algorithm == ORDO_ALGORITHM_ROUGH || algorithm == ORDO_ALGORITHM_HALVING;
        args[i] = (rough_args){
            .keys = (uint32_t *)(void *)b->dst,
            .n = n,
            .opts =
                ORDO_OPTS(ordo_sort_opts, .algorithm = (uint32_t)algorithm, .radius = told ? k : 0),
        };
        if (!algorithms[i].out && !bench_add_both(b, algorithms[i].name, call_sort, &args[i]))
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
             "Sort k-sorted u32 keys (%s), k = %zu; speed-up over "
             "std::stable_sort",
             figure, k);
    bench_heading(b, title, 0, "n, k", 15);
    for (size_t step = 1; step <= ROUGH_STEPS; step++) {
        const size_t n = longest / ROUGH_STEPS * step;
        char         count[32], label[40];
        snprintf(label, sizeof label, "%s, %zu", bench_count(count, n), k);
        if (!rough_once(b, label, n, k, rough_algorithms))
            return false;
    }
    return true;
}

/* Figures 5 and 6: k swept. */
static bool rough_by_k(bench *b, size_t n, const char *figure)
{
    static const size_t radii[] = {1,  2,  5,  10,  15,  20,   25,    30,
                                   40, 50, 75, 100, 300, 1000, 10000, 100000};
    enum {
        RADII = sizeof radii / sizeof *radii
    };
    bench_algorithm algorithms[ROUGH_COUNT];
    char            title[96], count[32];

    if (n > b->set.n)
        return true;
    snprintf(title, sizeof title,
             "Sort k-sorted u32 keys (%s), n = %s; speed-up over "
             "std::stable_sort",
             figure, bench_count(count, n));
    bench_heading(b, title, 0, "n, k", 18);
    for (size_t i = 0; i < ROUGH_COUNT; i++)
        algorithms[i] = rough_algorithms[i];
    for (size_t i = 0; i < RADII && radii[i] < n / 2; i++) {
        char label[40];
        snprintf(label, sizeof label, "%s, %zu", count, radii[i]);
        if (!rough_once(b, label, n, radii[i], algorithms))
            return false;
        if (i + 1 < RADII)
            bench_drop_slow(b, algorithms, ROUGH_COUNT, (double)radii[i + 1] / (double)radii[i]);
    }
    return true;
}

bool bench_rough(bench *b)
{
    const size_t small = b->set.n < 750000 ? b->set.n : 750000;

    return rough_by_n(b, 2, "figure 3") && rough_by_n(b, 15, "figure 4") &&
           rough_by_k(b, small, "figure 5") && rough_by_k(b, 1250000, "figure 6");
}
