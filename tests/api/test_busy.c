/* test_busy.c - a context inside a call refuses every other call with ORDO_E_BUSY and a reason in
 * ordo_last_error(NULL), writes no result, and completes its own call; only ordo_cancel has an
 * effect. The calls come from a progress callback and from a comparison. */
#include "ordo_machine.h"
#include "testkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    N = 60000, /* enough for progress callbacks */
    FEW = 4
};

typedef struct caller {
    ordo_ctx *ctx;
    size_t    compared, ticked;
    bool      from_progress, from_compare, cancel;
} caller;

static const ordo_ctx *asked; /* the context of the calls below */

static void busy_at(ordo_status status, int line)
{
    const char *const text = ordo_last_error(NULL);
    testkit_check_status(ORDO_E_BUSY, status, asked, __FILE__, line, "a call on a busy context");
    testkit_check(strstr(text, "inside another call") != NULL, __FILE__, line,
                  "the reason is given");
    testkit_check(ordo_last_error(asked)[0] == '\0', __FILE__, line, "the outer call has no error");
    (void)!ordo_ctx_create(NULL, NULL); /* replaces the error text */
}
#define BUSY(call) busy_at((call), __LINE__)

static int compare_words(void *user, const void *a, const void *b);

static void call_order(ordo_ctx *ctx)
{
    static uint32_t     keys[FEW] = {4, 3, 2, 1}, out[2 * FEW];
    static const size_t k[1] = {1};
    static const double q[1] = {0.5};
    double              median = 7;
    size_t              single = 7;
    int                 sorted = 7;

    BUSY(ordo_sort(ctx, ORDO_U32, keys, FEW, NULL));
    BUSY(ordo_sort_pairs(ctx, ORDO_U32, keys, FEW, out, 4, NULL));
    BUSY(ordo_argsort(ctx, ORDO_U32, keys, FEW, ORDO_U32, out, NULL));
    BUSY(ordo_sort_by(ctx, keys, FEW, 4, compare_words, NULL, NULL));
    BUSY(ordo_rank(ctx, ORDO_U32, keys, FEW, ORDO_U32, out, NULL));
    BUSY(ordo_rank_sorted(ctx, ORDO_U32, keys, FEW, ORDO_U32, out, NULL));
    BUSY(ordo_select(ctx, ORDO_U32, keys, FEW, k, 1, out, NULL));
    BUSY(ordo_quantiles(ctx, ORDO_U32, keys, FEW, q, 1, &median, NULL));
    BUSY(ordo_median(ctx, ORDO_U32, keys, FEW, &median, NULL));
    BUSY(ordo_topk(ctx, ORDO_U32, keys, FEW, 2, out, ORDO_U32, NULL, &single, NULL));
    BUSY(ordo_is_sorted(ctx, ORDO_U32, keys, FEW, &sorted, &single, NULL));
    BUSY(ordo_radius(ctx, ORDO_U32, keys, FEW, &single, NULL));
    BUSY(ordo_runs(ctx, ORDO_U32, keys, FEW, &single, NULL));
    BUSY(ordo_sort_scratch(ctx, ORDO_U32, FEW, NULL, &single));
    BUSY(ordo_sort_pairs_scratch(ctx, ORDO_U32, FEW, 4, NULL, &single));
    BUSY(ordo_argsort_scratch(ctx, ORDO_U32, FEW, ORDO_U32, NULL, &single));
    BUSY(ordo_rank_scratch(ctx, ORDO_U32, FEW, ORDO_U32, NULL, &single));
    BUSY(ordo_rank_sorted_scratch(ctx, ORDO_U32, FEW, ORDO_U32, NULL, &single));
    BUSY(ordo_select_scratch(ctx, ORDO_U32, FEW, 1, NULL, &single));
    BUSY(ordo_topk_scratch(ctx, ORDO_U32, FEW, 1, NULL, &single));
    BUSY(ordo_radius_scratch(ctx, ORDO_U32, FEW, NULL, &single));
    CHECK(keys[0] == 4 && keys[3] == 1 && out[0] == 0);
    CHECK(median == 7 && single == 7 && sorted == 7);
}

static void call_others(ordo_ctx *ctx)
{
    static const char     bytes[] = "ba";
    static const uint64_t offsets[] = {0, 1, 2};
    static const uint32_t in[FEW] = {1, 2, 3, 4};
    static const size_t   k[1] = {1};
    ordo_strings const    strings = {sizeof strings, bytes, offsets, NULL};
    const char           *pointers[2] = {"b", "a"};
    uint64_t              out[FEW] = {0}, total = 7;
    char                  text[FEW] = {0};
    size_t                single = 7;

    BUSY(ordo_argsort_strings(ctx, &strings, 2, ORDO_U64, out, NULL));
    BUSY(ordo_sort_strings(ctx, &strings, 2, text, out, NULL));
    BUSY(ordo_sort_pointers(ctx, pointers, 2, NULL));
    BUSY(ordo_rank_strings(ctx, &strings, 2, ORDO_U64, out, NULL));
    BUSY(ordo_select_strings(ctx, &strings, 2, k, 1, out, NULL));
    BUSY(ordo_scan(ctx, ORDO_SUM, ORDO_U32, in, FEW, ORDO_U64, out, NULL));
    BUSY(ordo_scan_scratch(ctx, ORDO_SUM, ORDO_U32, FEW, ORDO_U64, NULL, &single));
    BUSY(ordo_scan_bits(ctx, ORDO_FLAG_BYTES, in, FEW, ORDO_U64, out, &total, NULL));
    BUSY(ordo_scan_bits_scratch(ctx, ORDO_FLAG_BYTES, FEW, ORDO_U64, NULL, &single));
    BUSY(ordo_partition(ctx, ORDO_FLAG_BYTES, "abcd", in, FEW, 4, out, &single, NULL));
    BUSY(ordo_partition_scratch(ctx, ORDO_FLAG_BYTES, FEW, 4, NULL, &single));
    BUSY(ordo_copy(ctx, out, in, sizeof in));
    BUSY(ordo_gen(ctx, ORDO_DIST_UNIFORM, ORDO_U64, out, FEW, NULL));
    BUSY(ordo_gen_strings(ctx, ORDO_DIST_STRINGS, 2, out, NULL, 0, NULL));
    BUSY(ordo_parse_fasta(ctx, "", 0, &(ordo_fasta){.struct_size = sizeof(ordo_fasta)}));
    CHECK(out[0] == 0 && text[0] == 0 && pointers[0][0] == 'b' && total == 7 && single == 7);
}

static void call_context(ordo_ctx *ctx)
{
    ordo_info   info = {.struct_size = sizeof info, .threads = 77};
    ordo_report report = {.struct_size = sizeof report, .n = 77};
    ordo_cost   cost = {.struct_size = sizeof cost, .value = 77};
    ordo_span   span = {.kind = 77};

    BUSY(ordo_ctx_info(ctx, &info));
    BUSY(ordo_last_report(ctx, &report));
    BUSY(ordo_reserve(ctx, 1000));
    BUSY(ordo_calibrate(ctx, NULL));
    BUSY(ordo_calibration_cost(ctx, 0, &cost));
    BUSY(ordo_calibration_remove(ctx));
    BUSY(ordo_last_profile(ctx, &span, 1) == 0 ? ORDO_E_BUSY : ORDO_OK);
    ordo_ctx_free(ctx); /* has no effect */
    BUSY(ORDO_E_BUSY);
    CHECK(info.threads == 77 && report.n == 77 && span.kind == 77 && cost.value == 77);
}

static void call_all(caller *c)
{
    asked = c->ctx;
    (void)!ordo_ctx_create(NULL, NULL);
    call_order(c->ctx);
    call_others(c->ctx);
    call_context(c->ctx);
    if (c->cancel)
        ordo_cancel(c->ctx);
}

static int on_progress(void *user, double done)
{
    caller *const c = user;
    (void)done;
    if (c->ticked++ == 0 && c->from_progress)
        call_all(c);
    return 0;
}

static int compare_words(void *user, const void *a, const void *b)
{
    caller *const c = user;
    uint32_t      x, y;
    if (c->compared++ == 0 && c->from_compare)
        call_all(c);
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static void test_busy(bool from_progress, bool cancel)
{
    static uint32_t keys[N];
    caller   c = {.from_progress = from_progress, .from_compare = !from_progress, .cancel = cancel};
    test_rng rng = {3};
    testkit_case("calls from %s%s", from_progress ? "a progress callback" : "a comparison",
                 cancel ? ", then a cancel" : "");
    c.ctx = CONTEXT(.threads = 1, .profile = 1, .progress = on_progress, .progress_user = &c,
                    .progress_interval = -1);
    for (size_t i = 0; i < N; i++)
        keys[i] = (uint32_t)test_rng_next(&rng);
    ordo_status const status = ordo_sort_by(c.ctx, keys, N, 4, compare_words, &c, NULL);
    CHECK(c.compared > 0 && (cancel || c.ticked > 0));
    if (cancel) {
        CHECK_STATUS(ORDO_E_CANCELLED, status, c.ctx);
    } else {
        CHECK_STATUS(ORDO_OK, status, c.ctx);
        size_t wrong = 0;
        for (size_t i = 1; i < N; i++)
            wrong += keys[i - 1] > keys[i];
        CHECK_EQ_U64(0, wrong);
        ordo_report const report = report_of(c.ctx);
        CHECK(strcmp(report.operation, "sort_by") == 0 && report.n == N);
    }
    CHECK_STATUS(ORDO_OK, ordo_sort(c.ctx, ORDO_U32, keys, N, NULL), c.ctx);
    ordo_ctx_free(c.ctx);
}

/* ordo_ctx_info and ordo_last_report keep the text of an earlier error. */
static void test_error_kept(void)
{
    ordo_ctx *const ctx = test_context_make(1);
    testkit_case("queries keep the error text");
    CHECK_STATUS(ORDO_E_ARG, ordo_sort(ctx, ORDO_U32, NULL, N, NULL), ctx);
    (void)info_of(ctx);
    (void)report_of(ctx);
    CHECK(strstr(ordo_last_error(ctx), "keys is NULL") != NULL);
    ordo_ctx_free(ctx);
}

int main(void)
{
    testkit_start();
    test_busy(false, false);
    test_busy(false, true);
    test_busy(true, false);
    test_error_kept();
    return testkit_done();
}
