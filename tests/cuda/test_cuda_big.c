/* test_cuda_big.c - arrays of more than 2^32 elements on the device: 5 * 10^9 bytes sorted, ranked,
 * scanned, partitioned and selected from; and more than 2^31 keys of host memory streamed. A part
 * without enough memory is skipped.
 *
 * The keys repeat one block of a prime number of bytes, from which every expected result follows.
 * Results are compared in pieces. */
#define _GNU_SOURCE
#include "device.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BLOCK = 15485863, /* bytes */
    PIECE = 32 << 20, /* bytes that are compared at once */
    VALUES = 256
};
#define KEYS ((size_t)5000000011)

static unsigned char *block;
static uint64_t       counts[VALUES]; /* how often each value is a key */
static device_array   keys;

static bool enough_memory(size_t bytes, const char *what)
{
    size_t free_bytes = 0, all = 0;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &all));
    if (free_bytes > bytes + bytes / 8)
        return true;
    testkit_skip("%s: needs %zu MiB of device memory, %zu MiB are free", what, bytes >> 20,
                 free_bytes >> 20);
    return false;
}

/* Repeats the block by doubling. */
static void make_keys(void)
{
    CUDA_CHECK(cudaMemcpy(keys.data, block, BLOCK, cudaMemcpyHostToDevice));
    for (size_t done = BLOCK; done < KEYS; done *= 2) {
        size_t const more = done < KEYS - done ? done : KEYS - done;
        CUDA_CHECK(cudaMemcpy(keys.data + done, keys.data, more, cudaMemcpyDeviceToDevice));
    }
    device_settle();
}

static void count_keys(void)
{
    for (size_t i = 0; i < BLOCK; i++)
        counts[block[i]] += KEYS / BLOCK + (i < KEYS % BLOCK);
}

/* The key at a position of the sorted array. */
static unsigned sorted_at(uint64_t position)
{
    unsigned value = 0;
    for (uint64_t end = counts[0]; end <= position; end += counts[value])
        value++;
    return value;
}

static void test_select(void)
{
    size_t const           k[3] = {0, KEYS / 2, KEYS - 1};
    device_array           out = device_make(3, 0);
    unsigned char          found[3];
    ordo_select_opts const opts = ORDO_OPTS(ordo_select_opts, .flags = ORDO_ON_DEVICE);

    testkit_case("select");
    CHECK_STATUS(ORDO_OK, ordo_select(gpu, ORDO_U8, keys.data, KEYS, k, 3, out.data, &opts), gpu);
    CUDA_CHECK(cudaDeviceSynchronize());
    device_get(&out, found);
    for (size_t j = 0; j < 3; j++)
        CHECK_EQ_U64(sorted_at(k[j]), found[j]);
    device_free(&out);
}

static void test_bits(void)
{
    uint64_t             total = 0, expected = 0;
    ordo_scan_opts const opts = ORDO_OPTS(ordo_scan_opts, .flags = ORDO_ON_DEVICE);

    testkit_case("scan_bits");
    for (unsigned v = 1; v < VALUES; v++)
        expected += counts[v];
    CHECK_STATUS(
        ORDO_OK,
        ordo_scan_bits(gpu, ORDO_FLAG_BYTES, keys.data, KEYS, ORDO_U64, NULL, &total, &opts), gpu);
    CHECK_EQ_U64(expected, total);
}

/* Inclusive sums of all bytes, in 64 bits. */
static void test_scan(void)
{
    size_t const         bytes = KEYS * sizeof(uint64_t);
    ordo_scan_opts const opts = ORDO_OPTS(ordo_scan_opts, .flags = ORDO_ON_DEVICE);

    testkit_case("scan");
    if (!enough_memory(bytes, "scan"))
        return;
    device_array    out = device_make(bytes, 0);
    uint64_t *const piece = test_keep(PIECE);
    CHECK_STATUS(ORDO_OK,
                 ordo_scan(gpu, ORDO_SUM, ORDO_U8, keys.data, KEYS, ORDO_U64, out.data, &opts),
                 gpu);
    CUDA_CHECK(cudaDeviceSynchronize());
    uint64_t whole = 0;
    for (size_t i = 0; i < BLOCK; i++)
        whole += block[i];
    static const size_t starts[] = {0, ((size_t)1 << 32) - 1000000, KEYS - PIECE / 8};
    for (size_t s = 0; s < 3; s++) {
        size_t   wrong = 0;
        uint64_t sum = starts[s] / BLOCK * whole;
        for (size_t i = 0; i < starts[s] % BLOCK; i++)
            sum += block[i];
        CUDA_CHECK(cudaMemcpy(piece, (uint64_t *)(void *)out.data + starts[s], PIECE,
                              cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < PIECE / 8; i++) {
            sum += block[(starts[s] + i) % BLOCK];
            wrong += piece[i] != sum;
        }
        CHECK_EQ_U64(0, wrong);
    }
    CHECK(device_intact(&out));
    device_free(&out);
}

/* Sorts the keys for the tests that follow. */
static void test_sort(void)
{
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = ORDO_ON_DEVICE);
    unsigned char *const piece = test_keep(PIECE);
    unsigned             value = 0;

    testkit_case("sort");
    CHECK_STATUS(ORDO_OK, ordo_sort(gpu, ORDO_U8, keys.data, KEYS, &opts), gpu);
    CUDA_CHECK(cudaDeviceSynchronize());
    uint64_t end = counts[0];
    for (size_t at = 0; at < KEYS; at += PIECE) {
        size_t const size = KEYS - at < PIECE ? KEYS - at : PIECE;
        CUDA_CHECK(cudaMemcpy(piece, keys.data + at, size, cudaMemcpyDeviceToHost));
        for (size_t i = 0, run; i < size; i += run) {
            while (at + i >= end)
                end += counts[++value];
            run = end - (at + i) < size - i ? (size_t)(end - (at + i)) : size - i;
            CHECK(piece[i] == value && memcmp(piece + i, piece + i + 1, run - 1) == 0);
        }
    }
    CHECK(device_intact(&keys));
}

static void test_ranks(void)
{
    size_t const          bytes = KEYS * sizeof(uint64_t);
    ordo_rank_opts const  opts = ORDO_OPTS(ordo_rank_opts, .flags = ORDO_ON_DEVICE);
    ordo_order_opts const order = ORDO_OPTS(ordo_order_opts, .flags = ORDO_ON_DEVICE);
    size_t                where = 0, radius = 77;
    int                   sorted = 0;

    testkit_case("is_sorted, radius");
    CHECK_STATUS(ORDO_OK, ordo_is_sorted(gpu, ORDO_U8, keys.data, KEYS, &sorted, &where, &order),
                 gpu);
    CHECK(sorted == 1 && where == KEYS);
    CHECK_STATUS(ORDO_OK, ordo_radius(gpu, ORDO_U8, keys.data, KEYS, &radius, &order), gpu);
    CHECK_EQ_U64(0, radius);

    testkit_case("rank_sorted");
    if (!enough_memory(bytes, "rank_sorted"))
        return;
    device_array ranks = device_make(bytes, 0);
    CHECK_STATUS(ORDO_OK,
                 ordo_rank_sorted(gpu, ORDO_U8, keys.data, KEYS, ORDO_U64, ranks.data, &opts), gpu);
    CUDA_CHECK(cudaDeviceSynchronize());
    uint64_t start = 0;
    for (unsigned v = 0; v < VALUES; start += counts[v++]) {
        uint64_t first = 0, last = 0;
        if (counts[v] == 0)
            continue;
        CUDA_CHECK(cudaMemcpy(&first, ranks.data + start * 8, 8, cudaMemcpyDeviceToHost));
        CUDA_CHECK(
            cudaMemcpy(&last, ranks.data + (start + counts[v] - 1) * 8, 8, cudaMemcpyDeviceToHost));
        CHECK_EQ_U64(start + 1, first);
        CHECK_EQ_U64(start + 1, last);
    }
    CHECK(device_intact(&ranks));
    device_free(&ranks);
}

/* Partitions the sorted keys into even and odd positions; both groups stay sorted. */
static void test_partition(void)
{
    ordo_partition_opts const opts = ORDO_OPTS(ordo_partition_opts, .flags = ORDO_ON_DEVICE);
    ordo_order_opts const     order = ORDO_OPTS(ordo_order_opts, .flags = ORDO_ON_DEVICE);
    size_t const              bits = KEYS / 8 + 1, even = KEYS / 2 + KEYS % 2;
    size_t                    first = 0, where = 0;
    int                       sorted = 0;

    testkit_case("partition");
    if (!enough_memory(KEYS + bits, "partition"))
        return;
    device_array flags = device_make(bits, 0), out = device_make(KEYS, 0);
    CUDA_CHECK(cudaMemset(flags.data, 0x55, bits));
    device_settle();
    CHECK_STATUS(ORDO_OK,
                 ordo_partition(gpu, ORDO_FLAG_BITS, flags.data, keys.data, KEYS, 1, out.data,
                                &first, &opts),
                 gpu);
    CHECK_EQ_U64(even, first);
    CHECK_STATUS(ORDO_OK, ordo_is_sorted(gpu, ORDO_U8, out.data, even, &sorted, &where, &order),
                 gpu);
    CHECK(sorted == 1);
    CHECK_STATUS(
        ORDO_OK,
        ordo_is_sorted(gpu, ORDO_U8, out.data + even, KEYS - even, &sorted, &where, &order), gpu);
    CHECK(sorted == 1);
    unsigned char last[2];
    CUDA_CHECK(cudaMemcpy(&last[0], out.data + even - 1, 1, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(&last[1], out.data + KEYS - 1, 1, cudaMemcpyDeviceToHost));
    CHECK(last[0] == sorted_at(KEYS - 1) && last[1] == sorted_at(KEYS - 2));
    CHECK(device_intact(&out));
    device_free(&flags);
    device_free(&out);
}

/* ---- Streamed ---- */

/* More than 2^31 keys of host memory. The keys are distinct (an odd number times the index), so the
 * sorted keys rise, and their sum shows that they are the same keys. */
static void stream_keys(ordo_where where, uint32_t *from, uint32_t *to, size_t n)
{
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .source = from);
    uint64_t             sum = 0;
    size_t               falls = 0;
    testkit_case("more than 2^31 keys of host memory, device %d", (int)where);
    for (size_t i = 0; i < n; i++)
        sum += from[i] = (uint32_t)i * UINT32_C(2654435761);
    ordo_ctx *const ctx = CONTEXT(.where = where);
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U32, to, n, &opts), ctx);
    for (size_t i = 0; i < n; i++) {
        falls += i > 0 && to[i] <= to[i - 1];
        sum -= to[i];
    }
    CHECK_EQ_U64(0, falls);
    CHECK_EQ_U64(0, sum);
    ordo_ctx_free(ctx);
}

static void test_streamed(void)
{
    size_t const    n = ((size_t)1 << 31) + 12345, bytes = n * sizeof(uint32_t);
    size_t const    free_pages = (size_t)sysconf(_SC_AVPHYS_PAGES);
    uint32_t *const from = malloc(bytes), *const to = malloc(bytes);
    if (from == NULL || to == NULL || free_pages < 3 * (bytes / 4096))
        testkit_skip("streamed: needs %zu MiB of host memory", 3 * (bytes >> 20));
    else if (enough_memory(bytes * 2, "streamed")) {
        stream_keys(ORDO_CUDA, from, to, n);
        stream_keys(ORDO_HYBRID, from, to, n);
    }
    free(from);
    free(to);
}

int main(void)
{
    test_rng rng = {9};

    device_start();
    if (!enough_memory(4 * KEYS, "5e9 keys"))
        return device_done();
    block = test_keep(BLOCK);
    for (size_t i = 0; i < BLOCK; i++)
        block[i] = (unsigned char)(test_rng_next(&rng) % 251);
    count_keys();
    keys = device_make(KEYS, 0);
    make_keys();

    test_select();
    test_bits();
    test_scan();
    test_sort();
    test_ranks();
    test_partition();

    device_free(&keys);
    test_streamed();
    return device_done();
}
