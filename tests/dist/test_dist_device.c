/* test_dist_device.c - calls over many ranks on the arrays of a simulated device
 * (plugins/ranking.c): every verb, type and way of exchange, a device that fails in any slot, and
 * wrong arguments. */
#define _GNU_SOURCE
#include "device_cases.h"
#include "plugins/tagged.h"

#include <stdio.h>

enum {
    CASES = 210
};

static void *make(size_t bytes) { return tagged(calloc(bytes, 1)); }
static void  drop(void *array) { free(untagged(array)); }
static void  copy(void *to, const void *from, size_t bytes)
{
    memcpy(untagged(to), untagged(from), bytes);
}

/* An array that was sorted in place holds the rank's own keys, or the result. */
static void check_kept(size_t rank)
{
    size_t const from = j.kit.starts[rank] * j.size,
                 n = j.kit.starts[rank + 1] - j.kit.starts[rank];
    char *const now = (char *)untagged(j.there[SORTED]) + from;
    if (n == 0 || memcmp(now, expected[SORTED] + from, n * j.size) == 0)
        return;
    inputs_sort(j.type, now, n, false);
    inputs_sort(j.type, keys + from, n, false);
    CHECK_BYTES(keys + from, now, n * j.size, j.size);
}

/* After a failure all ranks return the status of the first rank that failed. */
static void check_failure(ordo_ctx *ctx, size_t turn, const char *slot, int number)
{
    static size_t serial; /* a new value makes the plugin count from the beginning */
    char          text[64];
    j.type = ORDO_U32;
    choose_case(turn);
    expect_orders(ctx);
    distkit_split(0, j.n, j.kit.ranks, 1, j.kit.starts);
    distkit_split(3, j.n, j.kit.ranks, 99, j.out_starts);
    copy(j.there[KEYS], keys, j.n * j.size);
    copy(j.there[SORTED], keys, j.n * j.size);
    copy(j.there[PAIR_KEYS], keys, j.n * j.size);
    snprintf(text, sizeof text, "%s:%d:%zu", slot, number, ++serial);
    testkit_case("failure %s", text);
    setenv("ORDO_RANKING_FAIL", text, 1);
    CHECK(ordo_dist_threads((int32_t)j.kit.ranks, distkit_body, &j.kit) == ORDO_OK);
    unsetenv("ORDO_RANKING_FAIL");
    for (size_t r = 0; r < j.kit.ranks; r++) {
        CHECK_EQ_U64((uint64_t)-ORDO_E_DEVICE, (uint64_t)-j.kit.status[r]);
        CHECK(strstr(j.kit.message[r], "the device was lost in ") != NULL);
        CHECK(strncmp(j.kit.message[r], "rank ", 5) == 0);
        check_kept(r);
    }
}

static void check_failures(ordo_ctx *ctx)
{
    static const size_t      turns[] = {93, 37, 5}; /* one for each way, all with 8 ranks */
    static const char *const slots[] = {"begin",  "copy",  "sort",  "iota",      "orders",
                                        "places", "cells", "rank",  "whole",     "move",
                                        "topk",   "scan",  "carry", "is_sorted", "finish"};
    static const char *const staged[] = {"pinned", "transfer", "mark"};
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        for (int number = 1; number < 20; number += 9)
            for (size_t t = 0; t < sizeof turns / sizeof *turns; t++)
                check_failure(ctx, turns[t], slots[i], number > 1 && i > 2 ? 3 : number);
    for (size_t i = 0; i < sizeof staged / sizeof *staged; i++)
        for (int number = 1; number < 4; number++)
            check_failure(ctx, turns[1], staged[i], number);
}

static ordo_status call_refused(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    ordo_dist_opts const opts = ORDO_OPTS(ordo_dist_opts, .stream = &j);
    uint64_t             count;
    (void)user;
    (void)rank;
    return ordo_dist_unique_count(ctx, comm, ORDO_U8, keys, 1, &count, &opts);
}

static ordo_status call_host_array(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    ordo_dist_opts const opts = cases_opts(0);
    (void)user;
    return ordo_dist_sort(ctx, comm, ORDO_U8, keys + 8 * rank, 4, &opts);
}

static ordo_status call_with_directory(void *user, ordo_ctx *ctx, const ordo_comm *comm,
                                       size_t rank)
{
    ordo_dist_opts opts = cases_opts(0);
    (void)user;
    (void)rank;
    opts.directory = ".";
    return ordo_dist_sort(ctx, comm, ORDO_U8, NULL, 0, &opts);
}

static void check_arguments(void)
{
    j.kit.ranks = 2;
    j.way = WAY_THREADS;
    j.kit.call = call_refused;
    testkit_case("a stream without ORDO_ON_DEVICE");
    (void)distkit_run(&j.kit, ORDO_E_ARG);
    j.kit.call = call_host_array;
    testkit_case("host arrays as device arrays");
    (void)distkit_run(&j.kit, ORDO_E_ARG);
    j.kit.call = call_with_directory;
    testkit_case("a directory for device arrays");
    (void)distkit_run(&j.kit, ORDO_E_ARG);
    j.kit.where = ORDO_CPU;
    testkit_case("device arrays without a device");
    (void)distkit_run(&j.kit, ORDO_E_ARG);
}

int main(void)
{
    cases_device const device = {make, drop, copy};
    ordo_ctx          *ctx;
    testkit_start();
    setenv("ORDO_BACKEND_DIR", TEST_PLUGINS "/ranking", 1);
    CHECK(ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU)) == ORDO_OK);
    cases_open(&device);
    check_cases(ctx, CASES);
    check_failures(ctx);
    check_arguments();
    cases_close();
    ordo_ctx_free(ctx);
    return testkit_done();
}
