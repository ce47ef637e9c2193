/* test_stream_faults.c - calls streamed through a device (lib/hybrid, streamkit.h) with too little
 * host memory, cancelled at their k-th check, or with a lost device and too little memory to
 * continue. ORDO_OK means a correct result; after ORDO_E_NOMEM the call has written nothing. */
#define _POSIX_C_SOURCE 200809L
#include "faults.h"
#include "inputs.h"
#include "streamkit.h"
#include "sweep.h"

#include <string.h>

enum {
    N = 64 * 40 + 1,
    PAIRS_OF = TESTKIT_SANITIZED ? 131 : 53,
    NAMED_OF = 5,
    ENOUGH = 1000, /* more requests than any call makes */
    CHECKS = TESTKIT_SANITIZED ? 6 : 12,
    CONTEXTS = 3
};

typedef struct test_state {
    ordo_ctx *ctx[CONTEXTS];
    size_t    streamed, refused, cancelled;
} test_state;

static bool is_streamed(const sweep_call *call)
{
    switch (call->entry.kind) {
    case SORT:
    case SORT_FROM:
    case PAIRS:
    case ARGSORT:
    case RANK:
        return call->entry.algorithm <= ORDO_ALGORITHM_RADIX;
    case ARGSORT_STRINGS:
    case SORT_STRINGS:
    case SORT_POINTERS:
    case RANK_STRINGS:
        return true;
    default:
        return false;
    }
}

/* Whether the context with a share refuses the call: only the sample sort shares strings. */
static bool is_refused(const sweep_call *call)
{
    return call->entry.kind != SORT && call->entry.kind != SORT_FROM && call->entry.kind != PAIRS &&
           call->entry.kind != ARGSORT && call->entry.kind != RANK &&
           call->entry.algorithm != ORDO_ALGORITHM_SAMPLE;
}

static void refuse(const sweep_call *call, ordo_ctx *ctx, test_state *all)
{
    bool const only_one = call->number % 2 == 0;
    size_t     k = 0;
    do {
        faults_refuse(++k, only_one);
        ordo_status const status = sweep_run(call, ctx);
        if (status == ORDO_OK) {
            CHECK(sweep_right(call));
        } else {
            CHECK_STATUS(ORDO_E_NOMEM, status, ctx);
            CHECK(sweep_unchanged(call));
            all->refused++;
        }
    } while (faults_refused() && k < ENOUGH);
    CHECK(k < ENOUGH);
}

static void cancel(const sweep_call *call, ordo_ctx *ctx, size_t checks, test_state *all)
{
    size_t const step = checks / CHECKS + 1;
    for (size_t k = 1 + call->number % step; k <= checks; k += step) {
        faults_cancel(k);
        ordo_status const status = sweep_run(call, ctx);
        if (status == ORDO_OK) {
            CHECK(sweep_right(call));
            continue;
        }
        CHECK_STATUS(ORDO_E_CANCELLED, status, ctx);
        CHECK(strstr(ordo_last_error(ctx), "unchanged") == NULL || verb_untouched(call->data));
        CHECK(call->entry.kind != SORT_POINTERS || verb_untouched(call->data));
        all->cancelled++;
    }
}

static void inject_faults(const sweep_call *call, void *user)
{
    test_state *const all = user;
    for (size_t i = 0; i < CONTEXTS && is_streamed(call); i++) {
        ordo_ctx *const ctx = all->ctx[i];
        if (i == 0 && is_refused(call)) {
            CHECK_STATUS(ORDO_E_ARG, sweep_run(call, ctx), ctx);
            CHECK(sweep_unchanged(call));
            continue;
        }
        faults_attach(ctx);
        CHECK_STATUS(ORDO_OK, sweep_run(call, ctx), ctx);
        size_t const checks = faults_checks();
        CHECK(sweep_right(call));
        all->streamed += facts_of(ctx).strategy == ORDO_STRATEGY_STREAMED;
        refuse(call, ctx, all);
        cancel(call, ctx, checks, all);
        faults_cancel(0);
        CHECK_STATUS(ORDO_OK, sweep_run(call, ctx), ctx);
        CHECK(sweep_right(call));
        faults_detach();
    }
}

static void test_sweep(void)
{
    static const sweep_plan plan = {N, PAIRS_OF, NAMED_OF};
    test_state all = {.ctx = {play_context(ORDO_HYBRID, 3, 0.3), play_context(ORDO_HYBRID, 2, -1),
                              play_context(ORDO_CUDA, 2, 0)}};
    sweep_calls(&plan, inject_faults, &all);
    testkit_case("all streamed calls");
    CHECK(all.streamed > 0 && all.refused > 0 && all.cancelled > 0);
    for (size_t i = 0; i < CONTEXTS; i++)
        ordo_ctx_free(all.ctx[i]);
}

/* The device is lost while it returns ranks, and scratch is refused from request k on. If ranks are
 * partly written, the status is ORDO_E_DEVICE. */
static void lose_and_refuse(const char *function, int at, double share, bool memory)
{
    static uint32_t keys[N], ranks[N], expected[N], before[N];
    ordo_ctx *const cpu = play_context(ORDO_CPU, 1, 0);
    size_t          k = 0, done = 0;
    ordo_status     status = ORDO_E_NOMEM;
    inputs_fill(inputs_find("random bits"), ORDO_U32, keys, N, 1);
    memset(before, 0xee, sizeof before);
    CHECK_STATUS(ORDO_OK, ordo_rank(cpu, ORDO_U32, keys, N, ORDO_U32, expected, NULL), cpu);
    ordo_ctx_free(cpu);
    while (done < 2 && k < ENOUGH) {
        ordo_ctx *const ctx = play_context(ORDO_HYBRID, 2, share);
        testkit_case("rank, lost in call %d of %s%s, share %.1f, request %zu refused", at, function,
                     memory ? " for memory" : "", share, ++k);
        play_fail(function, at, memory);
        memcpy(ranks, before, sizeof ranks);
        faults_attach(ctx);
        faults_refuse(k, false);
        status = ordo_rank(ctx, ORDO_U32, keys, N, ORDO_U32, ranks, NULL);
        if (status == ORDO_OK)
            CHECK_BYTES(expected, ranks, sizeof ranks, sizeof *ranks);
        else if (status == ORDO_E_NOMEM)
            CHECK_BYTES(before, ranks, sizeof ranks, sizeof *ranks);
        else if (CHECK_STATUS(ORDO_E_DEVICE, status, ctx))
            CHECK(strstr(ordo_last_error(ctx), "unspecified") != NULL);
        done += !faults_refused();
        faults_detach();
        play_without_failures();
        ordo_ctx_free(ctx);
    }
    CHECK_STATUS(ORDO_OK, status, NULL);
}

static void test_lost_device(void)
{
    static const char *const functions[] = {"put_ranks", "await", "copy_out", "wait_side", "end"};
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (int at = 1; at <= 9; at += 4) {
            lose_and_refuse(functions[f], at, -1, at == 1);
            lose_and_refuse(functions[f], at, 0.3, at != 1);
        }
}

int main(void)
{
    testkit_start();
    play_start_streamed();
    test_sweep();
    test_lost_device();
    return testkit_done();
}
