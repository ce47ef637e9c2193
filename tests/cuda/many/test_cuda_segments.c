/* test_cuda_segments.c - sorts and ranks of segments on a GPU: the bytes of separate CPU calls on
 * each segment. Rows of every length up to 70 and around the limits of the classes, offsets with
 * empty segments and one huge segment among tiny ones, gaps, columns, groups of columns; all types,
 * tie rules and value sizes. Then host arrays, bad offsets, a captured call and refusals.
 * ORDO_TEST_SMALL=1 takes fewer lengths and types, for compute-sanitizer; ORDO_TEST_SMALL=2 takes
 * the fewest, for its race checker. */
#include "device.h"
#include "inputs.h"
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST = 100000, /* elements of an array */
    MOST_VALUE = 16
};

typedef struct layout {
    const char   *name;
    ordo_segments segments; /* offsets on the host */
    size_t        n;
} layout;

typedef struct sample {
    const layout *layout;
    ordo_type     type;
    uint64_t      flags;
    bool          on_host; /* the arrays of the GPU's call are host memory */
} sample;

static uint64_t      offsets[MOST + 1];
static device_array  device_in, device_out, device_offsets;
static char         *keys, *expected, *more, *expected_more, *found, *one, *one_more;
static ordo_segments there; /* the segments of the call on the GPU */

static size_t length_of(const layout *l, size_t i)
{
    return oracle_segment_length(&l->segments, l->n, i);
}

static void take(const layout *l, size_t i, const char *array, size_t size, char *to)
{
    (void)oracle_segment_take(&l->segments, l->n, i, array, size, to);
}

static void put(const layout *l, size_t i, char *array, size_t size, const char *from)
{
    oracle_segment_put(&l->segments, l->n, i, array, size, from);
}

/* ---- Arrays of the GPU's call ---- */

static void *in_place(const sample *s) { return s->on_host ? (void *)found : device_in.data; }
static void *out_place(const sample *s) { return s->on_host ? (void *)more : device_out.data; }

/* Brings `keys` and `more` to the GPU, and the segments. */
static void bring(const sample *s, size_t size, size_t more_size)
{
    const layout *const l = s->layout;
    there = l->segments;
    memcpy(found, keys, l->n * size);
    if (s->on_host)
        return;
    device_place(&device_in, l->n * size, size * (l->n % 3));
    device_place(&device_out, l->n * more_size, more_size * (l->n % 5));
    device_put(&device_in, keys);
    device_put(&device_out, more);
    if (there.offsets != NULL) {
        device_place(&device_offsets, (there.count + 1) * sizeof *offsets, 8);
        device_put(&device_offsets, there.offsets);
        there.offsets = (const uint64_t *)(const void *)device_offsets.data;
    }
    CUDA_CHECK(cudaDeviceSynchronize()); /* the uploads use another stream */
}

/* Compares both arrays of the GPU's call with those of the CPU. */
static void compare(const sample *s, const char *want_in, size_t size, const char *want_out,
                    size_t out_size)
{
    size_t const n = s->layout->n;
    if (!s->on_host) {
        CUDA_CHECK(cudaStreamSynchronize(stream));
        device_get(&device_in, found);
        device_get(&device_out, more);
        CHECK(device_intact(&device_in) && device_intact(&device_out));
    }
    CHECK_BYTES(want_in, found, n * size, size);
    CHECK_BYTES(want_out, more, n * out_size, out_size);
}

static ordo_sort_opts sort_opts(const sample *s)
{
    return ORDO_OPTS(ordo_sort_opts, .flags = s->flags | (s->on_host ? 0 : ORDO_ON_DEVICE),
                     .stream = s->on_host ? NULL : stream, .segments = &there);
}

static void fill_more(size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        more[i] = expected_more[i] = (char)(i * 31 >> 3);
}

/* ---- Verbs ---- */

static void try_sort(const sample *s, bool from_source)
{
    const layout *const  l = s->layout;
    size_t const         size = ordo_type_size(s->type);
    ordo_sort_opts const here = ORDO_OPTS(ordo_sort_opts, .flags = s->flags);
    fill_more(l->n * size);
    if (!from_source)
        memcpy(expected_more, keys, l->n * size);
    for (size_t i = 0; i < l->segments.count; i++) {
        take(l, i, keys, size, one);
        CHECK_STATUS(ORDO_OK, ordo_sort(cpu, s->type, one, length_of(l, i), &here), cpu);
        put(l, i, expected_more, size, one);
    }
    if (!from_source)
        memcpy(more, keys, l->n * size);
    bring(s, size, size);
    ordo_sort_opts opts = sort_opts(s);
    opts.source = from_source ? in_place(s) : NULL;
    CHECK_STATUS(ORDO_OK, ordo_sort(gpu, s->type, out_place(s), l->n, &opts), gpu);
    compare(s, keys, size, expected_more, size);
}

static void try_pairs(const sample *s, size_t value_size)
{
    const layout *const  l = s->layout;
    size_t const         size = ordo_type_size(s->type);
    ordo_sort_opts const here = ORDO_OPTS(ordo_sort_opts, .flags = s->flags);
    fill_more(l->n * value_size);
    memcpy(expected, keys, l->n * size);
    for (size_t i = 0; i < l->segments.count; i++) {
        take(l, i, keys, size, one);
        take(l, i, more, value_size, one_more);
        CHECK_STATUS(
            ORDO_OK,
            ordo_sort_pairs(cpu, s->type, one, length_of(l, i), one_more, value_size, &here), cpu);
        put(l, i, expected, size, one);
        put(l, i, expected_more, value_size, one_more);
    }
    bring(s, size, value_size);
    ordo_sort_opts const opts = sort_opts(s);
    CHECK_STATUS(ORDO_OK,
                 ordo_sort_pairs(gpu, s->type, in_place(s), l->n, out_place(s), value_size, &opts),
                 gpu);
    compare(s, expected, size, expected_more, value_size);
}

static void try_argsort(const sample *s, ordo_type index_type)
{
    const layout *const  l = s->layout;
    size_t const         size = ordo_type_size(s->type), wide = ordo_type_size(index_type);
    ordo_sort_opts const here = ORDO_OPTS(ordo_sort_opts, .flags = s->flags);
    fill_more(l->n * wide);
    for (size_t i = 0; i < l->segments.count; i++) {
        take(l, i, keys, size, one);
        CHECK_STATUS(ORDO_OK,
                     ordo_argsort(cpu, s->type, one, length_of(l, i), index_type, one_more, &here),
                     cpu);
        put(l, i, expected_more, wide, one_more);
    }
    bring(s, size, wide);
    ordo_sort_opts const opts = sort_opts(s);
    CHECK_STATUS(ORDO_OK,
                 ordo_argsort(gpu, s->type, in_place(s), l->n, index_type, out_place(s), &opts),
                 gpu);
    compare(s, keys, size, expected_more, wide);
}

static void try_rank(const sample *s, rank_rule rule)
{
    const layout *const  l = s->layout;
    size_t const         size = ordo_type_size(s->type), wide = ordo_type_size(rule.rank_type);
    ordo_rank_opts const here =
        ORDO_OPTS(ordo_rank_opts, .flags = s->flags, .ties = (uint32_t)rule.ties);
    fill_more(l->n * wide);
    for (size_t i = 0; i < l->segments.count; i++) {
        take(l, i, keys, size, one);
        CHECK_STATUS(ORDO_OK,
                     ordo_rank(cpu, s->type, one, length_of(l, i), rule.rank_type, one_more, &here),
                     cpu);
        put(l, i, expected_more, wide, one_more);
    }
    bring(s, size, wide);
    ordo_rank_opts opts = here;
    opts.flags = sort_opts(s).flags;
    opts.stream = sort_opts(s).stream;
    opts.segments = &there;
    CHECK_STATUS(ORDO_OK,
                 ordo_rank(gpu, s->type, in_place(s), l->n, rule.rank_type, out_place(s), &opts),
                 gpu);
    compare(s, keys, size, expected_more, wide);
}

/* Every verb on `keys`; the turn chooses among value sizes, index types and tie rules. */
static void try_verbs(const sample *s, size_t turn)
{
    static const size_t values[] = {4, 8, 1, 3, 16, 12, 2};
    try_sort(s, turn % 3 == 2);
    try_pairs(s, values[turn % (sizeof values / sizeof *values)]);
    try_argsort(s, turn % 4 < 2 ? ORDO_U32 : ORDO_U64);
    try_rank(s, inputs_rule(turn));
}

/* The same on new keys; the turn also chooses the shape and the direction. */
static void try_all(const layout *l, ordo_type type, size_t turn, bool on_host)
{
    size_t const shape = turn % inputs_count();
    sample const s = {l, type, turn % 2 == 0 ? 0 : ORDO_DESCENDING, on_host};
    testkit_case("%s, %s, n=%zu, count=%zu, length=%zu, %s%s%s", l->name, ordo_type_name(type),
                 l->n, l->segments.count, l->segments.length, inputs_name(shape),
                 turn % 2 == 0 ? "" : ", descending", on_host ? ", host arrays" : "");
    inputs_fill(shape, type, keys, l->n, turn);
    try_verbs(&s, turn);
}

/* ---- Layouts ---- */

static layout rows(size_t count, size_t length)
{
    return (layout){"rows", ORDO_OPTS(ordo_segments, .count = count, .length = length),
                    count * length};
}

/* Segments of lengths by kind: tiny ones with empty ones, any of a class, one huge among tiny. */
static layout by_offsets(unsigned kind, size_t most, uint64_t seed)
{
    static const char *const names[] = {"tiny offsets", "mixed offsets", "one huge among tiny"};
    static const uint64_t    bounds[] = {9, 40, 300, 2300, 9000, 20000};
    test_rng                 rng = {seed};
    size_t                   at = 3, count = 0;
    offsets[0] = at;
    while (at + 30 < most && count < MOST) {
        uint64_t bound = 12;
        if (kind == 1)
            bound = bounds[test_rng_below(&rng, 6)];
        uint64_t length = test_rng_below(&rng, bound);
        if (kind == 2 && count == 50)
            length = most * 3 / 4;
        at = at + length < most - 5 ? at + (size_t)length : most - 5;
        offsets[++count] = at;
    }
    return (layout){names[kind], ORDO_OPTS(ordo_segments, .count = count, .offsets = offsets),
                    most};
}

/* How much is tried: everything, a part for compute-sanitizer, the least for its race checker. */
typedef enum effort {
    ALL,
    FEW,
    FEWEST
} effort;

static void test_rows(effort much)
{
    static const size_t lengths[] = {
        90,   100,  127,  128,  129,  200,  255,  256,  257,   511,   1000,  1024,  2047,  2048,
        2049, 4095, 4096, 4097, 8191, 8192, 8193, 9000, 16384, 16385, 20000, 33000, 50000, 99991};
    static const size_t steps[] = {1, 11, 30}, jumps[] = {1, 7, 9}, counts[] = {301, 37, 37};
    size_t              turn = 0;
    for (size_t length = 1; length <= 70; length += steps[much], turn++) {
        layout const l = rows(counts[much], length);
        try_all(&l, inputs_types[turn % INPUTS_TYPES], turn, false);
    }
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i += jumps[much], turn++) {
        size_t const most = MOST / lengths[i], count = lengths[i] > 300 ? 3 : 41;
        if (much == FEWEST && lengths[i] > 10000)
            break;
        layout const l = rows(most < count ? most : count, lengths[i]);
        try_all(&l, inputs_types[turn % INPUTS_TYPES], turn, false);
    }
    for (size_t t = 0; t < INPUTS_TYPES; t++, turn++) { /* `bring` aligns these arrays */
        layout const l = rows(315, 16);
        try_all(&l, inputs_types[t], turn, false);
    }
}

/* Rows that are in order, and the same with two neighbours exchanged in one of them. */
static void test_sorted(effort much)
{
    static const ordo_type types[] = {ORDO_F32, ORDO_U64, ORDO_I16};
    static const size_t    lengths[] = {16, 600, 1024, 5000, 8192, 16385, 33000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (size_t turn = 0; turn < (much == ALL ? 12 : 2); turn++) {
            size_t const    length = lengths[i], at[] = {0, length - 2, 8191, length / 2};
            ordo_type const type = types[turn % 3];
            size_t const    size = ordo_type_size(type);
            bool const      desc = turn % 2 != 0;
            layout const    l = rows(3, length);
            sample const    s = {&l, type, desc ? ORDO_DESCENDING : 0, false};
            testkit_case("sorted rows, %s, length=%zu, turn=%zu", ordo_type_name(type), length,
                         turn);
            for (size_t row = 0; row < 3; row++)
                inputs_fill_sorted((turn + row) % inputs_count(), type, keys + row * length * size,
                                   length, desc, turn);
            if (turn >= 4 && at[turn % 4] + 1 < length) {
                char *const x = keys + (length + at[turn % 4]) * size;
                memcpy(one, x, size);
                memmove(x, x + size, size);
                memcpy(x + size, one, size);
            }
            try_verbs(&s, turn);
        }
}

/* Every shape in rows for each size of the blocks that sort by buckets. */
static void test_shapes(void)
{
    static const ordo_type types[] = {ORDO_F32, ORDO_U32, ORDO_I64, ORDO_F64};
    static const size_t    lengths[] = {700, 1500, 3000, 6000, 12000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (size_t shape = 0; shape < inputs_count(); shape++) {
            layout const l = rows(3, lengths[i]);
            try_all(&l, types[(shape + i) % 4], shape, false);
        }
}

static void test_types(effort much)
{
    static const size_t jumps[] = {1, 3, INPUTS_TYPES};
    size_t              turn = 0;
    for (size_t t = 0; t < INPUTS_TYPES; t += jumps[much])
        for (unsigned kind = 0; kind < 3; kind++)
            for (size_t shape = 0; shape < (much != ALL ? 1 : inputs_count()); shape += 5, turn++) {
                size_t const n = much == ALL   ? kind == 0 ? 2500 : 60000
                                 : much == FEW ? 30000
                                               : 9000;
                layout const l = by_offsets(kind, n, turn);
                try_all(&l, inputs_types[t], turn, false);
            }
}

static void test_strided(size_t turns)
{
    layout const layouts[] = {
        {"rows with gaps", ORDO_OPTS(ordo_segments, .count = 40, .length = 33, .stride = 50), 2000},
        {"columns", ORDO_OPTS(ordo_segments, .count = 37, .length = 211, .stride = 1, .step = 37),
         7810},
        {"long columns",
         ORDO_OPTS(ordo_segments, .count = 3, .length = 20001, .stride = 1, .step = 3), 60010},
        {"groups of columns",
         ORDO_OPTS(ordo_segments, .count = 60, .length = 9, .stride = 1, .step = 12, .group = 12,
                   .group_stride = 120),
         600},
        {"groups of rows",
         ORDO_OPTS(ordo_segments, .count = 12, .length = 300, .group = 4, .group_stride = 1300),
         4000},
        {"no segments", ORDO_OPTS(ordo_segments, .count = 0), 100},
        {"empty segments", ORDO_OPTS(ordo_segments, .count = 7), 100},
    };
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        for (size_t turn = 0; turn < turns; turn++)
            try_all(&layouts[i], inputs_types[(i + 3 * turn) % INPUTS_TYPES], 7 * turn + i,
                    turn == 5);
}

static void test_host(void)
{
    for (unsigned kind = 0; kind < 3; kind++) {
        layout const l = by_offsets(kind, 40000, kind + 77);
        try_all(&l, kind == 1 ? ORDO_F64 : ORDO_F32, kind, true);
    }
    layout const l = rows(100, 100);
    try_all(&l, ORDO_I16, 3, true);
}

/* ---- A huge segment, which is scattered to buckets twice ---- */

static void test_huge(void)
{
    enum {
        HUGE_N = 4600000,
        FIRST = 12, /* of the huge segment */
        LENGTH = HUGE_N - FIRST - 7
    };
    uint64_t const bounds[] = {3, FIRST, FIRST, FIRST + LENGTH};
    uint32_t      *given = malloc(HUGE_N * sizeof *given), *want = malloc(HUGE_N * sizeof *want),
             *got = malloc(HUGE_N * sizeof *got);
    device_array in = device_make(HUGE_N * sizeof *given, 0);
    device_array out = device_make(HUGE_N * sizeof *given, 0);
    for (int turn = 0; turn < 4; turn++) {
        bool const           is_argsort = turn % 2 == 1;
        size_t const         shape = turn < 2 ? 0 : inputs_find("few distinct");
        ordo_segments const  segments = ORDO_OPTS(ordo_segments, .count = 3, .offsets = bounds);
        ordo_sort_opts const here = ORDO_OPTS(ordo_sort_opts, .segments = &segments);
        testkit_case("huge segment, %s, %s", inputs_name(shape), is_argsort ? "argsort" : "sort");
        inputs_fill(shape, ORDO_F32, given, HUGE_N, (uint64_t)turn);
        memcpy(want, given, HUGE_N * sizeof *want);
        CHECK_STATUS(ORDO_OK,
                     is_argsort ? ordo_argsort(cpu, ORDO_F32, given, HUGE_N, ORDO_U32, want, &here)
                                : ordo_sort(cpu, ORDO_F32, want, HUGE_N, &here),
                     cpu);
        device_put(&in, given);
        device_put(&out, given);
        device_place(&device_offsets, sizeof bounds, 0);
        device_put(&device_offsets, bounds);
        CUDA_CHECK(cudaDeviceSynchronize()); /* the uploads use another stream */
        there = segments;
        there.offsets = (const uint64_t *)(const void *)device_offsets.data;
        ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = ORDO_ON_DEVICE,
                                              .stream = stream, .segments = &there);
        CHECK_STATUS(ORDO_OK,
                     is_argsort
                         ? ordo_argsort(gpu, ORDO_F32, in.data, HUGE_N, ORDO_U32, out.data, &opts)
                         : ordo_sort(gpu, ORDO_F32, out.data, HUGE_N, &opts),
                     gpu);
        CUDA_CHECK(cudaStreamSynchronize(stream));
        device_get(&out, got);
        CHECK(device_intact(&out));
        CHECK_BYTES(want, got, HUGE_N * sizeof *want, sizeof *want);
    }
    device_free(&in);
    device_free(&out);
    free(given);
    free(want);
    free(got);
}

/* ---- Bad offsets ---- */

static void test_bad_offsets(size_t turns)
{
    static const uint64_t bad[] = {10,         60,   MOST + 7, 70,    5000,
                                   UINT64_MAX, 6000, 31000,    40000, 31010};
    size_t const          count = sizeof bad / sizeof *bad - 1;
    layout l = {"bad pairs", ORDO_OPTS(ordo_segments, .count = count, .offsets = offsets), 31500};
    memcpy(offsets, bad, sizeof bad);
    for (size_t turn = 0; turn < turns; turn++)
        try_all(&l, turn % 2 == 0 ? ORDO_F32 : ORDO_F64, turn, false);

    test_rng rng = {8}; /* any offsets: the bytes around the arrays stay as they are */
    for (size_t turn = 0; turn < turns; turn++) {
        testkit_case("random offsets, turn %zu", turn);
        l.segments.count = 500;
        for (size_t i = 0; i <= 500; i++)
            offsets[i] = test_rng_below(&rng, turn % 2 == 0 ? 40000 : 31500);
        sample const s = {&l, turn % 3 == 0 ? ORDO_U64 : ORDO_U32, 0, false};
        size_t const size = ordo_type_size(s.type);
        inputs_fill(0, s.type, keys, l.n, turn);
        fill_more(l.n * 8);
        bring(&s, size, 8);
        ordo_sort_opts const opts = sort_opts(&s);
        ordo_rank_opts const ranks =
            ORDO_OPTS(ordo_rank_opts, .flags = opts.flags, .ties = ORDO_TIES_DENSE,
                      .stream = stream, .segments = &there);
        CHECK_STATUS(ORDO_OK,
                     ordo_rank(gpu, s.type, device_in.data, l.n, ORDO_U64, device_out.data, &ranks),
                     gpu);
        CHECK_STATUS(ORDO_OK,
                     ordo_sort_pairs(gpu, s.type, device_in.data, l.n, device_out.data, 8, &opts),
                     gpu);
        CHECK_STATUS(ORDO_OK, ordo_sort(gpu, s.type, device_in.data, l.n, &opts), gpu);
        CUDA_CHECK(cudaStreamSynchronize(stream));
        CHECK(device_intact(&device_in) && device_intact(&device_out));
    }
}

/* ---- Graphs ---- */

/* Each launch sorts the keys and the segments that the arrays hold then. */
static void test_captured(void)
{
    ordo_ctx *const fresh = device_context();
    cudaGraph_t     graph = NULL;
    cudaGraphExec_t ready = NULL;
    size_t          bytes = 0;
    layout          l = by_offsets(1, 50000, 3);
    sample const    s = {&l, ORDO_F32, 0, false};
    size_t const    count = l.segments.count;
    testkit_case("captured");
    inputs_fill(0, ORDO_F32, keys, l.n, 1);
    bring(&s, 4, 4);
    ordo_sort_opts const opts = sort_opts(&s);
    CHECK_STATUS(ORDO_OK, ordo_sort_pairs_scratch(fresh, ORDO_F32, l.n, 4, &opts, &bytes), fresh);
    CHECK_STATUS(ORDO_OK, ordo_reserve(fresh, bytes), fresh);
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    ordo_status const status =
        ordo_sort_pairs(fresh, ORDO_F32, device_in.data, l.n, device_out.data, 4, &opts);
    cudaError_t const ended = cudaStreamEndCapture(stream, &graph);
    if (!CHECK_STATUS(ORDO_OK, status, fresh) || !CHECK(ended == cudaSuccess && graph != NULL))
        return;
    CUDA_CHECK(cudaGraphInstantiate(&ready, graph, 0));
    for (uint64_t round = 0; round < 3; round++) {
        for (size_t i = 1; i < count; i++) /* other lengths, as many segments */
            offsets[i] = round == 0 ? offsets[i] : (l.n - 10) * i / count * round / 2;
        offsets[0] = 0;
        inputs_fill(round, ORDO_F32, keys, l.n, round);
        fill_more(l.n * 4);
        memcpy(expected, keys, l.n * 4);
        ordo_sort_opts here = ORDO_OPTS(ordo_sort_opts, .segments = &l.segments);
        CHECK_STATUS(ORDO_OK,
                     ordo_sort_pairs(cpu, ORDO_F32, expected, l.n, expected_more, 4, &here), cpu);
        bring(&s, 4, 4);
        CUDA_CHECK(cudaGraphLaunch(ready, stream));
        compare(&s, expected, 4, expected_more, 4);
    }
    CUDA_CHECK(cudaGraphExecDestroy(ready));
    CUDA_CHECK(cudaGraphDestroy(graph));
    ordo_ctx_free(fresh);
}

static void test_refused(void)
{
    layout const l = rows(10, 10);
    sample const s = {&l, ORDO_U32, 0, false};
    testkit_case("an algorithm by name");
    inputs_fill(0, ORDO_U32, keys, l.n, 1);
    bring(&s, 4, 4);
    ordo_sort_opts opts = sort_opts(&s);
    opts.algorithm = ORDO_ALGORITHM_BITONIC;
    CHECK_STATUS(ORDO_E_UNSUPPORTED, ordo_sort(gpu, ORDO_U32, device_in.data, l.n, &opts), gpu);
    testkit_case("offsets in host memory");
    layout const o = by_offsets(0, 1000, 1);
    there = o.segments;
    opts.algorithm = ORDO_ALGORITHM_AUTO;
    CHECK_STATUS(ORDO_E_ARG, ordo_sort(gpu, ORDO_U32, device_in.data, l.n, &opts), gpu);
}

int main(void)
{
    device_start();
    const char *const wish = getenv("ORDO_TEST_SMALL");
    effort const      much = wish == NULL ? ALL : strcmp(wish, "2") == 0 ? FEWEST : FEW;
    size_t const      bytes = (size_t)MOST * MOST_VALUE;
    char **const      arrays[] = {&keys, &expected, &more, &expected_more, &found, &one, &one_more};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = malloc(bytes);
        if (*arrays[i] == NULL)
            return 99;
        memset(*arrays[i], 0, bytes);
    }
    device_in = device_make(bytes, 0);
    device_out = device_make(bytes + 128, 0);
    device_offsets = device_make(sizeof offsets + 64, 0);
    test_rows(much);
    test_types(much);
    test_sorted(much);
    if (much != FEWEST)
        test_strided(6);
    test_bad_offsets(much == FEWEST ? 1 : 8);
    test_refused();
    if (much == ALL) {
        test_shapes();
        test_huge();
        test_host();
        test_captured();
    }
    device_free(&device_in);
    device_free(&device_out);
    device_free(&device_offsets);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(*arrays[i]);
    return device_done();
}
