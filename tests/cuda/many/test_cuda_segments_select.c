/* test_cuda_segments_select.c - selection, top-k, scans, ranks of sorted segments and measures
 * over segments on a GPU: the bytes of separate calls of the CPU on each segment, in the layouts of
 * layouts.h. Float sums are compared with separate calls on the GPU. Then host arrays, huge
 * segments, capture into a graph, and the check of an order. ORDO_TEST_SMALL=1 takes two types and
 * few layouts, for compute-sanitizer; ORDO_TEST_SMALL=2 takes one type, few layouts
 * and fewer verbs, for its race checker. */
#include "device.h"
#include "inputs.h"
#include "layouts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_RESULTS = 40, /* of a segment */
    ALL_RESULTS = LAYOUT_SEGMENTS * MOST_RESULTS,
    FILL = 0xa5
};

static char        *keys, *one, *one_more, *expected, *got;
static device_array d_offsets, d_keys, d_out, d_more;
static bool         small, smallest;

/* ---- A call and its arrays ---- */

typedef struct sample {
    const layout *l;
    ordo_type     type;
    bool          desc;
    ordo_segments there; /* with offsets on the device */
} sample;

static uint64_t flags_of(const sample *s)
{
    return ORDO_ON_DEVICE | (s->desc ? ORDO_DESCENDING : 0);
}

/* Uploads the keys; the results are `bytes` and `more` of the fill byte. */
static void begin(const sample *s, size_t bytes, size_t more)
{
    size_t const size = ordo_type_size(s->type);
    device_place(&d_keys, s->l->n * size, size * (s->l->n % 3));
    device_place(&d_out, bytes, 8 * (bytes % 3));
    device_place(&d_more, more, 8 * (more % 5));
    device_put(&d_keys, keys);
    memset(expected, FILL, bytes);
    memset(got, FILL, bytes > more ? bytes : more);
    device_put(&d_out, got);
    device_put(&d_more, got);
    CUDA_CHECK(cudaDeviceSynchronize()); /* the uploads use another stream */
}

static void compare(const sample *s, const device_array *array, size_t bytes, size_t size)
{
    CUDA_CHECK(cudaStreamSynchronize(stream));
    device_get(array, got);
    CHECK_BYTES(expected, got, bytes, size);
    CHECK(device_intact(&d_keys) && device_intact(&d_out) && device_intact(&d_more));
    (void)s;
}

/* ---- Selection ---- */

static bool is_float(ordo_type type) { return type == ORDO_F32 || type == ORDO_F64; }

static size_t nans_of(ordo_type type, const void *array, size_t n)
{
    size_t nans = 0;
    for (size_t i = 0; i < n && is_float(type); i++)
        nans += type == ORDO_F32 ? isnan(((const float *)array)[i]) != 0
                                 : isnan(((const double *)array)[i]) != 0;
    return nans;
}

static void try_select(const sample *s, size_t count, ordo_nans nans)
{
    size_t const size = ordo_type_size(s->type), segments = s->l->segments.count;
    size_t       k[MOST_RESULTS];
    for (size_t j = 0; j < count; j++) /* not in order, some twice */
        k[j] = j % 4 == 3 ? k[j - 1] : j * 7 % 41;
    size_t most = 0;
    for (size_t j = 0; j < count; j++)
        most = k[j] > most ? k[j] : most;
    ordo_select_opts opts =
        ORDO_OPTS(ordo_select_opts, .flags = s->desc ? ORDO_DESCENDING : 0, .nans = (uint32_t)nans);
    begin(s, segments * count * size, 0);
    for (size_t i = 0; i < segments; i++) {
        size_t const n = layout_take(s->l, i, keys, size, one);
        size_t const numbers = n - nans_of(s->type, one, n);
        for (size_t j = 0; j < count; j++)
            if (k[j] < (nans == ORDO_NANS_OMIT ? numbers : n) ||
                (nans == ORDO_NANS_PROPAGATE && numbers < n)) {
                size_t const at = k[j] < n ? k[j] : 0;
                CHECK_STATUS(ORDO_OK,
                             ordo_select(cpu, s->type, one, n, &at, 1,
                                         expected + (i * count + j) * size, &opts),
                             cpu);
            }
    }
    opts.flags = flags_of(s);
    opts.stream = stream;
    opts.segments = &s->there;
    if ((s->l->segments.offsets == NULL ? s->l->segments.length : s->l->n) <= most) {
        CHECK(ordo_select(gpu, s->type, d_keys.data, s->l->n, k, count, d_out.data, &opts) ==
              ORDO_E_ARG);
        return;
    }
    CHECK_STATUS(ORDO_OK,
                 ordo_select(gpu, s->type, d_keys.data, s->l->n, k, count, d_out.data, &opts), gpu);
    compare(s, &d_out, segments * count * size, size);
}

static void try_quantiles(const sample *s, size_t count, ordo_method method, ordo_nans nans)
{
    size_t const size = ordo_type_size(s->type), segments = s->l->segments.count;
    double       q[MOST_RESULTS];
    for (size_t j = 0; j < count; j++)
        q[j] = count == 1 ? 0.5 : (double)(j * 5 % count) / (double)(count - 1);
    ordo_quantile_opts opts =
        ORDO_OPTS(ordo_quantile_opts, .method = (uint32_t)method, .nans = (uint32_t)nans);
    bool const is_median = count == 1 && method == ORDO_METHOD_DEFAULT;
    begin(s, segments * count * sizeof(double), 0);
    for (size_t i = 0; i < segments; i++) {
        size_t const  n = layout_take(s->l, i, keys, size, one);
        double *const to = (double *)(void *)expected + i * count;
        CHECK_STATUS(ORDO_OK,
                     is_median ? ordo_median(cpu, s->type, one, n, to, &opts)
                               : ordo_quantiles(cpu, s->type, one, n, q, count, to, &opts),
                     cpu);
    }
    opts.flags = ORDO_ON_DEVICE;
    opts.stream = stream;
    opts.segments = &s->there;
    double *const out = (double *)(void *)d_out.data;
    CHECK_STATUS(ORDO_OK,
                 is_median
                     ? ordo_median(gpu, s->type, d_keys.data, s->l->n, out, &opts)
                     : ordo_quantiles(gpu, s->type, d_keys.data, s->l->n, q, count, out, &opts),
                 gpu);
    compare(s, &d_out, segments * count * sizeof(double), sizeof(double));
}

static void try_topk(const sample *s, size_t k, ordo_type index_type, ordo_nans nans)
{
    size_t const     size = ordo_type_size(s->type), index_size = ordo_type_size(index_type);
    size_t const     segments = s->l->segments.count, bytes = segments * k * size;
    static char      indices[ALL_RESULTS * 8];
    static size_t    found[LAYOUT_SEGMENTS];
    ordo_select_opts opts =
        ORDO_OPTS(ordo_select_opts, .flags = s->desc ? ORDO_DESCENDING : 0, .nans = (uint32_t)nans);
    device_array d_found = device_make(segments * sizeof *found, 0);
    begin(s, bytes, segments * k * index_size);
    memset(indices, FILL, segments * k * index_size);
    for (size_t i = 0; i < segments; i++) {
        size_t const n = layout_take(s->l, i, keys, size, one);
        CHECK_STATUS(ORDO_OK,
                     ordo_topk(cpu, s->type, one, n, k, expected + i * k * size, index_type,
                               indices + i * k * index_size, &found[i], &opts),
                     cpu);
    }
    opts.flags = flags_of(s);
    opts.stream = stream;
    opts.segments = &s->there;
    CHECK_STATUS(ORDO_OK,
                 ordo_topk(gpu, s->type, d_keys.data, s->l->n, k, d_out.data, index_type,
                           d_more.data, (size_t *)(void *)d_found.data, &opts),
                 gpu);
    compare(s, &d_out, bytes, size);
    memcpy(expected, indices, segments * k * index_size);
    compare(s, &d_more, segments * k * index_size, index_size);
    memcpy(expected, found, segments * sizeof *found);
    compare(s, &d_found, segments * sizeof *found, sizeof *found);
    device_free(&d_found);
}

/* ---- Scans ---- */

/* Float sums of the GPU and the CPU differ, so the expected bytes are those of a separate call on
 * the GPU. */
static void try_scan(const sample *s, ordo_op op, ordo_type out_type, bool exclusive)
{
    size_t const    size = ordo_type_size(s->type), out_size = ordo_type_size(out_type);
    uint64_t const  flags = exclusive ? ORDO_EXCLUSIVE : 0;
    ordo_ctx *const ctx = is_float(s->type) && op == ORDO_SUM ? gpu : cpu;
    begin(s, s->l->n * out_size, 0);
    for (size_t i = 0; i < s->l->segments.count; i++) {
        size_t const n = layout_take(s->l, i, keys, size, one);
        CHECK_STATUS(ORDO_OK,
                     ordo_scan(ctx, op, s->type, one, n, out_type, one_more,
                               &ORDO_OPTS(ordo_scan_opts, .flags = flags)),
                     ctx);
        layout_put(s->l, i, expected, out_size, one_more);
    }
    ordo_scan_opts const opts = ORDO_OPTS(ordo_scan_opts, .flags = flags | ORDO_ON_DEVICE,
                                          .stream = stream, .segments = &s->there);
    CHECK_STATUS(ORDO_OK,
                 ordo_scan(gpu, op, s->type, d_keys.data, s->l->n, out_type, d_out.data, &opts),
                 gpu);
    compare(s, &d_out, s->l->n * out_size, out_size);
}

/* Products. Floats become factors near 1, so that no product overflows and every rounding shows. */
static void try_product(const sample *s, ordo_type out_type, bool exclusive)
{
    size_t const bytes = s->l->n * ordo_type_size(s->type);
    char *const  kept = malloc(bytes + 1);
    memcpy(kept, keys, bytes);
    for (size_t i = 0; i < s->l->n; i++) {
        double const factor = 1 + ((double)((unsigned char *)kept)[i] - 128) / 65536;
        if (s->type == ORDO_F32)
            ((float *)(void *)keys)[i] = (float)factor;
        else if (s->type == ORDO_F64)
            ((double *)(void *)keys)[i] = factor;
    }
    try_scan(s, ORDO_PRODUCT, out_type, exclusive);
    memcpy(keys, kept, bytes);
    free(kept);
}

/* ---- Ranks of sorted segments ---- */

static void try_rank_sorted(const sample *s, ordo_ties ties, ordo_type rank_type)
{
    size_t const         size = ordo_type_size(s->type), rank_size = ordo_type_size(rank_type);
    ordo_sort_opts const order = ORDO_OPTS(ordo_sort_opts, .flags = s->desc ? ORDO_DESCENDING : 0);
    ordo_rank_opts       opts = ORDO_OPTS(ordo_rank_opts, .ties = (uint32_t)ties);
    char *const          kept = malloc(s->l->n * size + 1);
    memcpy(kept, keys, s->l->n * size);
    for (size_t i = 0; i < s->l->segments.count; i++) { /* the keys of the call are sorted */
        size_t const n = layout_take(s->l, i, keys, size, one);
        CHECK_STATUS(ORDO_OK, ordo_sort(cpu, s->type, one, n, &order), cpu);
        layout_put(s->l, i, keys, size, one);
    }
    begin(s, s->l->n * rank_size, 0);
    for (size_t i = 0; i < s->l->segments.count; i++) {
        size_t const n = layout_take(s->l, i, keys, size, one);
        CHECK_STATUS(ORDO_OK, ordo_rank_sorted(cpu, s->type, one, n, rank_type, one_more, &opts),
                     cpu);
        layout_put(s->l, i, expected, rank_size, one_more);
    }
    opts.flags = flags_of(s) | ORDO_CHECK;
    opts.stream = stream;
    opts.segments = &s->there;
    CHECK_STATUS(ORDO_OK,
                 ordo_rank_sorted(gpu, s->type, d_keys.data, s->l->n, rank_type, d_out.data, &opts),
                 gpu);
    compare(s, &d_out, s->l->n * rank_size, rank_size);
    memcpy(keys, kept, s->l->n * size);
    free(kept);
}

/* ---- Measures ---- */

static void try_order(const sample *s)
{
    size_t const          size = ordo_type_size(s->type), segments = s->l->segments.count;
    ordo_order_opts const here = ORDO_OPTS(ordo_order_opts, .flags = s->desc ? ORDO_DESCENDING : 0);
    ordo_order_opts const there =
        ORDO_OPTS(ordo_order_opts, .flags = flags_of(s), .stream = stream, .segments = &s->there);
    static int    sorted[LAYOUT_SEGMENTS];
    static size_t runs[LAYOUT_SEGMENTS];
    begin(s, segments * sizeof(size_t), segments * sizeof(int));
    for (size_t i = 0; i < segments; i++) {
        size_t const n = layout_take(s->l, i, keys, size, one);
        CHECK_STATUS(
            ORDO_OK,
            ordo_is_sorted(cpu, s->type, one, n, &sorted[i], (size_t *)(void *)expected + i, &here),
            cpu);
        CHECK_STATUS(ORDO_OK, ordo_runs(cpu, s->type, one, n, &runs[i], &here), cpu);
    }
    CHECK_STATUS(ORDO_OK,
                 ordo_is_sorted(gpu, s->type, d_keys.data, s->l->n, (int *)(void *)d_more.data,
                                (size_t *)(void *)d_out.data, &there),
                 gpu);
    compare(s, &d_out, segments * sizeof(size_t), sizeof(size_t));
    memcpy(expected, sorted, segments * sizeof(int));
    compare(s, &d_more, segments * sizeof(int), sizeof(int));
    CHECK_STATUS(
        ORDO_OK,
        ordo_runs(gpu, s->type, d_keys.data, s->l->n, (size_t *)(void *)d_out.data, &there), gpu);
    memcpy(expected, runs, segments * sizeof(size_t));
    compare(s, &d_out, segments * sizeof(size_t), sizeof(size_t));
}

static void try_radius(const sample *s, bool sequences)
{
    size_t const    size = ordo_type_size(s->type), segments = s->l->segments.count, n = s->l->n;
    static size_t   radius[LAYOUT_SEGMENTS];
    char *const     want = malloc(2 * n * size + n * sizeof(uint64_t) + 8);
    uint64_t       *dm = malloc(n * sizeof *dm + 8);
    ordo_order_opts opts = ORDO_OPTS(ordo_order_opts, .flags = s->desc ? ORDO_DESCENDING : 0);
    device_array    d_lr = device_make(n * size, 0), d_rl = device_make(n * size, 0),
                 d_dm = device_make(n * sizeof *dm, 0);
    memset(want, FILL, 2 * n * size + n * sizeof(uint64_t));
    begin(s, n * sizeof *dm, segments * sizeof *radius);
    if (sequences) {
        memset(got, FILL, n * sizeof *dm);
        device_put(&d_lr, got);
        device_put(&d_rl, got);
        device_put(&d_dm, got);
        CUDA_CHECK(cudaDeviceSynchronize());
    }
    for (size_t i = 0; i < segments; i++) {
        size_t const length = layout_take(s->l, i, keys, size, one);
        opts.lr = sequences ? one_more : NULL;
        opts.rl = sequences ? one_more + length * size : NULL;
        opts.dm = sequences ? dm : NULL;
        CHECK_STATUS(ORDO_OK, ordo_radius(cpu, s->type, one, length, &radius[i], &opts), cpu);
        if (sequences) {
            layout_put(s->l, i, want, size, one_more);
            layout_put(s->l, i, want + n * size, size, one_more + length * size);
            layout_put(s->l, i, expected, sizeof *dm, dm);
        }
    }
    opts =
        ORDO_OPTS(ordo_order_opts, .flags = flags_of(s), .stream = stream, .segments = &s->there);
    if (sequences) {
        opts.lr = d_lr.data;
        opts.rl = d_rl.data;
        opts.dm = (uint64_t *)(void *)d_dm.data;
    }
    CHECK_STATUS(ORDO_OK,
                 ordo_radius(gpu, s->type, d_keys.data, n, (size_t *)(void *)d_more.data, &opts),
                 gpu);
    if (sequences) {
        compare(s, &d_dm, n * sizeof *dm, sizeof *dm);
        memcpy(expected, want, n * size);
        compare(s, &d_lr, n * size, size);
        memcpy(expected, want + n * size, n * size);
        compare(s, &d_rl, n * size, size);
    }
    memcpy(expected, radius, segments * sizeof *radius);
    compare(s, &d_more, segments * sizeof *radius, sizeof *radius);
    device_free(&d_lr);
    device_free(&d_rl);
    device_free(&d_dm);
    free(want);
    free(dm);
}

/* ---- All of it ---- */

static void try_written(const sample *s, size_t turn)
{
    ordo_type const wide =
        is_float(s->type) ? ORDO_F64
        : s->type == ORDO_I8 || s->type == ORDO_I16 || s->type == ORDO_I32 || s->type == ORDO_I64
            ? ORDO_I64
            : ORDO_U64;
    bool const      exclusive = turn % 2 == 1;
    ordo_type const rank_types[] = {ORDO_U32, ORDO_U64, ORDO_F64};
    try_scan(s, ORDO_SUM, s->type, exclusive);
    try_product(s, s->type, exclusive);
    if (smallest) {
        try_rank_sorted(s, ORDO_TIES_AVERAGE, ORDO_F64);
        return;
    }
    try_scan(s, ORDO_SUM, wide, !exclusive);
    try_scan(s, ORDO_MIN, s->type, exclusive);
    try_scan(s, ORDO_MAX, s->type, !exclusive);
    try_scan(s, ORDO_PRODUCT, s->type, !exclusive);
    try_product(s, wide, !exclusive);
    for (int ties = 0; ties < ORDO_TIES_RULES; ties++)
        try_rank_sorted(s, (ordo_ties)ties,
                        ties == ORDO_TIES_AVERAGE ? ORDO_F64 : rank_types[turn % 3]);
    try_radius(s, true);
}

static void try_all(const sample *s, size_t turn)
{
    for (int nans = 0; nans <= (is_float(s->type) && !smallest ? 2 : 0); nans++) {
        try_select(s, 3, (ordo_nans)nans);
        try_quantiles(s, 1, ORDO_METHOD_DEFAULT, (ordo_nans)nans);
        try_quantiles(s, 4, (ordo_method)(1 + turn % 13), (ordo_nans)nans);
        if (nans != ORDO_NANS_PROPAGATE)
            try_topk(s, turn % 2 == 0 ? 8 : 1, turn % 3 == 0 ? ORDO_U64 : ORDO_U32,
                     (ordo_nans)nans);
    }
    try_order(s);
    if (strcmp(s->l->name, "bad offsets") == 0)
        return; /* valid pairs share elements: nothing that is written or sorted is specified */
    try_select(s, 12, ORDO_NANS_LAST);
    try_quantiles(s, 11, (ordo_method)(1 + (turn + 5) % 13), ORDO_NANS_LAST);
    try_topk(s, turn % 2 == 0 ? 32 : 40, ORDO_U32, ORDO_NANS_LAST);
    try_radius(s, false);
    if (!s->l->overlaps)
        try_written(s, turn);
}

static void test_layouts(void)
{
    static size_t const some[] = {0, 7, 33, 129, 513, 1025, 2049, 9000, 16385};
    size_t const        few = inputs_find("few distinct");
    layout              l;
    size_t              turn = 0;
    for (size_t which = 0; layout_at(which, &l); which++)
        for (size_t t = 0; t < INPUTS_TYPES; t++) {
            ordo_type const type = inputs_types[t];
            if (small && type != ORDO_F32 && (smallest || type != ORDO_I64))
                continue;
            bool const is_row = l.segments.length == 32 || l.segments.length == 1536;
            if ((small && ((which > 7 && !is_row) || which == 3 || which == 5)) ||
                (smallest && which != 1 && !is_row))
                continue;
            if (smallest && which == 1)
                l = layout_by_offsets("some limits", some, sizeof some / sizeof *some);
            if (smallest && l.segments.length == 1536)
                l.segments.count = 3;
            for (int desc = 0; desc <= 1; desc++, turn++) {
                if (small && desc != (int)(which % 2))
                    continue;
                sample const s = {&l, type, desc != 0, layout_there(&l, &d_offsets)};
                inputs_fill(turn % 3 == 0 ? few : turn % inputs_count(), type, keys, l.n, turn);
                try_all(&s, turn);
            }
        }
}

/* ---- Other ways to call ---- */

/* Host arrays in a context for the GPU. */
static void test_host_arrays(void)
{
    size_t const  lengths[] = {0, 5, 300, 0, 2000, 17};
    layout const  l = layout_by_offsets("host", lengths, 6);
    size_t        runs[6] = {0}, want[6] = {0};
    float         top[6 * 3], top_want[6 * 3];
    double        medians[6] = {0}, medians_want[6] = {0};
    ordo_segments segments = l.segments;
    inputs_fill(inputs_find("few distinct"), ORDO_F32, keys, l.n, 1);
    memset(top, FILL, sizeof top);
    memset(top_want, FILL, sizeof top_want);
    for (int g = 0; g <= 1; g++) {
        ordo_ctx *const ctx = g != 0 ? gpu : cpu;
        CHECK_STATUS(ORDO_OK,
                     ordo_runs(ctx, ORDO_F32, keys, l.n, g != 0 ? runs : want,
                               &ORDO_OPTS(ordo_order_opts, .segments = &segments)),
                     ctx);
        CHECK_STATUS(ORDO_OK,
                     ordo_topk(ctx, ORDO_F32, keys, l.n, 3, g != 0 ? top : top_want, ORDO_U32, NULL,
                               NULL, &ORDO_OPTS(ordo_select_opts, .segments = &segments)),
                     ctx);
        CHECK_STATUS(ORDO_OK,
                     ordo_median(ctx, ORDO_F32, keys, l.n, g != 0 ? medians : medians_want,
                                 &ORDO_OPTS(ordo_quantile_opts, .segments = &segments)),
                     ctx);
    }
    CHECK_BYTES(want, runs, sizeof runs, sizeof *runs);
    CHECK_BYTES(top_want, top, sizeof top, sizeof *top);
    CHECK_BYTES(medians_want, medians, sizeof medians, sizeof *medians);
}

/* Segments of millions of keys by offsets, whose candidates are divided several times. */
static void test_huge(void)
{
    static uint64_t const  offsets[] = {0, 5, 4300005, 4300105, 6600105, 6600107};
    static ordo_type const types[] = {ORDO_F32, ORDO_I64};
    static double const    q[] = {0.001, 0.5, 0.97};
    size_t const           n = (size_t)offsets[5];
    char *const            huge = malloc(n * sizeof(int64_t));
    device_array           d_huge = device_make(n * sizeof(int64_t), 0);
    device_place(&d_offsets, sizeof offsets, 0);
    device_put(&d_offsets, offsets);
    ordo_segments const there =
        ORDO_OPTS(ordo_segments, .count = 5, .offsets = (const uint64_t *)(void *)d_offsets.data);
    for (size_t turn = 0; turn < 2 * inputs_count(); turn++) {
        ordo_type const    type = types[turn % 2];
        size_t const       size = ordo_type_size(type);
        double             want[5 * 3], found[5 * 3];
        ordo_quantile_opts opts = ORDO_OPTS(ordo_quantile_opts, .nans = (uint32_t)(turn % 3));
        testkit_case("huge segments, input %zu, %s", turn / 2, ordo_type_name(type));
        inputs_fill(turn / 2, type, huge, n, turn);
        device_place(&d_huge, n * size, 0);
        device_put(&d_huge, huge);
        device_place(&d_out, sizeof found, 0);
        CUDA_CHECK(cudaDeviceSynchronize());
        for (size_t i = 0; i < 5; i++)
            CHECK_STATUS(ORDO_OK,
                         ordo_quantiles(cpu, type, huge + offsets[i] * size,
                                        (size_t)(offsets[i + 1] - offsets[i]), q, 3, want + 3 * i,
                                        &opts),
                         cpu);
        opts.flags = ORDO_ON_DEVICE;
        opts.stream = stream;
        opts.segments = &there;
        CHECK_STATUS(
            ORDO_OK,
            ordo_quantiles(gpu, type, d_huge.data, n, q, 3, (double *)(void *)d_out.data, &opts),
            gpu);
        CUDA_CHECK(cudaStreamSynchronize(stream));
        device_get(&d_out, found);
        CHECK_BYTES(want, found, sizeof found, sizeof *found);
    }
    device_free(&d_huge);
    free(huge);
}

/* Segments that are not sorted are named, and nothing is written. */
static void test_check(void)
{
    size_t const lengths[] = {4, 4, 4};
    layout const l = layout_by_offsets("check", lengths, 3);
    sample const s = {&l, ORDO_U32, false, layout_there(&l, &d_offsets)};
    for (size_t i = 0; i < l.n; i++)
        ((uint32_t *)(void *)keys)[i] = (uint32_t)i;
    ((uint32_t *)(void *)keys)[9] = 0; /* in segment 1 */
    begin(&s, l.n * 4, 0);
    CHECK(ordo_rank_sorted(gpu, ORDO_U32, d_keys.data, l.n, ORDO_U32, d_out.data,
                           &ORDO_OPTS(ordo_rank_opts, .flags = ORDO_ON_DEVICE | ORDO_CHECK,
                                      .stream = stream, .segments = &s.there)) == ORDO_E_ORDER);
    CHECK(strstr(ordo_last_error(gpu), "segment 1") != NULL);
    compare(&s, &d_out, l.n * 4, 4);
}

/* A captured call runs again on other keys. */
static void test_capture(void)
{
    layout l;
    size_t bytes = 0;
    (void)layout_at(2, &l);
    sample const           s = {&l, ORDO_F32, false, layout_there(&l, &d_offsets)};
    ordo_select_opts const opts = ORDO_OPTS(ordo_select_opts, .flags = ORDO_ON_DEVICE,
                                            .stream = stream, .segments = &s.there);
    inputs_fill(0, ORDO_F32, keys, l.n, 5);
    begin(&s, l.segments.count * 8 * sizeof(float), 0);
    CHECK_STATUS(ORDO_OK, ordo_topk_scratch(gpu, ORDO_F32, l.n, 8, &opts, &bytes), gpu);
    CHECK_STATUS(ORDO_OK, ordo_reserve(gpu, bytes), gpu);
    device_capture();
    CHECK_STATUS(
        ORDO_OK,
        ordo_topk(gpu, ORDO_F32, d_keys.data, l.n, 8, d_out.data, ORDO_U32, NULL, NULL, &opts),
        gpu);
    cudaGraphExec_t const graph = device_captured();
    inputs_fill(1, ORDO_F32, keys, l.n, 6);
    begin(&s, l.segments.count * 8 * sizeof(float), 0);
    for (size_t i = 0; i < l.segments.count; i++) {
        size_t const n = layout_take(&l, i, keys, 4, one);
        CHECK_STATUS(
            ORDO_OK,
            ordo_topk(cpu, ORDO_F32, one, n, 8, expected + i * 8 * 4, ORDO_U32, NULL, NULL, NULL),
            cpu);
    }
    device_replay(graph);
    compare(&s, &d_out, l.segments.count * 8 * sizeof(float), sizeof(float));
}

int main(void)
{
    device_start();
    const char *const wish = getenv("ORDO_TEST_SMALL");
    small = wish != NULL;
    smallest = wish != NULL && strcmp(wish, "2") == 0;
    size_t const bytes = (size_t)LAYOUT_ELEMENTS * 16 + ALL_RESULTS * 8;
    keys = malloc(bytes);
    one = malloc(bytes);
    one_more = malloc(bytes);
    expected = malloc(bytes);
    got = malloc(bytes);
    d_offsets = device_make(sizeof layout_offsets, 0);
    d_keys = device_make(bytes, 0);
    d_out = device_make(bytes, 0);
    d_more = device_make(bytes, 0);
    test_layouts();
    test_host_arrays();
    if (!small)
        test_huge();
    test_check();
    test_capture();
    device_free(&d_offsets);
    device_free(&d_keys);
    device_free(&d_out);
    device_free(&d_more);
    free(keys);
    free(one);
    free(one_more);
    free(expected);
    free(got);
    return device_done();
}
