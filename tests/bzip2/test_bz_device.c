/* test_bz_device.c - compression with a device that sorts the rotations (tests/plugins/rotating.c):
 * the bytes of the CPU over inputs, levels and threads, repeated words, several batches, a lost
 * device, cancellation, limits of memory. */
#define _GNU_SOURCE
#include "faults.h"
#include "kit/text/bzpack.h"
#include "testkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST = TESTKIT_SANITIZED ? 400000 : 2000000 /* two batches of level 1 or more */
};

static bzpack pack;

static ordo_ctx *context(ordo_where where, unsigned threads)
{
    ordo_ctx *ctx = NULL;
    CHECK_STATUS(
        ORDO_OK,
        ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = where, .threads = threads)), NULL);
    return ctx;
}

/* Words of eight letters, of which a few thousand are drawn. */
static void fill_words(size_t n, uint64_t seed)
{
    test_rng rng = {seed};
    for (size_t at = 0; at < n;) {
        uint64_t word = test_rng_below(&rng, 5000) * UINT64_C(0x9e3779b97f4a7c15);
        for (int k = 0; k < 8 && at < n; k++, word >>= 5)
            pack.plain[at++] = (uint8_t)('a' + word % 26);
    }
}

static void test_texts(ordo_ctx *cpu)
{
    static const size_t sizes[] = {0, 1, 2, 5, 1000, 99981, 100000, 350000, MOST};
    for (unsigned threads = 1; threads <= 5; threads += 2) {
        ordo_ctx *const device = context(ORDO_CUDA, threads);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            testkit_case("words n=%zu threads=%u", sizes[s], threads);
            if (sizes[s] == MOST && threads != 3)
                continue;
            fill_words(sizes[s], s + 1);
            bzpack_same(&pack, cpu, device, sizes[s], threads % 4 != 3 ? 9 : 1);
            bzpack_same_pieces(&pack, cpu, device, sizes[s], threads % 4 != 3 ? 9 : 1);
        }
        ordo_ctx_free(device);
    }
}

static void test_repeats(ordo_ctx *cpu)
{
    ordo_ctx *const device = context(ORDO_CUDA, 2);
    for (size_t length = 1; length < 12; length++)
        for (size_t n = length; n < 300; n += 1 + n % 7) {
            testkit_case("word of %zu letters, n=%zu", length, n);
            for (size_t i = 0; i < n; i++)
                pack.plain[i] = (uint8_t)('a' + i % length * 3 % 11);
            bzpack_same(&pack, cpu, device, n, 9);
        }
    ordo_ctx_free(device);
}

static void test_lost(ordo_ctx *cpu)
{
    size_t written;
    fill_words(MOST, 7);
    testkit_case("a lost device that the context demands");
    setenv("ORDO_ROTATING_FAILS", "2", 1);
    ordo_ctx *const device = context(ORDO_CUDA, 3);
    CHECK_STATUS(ORDO_E_DEVICE,
                 ordo_bz_compress(device, pack.plain, MOST, pack.packed, pack.room, &written,
                                  &ORDO_OPTS(ordo_bz_opts, .level = 1), NULL),
                 NULL);
    CHECK(strstr(ordo_last_error(device), "lost at call 2") != NULL);
    ordo_ctx_free(device);
    testkit_case("the CPU goes on");
    setenv("ORDO_ROTATING_FAILS", "4", 1);
    ordo_ctx *const any = context(ORDO_HYBRID, 3);
    bzpack_same(&pack, cpu, any, MOST, 1);
    ordo_report report = {.struct_size = sizeof report};
    CHECK_STATUS(ORDO_OK, ordo_last_report(any, &report), any);
    CHECK(report.facts.device_status == ORDO_E_DEVICE);
    unsetenv("ORDO_ROTATING_FAILS");
    ordo_ctx_free(any);
}

static void test_cancelled(ordo_ctx *cpu)
{
    ordo_ctx *const device = context(ORDO_CUDA, 2);
    size_t const    n = MOST / 4;
    size_t          written;
    fill_words(n, 9);
    faults_attach(device);
    for (size_t at = 1; at < 60; at += 7) {
        testkit_case("cancelled at check %zu", at);
        faults_cancel(at);
        ordo_status const status =
            ordo_bz_compress(device, pack.plain, n, pack.packed, pack.room, &written, NULL, NULL);
        CHECK(status == ORDO_E_CANCELLED || status == ORDO_OK);
    }
    faults_cancel(0);
    bzpack_same(&pack, cpu, device, n, 1);
    faults_detach();
    ordo_ctx_free(device);
}

/* A limit of memory makes batches smaller; one that is too small for a batch of one block is an
 * error if the context demands the device. */
static void test_limits(ordo_ctx *cpu)
{
    size_t const n = TESTKIT_SANITIZED ? 250000 : 1200000;
    uint64_t     before = UINT64_MAX;
    fill_words(n, 11);
    size_t const length = bzpack_compress(&pack, cpu, n, 1, pack.expected);
    for (size_t limit = (size_t)64 << 20; limit > 0; limit /= 2)
        for (int demands = 0; demands <= 1; demands++) {
            size_t         written = 0;
            ordo_ctx      *ctx = NULL;
            ordo_bz_report report = {.struct_size = sizeof report, .batch = 99};
            testkit_case("limit %zu, the device is %s", limit, demands ? "demanded" : "allowed");
            CHECK_STATUS(ORDO_OK,
                         ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts,
                                                          .where = demands ? ORDO_CUDA : ORDO_CPU,
                                                          .threads = 2, .mem_limit = limit)),
                         NULL);
            ordo_status const status =
                ordo_bz_compress(ctx, pack.plain, n, pack.packed, pack.room, &written,
                                 &ORDO_OPTS(ordo_bz_opts, .level = 1), &report);
            CHECK(status == ORDO_OK || status == ORDO_E_NOMEM);
            CHECK(status == ORDO_OK || limit < (size_t)8 << 20);
            if (status == ORDO_OK) {
                CHECK_EQ_U64(length, written);
                CHECK_BYTES(pack.expected, pack.packed, length, 1);
                CHECK(demands ? report.batch > 0 && report.batch <= before : report.batch == 0);
                before = demands ? report.batch : before;
            }
            ordo_ctx_free(ctx);
        }
    CHECK_EQ_U64(1, before); /* the smallest limit that suffices */
}

int main(void)
{
    testkit_start();
    USE_PLUGIN("rotating");
    pack = bzpack_open(MOST);
    ordo_ctx *const cpu = context(ORDO_CPU, 2);
    test_lost(cpu);
    test_texts(cpu);
    test_repeats(cpu);
    test_cancelled(cpu);
    test_limits(cpu);
    ordo_ctx_free(cpu);
    return testkit_done();
}
