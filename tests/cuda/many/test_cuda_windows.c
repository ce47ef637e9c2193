/* test_cuda_windows.c - moving windows, gather, scatter and structs on a GPU: the bytes of the CPU,
 * for all types, windows around the limits of a tile, NaN rules, ties and segments. Then host
 * arrays in a context for the GPU, and refusals. ORDO_TEST_SMALL=1 takes two types and short
 * arrays, for compute-sanitizer; ORDO_TEST_SMALL=2 takes one type and fewer cases, for its race
 * checker. */
#include "device.h"
#include "inputs.h"
#include "layouts.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST = 40000,
    ELEMENT = 80, /* bytes of the largest struct */
    FILL = 0xa5
};

static char        *in, *expected, *got;
static device_array d_in, d_out, d_offsets;
static long         small;

static size_t type_step(void) { return small > 1 ? INPUTS_TYPES : small == 1 ? 7 : 1; }
static size_t step_of(size_t fewer) { return small > 1 ? fewer : 1; }

/* ---- Windows ---- */

static bool is_float(ordo_type type) { return type == ORDO_F32 || type == ORDO_F64; }

typedef struct window_case {
    ordo_moving_op   op;
    ordo_type        type, out_type;
    size_t           n, window;
    ordo_moving_opts opts;
} window_case;

static window_case random_case(test_rng *rng, ordo_type type, ordo_moving_op op, size_t n,
                               size_t window)
{
    static double const some[] = {0, 0.1, 0.5, 0.99, 1};
    window_case c = {.op = op, .type = type, .out_type = ORDO_F64, .n = n, .window = window};
    c.opts = ORDO_OPTS(ordo_moving_opts, .nans = (uint32_t)test_rng_below(rng, 3),
                       .center = (uint32_t)test_rng_below(rng, 2));
    if (op >= ORDO_MOVING_MIN && test_rng_below(rng, 2) == 0)
        c.out_type = type;
    if (is_float(c.out_type) && test_rng_below(rng, 3) > 0)
        c.opts.min_periods = 1 + test_rng_below(rng, window);
    if (op == ORDO_MOVING_QUANTILE) {
        c.opts.q = some[test_rng_below(rng, 5)];
        c.opts.method = (uint32_t)test_rng_below(rng, ORDO_METHOD_NEAREST + 1);
    }
    if (op == ORDO_MOVING_RANK) {
        c.opts.ties = (uint32_t)test_rng_below(rng, ORDO_TIES_RULES);
        c.opts.flags = test_rng_below(rng, 2) != 0 ? ORDO_DESCENDING : 0;
    }
    return c;
}

static void name_case(const window_case *c, const char *layout_name)
{
    testkit_case(
        "op %d %s to %s n=%zu window=%zu center=%u nans=%u ties=%u method=%u periods=%zu %s",
        (int)c->op, ordo_type_name(c->type), ordo_type_name(c->out_type), c->n, c->window,
        c->opts.center, c->opts.nans, c->opts.ties, c->opts.method, c->opts.min_periods,
        layout_name);
}

/* The results of the CPU are in `expected`; `segments` has offsets on the device. */
static void try_there(window_case *c, const ordo_segments *segments)
{
    size_t const size = ordo_type_size(c->type), out_size = ordo_type_size(c->out_type);
    device_place(&d_in, c->n * size, size * (c->n % 3));
    device_place(&d_out, c->n * out_size, out_size * (c->n % 5));
    device_put(&d_in, in);
    memset(got, FILL, c->n * out_size);
    device_put(&d_out, got);
    CUDA_CHECK(cudaDeviceSynchronize()); /* the uploads use another stream */
    c->opts.flags |= ORDO_ON_DEVICE;
    c->opts.stream = stream;
    c->opts.segments = segments;
    CHECK_STATUS(ORDO_OK,
                 ordo_moving(gpu, c->op, c->type, d_in.data, c->n, c->window, c->out_type,
                             d_out.data, &c->opts),
                 gpu);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    device_get(&d_out, got);
    CHECK_BYTES(expected, got, c->n * out_size, out_size);
    CHECK(device_intact(&d_in) && device_intact(&d_out));
}

static void test_windows(void)
{
    static size_t const windows[] = {1, 2, 3, 31, 33, 100, 511, 1023, 1024};
    static size_t const ns[] = {1,    2,    1024, 1025, 1026, 2047, 2048, 2049,
                                2304, 2305, 4100, 4609, 9000, 33,   500,  2303};
    test_rng            rng = {5};
    size_t              turn = 0;
    for (size_t t = 0; t < INPUTS_TYPES; t += type_step())
        for (int op = 1; op <= ORDO_MOVING_MAX; op++)
            for (size_t w = 0; w < sizeof windows / sizeof *windows; w += step_of(4), turn++) {
                size_t const n = small > 1 ? 2049 : ns[turn * 5 % (sizeof ns / sizeof *ns)];
                window_case  c =
                    random_case(&rng, inputs_types[t], (ordo_moving_op)op, n, windows[w]);
                name_case(&c, "");
                inputs_fill(turn % inputs_count(), c.type, in, c.n, turn);
                CHECK_STATUS(ORDO_OK,
                             ordo_moving(cpu, c.op, c.type, in, c.n, c.window, c.out_type, expected,
                                         &c.opts),
                             cpu);
                try_there(&c, NULL);
            }
}

/* Many ties and NaNs, by every rule. */
static void test_specials(void)
{
    static double const some[] = {0.0, -0.0, 1, 2, -1, 1e300, -1e300, 3};
    test_rng            rng = {11};
    double             *keys = (double *)(void *)in;
    for (size_t round = 0; round < (small > 1 ? 2 : small == 1 ? 20 : 150); round++) {
        window_case c = random_case(&rng, ORDO_F64, (ordo_moving_op)(1 + round % ORDO_MOVING_MAX),
                                    3000, 1 + test_rng_below(&rng, round % 3 == 0 ? 1024 : 20));
        for (size_t i = 0; i < c.n; i++) {
            uint64_t const bits = UINT64_C(0x7ff0000000000001) + test_rng_below(&rng, 99);
            keys[i] = some[test_rng_below(&rng, 8)];
            if (test_rng_below(&rng, round % 7 + 2) == 0)
                memcpy(&keys[i], &bits, sizeof bits);
        }
        name_case(&c, "specials");
        CHECK_STATUS(
            ORDO_OK,
            ordo_moving(cpu, c.op, c.type, in, c.n, c.window, c.out_type, expected, &c.opts), cpu);
        try_there(&c, NULL);
    }
}

/* Rows, rows with gaps, columns, groups of columns, and offsets. */
static void test_segments(void)
{
    static uint64_t     offsets[] = {3, 3, 10, 11, 1500, 1500, 1530, 6000, 6100};
    ordo_segments const layouts[] = {
        ORDO_OPTS(ordo_segments, .count = 50, .length = 37),
        ORDO_OPTS(ordo_segments, .count = 3, .length = 1200, .stride = 1300),
        ORDO_OPTS(ordo_segments, .count = 20, .length = 90, .stride = 1, .step = 20),
        ORDO_OPTS(ordo_segments, .count = 8, .offsets = offsets),
        ORDO_OPTS(ordo_segments, .count = 20, .length = 30, .stride = 1, .step = 10, .group = 10,
                  .group_stride = 300),
        ORDO_OPTS(ordo_segments, .count = 1, .length = 5000),
        ORDO_OPTS(ordo_segments, .count = 3, .length = 2050), /* rows with tiles of their own */
        ORDO_OPTS(ordo_segments, .count = 2, .length = 2200, .stride = 2300),
        ORDO_OPTS(ordo_segments, .count = 1, .length = 4400)};
    test_rng rng = {23};
    device_place(&d_offsets, sizeof offsets, 0);
    device_put(&d_offsets, offsets);
    for (size_t t = 0; t < INPUTS_TYPES; t += type_step())
        for (size_t j = 0; j < sizeof layouts / sizeof *layouts; j += step_of(3))
            for (int op = 1; op <= ORDO_MOVING_MAX; op++) {
                bool const    wide = test_rng_below(&rng, 3) == 0;
                window_case   c = random_case(&rng, inputs_types[t], (ordo_moving_op)op, 6150,
                                              1 + test_rng_below(&rng, wide ? 1024 : 40));
                ordo_segments there = layouts[j];
                name_case(&c, layouts[j].offsets != NULL ? "offsets" : "fixed layout");
                inputs_fill((t + j) % inputs_count(), c.type, in, c.n, t + j);
                memset(expected, FILL, c.n * ordo_type_size(c.out_type));
                c.opts.segments = &layouts[j];
                CHECK_STATUS(ORDO_OK,
                             ordo_moving(cpu, c.op, c.type, in, c.n, c.window, c.out_type, expected,
                                         &c.opts),
                             cpu);
                if (there.offsets != NULL)
                    there.offsets = (const uint64_t *)(const void *)d_offsets.data;
                try_there(&c, &there);
            }
}

static void test_window_host_arrays(void)
{
    double const       *keys = (const double *)(const void *)in;
    ordo_segments const rows = ORDO_OPTS(ordo_segments, .count = 20, .length = 100);
    testkit_case("windows of host arrays");
    inputs_fill(1, ORDO_F64, in, 2000, 3);
    for (int segmented = 0; segmented < 2; segmented++) {
        ordo_moving_opts const opts =
            ORDO_OPTS(ordo_moving_opts, .segments = segmented != 0 ? &rows : NULL);
        for (int there = 0; there < 2; there++)
            CHECK_STATUS(ORDO_OK,
                         ordo_moving(there != 0 ? gpu : cpu, ORDO_MOVING_MEDIAN, ORDO_F64, keys,
                                     2000, 25, ORDO_F64, there != 0 ? got : expected, &opts),
                         there != 0 ? gpu : cpu);
        CHECK_BYTES(expected, got, 2000 * sizeof(double), sizeof(double));
    }
    testkit_case("a window that is too long for a GPU");
    CHECK_STATUS(ORDO_E_UNSUPPORTED,
                 ordo_moving(gpu, ORDO_MOVING_MAX, ORDO_F64, keys, 2000, 1025, ORDO_F64, got, NULL),
                 gpu);
    CHECK_STATUS(ORDO_OK,
                 ordo_moving(gpu, ORDO_MOVING_MAX, ORDO_F64, keys, 1000, 5000, ORDO_F64, got, NULL),
                 gpu);
}

/* ---- Structs ---- */

static void upload(size_t bytes, size_t shift)
{
    device_place(&d_in, bytes, shift);
    device_put(&d_in, in);
    CUDA_CHECK(cudaDeviceSynchronize());
}

static void test_records(void)
{
    static size_t const sizes[] = {8, 9, 12, 16, 24, 32, 33, 64, 80};
    size_t              turn = 0;
    for (size_t t = 0; t < INPUTS_TYPES; t += type_step())
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++, turn++) {
            size_t const   size = sizes[s], key = ordo_type_size(inputs_types[t]);
            size_t const   n = turn % 11 == 0 ? turn % 3 : 37 * (turn % 50) + 3;
            size_t const   offset = (size - key) * (turn % 3) / 2;
            ordo_sort_opts opts =
                ORDO_OPTS(ordo_sort_opts, .flags = turn % 2 != 0 ? ORDO_DESCENDING : 0);
            testkit_case("structs of %zu bytes, %s at %zu, n=%zu", size,
                         ordo_type_name(inputs_types[t]), offset, n);
            for (size_t i = 0; i < n * size; i++)
                in[i] = (char)(i * 7 + i / size);
            inputs_fill(turn % inputs_count(), inputs_types[t], got, n, turn);
            for (size_t i = 0; i < n; i++)
                memcpy(in + i * size + offset, got + i * key, key);
            memcpy(expected, in, n * size);
            upload(n * size, turn % 8);
            CHECK_STATUS(ORDO_OK,
                         ordo_sort_records(cpu, expected, n, size, offset, inputs_types[t], &opts),
                         cpu);
            opts.flags |= ORDO_ON_DEVICE;
            opts.stream = stream;
            CHECK_STATUS(ORDO_OK,
                         ordo_sort_records(gpu, d_in.data, n, size, offset, inputs_types[t], &opts),
                         gpu);
            CUDA_CHECK(cudaStreamSynchronize(stream));
            device_get(&d_in, got);
            CHECK_BYTES(expected, got, n * size, size);
            CHECK(device_intact(&d_in));
        }
}

/* Every size and alignment; an index that is not below n moves nothing on a GPU. */
static void try_move(size_t n, size_t size, ordo_type type, bool scatters, bool bad)
{
    static uint32_t      narrow[1000];
    static uint64_t      wide[1000];
    const void *const    index = type == ORDO_U32 ? (const void *)narrow : (const void *)wide;
    ordo_move_opts const opts =
        ORDO_OPTS(ordo_move_opts, .flags = ORDO_ON_DEVICE, .stream = stream);
    for (size_t i = 0; i < n * size; i++)
        in[i] = (char)(i * 5 + i / 251);
    memset(expected, FILL, n * size);
    for (size_t i = 0; i < n; i++) {
        wide[i] = (i * 7919 + 3) % n; /* a permutation: 7919 is a prime */
        wide[i] += bad && i % 5 == 0 ? n : 0;
        narrow[i] = (uint32_t)wide[i];
        if (wide[i] < n && scatters)
            memcpy(expected + wide[i] * size, in + i * size, size);
        else if (wide[i] < n)
            memcpy(expected + i * size, in + wide[i] * size, size);
    }
    upload(n * size, n % 8);
    device_place(&d_offsets, n * ordo_type_size(type), 0);
    device_put(&d_offsets, index);
    device_place(&d_out, n * size, size % 8);
    memset(got, FILL, n * size);
    device_put(&d_out, got);
    CUDA_CHECK(cudaDeviceSynchronize());
    CHECK_STATUS(
        ORDO_OK,
        scatters ? ordo_scatter(gpu, d_in.data, n, size, type, d_offsets.data, d_out.data, n, &opts)
                 : ordo_gather(gpu, d_in.data, n, size, type, d_offsets.data, n, d_out.data, &opts),
        gpu);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    device_get(&d_out, got);
    CHECK_BYTES(expected, got, n * size, size);
    CHECK(device_intact(&d_in) && device_intact(&d_out));
    if (bad)
        CHECK_STATUS(ORDO_E_ARG, ordo_gather(gpu, in, n, size, type, index, n, got, NULL), gpu);
    else
        CHECK_STATUS(ORDO_OK,
                     scatters ? ordo_scatter(gpu, in, n, size, type, index, got, n, NULL)
                              : ordo_gather(gpu, in, n, size, type, index, n, got, NULL),
                     gpu);
    CHECK_BYTES(expected, got, n * size, size);
}

static void test_moves(void)
{
    static size_t const ns[] = {1, 31, 32, 33, 255, 999};
    for (size_t size = 1; size <= ELEMENT; size += small <= 1 && size < 34 ? 1 : 23)
        for (size_t turn = 0; turn < 6; turn++) {
            testkit_case("moves of %zu bytes, n=%zu", size, ns[turn]);
            try_move(ns[turn], size, turn % 2 == 0 ? ORDO_U32 : ORDO_U64, turn % 4 < 2, turn == 3);
        }
}

int main(void)
{
    const char *const wish = getenv("ORDO_TEST_SMALL");
    device_start();
    small = wish != NULL ? strtol(wish, NULL, 10) : 0;
    in = test_keep(MOST * sizeof(uint64_t));
    expected = test_keep(MOST * sizeof(uint64_t));
    got = test_keep(MOST * sizeof(uint64_t));
    d_in = device_make(MOST * sizeof(uint64_t), 0);
    d_out = device_make(MOST * sizeof(uint64_t), 0);
    d_offsets = device_make(MOST * sizeof(uint64_t), 0);
    test_windows();
    test_specials();
    test_segments();
    test_window_host_arrays();
    test_records();
    test_moves();
    device_free(&d_in);
    device_free(&d_out);
    device_free(&d_offsets);
    return device_done();
}
