/* test_segments.c - every verb on segments: the bytes of separate calls on each segment. Segments
 * by offsets (any lengths, empty ones, one huge among tiny ones), rows, rows with gaps, columns,
 * groups of columns, overlapping windows; types, shapes, algorithms, tie rules, NaN rules, threads,
 * ISAs. Then little memory, cancellation, reports, size queries and refusals. */
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST = 3000,     /* elements of an array */
    LONG = 700,      /* of the longest segment of small arrays */
    MOST_VALUE = 16, /* bytes */
    SELECTED = 40,   /* most positions and quantiles of a segment */
    LAYOUTS = 10
};

typedef struct layout {
    const char   *name;
    ordo_segments segments;
    size_t        n;
    bool          overlaps;
} layout;

typedef struct sample { /* the same arguments for the call on all segments and on each */
    const layout *layout;
    ordo_type     type;
    bool          desc;
    ordo_ctx     *ctx;
    const char   *keys;
    test_rng     *rng;
} sample;

static uint64_t offsets[MOST + 1];
static char    *keys, *got, *expected, *got_more, *expected_more, *one, *one_more;

static size_t length_of(const ordo_segments *s, size_t i)
{
    return oracle_segment_length(s, SIZE_MAX, i);
}

static void take(const sample *s, size_t i, const char *array, size_t size, char *to)
{
    (void)oracle_segment_take(&s->layout->segments, SIZE_MAX, i, array, size, to);
}

static void put(const sample *s, size_t i, char *array, size_t size, const char *from)
{
    oracle_segment_put(&s->layout->segments, SIZE_MAX, i, array, size, from);
}

static size_t shortest_of(const ordo_segments *s)
{
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < s->count; i++)
        least = length_of(s, i) < least ? length_of(s, i) : least;
    return least;
}

/* Fills both results with the same pattern, so that elements that no call writes are compared. */
static void clear(void)
{
    memset(got, 0xa5, MOST * MOST_VALUE);
    memset(expected, 0xa5, MOST * MOST_VALUE);
    memset(got_more, 0x5a, MOST * MOST_VALUE);
    memset(expected_more, 0x5a, MOST * MOST_VALUE);
}

static uint64_t direction(const sample *s) { return s->desc ? ORDO_DESCENDING : 0; }

/* ---- Sorts ---- */

static void try_sort(const sample *s, ordo_algorithm algorithm, bool from_source)
{
    const ordo_segments *const segments = &s->layout->segments;
    size_t const               size = ordo_type_size(s->type), bytes = s->layout->n * size;
    ordo_sort_opts             opts =
        ORDO_OPTS(ordo_sort_opts, .flags = direction(s), .algorithm = (uint32_t)algorithm);
    clear();
    if (!from_source) {
        memcpy(got, s->keys, bytes);
        memcpy(expected, s->keys, bytes);
    }
    for (size_t i = 0; i < segments->count; i++) {
        take(s, i, s->keys, size, one);
        CHECK_STATUS(ORDO_OK, ordo_sort(s->ctx, s->type, one, length_of(segments, i), &opts),
                     s->ctx);
        put(s, i, expected, size, one);
    }
    opts.source = from_source ? s->keys : NULL;
    opts.segments = segments;
    CHECK_STATUS(ORDO_OK, ordo_sort(s->ctx, s->type, got, s->layout->n, &opts), s->ctx);
    CHECK_BYTES(expected, got, bytes, size);
}

static void try_pairs(const sample *s, ordo_algorithm algorithm, size_t value_size)
{
    const ordo_segments *const segments = &s->layout->segments;
    size_t const               size = ordo_type_size(s->type), n = s->layout->n;
    ordo_sort_opts             opts =
        ORDO_OPTS(ordo_sort_opts, .flags = direction(s), .algorithm = (uint32_t)algorithm);
    clear();
    for (size_t i = 0; i < n * value_size; i++)
        got_more[i] = expected_more[i] = (char)(i * 7 / value_size);
    memcpy(got, s->keys, n * size);
    memcpy(expected, s->keys, n * size);
    for (size_t i = 0; i < segments->count; i++) {
        take(s, i, expected, size, one);
        take(s, i, expected_more, value_size, one_more);
        CHECK_STATUS(ORDO_OK,
                     ordo_sort_pairs(s->ctx, s->type, one, length_of(segments, i), one_more,
                                     value_size, &opts),
                     s->ctx);
        put(s, i, expected, size, one);
        put(s, i, expected_more, value_size, one_more);
    }
    opts.segments = segments;
    CHECK_STATUS(ORDO_OK, ordo_sort_pairs(s->ctx, s->type, got, n, got_more, value_size, &opts),
                 s->ctx);
    CHECK_BYTES(expected, got, n * size, size);
    CHECK_BYTES(expected_more, got_more, n * value_size, value_size);
}

static void try_argsort(const sample *s, ordo_algorithm algorithm, ordo_type index_type)
{
    const ordo_segments *const segments = &s->layout->segments;
    size_t const               size = ordo_type_size(s->type), wide = ordo_type_size(index_type);
    ordo_sort_opts             opts =
        ORDO_OPTS(ordo_sort_opts, .flags = direction(s), .algorithm = (uint32_t)algorithm);
    clear();
    for (size_t i = 0; i < segments->count; i++) {
        take(s, i, s->keys, size, one);
        CHECK_STATUS(
            ORDO_OK,
            ordo_argsort(s->ctx, s->type, one, length_of(segments, i), index_type, one_more, &opts),
            s->ctx);
        put(s, i, expected, wide, one_more);
    }
    opts.segments = segments;
    CHECK_STATUS(ORDO_OK,
                 ordo_argsort(s->ctx, s->type, s->keys, s->layout->n, index_type, got, &opts),
                 s->ctx);
    CHECK_BYTES(expected, got, s->layout->n * wide, wide);
}

/* ---- Ranks and scans ---- */

typedef ordo_status rank_fn(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                            ordo_type rank_type, void *ranks, const ordo_rank_opts *opts);

static void try_rank(const sample *s, rank_fn *rank, rank_rule rule, uint64_t flags)
{
    const ordo_segments *const segments = &s->layout->segments;
    size_t const   size = ordo_type_size(s->type), wide = ordo_type_size(rule.rank_type);
    ordo_rank_opts opts =
        ORDO_OPTS(ordo_rank_opts, .flags = direction(s) | flags, .ties = rule.ties);
    clear();
    for (size_t i = 0; i < segments->count; i++) {
        take(s, i, s->keys, size, one);
        CHECK_STATUS(
            ORDO_OK,
            rank(s->ctx, s->type, one, length_of(segments, i), rule.rank_type, one_more, &opts),
            s->ctx);
        put(s, i, expected, wide, one_more);
    }
    opts.segments = segments;
    CHECK_STATUS(ORDO_OK, rank(s->ctx, s->type, s->keys, s->layout->n, rule.rank_type, got, &opts),
                 s->ctx);
    CHECK_BYTES(expected, got, s->layout->n * wide, wide);
}

static void try_scan(const sample *s, ordo_op op, ordo_type out_type, bool exclusive, bool in_place)
{
    const ordo_segments *const segments = &s->layout->segments;
    size_t const               size = ordo_type_size(s->type), wide = ordo_type_size(out_type);
    size_t const               n = s->layout->n;
    ordo_scan_opts opts = ORDO_OPTS(ordo_scan_opts, .flags = exclusive ? ORDO_EXCLUSIVE : 0);
    clear();
    if (in_place) {
        memcpy(got, s->keys, n * size);
        memcpy(expected, s->keys, n * size);
    }
    for (size_t i = 0; i < segments->count; i++) {
        take(s, i, s->keys, size, one);
        CHECK_STATUS(
            ORDO_OK,
            ordo_scan(s->ctx, op, s->type, one, length_of(segments, i), out_type, one_more, &opts),
            s->ctx);
        put(s, i, expected, wide, one_more);
    }
    opts.segments = segments;
    CHECK_STATUS(ORDO_OK,
                 ordo_scan(s->ctx, op, s->type, in_place ? got : s->keys, n, out_type, got, &opts),
                 s->ctx);
    CHECK_BYTES(expected, got, n * wide, wide);
}

/* ---- Selections ---- */

/* A refusal of the separate call on the first segment that refuses is one of the whole call, and
 * then nothing is written. */
static void try_select(const sample *s, size_t count, uint32_t nans, ordo_algorithm algorithm)
{
    const ordo_segments *const segments = &s->layout->segments;
    size_t const               size = ordo_type_size(s->type), least = shortest_of(segments);
    size_t                     k[SELECTED];
    ordo_status                refused = ORDO_OK;
    ordo_select_opts opts = ORDO_OPTS(ordo_select_opts, .flags = direction(s), .nans = nans,
                                      .algorithm = (uint32_t)algorithm);
    for (size_t j = 0; j < count; j++)
        k[j] = least == 0 ? 0 : (size_t)test_rng_below(s->rng, least);
    clear();
    for (size_t i = 0; i < segments->count && refused == ORDO_OK; i++) {
        take(s, i, s->keys, size, one);
        refused = ordo_select(s->ctx, s->type, one, length_of(segments, i), k, count,
                              expected + i * count * size, &opts);
    }
    if (refused != ORDO_OK)
        memset(expected, 0xa5, MOST * MOST_VALUE);
    opts.segments = segments;
    CHECK_STATUS(refused, ordo_select(s->ctx, s->type, s->keys, s->layout->n, k, count, got, &opts),
                 s->ctx);
    CHECK_BYTES(expected, got, MOST * size, size);
}

static void try_quantiles(const sample *s, size_t count, uint32_t nans, uint32_t method)
{
    const ordo_segments *const segments = &s->layout->segments;
    size_t const               size = ordo_type_size(s->type);
    double                     q[SELECTED];
    ordo_quantile_opts         opts = ORDO_OPTS(ordo_quantile_opts, .nans = nans, .method = method);
    for (size_t j = 0; j < count; j++)
        q[j] = (double)test_rng_below(s->rng, 101) / 100;
    clear();
    for (size_t i = 0; i < segments->count; i++) {
        size_t const n = length_of(segments, i);
        take(s, i, s->keys, size, one);
        CHECK_STATUS(ORDO_OK,
                     ordo_quantiles(s->ctx, s->type, one, n, q, count,
                                    (double *)(void *)expected + i * count, &opts),
                     s->ctx);
        if (method <= ORDO_METHOD_DEFAULT)
            CHECK_STATUS(
                ORDO_OK,
                ordo_median(s->ctx, s->type, one, n, (double *)(void *)expected_more + i, &opts),
                s->ctx);
    }
    opts.segments = segments;
    CHECK_STATUS(
        ORDO_OK,
        ordo_quantiles(s->ctx, s->type, s->keys, s->layout->n, q, count, (void *)got, &opts),
        s->ctx);
    if (method <= ORDO_METHOD_DEFAULT)
        CHECK_STATUS(ORDO_OK,
                     ordo_median(s->ctx, s->type, s->keys, s->layout->n, (void *)got_more, &opts),
                     s->ctx);
    CHECK_BYTES(expected, got, MOST * MOST_VALUE, sizeof(double));
    CHECK_BYTES(expected_more, got_more, MOST * MOST_VALUE, sizeof(double));
}

static void try_topk(const sample *s, size_t k, uint32_t nans, ordo_type index_type)
{
    const ordo_segments *const segments = &s->layout->segments;
    size_t const               size = ordo_type_size(s->type), wide = ordo_type_size(index_type);
    size_t                     found[2][MOST];
    ordo_select_opts opts = ORDO_OPTS(ordo_select_opts, .flags = direction(s), .nans = nans);
    clear();
    for (size_t i = 0; i < segments->count; i++) {
        take(s, i, s->keys, size, one);
        CHECK_STATUS(ORDO_OK,
                     ordo_topk(s->ctx, s->type, one, length_of(segments, i), k,
                               expected + i * k * size, index_type, expected_more + i * k * wide,
                               &found[0][i], &opts),
                     s->ctx);
    }
    opts.segments = segments;
    CHECK_STATUS(ORDO_OK,
                 ordo_topk(s->ctx, s->type, s->keys, s->layout->n, k, got, index_type, got_more,
                           found[1], &opts),
                 s->ctx);
    CHECK_BYTES(expected, got, MOST * size, size);
    CHECK_BYTES(expected_more, got_more, MOST * wide, wide);
    CHECK_BYTES(found[0], found[1], segments->count * sizeof **found, sizeof **found);
}

/* ---- Measures ---- */

static void try_measures(const sample *s, ordo_algorithm algorithm)
{
    const ordo_segments *const segments = &s->layout->segments;
    size_t const               size = ordo_type_size(s->type), n = s->layout->n;
    int                        sorted[2][MOST];
    size_t                     numbers[2][3][MOST];
    ordo_order_opts            opts = ORDO_OPTS(ordo_order_opts, .flags = direction(s));
    ordo_order_opts            radius = opts;
    radius.algorithm = (uint32_t)algorithm;
    for (size_t i = 0; i < segments->count; i++) {
        size_t const length = length_of(segments, i);
        take(s, i, s->keys, size, one);
        CHECK_STATUS(
            ORDO_OK,
            ordo_is_sorted(s->ctx, s->type, one, length, &sorted[0][i], &numbers[0][0][i], &opts),
            s->ctx);
        CHECK_STATUS(ORDO_OK, ordo_radius(s->ctx, s->type, one, length, &numbers[0][1][i], &radius),
                     s->ctx);
        CHECK_STATUS(ORDO_OK, ordo_runs(s->ctx, s->type, one, length, &numbers[0][2][i], &opts),
                     s->ctx);
    }
    opts.segments = radius.segments = segments;
    CHECK_STATUS(ORDO_OK,
                 ordo_is_sorted(s->ctx, s->type, s->keys, n, sorted[1], numbers[1][0], &opts),
                 s->ctx);
    CHECK_STATUS(ORDO_OK, ordo_radius(s->ctx, s->type, s->keys, n, numbers[1][1], &radius), s->ctx);
    CHECK_STATUS(ORDO_OK, ordo_runs(s->ctx, s->type, s->keys, n, numbers[1][2], &opts), s->ctx);
    CHECK_BYTES(sorted[0], sorted[1], segments->count * sizeof **sorted, sizeof **sorted);
    for (size_t m = 0; m < 3; m++)
        CHECK_BYTES(numbers[0][m], numbers[1][m], segments->count * sizeof(size_t), sizeof(size_t));
}

/* LR and DM of each segment; RL is left out, as a caller may do. */
static void try_sequences(const sample *s)
{
    const ordo_segments *const segments = &s->layout->segments;
    size_t const               size = ordo_type_size(s->type), n = s->layout->n;
    size_t                     radius[2][MOST];
    ordo_order_opts            opts = ORDO_OPTS(ordo_order_opts, .flags = direction(s));
    uint64_t                  *distances = (void *)(one_more + LONG * MOST_VALUE);
    clear();
    for (size_t i = 0; i < segments->count; i++) {
        take(s, i, s->keys, size, one);
        opts.lr = one_more;
        opts.dm = distances;
        CHECK_STATUS(
            ORDO_OK,
            ordo_radius(s->ctx, s->type, one, length_of(segments, i), &radius[0][i], &opts),
            s->ctx);
        put(s, i, expected, size, one_more);
        put(s, i, expected_more, sizeof *distances, (const char *)distances);
    }
    opts.lr = got;
    opts.dm = (void *)got_more;
    opts.segments = segments;
    CHECK_STATUS(ORDO_OK, ordo_radius(s->ctx, s->type, s->keys, n, radius[1], &opts), s->ctx);
    CHECK_BYTES(expected, got, n * size, size);
    CHECK_BYTES(expected_more, got_more, n * sizeof *distances, sizeof *distances);
    CHECK_BYTES(radius[0], radius[1], segments->count * sizeof **radius, sizeof **radius);
}

/* ---- Layouts ---- */

/* Offsets with gaps before the first and after the last segment. */
static ordo_segments by_offsets(size_t count, size_t most, size_t huge, test_rng *rng, size_t *n)
{
    offsets[0] = test_rng_below(rng, 5);
    for (size_t i = 0; i < count; i++)
        offsets[i + 1] =
            offsets[i] + (i == count / 2 && huge > 0 ? huge : test_rng_below(rng, most + 1));
    *n = (size_t)offsets[count] + test_rng_below(rng, 5);
    return ORDO_OPTS(ordo_segments, .count = count, .offsets = offsets);
}

static layout make_layout(size_t which, test_rng *rng)
{
    size_t const a = 1 + test_rng_below(rng, 9), b = 1 + test_rng_below(rng, 24);
    size_t const c = 1 + test_rng_below(rng, 7);
    size_t       n = 0;
    switch (which) {
    case 0:
        return (layout){"none", ORDO_OPTS(ordo_segments, .count = 0), 0, false};
    case 1: {
        ordo_segments const s = by_offsets(60, 7, 0, rng, &n);
        return (layout){"tiny offsets", s, n, false};
    }
    case 2: {
        ordo_segments const s = by_offsets(12, 5, LONG, rng, &n);
        return (layout){"one huge", s, n, false};
    }
    case 3: {
        ordo_segments const s = by_offsets(5, LONG / 2, 0, rng, &n);
        return (layout){"few long", s, n, false};
    }
    case 4:
        return (layout){"rows", ORDO_OPTS(ordo_segments, .count = 5 * b, .length = a), 5 * b * a,
                        false};
    case 5:
        return (layout){"rows with gaps",
                        ORDO_OPTS(ordo_segments, .count = b, .length = 2 * a, .stride = 2 * a + c),
                        b * (2 * a + c), false};
    case 6:
        return (layout){
            "columns",
            ORDO_OPTS(ordo_segments, .count = 3 * b, .length = a, .stride = 1, .step = 3 * b),
            3 * b * a, false};
    case 7:
        return (layout){"groups of columns",
                        ORDO_OPTS(ordo_segments, .count = a * b, .length = c, .stride = 1,
                                  .step = b, .group = b, .group_stride = b * c),
                        a * b * c, false};
    case 8:
        return (layout){
            "long columns",
            ORDO_OPTS(ordo_segments, .count = 4, .length = LONG, .stride = 1, .step = 4),
            (size_t)4 * LONG, false};
    default:
        return (layout){"windows",
                        ORDO_OPTS(ordo_segments, .count = 10 * b, .length = c + 2, .stride = 1),
                        10 * b + c + 2, true};
    }
}

/* ---- All of it ---- */

static const ordo_algorithm radius_ways[] = {ORDO_ALGORITHM_AUTO, ORDO_ALGORITHM_SEQUENTIAL};

static void try_readers(const sample *s)
{
    static const size_t counts[] = {1, 2, 5, SELECTED};
    size_t const        rows = s->layout->segments.count > 0 ? s->layout->segments.count : 1;
    size_t              count = counts[test_rng_below(s->rng, 4)];
    uint32_t const      nans = (uint32_t)test_rng_below(s->rng, 3);
    while (count * rows > MOST)
        count /= 2;
    try_select(s, count, nans,
               test_rng_below(s->rng, 4) == 0 ? ORDO_ALGORITHM_MERGE : ORDO_ALGORITHM_AUTO);
    try_quantiles(s, count, nans, 0);
    try_quantiles(s, count, nans, (uint32_t)test_rng_below(s->rng, 14));
    try_topk(s, count, nans == ORDO_NANS_OMIT ? ORDO_NANS_OMIT : ORDO_NANS_LAST,
             count % 2 == 0 ? ORDO_U32 : ORDO_U64);
    try_measures(s, radius_ways[test_rng_below(s->rng, 2)]);
}

static void try_sums(const sample *s)
{
    ordo_op const   op = (ordo_op)(1 + test_rng_below(s->rng, 4));
    bool const      grows = op == ORDO_SUM || op == ORDO_PRODUCT;
    ordo_type const wide =
        grows && test_rng_below(s->rng, 2) == 0 ? ordo_type_wide(s->type) : s->type;
    try_scan(s, op, wide, test_rng_below(s->rng, 2) == 0, wide == s->type && s->desc);
}

static void try_writers(const sample *s, size_t round)
{
    static const size_t  values[] = {1, 2, 3, 4, 8, 12, 16};
    ordo_algorithm const algorithm =
        round % 3 == 0 ? inputs_sorts[round / 3 % (INPUTS_SORTS - 1)] : ORDO_ALGORITHM_AUTO;
    try_sort(s, algorithm, false);
    try_sort(s, ORDO_ALGORITHM_AUTO, true);
    try_pairs(s, algorithm, values[round % 7]);
    try_argsort(s, algorithm, round % 2 == 0 ? ORDO_U32 : ORDO_U64);
    try_rank(s, ordo_rank, inputs_rule(round), 0);
    try_sums(s);
    try_sequences(s);
}

/* Ranks of segments that are sorted. */
static void try_sorted(sample *s, size_t round)
{
    const ordo_segments *const segments = &s->layout->segments;
    size_t const               size = ordo_type_size(s->type);
    for (size_t i = 0; i < segments->count; i++) {
        take(s, i, keys, size, one);
        inputs_sort(s->type, one, length_of(segments, i), s->desc);
        put(s, i, keys, size, one);
    }
    try_rank(s, ordo_rank_sorted, inputs_rule(round), round % 2 == 0 ? ORDO_CHECK : 0);
}

static void try_layout(size_t which, ordo_type type, size_t round, test_rng *rng)
{
    const test_context *const with = next_context();
    layout const              where = make_layout(which, rng);
    size_t const              shape = (size_t)test_rng_below(rng, inputs_count());
    sample                    s = {&where, type, test_rng_below(rng, 2) == 0, with->ctx, keys, rng};
    testkit_case("%s %s n=%zu %s %s isa=%s threads=%u round=%zu", where.name, ordo_type_name(type),
                 where.n, inputs_name(shape), s.desc ? "desc" : "asc", with->isa, with->threads,
                 round);
    inputs_fill(shape, type, keys, where.n, round + 1);
    inputs_limit_floats(type, keys, where.n);
    try_readers(&s);
    if (!where.overlaps) {
        try_writers(&s, round);
        try_sorted(&s, round);
    }
}

int main(void)
{
    test_rng     rng = {18};
    size_t const rounds = TESTKIT_SANITIZED ? 2 : 12;
    testkit_start();
    test_contexts_start();
    keys = test_keep((size_t)MOST * MOST_VALUE);
    got = test_keep((size_t)MOST * MOST_VALUE);
    expected = test_keep((size_t)MOST * MOST_VALUE);
    got_more = test_keep((size_t)MOST * MOST_VALUE);
    expected_more = test_keep((size_t)MOST * MOST_VALUE);
    one = test_keep((size_t)MOST * MOST_VALUE);
    one_more = test_keep((size_t)MOST * MOST_VALUE);
    for (size_t round = 0; round < rounds; round++)
        for (size_t which = 0; which < LAYOUTS; which++)
            for (size_t t = 0; t < INPUTS_TYPES; t++)
                if (testkit_run_case(7))
                    try_layout(which, inputs_types[t], round, &rng);
    return testkit_done();
}
