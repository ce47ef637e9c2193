/* test_cancelled.c - what a cancelled call leaves behind. Single results are not written. Arrays of
 * results are unspecified, but those that a call sorts in place are unchanged where the call or its
 * error text says so, and the elements of ordo_sort_by are all there.
 *
 * A timer's signal handler cancels whatever runs. A call that ends before the first signal is tried
 * again; a verb that was never cancelled is skipped. */
#define _GNU_SOURCE
#include "testkit.h"
#include "verbs.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum {
    N = TESTKIT_SANITIZED ? 30000 : 150000,
    TRIES = TESTKIT_SANITIZED ? 20 : 60,
    ELEMENT = 12 /* bytes of an element that verbs.c sorts by a comparison */
};

static ordo_ctx *volatile target;

static void on_signal(int number)
{
    (void)number;
    ordo_cancel(target);
}

static void set_timer(long microseconds)
{
    struct itimerval const every = {{0, microseconds}, {0, microseconds}};
    CHECK(setitimer(ITIMER_REAL, &every, NULL) == 0);
}

static int compare_elements(const void *a, const void *b) { return memcmp(a, b, ELEMENT); }

/* Whether out holds the elements that were given, in whatever order. */
static bool same_elements(verb_data *data)
{
    qsort(data->out, data->n, ELEMENT, compare_elements);
    qsort(data->before, data->n, ELEMENT, compare_elements);
    return memcmp(data->out, data->before, data->n * ELEMENT) == 0;
}

static void check_left(size_t verb, verb_data *data, const ordo_ctx *ctx)
{
    const char *const operation = verb_operation(verb);
    const char *const text = ordo_last_error(ctx);
    CHECK(strstr(text, "cancelled") != NULL);
    CHECK_EQ_U64(UINT64_C(0xeeeeeeeeeeeeeeee), data->scalar); /* as verb_run made it */
    bool const in_place = strcmp(operation, "sort") == 0 || strcmp(operation, "sort_pairs") == 0;
    if (in_place)
        CHECK((strstr(text, "unchanged") != NULL) != (strstr(text, "unspecified") != NULL));
    if (strcmp(operation, "median") == 0 || strcmp(operation, "sort_pointers") == 0 ||
        (in_place && strstr(text, "unchanged") != NULL))
        CHECK(verb_untouched(data));
    if (strcmp(operation, "sort_by") == 0)
        CHECK(same_elements(data));
}

static void test_verbs(unsigned threads)
{
    verb_data       data = verb_data_make(N);
    ordo_ctx *const ctx = test_context_make(threads);
    target = ctx;
    for (size_t v = 0; v < VERBS; v += VERB_STEP) {
        bool cancelled = false;
        for (int i = 0; i < TRIES && !cancelled; i++) {
            testkit_case("%s, threads %u", verb_name(v), threads);
            set_timer(10 + 25 * (i % 7)); /* early and late */
            ordo_status const status = verb_run(v, ctx, &data);
            set_timer(0);
            cancelled = status == ORDO_E_CANCELLED;
            if (cancelled)
                check_left(v, &data, ctx);
            else
                CHECK_STATUS(ORDO_OK, status, ctx);
        }
        if (!cancelled)
            testkit_skip("%s with %u threads was never cancelled", verb_name(v), threads);
        CHECK_STATUS(ORDO_OK, verb_run(v, ctx, &data), ctx);
        CHECK(verb_right(v, &data));
    }
    ordo_ctx_free(ctx);
    verb_data_free(&data);
}

/* Generators write arrays alone; after a cancel the same call gives the same bytes. */
static void test_generators(void)
{
    static uint64_t wanted[N + 1], got[N + 1];
    ordo_ctx *const ctx = test_context_make(2);
    ordo_status     status = ORDO_OK;
    target = ctx;
    testkit_case("gen");
    CHECK_STATUS(ORDO_OK, ordo_gen(ctx, ORDO_DIST_GAUSSIAN, ORDO_U64, wanted, N, NULL), ctx);
    for (int i = 0; i < TRIES && status == ORDO_OK; i++) {
        set_timer(100);
        status = ordo_gen(ctx, ORDO_DIST_GAUSSIAN, ORDO_U64, got, N, NULL);
        set_timer(0);
        CHECK(status == ORDO_OK || status == ORDO_E_CANCELLED);
    }
    CHECK_STATUS(ORDO_OK, ordo_gen(ctx, ORDO_DIST_GAUSSIAN, ORDO_U64, got, N, NULL), ctx);
    CHECK_BYTES(wanted, got, N * sizeof *got, sizeof *got);

    testkit_case("gen_strings");
    status = ORDO_OK;
    CHECK_STATUS(ORDO_OK, ordo_gen_strings(ctx, ORDO_DIST_STRINGS, N, wanted, NULL, 0, NULL), ctx);
    for (int i = 0; i < TRIES && status == ORDO_OK; i++) {
        set_timer(100);
        status = ordo_gen_strings(ctx, ORDO_DIST_STRINGS, N, got, NULL, 0, NULL);
        set_timer(0);
        CHECK(status == ORDO_OK || status == ORDO_E_CANCELLED);
    }
    CHECK_STATUS(ORDO_OK, ordo_gen_strings(ctx, ORDO_DIST_STRINGS, N, got, NULL, 0, NULL), ctx);
    CHECK_BYTES(wanted, got, sizeof got, sizeof *got);
    ordo_ctx_free(ctx);
}

int main(void)
{
    struct sigaction const action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    testkit_start();
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    test_verbs(2);
    test_generators();
    return testkit_done();
}
