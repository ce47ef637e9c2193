/* test_cuda_weights.c - weighted quantiles, medians and ranks of arrays and of segments on a GPU:
 * the bytes of the CPU, for all types of keys and weights, in the layouts of layouts.h. Then host
 * arrays in a context for the GPU, and weights that are refused. ORDO_TEST_SMALL=1 takes two types,
 * for compute-sanitizer; ORDO_TEST_SMALL=2 takes one type and one layout, for its race checker. */
#include "device.h"
#include "inputs.h"
#include "layouts.h"
#include "oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    Q = 4,
    FILL = 0xa5
};

static double const quantiles[Q] = {0.5, 0.02, 1, 1 / 3.0};
static char        *keys, *weights, *expected, *got;
static device_array d_offsets, d_keys, d_weights, d_out;
static long         small;

static bool is_float(ordo_type type) { return type == ORDO_F32 || type == ORDO_F64; }

/* Small weights and zeros; floats are fractions and some large numbers, so that sums round. */
static void fill_weights(ordo_type type, size_t n, uint64_t seed)
{
    test_rng rng = {seed};
    for (size_t i = 0; i < n; i++) {
        uint64_t const drawn = test_rng_below(&rng, 90);
        double const   real = drawn < 20 ? 0 : drawn == 89 ? 1e17 : (double)drawn / 7;
        if (type == ORDO_F32)
            ((float *)(void *)weights)[i] = (float)real;
        else if (type == ORDO_F64)
            ((double *)(void *)weights)[i] = real;
        else
            oracle_put_bits(type, weights, i, drawn < 20 ? 0 : drawn);
    }
}

typedef struct weights_case {
    ordo_type            type, weight_type;
    size_t               n;
    bool                 is_median, is_rank, desc;
    ordo_ties            ties;
    ordo_type            rank_type;
    uint32_t             method, nans;
    const ordo_segments *segments;
} weights_case;

static weights_case case_of(ordo_type type, ordo_type weight_type, size_t n, size_t turn)
{
    uint32_t const methods =
        is_float(weight_type) ? ORDO_METHOD_NORMAL_UNBIASED : ORDO_METHOD_NEAREST;
    bool const         is_median = turn % 5 == 0;
    weights_case const c = {
        .type = type,
        .weight_type = weight_type,
        .n = n,
        .is_median = is_median,
        .method = is_median ? 0 : (uint32_t)(turn % (methods + 1)),
        .nans = (uint32_t)(turn / 2 % 3),
    };
    return c;
}

static weights_case rank_case_of(ordo_type type, ordo_type weight_type, size_t n, size_t turn)
{
    static ordo_ties const rules[] = {ORDO_TIES_MIN, ORDO_TIES_MAX, ORDO_TIES_DENSE,
                                      ORDO_TIES_AVERAGE};
    static ordo_type const types[] = {ORDO_U32, ORDO_U64, ORDO_F64};
    weights_case           c = {.type = type, .weight_type = weight_type, .n = n, .is_rank = true};
    c.ties = rules[turn % 4];
    c.desc = turn / 4 % 2 == 1;
    bool const fractions = is_float(weight_type) && c.ties != ORDO_TIES_DENSE;
    c.rank_type = c.ties == ORDO_TIES_AVERAGE || fractions ? ORDO_F64 : types[turn / 3 % 3];
    return c;
}

static size_t results_of(const weights_case *c)
{
    return (c->is_median ? 1 : Q) * (c->segments == NULL ? 1 : c->segments->count);
}

static size_t result_bytes(const weights_case *c)
{
    return c->is_rank ? c->n * ordo_type_size(c->rank_type) : results_of(c) * sizeof(double);
}

static ordo_status call(const weights_case *c, ordo_ctx *ctx, bool there, double *out)
{
    ordo_quantile_opts const opts =
        ORDO_OPTS(ordo_quantile_opts, .method = c->method, .nans = c->nans,
                  .flags = there ? ORDO_ON_DEVICE : 0, .stream = there ? stream : NULL,
                  .segments = c->segments, .weights = there ? (void *)d_weights.data : weights,
                  .weight_type = (uint32_t)c->weight_type);
    ordo_rank_opts const rank =
        ORDO_OPTS(ordo_rank_opts, .flags = opts.flags | (c->desc ? ORDO_DESCENDING : 0),
                  .ties = (uint32_t)c->ties, .stream = opts.stream, .segments = c->segments,
                  .weights = opts.weights, .weight_type = opts.weight_type);
    const void *const in = there ? (void *)d_keys.data : keys;
    if (c->is_rank)
        return ordo_rank(ctx, c->type, in, c->n, c->rank_type, out, &rank);
    return c->is_median ? ordo_median(ctx, c->type, in, c->n, out, &opts)
                        : ordo_quantiles(ctx, c->type, in, c->n, quantiles, Q, out, &opts);
}

static void upload(const weights_case *c)
{
    size_t const size = ordo_type_size(c->type), weight_size = ordo_type_size(c->weight_type);
    size_t const bytes = result_bytes(c);
    device_place(&d_keys, c->n * size, size * (c->n % 3));
    device_place(&d_weights, c->n * weight_size, weight_size * (c->n % 5));
    device_place(&d_out, bytes, 8 * (bytes % 3));
    device_put(&d_keys, keys);
    device_put(&d_weights, weights);
    memset(got, FILL, bytes);
    device_put(&d_out, got);
    CUDA_CHECK(cudaDeviceSynchronize()); /* the uploads use another stream */
}

/* The results of one array go to the host, those of segments stay on the GPU. */
static void compare(weights_case *c, const ordo_segments *there)
{
    size_t const bytes = result_bytes(c);
    upload(c);
    memset(expected, FILL, bytes);
    CHECK_STATUS(ORDO_OK, call(c, cpu, false, (double *)(void *)expected), cpu);
    c->segments = there;
    if (there == NULL && !c->is_rank) {
        CHECK_STATUS(ORDO_OK, call(c, gpu, true, (double *)(void *)got), gpu);
    } else {
        CHECK_STATUS(ORDO_OK, call(c, gpu, true, (double *)(void *)d_out.data), gpu);
        CUDA_CHECK(cudaStreamSynchronize(stream));
        device_get(&d_out, got);
    }
    CHECK_BYTES(expected, got, bytes, c->rank_type == ORDO_U32 ? 4 : 8);
    CHECK(device_intact(&d_keys) && device_intact(&d_weights) && device_intact(&d_out));
}

static void test_layouts(void)
{
    layout       l;
    size_t       turn = 0;
    size_t const step = small > 1 ? INPUTS_TYPES : small == 1 ? 7 : 1;
    size_t const every = small > 1 ? 8 : 4; /* types of weights */
    for (size_t which = 0; layout_at(which, &l); which++)
        for (size_t t = 0; t < INPUTS_TYPES; t += step)
            for (size_t w = turn % 3; w < INPUTS_TYPES; w += every, turn++) {
                if (strcmp(l.name, "bad offsets") == 0 || (small > 1 && which != 0) ||
                    (small == 1 && which > 6))
                    continue;
                ordo_segments const there = layout_there(&l, &d_offsets);
                weights_case        c = case_of(inputs_types[t], inputs_types[w], l.n, turn);
                testkit_case("%s: %s, weights %s, method=%u nans=%u", l.name,
                             ordo_type_name(c.type), ordo_type_name(c.weight_type), c.method,
                             c.nans);
                inputs_fill(turn % inputs_count(), c.type, keys, c.n, turn);
                fill_weights(c.weight_type, c.n, turn + 1);
                c.segments = &l.segments;
                compare(&c, &there);
                if (l.overlaps)
                    continue;
                c = rank_case_of(inputs_types[t], inputs_types[w], l.n, turn);
                testkit_case("%s: ranks of %s, weights %s, ties=%d", l.name, ordo_type_name(c.type),
                             ordo_type_name(c.weight_type), (int)c.ties);
                c.segments = &l.segments;
                compare(&c, &there);
            }
}

static void test_arrays(void)
{
    static size_t const ns[] = {0, 1, 2, 31, 33, 1000, 8193, 70001};
    size_t              turn = 0;
    size_t const        step = small > 0 ? INPUTS_TYPES : 1;
    for (size_t t = 0; t < INPUTS_TYPES; t += step)
        for (size_t w = 0; w<INPUTS_TYPES; w += small> 1 ? 8 : 1, turn++) {
            size_t const n = ns[turn % (small > 0 ? 6 : 8)];
            weights_case c = case_of(inputs_types[t], inputs_types[w], n, turn);
            testkit_case("array n=%zu: %s, weights %s, method=%u nans=%u", n,
                         ordo_type_name(c.type), ordo_type_name(c.weight_type), c.method, c.nans);
            inputs_fill(turn % inputs_count(), c.type, keys, n, turn);
            fill_weights(c.weight_type, n, turn + 1);
            compare(&c, NULL);
            c = rank_case_of(inputs_types[t], inputs_types[w], n, turn);
            testkit_case("array n=%zu: ranks of %s, weights %s, ties=%d", n, ordo_type_name(c.type),
                         ordo_type_name(c.weight_type), (int)c.ties);
            compare(&c, NULL);
        }
}

static void test_host_arrays(void)
{
    ordo_segments const rows = ORDO_OPTS(ordo_segments, .count = 20, .length = 90, .stride = 100);
    for (size_t turn = 0; turn < 8; turn++) {
        ordo_type const weight_type = inputs_types[turn];
        weights_case    c = case_of(ORDO_F32, weight_type, 2000, turn);
        testkit_case("host arrays, turn %zu", turn);
        inputs_fill(turn % inputs_count(), c.type, keys, c.n, turn);
        fill_weights(weight_type, c.n, turn);
        c.segments = turn % 2 == 0 ? &rows : NULL;
        CHECK_STATUS(ORDO_OK, call(&c, cpu, false, (double *)(void *)expected), cpu);
        CHECK_STATUS(ORDO_OK, call(&c, gpu, false, (double *)(void *)got), gpu);
        CHECK_BYTES(expected, got, results_of(&c) * sizeof(double), sizeof(double));
        const ordo_segments *const segments = c.segments;
        c = rank_case_of(ORDO_F32, weight_type, 2000, turn);
        c.segments = segments;
        memset(expected, FILL, result_bytes(&c));
        memset(got, FILL, result_bytes(&c));
        CHECK_STATUS(ORDO_OK, call(&c, cpu, false, (double *)(void *)expected), cpu);
        CHECK_STATUS(ORDO_OK, call(&c, gpu, false, (double *)(void *)got), gpu);
        CHECK_BYTES(expected, got, result_bytes(&c), 4);
    }
}

/* Segments on a GPU have NaN; all other calls report an error. */
static void test_refusals(void)
{
    ordo_segments const rows = ORDO_OPTS(ordo_segments, .count = 10, .length = 100);
    static const double wrong[] = {-1, (double)NAN, (double)INFINITY};
    for (size_t turn = 0; turn < 3; turn++) {
        weights_case c = case_of(ORDO_U32, ORDO_F64, 1000, 0);
        size_t       nans = 0;
        testkit_case("refusal %zu", turn);
        inputs_fill(0, c.type, keys, c.n, turn);
        fill_weights(c.weight_type, c.n, turn);
        ((double *)(void *)weights)[305] = wrong[turn];
        c.segments = &rows;
        upload(&c);
        CHECK_STATUS(ORDO_E_ARG, call(&c, gpu, false, (double *)(void *)got), gpu);
        CHECK(strstr(ordo_last_error(gpu), "weights[5] is") != NULL);
        CHECK_STATUS(ORDO_OK, call(&c, gpu, true, (double *)(void *)d_out.data), gpu);
        CUDA_CHECK(cudaStreamSynchronize(stream));
        device_get(&d_out, got);
        for (size_t i = 0; i < rows.count; i++)
            nans += isnan(((const double *)(void *)got)[i]) != 0;
        CHECK_EQ_U64(1, nans);
        CHECK(isnan(((const double *)(void *)got)[3]));
        c.segments = NULL;
        CHECK_STATUS(ORDO_E_ARG, call(&c, gpu, true, (double *)(void *)got), gpu);
        CHECK_STATUS(ORDO_E_ARG, call(&c, gpu, false, (double *)(void *)got), gpu);
    }
}

static void test_large_sums(void)
{
    weights_case c = rank_case_of(ORDO_U32, ORDO_U64, 1000, 0);
    for (size_t turn = 0; turn < 2; turn++) {
        uint64_t const    large = turn == 0 ? UINT64_C(1) << 32 : UINT64_C(1) << 63;
        const char *const why = turn == 0 ? "need rank_type u64" : "2^63 or more";
        testkit_case("large sum %zu", turn);
        fill_weights(c.weight_type, c.n, 3);
        memcpy(weights, &large, sizeof large);
        CHECK_STATUS(ORDO_E_ARG, call(&c, gpu, false, (double *)(void *)got), gpu);
        CHECK(strstr(ordo_last_error(gpu), why) != NULL);
    }
}

int main(void)
{
    const char *const wish = getenv("ORDO_TEST_SMALL");
    size_t const      bytes = (size_t)LAYOUT_ELEMENTS * 8 + 64;
    device_start();
    small = wish != NULL ? strtol(wish, NULL, 10) : 0;
    keys = test_keep(bytes);
    weights = test_keep(bytes);
    expected = test_keep(bytes);
    got = test_keep(bytes);
    d_offsets = device_make(sizeof layout_offsets, 0);
    d_keys = device_make(bytes, 0);
    d_weights = device_make(bytes, 0);
    d_out = device_make(bytes, 0);
    test_layouts();
    test_arrays();
    test_host_arrays();
    test_refusals();
    test_large_sums();
    device_free(&d_offsets);
    device_free(&d_keys);
    device_free(&d_weights);
    device_free(&d_out);
    return device_done();
}
