/* test_scan_bits.c - ordo_scan_bits against the oracle: both kinds of flags, every share of set
 * ones, every n up to three blocks, any byte as the start of the flags, garbage in the bits of
 * the last byte that belong to no flag. */
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 3 * 64 + 67,
    POWERS = (1 << 14) + 1,
    LARGE = 300011
};

static test_context   contexts[TEST_MAX_CONTEXTS];
static size_t         context_count;
static guard_region   input, output;
static unsigned char *reference;

typedef struct sample {
    ordo_flags_kind kind;
    size_t          n;
    unsigned        share; /* of 16 flags, how many are set */
    ordo_type       count_type;
    bool            exclusive;
    guard_side      side;
    const void     *flags;
    uint64_t        total;
} sample;

static sample make_sample(ordo_flags_kind kind, size_t n, unsigned share, ordo_type count_type,
                          bool exclusive, guard_side side)
{
    void *const flags = guard_place(&input, inputs_flags_bytes(kind, n), side);
    sample      s = {kind, n, share, count_type, exclusive, side, flags, 0};
    inputs_flags(kind, flags, n, share, n * 31 + share);
    s.total = oracle_scan_bits(kind, flags, n, count_type, reference, exclusive);
    return s;
}

static void try_bits(const test_context *with, const sample *s)
{
    size_t const         size = ordo_type_size(s->count_type);
    size_t const         bytes = s->n * size;
    void *const          counts = guard_place(&output, bytes, s->side);
    uint64_t             total = UINT64_MAX, alone = UINT64_MAX;
    ordo_scan_opts const opts =
        ORDO_OPTS(ordo_scan_opts, .flags = s->exclusive ? ORDO_EXCLUSIVE : 0);

    testkit_case("kind=%d n=%zu share=%u/16 %s exclusive=%d isa=%s threads=%u", (int)s->kind, s->n,
                 s->share, ordo_type_name(s->count_type), s->exclusive, with->isa, with->threads);
    memset(counts, 0xee, bytes);
    CHECK_STATUS(
        ORDO_OK,
        ordo_scan_bits(with->ctx, s->kind, s->flags, s->n, s->count_type, counts, &total, &opts),
        with->ctx);
    CHECK_BYTES(reference, counts, bytes, size);
    CHECK_EQ_U64(s->total, total);
    CHECK(guard_intact(&output, bytes, s->side));

    CHECK_STATUS(
        ORDO_OK,
        ordo_scan_bits(with->ctx, s->kind, s->flags, s->n, s->count_type, NULL, &alone, &opts),
        with->ctx);
    CHECK_EQ_U64(s->total, alone);
}

static void test_small(void)
{
    static const unsigned shares[] = {0, 1, 8, 15, 16};
    unsigned const        stride = TESTKIT_SANITIZED ? 24 : 8;
    for (size_t n = 0; n <= SMALL; n++)
        for (unsigned i = 0; i < 5 * 8; i++) {
            if (!testkit_turn(3))
                continue;
            sample const s = make_sample(i & 1 ? ORDO_FLAG_BITS : ORDO_FLAG_BYTES, n, shares[i / 8],
                                         i & 2 ? ORDO_U32 : ORDO_U64, (i & 4) != 0,
                                         (n + i) % 3 != 0 ? GUARD_END : GUARD_START);
            for (size_t c = 0; c < context_count; c++)
                if (contexts[c].threads == 1 || (n + i) % stride == contexts[c].threads)
                    try_bits(&contexts[c], &s);
        }
}

static void test_sampled(test_rng *rng, size_t n, size_t draws)
{
    for (size_t i = 0; i < draws; i++) {
        sample const s = make_sample(i & 1 ? ORDO_FLAG_BITS : ORDO_FLAG_BYTES, n,
                                     (unsigned)test_rng_below(rng, 17), i & 2 ? ORDO_U32 : ORDO_U64,
                                     (i & 4) != 0, (guard_side)test_rng_below(rng, 2));
        for (size_t k = 0; k < 4; k++)
            try_bits(&contexts[test_rng_below(rng, context_count)], &s);
    }
}

/* total may be left out; both outputs may. */
static void test_no_total(void)
{
    for (int kind = ORDO_FLAG_BITS; kind <= ORDO_FLAG_BYTES; kind++) {
        sample const    s = make_sample((ordo_flags_kind)kind, 1000, 8, ORDO_U32, false, GUARD_END);
        uint32_t *const counts = guard_place(&output, 4000, GUARD_END);
        ordo_ctx *const ctx = contexts[context_count - 1].ctx;
        testkit_case("no total, kind=%d", kind);
        CHECK_STATUS(ORDO_OK,
                     ordo_scan_bits(ctx, s.kind, s.flags, s.n, ORDO_U32, counts, NULL, NULL), ctx);
        CHECK_BYTES(reference, counts, 4000, 4);
        CHECK_STATUS(ORDO_OK, ordo_scan_bits(ctx, s.kind, s.flags, s.n, ORDO_U32, NULL, NULL, NULL),
                     ctx);
    }
}

int main(void)
{
    test_rng rng = {11};
    testkit_start();
    context_count = test_contexts_make(contexts);
    input = guard_make(LARGE);
    output = guard_make(LARGE * 8);
    reference = malloc(LARGE * 8);

    test_small();
    for (size_t n = SMALL; inputs_next_size(&n, SMALL, POWERS);)
        test_sampled(&rng, n, TESTKIT_SANITIZED ? 8 : 24);
    for (size_t n = LARGE; n > LARGE - 9; n--)
        test_sampled(&rng, n, TESTKIT_SANITIZED ? 1 : 4);
    test_no_total();

    free(reference);
    guard_free(&input);
    guard_free(&output);
    test_contexts_free(contexts, context_count);
    return testkit_done();
}
