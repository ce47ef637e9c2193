/* test_fpmode.c - results do not depend on the caller's floating-point mode.
 *
 * Every verb of f32 or f64 keys runs in every mode: subnormals flushed to zero, each rounding,
 * both. The bytes must equal those of the default mode, for every ISA and thread count, and the
 * caller's mode and exception flags must not change. Many keys are subnormals, zeros, infinities
 * and NaNs. */
#include "fpkit.h"
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LARGE = 30011,
    SPARE = 4, /* results of a selection, which may be more than the keys */
    QUANTILES = 9
};

/* The calls of one mode. The results of the default mode are kept and compared with the others. */
typedef struct trial {
    const fp_mode *mode;
    ordo_ctx      *ctx;
    ordo_type      type;
    size_t         n, size;
    const void    *mixed, *finite, *falling, *sorted, *rough; /* n keys each */
    void          *out, *values;
    unsigned char *kept;
    size_t         kept_bytes, kept_capacity;
    bool           compares;
} trial;

/* Keeps or compares the results of the last call: `count` items of `size` bytes at p. */
static void results(trial *t, const void *p, size_t count, size_t size)
{
    size_t const bytes = count * size;
    if (t->compares) {
        CHECK_BYTES(t->kept + t->kept_bytes, p, bytes, size);
    } else {
        if (t->kept_bytes + bytes > t->kept_capacity) {
            t->kept_capacity = 2 * (t->kept_bytes + bytes);
            t->kept = realloc(t->kept, t->kept_capacity);
            if (t->kept == NULL)
                abort();
        }
        if (bytes > 0)
            memcpy(t->kept + t->kept_bytes, p, bytes);
    }
    t->kept_bytes += bytes;
}

/* Makes the call in the mode of the trial. Everything else runs in the default mode. */
#define IN_MODE(t, call)                                                                           \
    do {                                                                                           \
        fp_state const    before_ = fp_enter((t)->mode);                                           \
        ordo_status const status_ = (call);                                                        \
        fp_state const    after_ = fp_leave();                                                     \
        CHECK_STATUS(ORDO_OK, status_, (t)->ctx);                                                  \
        CHECK_EQ_U64(before_.mode, after_.mode);                                                   \
        CHECK_EQ_U64(before_.flags, after_.flags);                                                 \
    } while (0)

/* ---- Keys ---- */

/* A float composed of sign, exponent and fraction. */
static uint64_t special(ordo_type type, test_rng *rng, bool finite)
{
    unsigned const width = type == ORDO_F32 ? 32 : 64, fraction = type == ORDO_F32 ? 23 : 52;
    uint64_t const sign = test_rng_below(rng, 2) << (width - 1);
    uint64_t const below = (UINT64_C(1) << fraction) - 1;
    uint64_t const infinity = (UINT64_C(1) << (width - 1 - fraction)) - 1;
    uint64_t const middle = infinity / 2 - 8 + test_rng_below(rng, 16);
    switch (test_rng_below(rng, finite ? 5 : 7)) {
    case 0:
        return sign; /* a zero */
    case 1:
        return sign | (1 + test_rng_below(rng, 4)); /* the smallest subnormals, with ties */
    case 2:
        return sign | (test_rng_next(rng) & below);
    case 3:
        return sign | UINT64_C(1) << fraction; /* the smallest normal number */
    case 4:
        return sign | middle << fraction | (test_rng_next(rng) & below);
    case 5:
        return sign | infinity << fraction;
    default:
        return sign | infinity << fraction | (1 + test_rng_below(rng, below));
    }
}

static void fill(trial *t, void *mixed, void *finite, void *falling, void *sorted, void *rough,
                 uint64_t seed)
{
    test_rng rng = {seed};
    for (size_t i = 0; i < t->n; i++) {
        oracle_put_bits(t->type, mixed, i, special(t->type, &rng, false));
        oracle_put_bits(t->type, finite, i, special(t->type, &rng, true));
        oracle_put_bits(t->type, falling, i, t->n - i); /* subnormal */
    }
    memcpy(sorted, mixed, t->n * t->size);
    inputs_sort(t->type, sorted, t->n, false);
    memcpy(rough, sorted, t->n * t->size);
    for (size_t i = 0; i + 5 < t->n; i += 5) { /* exchanges keys at a distance of 3 */
        unsigned char spare[8];
        memcpy(spare, (char *)rough + i * t->size, t->size);
        memcpy((char *)rough + i * t->size, (char *)rough + (i + 3) * t->size, t->size);
        memcpy((char *)rough + (i + 3) * t->size, spare, t->size);
    }
    t->mixed = mixed;
    t->finite = finite;
    t->falling = falling;
    t->sorted = sorted;
    t->rough = rough;
}

/* ---- Verbs ---- */

static void sorts(trial *t)
{
    const void *const from[] = {t->mixed, t->falling, t->sorted, t->rough};
    for (size_t a = 0; a < INPUTS_SORTS; a++)
        for (size_t i = 0; i < 4; i++)
            for (unsigned d = 0; d < 2; d++) {
                if (inputs_sorts[a] == ORDO_ALGORITHM_BUBBLE && t->n > 100)
                    continue;
                testkit_case("sort %s input %zu desc=%u %s n=%zu in mode %s",
                             inputs_sort_name(inputs_sorts[a]), i, d, ordo_type_name(t->type), t->n,
                             t->mode->name);
                memcpy(t->out, from[i], t->n * t->size);
                IN_MODE(t, ordo_sort(t->ctx, t->type, t->out, t->n,
                                     &ORDO_OPTS(ordo_sort_opts, .flags = d ? ORDO_DESCENDING : 0,
                                                .algorithm = (uint32_t)inputs_sorts[a])));
                results(t, t->out, t->n, t->size);
            }
}

static void pairs_and_argsorts(trial *t)
{
    static const ordo_algorithm of[] = {ORDO_ALGORITHM_AUTO, ORDO_ALGORITHM_RADIX,
                                        ORDO_ALGORITHM_SAMPLE, ORDO_ALGORITHM_MERGE};
    const void *const           from[] = {t->mixed, t->falling, t->sorted};
    for (size_t i = 0; i < 3; i++)
        for (size_t a = 0; a < sizeof of / sizeof *of; a++) {
            ordo_sort_opts const opts = ORDO_OPTS(
                ordo_sort_opts, .flags = a % 2 ? ORDO_DESCENDING : 0, .algorithm = (uint32_t)of[a]);
            testkit_case("pairs and argsort %zu input %zu %s n=%zu in mode %s", a, i,
                         ordo_type_name(t->type), t->n, t->mode->name);
            memcpy(t->out, from[i], t->n * t->size);
            for (size_t j = 0; j < t->n; j++)
                ((uint32_t *)t->values)[j] = (uint32_t)j;
            IN_MODE(t, ordo_sort_pairs(t->ctx, t->type, t->out, t->n, t->values, 4, &opts));
            results(t, t->out, t->n, t->size);
            results(t, t->values, t->n, 4);
            IN_MODE(t, ordo_argsort(t->ctx, t->type, from[i], t->n, ORDO_U32, t->values, &opts));
            results(t, t->values, t->n, 4);
        }
}

static void ranks(trial *t)
{
    static const ordo_algorithm of[] = {ORDO_ALGORITHM_AUTO, ORDO_ALGORITHM_SEQUENTIAL,
                                        ORDO_ALGORITHM_THREADS};
    for (unsigned ties = ORDO_TIES_MIN; ties < ORDO_TIES_RULES; ties++)
        for (unsigned as = 0; as < 2; as++) {
            bool const      wide = as != 0 || ties == ORDO_TIES_AVERAGE;
            ordo_type const rank_type = wide ? ORDO_F64 : ORDO_U32;
            testkit_case("rank ties=%u %s n=%zu in mode %s", ties, ordo_type_name(t->type), t->n,
                         t->mode->name);
            IN_MODE(t, ordo_rank(t->ctx, t->type, t->mixed, t->n, rank_type, t->out,
                                 &ORDO_OPTS(ordo_rank_opts, .ties = ties,
                                            .flags = as ? ORDO_DESCENDING : 0)));
            results(t, t->out, t->n, ordo_type_size(rank_type));
            for (size_t a = 0; a < sizeof of / sizeof *of; a++) {
                IN_MODE(t, ordo_rank_sorted(t->ctx, t->type, t->sorted, t->n, rank_type, t->out,
                                            &ORDO_OPTS(ordo_rank_opts, .ties = ties,
                                                       .algorithm = (uint32_t)of[a],
                                                       .flags = ORDO_CHECK)));
                results(t, t->out, t->n, ordo_type_size(rank_type));
            }
        }
}

static void selections(trial *t)
{
    static const ordo_algorithm of[] = {ORDO_ALGORITHM_AUTO, ORDO_ALGORITHM_RADIX,
                                        ORDO_ALGORITHM_BITONIC};
    static const double         q[QUANTILES] = {0, 0.001, 0.1, 1 / 3.0, 0.5, 0.625, 0.77, 0.999, 1};
    size_t const                k[] = {0, t->n / 3, t->n / 2, t->n - 1};
    size_t                      found = 0;
    double                      out[QUANTILES];
    for (size_t a = 0; a < 3; a++)
        for (unsigned d = 0; d < 2; d++) {
            ordo_select_opts const opts = ORDO_OPTS(
                ordo_select_opts, .flags = d ? ORDO_DESCENDING : 0, .algorithm = (uint32_t)of[a]);
            testkit_case("select %zu %s n=%zu in mode %s", a, ordo_type_name(t->type), t->n,
                         t->mode->name);
            IN_MODE(t, ordo_select(t->ctx, t->type, t->mixed, t->n, k, 4, t->out, &opts));
            results(t, t->out, 4, t->size);
            if (a > 0)
                continue;
            IN_MODE(t, ordo_topk(t->ctx, t->type, t->mixed, t->n, t->n / 3, t->out, ORDO_U32,
                                 t->values, &found, &opts));
            results(t, t->out, found, t->size);
            results(t, t->values, found, 4);
        }
    for (uint32_t m = 1; m <= ORDO_METHODS; m++) {
        ordo_quantile_opts const opts =
            ORDO_OPTS(ordo_quantile_opts, .method = m, .nans = ORDO_NANS_OMIT);
        testkit_case("quantiles %s %s n=%zu in mode %s", ordo_method_name((ordo_method)m),
                     ordo_type_name(t->type), t->n, t->mode->name);
        IN_MODE(t, ordo_quantiles(t->ctx, t->type, t->mixed, t->n, q, QUANTILES, out, &opts));
        results(t, out, QUANTILES, sizeof *out);
        IN_MODE(t, ordo_quantiles(t->ctx, t->type, t->finite, t->n, q, QUANTILES, out, &opts));
        results(t, out, QUANTILES, sizeof *out);
    }
    IN_MODE(t, ordo_median(t->ctx, t->type, t->falling, t->n, out, NULL));
    results(t, out, 1, sizeof *out);
}

static void scans(trial *t)
{
    for (ordo_op op = ORDO_SUM; op <= ORDO_PRODUCT; op++)
        for (unsigned e = 0; e < 2; e++)
            for (unsigned from = 0; from < 3; from++) {
                const void *const    in = from == 0 ? t->mixed : from == 1 ? t->finite : t->falling;
                ordo_scan_opts const opts =
                    ORDO_OPTS(ordo_scan_opts, .flags = e ? ORDO_EXCLUSIVE : 0);
                testkit_case("scan %d exclusive=%u input %u %s n=%zu in mode %s", (int)op, e, from,
                             ordo_type_name(t->type), t->n, t->mode->name);
                IN_MODE(t, ordo_scan(t->ctx, op, t->type, in, t->n, t->type, t->out, &opts));
                results(t, t->out, t->n, t->size);
                if ((op != ORDO_SUM && op != ORDO_PRODUCT) || t->type != ORDO_F32)
                    continue;
                IN_MODE(t, ordo_scan(t->ctx, op, t->type, in, t->n, ORDO_F64, t->out, &opts));
                results(t, t->out, t->n, sizeof(double));
            }
}

static void measures(trial *t)
{
    const void *const from[] = {t->mixed, t->falling, t->sorted, t->rough};
    for (size_t i = 0; i < 4; i++)
        for (unsigned d = 0; d < 2; d++) {
            ordo_order_opts const opts =
                ORDO_OPTS(ordo_order_opts, .flags = d ? ORDO_DESCENDING : 0);
            size_t found[3];
            int    sorted;
            testkit_case("measures of input %zu desc=%u %s n=%zu in mode %s", i, d,
                         ordo_type_name(t->type), t->n, t->mode->name);
            IN_MODE(t, ordo_is_sorted(t->ctx, t->type, from[i], t->n, &sorted, &found[0], &opts));
            IN_MODE(t, ordo_radius(t->ctx, t->type, from[i], t->n, &found[1], &opts));
            IN_MODE(t, ordo_runs(t->ctx, t->type, from[i], t->n, &found[2], &opts));
            results(t, found, 3, sizeof *found);
            results(t, &sorted, 1, sizeof sorted);
        }
}

static void generators(trial *t)
{
    for (ordo_dist dist = ORDO_DIST_UNIFORM; dist <= ORDO_DIST_BUCKET; dist++) {
        ordo_gen_opts const opts = ORDO_OPTS(ordo_gen_opts, .seed = 7, .p = 0.3,
                                             .k = dist == ORDO_DIST_KSORTED ? t->n / 8 : 0);
        testkit_case("gen %d %s n=%zu in mode %s", (int)dist, ordo_type_name(t->type), t->n,
                     t->mode->name);
        IN_MODE(t, ordo_gen(t->ctx, dist, t->type, t->out, t->n, &opts));
        results(t, t->out, t->n, t->size);
    }
}

static void every_verb(trial *t)
{
    t->kept_bytes = 0;
    sorts(t);
    pairs_and_argsorts(t);
    ranks(t);
    selections(t);
    scans(t);
    measures(t);
    generators(t);
}

/* The default mode in the first context, then every mode with every ISA and with one and three
 * threads. Large arrays, which take long, test every fifth of these. */
static void test_modes(ordo_type type, size_t n)
{
    trial t = {.mode = &fp_modes[0], .ctx = contexts[0].ctx, .type = type, .n = n};
    void *arrays[5];
    t.size = ordo_type_size(type);
    for (size_t i = 0; i < 5; i++)
        arrays[i] = test_keep(n * t.size);
    t.out = test_keep((n + SPARE) * sizeof(double));
    t.values = test_keep((n + SPARE) * sizeof(double));
    fill(&t, arrays[0], arrays[1], arrays[2], arrays[3], arrays[4], n);
    every_verb(&t);
    size_t const expected = t.kept_bytes;
    size_t       turn = 0;
    t.compares = true;
    for (size_t m = 0; m < FP_MODES; m++) {
        if (!fp_works(&fp_modes[m]))
            continue;
        for (size_t c = 0; c < context_count; c++) {
            if (contexts[c].threads != 1 && contexts[c].threads != 3)
                continue;
            if (n == LARGE && turn++ % (TESTKIT_SANITIZED ? 23 : 5) != 0)
                continue;
            t.mode = &fp_modes[m];
            t.ctx = contexts[c].ctx;
            every_verb(&t);
            CHECK_EQ_U64(expected, t.kept_bytes);
        }
    }
    free(t.kept);
}

/* ---- The caller's mode ---- */

typedef struct watch {
    fp_state seen;
    unsigned calls;
} watch;

static int see_mode(void *user, double done)
{
    watch *const w = user;
    (void)done;
    w->seen = fp_now();
    w->calls++;
    return 1; /* cancels */
}

/* The progress callback belongs to the caller and runs in the caller's mode. */
static void test_callback(void)
{
    enum {
        N = 20000 /* bubble sort takes far longer than the pause between two callbacks */
    };
    watch           w = {.calls = 0};
    ordo_ctx *const ctx =
        CONTEXT(.where = ORDO_CPU, .threads = 1, .progress = see_mode, .progress_user = &w);
    float *const keys = test_keep(N * sizeof *keys);
    testkit_case("progress callback");
    for (size_t i = 0; i < N; i++)
        keys[i] = (float)(N - i);
    fp_state const    before = fp_enter(&fp_modes[FP_MODES - 1]);
    ordo_status const status = ordo_sort(
        ctx, ORDO_F32, keys, N, &ORDO_OPTS(ordo_sort_opts, .algorithm = ORDO_ALGORITHM_BUBBLE));
    fp_state const after = fp_leave();
    CHECK_STATUS(ORDO_E_CANCELLED, status, ctx);
    CHECK_EQ_U64(1, w.calls);
    CHECK_EQ_U64(before.mode, w.seen.mode);
    CHECK_EQ_U64(before.mode, after.mode);
    CHECK_EQ_U64(before.flags, after.flags);
    ordo_ctx_free(ctx);
}

/* Failed calls also restore the mode. */
static void test_failure(void)
{
    ordo_ctx *const ctx = contexts[0].ctx;
    double          q = 2, key = 1, out;
    size_t          bytes;
    testkit_case("failing calls");
    fp_state const before = fp_enter(&fp_modes[FP_MODES - 1]);
    ordo_status    status[3];
    status[0] = ordo_quantiles(ctx, ORDO_F64, &key, 1, &q, 1, &out, NULL);
    status[1] = ordo_sort(ctx, (ordo_type)99, &key, 1, NULL);
    status[2] = ordo_sort_scratch(ctx, ORDO_F64, SIZE_MAX, NULL, &bytes);
    fp_state const after = fp_leave();
    CHECK_STATUS(ORDO_E_ARG, status[0], ctx);
    CHECK_STATUS(ORDO_E_ARG, status[1], ctx);
    CHECK_STATUS(ORDO_E_ARG, status[2], ctx);
    CHECK_EQ_U64(before.mode, after.mode);
    CHECK_EQ_U64(before.flags, after.flags);
}

int main(void)
{
    testkit_start();
    fp_announce();
    test_contexts_start();
    for (size_t t = 0; t < 2; t++) {
        ordo_type const type = t == 0 ? ORDO_F32 : ORDO_F64;
        test_modes(type, 2);
        test_modes(type, 61);
        test_modes(type, 1500);
        test_modes(type, LARGE);
    }
    test_callback();
    test_failure();
    return testkit_done();
}
