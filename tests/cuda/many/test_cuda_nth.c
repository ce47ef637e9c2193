/* test_cuda_nth.c - ordo_nth on a GPU: the bytes of calls of the CPU on the array or on each
 * segment, in the layouts of layouts.h, with keys or indices only; long arrays; host arrays; a
 * captured call; rows and columns with ORDO_ANY_ORDER. ORDO_TEST_SMALL=1 takes few layouts and
 * types, for compute-sanitizer; ORDO_TEST_SMALL=2 takes one type and one layout, for its race
 * checker. */
#include "device.h"
#include "inputs.h"
#include "layouts.h"
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

enum {
    FILL = 0xa5,
    LONG = (1 << 22) + 777 /* keys of the longest array: one selection of the whole array */
};

static char        *keys, *one, *one_index, *expected, *expected_index, *got;
static device_array d_offsets, d_keys, d_out, d_index;
static int          small;

typedef struct sample {
    const layout *l;
    ordo_type     type, index_type;
    bool          desc, on_host;
    size_t        k;
    unsigned      missing; /* 1: no keys are written, 2: no indices */
} sample;

/* The results of the CPU, segment by segment. Segments of at most k keys are copied. */
static void expect(const sample *s)
{
    size_t const           size = ordo_type_size(s->type), wide = ordo_type_size(s->index_type);
    ordo_select_opts const opts =
        ORDO_OPTS(ordo_select_opts, .flags = s->desc ? ORDO_DESCENDING : 0);
    memset(expected, FILL, s->l->n * size);
    memset(expected_index, FILL, s->l->n * wide);
    for (size_t i = 0; i < s->l->segments.count; i++) {
        size_t const n = layout_take(s->l, i, keys, size, one);
        for (size_t j = 0; j < n; j++)
            if (wide == 4)
                ((uint32_t *)(void *)one_index)[j] = (uint32_t)j;
            else
                ((uint64_t *)(void *)one_index)[j] = j;
        memcpy(got, one, n * size);
        if (s->k < n)
            CHECK_STATUS(ORDO_OK,
                         ordo_nth(cpu, s->type, one, n, s->k, got, s->index_type, one_index, &opts),
                         cpu);
        layout_put(s->l, i, expected, size, got);
        layout_put(s->l, i, expected_index, wide, one_index);
    }
    if (s->missing == 1)
        memset(expected, FILL, s->l->n * size);
    if (s->missing == 2)
        memset(expected_index, FILL, s->l->n * wide);
}

/* Places the arrays of a call on the GPU; returns its segments. */
static ordo_segments place(const sample *s)
{
    size_t const size = ordo_type_size(s->type), wide = ordo_type_size(s->index_type);
    size_t const n = s->l->n;
    device_place(&d_keys, n * size, size * (n % 3));
    device_place(&d_out, n * size, size * (n % 2));
    device_place(&d_index, n * wide, wide * (n % 5));
    device_put(&d_keys, keys);
    memset(got, FILL, n * (size > wide ? size : wide));
    device_put(&d_out, got);
    device_put(&d_index, got);
    ordo_segments const there = layout_there(s->l, &d_offsets);
    CUDA_CHECK(cudaDeviceSynchronize()); /* the uploads use another stream */
    return there;
}

static void compare(const sample *s)
{
    size_t const size = ordo_type_size(s->type), wide = ordo_type_size(s->index_type);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    device_get(&d_out, got);
    CHECK_BYTES(expected, got, s->l->n * size, size);
    device_get(&d_index, got);
    CHECK_BYTES(expected_index, got, s->l->n * wide, wide);
    CHECK(device_intact(&d_keys) && device_intact(&d_out) && device_intact(&d_index));
}

/* whole: the layout is one segment that is the whole array, and no segments are given. */
static void try_nth(const sample *s, bool whole)
{
    testkit_case("%s n=%zu length=%zu %s %s k=%zu missing=%u", s->l->name, s->l->n,
                 s->l->segments.length, ordo_type_name(s->type), s->desc ? "desc" : "asc", s->k,
                 s->missing);
    expect(s);
    ordo_segments const    there = place(s);
    ordo_select_opts const opts =
        ORDO_OPTS(ordo_select_opts, .flags = ORDO_ON_DEVICE | (s->desc ? ORDO_DESCENDING : 0),
                  .stream = stream, .segments = whole ? NULL : &there);
    bool const        fits = there.offsets != NULL ? s->k < s->l->n : s->k < s->l->segments.length;
    ordo_status const status =
        ordo_nth(gpu, s->type, d_keys.data, s->l->n, s->k, s->missing == 1 ? NULL : d_out.data,
                 s->index_type, s->missing == 2 ? NULL : d_index.data, &opts);
    CHECK_STATUS(fits || s->l->segments.count == 0 ? ORDO_OK : ORDO_E_ARG, status, gpu);
    if (status == ORDO_OK)
        compare(s);
}

static void test_layouts(void)
{
    size_t const few = inputs_find("few distinct");
    layout       l;
    size_t       turn = 0;
    for (size_t which = 0; layout_at(which, &l); which++)
        for (size_t t = 0; t < INPUTS_TYPES; t++) {
            ordo_type const type = inputs_types[t];
            if ((small > 0 && ((type != ORDO_F32 && type != ORDO_I64) || which % 3 != 1)) ||
                (small > 1 && (type != ORDO_F32 || which != 1)) || l.overlaps ||
                strcmp(l.name, "bad offsets") == 0)
                continue;
            for (int desc = 0; desc <= 1; desc++, turn++) {
                size_t const longest = l.segments.offsets != NULL ? 20000 : l.segments.length;
                size_t const ks[] = {0, longest / 2, longest - (longest > 0), 5};
                sample const s = {
                    &l,    type,         turn % 3 == 0 ? ORDO_U64 : ORDO_U32,    desc != 0,
                    false, ks[turn % 4], (unsigned)(turn % 5 < 3 ? turn % 5 : 0)};
                inputs_fill(turn % 3 == 0 ? few : turn % inputs_count(), type, keys, l.n, turn);
                try_nth(&s, false);
            }
        }
}

/* Arrays without segments. */
static void test_whole(void)
{
    static const size_t    ns[] = {1, 2, 33, 1024, 1025, 8192, 8193, 100000, LONG};
    static const ordo_type types[] = {ORDO_F32, ORDO_F64, ORDO_U8, ORDO_I32};
    size_t                 turn = 0;
    for (size_t i = 0; i < sizeof ns / sizeof *ns && (small == 0 || ns[i] <= 8193); i++)
        for (size_t t = 0; t < 4; t++, turn++) {
            size_t const n = ns[i];
            layout const l = {"whole", ORDO_OPTS(ordo_segments, .count = 1, .length = n), n, false};
            sample const s = {&l, types[t], ORDO_U32, turn % 2 != 0, false, n * (turn % 5) / 5, 0};
            inputs_fill(turn % inputs_count(), types[t], keys, n, turn);
            try_nth(&s, true);
        }
}

/* Host arrays in a context for the GPU, with offsets and whole. */
static void test_host_arrays(void)
{
    size_t const  lengths[] = {6, 5, 300, 9, 2000, 17};
    layout const  l = layout_by_offsets("host", lengths, 6);
    sample const  s = {&l, ORDO_F32, ORDO_U32, false, true, 4, 0};
    ordo_segments segments = l.segments;
    inputs_fill(inputs_find("few distinct"), ORDO_F32, keys, l.n, 1);
    expect(&s);
    memset(got, FILL, l.n * 4);
    memset(one_index, FILL, l.n * 4);
    CHECK_STATUS(ORDO_OK,
                 ordo_nth(gpu, ORDO_F32, keys, l.n, 4, got, ORDO_U32, one_index,
                          &ORDO_OPTS(ordo_select_opts, .segments = &segments)),
                 gpu);
    CHECK_BYTES(expected, got, l.n * 4, 4);
    CHECK_BYTES(expected_index, one_index, l.n * 4, 4);
}

/* A captured call runs again on other keys. */
static void test_capture(void)
{
    layout l;
    size_t bytes = 0;
    (void)layout_at(2, &l);
    sample const s = {&l, ORDO_F32, ORDO_U32, false, false, 3, 0};
    inputs_fill(0, ORDO_F32, keys, l.n, 5);
    ordo_segments const    there = place(&s);
    ordo_select_opts const opts =
        ORDO_OPTS(ordo_select_opts, .flags = ORDO_ON_DEVICE, .stream = stream, .segments = &there);
    CHECK_STATUS(ORDO_OK, ordo_nth_scratch(gpu, ORDO_F32, l.n, &opts, &bytes), gpu);
    CHECK_STATUS(ORDO_OK, ordo_reserve(gpu, bytes), gpu);
    device_capture();
    CHECK_STATUS(
        ORDO_OK,
        ordo_nth(gpu, ORDO_F32, d_keys.data, l.n, s.k, d_out.data, ORDO_U32, d_index.data, &opts),
        gpu);
    cudaGraphExec_t const graph = device_captured();
    inputs_fill(1, ORDO_F32, keys, l.n, 6);
    expect(&s);
    (void)place(&s);
    device_replay(graph);
    compare(&s);
}

/* Sorts `from` on the CPU to `to`. */
static void sort_here(const sample *s, const char *from, size_t n, char *to)
{
    size_t const size = ordo_type_size(s->type);
    memcpy(to, from, n * size);
    CHECK_STATUS(ORDO_OK,
                 ordo_sort(cpu, s->type, to, n,
                           &ORDO_OPTS(ordo_sort_opts, .flags = s->desc ? ORDO_DESCENDING : 0)),
                 cpu);
}

/* The call with ORDO_ANY_ORDER on the placed arrays. */
static void call_any_order(const sample *s, const ordo_segments *there)
{
    ordo_report            report = {.struct_size = sizeof report};
    uint64_t const         order = ORDO_ANY_ORDER | (s->desc ? ORDO_DESCENDING : 0);
    ordo_select_opts const opts = ORDO_OPTS(ordo_select_opts, .flags = ORDO_ON_DEVICE | order,
                                            .stream = stream, .segments = there);
    CHECK_STATUS(ORDO_OK,
                 ordo_nth(gpu, s->type, d_keys.data, s->l->n, s->k, d_out.data, s->index_type,
                          s->missing == 2 ? NULL : d_index.data, &opts),
                 gpu);
    CHECK_STATUS(ORDO_OK, ordo_last_report(gpu, &report), gpu);
    CHECK(strcmp(report.algorithm, "segments") == 0);
}

/* The first place of `found` whose key belongs to the other side of place k; the length if none.
 * Ties belong to both sides. */
static size_t first_wrong(const sample *s, const char *sorted, const char *found)
{
    size_t const length = s->l->segments.length;
    for (size_t i = 0; i < length; i++) {
        int const order = oracle_compare(s->type, found, i, sorted, s->k, s->desc);
        if (i < s->k ? order > 0 : i > s->k ? order < 0 : order != 0)
            return i;
    }
    return length;
}

/* Both sides of place k have the right keys, in any order, and what is between the segments is
 * unchanged. */
static void compare_any_order(const sample *s)
{
    size_t const size = ordo_type_size(s->type), length = s->l->segments.length;
    CUDA_CHECK(cudaStreamSynchronize(stream));
    device_get(&d_out, got);
    for (size_t i = 0; i < s->l->segments.count; i++) {
        char *const found = expected_index; /* free: indices are not compared */
        layout_take(s->l, i, keys, size, one);
        sort_here(s, one, length, one_index);
        layout_take(s->l, i, got, size, found);
        CHECK_EQ_U64(length, first_wrong(s, one_index, found));
        sort_here(s, found, length, one);
        CHECK_BYTES(one_index, one, length * size, size);
        layout_take(s->l, i, expected, size, one);
        layout_put(s->l, i, got, size, one);
    }
    CHECK_BYTES(expected, got, s->l->n * size, size); /* the gaps */
    CHECK(device_intact(&d_keys) && device_intact(&d_out) && device_intact(&d_index));
}

static void try_any_order(const sample *s)
{
    testkit_case("any order, %s of %zu %s %s k=%zu missing=%u", s->l->name, s->l->segments.length,
                 ordo_type_name(s->type), s->desc ? "desc" : "asc", s->k, s->missing);
    expect(s);
    ordo_segments const there = place(s);
    call_any_order(s, &there);
    compare_any_order(s);
}

enum {
    ROWS = 77 /* segments of each call with ORDO_ANY_ORDER */
};

/* Rows, with or without gaps, or columns of a matrix. */
static layout any_order_layout(unsigned kind, size_t length)
{
    size_t const        stride = length + (kind == 1 ? 3 : 0);
    ordo_segments const rows =
        ORDO_OPTS(ordo_segments, .count = ROWS, .length = length, .stride = stride);
    ordo_segments const columns =
        ORDO_OPTS(ordo_segments, .count = ROWS, .length = length, .stride = 1, .step = ROWS);
    return kind == 2 ? (layout){"columns", columns, ROWS * length, false}
                     : (layout){"rows", rows, ROWS * stride, false};
}

static void test_any_order(void)
{
    static const size_t    lengths[] = {1, 5, 16, 32, 33, 64, 65, 200};
    static const ordo_type types[] = {ORDO_F32, ORDO_F64, ORDO_U8, ORDO_I32, ORDO_U64};
    size_t                 turn = 0;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (size_t t = 0; t < (small > 0 ? 1 : sizeof types / sizeof *types); t++)
            for (unsigned kind = 0; kind < 3; kind++, turn++) {
                size_t const   n = lengths[i];
                layout const   l = any_order_layout(kind, n);
                unsigned const missing = (i + t + kind) % 4 == 3 ? 0 : 2;
                if (small > 1 && kind != i % 3)
                    continue;
                sample const s = {&l,    types[t],           ORDO_U32, turn % 2 == 0,
                                  false, n * (turn % 7) / 7, missing};
                inputs_fill(turn % inputs_count(), types[t], keys, l.n, turn);
                try_any_order(&s);
            }
}

/* A captured call that sorts rows runs again on other keys. */
static void test_capture_any_order(void)
{
    static const ordo_type types[] = {ORDO_F32, ORDO_I32, ORDO_U64};
    for (size_t t = 0; t < (small > 0 ? 1 : sizeof types / sizeof *types); t++)
        for (unsigned kind = 0; kind < (small > 1 ? 1u : 3u); kind++) {
            size_t                 bytes = 0;
            layout const           l = any_order_layout(kind, 16);
            sample const           s = {&l, types[t], ORDO_U32, t == 1, false, 5, 2};
            ordo_segments const    there = place(&s);
            ordo_select_opts const opts =
                ORDO_OPTS(ordo_select_opts, .flags = ORDO_ON_DEVICE | ORDO_ANY_ORDER,
                          .stream = stream, .segments = &there);
            testkit_case("captured, any order, %s %s", l.name, ordo_type_name(s.type));
            CHECK_STATUS(ORDO_OK, ordo_nth_scratch(gpu, s.type, l.n, &opts, &bytes), gpu);
            CHECK_STATUS(ORDO_OK, ordo_reserve(gpu, bytes), gpu);
            device_capture();
            call_any_order(&s, &there);
            cudaGraphExec_t const graph = device_captured();
            inputs_fill(1, s.type, keys, l.n, 7);
            expect(&s);
            (void)place(&s);
            device_replay(graph);
            compare_any_order(&s);
        }
}

int main(void)
{
    device_start();
    const char *const wish = getenv("ORDO_TEST_SMALL");
    size_t const      bytes = (size_t)LONG * 8;
    char **const      arrays[] = {&keys, &one, &one_index, &expected, &expected_index, &got};
    small = wish == NULL ? 0 : strcmp(wish, "2") == 0 ? 2 : 1;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = malloc(bytes);
        if (*arrays[i] == NULL)
            return 99;
    }
    d_offsets = device_make(sizeof layout_offsets, 0);
    d_keys = device_make(bytes, 0);
    d_out = device_make(bytes, 0);
    d_index = device_make(bytes, 0);
    test_layouts();
    test_whole();
    test_host_arrays();
    test_capture();
    test_any_order();
    test_capture_any_order();
    device_free(&d_offsets);
    device_free(&d_keys);
    device_free(&d_out);
    device_free(&d_index);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(*arrays[i]);
    return device_done();
}
