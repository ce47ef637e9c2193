/* test_cuda_groups.c - lexsort, lexrank and groups on a GPU: the bytes of the CPU, for all types,
 * also of weights. Then host arrays in a context for the GPU, groups above the capacity, wrong
 * weights, and capture into a graph. ORDO_TEST_SMALL=1 takes two types and short arrays, for
 * compute-sanitizer; ORDO_TEST_SMALL=2 takes one type and shorter arrays, for its race checker. */
#include "device.h"
#include "inputs.h"
#include "oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 70000,
    K = 3,
    Q = 3,
    COLUMNS = 5,
    FILL = 0xa5
};

static const double quantiles[Q] = {0.9, 0.25, 0.5};
static long         small;

/* An array on the CPU, what the CPU wrote to it, and the same on the GPU. */
typedef struct pair {
    char        *host, *got;
    device_array there;
    size_t       bytes;
} pair;

enum { /* the arrays of a call */
    GROUP_KEYS,
    KEYS,
    WEIGHTS,
    UNIQUE,
    SIZES,
    COUNT,
    OUT,
    VALUES,
    FOUND,
    PAIRS
};
static pair pairs[PAIRS], columns[COLUMNS];

static pair pair_make(size_t bytes)
{
    return (pair){test_keep(bytes), test_keep(bytes), device_make(bytes, 0), 0};
}

/* Places an array of that many bytes; results begin with the fill byte on both sides. */
static void pair_place(pair *p, size_t bytes, bool is_result)
{
    p->bytes = bytes;
    device_place(&p->there, bytes, 8 * (bytes % 3));
    if (is_result)
        memset(p->host, FILL, bytes);
    device_put(&p->there, p->host);
}

static bool pair_same(const pair *p, size_t size)
{
    device_get(&p->there, p->got);
    return CHECK_BYTES(p->host, p->got, p->bytes, size) && CHECK(device_intact(&p->there));
}

typedef enum verb {
    COUNTS,
    ARGSORT,
    ARGSORT_64,
    ARGSORT_ALONE, /* without keys */
    RANK_FIRST,
    RANK_LAST = RANK_FIRST + ORDO_TIES_RULES - 1,
    QUANTILES,
    MEDIAN,
    TOPK,
    TOPK_64,
    VERBS
} verb;

typedef struct group_case {
    ordo_type group_type, type;
    size_t    n, capacity;
    verb      what;
    uint32_t  group_nans, nans, method;
    bool      desc;
    ordo_type weight_type; /* 0: no weights */
} group_case;

static ordo_type rank_type_of(const group_case *c)
{
    uint32_t const ties = (uint32_t)(c->what - RANK_FIRST);
    return ties == ORDO_TIES_AVERAGE ? ORDO_F64 : c->n % 2 == 0 ? ORDO_U32 : ORDO_U64;
}

static void *at(size_t which, bool there)
{
    return there ? (void *)pairs[which].there.data : (void *)pairs[which].host;
}

static ordo_status call(const group_case *c, ordo_ctx *ctx, bool there)
{
    ordo_groups const groups = {sizeof groups,    at(GROUP_KEYS, there), (uint32_t)c->group_type,
                                c->group_nans,    c->capacity,           at(UNIQUE, there),
                                at(SIZES, there), at(COUNT, there)};
    ordo_group_opts   opts =
        ORDO_OPTS(ordo_group_opts, .flags = c->desc ? ORDO_DESCENDING : 0, .nans = c->nans);
    const void *const keys = at(KEYS, there);
    void *const       out = at(OUT, there);
    size_t const      n = c->n;
    opts.flags |= there ? ORDO_ON_DEVICE : 0;
    opts.stream = there ? stream : NULL;
    if (c->weight_type != 0) {
        opts.weights = at(WEIGHTS, there);
        opts.weight_type = (uint32_t)c->weight_type;
    }
    switch (c->what) {
    case COUNTS:
        return ordo_group_counts(ctx, &groups, n, &opts);
    case ARGSORT:
        return ordo_group_argsort(ctx, &groups, c->type, keys, n, ORDO_U32, out, &opts);
    case ARGSORT_64:
        return ordo_group_argsort(ctx, &groups, c->type, keys, n, ORDO_U64, out, &opts);
    case ARGSORT_ALONE:
        return ordo_group_argsort(ctx, &groups, c->type, NULL, n, ORDO_U32, out, &opts);
    case QUANTILES:
        opts.method = c->method;
        return ordo_group_quantiles(ctx, &groups, c->type, keys, n, quantiles, Q, out, &opts);
    case MEDIAN:
        return ordo_group_median(ctx, &groups, c->type, keys, n, out, &opts);
    case TOPK:
        return ordo_group_topk(ctx, &groups, c->type, keys, n, K, at(VALUES, there), ORDO_U32, out,
                               at(FOUND, there), &opts);
    case TOPK_64:
        return ordo_group_topk(ctx, &groups, c->type, keys, n, 1, NULL, ORDO_U64, out, NULL, &opts);
    default:
        opts.ties = (uint32_t)(c->what - RANK_FIRST);
        return ordo_group_rank(ctx, &groups, c->type, keys, n, rank_type_of(c), out, &opts);
    }
}

/* Makes the keys of a case; at most `distinct` groups. */
static void fill(group_case *c, size_t distinct, uint64_t seed)
{
    size_t const size = ordo_type_size(c->group_type);
    test_rng     rng = {seed};
    inputs_fill(seed % inputs_count(), c->group_type, pairs[GROUP_KEYS].host, c->n, seed);
    inputs_fill(seed / 3 % inputs_count(), c->type, pairs[KEYS].host, c->n, seed + 1);
    for (size_t i = distinct; i < c->n; i++)
        memcpy(pairs[GROUP_KEYS].host + i * size,
               pairs[GROUP_KEYS].host + test_rng_below(&rng, distinct) * size, size);
    pair_place(&pairs[GROUP_KEYS], c->n * size, false);
    pair_place(&pairs[KEYS], c->n * ordo_type_size(c->type), false);
}

/* Small weights and zeros; floats are fractions and some large numbers, so that sums round. */
static void fill_weights(const group_case *c, uint64_t seed)
{
    test_rng rng = {seed};
    for (size_t i = 0; i < c->n; i++) {
        uint64_t const drawn = test_rng_below(&rng, 90);
        double const   real = drawn < 20 ? 0 : drawn == 89 ? 1e17 : (double)drawn / 7;
        if (c->weight_type == ORDO_F32)
            ((float *)(void *)pairs[WEIGHTS].host)[i] = (float)real;
        else if (c->weight_type == ORDO_F64)
            ((double *)(void *)pairs[WEIGHTS].host)[i] = real;
        else
            oracle_put_bits(c->weight_type, pairs[WEIGHTS].host, i, drawn < 20 ? 0 : drawn);
    }
    pair_place(&pairs[WEIGHTS], c->n * ordo_type_size(c->weight_type), false);
}

static void place_results(const group_case *c)
{
    pair_place(&pairs[UNIQUE], c->capacity * ordo_type_size(c->group_type), true);
    pair_place(&pairs[SIZES], c->capacity * sizeof(uint64_t), true);
    pair_place(&pairs[COUNT], sizeof(size_t), true);
    pair_place(&pairs[OUT], MOST * Q * sizeof(uint64_t), true);
    pair_place(&pairs[VALUES], MOST * K * sizeof(uint64_t), true);
    pair_place(&pairs[FOUND], c->capacity * sizeof(uint64_t), true);
    CUDA_CHECK(cudaDeviceSynchronize()); /* the uploads use another stream */
}

static void compare_results(const group_case *c)
{
    size_t const size = ordo_type_size(c->group_type);
    size_t       count;
    CUDA_CHECK(cudaStreamSynchronize(stream));
    memcpy(&count, pairs[COUNT].host, sizeof count);
    pair_same(&pairs[COUNT], sizeof count);
    pair_same(&pairs[UNIQUE], size);
    pair_same(&pairs[SIZES], sizeof(uint64_t));
    pair_same(&pairs[VALUES], ordo_type_size(c->type));
    pair_same(&pairs[FOUND], sizeof(uint64_t));
    if (c->group_nans == ORDO_NANS_OMIT && c->what >= ARGSORT && c->what <= ARGSORT_ALONE) {
        uint64_t     rows = 0; /* index places after the last group are unspecified */
        size_t const item = c->what == ARGSORT_64 ? 8 : 4;
        for (size_t g = 0; g < count; g++)
            rows += ((uint64_t *)(void *)pairs[SIZES].host)[g];
        device_get(&pairs[OUT].there, pairs[OUT].got);
        CHECK_BYTES(pairs[OUT].host, pairs[OUT].got, (size_t)rows * item, item);
    } else {
        pair_same(&pairs[OUT], 4);
    }
}

static void try_case(group_case *c, size_t distinct, uint64_t seed)
{
    testkit_case("verb %d: %s by %s n=%zu distinct=%zu group_nans=%u nans=%u desc=%d weights=%d",
                 (int)c->what, ordo_type_name(c->type), ordo_type_name(c->group_type), c->n,
                 distinct, c->group_nans, c->nans, (int)c->desc, (int)c->weight_type);
    fill(c, distinct, seed);
    if (c->weight_type != 0)
        fill_weights(c, seed);
    place_results(c);
    CHECK_STATUS(ORDO_OK, call(c, cpu, false), cpu);
    CHECK_STATUS(ORDO_OK, call(c, gpu, true), gpu);
    compare_results(c);
}

static size_t const ns[] = {1, 2, 31, 33, 0, 255, 257, 2049, 20000, MOST};

static size_t lengths(void) { return small > 1 ? 7 : small == 1 ? 8 : sizeof ns / sizeof *ns; }

static void test_groups(void)
{
    static size_t const distinct[] = {1, 7, 100, 5000};
    size_t              turn = 0;
    size_t const        step = small > 1 ? INPUTS_TYPES : small == 1 ? 7 : 1;
    for (size_t a = 0; a < INPUTS_TYPES; a += step)
        for (size_t b = 0; b < INPUTS_TYPES; b += step)
            for (int what = 0; what < VERBS; what++, turn++) {
                bool const   is_quantile = what == QUANTILES || what == MEDIAN;
                size_t const n = ns[(turn * 7 + a) % lengths()];
                group_case   c = {.group_type = inputs_types[a],
                                  .type = inputs_types[b],
                                  .n = n,
                                  .capacity = n,
                                  .what = (verb)what,
                                  .group_nans = turn % 3 == 0 ? ORDO_NANS_OMIT : ORDO_NANS_LAST,
                                  .nans = (uint32_t)(is_quantile                       ? turn % 3
                                                     : what == TOPK || what == TOPK_64 ? turn % 2
                                                                                       : 0),
                                  .method = (uint32_t)(turn % (ORDO_METHOD_NEAREST + 1)),
                                  .desc = !is_quantile && what != COUNTS && turn % 2 == 1};
                try_case(&c, distinct[turn % 4], turn + 1);
            }
}

/* Every type of weights and of keys, every method and rule for NaNs, from one group to one for each
 * row. */
static void test_weights(void)
{
    static size_t const distinct[] = {1, 7, 100, 5000, MOST};
    size_t              turn = 0;
    size_t const        step = small > 1 ? INPUTS_TYPES : small == 1 ? 7 : 1;
    for (size_t a = 0; a<INPUTS_TYPES; a += small> 1 ? 9 : 1)
        for (size_t b = 0; b < INPUTS_TYPES; b += step)
            for (int rule = 0; rule < 3; rule++, turn++) {
                ordo_type const weight_type = inputs_types[a];
                bool const      reals = weight_type == ORDO_F32 || weight_type == ORDO_F64;
                uint32_t const  methods = reals ? ORDO_METHOD_NORMAL_UNBIASED : ORDO_METHOD_NEAREST;
                size_t const    n = ns[(turn * 7 + a) % lengths()];
                group_case      c = {.group_type = inputs_types[turn % INPUTS_TYPES],
                                     .type = inputs_types[b],
                                     .n = n,
                                     .capacity = n,
                                     .what = turn % 4 == 0 ? MEDIAN : QUANTILES,
                                     .group_nans = turn % 3 == 0 ? ORDO_NANS_OMIT : ORDO_NANS_LAST,
                                     .nans = (uint32_t)rule,
                                     .method = (uint32_t)(turn % (methods + 1)),
                                     .weight_type = weight_type};
                try_case(&c, distinct[turn % 5], turn + 1);
            }
}

/* Weights that are refused: NaN for GPU arrays, and an error that names the weight for others. */
static void test_wrong_weights(void)
{
    group_case c = {.group_type = ORDO_U8,
                    .type = ORDO_U32,
                    .n = 4000,
                    .capacity = 4000,
                    .what = MEDIAN,
                    .weight_type = ORDO_F64};
    for (int wrong = 0; wrong < 5; wrong++) {
        static const double reals[] = {-1, (double)NAN, (double)INFINITY};
        c.weight_type = wrong < 3 ? ORDO_F64 : wrong == 3 ? ORDO_I16 : ORDO_U64;
        testkit_case("wrong weight %d", wrong);
        fill(&c, 3, 5);
        fill_weights(&c, 6);
        if (wrong < 3)
            ((double *)(void *)pairs[WEIGHTS].host)[1] = reals[wrong];
        else
            oracle_put_bits(c.weight_type, pairs[WEIGHTS].host, 1,
                            wrong == 3 ? UINT64_MAX : UINT64_C(1) << 63);
        pair_place(&pairs[WEIGHTS], c.n * ordo_type_size(c.weight_type), false);
        place_results(&c);
        CHECK_STATUS(ORDO_OK, call(&c, gpu, true), gpu);
        CUDA_CHECK(cudaStreamSynchronize(stream));
        device_get(&pairs[OUT].there, pairs[OUT].got);
        device_get(&pairs[COUNT].there, pairs[COUNT].got);
        size_t const        count = *(const size_t *)(const void *)pairs[COUNT].got;
        const double *const out = (const double *)(const void *)pairs[OUT].got;
        size_t              nans = 0;
        for (size_t g = 0; g < count; g++)
            nans += isnan(out[g]) != 0;
        CHECK_EQ_U64(1, nans);
        CHECK_STATUS(ORDO_E_ARG, call(&c, gpu, false), gpu);
        CHECK_STATUS(ORDO_E_ARG, call(&c, cpu, false), cpu);
    }
}

/* Results of groups above the capacity are not written; the number of groups is. */
static void test_capacity(void)
{
    group_case c = {.group_type = ORDO_U32, .type = ORDO_F32, .n = 5000, .capacity = 5000};
    for (int what = 0; what < VERBS + 2; what++) { /* the last two: with weights */
        size_t all, got;
        c.what = what < VERBS ? (verb)what : QUANTILES;
        c.weight_type = what < VERBS ? (ordo_type)0 : what == VERBS ? ORDO_F32 : ORDO_I8;
        c.capacity = c.n;
        testkit_case("capacity, verb %d", what);
        fill(&c, 300, 77);
        if (c.weight_type != 0)
            fill_weights(&c, 78);
        place_results(&c);
        CHECK_STATUS(ORDO_OK, call(&c, gpu, true), gpu);
        CUDA_CHECK(cudaStreamSynchronize(stream));
        device_get(&pairs[COUNT].there, &all);
        c.capacity = 10;
        place_results(&c);
        CHECK_STATUS(ORDO_OK, call(&c, gpu, true), gpu);
        CUDA_CHECK(cudaStreamSynchronize(stream));
        device_get(&pairs[COUNT].there, &got);
        CHECK_EQ_U64(all, got);
        CHECK(device_intact(&pairs[UNIQUE].there) && device_intact(&pairs[SIZES].there) &&
              device_intact(&pairs[FOUND].there));
        CHECK_STATUS(ORDO_E_ARG, call(&c, gpu, false), gpu); /* CPU arrays: as on the CPU */
    }
}

/* CPU arrays in a context for the GPU. */
static void test_host_arrays(void)
{
    for (int what = 0; what < VERBS + 2; what++) { /* the last two: with weights */
        group_case c = {.group_type = ORDO_I16,
                        .type = ORDO_F64,
                        .n = 3000,
                        .capacity = 3000,
                        .what = what < VERBS ? (verb)what : MEDIAN};
        testkit_case("host arrays, verb %d", what);
        fill(&c, 40, 5);
        if (what >= VERBS) {
            c.weight_type = what == VERBS ? ORDO_F64 : ORDO_U32;
            fill_weights(&c, 6);
        }
        place_results(&c);
        CHECK_STATUS(ORDO_OK, call(&c, gpu, false), gpu);
        for (size_t p = UNIQUE; p < PAIRS; p++)
            memcpy(pairs[p].got, pairs[p].host, pairs[p].bytes);
        for (size_t p = UNIQUE; p < PAIRS; p++)
            memset(pairs[p].host, FILL, pairs[p].bytes);
        CHECK_STATUS(ORDO_OK, call(&c, cpu, false), cpu);
        for (size_t p = UNIQUE; p < PAIRS; p++)
            CHECK_BYTES(pairs[p].host, pairs[p].got, pairs[p].bytes, 4);
    }
}

/* A graph repeats the call; the number of groups is that of the keys at that time. */
static void test_graph(void)
{
    group_case c = {
        .group_type = ORDO_F32, .type = ORDO_I64, .n = 9000, .capacity = 9000, .what = RANK_LAST};
    cudaGraph_t     graph;
    cudaGraphExec_t ready;
    testkit_case("graph");
    fill(&c, 50, 8);
    place_results(&c);
    CHECK_STATUS(ORDO_OK, call(&c, gpu, true), gpu); /* holds the memory */
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CHECK_STATUS(ORDO_OK, call(&c, gpu, true), gpu);
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&ready, graph, 0));
    fill(&c, 700, 9);
    place_results(&c);
    CUDA_CHECK(cudaGraphLaunch(ready, stream));
    CHECK_STATUS(ORDO_OK, call(&c, cpu, false), cpu);
    compare_results(&c);
    CUDA_CHECK(cudaGraphExecDestroy(ready));
    CUDA_CHECK(cudaGraphDestroy(graph));
}

/* ---- Several columns ---- */

static void try_columns(size_t n, size_t count, size_t turn, bool there)
{
    ordo_column    here[COLUMNS], on_gpu[COLUMNS];
    test_rng       rng = {turn + 1};
    uint32_t const ties = (uint32_t)(turn % ORDO_TIES_RULES);
    ordo_type      index_type = turn % 2 == 0 ? ORDO_U32 : ORDO_U64;
    ordo_type      rank_type = ties == ORDO_TIES_AVERAGE ? ORDO_F64 : index_type;
    for (size_t j = 0; j < count; j++) {
        ordo_type const type = inputs_types[test_rng_below(&rng, INPUTS_TYPES)];
        uint32_t const  flags = test_rng_below(&rng, 2) != 0 ? ORDO_DESCENDING : 0;
        inputs_fill((turn + j) % inputs_count(), type, columns[j].host, n, turn);
        pair_place(&columns[j], n * ordo_type_size(type), false);
        here[j] = (ordo_column){columns[j].host, (uint32_t)type, flags};
        on_gpu[j] = here[j];
        if (there)
            on_gpu[j].keys = columns[j].there.data;
    }
    testkit_case("columns n=%zu count=%zu turn=%zu device=%d", n, count, turn, (int)there);
    ordo_sort_opts const sort = ORDO_OPTS(ordo_sort_opts, .flags = there ? ORDO_ON_DEVICE : 0,
                                          .stream = there ? stream : 0);
    ordo_rank_opts       rank = ORDO_OPTS(ordo_rank_opts, .ties = ties);
    for (int ranks = 0; ranks < 2; ranks++) {
        pair_place(&pairs[OUT], n * ordo_type_size(ranks ? rank_type : index_type), true);
        CUDA_CHECK(cudaDeviceSynchronize());
        void *const out = there ? (void *)pairs[OUT].there.data : (void *)pairs[OUT].got;
        rank.flags = 0;
        rank.stream = NULL;
        if (ranks == 0)
            CHECK_STATUS(ORDO_OK,
                         ordo_lexsort(cpu, here, count, n, index_type, pairs[OUT].host, NULL), cpu);
        else
            CHECK_STATUS(ORDO_OK,
                         ordo_lexrank(cpu, here, count, n, rank_type, pairs[OUT].host, &rank), cpu);
        rank.flags = sort.flags;
        rank.stream = sort.stream;
        if (ranks == 0)
            CHECK_STATUS(ORDO_OK, ordo_lexsort(gpu, on_gpu, count, n, index_type, out, &sort), gpu);
        else
            CHECK_STATUS(ORDO_OK, ordo_lexrank(gpu, on_gpu, count, n, rank_type, out, &rank), gpu);
        CUDA_CHECK(cudaStreamSynchronize(stream));
        if (there)
            pair_same(&pairs[OUT], 4);
        else
            CHECK_BYTES(pairs[OUT].host, pairs[OUT].got, pairs[OUT].bytes, 4);
    }
}

static void test_columns(void)
{
    for (size_t turn = 0; turn < (small > 1 ? 6 : small == 1 ? 16 : 120); turn++)
        try_columns(ns[turn % lengths()], 1 + turn / 3 % COLUMNS, turn, turn % 8 != 5);
}

int main(void)
{
    const char *const wish = getenv("ORDO_TEST_SMALL");
    device_start();
    small = wish != NULL ? strtol(wish, NULL, 10) : 0;
    for (size_t p = 0; p < PAIRS; p++)
        pairs[p] = pair_make(MOST * K * sizeof(uint64_t));
    for (size_t j = 0; j < COLUMNS; j++)
        columns[j] = pair_make(MOST * sizeof(uint64_t));
    test_groups();
    test_weights();
    test_columns();
    if (small < 2) { /* the same kernels again */
        test_wrong_weights();
        test_capacity();
        test_host_arrays();
        test_graph();
    }
    for (size_t p = 0; p < PAIRS; p++)
        device_free(&pairs[p].there);
    for (size_t j = 0; j < COLUMNS; j++)
        device_free(&columns[j].there);
    return device_done();
}
