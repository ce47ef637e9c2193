/* test_cuda_swept.c - selections from arrays that are larger than the GPU's cache, by a sample and
 * one sweep, compared with the CPU: one position, neighbours, both ends, nine quantiles, and as
 * many as one launch accepts; for even keys, many ties, equal keys, sorted keys and NaNs at the
 * end. ORDO_TEST_SMALL=1 tests one array of each width, for compute-sanitizer; ORDO_TEST_SMALL=2
 * tests one median. */
#include "device.h"
#include "inputs.h"

#include <stdlib.h>
#include <string.h>

enum {
    KEYS = 9000001, /* with four bytes each, larger than the cache */
    MOST_POSITIONS = 32
};

static int          small; /* 0: all tests */
static device_array device_keys, device_out;
static uint64_t    *given;

static size_t positions_of(size_t set, size_t n, size_t *k)
{
    size_t const middle = n / 2;
    switch (set) {
    case 0:
        k[0] = middle;
        return 1;
    case 1:
        k[0] = n - 1;
        return 1;
    case 2: /* a median, and the last key, which may be NaN */
        k[0] = middle - 1;
        k[1] = middle;
        k[2] = n - 1;
        return 3;
    case 3:
        k[0] = 0;
        k[1] = middle;
        k[2] = n - 1;
        return 3;
    case 4:
        for (size_t i = 0; i < 3; i++)
            k[i] = n - 3 + i;
        return 3;
    case 5:
        k[0] = n / 4;
        k[1] = n / 4;
        k[2] = n - 2;
        k[3] = n - 1;
        return 4;
    case 6:
        for (size_t i = 0; i < 9; i++)
            k[i] = n / 10 * (i + 1);
        return 9;
    default:
        for (size_t i = 0; i < MOST_POSITIONS; i++)
            k[i] = (n - 1) / (MOST_POSITIONS - 1) * i;
        return MOST_POSITIONS;
    }
}

static void try_sets(ordo_type type, size_t n, const char *name)
{
    size_t const           size = ordo_type_size(type);
    ordo_select_opts const there = ORDO_OPTS(ordo_select_opts, .flags = ORDO_ON_DEVICE);
    device_place(&device_keys, n * size, size * (n % 3));
    device_put(&device_keys, given);
    for (size_t set = 0; set < 8; set++) {
        size_t       k[MOST_POSITIONS];
        uint64_t     expected[MOST_POSITIONS], found[MOST_POSITIONS];
        size_t const count = positions_of(set, n, k);
        if (small == 2 && set != 2)
            continue;
        testkit_case("%s n=%zu %s positions %zu", ordo_type_name(type), n, name, set);
        CHECK_STATUS(ORDO_OK, ordo_select(cpu, type, given, n, k, count, expected, NULL), cpu);
        device_place(&device_out, count * size, 0);
        device_overwrite(&device_out);
        CUDA_CHECK(cudaDeviceSynchronize());
        CHECK_STATUS(ORDO_OK,
                     ordo_select(gpu, type, device_keys.data, n, k, count, device_out.data, &there),
                     gpu);
        CUDA_CHECK(cudaDeviceSynchronize());
        device_get(&device_out, found);
        CHECK_BYTES(expected, found, count * size, size);
        CHECK(device_intact(&device_out) && device_intact(&device_keys));
    }
}

int main(void)
{
    static const ordo_type   types[] = {ORDO_F32, ORDO_U32, ORDO_F64, ORDO_I64};
    static const char *const shapes[] = {"random bits", "few distinct", "some NaNs",
                                         "ramp",        "skewed",       "all equal"};
    const char *const        wish = getenv("ORDO_TEST_SMALL");
    small = wish != NULL ? atoi(wish) : 0;
    device_start();
    given = test_keep(KEYS * sizeof *given);
    device_keys = device_make(KEYS * sizeof *given + 64, 0);
    device_out = device_make(MOST_POSITIONS * sizeof *given, 0);
    for (size_t t = 0; t < sizeof types / sizeof *types; t += small == 0 ? 1 : small == 1 ? 2 : 4)
        for (size_t s = 0; s < (small == 0 ? sizeof shapes / sizeof *shapes : 1); s++) {
            size_t const n = KEYS - 17 * t - s;
            inputs_fill(inputs_find(shapes[s]), types[t], given, n, n);
            try_sets(types[t], n, shapes[s]);
        }
    device_free(&device_keys);
    device_free(&device_out);
    return device_done();
}
