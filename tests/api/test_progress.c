/* test_progress.c - progress callbacks, cancellation and calls from inside a callback.
 *
 * The callbacks come at every opportunity instead of every few milliseconds, so that the test
 * counts callbacks instead of measuring time: the progress between two callbacks bounds the delay
 * of a cancellation. With ORDO_TEST_TIMES=1 the time from a cancel to the return is checked, too.
 */
#define _GNU_SOURCE
#include "faults.h"
#include "inputs.h"
#include "testkit.h"
#include "kit/verbs/verbs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { /* the low thresholds of the test build make calls slow */
#ifdef ORDO_TINY
    KEYS = 1 << 23,
    UNSORTED_KEYS = TESTKIT_SANITIZED ? 1 << 18 : 1 << 20
#else
    KEYS = TESTKIT_SANITIZED ? 1 << 24 : 1 << 26,
    UNSORTED_KEYS = TESTKIT_SANITIZED ? 1 << 21 : 1 << 24
#endif
};

/* Bound on the time from a cancel to the return of the call, if times are checked. */
#define CANCEL_SECONDS 0.050

/* Bound on the progress between two callbacks of a single thread. The test build has very short
 * phases of a single chunk. */
#ifdef ORDO_TINY
#define LARGEST_STEP 0.5
#else
#define LARGEST_STEP 0.125
#endif

static uint8_t  *keys; /* all equal, so that every algorithm does all its work */
static uint32_t *ranks;
static uint32_t *unsorted, *work, *values; /* random keys, the array to sort, values or results */

/* What the callback saw and what it must do. */
typedef struct watcher {
    ordo_ctx   *ctx;
    pthread_t   caller;
    size_t      calls, wrong_thread, wrong_value;
    double      last, largest_step; /* progress of the last callback, and between two */
    double      first;              /* progress of the first                          */
    size_t      cancel_at;          /* cancel in this call; 0: never                  */
    double      cancelled;          /* time of the cancellation                       */
    bool        reenter;            /* call verbs on the same context                 */
    size_t      busy;               /* calls that returned ORDO_E_BUSY                */
    size_t      not_busy;
    atomic_bool inside, go; /* the callback waits in its first call until another thread sets go */
    bool        wait;
} watcher;

static void call_again(watcher *w)
{
    static uint32_t   few[4], out[4];
    uint64_t          total;
    size_t            bytes;
    double            median;
    int               sorted;
    ordo_ctx *const   ctx = w->ctx;
    ordo_status const status[] = {
        ordo_rank_sorted(ctx, ORDO_U32, few, 4, ORDO_U32, out, NULL),
        ordo_rank_sorted_scratch(ctx, ORDO_U32, 4, ORDO_U32, NULL, &bytes),
        ordo_scan(ctx, ORDO_SUM, ORDO_U32, few, 4, ORDO_U32, out, NULL),
        ordo_scan_bits(ctx, ORDO_FLAG_BYTES, few, 4, ORDO_U32, out, &total, NULL),
        ordo_partition(ctx, ORDO_FLAG_BYTES, "abcd", few, 4, 4, out, &bytes, NULL),
        ordo_is_sorted(ctx, ORDO_U32, few, 4, &sorted, NULL, NULL),
        ordo_copy(ctx, out, few, sizeof few),
        ordo_sort(ctx, ORDO_U32, few, 4, NULL),
        ordo_sort_scratch(ctx, ORDO_U32, 4, NULL, &bytes),
        ordo_sort_pairs(ctx, ORDO_U32, few, 4, out, 4, NULL),
        ordo_argsort(ctx, ORDO_U32, few, 4, ORDO_U32, out, NULL),
        ordo_rank(ctx, ORDO_U32, few, 4, ORDO_U32, out, NULL),
        ordo_radius(ctx, ORDO_U32, few, 4, &bytes, NULL),
        ordo_runs(ctx, ORDO_U32, few, 4, &bytes, NULL),
        ordo_topk(ctx, ORDO_U32, few, 4, 2, out, ORDO_U32, NULL, &bytes, NULL),
        ordo_median(ctx, ORDO_U32, few, 4, &median, NULL),
    };
    for (size_t i = 0; i < sizeof status / sizeof *status; i++) {
        w->busy += status[i] == ORDO_E_BUSY;
        w->not_busy += status[i] != ORDO_E_BUSY;
    }
}

static int watch(void *user, double done)
{
    watcher *const w = user;
    if (done - w->last > w->largest_step)
        w->largest_step = done - w->last;
    if (w->calls++ == 0)
        w->first = done;
    w->wrong_thread += pthread_equal(pthread_self(), w->caller) == 0;
    w->wrong_value += !(done >= w->last && done >= 0 && done <= 1);
    w->last = done;
    if (w->reenter)
        call_again(w);
    if (w->wait && w->calls == 1) {
        struct timespec const moment = {0, 100 * 1000};
        atomic_store(&w->inside, true);
        while (!atomic_load(&w->go))
            nanosleep(&moment, NULL);
    }
    if (w->calls == w->cancel_at) {
        w->cancelled = test_now();
        return 1;
    }
    return 0;
}

static ordo_ctx *watched_context(watcher *w, unsigned threads)
{
    w->caller = pthread_self();
    ordo_ctx *const ctx =
        CONTEXT(.threads = threads, .progress = watch, .progress_user = w, .progress_interval = -1);
    w->ctx = ctx;
    return ctx;
}

/* Dense ranks, which need the most passes. */
static ordo_status rank_all(ordo_ctx *ctx, uint32_t algorithm)
{
    ordo_rank_opts const opts = ORDO_OPTS(ordo_rank_opts, .flags = ORDO_CHECK,
                                          .ties = ORDO_TIES_DENSE, .algorithm = algorithm);
    madvise(ranks, KEYS * sizeof *ranks, MADV_DONTNEED);
    return ordo_rank_sorted(ctx, ORDO_U8, keys, KEYS, ORDO_U32, ranks, &opts);
}

/* The progress of a whole call. A single thread advances in small steps, so that a cancellation is
 * prompt. With several threads a step lasts as long as the other threads run alone. */
static void check_progress(watcher *w, unsigned threads)
{
    if (1 - w->last > w->largest_step)
        w->largest_step = 1 - w->last;
    CHECK(w->calls >= 1);
    CHECK_EQ_U64(0, w->wrong_thread);
    CHECK_EQ_U64(0, w->wrong_value);
    CHECK(threads > 1 || w->largest_step <= LARGEST_STEP);
}

static void test_progress_values(uint32_t algorithm, unsigned threads)
{
    watcher         w = {0};
    ordo_ctx *const ctx = watched_context(&w, threads);
    testkit_case("progress, algorithm %u, threads %u", algorithm, threads);
    CHECK_STATUS(ORDO_OK, rank_all(ctx, algorithm), ctx);
    check_progress(&w, threads);
    CHECK_EQ_U64(1, ranks[0]);
    CHECK_EQ_U64(1, ranks[KEYS - 1]);
    ordo_ctx_free(ctx);
}

static void test_reentry(unsigned threads)
{
    watcher         w = {.reenter = true};
    ordo_ctx *const ctx = watched_context(&w, threads);
    testkit_case("re-entry, threads %u", threads);
    CHECK_STATUS(ORDO_OK, rank_all(ctx, ORDO_ALGORITHM_SEQUENTIAL), ctx);
    CHECK(w.busy > 0);
    CHECK_EQ_U64(0, w.not_busy);
    CHECK_EQ_U64(1, ranks[KEYS - 1]);
    ordo_ctx_free(ctx);
}

static void works_again(ordo_ctx *ctx)
{
    uint32_t const few[4] = {1, 2, 2, 3};
    uint32_t       out[4] = {0};
    CHECK_STATUS(ORDO_OK, ordo_rank_sorted(ctx, ORDO_U32, few, 4, ORDO_U32, out, NULL), ctx);
    CHECK(out[0] == 1 && out[1] == 2 && out[2] == 2 && out[3] == 4);
    CHECK(ordo_last_error(ctx)[0] == '\0');
}

/* Long calls on unsorted keys. */
typedef enum order_verb {
    SORT,
    PAIRS,
    ARGSORT,
    RANK,
    MEDIAN,
    RADIUS
} order_verb;

static const struct order_call {
    const char    *name;
    order_verb     verb;
    ordo_algorithm algorithm;
} order_calls[] = {
    {"sort", SORT, ORDO_ALGORITHM_AUTO},
    {"argsort", ARGSORT, ORDO_ALGORITHM_AUTO},
    {"rank", RANK, ORDO_ALGORITHM_AUTO},
    {"pairs", PAIRS, ORDO_ALGORITHM_AUTO},
    {"sort radix", SORT, ORDO_ALGORITHM_RADIX},
    {"sort merge", SORT, ORDO_ALGORITHM_MERGE},
    {"sort sample", SORT, ORDO_ALGORITHM_SAMPLE},
    {"sort split", SORT, ORDO_ALGORITHM_SPLIT},
    {"sort bitonic", SORT, ORDO_ALGORITHM_BITONIC},
    {"sort bubble", SORT, ORDO_ALGORITHM_BUBBLE},
    {"sort rough", SORT, ORDO_ALGORITHM_ROUGH},
    {"sort halving", SORT, ORDO_ALGORITHM_HALVING},
    {"sort windows", SORT, ORDO_ALGORITHM_WINDOWS},
    {"pairs merge", PAIRS, ORDO_ALGORITHM_MERGE},
    {"argsort sample", ARGSORT, ORDO_ALGORITHM_SAMPLE},
    {"median", MEDIAN, ORDO_ALGORITHM_AUTO},
    {"radius", RADIUS, ORDO_ALGORITHM_AUTO},
    {"median merge", MEDIAN, ORDO_ALGORITHM_MERGE},
};
enum {
    ORDER_CALLS = sizeof order_calls / sizeof *order_calls,
    WHOLE_CALLS = 5 /* the first of them, which are fast enough to run to their end */
};

static bool keys_unchanged(void)
{
    return memcmp(work, unsorted, UNSORTED_KEYS * sizeof *work) == 0;
}

static void prepare_order(const struct order_call *call)
{
    if (!keys_unchanged())
        memcpy(work, unsorted, UNSORTED_KEYS * sizeof *work);
    for (uint32_t i = 0; i < UNSORTED_KEYS && call->verb == PAIRS; i++)
        values[i] = i;
}

static ordo_status run_order(const struct order_call *call, ordo_ctx *ctx)
{
    ordo_sort_opts const sort = ORDO_OPTS(ordo_sort_opts, .algorithm = (uint32_t)call->algorithm);
    ordo_quantile_opts const quantile =
        ORDO_OPTS(ordo_quantile_opts, .algorithm = (uint32_t)call->algorithm);
    double median;
    size_t radius;

    switch (call->verb) {
    case SORT:
        return ordo_sort(ctx, ORDO_U32, work, UNSORTED_KEYS, &sort);
    case PAIRS:
        return ordo_sort_pairs(ctx, ORDO_U32, work, UNSORTED_KEYS, values, 4, &sort);
    case ARGSORT:
        return ordo_argsort(ctx, ORDO_U32, work, UNSORTED_KEYS, ORDO_U32, values, &sort);
    case RANK:
        return ordo_rank(ctx, ORDO_U32, work, UNSORTED_KEYS, ORDO_U32, values, NULL);
    case MEDIAN:
        return ordo_median(ctx, ORDO_U32, work, UNSORTED_KEYS, &median, &quantile);
    case RADIUS:
        break;
    }
    return ordo_radius(ctx, ORDO_U32, work, UNSORTED_KEYS, &radius, NULL);
}

static size_t moved_values(void)
{
    size_t moved = 0;
    for (uint32_t i = 0; i < UNSORTED_KEYS; i++)
        moved += values[i] != i;
    return moved;
}

/* The error text describes the state of an array that is sorted in place. */
static void is_truthful(const struct order_call *call, const ordo_ctx *ctx)
{
    bool const in_place = call->verb == SORT || call->verb == PAIRS;
    bool const unchanged = strstr(ordo_last_error(ctx), "unchanged") != NULL;
    bool const unspecified = strstr(ordo_last_error(ctx), "unspecified") != NULL;
    CHECK(ordo_last_error(ctx)[0] != '\0');
    CHECK(!in_place || unchanged != unspecified);
    if (!in_place || unchanged)
        CHECK(keys_unchanged());
    if (call->verb == PAIRS && unchanged)
        CHECK_EQ_U64(0, moved_values());
}

static bool is_in_order(void)
{
    for (size_t i = 1; i < UNSORTED_KEYS; i++)
        if (work[i] < work[i - 1])
            return false;
    return true;
}

static void sorts_again(ordo_ctx *ctx)
{
    uint32_t few[] = {3, 1, 2, 2}, index[4] = {0};
    CHECK_STATUS(ORDO_OK, ordo_argsort(ctx, ORDO_U32, few, 4, ORDO_U32, index, NULL), ctx);
    CHECK(index[0] == 1 && index[1] == 2 && index[2] == 3 && index[3] == 0);
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U32, few, 4, NULL), ctx);
    CHECK(few[0] == 1 && few[1] == 2 && few[2] == 2 && few[3] == 3);
}

/* A cancelled call returns soon, if times are checked. */
static void returned_soon(const watcher *w)
{
    if (test_times_count())
        CHECK(test_now() - w->cancelled < CANCEL_SECONDS);
}

static size_t order_cancels; /* calls that were cancelled */

/* Cancels in one callback. A call may end before that callback, or have no work left after it: it
 * then succeeds. */
static void test_cancel_order(const struct order_call *call, unsigned threads, size_t cancel_at)
{
    watcher         w = {.cancel_at = cancel_at};
    ordo_ctx *const ctx = watched_context(&w, threads);
    testkit_case("cancel %s in callback %zu, threads %u", call->name, cancel_at, threads);
    prepare_order(call);
    ordo_status const status = run_order(call, ctx);
    if (w.calls == cancel_at)
        returned_soon(&w);
    if (status == ORDO_OK) {
        CHECK(w.calls <= cancel_at);
        CHECK(call->verb > PAIRS || is_in_order());
    } else {
        CHECK_STATUS(ORDO_E_CANCELLED, status, ctx);
        CHECK_EQ_U64(cancel_at, w.calls);
        order_cancels++;
        is_truthful(call, ctx);
    }
    works_again(ctx);
    sorts_again(ctx);
    ordo_ctx_free(ctx);
}

static void test_progress_order(const struct order_call *call, unsigned threads)
{
    watcher         w = {0};
    ordo_ctx *const ctx = watched_context(&w, threads);
    testkit_case("progress of %s, threads %u", call->name, threads);
    prepare_order(call);
    CHECK_STATUS(ORDO_OK, run_order(call, ctx), ctx);
    check_progress(&w, threads);
    ordo_ctx_free(ctx);
}

/* Samples of k-sorted keys that show the radius are no progress. How far a sort in windows gets
 * before it ends is not known, so the last step may be large. */
static void test_progress_rough(uint32_t k, unsigned threads)
{
    watcher         w = {0};
    ordo_ctx *const ctx = watched_context(&w, threads);
    test_rng        rng = {k};
    testkit_case("progress of a sort of k-sorted keys, k = %u, threads %u", k, threads);
    for (uint32_t i = 0; i < UNSORTED_KEYS; i++)
        work[i] = 16 * i + (uint32_t)(test_rng_next(&rng) % (16 * k));
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U32, work, UNSORTED_KEYS, NULL), ctx);
    CHECK(is_in_order());
    CHECK(w.calls >= 1);
    CHECK_EQ_U64(0, w.wrong_thread);
    CHECK_EQ_U64(0, w.wrong_value);
    CHECK(testkit_on_device() || w.first <= LARGEST_STEP);
    ordo_ctx_free(ctx);
}

static void test_cancel_in_callback(uint32_t algorithm, unsigned threads)
{
    watcher         w = {.cancel_at = 1};
    ordo_ctx *const ctx = watched_context(&w, threads);
    testkit_case("cancel in the callback, algorithm %u, threads %u", algorithm, threads);
    CHECK_STATUS(ORDO_E_CANCELLED, rank_all(ctx, algorithm), ctx);
    returned_soon(&w);
    CHECK_EQ_U64(1, w.calls);
    CHECK(ordo_last_error(ctx)[0] != '\0');
    works_again(ctx);
    ordo_ctx_free(ctx);
}

/* While the caller waits in its callback, another thread is refused, then cancels. */
static void *meddle(void *user)
{
    watcher *const        w = user;
    struct timespec const moment = {0, 100 * 1000};
    while (!atomic_load(&w->inside))
        nanosleep(&moment, NULL);
    call_again(w);
    ordo_cancel(w->ctx);
    w->cancelled = test_now();
    atomic_store(&w->go, true);
    return NULL;
}

static void test_cancel_from_thread(uint32_t algorithm, unsigned threads)
{
    watcher         w = {.wait = true};
    ordo_ctx *const ctx = watched_context(&w, threads);
    pthread_t       other;
    testkit_case("cancel from a thread, algorithm %u, threads %u", algorithm, threads);
    if (!CHECK(pthread_create(&other, NULL, meddle, &w) == 0))
        return;
    CHECK_STATUS(ORDO_E_CANCELLED, rank_all(ctx, algorithm), ctx);
    atomic_store(&w.inside, true); /* if there was no callback */
    pthread_join(other, NULL);
    returned_soon(&w);
    CHECK(w.busy > 0);
    CHECK_EQ_U64(0, w.not_busy);
    works_again(ctx);
    ordo_ctx_free(ctx);
}

static void test_cancel_without_call(void)
{
    ordo_ctx *const ctx = test_context_make(2);
    testkit_case("cancel without a call");
    ordo_cancel(ctx);
    works_again(ctx);
    ordo_ctx_free(ctx);
}

/* Every verb while another thread cancels often: the call is correct or cancelled. */
static void test_frequent_cancels(unsigned threads)
{
    verb_data       data = verb_data_make(TESTKIT_SANITIZED ? 100000 : 500000);
    canceller       c = {.ctx = test_context_make(threads), .pause = 300 * 1000};
    ordo_ctx *const ctx = c.ctx;
    if (!canceller_start(&c))
        return;
    for (size_t v = 0; v < VERBS; v += VERB_STEP)
        for (int i = 0; i < 10; i++) {
            testkit_case("frequent cancels, %s, threads %u", verb_name(v), threads);
            ordo_status const status = verb_run(v, ctx, &data);
            CHECK(status == ORDO_OK ? verb_right(v, &data) : status == ORDO_E_CANCELLED);
        }
    canceller_end(&c);
    for (size_t v = 0; v < VERBS; v += VERB_STEP) {
        testkit_case("after frequent cancels, %s", verb_name(v));
        CHECK_STATUS(ORDO_OK, verb_run(v, ctx, &data), ctx);
        CHECK(verb_right(v, &data));
    }
    ordo_ctx_free(ctx);
    verb_data_free(&data);
}

int main(void)
{
    testkit_start();
    keys = test_keep(KEYS * sizeof *keys);
    ranks = mmap(NULL, KEYS * sizeof *ranks, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                 -1, 0);
    unsorted = test_keep(UNSORTED_KEYS * sizeof *unsorted);
    work = test_keep(UNSORTED_KEYS * sizeof *work);
    values = test_keep(UNSORTED_KEYS * sizeof *values);
    if (ranks == MAP_FAILED)
        return 99;
    inputs_fill(0, ORDO_U32, unsorted, UNSORTED_KEYS, 1);
    madvise(ranks, KEYS * sizeof *ranks, MADV_NOHUGEPAGE);
    memset(keys, 1, KEYS);

    test_progress_values(ORDO_ALGORITHM_SEQUENTIAL, 1);
    test_progress_values(ORDO_ALGORITHM_AUTO, 1);
    test_progress_values(ORDO_ALGORITHM_AUTO, 4);
    test_progress_values(ORDO_ALGORITHM_THREADS, 4);
    test_reentry(1);
    test_reentry(3);
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        for (uint32_t a = ORDO_ALGORITHM_AUTO; a <= ORDO_ALGORITHM_THREADS; a++) {
            test_cancel_in_callback(a, threads);
            test_cancel_from_thread(a, threads);
        }
        test_frequent_cancels(threads);
        for (size_t i = 0; i < ORDER_CALLS; i++) /* in an early or a late callback */
            test_cancel_order(&order_calls[i], threads, (i + threads) % 2 != 0 ? 1 : 2 + 3 * i);
    }
    testkit_case("cancelled calls on unsorted keys");
    CHECK(order_cancels > 0);
    for (size_t i = 0; i < WHOLE_CALLS; i++)
        for (unsigned threads = 1; threads <= 2; threads++)
            test_progress_order(&order_calls[i], threads);
    for (unsigned threads = 1; threads <= 2; threads++) {
        test_progress_rough(20, threads);
        test_progress_rough(40, threads);
        test_progress_rough(300, threads);
    }
    test_cancel_without_call();
    munmap(ranks, KEYS * sizeof *ranks);
    return testkit_done();
}
