/* test_cuda_huge.c - sorts of segments of millions of keys by offsets on a GPU, among short ones:
 * the bytes of separate sorts on the CPU. Keys of 4 bytes are sorted digit by digit, others by
 * buckets. All inputs of the kit and a segment in order, both directions, in place and from another
 * array; a captured sort of other keys; offsets that overlap, where only keys inside the segments
 * may change. ORDO_TEST_SMALL=1 takes one type and few inputs, 2 one sort, for the sanitizers. */
#include "device.h"
#include "inputs.h"

#include <stdlib.h>
#include <string.h>

enum {
    SEGMENTS = 6,
    LENGTH = 4200000 /* more than a segment that is distributed over buckets once */
};

static uint64_t const offsets[SEGMENTS + 1] = {
    0, 5, LENGTH + 5, LENGTH + 105, 2 * LENGTH + 9000, 2 * LENGTH + 9000, 3 * LENGTH + 12345};
static uint64_t const overlapping[SEGMENTS + 1] = {
    3 * LENGTH, 7, LENGTH + 1000, 100, LENGTH + 5000, 2 * LENGTH + 6000, 90};

static long         small;
static char        *keys, *expected, *got;
static device_array d_offsets, d_keys, d_from;

static size_t all(void) { return (size_t)offsets[SEGMENTS]; }

static void put_offsets(const uint64_t *from)
{
    device_place(&d_offsets, sizeof offsets, 0);
    device_put(&d_offsets, from);
}

static ordo_sort_opts opts_of(const ordo_segments *segments, bool desc)
{
    return ORDO_OPTS(ordo_sort_opts, .flags = ORDO_ON_DEVICE | (desc ? ORDO_DESCENDING : 0),
                     .stream = stream, .segments = segments);
}

static ordo_segments segments_there(void)
{
    return ORDO_OPTS(ordo_segments, .count = SEGMENTS,
                     .offsets = (const uint64_t *)(void *)d_offsets.data);
}

/* The keys, with segment 3 in order if `in_order`, and what a sort makes of them. */
static void make(size_t input, ordo_type type, bool desc, bool in_order, uint64_t seed)
{
    size_t const         size = ordo_type_size(type);
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = desc ? ORDO_DESCENDING : 0);
    inputs_fill(input, type, keys, all(), seed);
    for (size_t i = 0; i < SEGMENTS; i++) {
        char *const  at = keys + offsets[i] * size;
        size_t const n = (size_t)(offsets[i + 1] - offsets[i]);
        if (in_order && i == 3)
            CHECK_STATUS(ORDO_OK, ordo_sort(cpu, type, at, n, &opts), cpu);
    }
    memcpy(expected, keys, all() * size);
    for (size_t i = 0; i < SEGMENTS; i++)
        CHECK_STATUS(ORDO_OK,
                     ordo_sort(cpu, type, expected + offsets[i] * size,
                               (size_t)(offsets[i + 1] - offsets[i]), &opts),
                     cpu);
}

static void upload(ordo_type type)
{
    device_place(&d_keys, all() * ordo_type_size(type), ordo_type_size(type));
    device_put(&d_keys, keys);
    CUDA_CHECK(cudaDeviceSynchronize());
}

static void compare(ordo_type type)
{
    CUDA_CHECK(cudaStreamSynchronize(stream));
    device_get(&d_keys, got);
    CHECK_BYTES(expected, got, all() * ordo_type_size(type), ordo_type_size(type));
    CHECK(device_intact(&d_keys));
}

static void test_type(ordo_type type, size_t input, bool desc, bool in_order)
{
    ordo_segments const segments = segments_there();
    ordo_sort_opts      opts = opts_of(&segments, desc);
    size_t const        size = ordo_type_size(type);
    testkit_case("huge segments, input %zu, %s%s", input, ordo_type_name(type),
                 desc ? ", descending" : "");
    make(input, type, desc, in_order, input);
    put_offsets(offsets);
    upload(type);
    CHECK_STATUS(ORDO_OK, ordo_sort(gpu, type, d_keys.data, all(), &opts), gpu);
    compare(type);
    if (small > 1)
        return;
    device_place(&d_from, all() * size, 0); /* from another array, which keeps its keys */
    device_put(&d_from, keys);
    device_overwrite(&d_keys);
    CUDA_CHECK(cudaDeviceSynchronize());
    opts.source = d_from.data;
    CHECK_STATUS(ORDO_OK, ordo_sort(gpu, type, d_keys.data, all(), &opts), gpu);
    compare(type);
    device_get(&d_from, got);
    CHECK_BYTES(keys, got, all() * size, size);
}

static void test_capture(void)
{
    ordo_segments const  segments = segments_there();
    ordo_sort_opts const opts = opts_of(&segments, false);
    size_t               bytes = 0;
    testkit_case("huge segments, captured");
    put_offsets(offsets);
    make(0, ORDO_F32, false, false, 1);
    upload(ORDO_F32);
    CHECK_STATUS(ORDO_OK, ordo_sort_scratch(gpu, ORDO_F32, all(), &opts, &bytes), gpu);
    CHECK_STATUS(ORDO_OK, ordo_reserve(gpu, bytes), gpu);
    device_capture();
    CHECK_STATUS(ORDO_OK, ordo_sort(gpu, ORDO_F32, d_keys.data, all(), &opts), gpu);
    cudaGraphExec_t const graph = device_captured();
    make(1, ORDO_F32, false, false, 2);
    upload(ORDO_F32);
    device_replay(graph);
    compare(ORDO_F32);
}

/* Segments that share keys: nothing outside of the array changes, and the call ends. */
static void test_overlaps(void)
{
    ordo_segments const  segments = segments_there();
    ordo_sort_opts const opts = opts_of(&segments, false);
    testkit_case("huge segments that overlap");
    make(0, ORDO_U32, false, false, 3);
    put_offsets(overlapping);
    upload(ORDO_U32);
    CHECK_STATUS(ORDO_OK, ordo_sort(gpu, ORDO_U32, d_keys.data, all(), &opts), gpu);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CHECK(device_intact(&d_keys));
}

int main(void)
{
    device_start();
    const char *const wish = getenv("ORDO_TEST_SMALL");
    size_t const      bytes = (3 * (size_t)LENGTH + 12345) * sizeof(uint64_t);
    small = wish != NULL ? strtol(wish, NULL, 10) : 0;
    keys = malloc(bytes);
    expected = malloc(bytes);
    got = malloc(bytes);
    d_offsets = device_make(sizeof offsets, 0);
    d_keys = device_make(bytes, 8);
    d_from = device_make(bytes, 0);
    for (size_t t = 0; t < INPUTS_TYPES; t++) {
        ordo_type const type = inputs_types[t];
        bool const      digits = ordo_type_size(type) == 4;
        for (size_t input = 0; input < inputs_count(); input++) {
            bool const is_chosen = input % inputs_count() == t % inputs_count();
            if (small != 0 ? type != ORDO_F32 || (long)input + small > 2 : !digits && !is_chosen)
                continue;
            test_type(type, input, (input + t) % 2 != 0, input % 3 == 0);
        }
    }
    if (small <= 1) {
        test_capture();
        test_overlaps();
    }
    device_free(&d_offsets);
    device_free(&d_keys);
    device_free(&d_from);
    free(keys);
    free(expected);
    free(got);
    return device_done();
}
