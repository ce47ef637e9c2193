/* test_displaced.c - sorts of arrays with few keys out of place, against the oracle: single keys,
 * groups, a random head or tail, keys too large or too small for their place, with every type,
 * direction and thread count; also with too many such keys. AUTO must sort the usual cases without
 * the radix sort. */
#include "core/base.h"
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <string.h>

enum {
    SMALL = 3000,
    LARGE = 150001 /* several chunks */
};

enum shape {
    FEW,     /* single keys anywhere */
    GROUPS,  /* neighbours, moved together */
    HIGH,    /* groups of keys too large */
    LOW,     /* groups of keys too small */
    TAIL,    /* unsorted keys after sorted ones */
    HEAD,    /* unsorted keys before sorted ones */
    BORDERS, /* as FEW, with other random numbers */
    SHAPES
};

static guard_region  region;
static unsigned char sorted[LARGE * 8], expected[LARGE * 8];

/* Copies sorted key `from` to place `to`. */
static void copy_key(unsigned char *keys, size_t size, size_t from, size_t to)
{
    memcpy(keys + to * size, sorted + from * size, size);
}

/* Puts up to `count` keys of keys[0 .. n) out of place. */
static void displace(test_rng *rng, enum shape shape, unsigned char *keys, size_t size, size_t n,
                     size_t count)
{
    size_t const run = 1 + test_rng_below(rng, 20);
    for (size_t i = 0; i < count; i++) {
        size_t const at = test_rng_below(rng, n), any = test_rng_below(rng, n);
        switch (shape) {
        case TAIL:
            copy_key(keys, size, any, n - 1 - i);
            break;
        case HEAD:
            copy_key(keys, size, any, i);
            break;
        case FEW:
        case BORDERS:
            copy_key(keys, size, any, at);
            copy_key(keys, size, at, any);
            break;
        default:
            for (size_t j = 0; j < run && at + j < n; j++, i++)
                copy_key(keys, size,
                         shape == HIGH  ? n - 1 - j
                         : shape == LOW ? j
                                        : (any + j) % n,
                         at + j);
        }
    }
}

static const char *sort_with(const test_context *with, ordo_type type, void *keys, size_t n,
                             bool desc)
{
    CHECK_STATUS(ORDO_OK,
                 ordo_sort(with->ctx, type, keys, n,
                           &ORDO_OPTS(ordo_sort_opts, .flags = desc ? ORDO_DESCENDING : 0)),
                 with->ctx);
    return report_of(with->ctx).algorithm;
}

static void try_shape(test_rng *rng, enum shape shape, ordo_type type, size_t n, size_t count,
                      bool desc)
{
    const test_context *const with = any_context(rng);
    size_t const              size = ordo_type_size(type);
    guard_side const          side = (guard_side)test_rng_below(rng, 2);
    unsigned char *const      keys = guard_place(&region, n * size, side);
    inputs_fill(test_rng_below(rng, inputs_count()), type, keys, n, count);
    oracle_sort(type, keys, n, desc, sorted);
    memcpy(keys, sorted, n * size);
    displace(rng, shape, keys, size, n, count);
    oracle_sort(type, keys, n, desc, expected);
    testkit_case("shape %d %s n=%zu count=%zu %s isa=%s threads=%u", (int)shape,
                 ordo_type_name(type), n, count, desc ? "desc" : "asc", with->isa, with->threads);
    sort_with(with, type, keys, n, desc);
    CHECK_BYTES(expected, keys, n * size, size);
    CHECK(guard_intact(&region, n * size, side));
}

static void test_shapes(test_rng *rng, size_t n, size_t draws)
{
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (int shape = 0; shape < SHAPES; shape++)
            for (size_t i = 0; i < draws; i++) {
                size_t const most = i % 4 == 0 ? n / 3 : i % 4 == 1 ? 1 : 1 + n / 60;
                try_shape(rng, (enum shape)shape, inputs_types[t], n, 1 + test_rng_below(rng, most),
                          test_rng_below(rng, 2) != 0);
            }
}

/* Every `step`-th type. The keys are distinct, so that every key out of place is detected. */
static void test_choice(test_rng *rng, size_t n, size_t step)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_I32, ORDO_F32, ORDO_U64, ORDO_I64, ORDO_F64};
    for (size_t t = 0; t < sizeof types / sizeof *types; t += step)
        for (int shape = 0; shape < SHAPES; shape++) {
            const test_context *const with = any_context(rng);
            size_t const              size = ordo_type_size(types[t]);
            unsigned char *const      keys = guard_place(&region, n * size, GUARD_END);
            ordo_gen_opts const       opts = ORDO_OPTS(ordo_gen_opts, .seed = t + 1);
            CHECK_STATUS(ORDO_OK, ordo_gen(with->ctx, ORDO_DIST_UNIFORM, types[t], keys, n, &opts),
                         with->ctx);
            oracle_sort(types[t], keys, n, false, sorted);
            memcpy(keys, sorted, n * size);
            displace(rng, (enum shape)shape, keys, size, n,
                     shape == FEW || shape == BORDERS ? n / 200 : n / 100); /* one key in 100 */
            oracle_sort(types[t], keys, n, false, expected);
            const char *const algorithm = sort_with(with, types[t], keys, n, false);
            testkit_case("choice: shape %d %s n=%zu threads=%u: %s", shape,
                         ordo_type_name(types[t]), n, with->threads, algorithm);
            CHECK_BYTES(expected, keys, n * size, size);
            CHECK(testkit_on_device() || strcmp(algorithm, "displaced") == 0);
        }
}

/* Within parts of the memory that ordo_sort_scratch returns, and with 1 byte. */
static void test_memory(test_rng *rng, size_t n)
{
    for (int shape = 0; shape < SHAPES; shape++)
        for (size_t share = 0; share <= 4; share++) {
            size_t          bytes = 0;
            uint64_t *const keys = guard_place(&region, n * sizeof *keys, GUARD_END);
            if (testkit_on_device())
                return;
            ordo_ctx *const plain = test_context_make(3);
            CHECK_STATUS(ORDO_OK, ordo_sort_scratch(plain, ORDO_U64, n, NULL, &bytes), plain);
            ordo_ctx_free(plain);
            ordo_ctx *const ctx =
                CONTEXT(.threads = 3, .mem_limit = ordo_max(bytes * share / 4, 1));
            if (ctx == NULL)
                return;
            for (size_t i = 0; i < n; i++)
                keys[i] = 3 * i;
            memcpy(sorted, keys, n * sizeof *keys);
            displace(rng, (enum shape)shape, (unsigned char *)keys, sizeof *keys, n,
                     share % 2 ? n / 3 : n / 100);
            oracle_sort(ORDO_U64, keys, n, false, expected);
            testkit_case("shape %d n=%zu with %zu quarters of the scratch", shape, n, share);
            CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U64, keys, n, NULL), ctx);
            CHECK_BYTES(expected, keys, n * sizeof *keys, sizeof *keys);
            ordo_ctx_free(ctx);
        }
}

int main(void)
{
    test_rng rng = {17};
    testkit_start();
    region = guard_make(LARGE * 8);
    testkit_seed(1); /* the choice of AUTO depends on the sample */
    test_contexts_start();
    test_shapes(&rng, SMALL, TESTKIT_SANITIZED ? 3 : 8);
    test_shapes(&rng, 17000, 1);
    test_choice(&rng, 20000, 1);
    test_choice(&rng, LARGE, TESTKIT_SANITIZED ? 6 : 5);
    test_memory(&rng, 20000);
    return testkit_done();
}
