/* test_moving.c - ordo_moving: every window is compared with the calls on a copy of that window
 * (ordo_median, ordo_quantiles, ordo_rank, ordo_select), for all types, NaN rules, ties, centred
 * windows and short ends; segments; any number of threads; scratch limits and refusals. */
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <math.h>
#include <stdlib.h>

enum {
    MOST = 4096,
    OPS = ORDO_MOVING_MAX
};

static const char *const op_names[] = {"", "median", "quantile", "rank", "min", "max"};

typedef struct moving_case {
    ordo_moving_op   op;
    ordo_type        type, out_type;
    const void      *in;
    size_t           n, window;
    ordo_moving_opts opts;
} moving_case;

static ordo_ctx *reference; /* for the calls on one window */

static size_t min_periods_of(const moving_case *c)
{
    return c->opts.min_periods != 0       ? c->opts.min_periods
           : oracle_is_float(c->out_type) ? c->window
                                          : 1;
}

static void put_nan(ordo_type type, void *out)
{
    float const  small = NAN;
    double const large = (double)NAN;
    if (type == ORDO_F32)
        memcpy(out, &small, sizeof small);
    else
        memcpy(out, &large, sizeof large);
}

/* The result for `seen` keys of a window; `rank_of` is the key to rank. */
static void expect_keys(const moving_case *c, const void *keys, size_t seen, size_t rank_of,
                        void *out)
{
    double         value = 0;
    uint64_t       key = 0;
    double         ranks[MOST];
    size_t const   k = c->op == ORDO_MOVING_MIN ? 0 : seen - 1;
    ordo_rank_opts rank = ORDO_OPTS(ordo_rank_opts, .ties = c->opts.ties, .flags = c->opts.flags);
    switch (c->op) {
    case ORDO_MOVING_MEDIAN:
        CHECK_STATUS(ORDO_OK, ordo_median(reference, c->type, keys, seen, &value, NULL), reference);
        break;
    case ORDO_MOVING_QUANTILE:
        CHECK_STATUS(ORDO_OK,
                     ordo_quantiles(reference, c->type, keys, seen, &c->opts.q, 1, &value,
                                    &ORDO_OPTS(ordo_quantile_opts, .method = c->opts.method)),
                     reference);
        break;
    case ORDO_MOVING_RANK:
        CHECK_STATUS(ORDO_OK, ordo_rank(reference, c->type, keys, seen, ORDO_F64, ranks, &rank),
                     reference);
        value = ranks[rank_of];
        break;
    default:
        CHECK_STATUS(ORDO_OK, ordo_select(reference, c->type, keys, seen, &k, 1, &key, NULL),
                     reference);
        if (oracle_is_nan(c->type, &key, 0)) {
            put_nan(c->out_type, out);
            return;
        }
        if (c->out_type == c->type) {
            memcpy(out, &key, ordo_type_size(c->type));
            return;
        }
        value = oracle_as_double(c->type, &key, 0);
        memcpy(out, &value, sizeof value);
        return;
    }
    value = isnan(value) ? (double)NAN : value + 0.0;
    memcpy(out, &value, sizeof value);
}

static void expect(const moving_case *c, size_t i, void *out)
{
    static uint64_t keys[MOST];
    size_t const    size = ordo_type_size(c->type);
    size_t const    ahead = c->opts.center != 0 ? (c->window - 1) / 2 : 0;
    size_t const    back = c->window - 1 - ahead;
    size_t const    first = c->opts.first != NULL ? c->opts.first[i] : i > back ? i - back : 0;
    size_t const    end = c->n - i > ahead ? i + ahead + 1 : c->n;
    size_t          seen = 0, nans = 0;
    bool            last_is_nan = false;
    for (size_t j = first; j < end; j++) {
        last_is_nan = oracle_is_nan(c->type, c->in, j);
        nans += last_is_nan;
        if (last_is_nan && c->opts.nans == ORDO_NANS_OMIT)
            continue;
        memcpy((char *)keys + seen++ * size, (const char *)c->in + j * size, size);
    }
    bool const hidden =
        seen < min_periods_of(c) || seen == 0 ||
        (nans > 0 && c->opts.nans == ORDO_NANS_PROPAGATE) ||
        (c->op == ORDO_MOVING_RANK && last_is_nan && c->opts.nans != ORDO_NANS_LAST);
    if (hidden)
        put_nan(c->out_type, out);
    else
        expect_keys(c, keys, seen, seen - 1, out);
}

/* Compares every `each`-th result. */
static void check_case(const moving_case *c, const test_context *with, size_t each)
{
    size_t const size = ordo_type_size(c->out_type);
    char *const  out = test_need(c->n * size + 1);
    testkit_case("%s %s to %s n=%zu window=%zu center=%u nans=%u ties=%u method=%u periods=%zu "
                 "threads=%u %s",
                 op_names[c->op], ordo_type_name(c->type), ordo_type_name(c->out_type), c->n,
                 c->window, c->opts.center, c->opts.nans, c->opts.ties, c->opts.method,
                 c->opts.min_periods, with->threads, with->isa);
    CHECK_STATUS(
        ORDO_OK,
        ordo_moving(with->ctx, c->op, c->type, c->in, c->n, c->window, c->out_type, out, &c->opts),
        with->ctx);
    for (size_t i = 0; i < c->n; i += each) {
        uint64_t right = 0;
        expect(c, i, &right);
        if (!CHECK_BYTES(&right, out + i * size, size, size))
            break;
    }
    free(out);
}

/* ---- Cases ---- */

static ordo_moving_opts random_opts(test_rng *rng, ordo_moving_op op, ordo_type out_type,
                                    size_t window)
{
    static double const some[] = {0, 0.1, 0.25, 0.5, 0.9, 1};
    ordo_moving_opts    opts = ORDO_OPTS(ordo_moving_opts, .nans = (uint32_t)test_rng_below(rng, 3),
                                         .center = (uint32_t)test_rng_below(rng, 2));
    if (oracle_is_float(out_type) && test_rng_below(rng, 3) > 0)
        opts.min_periods = 1 + test_rng_below(rng, window);
    if (op == ORDO_MOVING_QUANTILE) {
        opts.q = some[test_rng_below(rng, 6)];
        opts.method = (uint32_t)test_rng_below(rng, ORDO_METHODS + 1);
    }
    if (op == ORDO_MOVING_RANK) {
        opts.ties = (uint32_t)test_rng_below(rng, ORDO_TIES_RULES);
        opts.flags = test_rng_below(rng, 2) != 0 ? ORDO_DESCENDING : 0;
    }
    return opts;
}

static void test_windows(void)
{
    static size_t const windows[] = {1, 2, 3, 8, 31, 100, 5000};
    test_rng            rng = {7};
    uint64_t           *in = test_keep(200 * sizeof *in);
    size_t              shape = 0;
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (int op = 1; op <= OPS; op++)
            for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
                moving_case c = {.op = (ordo_moving_op)op,
                                 .type = inputs_types[t],
                                 .out_type = ORDO_F64,
                                 .in = in,
                                 .n = 1 + test_rng_below(&rng, 150),
                                 .window = windows[w]};
                if (op >= ORDO_MOVING_MIN && test_rng_below(&rng, 2) == 0)
                    c.out_type = c.type;
                c.opts = random_opts(&rng, c.op, c.out_type, c.window);
                inputs_fill(shape++ % inputs_count(), c.type, in, c.n, test_rng_next(&rng));
                check_case(&c, next_context(), 1);
            }
}

/* NaNs, infinities, both zeros and ties, by every rule. */
static void test_specials(void)
{
    static double const some[] = {NAN, 0.0, -0.0, INFINITY, -INFINITY, 1, 2, -1, NAN};
    double              in[60];
    test_rng            rng = {11};
    for (size_t i = 0; i < 60; i++)
        in[i] = some[test_rng_below(&rng, 9)];
    for (int op = 1; op <= OPS; op++)
        for (unsigned nans = 0; nans <= ORDO_NANS_PROPAGATE; nans++)
            for (unsigned round = 0; round < 6; round++) {
                moving_case c = {.op = (ordo_moving_op)op,
                                 .type = ORDO_F64,
                                 .out_type = ORDO_F64,
                                 .in = in,
                                 .n = 60,
                                 .window = 1 + test_rng_below(&rng, 9)};
                c.opts = random_opts(&rng, c.op, c.out_type, c.window);
                c.opts.nans = nans;
                check_case(&c, next_context(), 1);
            }
}

/* Several chunks of the library as shipped; all threads and ISAs give the same bytes. */
static void test_chunks(void)
{
    static ordo_type const types[] = {ORDO_F64, ORDO_I32, ORDO_U8};
    test_rng               rng = {3};
    uint64_t              *in = test_keep(MOST * sizeof *in);
    double                *first = test_keep(MOST * sizeof *first);
    double                *out = test_keep(MOST * sizeof *out);
    for (size_t t = 0; t < 3; t++)
        for (int op = 1; op <= OPS; op++) {
            moving_case c = {.op = (ordo_moving_op)op,
                             .type = types[t],
                             .out_type = ORDO_F64,
                             .in = in,
                             .n = MOST - 5,
                             .window = t == 1 ? 700 : 60};
            inputs_fill((size_t)op + t, c.type, in, c.n, test_rng_next(&rng));
            c.opts = random_opts(&rng, c.op, c.out_type, c.window);
            check_case(&c, &contexts[0], 211);
            for (size_t i = 0; i < context_count; i++) {
                testkit_case("chunks %s %s context %zu", op_names[op], ordo_type_name(c.type), i);
                CHECK_STATUS(ORDO_OK,
                             ordo_moving(contexts[i].ctx, c.op, c.type, in, c.n, c.window, ORDO_F64,
                                         i == 0 ? first : out, &c.opts),
                             contexts[i].ctx);
                if (i > 0)
                    CHECK_BYTES(first, out, c.n * sizeof *out, sizeof *out);
            }
        }
}

/* Each segment as a separate call: rows, columns and offsets. */
static void test_segments(void)
{
    enum {
        ROWS = 12,
        COLUMNS = 17
    };
    float               in[ROWS * COLUMNS], one[COLUMNS];
    double              all[ROWS * COLUMNS], alone[COLUMNS];
    ordo_segments const rows = {.struct_size = sizeof rows, .count = ROWS, .length = COLUMNS};
    ordo_segments const columns = {.struct_size = sizeof columns,
                                   .count = COLUMNS,
                                   .length = ROWS,
                                   .stride = 1,
                                   .step = COLUMNS};
    uint64_t const      ends[] = {0, 0, 5, 100, ROWS * COLUMNS};
    ordo_segments const parts = {.struct_size = sizeof parts, .count = 4, .offsets = ends};
    inputs_fill(inputs_find("some NaNs"), ORDO_F32, in, ROWS * COLUMNS, 5);
    for (int op = 1; op <= OPS; op++) {
        ordo_ctx *const  ctx = next_context()->ctx;
        ordo_moving_opts opts = ORDO_OPTS(ordo_moving_opts, .min_periods = 2, .segments = &rows);
        testkit_case("segments %s", op_names[op]);
        CHECK_STATUS(ORDO_OK,
                     ordo_moving(ctx, (ordo_moving_op)op, ORDO_F32, in, ROWS * COLUMNS, 4, ORDO_F64,
                                 all, &opts),
                     ctx);
        opts.segments = NULL;
        for (size_t r = 0; r < ROWS; r++) {
            CHECK_STATUS(ORDO_OK,
                         ordo_moving(ctx, (ordo_moving_op)op, ORDO_F32, in + r * COLUMNS, COLUMNS,
                                     4, ORDO_F64, alone, &opts),
                         ctx);
            CHECK_BYTES(alone, all + r * COLUMNS, sizeof alone, sizeof *alone);
        }
        opts.segments = &columns;
        CHECK_STATUS(ORDO_OK,
                     ordo_moving(ctx, (ordo_moving_op)op, ORDO_F32, in, ROWS * COLUMNS, 4, ORDO_F64,
                                 all, &opts),
                     ctx);
        opts.segments = NULL;
        for (size_t r = 0; r < ROWS; r++)
            one[r] = in[r * COLUMNS + 3];
        CHECK_STATUS(
            ORDO_OK,
            ordo_moving(ctx, (ordo_moving_op)op, ORDO_F32, one, ROWS, 4, ORDO_F64, alone, &opts),
            ctx);
        for (size_t r = 0; r < ROWS; r++)
            CHECK_BYTES(&alone[r], &all[r * COLUMNS + 3], sizeof *all, sizeof *all);
        opts.segments = &parts;
        CHECK_STATUS(ORDO_OK,
                     ordo_moving(ctx, (ordo_moving_op)op, ORDO_F32, in, ROWS * COLUMNS, 4, ORDO_F64,
                                 all, &opts),
                     ctx);
        opts.segments = NULL;
        CHECK_STATUS(
            ORDO_OK,
            ordo_moving(ctx, (ordo_moving_op)op, ORDO_F32, in, 5, 4, ORDO_F64, alone, &opts), ctx);
        CHECK_BYTES(alone, all, 5 * sizeof *alone, sizeof *alone);
    }
}

/* opts.first: windows of different lengths, of one element, of all; several chunks. */
static void fill_first(size_t *first, size_t n, size_t window, test_rng *rng)
{
    for (size_t i = 0, at = 0; i < n; i++) {
        size_t const least = i >= window ? i + 1 - window : 0;
        at = at > least ? at : least;
        if (test_rng_below(rng, 3) == 0)
            at += test_rng_below(rng, i - at + 1);
        first[i] = at;
    }
}

static void test_first(void)
{
    static size_t const windows[] = {1, 2, 31, 700};
    size_t *const       first = test_keep(MOST * sizeof *first);
    uint64_t *const     in = test_keep(MOST * sizeof *in);
    test_rng            rng = {13};
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (int op = ORDO_MOVING_MEDIAN; op <= ORDO_MOVING_RANK; op++)
            for (size_t w = 0; w < 4; w++) {
                moving_case c = {.op = (ordo_moving_op)op,
                                 .type = inputs_types[t],
                                 .out_type = ORDO_F64,
                                 .in = in,
                                 .n = windows[w] > 100 ? 1500 : 90,
                                 .window = windows[w]};
                c.opts = random_opts(&rng, c.op, c.out_type, c.window);
                c.opts.center = 0;
                c.opts.first = first;
                fill_first(first, c.n, c.window, &rng);
                inputs_fill(t + w, c.type, in, c.n, test_rng_next(&rng));
                check_case(&c, next_context(), windows[w] > 100 ? 37 : 1);
            }
}

static void test_first_segments(void)
{
    enum {
        N = 60
    };
    static uint64_t const ends[] = {0, 7, 7, 40, N};
    ordo_segments const   parts = {.struct_size = sizeof parts, .count = 4, .offsets = ends};
    size_t                first[N];
    float                 in[N];
    double                all[N], alone[N];
    test_rng              rng = {17};
    ordo_ctx *const       ctx = next_context()->ctx;
    testkit_case("first, segments");
    inputs_fill(inputs_find("some NaNs"), ORDO_F32, in, N, 5);
    for (size_t s = 0; s < 4; s++)
        fill_first(first + ends[s], ends[s + 1] - ends[s], 9, &rng);
    ordo_moving_opts opts =
        ORDO_OPTS(ordo_moving_opts, .min_periods = 1, .first = first, .segments = &parts);
    CHECK_STATUS(ORDO_OK,
                 ordo_moving(ctx, ORDO_MOVING_MEDIAN, ORDO_F32, in, N, 9, ORDO_F64, all, &opts),
                 ctx);
    opts.segments = NULL;
    for (size_t s = 0; s < 4; s++) {
        opts.first = first + ends[s];
        CHECK_STATUS(ORDO_OK,
                     ordo_moving(ctx, ORDO_MOVING_MEDIAN, ORDO_F32, in + ends[s],
                                 ends[s + 1] - ends[s], 9, ORDO_F64, alone + ends[s], &opts),
                     ctx);
    }
    CHECK_BYTES(alone, all, sizeof all, sizeof *all);
}

static void refuse_first(ordo_ctx *ctx, ordo_moving_op op, size_t window, const size_t *first,
                         uint32_t center)
{
    float const in[4] = {1, 2, 3, 4};
    double      out[4];
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_moving(ctx, op, ORDO_F32, in, 4, window, ORDO_F64, out,
                             &ORDO_OPTS(ordo_moving_opts, .first = first, .center = center)),
                 ctx);
}

static void test_first_refusals(void)
{
    static size_t const good[] = {0, 0, 1, 2}, late[] = {0, 2, 2, 2}, falls[] = {0, 1, 0, 2};
    ordo_ctx *const     ctx = next_context()->ctx;
    testkit_case("first, refusals");
    refuse_first(ctx, ORDO_MOVING_MIN, 4, good, 0);
    refuse_first(ctx, ORDO_MOVING_MAX, 4, good, 0);
    refuse_first(ctx, ORDO_MOVING_MEDIAN, 4, good, 1);
    refuse_first(ctx, ORDO_MOVING_MEDIAN, 4, late, 0);
    refuse_first(ctx, ORDO_MOVING_MEDIAN, 4, falls, 0);
    refuse_first(ctx, ORDO_MOVING_RANK, 1, good, 0); /* a longer window */
}

/* ---- Limits ---- */

static void test_limits(void)
{
    static size_t const limits[] = {1, 2000, 20000, 40000, 80000, 200000, 400000, 0};
    float              *in = test_keep(MOST * sizeof *in);
    double             *out = test_keep(MOST * sizeof *out);
    bool                worked = false;
    inputs_fill(inputs_find("some NaNs"), ORDO_F32, in, MOST, 9);
    for (int op = 1; op <= OPS; op++)
        for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
            ordo_ctx *const ctx = CONTEXT(.threads = 2, .mem_limit = limits[l]);
            size_t          enough = 0;
            testkit_case("limit %zu %s", limits[l], op_names[op]);
            CHECK_STATUS(ORDO_OK,
                         ordo_moving_scratch(ctx, (ordo_moving_op)op, ORDO_F32, MOST, 50, ORDO_F64,
                                             NULL, &enough),
                         ctx);
            worked |= test_check_limited(
                ctx,
                ordo_moving(ctx, (ordo_moving_op)op, ORDO_F32, in, MOST, 50, ORDO_F64, out, NULL),
                "moving", limits[l], enough);
            ordo_ctx_free(ctx);
        }
    CHECK(worked);
}

#define REFUSED(status, op, type, in, n, window, out_type, out, ...)                               \
    CHECK_STATUS(status,                                                                           \
                 ordo_moving(ctx, (ordo_moving_op)(op), type, in, n, window, out_type, out,        \
                             &ORDO_OPTS(ordo_moving_opts, __VA_ARGS__)),                           \
                 ctx)

static void test_refusals(void)
{
    ordo_ctx *const ctx = contexts[0].ctx;
    int32_t         in[4] = {3, 1, 2, 5}, small[4];
    double          out[4];
    testkit_case("refusals");
    REFUSED(ORDO_E_ARG, 0, ORDO_I32, in, 4, 2, ORDO_F64, out, .q = 0);
    REFUSED(ORDO_E_ARG, 6, ORDO_I32, in, 4, 2, ORDO_F64, out, .q = 0);
    REFUSED(ORDO_E_ARG, ORDO_MOVING_MEDIAN, ORDO_I32, in, 4, 0, ORDO_F64, out, .q = 0);
    REFUSED(ORDO_E_ARG, ORDO_MOVING_MEDIAN, ORDO_I32, in, 4, 2, ORDO_I32, small, .q = 0);
    REFUSED(ORDO_E_ARG, ORDO_MOVING_MEDIAN, ORDO_I32, in, 4, 2, ORDO_F64, out, .min_periods = 3);
    REFUSED(ORDO_E_ARG, ORDO_MOVING_MIN, ORDO_I32, in, 4, 2, ORDO_I32, small, .min_periods = 2);
    REFUSED(ORDO_E_ARG, ORDO_MOVING_MIN, ORDO_I32, in, 4, 2, ORDO_U32, small, .q = 0);
    REFUSED(ORDO_E_ARG, ORDO_MOVING_MEDIAN, ORDO_I32, in, 4, 2, ORDO_F64, out, .q = 0.5);
    REFUSED(ORDO_E_ARG, ORDO_MOVING_QUANTILE, ORDO_I32, in, 4, 2, ORDO_F64, out, .q = 1.5);
    REFUSED(ORDO_E_ARG, ORDO_MOVING_QUANTILE, ORDO_I32, in, 4, 2, ORDO_F64, out, .q = NAN);
    REFUSED(ORDO_E_ARG, ORDO_MOVING_MAX, ORDO_I32, in, 4, 2, ORDO_F64, out, .ties = 1);
    REFUSED(ORDO_E_ARG, ORDO_MOVING_RANK, ORDO_I32, in, 4, 2, ORDO_F64, out, .ties = 9);
    REFUSED(ORDO_E_ARG, ORDO_MOVING_RANK, ORDO_I32, in, 4, 2, ORDO_F64, out, .nans = 9);
    REFUSED(ORDO_E_ARG, ORDO_MOVING_RANK, ORDO_I32, in, 4, 2, ORDO_F64, out, .method = 2);
    REFUSED(ORDO_E_ARG, ORDO_MOVING_MIN, ORDO_I32, in, 4, 2, ORDO_F64, out,
            .flags = ORDO_DESCENDING);
    CHECK(ordo_moving(ctx, ORDO_MOVING_MIN, ORDO_I32, in, 4, 2, ORDO_F64, out,
                      &ORDO_OPTS(ordo_moving_opts, .flags = ORDO_ON_DEVICE)) != ORDO_OK);
    REFUSED(ORDO_E_ARG, ORDO_MOVING_MIN, ORDO_I32, in, 4, 2, ORDO_I32, in, .q = 0);
    REFUSED(ORDO_E_ARG, ORDO_MOVING_MIN, ORDO_I32, NULL, 4, 2, ORDO_F64, out, .q = 0);
    REFUSED(ORDO_OK, ORDO_MOVING_MIN, ORDO_I32, NULL, 0, 2, ORDO_F64, NULL, .q = 0);
    REFUSED(ORDO_OK, ORDO_MOVING_RANK, ORDO_I32, NULL, 0, 2, ORDO_F64, NULL, .q = 0);
}

int main(void)
{
    testkit_start();
    test_contexts_start();
    reference = test_context_make(1);
    test_windows();
    test_specials();
    test_chunks();
    test_segments();
    test_first();
    test_first_segments();
    test_first_refusals();
    test_limits();
    test_refusals();
    ordo_ctx_free(reference);
    return testkit_done();
}
