/* test_cancel.c - every verb, algorithm, type and shape, cancelled at its k-th check for every k
 * (faults.h). A call that returns ORDO_OK all the same has the right result; after
 * ORDO_E_CANCELLED its arrays are what ordo.h promises; the next call on the context is right.
 * Under AddressSanitizer this finds code that uses what a cancelled step left incomplete. */
#define _POSIX_C_SOURCE 200809L
#include "faults.h"
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

enum {
#ifdef ORDO_TINY
    N = 64 * 8 + 1,
    PAIRS_OF = TESTKIT_SANITIZED ? 23 : 7,
    NAMED_OF = 7,
    CHECKS = 24, /* at most so many k of one call */
#else
    N = 64 * 1100 + 1,
    PAIRS_OF = 137,
    NAMED_OF = 23,
    CHECKS = 2,
#endif
    CONTEXTS = 3
};

typedef struct contexts {
    ordo_ctx *ctx[CONTEXTS];
    size_t    cancelled, right;
} contexts;

/* The sum of a hash of every element: the same in any order. */
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

/* The error text says what became of an array that is sorted in place, and that is true. */
static bool says_the_truth(const sweep_call *call, const ordo_ctx *ctx)
{
    const char *const text = ordo_last_error(ctx);
    bool const        unchanged = strstr(text, "unchanged") != NULL;
    bool const        unspecified = strstr(text, "unspecified") != NULL;
    return unchanged != unspecified && (unspecified || verb_untouched(call->data));
}

/* Calls that write results before they can be cancelled, of which ordo.h says nothing: the one
 * place where these are listed. ordo_gen and ordo_gen_strings are of this kind, too. */
static bool is_not_promised(verb_kind kind) { return kind == BITS || kind == TOPK || kind == COPY; }

/* Whether the arrays are what ordo.h says of a cancelled call. */
static bool keeps_promise(const sweep_call *call, const ordo_ctx *ctx)
{
    switch (call->entry.kind) {
    case SORT:
    case PAIRS:
        return says_the_truth(call, ctx);
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
    case PARTITION: /* out is unspecified, the number is not */
        return call->data->scalar == SPOILT_SCALAR;
    case SORT_FROM: /* the results of these are unspecified */
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

static void cancel_at(const sweep_call *call, ordo_ctx *ctx, size_t k, contexts *all)
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
    CHECK(ordo_last_error(ctx)[0] != '\0');
    all->cancelled++;
}

static void stop(const sweep_call *call, void *user)
{
    contexts *const all = user;
    for (size_t i = 0; i < CONTEXTS; i++) {
        ordo_ctx *const ctx = all->ctx[i];
        faults_attach(ctx);
        CHECK_STATUS(ORDO_OK, sweep_run(call, ctx), ctx);
        size_t const checks = faults_checks();
        /* All k where there are few; else some, others for the next call. */
        size_t const step = checks / CHECKS + 1;
        for (size_t k = 1 + call->number % step; k <= checks; k += step)
            cancel_at(call, ctx, k, all);
        faults_cancel(0);
        CHECK_STATUS(ORDO_OK, sweep_run(call, ctx), ctx);
        CHECK(sweep_right(call));
        faults_detach();
    }
}

int main(void)
{
    static const sweep_plan plan = {N, PAIRS_OF, NAMED_OF};
    contexts                all = {.ctx = {NULL}};
    testkit_start();
    all.ctx[0] = test_context_make(1);
    all.ctx[1] = test_context_make(3);
    setenv("ORDO_ISA", "generic", 1); /* its sorts ask more often whether to stop */
    all.ctx[2] = test_context_make(1);
    unsetenv("ORDO_ISA");
    sweep_calls(&plan, stop, &all);
    testkit_case("all calls");
    CHECK(all.cancelled > 0 && all.right > 0);
    for (size_t i = 0; i < CONTEXTS; i++)
        ordo_ctx_free(all.ctx[i]);
    return testkit_done();
}
