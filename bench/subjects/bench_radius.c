/* bench_radius.c - `ordo bench radius`, on the host and on a GPU: the radius of k-sorted arrays
 * (figures 1 and 2 of the Roughsort paper, and a sweep of k). bench_rough.c sorts such arrays.
 *
 * Figures 1 and 2: the paper's sequential algorithm and its rounds of doubling on the GPU (prefix),
 * and scans, with a new array in every round. In a run on a GPU the sequential algorithm is timed
 * too, by one thread on a host copy of the keys.
 * On the host a plain read of the keys (a sum) and is_sorted of a sorted array are timed for
 * comparison. The peer on a GPU is built from CUB: prefix maxima, a binary search for each key and
 * a reduction. There is_sorted is timed only if the keys are sorted, because it stops at the first
 * descent. */
#include "bench/harness/bench_cuda.h"
#include "bench/subjects/bench_order.h"
#include "bench/subjects/bench_subjects.h"

#include <math.h>
#include <stdio.h>

/* The keys are in b->src; on the host b->flags holds a sorted array of the same length. */
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
    const ordo_status        status =
        ordo_is_sorted(ctx, a->type, a->sorted, a->n, &sorted, NULL, &a->opts);
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
    return b->place != NULL || bench_generate(b, ORDO_DIST_SORTED, type, b->flags, n, 0);
}

static const char *reference(const bench *b)
{
    return bench_pick(b, "the sequential algorithm", "CUB's scan and searches");
}

static ordo_status call_on_host(ordo_ctx *ctx, const void *what)
{
    (void)ctx;
    return call_radius(bench_cuda_host_context(), what);
}

/* On the host: the paper's algorithm, is_sorted, a plain read. The library refuses `prefix` there,
 * and the row is left out. */
static bool add_of_host(bench *b, const radius_args *paper, const radius_args *gpu,
                        const radius_args *found)
{
    return bench_add(b, "sequential", 1, BENCH_BASE, call_radius, paper) &&
           bench_add_both(b, "auto", call_radius, found) &&
           bench_add(b, "is_sorted", 1, BENCH_BESIDE, call_is_sorted, found) &&
           (b->set.threads == 1 ||
            bench_add(b, "is_sorted", b->set.threads, BENCH_BESIDE, call_is_sorted, found)) &&
           bench_add(b, "sum", 1, BENCH_BESIDE, call_read, found) &&
           bench_add(b, "prefix", 1, BENCH_CONTENDER, call_radius, gpu);
}

static bool add_of_gpu(bench *b, const radius_args *prefix, const radius_args *scans,
                       const radius_args *host, const radius_args *found, bool in_order)
{
    const bench_peer_ask peers = {.op = BENCH_PEER_RADIUS,
                                  .type = found->type,
                                  .task = {.keys = b->src, .out = found->answer, .n = found->n},
                                  .base = "cub scan, search"};
    if (!bench_add_all_peers(b, &peers) || !bench_add_both(b, "auto", call_radius, found) ||
        !bench_add(b, "prefix", 1, BENCH_CONTENDER, call_radius, prefix) ||
        !bench_add(b, "scans", 1, BENCH_CONTENDER, call_radius, scans) ||
        bench_cuda_host_context() == NULL ||
        !bench_add(b, "sequential, host", 1, BENCH_CONTENDER, call_on_host, host))
        return false;
    bench_describe(b, (bench_parameters){.where = ORDO_CPU});
    return !in_order || bench_add(b, "is_sorted", 1, BENCH_BESIDE, call_is_sorted, found);
}

/* Measures the radius of the keys in b->src, or of `arrays` if that is not NULL; k is NAN if they
 * are not k-sorted. */
static bool radius_once(bench *b, const char *label, ordo_type type, size_t n, double k,
                        const char *dist, bench_arrays *arrays)
{
    uint64_t       answer = 0;
    bench_question q = bench_ask("radius", type, n);
    radius_args    found = {
           .type = type,
           .keys = b->src,
           .sorted = b->place == NULL ? b->flags : b->src,
           .n = n,
           .answer = &answer,
           .opts = ORDO_OPTS(ordo_order_opts, .flags = bench_flags(b), .stream = bench_stream(b))};
    radius_args paper = found, host = found, prefix = found, scans = found;

    prefix.opts.algorithm = ORDO_ALGORITHM_PREFIX;
    scans.opts.algorithm = ORDO_ALGORITHM_SCANS;
    paper.opts.algorithm = ORDO_ALGORITHM_SEQUENTIAL;
    host.keys = b->place == NULL ? NULL : arrays != NULL ? arrays->now : bench_cuda_host_keys();
    host.opts = ORDO_OPTS(ordo_order_opts, .algorithm = ORDO_ALGORITHM_SEQUENTIAL);
    q.dist = isnan(k) ? "uniform" : dist;
    q.k = k;
    q.bytes = n * ordo_type_size(type);
    q.answer = &answer;
    q.answer_bytes = sizeof answer;
    q.fresh = arrays == NULL;
    if (arrays != NULL) {
        q.prepare = bench_arrays_take;
        q.prepare_what = arrays;
        q.round = &arrays->round;
        q.arrays = (unsigned)arrays->count;
    }
    snprintf(q.label, sizeof q.label, "%s", label);
    return (b->place == NULL ? add_of_host(b, &paper, &prefix, &found)
                             : add_of_gpu(b, &prefix, &scans, &host, &found, k == 0)) &&
           bench_measure(b, &q);
}

static bool run_k(bench *b)
{
    static const size_t radii[] = {0, 1, 2, 6, 15, 100, 1000, 10000, 100000, 1000000, 10000000};

    bench_heading_over(b, "Radius of k-sorted u32 keys", reference(b), b->set.n, "k", 11);
    if (!make_sorted(b, ORDO_U32, b->set.n))
        return false;
    for (size_t i = 0; i < sizeof radii / sizeof *radii && radii[i] < b->set.n / 2; i++) {
        char count[32];
        if (!bench_generate_k(b, ORDO_DIST_KSORTED, ORDO_U32, b->src, b->set.n, radii[i]) ||
            !radius_once(b, bench_count(count, radii[i]), ORDO_U32, b->set.n, (double)radii[i],
                         "ksorted", NULL))
            return false;
    }
    return bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U32, b->src, b->set.n, 0) &&
           radius_once(b, "uniform", ORDO_U32, b->set.n, NAN, "uniform", NULL) &&
           bench_summary(b, "auto", true);
}

static bool n_once(bench *b, size_t n, size_t k)
{
    char         count[32], label[40];
    bench_arrays arrays;

    snprintf(label, sizeof label, "%s, %zu", bench_count(count, n), k);
    if (!make_sorted(b, ORDO_U32, n) ||
        !bench_arrays_make(b, &arrays, ORDO_DIST_SHUFFLED, n, k, b->place != NULL))
        return false;
    const bool ok = radius_once(b, label, ORDO_U32, n, (double)k, "shuffled", &arrays);
    bench_arrays_free(&arrays);
    return ok;
}

/* Figures 1 and 2 go up to 2 million keys; this section adds smaller and larger sizes. */
static bool run_n(bench *b)
{
    static const size_t radii[] = {2, 100};
    static const size_t sizes[] = {1000,   10000,   25000,   50000,   100000,   150000,    250000,
                                   500000, 1000000, 1500000, 2000000, 10000000, 100000000, 0};

    for (size_t i = 0; i < sizeof radii / sizeof *radii; i++) {
        char title[64];
        snprintf(title, sizeof title, "Radius, number of keys n (figure %zu), u32, k = %zu", i + 1,
                 radii[i]);
        bench_heading_over(b, title, reference(b), 0, "n, k", 18);
        for (size_t j = 0; sizes[j] != 0 && sizes[j] <= b->set.n; j++)
            if (!n_once(b, sizes[j], radii[i]))
                return false;
    }
    return true;
}

static bool run_types(bench *b)
{
    bench_heading_over(b, "Radius, key types, k = 100", reference(b), b->set.n, "keys", 6);
    for (int type = ORDO_I32; type <= ORDO_F64; type++) { /* narrower types have too few values */
        if (!make_sorted(b, (ordo_type)type, b->set.n) ||
            !bench_generate_k(b, ORDO_DIST_KSORTED, (ordo_type)type, b->src, b->set.n, 100) ||
            !radius_once(b, ordo_type_name((ordo_type)type), (ordo_type)type, b->set.n, 100,
                         "ksorted", NULL))
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

const bench_section bench_cuda_radius_sections[] = {
    {"k", 4, 4, 0, run_k, true},
    {"n", 4, 4, 0, run_n, true},
    {"types", 8, 8, 0, run_types, true},
    {NULL, 0, 0, 0, NULL, false},
};
