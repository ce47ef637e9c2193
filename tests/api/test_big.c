/* test_big.c - arrays of more than 2^32 elements, which 32-bit indices cannot handle.
 *
 * Runs only with ORDO_TEST_BIG=1 and if there is enough memory: ranks take 36 GiB, an argsort twice
 * that. */
#define _GNU_SOURCE
#include "testkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static size_t const n = ((size_t)1 << 32) + 12345;

/* Zeroed memory; NULL, and a skipped part, if there is too little. */
static void *take(size_t bytes, const char *what)
{
    size_t const available = testkit_free_memory();
    if (available < bytes + bytes / 8) {
        testkit_skip("%s: needs %zu MiB of memory, %zu MiB are free", what, bytes >> 20,
                     available >> 20);
        return NULL;
    }
    void *const block =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) {
        testkit_skip("%s: the system refused %zu MiB", what, bytes >> 20);
        return NULL;
    }
    return block;
}

static void test_bits(ordo_ctx *ctx)
{
    size_t const         bytes = n / 8 + 1;
    unsigned char *const flags = take(bytes, "scan_bits");
    uint64_t             total = 0;
    if (flags == NULL)
        return;
    testkit_case("scan_bits, the total of 2^32 flags and more");
    memset(flags, 0xff, bytes);
    CHECK_STATUS(ORDO_OK,
                 ordo_scan_bits(ctx, ORDO_FLAG_BITS, flags, n, ORDO_U64, NULL, &total, NULL), ctx);
    CHECK_EQ_U64(n, total);
    munmap(flags, bytes);
}

static void test_sorted_and_split(ordo_ctx *ctx)
{
    size_t const   flag_bytes = n / 8 + 1;
    uint8_t *const keys = take(2 * n + flag_bytes, "is_sorted and partition");
    size_t         where = 0, first = 0;
    int            sorted = -1;
    if (keys == NULL)
        return;
    uint8_t *const split = keys + n, *const flags = split + n;
    memset(keys, 1, n);
    keys[n - 7] = 0;
    testkit_case("is_sorted beyond 2^32");
    CHECK_STATUS(ORDO_OK, ordo_is_sorted(ctx, ORDO_U8, keys, n, &sorted, &where, NULL), ctx);
    CHECK(sorted == 0);
    CHECK_EQ_U64(n - 7, where);

    testkit_case("partition beyond 2^32");
    memset(flags, 0xff, flag_bytes);
    flags[5 / 8] = (uint8_t) ~(1u << 5);
    keys[5] = 77;
    CHECK_STATUS(ORDO_OK,
                 ordo_partition(ctx, ORDO_FLAG_BITS, flags, keys, n, 1, split, &first, NULL), ctx);
    CHECK_EQ_U64(n - 1, first);
    CHECK(split[n - 1] == 77 && split[n - 8] == 0 && split[n - 7] == 1 && split[5] == 1);
    munmap(keys, 2 * n + flag_bytes);
}

static void test_ranks(ordo_ctx *ctx)
{
    size_t const   bytes = n * 9;
    uint8_t *const block = take(bytes, "rank_sorted u8 to u64");
    size_t const   step = (size_t)1 << 31, late = ((size_t)1 << 32) + 77;
    if (block == NULL)
        return;
    uint64_t *const ranks = (uint64_t *)(void *)block;
    uint8_t *const  keys = block + 8 * n;
    memset(keys + step, 1, n - step);
    memset(keys + late, 2, n - late);
    for (uint32_t ties = ORDO_TIES_MIN; ties <= ORDO_TIES_ORDINAL; ties++) {
        ordo_rank_opts const opts = ORDO_OPTS(ordo_rank_opts, .ties = ties);
        testkit_case("rank_sorted beyond 2^32, ties %u", ties);
        CHECK_STATUS(ORDO_OK, ordo_rank_sorted(ctx, ORDO_U8, keys, n, ORDO_U64, ranks, &opts), ctx);
        uint64_t const last[] = {late + 1, n, 3, n}, middle[] = {step + 1, late, 2, late};
        CHECK_EQ_U64(last[ties], ranks[n - 1]);
        CHECK_EQ_U64(middle[ties], ranks[late - 1]);
        CHECK_EQ_U64(ties == ORDO_TIES_MAX ? step : 1, ranks[0]);
    }
    munmap(block, bytes);
}

/* 5e9 bytes with three values, sorted in place. */
static void test_sort(ordo_ctx *ctx)
{
    size_t const   count = 5000000000u, last = 4400000000u;
    uint8_t *const keys = take(count, "sort of 5e9 u8");
    if (keys == NULL)
        return;
    memset(keys, 9, count);
    for (size_t i = 0; i < count; i += 5)
        keys[i] = 200;
    for (size_t i = 3; i < last; i += 1000)
        keys[i] = 1;
    size_t const ones = (last - 3 + 999) / 1000, high = (count + 4) / 5;
    for (int desc = 0; desc < 2; desc++) {
        ordo_sort_opts const opts =
            ORDO_OPTS(ordo_sort_opts, .flags = desc != 0 ? ORDO_DESCENDING : 0);
        uint8_t const first = desc != 0 ? 200 : 1, third = desc != 0 ? 1 : 200;
        size_t const  one = desc != 0 ? high : ones, two = count - (desc != 0 ? ones : high);
        testkit_case("sort of 5e9 u8 %s", desc != 0 ? "desc" : "asc");
        CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U8, keys, count, &opts), ctx);
        size_t wrong = 0;
        for (size_t i = 0; i < count; i++)
            wrong += keys[i] != (i < one ? first : i < two ? 9 : third);
        CHECK_EQ_U64(0, wrong);
    }
    munmap(keys, count);
}

/* Two values alternate: first all even indices, then all odd ones. The factor 2 leaves room for
 * scratch. */
static void test_argsort(ordo_ctx *ctx)
{
    size_t const   bytes = n * 9;
    uint8_t *const block = take(2 * bytes, "argsort u8 to u64");
    if (block == NULL)
        return;
    uint64_t *const index = (uint64_t *)(void *)block;
    uint8_t *const  keys = block + 8 * n;
    for (size_t i = 0; i < n; i++)
        keys[i] = i % 2 != 0;
    testkit_case("argsort beyond 2^32");
    CHECK_STATUS(ORDO_OK, ordo_argsort(ctx, ORDO_U8, keys, n, ORDO_U64, index, NULL), ctx);
    size_t const even = (n + 1) / 2;
    size_t       wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += index[i] != (i < even ? 2 * i : 2 * (i - even) + 1);
    CHECK_EQ_U64(0, wrong);
    testkit_case("rank beyond 2^32");
    CHECK_STATUS(ORDO_OK, ordo_rank(ctx, ORDO_U8, keys, n, ORDO_U64, index, NULL), ctx);
    wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += index[i] != (i % 2 == 0 ? 1 : even + 1);
    CHECK_EQ_U64(0, wrong);
    munmap(block, 2 * bytes);
}

int main(void)
{
    const char *const wanted = getenv("ORDO_TEST_BIG");
    testkit_start();
    if (wanted == NULL || strcmp(wanted, "1") != 0) {
        testkit_skip("arrays of more than 2^32 elements: set ORDO_TEST_BIG=1");
        return testkit_done();
    }
    ordo_ctx *ctx = NULL;
    CHECK_STATUS(ORDO_OK, ordo_ctx_create(&ctx, NULL), NULL);
    test_bits(ctx);
    test_sorted_and_split(ctx);
    test_ranks(ctx);
    test_sort(ctx);
    test_argsort(ctx);
    ordo_ctx_free(ctx);
    return testkit_done();
}
