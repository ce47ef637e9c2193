/* bench_rough.c - section `rough` of `ordo bench sort`: k-sorted arrays, figures 3 to 6 of the
 * Roughsort paper, on the host and on a GPU; on a GPU also with n keys.
 *
 * As in the paper, ROUGH and HALVING get the radius, and its measurement is not timed. AUTO does
 * not get the radius. */
#include "bench/subjects/bench_order.h"
#include "bench/subjects/bench_subjects.h"

#include <stdio.h>

enum {
    ROUGH_STEPS = 8, /* sizes up to ROUGH_LONGEST */
    ROUGH_LONGEST = 2000000,
    ALGORITHMS = 6
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

/* Only the time of bubble sort grows with the radius. */
static void list_algorithms(const bench *b, bench_algorithm algorithms[ALGORITHMS])
{
    const bool            gpu = b->place != NULL;
    const bench_algorithm all[ALGORITHMS] = {
        {"auto", 0, ORDO_ALGORITHM_AUTO, false},     {"rough", 0, ORDO_ALGORITHM_ROUGH, false},
        {"halving", 0, ORDO_ALGORITHM_HALVING, gpu}, {"bubble", 1, ORDO_ALGORITHM_BUBBLE, gpu},
        {"merge", 0, ORDO_ALGORITHM_MERGE, gpu},     {"radix", 0, ORDO_ALGORITHM_RADIX, gpu},
    };
    for (size_t i = 0; i < ALGORITHMS; i++)
        algorithms[i] = all[i];
}

static const char *reference(const bench *b)
{
    return bench_pick(b, "std::stable_sort", "CUB's merge sort");
}

static bool rough_once(bench *b, const char *label, size_t n, size_t k,
                       const bench_algorithm *algorithms)
{
    bench_question       q = bench_ask("sort", ORDO_U32, n);
    const size_t         bytes = n * sizeof(uint32_t);
    const bench_restore  restore = bench_restore_dst(b, bytes);
    const bench_peer_ask peers = {
        .op = BENCH_PEER_SORT,
        .type = ORDO_U32,
        .task = {.keys = b->place == NULL ? b->dst : b->src, .out = b->dst, .n = n},
        .only = bench_pick(b, "std::stable_sort,std::sort,gnu parallel", "cub radix,cub merge"),
        .base = bench_pick(b, "std::stable_sort", "cub merge")};
    rough_args args[ALGORITHMS];

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
    for (size_t i = 0; i < ALGORITHMS; i++) {
        const ordo_algorithm algorithm = algorithms[i].algorithm;
        const bool told = algorithm == ORDO_ALGORITHM_ROUGH || algorithm == ORDO_ALGORITHM_HALVING;
        args[i] = (rough_args){
            .keys = b->dst,
            .n = n,
            .opts = ORDO_OPTS(ordo_sort_opts, .flags = bench_flags(b), .radius = told ? k : 0,
                              .algorithm = (uint32_t)algorithm, .stream = bench_stream(b)),
        };
        if (!algorithms[i].out && !bench_add_both(b, algorithms[i].name, call_sort, &args[i]))
            return false;
    }
    return bench_measure(b, &q);
}

/* Figures 3 and 4: n varies. */
static bool rough_by_n(bench *b, size_t k, const char *figure)
{
    const size_t    longest = b->set.n < ROUGH_LONGEST ? b->set.n : ROUGH_LONGEST;
    bench_algorithm algorithms[ALGORITHMS];
    char            title[96];

    list_algorithms(b, algorithms);
    snprintf(title, sizeof title, "Sort k-sorted u32 keys (%s), k = %zu", figure, k);
    bench_heading_over(b, title, reference(b), 0, "n, k", 15);
    for (size_t step = 1; step <= ROUGH_STEPS; step++) {
        const size_t n = longest / ROUGH_STEPS * step;
        char         count[32], label[48];
        snprintf(label, sizeof label, "%s, %zu", bench_count(count, n), k);
        if (!rough_once(b, label, n, k, algorithms))
            return false;
    }
    return true;
}

/* Figures 5 and 6: k varies; the list ends with 0. */
static bool rough_by_k(bench *b, size_t n, const size_t *radii, const char *figure)
{
    bench_algorithm algorithms[ALGORITHMS];
    char            title[96], count[32];

    if (n > b->set.n)
        return true;
    list_algorithms(b, algorithms);
    snprintf(title, sizeof title, "Sort k-sorted u32 keys (%s), n = %s", figure,
             bench_count(count, n));
    bench_heading_over(b, title, reference(b), 0, "n, k", b->place == NULL ? 18 : 20);
    for (size_t i = 0; radii[i] != 0 && radii[i] < n / 2; i++) {
        char label[56];
        snprintf(label, sizeof label, "%s, %zu", count, radii[i]);
        if (!rough_once(b, label, n, radii[i], algorithms))
            return false;
        bench_drop_slow(b, algorithms, ALGORITHMS, (double)radii[i + 1] / (double)radii[i]);
    }
    return true;
}

bool bench_rough(bench *b)
{
    static const size_t of_paper[] = {1,  2,  5,   10,  15,   20,    25,     30, 40,
                                      50, 75, 100, 300, 1000, 10000, 100000, 0};
    static const size_t of_gpu[] = {1, 16, 128, 1000, 8192, 100000, 0};
    const size_t        small = b->set.n < 750000 ? b->set.n : 750000;

    return rough_by_n(b, 2, "figure 3") && rough_by_n(b, 15, "figure 4") &&
           rough_by_k(b, small, of_paper, "figure 5") &&
           rough_by_k(b, 1250000, of_paper, "figure 6") &&
           (b->place == NULL || rough_by_k(b, b->set.n, of_gpu, "beyond the paper"));
}
