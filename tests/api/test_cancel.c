/* test_cancel.c - every verb, algorithm, type and shape, cancelled at its k-th check for many k
 * (faults.h). A call that still returns ORDO_OK has the correct result. After ORDO_E_CANCELLED
 * single results are not written, arrays are as ordo.h promises, and the next call on the context
 * is correct. AddressSanitizer finds uses of data that a cancelled step left incomplete. Also
 * cancelled generators, and ordo_cancel in a signal handler. */
#define _POSIX_C_SOURCE 200809L
#include "faults.h"
#include "sweep.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum {
#ifdef ORDO_TINY
    N = 64 * 8 + 1,
    PAIRS_OF = TESTKIT_SANITIZED ? 23 : 7,
    NAMED_OF = 7,
    CHECKS = 24, /* at most this many k for one call */
#else
    N = 64 * 1100 + 1,
    PAIRS_OF = 137,
    NAMED_OF = 23,
    CHECKS = 2,
#endif
    GENERATED = 50000,
    SORTED_BY = 60000,
    CONTEXTS = 3
};

typedef struct test_state {
    ordo_ctx *ctx[CONTEXTS];
    size_t    cancelled, right;
} test_state;

/* The sum of a hash of every element, which does not depend on their order. */
static uint64_t elements_sum(const unsigned char *elements, size_t count, size_t size)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = 0;
        for (size_t b = 0; b < size; b++)
            hash = (hash ^ elements[i * size + b]) * UINT64_C(0x100000001b3);
        sum += hash * hash;
    }
    return sum;
}

static bool has_its_elements(const sweep_call *call)
{
    const verb_data *const data = call->data;
    size_t const size = verb_element(&call->entry), count = verb_elements(&call->entry, data->n);
    return elements_sum(data->before, count, size) == elements_sum(data->out, count, size);
}

/* The error text describes the state of an array that is sorted in place. */
static bool error_is_right(const sweep_call *call, const ordo_ctx *ctx)
{
    const char *const text = ordo_last_error(ctx);
    bool const        unchanged = strstr(text, "unchanged") != NULL;
    bool const        unspecified = strstr(text, "unspecified") != NULL;
    return unchanged != unspecified && (unspecified || verb_untouched(call->data));
}

/* Calls that may write results before they are cancelled. ordo.h promises nothing about them. */
static bool is_not_promised(verb_kind kind) { return kind == BITS || kind == TOPK || kind == COPY; }

/* Whether the arrays are as ordo.h promises for a cancelled call. */
static bool keeps_promise(const sweep_call *call, const ordo_ctx *ctx)
{
    switch (call->entry.kind) {
    case SORT:
    case PAIRS:
        return error_is_right(call, ctx);
    case SORT_BY:
        return has_its_elements(call);
    case SELECT:
    case QUANTILES:
    case MEDIAN:
    case RADIUS:
    case RUNS:
    case SORTED:
    case SORT_POINTERS:
        return verb_untouched(call->data);
    case PARTITION: /* out is unspecified, the count is not written */
        return call->data->scalar == FILL_SCALAR;
    case SORT_FROM: /* the results of these calls are unspecified */
    case ARGSORT:
    case RANK:
    case RANK_SORTED:
    case SCAN:
    case ARGSORT_STRINGS:
    case SORT_STRINGS:
    case RANK_STRINGS:
    case SELECT_STRINGS:
        return true;
    default:
        return false;
    }
}

static void cancel_at(const sweep_call *call, ordo_ctx *ctx, size_t k, test_state *all)
{
    faults_cancel(k);
    ordo_status const status = sweep_run(call, ctx);
    if (status == ORDO_OK) {
        CHECK(sweep_right(call));
        all->right++;
        return;
    }
    CHECK_STATUS(ORDO_E_CANCELLED, status, ctx);
    CHECK(is_not_promised(call->entry.kind) || keeps_promise(call, ctx));
    CHECK_EQ_U64(FILL_SCALAR, call->data->scalar);
    CHECK(strstr(ordo_last_error(ctx), "cancelled") != NULL);
    all->cancelled++;
}

static void stop(const sweep_call *call, void *user)
{
    test_state *const all = user;
    for (size_t i = 0; i < CONTEXTS; i++) {
        ordo_ctx *const ctx = all->ctx[i];
        faults_attach(ctx);
        CHECK_STATUS(ORDO_OK, sweep_run(call, ctx), ctx);
        size_t const checks = faults_checks();
        /* A call with many checks tests some k; the next call tests others. */
        size_t const step = checks / CHECKS + 1;
        for (size_t k = 1 + call->number % step; k <= checks; k += step)
            cancel_at(call, ctx, k, all);
        faults_cancel(0);
        CHECK_STATUS(ORDO_OK, sweep_run(call, ctx), ctx);
        CHECK(sweep_right(call));
        faults_detach();
    }
}
/* A cancelled generator writes the same bytes when it is called again. */
static void test_generator(const char *name, ordo_status (*generate)(ordo_ctx *, uint64_t *))
{
    static uint64_t wanted[GENERATED + 1], got[GENERATED + 1];
    ordo_ctx *const ctx = test_context_make(2);
    size_t          cancelled = 0;
    testkit_case("%s", name);
    faults_attach(ctx);
    CHECK_STATUS(ORDO_OK, generate(ctx, wanted), ctx);
    size_t const checks = faults_checks();
    for (size_t k = 1; k <= checks; k += checks / CHECKS + 1) {
        faults_cancel(k);
        ordo_status const status = generate(ctx, got);
        CHECK(status == ORDO_OK || status == ORDO_E_CANCELLED);
        cancelled += status == ORDO_E_CANCELLED;
        faults_cancel(0);
        CHECK_STATUS(ORDO_OK, generate(ctx, got), ctx);
        CHECK_BYTES(wanted, got, sizeof got, sizeof *got);
    }
    CHECK(cancelled > 0);
    faults_detach();
    ordo_ctx_free(ctx);
}

static ordo_status generate_keys(ordo_ctx *ctx, uint64_t *out)
{
    return ordo_gen(ctx, ORDO_DIST_GAUSSIAN, ORDO_U64, out, GENERATED, NULL);
}

static ordo_status generate_strings(ordo_ctx *ctx, uint64_t *offsets)
{
    return ordo_gen_strings(ctx, ORDO_DIST_STRINGS, GENERATED, offsets, NULL, 0, NULL);
}

static ordo_ctx *volatile target;

static void cancel_target(int number)
{
    (void)number;
    ordo_cancel(target);
}

static int compare_and_raise(void *user, const void *a, const void *b)
{
    if (++*(size_t *)user == 100)
        raise(SIGUSR1);
    return memcmp(a, b, sizeof(uint32_t));
}

/* A signal handler cancels the call that it interrupts. */
static void test_signal(void)
{
    static uint32_t        elements[SORTED_BY];
    struct sigaction const action = {.sa_handler = cancel_target};
    ordo_ctx *const        ctx = test_context_make(1);
    size_t                 compared = 0;
    testkit_case("ordo_cancel in a signal handler");
    target = ctx;
    for (uint32_t i = 0; i < SORTED_BY; i++)
        elements[i] = i * UINT32_C(2654435761);
    uint64_t const sum = elements_sum((unsigned char *)elements, SORTED_BY, sizeof *elements);
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    CHECK_STATUS(ORDO_E_CANCELLED,
                 ordo_sort_by(ctx, elements, SORTED_BY, sizeof *elements, compare_and_raise,
                              &compared, NULL),
                 ctx);
    CHECK_EQ_U64(sum, elements_sum((unsigned char *)elements, SORTED_BY, sizeof *elements));
    ordo_ctx_free(ctx);
}

int main(void)
{
    static const sweep_plan plan = {N, PAIRS_OF, NAMED_OF};
    test_state              all = {.ctx = {NULL}};
    testkit_start();
    all.ctx[0] = test_context_make(1);
    all.ctx[1] = test_context_make(3);
    setenv("ORDO_ISA", "generic", 1); /* its sorts have more checks */
    all.ctx[2] = test_context_make(1);
    unsetenv("ORDO_ISA");
    sweep_calls(&plan, stop, &all);
    testkit_case("all calls");
    CHECK(all.cancelled > 0 && all.right > 0);
    for (size_t i = 0; i < CONTEXTS; i++)
        ordo_ctx_free(all.ctx[i]);
    test_generator("gen", generate_keys);
    test_generator("gen_strings", generate_strings);
    test_signal();
    return testkit_done();
}
