/* test_reverse.c - cpu_reverse against a loop over bytes: every element size, every alignment,
 * every n from 0 to more than three blocks from each end, in one call and in pieces; and sorts
 * of reversed keys of every type. */
#include "cpu/sort/reverse.h"
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <string.h>

enum {
    SIZES = 16,
    BLOCK = 64,                   /* bytes that cpu_reverse exchanges at once */
    MOST = 2 * 3 * BLOCK + 3,     /* elements of one byte: three blocks from each end */
    LONG = 5000,                  /* keys of a sort */
    BYTES = MOST * SIZES + BLOCK, /* the longest array at the largest offset */
};

static unsigned char given[BYTES], expected[BYTES], got[BYTES];

static void reverse_slowly(unsigned char *array, size_t size, size_t n)
{
    for (size_t i = 0; i < n; i++)
        memcpy(array + i * size, given + (n - 1 - i) * size, size);
}

/* At this offset from an aligned address, with bytes around the array that must stay. */
static void try_reverse(test_rng *rng, size_t size, size_t n, size_t offset)
{
    size_t const bytes = n * size, half = n / 2;
    memset(expected, 0xa5, sizeof expected);
    reverse_slowly(expected + offset, size, n);
    testkit_case("size %zu n=%zu offset %zu", size, n, offset);

    memset(got, 0xa5, sizeof got);
    memcpy(got + offset, given, bytes);
    cpu_reverse(got + offset, size, n, 0, half);
    CHECK_BYTES(expected, got, sizeof got, 1);

    size_t const first = test_rng_below(rng, half + 1);
    size_t const second = first + test_rng_below(rng, half - first + 1);
    memcpy(got + offset, given, bytes);
    cpu_reverse(got + offset, size, n, second, half);
    cpu_reverse(got + offset, size, n, 0, first);
    cpu_reverse(got + offset, size, n, first, second);
    CHECK_BYTES(expected, got, sizeof got, 1);
}

static void test_elements(test_rng *rng)
{
    for (size_t i = 0; i < sizeof given; i++)
        given[i] = (unsigned char)test_rng_below(rng, 256);
    for (size_t size = 1; size <= SIZES; size++) {
        size_t const most = 2 * 3 * ordo_div_up(BLOCK, size) + 3;
        for (size_t n = 0; n <= most; n++)
            for (size_t offset = 0; offset < 16; offset++)
                if (!TESTKIT_SANITIZED || (n + offset) % 5 == 0)
                    try_reverse(rng, size, n, offset);
    }
}

/* Keys in reverse order, with ties, sorted in both directions. */
static void test_sorts(test_rng *rng)
{
    static test_context  contexts[TEST_MAX_CONTEXTS];
    size_t const         count = test_contexts_make(contexts);
    guard_region         region = guard_make(LONG * 8);
    static unsigned char keys[LONG * 8];
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t i = 0; i < 24; i++) {
            ordo_type const           type = inputs_types[t];
            size_t const              size = ordo_type_size(type);
            size_t const              n = i < 8 ? LONG - i : 1 + test_rng_below(rng, LONG);
            bool const                desc = i % 2 != 0;
            const test_context *const with = &contexts[test_rng_below(rng, count)];
            unsigned char *const      place = guard_place(&region, n * size, GUARD_END);
            inputs_fill(test_rng_below(rng, inputs_count()), type, place, n, i);
            oracle_sort(type, place, n, desc, keys);
            for (size_t at = 0; at < n; at++)
                memcpy(place + at * size, keys + (n - 1 - at) * size, size);
            testkit_case("reversed %s n=%zu %s isa=%s threads=%u", ordo_type_name(type), n,
                         desc ? "desc" : "asc", with->isa, with->threads);
            CHECK_STATUS(ORDO_OK,
                         ordo_sort(with->ctx, type, place, n,
                                   &ORDO_OPTS(ordo_sort_opts, .flags = desc ? ORDO_DESCENDING : 0)),
                         with->ctx);
            CHECK_BYTES(keys, place, n * size, size);
        }
    guard_free(&region);
    test_contexts_free(contexts, count);
}

int main(void)
{
    test_rng rng = {7};
    testkit_start();
    test_elements(&rng);
    test_sorts(&rng);
    return testkit_done();
}
