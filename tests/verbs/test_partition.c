/* test_partition.c - ordo_partition against the oracle: every element size from 1 to 16, both
 * kinds of flags, set or unset first, arrays at any byte, forbidden pages on both sides; and
 * ordo_copy, which moves bytes the same way but keeps them in order. */
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 3 * 64 + 3,
    POWERS = (1 << 14) + 1,
    LARGE = 150007,
    MAX_ELEMENT = 16
};

static test_context   contexts[TEST_MAX_CONTEXTS];
static size_t         context_count;
static guard_region   flag_region, input, output;
static unsigned char *reference;

typedef struct sample {
    ordo_flags_kind kind;
    size_t          n, elem_size;
    unsigned        share;
    bool            unset_first;
    guard_side      side;
    const void     *flags, *in;
    size_t          n_first;
} sample;

/* Elements hold random bytes, so one that is lost, doubled or torn is seen. */
static sample make_sample(ordo_flags_kind kind, size_t n, size_t elem_size, unsigned share,
                          bool unset_first, guard_side side)
{
    void *const          flags = guard_place(&flag_region, inputs_flags_bytes(kind, n), side);
    unsigned char *const in = guard_place(&input, n * elem_size, side);
    test_rng             rng = {n * 17 + elem_size};
    sample               s = {kind, n, elem_size, share, unset_first, side, flags, in, 0};

    inputs_flags(kind, flags, n, share, n * 31 + share);
    for (size_t i = 0; i < n * elem_size; i++)
        in[i] = (unsigned char)test_rng_next(&rng);
    s.n_first = oracle_partition(kind, flags, in, n, elem_size, reference, unset_first);
    return s;
}

static void try_partition(const test_context *with, const sample *s)
{
    size_t const              bytes = s->n * s->elem_size;
    void *const               out = guard_place(&output, bytes, s->side);
    size_t                    n_first = SIZE_MAX;
    ordo_partition_opts const opts =
        ORDO_OPTS(ordo_partition_opts, .flags = s->unset_first ? ORDO_UNSET_FIRST : 0);

    testkit_case("kind=%d n=%zu elem_size=%zu share=%u/16 unset_first=%d isa=%s threads=%u",
                 (int)s->kind, s->n, s->elem_size, s->share, s->unset_first, with->isa,
                 with->threads);
    memset(out, 0xee, bytes);
    CHECK_STATUS(ORDO_OK,
                 ordo_partition(with->ctx, s->kind, s->flags, s->in, s->n, s->elem_size, out,
                                &n_first, &opts),
                 with->ctx);
    CHECK_BYTES(reference, out, bytes, s->elem_size);
    CHECK_EQ_U64(s->n_first, n_first);
    CHECK(guard_intact(&output, bytes, s->side));
}

static void test_small(void)
{
    static const unsigned shares[] = {0, 2, 8, 15, 16};
    unsigned const        stride = TESTKIT_SANITIZED ? 24 : 8;
    for (size_t n = 0; n <= SMALL; n++)
        for (size_t elem_size = 1; elem_size <= MAX_ELEMENT; elem_size++)
            for (unsigned i = 0; i < 4; i++) {
                if (!testkit_turn(7))
                    continue;
                sample const s = make_sample(i & 1 ? ORDO_FLAG_BITS : ORDO_FLAG_BYTES, n, elem_size,
                                             shares[(n + elem_size + i) % 5], (i & 2) != 0,
                                             (n + elem_size) % 3 != 0 ? GUARD_END : GUARD_START);
                for (size_t c = 0; c < context_count; c++)
                    if (contexts[c].threads == 1 || (n + elem_size) % stride == contexts[c].threads)
                        try_partition(&contexts[c], &s);
            }
}

static void test_sampled(test_rng *rng, size_t n, size_t draws)
{
    for (size_t elem_size = 1; elem_size <= MAX_ELEMENT; elem_size++) {
        sample const s = make_sample(elem_size & 1 ? ORDO_FLAG_BITS : ORDO_FLAG_BYTES, n, elem_size,
                                     (unsigned)test_rng_below(rng, 17), test_rng_below(rng, 2) != 0,
                                     (guard_side)test_rng_below(rng, 2));
        for (size_t i = 0; i < draws; i++)
            try_partition(&contexts[test_rng_below(rng, context_count)], &s);
    }
}

/* Input arrays that cannot be written, and no n_first. */
static void test_readonly_input(void)
{
    sample const s = make_sample(ORDO_FLAG_BYTES, 30000, 4, 8, false, GUARD_END);
    guard_readonly(&input, true);
    guard_readonly(&flag_region, true);
    for (size_t c = 0; c < context_count; c++)
        try_partition(&contexts[c], &s);
    void *const     out = guard_place(&output, 30000 * 4, GUARD_END);
    ordo_ctx *const ctx = contexts[0].ctx;
    CHECK_STATUS(ORDO_OK, ordo_partition(ctx, s.kind, s.flags, s.in, s.n, 4, out, NULL, NULL), ctx);
    CHECK_BYTES(reference, out, 30000 * 4, 4);
    guard_readonly(&input, false);
    guard_readonly(&flag_region, false);
}

static void test_copy(test_rng *rng)
{
    for (size_t n = SIZE_MAX; inputs_next_size(&n, SMALL, LARGE * MAX_ELEMENT);)
        for (int side = 0; side < 2; side++) {
            const test_context *const with = &contexts[test_rng_below(rng, context_count)];
            unsigned char *const      from = guard_place(&input, n, (guard_side)side);
            void *const               to = guard_place(&output, n, (guard_side)side);
            testkit_case("copy n=%zu threads=%u", n, with->threads);
            for (size_t i = 0; i < n; i++)
                from[i] = (unsigned char)(i * 7 + i / 251);
            memset(to, 0xee, n);
            CHECK_STATUS(ORDO_OK, ordo_copy(with->ctx, to, from, n), with->ctx);
            CHECK_BYTES(from, to, n, 1);
            CHECK(guard_intact(&output, n, (guard_side)side));
        }
}

int main(void)
{
    test_rng rng = {13};
    testkit_start();
    context_count = test_contexts_make(contexts);
    flag_region = guard_make(LARGE);
    input = guard_make(LARGE * MAX_ELEMENT);
    output = guard_make(LARGE * MAX_ELEMENT);
    reference = malloc(LARGE * MAX_ELEMENT);

    test_small();
    for (size_t n = SMALL; inputs_next_size(&n, SMALL, POWERS);)
        test_sampled(&rng, n, TESTKIT_SANITIZED ? 2 : 4);
    test_sampled(&rng, LARGE, TESTKIT_SANITIZED ? 1 : 3);
    test_readonly_input();
    test_copy(&rng);

    free(reference);
    guard_free(&flag_region);
    guard_free(&input);
    guard_free(&output);
    test_contexts_free(contexts, context_count);
    return testkit_done();
}
