/* test_cuda_row_pivots.c - selection from rows of 65 to 1024 f32 on a GPU, which are searched by
 * pivots: the bytes of the CPU. Even, normal and skewed keys, ties, zeros of both signs, outliers,
 * subnormal keys, many exponents, NaNs and infinities, and rows of different kinds side by side;
 * rows with gaps between them, and rows that are not aligned; positions and quantiles, both
 * directions, all rules for NaNs; more rows than all warps have at once. ORDO_TEST_SMALL=1 takes
 * few lengths and shapes, for compute-sanitizer; ORDO_TEST_SMALL=2 also few rows, for its race
 * checker. */
#include "device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_KEYS = 300000 * 68, /* the warps of an H200 take 3.8 to 8.9 turns for so many */
    MOST_RESULTS = 5,
    ALL_RESULTS = 300000
};

enum {
    EVEN,
    NORMAL,
    SKEWED,
    FEW,      /* few values */
    ZEROS,    /* mostly zeros of both signs */
    OUTLIERS, /* one key in a hundred is huge */
    EQUAL,    /* one value in a row */
    TWO,      /* two values */
    LOG,      /* many exponents, one sign */
    TINY,     /* subnormal keys */
    ORDERED,  /* ascending, with some huge keys */
    SPECIAL,  /* some infinities and NaNs */
    MIXED,    /* each row has one of the other shapes */
    SHAPES
};

static float       *keys;
static double      *expected, *got;
static device_array d_keys, d_out;

static float key_of(unsigned shape, size_t place, size_t row, test_rng *rng)
{
    double const   u = (double)(test_rng_next(rng) >> 11) * 0x1p-53;
    uint64_t const any = test_rng_below(rng, 100);
    switch (shape) {
    case NORMAL:
        return (float)(u + (double)(test_rng_next(rng) >> 11) * 0x1p-53 + (double)any * 0.01);
    case SKEWED:
        return (float)(u * u * u - 0.01);
    case FEW:
        return (float)(any % 5);
    case ZEROS:
        return any < 40 ? -0.0f : any < 80 ? 0.0f : (float)(u - 0.5);
    case OUTLIERS:
        return any == 0 ? 1e30f : (float)u;
    case EQUAL:
        return (float)(row % 5) - 2;
    case TWO:
        return any < 50 ? -1.5f : 2.5f;
    case LOG:
        return ldexpf(1 + (float)u, (int)(any * 2) - 100);
    case TINY:
        return any < 30 ? 0.0f : (float)((u - 0.5) * 1e-42);
    case ORDERED:
        return any == 0 ? -1e30f : (float)((double)place + u);
    case SPECIAL:
        return any > 1 ? (float)u : any == 0 ? -NAN : u < 0.5 ? INFINITY : -INFINITY;
    default:
        return (float)(u - 0.25);
    }
}

static void fill(unsigned shape, size_t n, size_t stride, test_rng *rng)
{
    for (size_t i = 0; i < n; i++) {
        unsigned const mixed = (unsigned)(i / stride * 2654435761u >> 16) % MIXED;
        keys[i] = key_of(shape == MIXED ? mixed : shape, i % stride, i / stride, rng);
    }
}

typedef struct rows {
    size_t count, length, stride;
} rows;

/* The least number of keys of a row that a position may be asked of: NaNs that are ignored do not
 * count. */
static size_t keys_left(rows r, ordo_nans nans)
{
    size_t least = r.length;
    for (size_t row = 0; row < r.count && nans == ORDO_NANS_OMIT; row++) {
        size_t count = 0;
        for (size_t i = 0; i < r.length; i++)
            count += isnan(keys[row * r.stride + i]) ? 0u : 1u;
        least = count < least ? count : least;
    }
    return least;
}

/* One call on the CPU and on the GPU; `shift` is the number of bytes after an aligned address. */
static void try_rows(rows r, size_t results, bool positions, bool desc, ordo_nans nans,
                     size_t shift)
{
    size_t const        n = (r.count - 1) * r.stride + r.length;
    size_t const        size = positions ? sizeof(float) : sizeof(double);
    size_t const        bytes = r.count * results * size;
    ordo_segments const segments =
        ORDO_OPTS(ordo_segments, .count = r.count, .length = r.length, .stride = r.stride);
    size_t k[MOST_RESULTS];
    double q[MOST_RESULTS];
    for (size_t j = 0; j < results; j++) {
        q[j] = results == 1 ? 0.5 : (double)j / (double)(results - 1);
        k[j] = (size_t)(q[j] * (double)(keys_left(r, nans) - 1));
    }
    memset(expected, 0xa5, bytes);
    memset(got, 0xa5, bytes);
    device_place(&d_keys, n * sizeof(float), shift);
    device_put(&d_keys, keys);
    device_place(&d_out, bytes, 0);
    device_put(&d_out, got);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int g = 0; g <= 1; g++) {
        ordo_ctx *const   ctx = g != 0 ? gpu : cpu;
        void *const       out = g != 0 ? (void *)d_out.data : (void *)expected;
        const void *const from = g != 0 ? (const void *)d_keys.data : (const void *)keys;
        uint64_t const    flags = (g != 0 ? ORDO_ON_DEVICE : 0) | (desc ? ORDO_DESCENDING : 0);
        void *const       on = g != 0 ? (void *)stream : NULL;
        if (positions)
            CHECK_STATUS(ORDO_OK,
                         ordo_select(ctx, ORDO_F32, from, n, k, results, out,
                                     &ORDO_OPTS(ordo_select_opts, .flags = flags, .stream = on,
                                                .nans = (uint32_t)nans, .segments = &segments)),
                         ctx);
        else
            CHECK_STATUS(ORDO_OK,
                         ordo_quantiles(ctx, ORDO_F32, from, n, q, results, out,
                                        &ORDO_OPTS(ordo_quantile_opts, .flags = flags, .stream = on,
                                                   .nans = (uint32_t)nans, .segments = &segments)),
                         ctx);
    }
    CUDA_CHECK(cudaStreamSynchronize(stream));
    device_get(&d_out, got);
    CHECK_BYTES(expected, got, bytes, size);
    CHECK(device_intact(&d_keys) && device_intact(&d_out));
}

static void test_rows(rows r, unsigned shape, test_rng *rng)
{
    fill(shape, r.count * r.stride, r.stride, rng);
    for (int nans = 0; nans <= 2; nans++) {
        try_rows(r, 1, false, false, (ordo_nans)nans, 0);
        try_rows(r, MOST_RESULTS, false, false, (ordo_nans)nans, 0);
        for (int desc = 0; desc <= 1; desc++)
            try_rows(r, 3, true, desc != 0, (ordo_nans)nans, 0);
    }
    try_rows(r, 1, false, false, ORDO_NANS_LAST, 4);
}

/* Warps search several times: the next rows come during a search, results of several turns are
 * written together, and warps take samples at once, or give up for a while. */
static void test_many_rows(bool small, test_rng *rng)
{
    static const size_t lengths[] = {68, 128, 256, 512, 1024};
    for (unsigned shape = 0; shape < SHAPES; shape++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            size_t const length = lengths[i], n = small ? MOST_KEYS / 2 : MOST_KEYS;
            if (small && (length != 1024 || (shape != EVEN && shape != OUTLIERS)))
                continue;
            testkit_case("shape %u, many rows of %zu", shape, length);
            fill(shape, n, length, rng);
            try_rows((rows){n / length, length, length}, 1, false, false, ORDO_NANS_LAST, 0);
        }
}

int main(void)
{
    static const size_t lengths[] = {68,  100, 124, 128, 132, 200,  256,
                                     260, 500, 512, 516, 900, 1020, 1024};
    device_start();
    const char *const wish = getenv("ORDO_TEST_SMALL");
    bool const        small = wish != NULL;
    test_rng          rng = {1};
    keys = malloc((size_t)MOST_KEYS * sizeof *keys);
    expected = malloc((size_t)ALL_RESULTS * sizeof *expected);
    got = malloc((size_t)ALL_RESULTS * sizeof *got);
    d_keys = device_make((size_t)MOST_KEYS * sizeof *keys, 0);
    d_out = device_make((size_t)ALL_RESULTS * sizeof *got, 0);
    for (unsigned shape = 0; shape < SHAPES; shape++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            if (small && (shape == NORMAL || shape == FEW || lengths[i] % 128 != 0))
                continue;
            size_t const count = small ? 37 : 301;
            testkit_case("shape %u, rows of %zu", shape, lengths[i]);
            test_rows((rows){count, lengths[i], lengths[i]}, shape, &rng);
            if (!small)
                test_rows((rows){count, lengths[i], lengths[i] + 4}, shape, &rng);
        }
    if (!small || strcmp(wish, "1") == 0)
        test_many_rows(small, &rng);
    device_free(&d_keys);
    device_free(&d_out);
    free(keys);
    free(expected);
    free(got);
    return device_done();
}
