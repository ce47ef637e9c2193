/* bench_rough.c - section `rough` of `ordo bench sort`: k-sorted arrays, figures 3 to 6 of the
 * Roughsort paper, on the host and on a GPU; on a GPU also with n keys.
 *
 * The paper's five sorts are halving with one thread, rough on the GPU, std::stable_sort, CUB's
 * merge sort and bubble. On a GPU the sequential ones are timed in the same run, on a host copy of
 * the keys, so that the crossovers can be read. As in the paper, every round has a new array, the
 * arrays of the GPU are already there, ROUGH, INSERTION, HALVING and WINDOWS get the radius, and
 * its measurement is not timed. AUTO does not get the radius. A few keys are also sorted by the
 * paper's first attempt, a call of Thrust's sort for each segment
 * (bench/cuda/thrust_streams.cu). */
#include "bench/harness/bench_cuda.h"
#include "bench/subjects/bench_order.h"
#include "bench/subjects/bench_subjects.h"

#include <stdio.h>

enum {
    ALGORITHMS = 8,
    ON_HOST = 2, /* sequential sorts that a run on a GPU times on the host */
    LONGEST = 2000000
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

static ordo_status call_host_sort(ordo_ctx *ctx, const void *what)
{
    (void)ctx;
    return call_sort(bench_cuda_host_context(), what);
}

/* A contender that only a run on a GPU measures. */
static ordo_status call_left_out(ordo_ctx *ctx, const void *what)
{
    (void)ctx;
    (void)what;
    bench_set_reason("--device cuda measures it");
    return ORDO_E_UNSUPPORTED;
}

/* Only the time of bubble sort grows with the radius. */
static void list_algorithms(const bench *b, bench_algorithm algorithms[ALGORITHMS])
{
    const bool            gpu = b->place != NULL;
    const bench_algorithm all[ALGORITHMS] = {
        {"auto", 0, ORDO_ALGORITHM_AUTO, false},
        {"windows", 0, ORDO_ALGORITHM_WINDOWS, false},
        {"rough", 0, ORDO_ALGORITHM_ROUGH, false},
        {"insertion", 0, ORDO_ALGORITHM_INSERTION, !gpu},
        {"halving", 0, ORDO_ALGORITHM_HALVING, false},
        {"bubble", 1, ORDO_ALGORITHM_BUBBLE, gpu},
        {"merge", 0, ORDO_ALGORITHM_MERGE, gpu},
        {"radix", 0, ORDO_ALGORITHM_RADIX, gpu},
    };
    for (size_t i = 0; i < ALGORITHMS; i++)
        algorithms[i] = all[i];
}

static const char *reference(const bench *b)
{
    return bench_pick(b, "std::stable_sort", "CUB's merge sort");
}

/* ---- One question ---- */

typedef struct rough_table { /* one table */
    bench_algorithm algorithms[ALGORITHMS];
    bool            on_host;  /* on a GPU: also measures the sequential sorts on the host */
    bool            streams;  /* on a GPU: also measures Thrust's sort of each segment */
    bool            is_first; /* the first row: names what is left out */
} rough_table;

/* Brings the array of the round, and makes a copy of it to be sorted. */
typedef struct rough_restore {
    bench_restore       device;
    const bench_arrays *arrays;
} rough_restore;

static ordo_status restore_both(ordo_ctx *ctx, const void *what)
{
    const rough_restore *const a = what;
    const ordo_status          status = bench_arrays_take(ctx, a->arrays);
    return status != ORDO_OK ? status : bench_restore_call(ctx, &a->device);
}

static rough_args args_of(void *keys, size_t n, size_t k, ordo_algorithm algorithm)
{
    const bool told = algorithm == ORDO_ALGORITHM_ROUGH || algorithm == ORDO_ALGORITHM_HALVING ||
                      algorithm == ORDO_ALGORITHM_WINDOWS || algorithm == ORDO_ALGORITHM_INSERTION;
    return (rough_args){.keys = keys,
                        .n = n,
                        .opts = ORDO_OPTS(ordo_sort_opts, .radius = told ? k : 0,
                                          .algorithm = (uint32_t)algorithm)};
}

/* The peers of this place; on a GPU also std::stable_sort of `host`, if that is not NULL. */
static bool add_peers(bench *b, const rough_table *table, size_t n, size_t k, uint32_t *host)
{
    const bench_peer_ask here = {
        .op = BENCH_PEER_SORT,
        .type = ORDO_U32,
        .task = {.keys = b->place == NULL ? b->dst : b->src, .out = b->dst, .n = n},
        .only = bench_pick(b, "std::stable_sort,std::sort,gnu parallel", "cub radix,cub merge"),
        .base = bench_pick(b, "std::stable_sort", "cub merge")};
    const bench_peer_ask merge = {.op = BENCH_PEER_HOST_SORT,
                                  .type = ORDO_U32,
                                  .task = {.keys = host, .out = host, .n = n},
                                  .loose = "std::stable_sort, host"};
    const bench_peer_ask streams = {.op = BENCH_PEER_STREAM_SORT,
                                    .type = ORDO_U32,
                                    .task = {.keys = b->src, .out = b->dst, .count = k, .n = n}};
    return bench_add_all_peers(b, &here) && (host == NULL || bench_add_all_peers(b, &merge)) &&
           (!table->streams || bench_add_all_peers(b, &streams));
}

static bool add_of_host(bench *b, uint32_t *host, size_t n, size_t k, rough_args args[ON_HOST])
{
    if (host == NULL)
        return true;
    args[0] = args_of(host, n, k, ORDO_ALGORITHM_HALVING);
    args[1] = args_of(host, n, k, ORDO_ALGORITHM_BUBBLE);
    if (!bench_add(b, "halving, host", 1, BENCH_BESIDE, call_host_sort, &args[0]))
        return false;
    bench_describe(b, (bench_parameters){.where = ORDO_CPU});
    if (!bench_add(b, "bubble, host", 1, BENCH_BESIDE, call_host_sort, &args[1]))
        return false;
    bench_describe(b, (bench_parameters){.where = ORDO_CPU});
    return true;
}

static bool measure_arrays(bench *b, const char *label, size_t n, size_t k, rough_table *table,
                           bench_arrays *arrays)
{
    bench_question      q = bench_ask("sort", ORDO_U32, n);
    const size_t        bytes = n * sizeof(uint32_t);
    const rough_restore restore = {bench_restore_dst(b, bytes), arrays};
    rough_args          args[ALGORITHMS], on_host[ON_HOST];

    q.dist = "shuffled";
    q.k = (double)k;
    q.bytes = 2 * bytes;
    q.answer = b->dst;
    q.answer_bytes = bytes;
    q.prepare = restore_both;
    q.prepare_what = &restore;
    q.round = &arrays->round;
    q.arrays = (unsigned)arrays->count;
    snprintf(q.label, sizeof q.label, "%s", label);
    if (!add_peers(b, table, n, k, arrays->now) || !add_of_host(b, arrays->now, n, k, on_host))
        return false;
    for (size_t i = 0; i < ALGORITHMS; i++) {
        const bench_algorithm *const way = &table->algorithms[i];
        args[i] = args_of(b->dst, n, k, way->algorithm);
        args[i].opts.flags = bench_flags(b);
        args[i].opts.stream = bench_stream(b);
        if (!way->out && !bench_add_both(b, way->name, call_sort, &args[i]))
            return false;
    }
    if (b->place == NULL && table->is_first &&
        (!bench_add(b, "rough, gpu", 1, BENCH_CONTENDER, call_left_out, NULL) ||
         !bench_add(b, "cub merge", 1, BENCH_CONTENDER, call_left_out, NULL)))
        return false;
    table->is_first = false;
    return bench_measure(b, &q);
}

static bool rough_once(bench *b, const char *label, size_t n, size_t k, rough_table *table)
{
    bench_arrays arrays;

    if (!bench_arrays_make(b, &arrays, ORDO_DIST_SHUFFLED, n, k, table->on_host))
        return false;
    const bool ok = measure_arrays(b, label, n, k, table, &arrays);
    bench_arrays_free(&arrays);
    return ok;
}

/* ---- Tables ---- */

/* Figures 3 and 4, and the first attempt: n varies; the list ends with 0. */
static bool rough_by_n(bench *b, size_t k, const size_t *sizes, const char *figure, bool streams)
{
    rough_table table = {.on_host = b->place != NULL, .streams = streams, .is_first = true};
    char        title[96];

    list_algorithms(b, table.algorithms);
    snprintf(title, sizeof title, "Sort k-sorted u32 keys (%s), k = %zu", figure, k);
    bench_heading_over(b, title, reference(b), 0, "n, k", 15);
    for (size_t i = 0; sizes[i] != 0; i++) {
        const size_t n = sizes[i] < b->set.n ? sizes[i] : b->set.n;
        char         count[32], label[48];
        snprintf(label, sizeof label, "%s, %zu", bench_count(count, n), k);
        if (!rough_once(b, label, n, k, &table))
            return false;
        if (n == b->set.n)
            break;
    }
    return true;
}

/* Figures 5 and 6: k varies; the list ends with 0. */
static bool rough_by_k(bench *b, size_t n, const size_t *radii, const char *figure, bool on_host)
{
    rough_table table = {.on_host = on_host, .is_first = true};
    char        title[96], count[32];

    if (n > b->set.n)
        return true;
    list_algorithms(b, table.algorithms);
    snprintf(title, sizeof title, "Sort k-sorted u32 keys (%s), n = %s", figure,
             bench_count(count, n));
    bench_heading_over(b, title, reference(b), 0, "n, k", b->place == NULL ? 18 : 20);
    for (size_t i = 0; radii[i] != 0 && radii[i] < n / 2; i++) {
        char label[56];
        snprintf(label, sizeof label, "%s, %zu", count, radii[i]);
        if (!rough_once(b, label, n, radii[i], &table))
            return false;
        bench_drop_slow(b, table.algorithms, ALGORITHMS, (double)radii[i + 1] / (double)radii[i]);
    }
    return true;
}

bool bench_rough(bench *b)
{
    static const size_t sizes[] = {25000,   50000,   100000,  150000,  250000,  500000, 750000,
                                   1000000, 1250000, 1500000, 1750000, LONGEST, 0};
    static const size_t few[] = {1000, 4000, 0};
    static const size_t of_host[] = {1,  2,  5,   10,  15,   20,    25,     30, 40,
                                     50, 75, 100, 300, 1000, 10000, 100000, 0};
    static const size_t of_paper[] = {2, 5, 10, 15, 20, 25, 30, 40, 50, 0};
    static const size_t beyond[] = {1, 16, 128, 1000, 8192, 0};
    const bool          gpu = b->place != NULL;
    const size_t        small = b->set.n < 750000 ? b->set.n : 750000;
    const size_t *const radii = gpu ? of_paper : of_host;

    if (gpu && bench_cuda_host_context() == NULL)
        return false;
    return rough_by_n(b, 2, sizes, "figure 3", false) &&
           rough_by_n(b, 15, sizes, "figure 4", false) &&
           rough_by_k(b, small, radii, "figure 5", gpu) &&
           rough_by_k(b, 1250000, radii, "figure 6", gpu) &&
           (!gpu || (rough_by_n(b, 2, few, "section 7", true) &&
                     rough_by_n(b, 15, few, "section 7", true) &&
                     rough_by_k(b, b->set.n, beyond, "beyond the paper", false)));
}
