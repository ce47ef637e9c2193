/* test_nth_any.c - ordo_nth with ORDO_ANY_ORDER against the oracle's order: the k-th key, both of
 * its sides and the set of keys, for every type, shape, direction and context; segments; too little
 * memory. */
#include "inputs.h"
#include "nthkit.h"
#include "oracle.h"

#include <string.h>

#ifdef ORDO_TINY
enum {
    IS_TINY = true
};
#else
enum {
    IS_TINY = false
};
#endif

enum {
    POWERS = (1 << 14) + 1
};

static char    *taken, *again;
static uint8_t *seen;

/* Copies the keys at the indices to `taken`. An index that is wrong or repeats leaves a key out. */
static void take(const nth_sample *s, ordo_type type, const void *index)
{
    size_t const size = ordo_type_size(s->type);
    memset(taken, 0, s->n * size);
    for (size_t i = 0; i < s->n; i++) {
        uint64_t const at = nth_index_at(type, index, i);
        if (at < s->n)
            memcpy(taken + i * size, (const char *)s->keys + at * size, size);
    }
}

static size_t distinct_below(ordo_type type, const void *index, size_t n)
{
    size_t count = 0;
    memset(seen, 0, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t const at = nth_index_at(type, index, i);
        if (at < n && seen[at]++ == 0)
            count++;
    }
    return count;
}

/* Checks that `keys` are the keys of the sample, split around the k-th. Sorts them. */
static void check_split(const nth_sample *s, size_t k, char *keys)
{
    size_t const size = ordo_type_size(s->type);
    size_t       wrong = s->n;
    CHECK_EQ_U64(0, oracle_compare(s->type, keys, k, nth_sorted, k, s->desc) != 0);
    for (size_t i = s->n; i-- > 0;) {
        int const order = oracle_compare(s->type, keys, i, nth_sorted, k, s->desc);
        if ((i < k && order > 0) || (i > k && order < 0))
            wrong = i;
    }
    CHECK_EQ_U64(s->n, wrong); /* the first wrong place */
    oracle_sort(s->type, keys, s->n, s->desc, again);
    CHECK(memcmp(again, nth_sorted, s->n * size) == 0);
}

static void try_nth(const nth_sample *s, const test_context *with, size_t k, ordo_type index_type,
                    unsigned missing)
{
    size_t const     size = ordo_type_size(s->type);
    nth_result const got = nth_call(s, with, k, index_type, missing, ORDO_ANY_ORDER);
    if (missing != 2) {
        take(s, index_type, got.index);
        CHECK_EQ_U64(s->n, distinct_below(index_type, got.index, s->n));
        CHECK(missing == 1 || memcmp(got.out, taken, s->n * size) == 0);
        check_split(s, k, taken);
    }
    if (missing != 1)
        check_split(s, k, got.out);
}

static void test_large(test_rng *rng)
{
    for (size_t shape = 0; shape < inputs_count(); shape += TESTKIT_SANITIZED ? 6 : 1) {
        nth_sample const s = nth_make(inputs_types[test_rng_below(rng, INPUTS_TYPES)], NTH_LARGE,
                                      shape, test_rng_below(rng, 2) != 0, GUARD_END);
        nth_readonly(true);
        for (unsigned missing = 1; missing <= 2; missing++)
            try_nth(&s, any_context(rng), test_rng_below(rng, NTH_LARGE), ORDO_U32, missing);
        nth_readonly(false);
    }
}

static bool is_in_order(const uint64_t *index, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (index[i] < index[i - 1])
            return false;
    return true;
}

/* Indices of 10^4 keys of 100 values: the bracket holds many frequent keys, but all of them have
 * room, so the indices above the bracket are written from the end of the result on. With AVX-512 so
 * few indices are written in order. */
static void test_frequent(test_rng *rng)
{
    enum {
        KEYS = 10000,
        VALUES = 100
    };
    double *const keys = test_keep(KEYS * sizeof *keys);
    for (size_t draw = 0; draw < 24; draw++) {
        const test_context *const with = next_context();
        nth_sample const          s = {ORDO_F64, KEYS, 0, draw % 2 != 0, keys};
        for (size_t i = 0; i < KEYS; i++)
            keys[i] = (double)test_rng_below(rng, VALUES) - 0.5 * VALUES;
        oracle_sort(s.type, keys, KEYS, s.desc, nth_sorted);
        size_t const k = KEYS / 4 * (1 + draw % 3);
        try_nth(&s, with, k, ORDO_U64, 1);
        nth_result const      got = nth_call(&s, with, k, ORDO_U64, 1, ORDO_ANY_ORDER);
        const uint64_t *const end = (const uint64_t *)(const void *)got.index + KEYS;
        CHECK(IS_TINY || strcmp(with->isa, "avx512") == 0 ||
              !is_in_order(end - KEYS / 8, KEYS / 8));
    }
}

/* ---- Segments and memory ---- */

static void test_segments(void)
{
    enum {
        ROWS = 5
    };
    size_t const           n = 3001, k = 1234;
    nth_sample const       s = nth_make(ORDO_F64, ROWS * n, 0, false, GUARD_END);
    ordo_segments const    segments = ORDO_OPTS(ordo_segments, .count = ROWS, .length = n);
    ordo_select_opts const opts =
        ORDO_OPTS(ordo_select_opts, .flags = ORDO_ANY_ORDER, .segments = &segments);
    double *const out = test_keep(ROWS * n * sizeof *out);
    testkit_case("segments");
    CHECK_STATUS(ORDO_OK,
                 ordo_nth(contexts[0].ctx, s.type, s.keys, s.n, k, out, ORDO_U32, NULL, &opts),
                 contexts[0].ctx);
    for (size_t r = 0; r < ROWS; r++) {
        nth_sample const row = {s.type, n, s.shape, false, (const double *)s.keys + r * n};
        oracle_sort(row.type, row.keys, n, false, nth_sorted);
        check_split(&row, k, (char *)(out + r * n));
    }
}

static void test_memory(void)
{
    size_t const           half = NTH_LARGE / 2;
    ordo_select_opts const opts = ORDO_OPTS(ordo_select_opts, .flags = ORDO_ANY_ORDER);
    nth_sample const       s = nth_make(ORDO_F64, NTH_LARGE, 0, false, GUARD_END);
    double *const          out = test_keep(NTH_LARGE * sizeof *out);
    size_t                 most = 0, least = 0;
    CHECK_STATUS(ORDO_OK, ordo_nth_scratch(contexts[0].ctx, s.type, s.n, &opts, &most),
                 contexts[0].ctx);
    CHECK_STATUS(ORDO_OK, ordo_nth_scratch(contexts[0].ctx, s.type, s.n, NULL, &least),
                 contexts[0].ctx);
    for (int enough = 0; enough < 2; enough++) {
        ordo_ctx *const ctx = CONTEXT(.threads = 1, .mem_limit = enough ? most : least);
        testkit_case("nth in any order with a memory limit, %d", enough);
        CHECK_STATUS(ORDO_OK, ordo_nth(ctx, s.type, s.keys, s.n, half, out, ORDO_U32, NULL, &opts),
                     ctx);
        check_split(&s, half, (char *)out);
        ordo_ctx_free(ctx);
    }
}

/* Equal calls give equal bytes, whatever the calls before them have drawn. */
static void test_again(size_t n)
{
    ordo_select_opts const opts = ORDO_OPTS(ordo_select_opts, .flags = ORDO_ANY_ORDER);
    nth_sample const       s = nth_make(ORDO_F64, n, 0, false, GUARD_END);
    double *const out = test_keep(n * sizeof *out), *const second = test_keep(n * sizeof *out);
    ordo_ctx *const ctx = CONTEXT(.threads = 1);
    testkit_case("nth in any order twice, %zu keys", n);
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(
            ORDO_OK,
            ordo_nth(ctx, s.type, s.keys, n, n / 2, i == 0 ? out : second, ORDO_U32, NULL, &opts),
            ctx);
        CHECK(i == 0 || memcmp(out, second, n * sizeof *out) == 0);
    }
    ordo_ctx_free(ctx);
}

static void test_other_flags(void)
{
    ordo_select_opts const opts = ORDO_OPTS(ordo_select_opts, .flags = ORDO_STABLE);
    uint32_t const         keys[2] = {2, 1};
    uint32_t               out[2];
    ordo_ctx *const        ctx = contexts[0].ctx;
    testkit_case("nth with a flag of other calls");
    CHECK_STATUS(ORDO_E_VERSION, ordo_nth(ctx, ORDO_U32, keys, 2, 0, out, ORDO_U32, NULL, &opts),
                 ctx);
    CHECK(strstr(ordo_last_error(ctx), "ORDO_ANY_ORDER") != NULL);
}

int main(void)
{
    test_rng rng = {37};
    testkit_start();
    test_contexts_start();
    nth_start();
    taken = test_keep(NTH_LARGE * NTH_KEY);
    again = test_keep(NTH_LARGE * NTH_KEY);
    seen = test_keep(NTH_LARGE);
    nth_all(&rng, POWERS, try_nth);
    test_large(&rng);
    test_frequent(&rng);
    test_segments();
    test_memory();
    test_again(1000);
    test_again(NTH_LARGE);
    test_other_flags();
    return testkit_done();
}
