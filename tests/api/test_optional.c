/* test_optional.c - calls on numbers and strings with every subset of their arrays NULL, and with
 * counts that may be 0. A result that the caller does not want changes no byte of the others. What
 * the bytes are is tested with each verb, NULL arrays of calls that need all of them also in
 * test_refusals.c. test_optional_data.c has the calls on other data. */
#include "inputs.h"
#include "oracle.h"
#include "subsets.h"

#include <string.h>

enum {
    MOST = 30000,
    LAYOUTS = 7,
    PARTS = 4 /* the most segments of a layout */
};

static struct { /* the arguments that are no arrays */
    ordo_type            type, index_type;
    size_t               n, k, count;
    uint64_t             flags;
    uint32_t             nans, kind;
    const ordo_segments *segments;
} p;

static struct {
    const char   *name;
    ordo_segments segments;
    uint64_t      offsets[PARTS + 1];
    size_t        count, inside, shortest; /* segments, their elements, the shortest of them */
} layout;

static _Alignas(8) unsigned char keys[8 * MOST], part[8 * MOST];
static size_t key_bytes, index_bytes; /* of one element */

#define LENGTH(list) (sizeof(list) / sizeof *(list))
#define OPTS(type, ...) (&ORDO_OPTS(type, .segments = p.segments, __VA_ARGS__))
#define SWEEP(runner, ...) sweep(#runner, &(subset_call){.run = run_##runner, __VA_ARGS__})

/* ---- Arguments ---- */

/* Segments of n elements: rows, columns, offsets with empty segments and gaps, two halves, and no
 * segment at all. */
static void set_layout(size_t number, size_t n)
{
    static const char *const names[LAYOUTS] = {"one array", "rows",   "columns",  "offsets",
                                               "halves",    "no row", "no offset"};
    ordo_segments const      forms[LAYOUTS] = {
             {.count = 1},
             {.count = 3, .length = n / 3},
             {.count = 4, .length = n / 4, .stride = 1, .step = 4},
             {.count = 4, .offsets = layout.offsets},
             {.count = 2, .offsets = layout.offsets},
             {.length = 3},
             {.offsets = layout.offsets},
    };
    uint64_t const cuts[] = {n / 10, n / 10, n / 2, n / 2, n - n / 8}, halves[] = {0, n / 2, n};
    memcpy(layout.offsets, cuts, sizeof cuts);
    if (number == 4)
        memcpy(layout.offsets, halves, sizeof halves);
    layout.name = names[number];
    layout.segments = forms[number];
    layout.segments.struct_size = sizeof layout.segments;
    layout.count = layout.segments.count;
    layout.inside = number == 0 ? n : 0;
    layout.shortest = n;
    p.n = n;
    p.segments = number == 0 ? NULL : &layout.segments;
    for (size_t i = 0; number > 0 && i < layout.count; i++) {
        size_t const length = oracle_segment_length(&layout.segments, n, i);
        layout.inside += length;
        layout.shortest = length < layout.shortest ? length : layout.shortest;
    }
}

/* Keys with ties, NaNs and zeros of both signs. */
static void set_keys(ordo_type type, uint64_t seed)
{
    test_rng rng = {seed};
    p.type = type;
    key_bytes = ordo_type_size(type);
    for (size_t i = 0; i < p.n; i++) {
        uint64_t     draw = test_rng_below(&rng, p.n / 2 + 8);
        double const real = (double)draw - 4;
        if (type == ORDO_F64 && draw % 8 == 0)
            draw = UINT64_C(0x7ff8000000000001);
        else if (type == ORDO_F64 && draw % 8 == 1)
            draw = UINT64_C(1) << 63;
        else if (type == ORDO_F64)
            memcpy(&draw, &real, sizeof draw);
        oracle_put_bits(type, keys, i, draw);
    }
}

/* Copies segment s of an array and returns its length. */
static size_t part_of(const void *array, size_t size, size_t s, void *to)
{
    if (p.segments != NULL)
        return oracle_segment_take(p.segments, p.n, s, array, size, to);
    memcpy(to, array, p.n * size);
    return p.n;
}

/* The keys of segment s that a selection sees. */
static size_t seen_keys(size_t s)
{
    size_t const n = part_of(keys, key_bytes, s, part);
    size_t       nans = 0;
    for (size_t i = 0; p.nans == ORDO_NANS_OMIT && i < n; i++)
        nans += oracle_is_nan(p.type, part, i);
    return n - nans;
}

/* Names the case. Of large arrays only some subsets are tried. */
static void sweep(const char *name, const subset_call *call)
{
    subset_call part_call = *call;
    part_call.one_of = p.n > 1000 ? 5 : p.n > 40 ? 2 : 1;
    subsets_case("%s %s n=%zu k=%zu count=%zu flags=%llu nans=%u kind=%u %s", name,
                 ordo_type_name(p.type), p.n, p.k, p.count, (unsigned long long)p.flags, p.nans,
                 p.kind, layout.name);
    subsets_sweep(&part_call);
}

static subset_array all_keys(void) { return subset_in(keys, p.n * key_bytes); }

/* An array with a place for each element is written inside the segments only. */
static void check_inside(size_t array, size_t size)
{
    CHECK_EQ_U64(layout.inside * size, subsets_written(array));
}

/* ---- Selections ---- */

static ordo_status run_topk(ordo_ctx *ctx, void *const *a)
{
    return ordo_topk(ctx, p.type, a[0], p.n, p.k, a[1], p.index_type, a[2], a[3],
                     OPTS(ordo_select_opts, .flags = p.flags, .nans = p.nans));
}

static void test_topk(void)
{
    bool const   is_wrong = p.nans == ORDO_NANS_PROPAGATE;
    size_t const ks[] = {0, 1, 2, p.n, p.n + 1};
    for (size_t i = 0; i < LENGTH(ks); i++) {
        size_t const places = layout.count * ks[i];
        size_t       all = 0;
        p.k = ks[i];
        SWEEP(topk,
              ARRAYS(all_keys(), subset_maybe(places * key_bytes),
                     subset_maybe(places * index_bytes), MAYBE(size_t, layout.count)),
              .status = is_wrong ? ORDO_E_ARG : ORDO_OK);
        for (size_t s = 0; !is_wrong && s < layout.count; s++) {
            size_t const seen = seen_keys(s), found = ((const size_t *)subsets_result(3))[s];
            CHECK_EQ_U64(seen < p.k ? seen : p.k, found);
            all += found;
        }
        CHECK(is_wrong || all * key_bytes == subsets_written(1));
        CHECK(is_wrong || all * index_bytes == subsets_written(2));
    }
}

static ordo_status run_select(ordo_ctx *ctx, void *const *a)
{
    return ordo_select(ctx, p.type, a[0], p.n, a[1], p.count, a[2],
                       OPTS(ordo_select_opts, .flags = p.flags, .nans = p.nans));
}

static void test_select(void)
{
    static size_t positions[MOST + 1];
    size_t const  counts[] = {0, 1, 2, p.n, p.n + 1};
    size_t        least = layout.count > 0 ? SIZE_MAX : 1;
    for (size_t s = 0; s < layout.count; s++) {
        size_t const seen = seen_keys(s);
        least = seen < least ? seen : least;
    }
    for (size_t i = 0; i < 2 * LENGTH(counts); i++) {
        bool const outside = i % 2 != 0; /* the last position is behind the last key */
        p.count = counts[i / 2];
        for (size_t j = 0; j < p.count; j++)
            positions[j] = least == 0 ? 0 : j * 7919 % least;
        if (outside && p.count > 0)
            positions[p.count - 1] = least;
        bool const is_wrong = layout.count > 0 && p.count > 0 && (least == 0 || outside);
        SWEEP(select,
              ARRAYS(all_keys(), IN(positions, p.count),
                     subset_out(p.count * layout.count * key_bytes)),
              .status = is_wrong ? ORDO_E_ARG : ORDO_OK);
    }
}

static ordo_status run_quantiles(ordo_ctx *ctx, void *const *a)
{
    return ordo_quantiles(ctx, p.type, a[0], p.n, a[1], p.count, a[2],
                          OPTS(ordo_quantile_opts, .nans = p.nans));
}

static ordo_status run_median(ordo_ctx *ctx, void *const *a)
{
    return ordo_median(ctx, p.type, a[0], p.n, a[1], OPTS(ordo_quantile_opts, .nans = p.nans));
}

static void test_quantiles(void)
{
    static const double q[] = {0.5, 0, 1, 0.3};
    for (p.count = 0; p.count <= LENGTH(q); p.count++)
        SWEEP(quantiles, ARRAYS(all_keys(), IN(q, p.count), OUT(double, p.count *layout.count)));
    SWEEP(median, ARRAYS(all_keys(), OUT(double, layout.count)));
}

static ordo_status run_nth(ordo_ctx *ctx, void *const *a)
{
    return ordo_nth(ctx, p.type, a[0], p.n, p.k, a[1], p.index_type, a[2],
                    OPTS(ordo_select_opts, .flags = p.flags));
}

/* The n keys of segment s, which are in `part`, as ordo_nth has split them; checks their index. */
static void take_split(void *const *a, size_t s, size_t n, unsigned char *split)
{
    static unsigned char index[8 * MOST];
    static bool          named[MOST];
    size_t               wrong = 0;
    if (a[1] != NULL)
        part_of(a[1], key_bytes, s, split);
    if (a[2] == NULL)
        return;
    part_of(a[2], index_bytes, s, index);
    memset(named, 0, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t from = 0;
        memcpy(&from, index + i * index_bytes, index_bytes);
        if (from >= n || named[from]) {
            wrong++;
            continue;
        }
        named[from] = true;
        if (a[1] == NULL)
            memcpy(split + i * key_bytes, part + from * key_bytes, key_bytes);
        wrong += memcmp(split + i * key_bytes, part + from * key_bytes, key_bytes) != 0;
    }
    CHECK_EQ_U64(0, wrong);
}

/* ORDO_ANY_ORDER: the key at place k ties with the one it has in order, and no key is on the wrong
 * side. */
static void check_split(void *const *a)
{
    static _Alignas(8) unsigned char split[8 * MOST], ordered[8 * MOST], sorted[2][8 * MOST];
    bool const                       desc = (p.flags & ORDO_DESCENDING) != 0;
    for (size_t s = 0; (a[1] != NULL || a[2] != NULL) && s < layout.count; s++) {
        size_t const n = part_of(keys, key_bytes, s, part);
        size_t       wrong = 0;
        take_split(a, s, n, split);
        part_of(subsets_result(1), key_bytes, s, ordered);
        CHECK(oracle_compare(p.type, ordered, p.k, split, p.k, desc) == 0);
        for (size_t i = 0; i < n; i++) {
            int const order = oracle_compare(p.type, split, i, split, p.k, desc);
            wrong += i < p.k ? order > 0 : order < 0;
        }
        CHECK_EQ_U64(0, wrong);
        if (a[2] == NULL && n <= 1000) { /* an index has shown that the keys are the same */
            oracle_sort(p.type, part, n, desc, sorted[0]);
            oracle_sort(p.type, split, n, desc, sorted[1]);
            CHECK_BYTES(sorted[0], sorted[1], n * key_bytes, key_bytes);
        }
    }
}

static void test_nth(void)
{
    size_t const ks[] = {0, 1, 2, p.n / 4, p.n, p.n + 1};
    for (size_t i = 0; i < LENGTH(ks); i++) {
        bool const  is_wrong = layout.count > 0 && ks[i] >= layout.shortest;
        subset_call call = {
            .run = run_nth,
            ARRAYS(all_keys(), subset_maybe(p.n * key_bytes), subset_maybe(p.n * index_bytes)),
            .status = is_wrong ? ORDO_E_ARG : ORDO_OK};
        p.k = ks[i];
        sweep("nth", &call);
        if (!is_wrong) {
            check_inside(1, key_bytes);
            check_inside(2, index_bytes);
            call.check = check_split;
            call.again = true;
            call.array[1].shuffled = call.array[2].shuffled = true;
        }
        p.flags |= ORDO_ANY_ORDER;
        sweep("nth", &call);
        p.flags &= ~(uint64_t)ORDO_ANY_ORDER;
    }
}

/* ---- Measures and windows ---- */

static ordo_status run_is_sorted(ordo_ctx *ctx, void *const *a)
{
    return ordo_is_sorted(ctx, p.type, a[0], p.n, a[1], a[2],
                          OPTS(ordo_order_opts, .flags = p.flags));
}

static ordo_status run_radius(ordo_ctx *ctx, void *const *a)
{
    return ordo_radius(ctx, p.type, a[0], p.n, a[1],
                       OPTS(ordo_order_opts, .flags = p.flags, .lr = a[2], .rl = a[3], .dm = a[4],
                            .algorithm = p.kind));
}

static ordo_status run_runs(ordo_ctx *ctx, void *const *a)
{
    return ordo_runs(ctx, p.type, a[0], p.n, a[1], OPTS(ordo_order_opts, .flags = p.flags));
}

static void test_measures(void)
{
    subset_array const sequence = subset_maybe(p.n * key_bytes);
    SWEEP(is_sorted, ARRAYS(all_keys(), ONE(int, layout.count), MAYBE(size_t, layout.count)));
    SWEEP(runs, ARRAYS(all_keys(), ONE(size_t, layout.count)));
    for (p.kind = ORDO_ALGORITHM_AUTO; p.kind <= ORDO_ALGORITHM_SEQUENTIAL; p.kind++) {
        SWEEP(radius, ARRAYS(all_keys(), ONE(size_t, layout.count), sequence, sequence,
                             MAYBE(uint64_t, p.n)));
        check_inside(2, key_bytes);
        check_inside(3, key_bytes);
        check_inside(4, sizeof(uint64_t));
    }
}

static ordo_status run_moving(ordo_ctx *ctx, void *const *a)
{
    return ordo_moving(ctx, (ordo_moving_op)p.kind, p.type, a[0], p.n, p.k, ORDO_F64, a[1],
                       OPTS(ordo_moving_opts, .nans = p.nans));
}

static void test_moving(void)
{
    size_t const windows[] = {0, 1, 2, p.n > 1000 ? 100 : p.n + 1};
    for (p.kind = ORDO_MOVING_MEDIAN; p.kind <= ORDO_MOVING_MAX; p.kind++)
        for (size_t i = 0; i < LENGTH(windows); i++) {
            p.k = windows[i];
            SWEEP(moving, ARRAYS(all_keys(), OUT(double, p.n)),
                  .status = p.k == 0 ? ORDO_E_ARG : ORDO_OK);
            if (p.k > 0)
                check_inside(1, sizeof(double));
        }
}

/* ---- Flags, sets, elements, strings and columns ---- */

static ordo_status run_scan_bits(ordo_ctx *ctx, void *const *a)
{
    return ordo_scan_bits(ctx, (ordo_flags_kind)p.kind, a[0], p.n, p.index_type, a[1], a[2],
                          &ORDO_OPTS(ordo_scan_opts, .flags = p.flags ? ORDO_EXCLUSIVE : 0));
}

static ordo_status run_partition(ordo_ctx *ctx, void *const *a)
{
    return ordo_partition(ctx, (ordo_flags_kind)p.kind, a[0], a[1], p.n, p.k, a[2], a[3],
                          &ORDO_OPTS(ordo_partition_opts, .flags = p.flags ? ORDO_UNSET_FIRST : 0));
}

static void test_flags(void)
{
    for (p.kind = ORDO_FLAG_BITS; p.kind <= ORDO_FLAG_BYTES; p.kind++) {
        subset_array const flags =
            subset_in(keys, inputs_flags_bytes((ordo_flags_kind)p.kind, p.n));
        SWEEP(scan_bits, ARRAYS(flags, subset_maybe(p.n * index_bytes), MAYBE(uint64_t, 1)));
        for (p.k = 1; p.k <= key_bytes; p.k += 3)
            SWEEP(partition, ARRAYS(flags, subset_in(keys, p.n * p.k), subset_out(p.n * p.k),
                                    MAYBE(size_t, 1)));
    }
}

static ordo_status run_unique(ordo_ctx *ctx, void *const *a)
{
    return ordo_unique(ctx, p.type, a[0], p.n, a[1], a[2],
                       &ORDO_OPTS(ordo_sort_opts, .flags = p.flags));
}

static ordo_status run_search(ordo_ctx *ctx, void *const *a)
{
    return ordo_search(ctx, p.type, a[0], p.n, a[1], p.count, p.index_type, a[2],
                       &ORDO_OPTS(ordo_search_opts, .flags = p.flags));
}

static void test_sets(void)
{
    static _Alignas(8) unsigned char sorted[8 * MOST], needles[8 * MOST + 8];
    bool const                       desc = (p.flags & ORDO_DESCENDING) != 0;
    size_t const                     counts[] = {0, 1, 2, p.n, p.n + 1};
    subset_array                     distinct = subset_out(p.n * key_bytes);
    oracle_sort(p.type, keys, p.n, desc, sorted);
    distinct.varies = distinct.bytes;
    for (size_t i = 0; i < p.n; i++)
        if (i == 0 || oracle_compare(p.type, sorted, i - 1, sorted, i, desc) != 0)
            distinct.varies -= key_bytes;
    SWEEP(unique, ARRAYS(all_keys(), distinct, ONE(size_t, 1)));
    memcpy(needles, keys, p.n * key_bytes);
    for (size_t i = 0; i < LENGTH(counts); i++) {
        p.count = counts[i];
        SWEEP(search,
              ARRAYS(subset_in(sorted, p.n * key_bytes), subset_in(needles, p.count * key_bytes),
                     subset_out(p.count * index_bytes)));
    }
}

static ordo_status run_gather(ordo_ctx *ctx, void *const *a)
{
    return ordo_gather(ctx, a[0], p.n, key_bytes, ORDO_U32, a[1], p.count, a[2], NULL);
}

static ordo_status run_scatter(ordo_ctx *ctx, void *const *a)
{
    return ordo_scatter(ctx, a[0], p.count, key_bytes, ORDO_U32, a[1], a[2], p.n, NULL);
}

static void test_moves(void)
{
    static uint32_t index[MOST + 1];
    size_t const    counts[] = {0, 1, 2, p.n, p.n + 1};
    for (size_t i = 0; i < p.n; i++)
        index[i] = (uint32_t)(i * 7919 % p.n);
    index[p.n] = 0;
    for (size_t i = 0; i < LENGTH(counts); i++) {
        ordo_status const status = counts[i] > 0 && p.n == 0 ? ORDO_E_ARG : ORDO_OK;
        p.count = counts[i];
        SWEEP(gather, ARRAYS(all_keys(), IN(index, p.count), subset_out(p.count * key_bytes)),
              .status = status);
        if (p.count > p.n && p.n > 0)
            continue; /* several elements for one place */
        SWEEP(scatter,
              ARRAYS(subset_in(keys, p.count * key_bytes), IN(index, p.count),
                     subset_out(p.n * key_bytes)),
              .status = status);
        CHECK(status != ORDO_OK || subsets_written(2) == p.count * key_bytes);
    }
}

enum {
    ARGSORT_STRINGS,
    RANK_STRINGS,
    SELECT_STRINGS,
    SORT_STRINGS
};

static ordo_status run_strings(ordo_ctx *ctx, void *const *a)
{
    ordo_strings const list = {sizeof list, a[0], a[1], NULL};
    switch (p.kind) {
    case ARGSORT_STRINGS:
        return ordo_argsort_strings(ctx, &list, p.n, p.index_type, a[2], NULL);
    case RANK_STRINGS:
        return ordo_rank_strings(ctx, &list, p.n, p.index_type, a[2], NULL);
    case SELECT_STRINGS:
        return ordo_select_strings(ctx, &list, p.n, a[2], p.count, a[3], NULL);
    default:
        return ordo_sort_strings(ctx, &list, p.n, a[2], a[3], NULL);
    }
}

/* Strings of up to 3 bytes, then empty strings. */
static void test_strings(void)
{
    static uint64_t offsets[MOST + 1];
    size_t          positions[41] = {0};
    size_t const    most = p.n < 40 ? p.n : 40, counts[] = {0, 1, 2, most, most + 1};
    for (size_t lengths = 4; lengths >= 1; lengths /= 4) {
        for (size_t i = 0; i < p.n; i++)
            offsets[i + 1] = offsets[i] + i % lengths;
        subset_array const text = subset_in(keys, offsets[p.n]);
        subset_array const ends = IN(offsets, p.n > 0 ? p.n + 1 : 0); /* n == 0: may be NULL */
        for (p.kind = ARGSORT_STRINGS; p.kind <= RANK_STRINGS; p.kind++)
            SWEEP(strings, ARRAYS(text, ends, subset_out(p.n * index_bytes)));
        for (size_t i = 0; i < LENGTH(counts); i++) {
            p.count = counts[i];
            for (size_t j = 0; j < p.count && p.n > 0; j++)
                positions[j] = j * 7919 % p.n;
            SWEEP(strings, ARRAYS(text, ends, IN(positions, p.count), OUT(uint64_t, p.count)),
                  .status = p.n == 0 && p.count > 0 ? ORDO_E_ARG : ORDO_OK);
        }
        p.kind = SORT_STRINGS;
        SWEEP(strings, ARRAYS(text, ends, subset_out(offsets[p.n]),
                              p.n > 0 ? OUT(uint64_t, p.n + 1) : MAYBE(uint64_t, 1)));
    }
}

/* Two columns. a[2] is not NULL if the list of columns is given. kind 0 sorts, kind 1 ranks. */
static ordo_status run_columns(ordo_ctx *ctx, void *const *a)
{
    ordo_column const        both[] = {{a[0], p.type, 0}, {a[1], ORDO_U8, ORDO_DESCENDING}};
    const ordo_column *const list = a[2] != NULL ? both : NULL;
    return p.kind == 0 ? ordo_lexsort(ctx, list, p.count, p.n, p.index_type, a[3], NULL)
                       : ordo_lexrank(ctx, list, p.count, p.n, p.index_type, a[3], NULL);
}

static void test_columns(void)
{
    for (p.kind = 0; p.kind < 2; p.kind++)
        for (p.count = 0; p.count <= 2; p.count++)
            SWEEP(columns,
                  ARRAYS(subset_in(keys, p.count > 0 ? p.n * key_bytes : 0),
                         subset_in(keys, p.count > 1 ? p.n : 0), subset_in("", 1),
                         subset_out(p.n * index_bytes)),
                  .status = p.count == 0 ? ORDO_E_ARG : ORDO_OK);
}

/* ---- Scratch ---- */

/* Sizes that test_refusals.c does not ask for. */
static ordo_status run_scratch(ordo_ctx *ctx, void *const *a)
{
    ordo_column const column = {.type = (uint32_t)p.type};
    switch (p.kind) {
    case 0:
        return ordo_nth_scratch(ctx, p.type, p.n, NULL, a[0]);
    case 1:
        return ordo_unique_scratch(ctx, p.type, p.n, NULL, a[0]);
    case 2:
        return ordo_moving_scratch(ctx, ORDO_MOVING_MEDIAN, p.type, p.n, 3, ORDO_F64, NULL, a[0]);
    case 3:
        return ordo_lexsort_scratch(ctx, &column, 1, p.n, ORDO_U32, NULL, a[0]);
    case 4:
        return ordo_lexrank_scratch(ctx, &column, 1, p.n, ORDO_U32, NULL, a[0]);
    case 5:
        return ordo_sort_records_scratch(ctx, p.n, 9, 1, ORDO_U32, NULL, a[0]);
    default:
        return ordo_group_scratch(ctx, p.n, a[0]);
    }
}

static void test_scratch(void)
{
    subset_array size = ONE(size_t, 1);
    size.shuffled = true; /* depends on the threads */
    for (p.kind = 0; p.kind < 7; p.kind++)
        SWEEP(scratch, ARRAYS(size));
}

/* ---- All settings ---- */

static void test_all(void (*verb)(void), size_t layouts)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_F64, ORDO_U8};
    static const size_t    sizes[] = {0, 1, 2, 5, 40, 1000, MOST};
    for (size_t i = 0; i < LENGTH(sizes); i++)
        for (size_t l = 0; l < layouts; l++)
            for (size_t t = 0; t < LENGTH(types); t++) {
                if (sizes[i] > 40 && (l + t) % 4 != 0 && l + t != 1)
                    continue;
                memset(&p, 0, sizeof p);
                set_layout(l, sizes[i]);
                set_keys(types[t], i + l + t);
                p.flags = (i + t) % 2 ? ORDO_DESCENDING : 0;
                p.nans = (uint32_t)((i + l) % 3);
                p.index_type = (l + t) % 2 ? ORDO_U32 : ORDO_U64;
                index_bytes = ordo_type_size(p.index_type);
                verb();
            }
}

int main(void)
{
    static void (*const with_segments[])(void) = {test_topk,     test_select, test_quantiles,
                                                  test_measures, test_moving, test_nth};
    static void (*const without[])(void) = {test_flags,   test_sets,    test_moves,
                                            test_strings, test_columns, test_scratch};
    testkit_start();
    subsets_start();
    for (size_t v = 0; v < LENGTH(without); v++)
        test_all(without[v], 1);
    for (size_t v = 0; v < LENGTH(with_segments); v++)
        test_all(with_segments[v], LAYOUTS);
    subsets_end();
    return testkit_done();
}
