/* test_cuda_even_rows.c - sorts of rows and segments of 16385 to 5 million keys of 4 bytes on a
 * GPU: the bytes of separate sorts on the CPU. Lengths around the limits of the paths; all inputs
 * of the kit, and keys for the path of evenly spread keys: spread evenly or like a bell with NaNs,
 * infinities and zeros, rows of different ranges, evenly spread keys with a dense part whose keys
 * fill one bucket of a block, and a part that is too large for its code. Both directions, in place
 * and from another array. ORDO_TEST_SMALL=1 takes few inputs, 2 the fewest, for the sanitizers. */
#include "device.h"
#include "inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 11000000,
    SEGMENTS = 7,
    OWN = 6 /* inputs of this file, after those of the kit */
};

static long         small;
static char        *keys, *expected, *got;
static device_array d_offsets, d_keys, d_from;

static uint64_t const offsets[SEGMENTS + 1] = {3,       3,       20000,   1246400,
                                               1346401, 6346401, 6346500, 9000001};

static uint64_t next(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/* Keys in parts of `part`, as a row of that length. */
static uint32_t own_integer(size_t input, size_t i, size_t part, uint64_t *state)
{
    uint64_t const r = next(state);
    uint32_t const even = (uint32_t)(r >> 32);
    switch (input) {
    case 0:
        return even;
    case 1: /* a bell */
        return (uint32_t)((r & 0x3fffffff) + (r >> 34) + (next(state) >> 34));
    case 2: /* other ranges in each row */
        return (uint32_t)(even >> i / part % 8) + (uint32_t)(i / part % 16 * 1000);
    case 3: /* one key in 64 is among few neighbours */
        return even % 64 == 0 ? 0x70000000u + (uint32_t)(r % 50) : even;
    case 4: /* a part with as many keys as a block takes, and more */
        return r % 16 == 0 ? 0x70000000u + (uint32_t)(even >> 14) : even;
    default: /* repeated keys */
        return (uint32_t)(r % 3000) * 1000003u;
    }
}

static void own_fill(size_t input, ordo_type type, size_t n, size_t part, uint64_t seed)
{
    uint64_t state = seed;
    for (size_t i = 0; i < n; i++) {
        uint32_t const bits = own_integer(input, i, part, &state);
        if (type != ORDO_F32) {
            memcpy(keys + i * sizeof bits, &bits, sizeof bits);
            continue;
        }
        float value = ((float)bits - 2147483648.0f) * 1e-9f;
        if (i % 5003 == 7)
            value = i % 2 != 0 ? (float)NAN : -(float)NAN;
        else if (i % 7001 == 9)
            value = i % 2 != 0 ? (float)INFINITY : -(float)INFINITY;
        else if (i % 997 == 3)
            value = i % 2 != 0 ? 0.0f : -0.0f;
        memcpy(keys + i * sizeof value, &value, sizeof value);
    }
}

static void fill(size_t input, ordo_type type, size_t n, size_t part)
{
    if (input < OWN)
        own_fill(input, type, n, part, input + 1);
    else
        inputs_fill(input - OWN, type, keys, n, input);
}

static void sort_expected(ordo_type type, bool desc, uint64_t from, uint64_t to)
{
    size_t const         size = ordo_type_size(type);
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = desc ? ORDO_DESCENDING : 0);
    CHECK_STATUS(ORDO_OK, ordo_sort(cpu, type, expected + from * size, (size_t)(to - from), &opts),
                 cpu);
}

static void compare(ordo_type type, size_t n)
{
    CUDA_CHECK(cudaStreamSynchronize(stream));
    device_get(&d_keys, got);
    CHECK_BYTES(expected, got, n * ordo_type_size(type), ordo_type_size(type));
    CHECK(device_intact(&d_keys));
}

/* Sorts `n` keys in place and, unless the test is small, from another array. */
static void run(ordo_type type, size_t n, bool desc, const ordo_segments *segments)
{
    size_t const   bytes = n * ordo_type_size(type);
    ordo_sort_opts opts =
        ORDO_OPTS(ordo_sort_opts, .flags = ORDO_ON_DEVICE | (desc ? ORDO_DESCENDING : 0),
                  .stream = stream, .segments = segments);
    device_place(&d_keys, bytes, 4);
    device_put(&d_keys, keys);
    CUDA_CHECK(cudaDeviceSynchronize());
    CHECK_STATUS(ORDO_OK, ordo_sort(gpu, type, d_keys.data, n, &opts), gpu);
    compare(type, n);
    if (small != 0)
        return;
    device_place(&d_from, bytes, 0);
    device_put(&d_from, keys);
    device_put(&d_keys, keys); /* keys outside the segments stay */
    CUDA_CHECK(cudaDeviceSynchronize());
    opts.source = d_from.data;
    CHECK_STATUS(ORDO_OK, ordo_sort(gpu, type, d_keys.data, n, &opts), gpu);
    compare(type, n);
}

static void test_rows(size_t input, ordo_type type, size_t rows, size_t length, bool desc)
{
    ordo_segments const segments = ORDO_OPTS(ordo_segments, .count = rows, .length = length);
    size_t const        n = rows * length;
    testkit_case("%zu rows of %zu, input %zu, %s%s", rows, length, input, ordo_type_name(type),
                 desc ? ", descending" : "");
    fill(input, type, n, length);
    memcpy(expected, keys, n * ordo_type_size(type));
    for (size_t i = 0; i < rows; i++)
        sort_expected(type, desc, i * length, (i + 1) * length);
    run(type, n, desc, &segments);
}

static void test_offsets(size_t input, ordo_type type, bool desc)
{
    size_t const        n = (size_t)offsets[SEGMENTS] + 5;
    ordo_segments const segments = ORDO_OPTS(ordo_segments, .count = SEGMENTS,
                                             .offsets = (const uint64_t *)(void *)d_offsets.data);
    testkit_case("segments, input %zu, %s%s", input, ordo_type_name(type),
                 desc ? ", descending" : "");
    fill(input, type, n, 20000);
    memcpy(expected, keys, n * ordo_type_size(type));
    for (size_t i = 0; i < SEGMENTS; i++)
        sort_expected(type, desc, offsets[i], offsets[i + 1]);
    run(type, n, desc, &segments);
}

int main(void)
{
    static ordo_type const types[] = {ORDO_F32, ORDO_U32, ORDO_I32};
    static size_t const    lengths[][2] = {{9, 16385},   {30, 20000},  {12, 100001},
                                           {2, 1226400}, {2, 1226401}, {1, 5000000}};
    device_start();
    const char *const wish = getenv("ORDO_TEST_SMALL");
    small = wish != NULL ? strtol(wish, NULL, 10) : 0;
    keys = malloc((size_t)MOST * sizeof(uint32_t));
    expected = malloc((size_t)MOST * sizeof(uint32_t));
    got = malloc((size_t)MOST * sizeof(uint32_t));
    d_offsets = device_make(sizeof offsets, 0);
    d_keys = device_make((size_t)MOST * sizeof(uint32_t), 8);
    d_from = device_make((size_t)MOST * sizeof(uint32_t), 0);
    device_put(&d_offsets, offsets);
    for (size_t input = 0; input < OWN + inputs_count(); input++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            bool const desc = (input + t) % 2 != 0;
            if (small != 0 ? t > 0 || input >= (small > 1 ? 1 : OWN) : input >= OWN && t == 2)
                continue;
            for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
                if (l == 1 || (small <= 1 && (input < OWN || l == 2)))
                    test_rows(input, types[t], lengths[l][0], lengths[l][1], desc);
            if (small <= 1)
                test_offsets(input, types[t], desc);
        }
    device_free(&d_offsets);
    device_free(&d_keys);
    device_free(&d_from);
    free(keys);
    free(expected);
    free(got);
    return device_done();
}
