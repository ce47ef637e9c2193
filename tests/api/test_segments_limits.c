/* test_segments_limits.c - calls on segments that fail or nearly fail: bad layouts, positions and
 * options; too little memory, with scratch queries; cancellation; failed allocations. Errors name
 * the segment and leave the arrays as ordo.h says. Also the report, and segments on devices. */
#include "testkit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
#ifdef ORDO_TINY
    ROWS = 60,
    LENGTH = 40,
#else
    ROWS = 60,
    LENGTH = 700,
#endif
    N = ROWS * LENGTH
};

static ordo_ctx *ctx;
static double    keys[N], work[N], right[N];
static uint64_t  index_of[N], right_index[N];

static void refused_at(ordo_status expected, ordo_status status, const char *word, int line)
{
    char              what[200];
    const char *const text = ordo_last_error(ctx);
    testkit_check_status(expected, status, ctx, __FILE__, line, word);
    snprintf(what, sizeof what, "'%s' is in the error text \"%.120s\"", word, text);
    testkit_check(strstr(text, word) != NULL, __FILE__, line, what);
    testkit_check(memcmp(keys, work, sizeof keys) == 0, __FILE__, line, "keys are unchanged");
}
#define REFUSED(status, word, call) refused_at((status), (call), (word), __LINE__)

static ordo_status sort_with(ordo_segments segments, size_t n)
{
    segments.struct_size = sizeof segments;
    return ordo_sort(ctx, ORDO_F64, work, n, &ORDO_OPTS(ordo_sort_opts, .segments = &segments));
}

/* ---- Refusals ---- */

static void refuse_layouts(void)
{
    static const uint64_t falling[] = {0, 7, 5, 9}, long_one[] = {0, 4, 4, 13, 20};
    testkit_case("layouts");
    REFUSED(ORDO_E_ARG, "segment 1 begins at element 7 and ends before element 5",
            sort_with((ordo_segments){.count = 3, .offsets = falling}, 10));
    REFUSED(ORDO_E_ARG, "segment 2 ends before element 13; expected an end of at most n = 12",
            sort_with((ordo_segments){.count = 4, .offsets = long_one}, 12));
    REFUSED(ORDO_E_ARG, "segments.offsets is set, so segments.length",
            sort_with((ordo_segments){.count = 1, .offsets = long_one, .length = 1}, 12));
    REFUSED(ORDO_E_ARG, "segment 3 ends before element 12; expected an end of at most n = 11",
            sort_with((ordo_segments){.count = 4, .length = 3}, 11));
    REFUSED(ORDO_E_ARG, "segment 3 ends before element 14; expected an end of at most n = 12",
            sort_with((ordo_segments){.count = 4, .length = 3, .stride = 1, .step = 5}, 12));
    REFUSED(ORDO_E_ARG, "the stride is 2, and a segment spans 3 elements",
            sort_with((ordo_segments){.count = 4, .length = 3, .stride = 2}, 12));
    REFUSED(ORDO_E_ARG, "the stride is 1, and a segment spans 9 elements",
            sort_with((ordo_segments){.count = 6, .length = 3, .stride = 1, .step = 4}, 20));
    REFUSED(ORDO_E_ARG, "segments 0 and 2 overlap",
            sort_with((ordo_segments){.count = 4, .length = 3, .group = 2, .group_stride = 5}, 20));
    REFUSED(ORDO_E_ARG, "expected a divisor of segments.count",
            sort_with((ordo_segments){.count = 4, .length = 3, .group = 3}, 20));
    REFUSED(ORDO_E_ARG, "segment",
            sort_with((ordo_segments){.count = 3, .length = SIZE_MAX / 2, .step = 3}, 20));
    REFUSED(ORDO_E_ARG, "segment",
            sort_with((ordo_segments){.count = 3, .length = 2, .stride = SIZE_MAX}, 20));
    REFUSED(ORDO_E_ARG, "expected at most", sort_with((ordo_segments){.count = SIZE_MAX}, 20));
    ordo_segments const small = {.struct_size = 3, .count = 1};
    REFUSED(ORDO_E_ARG, "opts.segments.struct_size is 3",
            ordo_sort(ctx, ORDO_F64, work, N, &ORDO_OPTS(ordo_sort_opts, .segments = &small)));
    CHECK_STATUS(ORDO_OK, sort_with((ordo_segments){.count = 0}, N), ctx);
    CHECK_STATUS(ORDO_OK, sort_with((ordo_segments){.count = 7, .length = 0}, 0), ctx);
    CHECK(memcmp(keys, work, sizeof keys) == 0);
}

static void refuse_positions(void)
{
    static const uint64_t offsets[] = {0, 9, 13, 20};
    static const size_t   k[] = {1, 4};
    ordo_segments const   s = ORDO_OPTS(ordo_segments, .count = 3, .offsets = offsets);
    ordo_select_opts      opts = ORDO_OPTS(ordo_select_opts, .segments = &s);
    double                out[6] = {-1, -2, -3, -4, -5, -6}, before[6];
    testkit_case("positions");
    memcpy(before, out, sizeof out);
    REFUSED(ORDO_E_ARG, "k[1] is 4; expected less than 4, the number of keys of segment 1",
            ordo_select(ctx, ORDO_F64, work, N, k, 2, out, &opts));
    REFUSED(ORDO_E_ARG, "k is NULL but n is 2",
            ordo_select(ctx, ORDO_F64, work, N, NULL, 2, out, &opts));
    work[14] = keys[14] = (double)NAN;
    static const size_t all[] = {3};
    opts.nans = ORDO_NANS_OMIT;
    CHECK_STATUS(ORDO_OK, ordo_select(ctx, ORDO_F64, work, N, all, 1, out, &opts), ctx);
    memcpy(out, before, sizeof out);
    for (size_t i = 9; i < 13; i++)
        work[i] = keys[i] = (double)NAN;
    REFUSED(ORDO_E_ARG,
            "segment 1: k[0] is 3; expected less than 0, the number of keys that are not NaN",
            ordo_select(ctx, ORDO_F64, work, N, all, 1, out, &opts));
    CHECK(memcmp(out, before, sizeof out) == 0);
    ordo_sort_opts const rough =
        ORDO_OPTS(ordo_sort_opts, .algorithm = ORDO_ALGORITHM_ROUGH, .radius = 4, .segments = &s);
    REFUSED(ORDO_E_ARG, "radius is 4; expected less than 4, the number of keys of segment 1",
            ordo_sort(ctx, ORDO_F64, work, N, &rough));
    ordo_rank_opts const check = ORDO_OPTS(ordo_rank_opts, .flags = ORDO_CHECK, .segments = &s);
    memset(index_of, 0x77, sizeof index_of);
    REFUSED(ORDO_E_ORDER, "segment 0: sorted is not in ascending order",
            ordo_rank_sorted(ctx, ORDO_F64, work, N, ORDO_U64, index_of, &check));
    CHECK_EQ_U64(0, test_bytes_not(index_of, sizeof index_of, 0x77));
}

static int never(void *user, const void *a, const void *b)
{
    (void)user;
    return (a > b) - (a < b);
}

static void refuse_calls(void)
{
    ordo_segments const  s = ORDO_OPTS(ordo_segments, .count = 2, .length = 5);
    ordo_sort_opts       sort = ORDO_OPTS(ordo_sort_opts, .segments = &s);
    ordo_scan_opts const scan = ORDO_OPTS(ordo_scan_opts, .segments = &s);
    const char          *texts[2] = {"b", "a"};
    testkit_case("calls without segments");
    REFUSED(ORDO_E_UNSUPPORTED, "ordo_sort_by does not take segments",
            ordo_sort_by(ctx, work, N, sizeof *work, never, NULL, &sort));
    REFUSED(ORDO_E_UNSUPPORTED, "ordo_scan_bits does not take segments",
            ordo_scan_bits(ctx, ORDO_FLAG_BYTES, work, N, ORDO_U64, index_of, NULL, &scan));
    REFUSED(ORDO_E_UNSUPPORTED, "does not take segments", ordo_sort_pointers(ctx, texts, 2, &sort));
    ordo_ctx *const usual = ctx;
    ctx = CONTEXT(.where = ORDO_CPU);
    sort.flags = ORDO_ON_DEVICE;
    REFUSED(ORDO_E_ARG, "the context is for the CPU only",
            ordo_sort(ctx, ORDO_F64, work, N, &sort));
    ordo_ctx_free(ctx);
    ctx = usual;
}

/* ---- Memory ---- */

static const ordo_segments layouts[] = {
    {.struct_size = sizeof(ordo_segments), .count = ROWS, .length = LENGTH},
    {.struct_size = sizeof(ordo_segments),
     .count = LENGTH,
     .length = ROWS,
     .stride = 1,
     .step = LENGTH},
};

static void fill(void)
{
    test_rng rng = {3};
    for (size_t i = 0; i < N; i++)
        keys[i] = (double)test_rng_below(&rng, 1000) - 500;
    memcpy(work, keys, sizeof keys);
}

typedef ordo_status verb_fn(ordo_ctx *c, const ordo_segments *s, size_t *bytes);

static ordo_status sort_verb(ordo_ctx *c, const ordo_segments *s, size_t *bytes)
{
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .segments = s);
    return bytes != NULL ? ordo_sort_scratch(c, ORDO_F64, N, &opts, bytes)
                         : ordo_sort(c, ORDO_F64, work, N, &opts);
}

static ordo_status merge_verb(ordo_ctx *c, const ordo_segments *s, size_t *bytes)
{
    ordo_sort_opts const opts =
        ORDO_OPTS(ordo_sort_opts, .algorithm = ORDO_ALGORITHM_MERGE, .segments = s);
    return bytes != NULL ? ordo_sort_scratch(c, ORDO_F64, N, &opts, bytes)
                         : ordo_sort(c, ORDO_F64, work, N, &opts);
}

static ordo_status argsort_verb(ordo_ctx *c, const ordo_segments *s, size_t *bytes)
{
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .segments = s);
    return bytes != NULL ? ordo_argsort_scratch(c, ORDO_F64, N, ORDO_U64, &opts, bytes)
                         : ordo_argsort(c, ORDO_F64, keys, N, ORDO_U64, index_of, &opts);
}

static ordo_status rank_verb(ordo_ctx *c, const ordo_segments *s, size_t *bytes)
{
    ordo_rank_opts const opts = ORDO_OPTS(ordo_rank_opts, .segments = s);
    return bytes != NULL ? ordo_rank_scratch(c, ORDO_F64, N, ORDO_U64, &opts, bytes)
                         : ordo_rank(c, ORDO_F64, keys, N, ORDO_U64, index_of, &opts);
}

static ordo_status select_verb(ordo_ctx *c, const ordo_segments *s, size_t *bytes)
{
    static const size_t    k[] = {5, 20, 3};
    ordo_select_opts const opts = ORDO_OPTS(ordo_select_opts, .segments = s);
    return bytes != NULL ? ordo_select_scratch(c, ORDO_F64, N, 3, &opts, bytes)
                         : ordo_select(c, ORDO_F64, keys, N, k, 3, index_of, &opts);
}

static ordo_status topk_verb(ordo_ctx *c, const ordo_segments *s, size_t *bytes)
{
    ordo_select_opts const opts = ORDO_OPTS(ordo_select_opts, .segments = s);
    return bytes != NULL
               ? ordo_topk_scratch(c, ORDO_F64, N, 7, &opts, bytes)
               : ordo_topk(c, ORDO_F64, keys, N, 7, NULL, ORDO_U64, index_of, NULL, &opts);
}

static ordo_status radius_verb(ordo_ctx *c, const ordo_segments *s, size_t *bytes)
{
    ordo_order_opts const opts = ORDO_OPTS(ordo_order_opts, .segments = s);
    return bytes != NULL ? ordo_radius_scratch(c, ORDO_F64, N, &opts, bytes)
                         : ordo_radius(c, ORDO_F64, keys, N, (size_t *)index_of, &opts);
}

static verb_fn *const verbs[] = {sort_verb,   merge_verb, argsort_verb, rank_verb,
                                 select_verb, topk_verb,  radius_verb};

static void start(void)
{
    memcpy(work, keys, sizeof keys);
    memset(index_of, 0x77, sizeof index_of);
}

static bool is_right(void)
{
    return memcmp(work, right, sizeof right) == 0 &&
           memcmp(index_of, right_index, sizeof right_index) == 0;
}

static bool is_untouched(void)
{
    return memcmp(work, keys, sizeof keys) == 0 &&
           test_bytes_not(index_of, sizeof index_of, 0x77) == 0;
}

/* With any limit the result is right, or nothing is written; with the scratch of the query the call
 * succeeds. */
static void try_limits(verb_fn *verb, const ordo_segments *s, unsigned threads)
{
    size_t enough = 0;
    start();
    CHECK_STATUS(ORDO_OK, verb(ctx, s, NULL), ctx);
    memcpy(right, work, sizeof work);
    memcpy(right_index, index_of, sizeof index_of);
    ordo_ctx *const asked = CONTEXT(.threads = threads);
    CHECK_STATUS(ORDO_OK, verb(asked, s, &enough), asked);
    for (size_t limit = 1; limit < 2 * enough + 2; limit = limit * 3 / 2 + 1) {
        size_t const    exact = limit >= enough && limit < 2 * enough ? enough : limit;
        ordo_ctx *const limited = CONTEXT(.threads = threads, .mem_limit = exact + 1);
        start();
        ordo_status const status = verb(limited, s, NULL);
        CHECK(status == ORDO_OK ? is_right() : is_untouched());
        if (exact >= enough)
            CHECK_STATUS(ORDO_OK, status, limited);
        else if (status != ORDO_OK)
            CHECK_STATUS(ORDO_E_NOMEM, status, limited);
        if (verb == sort_verb && s->step == 0)
            CHECK_STATUS(ORDO_OK, status, limited); /* in place */
        ordo_ctx_free(limited);
    }
    ordo_ctx_free(asked);
}

static void low_memory(void)
{
    for (size_t v = 0; v < sizeof verbs / sizeof *verbs; v++)
        for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++)
            for (unsigned threads = 1; threads <= 3; threads += 2) {
                testkit_case("memory: verb %zu layout %zu threads %u", v, l, threads);
                try_limits(verbs[v], &layouts[l], threads);
            }
    start();
}

/* ---- Cancellation and progress ---- */

typedef struct watch {
    size_t calls, stop_at;
    double last;
    bool   falls;
} watch;

static int look(void *user, double done)
{
    watch *const w = user;
    w->falls = w->falls || done < w->last || done < 0 || done > 1;
    w->last = done;
    return ++w->calls == w->stop_at;
}

/* The huge segment in the middle is done by all threads, the others by one. */
static void cancel_one(size_t stop_at, unsigned threads)
{
    static const uint64_t offsets[] = {0, 10, N / 4, N - 30, N - 20, N};
    ordo_segments const   s = ORDO_OPTS(ordo_segments, .count = 5, .offsets = offsets);
    watch                 w = {.stop_at = stop_at};
    ordo_ctx *const       watched =
        CONTEXT(.threads = threads, .progress = look, .progress_user = &w, .progress_interval = -1);
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .segments = &s);
    start();
    ordo_status const status = ordo_sort(watched, ORDO_F64, work, N, &opts);
    CHECK(!w.falls);
    if (w.calls < stop_at || stop_at == 0)
        CHECK_STATUS(ORDO_OK, status, watched);
    else
        CHECK_STATUS(ORDO_E_CANCELLED, status, watched);
    memset(index_of, 0, sizeof index_of);
    ordo_rank_opts const ranks = ORDO_OPTS(ordo_rank_opts, .segments = &s);
    w = (watch){0};
    CHECK_STATUS(ORDO_OK, ordo_rank(watched, ORDO_F64, keys, N, ORDO_U64, index_of, &ranks),
                 watched);
    CHECK(!w.falls);
    ordo_ctx_free(watched);
    start();
}

static void cancel(void)
{
    for (size_t stop_at = 0; stop_at < 12; stop_at++)
        for (unsigned threads = 1; threads <= 4; threads += 3) {
            testkit_case("cancelled at callback %zu, %u threads", stop_at, threads);
            cancel_one(stop_at, threads);
        }
}

static void report(void)
{
    testkit_case("report");
    CHECK_STATUS(ORDO_OK, sort_with(layouts[0], N), ctx);
    ordo_report const said = report_of(ctx);
    CHECK_EQ_U64(ORDO_STRATEGY_SEGMENTS, said.facts.strategy);
    CHECK(strcmp("segments", ordo_strategy_name((ordo_strategy)said.facts.strategy)) == 0);
    CHECK_STATUS(ORDO_OK, merge_verb(ctx, &layouts[0], NULL), ctx);
    CHECK(strcmp("merge", report_of(ctx).algorithm) == 0);
    CHECK_EQ_U64(N, said.n);
    start();
}

/* Empty segments take no time, however many there are. */
static void test_empty(void)
{
    ordo_segments const    empty = ORDO_OPTS(ordo_segments, .count = (size_t)1 << 50);
    ordo_sort_opts const   sort = ORDO_OPTS(ordo_sort_opts, .segments = &empty);
    ordo_rank_opts const   rank = ORDO_OPTS(ordo_rank_opts, .segments = &empty);
    ordo_scan_opts const   scan = ORDO_OPTS(ordo_scan_opts, .segments = &empty);
    ordo_moving_opts const move = ORDO_OPTS(ordo_moving_opts, .segments = &empty);
    double                 out[4];
    testkit_case("2^50 empty segments");
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_F64, work, 4, &sort), ctx);
    CHECK_STATUS(ORDO_OK, ordo_argsort(ctx, ORDO_F64, work, 4, ORDO_U64, out, &sort), ctx);
    CHECK_STATUS(ORDO_OK, ordo_rank(ctx, ORDO_F64, work, 4, ORDO_F64, out, &rank), ctx);
    CHECK_STATUS(ORDO_OK, ordo_scan(ctx, ORDO_SUM, ORDO_F64, work, 4, ORDO_F64, out, &scan), ctx);
    CHECK_STATUS(ORDO_OK,
                 ordo_moving(ctx, ORDO_MOVING_MEDIAN, ORDO_F64, work, 4, 3, ORDO_F64, out, &move),
                 ctx);
}

int main(void)
{
    testkit_start();
    ctx = CONTEXT(.threads = 3);
    fill();
    refuse_layouts();
    refuse_positions();
    refuse_calls();
    test_empty();
    fill();
    low_memory();
    cancel();
    report();
    ordo_ctx_free(ctx);
    return testkit_done();
}
