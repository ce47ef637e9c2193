/* test_low_memory.c - every verb, algorithm, type and shape with too little memory: with many
 * limits, with the k-th request for scratch refused, and with the k-th allocation failed. ORDO_OK
 * means a correct result; after ORDO_E_NOMEM the call has written nothing. */
#include "faults.h"
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

enum {
#ifdef ORDO_TINY
    N = 64 * 7 + 1,
    PAIRS_OF = TESTKIT_SANITIZED ? 7 : 1,
    NAMED_OF = 11,
    LIMITS_OF = 37, /* each call tests one of this many limits */
#else
    N = 64 * 1100 + 1,
    PAIRS_OF = 137,
    NAMED_OF = 23,
    LIMITS_OF = 67,
#endif
    LIMITS = 160,
    MOST_BYTES = 80, /* of scratch for each key */
    ALLOCATIONS_OF = 31,
    THREADED_OF = 7, /* one of this many calls uses several threads, which is slower */
    ENOUGH = 1000    /* more requests than any call makes */
};

typedef struct test_state {
    ordo_ctx *limited[LIMITS];
    size_t    count;
    ordo_ctx *free[2]; /* without a limit: with one thread, with two */
    size_t    right, refused;
} test_state;

static void check(const sweep_call *call, const ordo_ctx *ctx, ordo_status status, test_state *all)
{
    if (status == ORDO_OK) {
        CHECK(sweep_right(call));
        all->right++;
        return;
    }
    CHECK_STATUS(ORDO_E_NOMEM, status, ctx);
    CHECK(sweep_unchanged(call));
    CHECK(ordo_last_error(ctx)[0] != '\0');
    all->refused++;
}

static void with_limits(const sweep_call *call, test_state *all)
{
    for (size_t i = call->number % LIMITS_OF; i < all->count; i += LIMITS_OF)
        check(call, all->limited[i], sweep_run(call, all->limited[i]), all);
}

/* Whether the call works without scratch, as ordo.h and docs/order.md say. */
static bool needs_no_scratch(const verb_entry *v)
{
    bool const by_digits =
        v->algorithm == ORDO_ALGORITHM_AUTO || v->algorithm == ORDO_ALGORITHM_RADIX;
    switch (v->kind) {
    case SORT:
        return by_digits ||
               (ordo_type_size(v->type) >= 4 &&
                (v->algorithm == ORDO_ALGORITHM_BITONIC || v->algorithm == ORDO_ALGORITHM_BUBBLE ||
                 ((v->algorithm == ORDO_ALGORITHM_HALVING ||
                   v->algorithm == ORDO_ALGORITHM_ROUGH) &&
                  v->choice != 0)));
    case SORT_FROM:
    case PAIRS:
    case ARGSORT:
        return by_digits;
    case SELECT:
    case QUANTILES:
    case MEDIAN: /* many positions need scratch */
        return by_digits && v->choice != MOST_CHOSEN;
    case RANK_SORTED:
        return v->algorithm != ORDO_ALGORITHM_THREADS;
    case SCAN:
    case BITS:
    case RUNS:
    case SORTED:
    case COPY:
        return true;
    default:
        return false;
    }
}

/* The k-th request for scratch is refused, alone or with all later ones. */
static void with_refusals(const sweep_call *call, test_state *all)
{
    ordo_ctx *const ctx = all->free[call->number % THREADED_OF == 0];
    bool const      only_one = call->number % 2 == 0;
    size_t          k = 0;
    faults_attach(ctx);
    do {
        faults_refuse(++k, only_one);
        ordo_status const status = sweep_run(call, ctx);
        check(call, ctx, status, all);
        if (k == 1 && !only_one && needs_no_scratch(&call->entry))
            CHECK_STATUS(ORDO_OK, status, ctx);
    } while (faults_refused() && k < ENOUGH);
    CHECK(k < ENOUGH);
    faults_detach();
    CHECK_STATUS(ORDO_OK, sweep_run(call, ctx), ctx);
    CHECK(sweep_right(call));
}

/* The k-th allocation of a new context fails. */
static void with_failures(const sweep_call *call, test_state *all)
{
    bool const only_one = call->number % 2 != 0;
    size_t     k = 0;
    bool       refused;
    do {
        test_allocator  allocator = {.only_one = only_one};
        ordo_ctx *const ctx =
            CONTEXT(.threads = 1 + (uint32_t)call->number % 2, ALLOCATOR(&allocator));
        if (ctx == NULL)
            return;
        allocator.fail_at = atomic_load(&allocator.calls) + ++k;
        check(call, ctx, sweep_run(call, ctx), all);
        refused = atomic_load(&allocator.refused) != 0;
        ordo_ctx_free(ctx);
        CHECK_EQ_U64(0, atomic_load(&allocator.live));
    } while (refused && k < ENOUGH);
    CHECK(k < ENOUGH);
}

static void starve(const sweep_call *call, void *user)
{
    test_state *const all = user;
    with_limits(call, all);
    with_refusals(call, all);
    if (call->number % ALLOCATIONS_OF == 0)
        with_failures(call, all);
}

/* Limits from 1 byte to more than any call needs. */
static test_state make_contexts(size_t n)
{
    test_state all = {.free = {test_context_make(1), test_context_make(2)}};
    for (size_t limit = 1; limit < n * MOST_BYTES && all.count < LIMITS; limit += 1 + limit / 12) {
        all.limited[all.count] =
            CONTEXT(.mem_limit = limit, .threads = all.count % THREADED_OF == 0 ? 3 : 1);
        all.count++;
    }
    return all;
}

static void test_sweep(void)
{
    static const sweep_plan plan = {N, PAIRS_OF, NAMED_OF};
    test_state              all = make_contexts(N);
    sweep_calls(&plan, starve, &all);
    testkit_case("all calls");
    CHECK(all.right > 0 && all.refused > 0);
    for (size_t i = 0; i < all.count; i++)
        ordo_ctx_free(all.limited[i]);
    ordo_ctx_free(all.free[0]);
    ordo_ctx_free(all.free[1]);
}

/* Generators need scratch, too. */
static void test_generators(void)
{
    enum {
        STRINGS = 5000,
        LONGEST = 500
    };
    ordo_ctx *const     ctx = test_context_make(2);
    char *const         out = test_keep(STRINGS * LONGEST);
    uint64_t *const     offsets = test_keep((STRINGS + 1) * sizeof *offsets);
    ordo_gen_opts const opts = ORDO_OPTS(ordo_gen_opts, .p = 0.5);
    faults_attach(ctx);
    faults_refuse(1, false);
    testkit_case("gen recur without scratch");
    CHECK_STATUS(ORDO_E_NOMEM, ordo_gen(ctx, ORDO_DIST_RECUR, ORDO_U32, out, STRINGS, &opts), ctx);
    testkit_case("gen_strings without scratch");
    CHECK_STATUS(
        ORDO_E_NOMEM,
        ordo_gen_strings(ctx, ORDO_DIST_STRINGS, STRINGS, offsets, out, STRINGS * LONGEST, NULL),
        ctx);
    CHECK_EQ_U64(0, test_bytes_not(out, STRINGS * LONGEST, 0) +
                        test_bytes_not(offsets, (STRINGS + 1) * sizeof *offsets, 0));
    faults_detach();
    ordo_ctx_free(ctx);
}

int main(void)
{
    testkit_start();
    test_sweep();
    test_generators();
    return testkit_done();
}
