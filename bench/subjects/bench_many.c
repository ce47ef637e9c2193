/* bench_many.c - `ordo bench many`: groups of rows, structs and moving windows, on the host and on
 * a GPU; weighted ranks on the host.
 *
 * On the host, structs are compared with an argsort of their keys and a gather written by hand, and
 * with qsort; a moving median with a sorted window that one element enters and one leaves; weighted
 * ranks with an argsort and sums by hand. */
#include "bench/subjects/bench_order.h"
#include "bench/subjects/bench_subjects.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STRUCT = 32, /* bytes of a struct; the key is at byte KEY_AT */
    KEY_AT = 8,
    ROWS_OF_A_GROUP = 100, /* on average */
    SHORT_WINDOW = 100
};

/* ---- Groups ---- */

typedef struct groups_args {
    ordo_groups     groups;
    ordo_group_opts opts;
    const void     *keys;
    void           *out;
    size_t          n;
} groups_args;

static ordo_status call_counts(ordo_ctx *ctx, const void *what)
{
    const groups_args *const a = what;
    return ordo_group_counts(ctx, &a->groups, a->n, &a->opts);
}

static ordo_status call_rank(ordo_ctx *ctx, const void *what)
{
    const groups_args *const a = what;
    return ordo_group_rank(ctx, &a->groups, ORDO_F32, a->keys, a->n, ORDO_U32, a->out, &a->opts);
}

static ordo_status call_median(ordo_ctx *ctx, const void *what)
{
    const groups_args *const a = what;
    return ordo_group_median(ctx, &a->groups, ORDO_F32, a->keys, a->n, a->out, &a->opts);
}

static ordo_status call_argsort(ordo_ctx *ctx, const void *what)
{
    const groups_args *const a = what;
    return ordo_group_argsort(ctx, &a->groups, ORDO_F32, a->keys, a->n, ORDO_U32, a->out, &a->opts);
}

/* Makes numbers from 0 to count - 1 of group keys that are spread over all u32. */
static void number_groups(uint32_t *groups, size_t n, size_t count)
{
    for (size_t i = 0; i < n; i++)
        groups[i] = (uint32_t)((uint64_t)groups[i] * count >> 32);
}

/* Group keys of all magnitudes, and on the host also numbers of groups. */
static bool run_groups(bench *b)
{
    static const struct {
        const char *label;
        bench_call *call;
        size_t      bytes; /* read and written for each row */
    } verbs[] = {{"counts", call_counts, 4},
                 {"argsort", call_argsort, 12},
                 {"rank", call_rank, 12},
                 {"median", call_median, 8}};
    const size_t verb_count = sizeof verbs / sizeof *verbs;
    const size_t n = b->set.n, count = n / ROWS_OF_A_GROUP + 1;
    groups_args  args = {.keys = b->src, .out = b->dst, .n = n};
    char *const  there = b->src + n * sizeof(float); /* the group keys */
    bool         ok = bench_generate(b, ORDO_DIST_UNIFORM, ORDO_F32, b->src, n, 0) &&
              bench_generate_k(b, ORDO_DIST_FEW, ORDO_U32, there, n, count);

    args.groups = (ordo_groups){
        .struct_size = sizeof args.groups, .keys = there, .type = ORDO_U32, .capacity = n};
    args.opts = ORDO_OPTS(ordo_group_opts, .flags = bench_flags(b), .stream = bench_stream(b));
    bench_heading(b, "Groups of rows, u32 by f32, 100 rows per group", n, "verb", 16);
    for (size_t i = 0; ok && i < (b->place == NULL ? 2 : 1) * verb_count; i++) {
        const size_t   v = i % verb_count;
        bench_question question = bench_ask("groups", ORDO_F32, n);
        if (i == verb_count)
            number_groups((uint32_t *)(void *)there, n, count);
        question.variant = verbs[v].label;
        question.dist = i < verb_count ? question.dist : "numbered";
        question.bytes = n * verbs[v].bytes;
        snprintf(question.label, sizeof question.label, "%s%s", verbs[v].label,
                 i < verb_count ? "" : " numbered");
        ok = bench_add_both(b, "auto", verbs[v].call, &args) && bench_measure(b, &question);
    }
    return ok;
}

/* ---- Structs ---- */

typedef struct structs_args {
    ordo_type      type;
    char          *base;
    size_t         n;
    ordo_sort_opts opts;
    char          *scratch; /* of the loops by hand: keys, index and elements */
    ordo_ctx      *own;     /* of the argsort by hand: calls of two kinds in one context release and
                         * allocate the scratch of the other kind every time */
} structs_args;

static ordo_status call_structs(ordo_ctx *ctx, const void *what)
{
    const structs_args *const a = what;
    return ordo_sort_records(ctx, a->base, a->n, STRUCT, KEY_AT, a->type, &a->opts);
}

static ordo_status call_by_hand(ordo_ctx *ctx, const void *what)
{
    const structs_args *const a = what;
    const size_t              size = ordo_type_size(a->type);
    char *const keys = a->scratch, *const elements = keys + a->n * sizeof(uint64_t);
    uint32_t *const index = (uint32_t *)(void *)(elements + a->n * STRUCT);

    (void)ctx;
    for (size_t i = 0; i < a->n; i++)
        memcpy(keys + i * size, a->base + i * STRUCT + KEY_AT, size);
    const ordo_status status = ordo_argsort(a->own, a->type, keys, a->n, ORDO_U32, index, NULL);
    if (status != ORDO_OK)
        return status;
    for (size_t i = 0; i < a->n; i++)
        memcpy(elements + i * STRUCT, a->base + (size_t)index[i] * STRUCT, STRUCT);
    memcpy(a->base, elements, a->n * STRUCT);
    return ORDO_OK;
}

static int compare_u32(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, (const char *)a + KEY_AT, sizeof x);
    memcpy(&y, (const char *)b + KEY_AT, sizeof y);
    return (x > y) - (x < y);
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, (const char *)a + KEY_AT, sizeof x);
    memcpy(&y, (const char *)b + KEY_AT, sizeof y);
    return (x > y) - (x < y);
}

static ordo_status call_qsort(ordo_ctx *ctx, const void *what)
{
    const structs_args *const a = what;
    (void)ctx;
    qsort(a->base, a->n, STRUCT, a->type == ORDO_U32 ? compare_u32 : compare_u64);
    return ORDO_OK;
}

static bool run_structs(bench *b)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_U64};
    const size_t           n = b->set.n;
    const ordo_ctx_opts    alone = ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU, .threads = 1);
    ordo_ctx              *own = NULL;
    bool ok = bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U64, b->src, n * STRUCT / 8, 0) &&
              ordo_ctx_create(&own, &alone) == ORDO_OK;

    bench_heading_over(b, "Structs of 32 bytes, uniform keys", "an argsort and a gather by hand", n,
                       "key", 9);
    for (size_t i = 0; ok && i < sizeof types / sizeof *types; i++) {
        structs_args const args = {
            .type = types[i],
            .base = b->dst,
            .n = n,
            .opts = ORDO_OPTS(ordo_sort_opts, .flags = bench_flags(b), .stream = bench_stream(b)),
            .scratch = b->flags,
            .own = own};
        bench_restore const restore = bench_restore_dst(b, n * STRUCT);
        bench_question      question = bench_ask("sort structs", types[i], n);
        question.bytes = 2 * n * STRUCT;
        question.answer = b->dst;
        question.answer_bytes = n * STRUCT;
        question.prepare = bench_restore_call;
        question.prepare_what = &restore;
        snprintf(question.label, sizeof question.label, "%s", ordo_type_name(types[i]));
        if (b->place == NULL) /* qsort is not stable, so its answer is not compared */
            ok = bench_add(b, "argsort, gather", 1, BENCH_BASE, call_by_hand, &args) &&
                 bench_add(b, "qsort", 1, BENCH_BESIDE, call_qsort, &args);
        ok = ok && bench_add_both(b, "auto", call_structs, &args) && bench_measure(b, &question);
    }
    ordo_ctx_free(own);
    return ok;
}

/* ---- Windows ---- */

typedef struct windows_args {
    ordo_moving_op   op;
    const float     *in;
    size_t           n, window;
    double          *out;
    ordo_moving_opts opts;
} windows_args;

static ordo_status call_moving(ordo_ctx *ctx, const void *what)
{
    const windows_args *const a = what;
    return ordo_moving(ctx, a->op, ORDO_F32, a->in, a->n, a->window, ORDO_F64, a->out, &a->opts);
}

/* The first position in a sorted window whose key is not below `key`. */
static size_t place_in(const float *window, size_t n, float key)
{
    size_t lo = 0;
    for (size_t hi = n; lo < hi;) {
        const size_t middle = lo + (hi - lo) / 2;
        if (window[middle] < key)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* The median of a window that is kept sorted by memmove. Uniform keys have no NaN. */
static ordo_status call_sorted_window(ordo_ctx *ctx, const void *what)
{
    const windows_args *const a = what;
    float                     window[SHORT_WINDOW + 1];
    size_t                    inside = 0;
    (void)ctx;
    for (size_t i = 0; i < a->n; i++) {
        if (inside == a->window) {
            const size_t gone = place_in(window, inside, a->in[i - a->window]);
            memmove(window + gone, window + gone + 1, (--inside - gone) * sizeof *window);
        }
        const size_t at = place_in(window, inside, a->in[i]);
        memmove(window + at + 1, window + at, (inside++ - at) * sizeof *window);
        window[at] = a->in[i];
        const double below = window[(inside - 1) / 2], above = window[inside / 2];
        a->out[i] = inside < a->window ? (double)NAN : (below + above) / 2 + 0.0;
    }
    return ORDO_OK;
}

static bool run_windows(bench *b)
{
    static const struct {
        const char    *name;
        ordo_moving_op op;
    } ops[] = {
        {"median", ORDO_MOVING_MEDIAN}, {"rank", ORDO_MOVING_RANK}, {"min", ORDO_MOVING_MIN}};
    const size_t n = b->set.n, long_window = b->place == NULL ? 10000 : 1024;
    bool         ok = bench_generate(b, ORDO_DIST_UNIFORM, ORDO_F32, b->src, n, 0);

    bench_heading_over(b, "Moving windows of f32, uniform", "a sorted window by hand", n, "window",
                       14);
    for (size_t i = 0; ok && i < 2 * (sizeof ops / sizeof *ops); i++) {
        const size_t       wanted = i % 2 == 0 ? SHORT_WINDOW : long_window;
        windows_args const args = {.op = ops[i / 2].op,
                                   .in = (const float *)(const void *)b->src,
                                   .n = n,
                                   .window = wanted < n ? wanted : n,
                                   .out = (double *)(void *)b->dst,
                                   .opts = ORDO_OPTS(ordo_moving_opts, .flags = bench_flags(b),
                                                     .stream = bench_stream(b))};
        bench_question     question = bench_ask("moving", ORDO_F32, n);
        question.variant = ops[i / 2].name;
        question.k = (double)args.window;
        question.bytes = n * (sizeof(float) + sizeof(double));
        question.answer = b->dst;
        question.answer_bytes = n * sizeof(double);
        snprintf(question.label, sizeof question.label, "%s %zu", ops[i / 2].name, args.window);
        if (b->place == NULL && args.op == ORDO_MOVING_MEDIAN && args.window == SHORT_WINDOW)
            ok = bench_add(b, "sorted window", 1, BENCH_BASE, call_sorted_window, &args);
        ok = ok && bench_add_both(b, "auto", call_moving, &args) && bench_measure(b, &question);
    }
    return ok;
}

/* ---- Weights ---- */

typedef struct weights_args {
    const float    *keys;
    const uint32_t *weights;
    size_t          n;
    double         *ranks;
    uint32_t       *index; /* of the loops by hand */
} weights_args;

static ordo_status call_weighted(ordo_ctx *ctx, const void *what)
{
    const weights_args *const a = what;
    ordo_rank_opts const      opts = ORDO_OPTS(ordo_rank_opts, .ties = ORDO_TIES_AVERAGE,
                                               .weights = a->weights, .weight_type = ORDO_U32);
    return ordo_rank(ctx, ORDO_F32, a->keys, a->n, ORDO_F64, a->ranks, &opts);
}

static ordo_status call_weighted_by_hand(ordo_ctx *ctx, const void *what)
{
    const weights_args *const a = what;
    const uint32_t *const     index = a->index;
    uint64_t                  before = 0;
    const ordo_status status = ordo_argsort(ctx, ORDO_F32, a->keys, a->n, ORDO_U32, a->index, NULL);
    for (size_t lo = 0, hi; status == ORDO_OK && lo < a->n; lo = hi) {
        uint64_t up_to = before;
        for (hi = lo; hi < a->n && a->keys[index[hi]] == a->keys[index[lo]]; hi++)
            up_to += a->weights[index[hi]];
        for (size_t i = lo; i < hi; i++)
            a->ranks[index[i]] = (double)(before + up_to + 1) / 2;
        before = up_to;
    }
    return status;
}

static bool run_weights(bench *b)
{
    const size_t   n = b->set.n;
    char *const    weights = b->src + n * sizeof(float);
    bench_question question = bench_ask("rank weights", ORDO_F32, n);
    /* zipf: the sum of the weights is exact as f64 */
    bool ok = bench_generate(b, ORDO_DIST_UNIFORM, ORDO_F32, b->src, n, 0) &&
              bench_generate(b, ORDO_DIST_ZIPF, ORDO_U32, weights, n, 0);
    weights_args const args = {.keys = (const float *)(const void *)b->src,
                               .weights = (const uint32_t *)(const void *)weights,
                               .n = n,
                               .ranks = (double *)(void *)b->dst,
                               .index = (uint32_t *)(void *)b->flags};

    bench_heading_over(b, "Ranks of f32 with weights of u32, uniform keys",
                       "an argsort and sums by hand", n, "ties", 9);
    question.bytes = n * (2 * sizeof(uint32_t) + sizeof(double));
    question.answer = b->dst;
    question.answer_bytes = n * sizeof(double);
    snprintf(question.label, sizeof question.label, "average");
    ok = ok && bench_add(b, "argsort, sums", 1, BENCH_BASE, call_weighted_by_hand, &args);
    return ok && bench_add_both(b, "auto", call_weighted, &args) && bench_measure(b, &question);
}

const bench_section bench_many_sections[] = {
    {"groups", 8, 8, 0, run_groups, false},
    {"structs", STRUCT, STRUCT, STRUCT + 12, run_structs, false},
    {"windows", 4, 8, 0, run_windows, false},
    {"weights", 8, 8, 4, run_weights, false},
    {NULL, 0, 0, 0, NULL, false},
};

const bench_section bench_cuda_many_sections[] = {
    {"groups", 8, 8, 0, run_groups, false},
    {"structs", STRUCT, STRUCT, 0, run_structs, false},
    {"windows", 4, 8, 0, run_windows, false},
    {NULL, 0, 0, 0, NULL, false},
};
