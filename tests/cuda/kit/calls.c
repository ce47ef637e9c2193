/* calls.c - see calls.h. */
#include "calls.h"
#include "oracle.h"

#include <stdio.h>
#include <string.h>

typedef enum verb {
    SORT,
    PAIRS,
    ARGSORT,
    RANK,
    RANK_SORTED,
    SELECT,
    TOPK,
    QUANTILES,
    SCAN,
    BITS,
    PARTITION,
    SORTED,
    RADIUS,
    RUNS
} verb;

typedef struct variant {
    verb        verb;
    const char *name;
    ordo_type   out_type;
    uint32_t    choice, algorithm, flags;
} variant;

enum {
    SELECTED = 5,
    /* Most keys of ROUGH, INSERTION and HALVING: with a radius near n one thread sorts all keys. */
    ROUGH_KEYS = 1 << 14,
    WITH_RESULT = 1 << 16, /* flag of choice: return the single result                         */
    NO_ARRAY = 1 << 17,    /* flag of choice: return only the single result; topk: no indices  */
    WIDE = 1 << 18,        /* flag of choice: sums in 64 bits                                  */
    SEQUENCES = 1 << 19    /* flag of choice: radius also writes LR, RL and DM                 */
};
#define DESC ORDO_DESCENDING
#define EXCL ORDO_EXCLUSIVE

static const variant variants[] = {
    {SORT, "sort", 0, 0, ORDO_ALGORITHM_AUTO, 0},
    {SORT, "sort", 0, 0, ORDO_ALGORITHM_AUTO, DESC},
    {SORT, "sort", 0, 0, ORDO_ALGORITHM_RADIX, 0},
    {SORT, "sort", 0, 0, ORDO_ALGORITHM_RADIX, DESC},
    {SORT, "sort", 0, 0, ORDO_ALGORITHM_SAMPLE, 0},
    {SORT, "sort", 0, 0, ORDO_ALGORITHM_SAMPLE, DESC},
    {SORT, "sort", 0, 0, ORDO_ALGORITHM_INTERVALS, 0},
    {SORT, "sort", 0, 0, ORDO_ALGORITHM_MERGE, 0},
    {SORT, "sort", 0, 0, ORDO_ALGORITHM_BITONIC, DESC},
    {SORT, "sort", 0, 0, ORDO_ALGORITHM_SPLIT, 0},
    {SORT, "sort", 0, 0, ORDO_ALGORITHM_GLOBAL, DESC},
    {SORT, "sort", 0, 0, ORDO_ALGORITHM_ROUGH, 0},
    {SORT, "sort", 0, 0, ORDO_ALGORITHM_INSERTION, DESC},
    {SORT, "sort", 0, 0, ORDO_ALGORITHM_HALVING, DESC},
    {SORT, "sort", 0, 0, ORDO_ALGORITHM_WINDOWS, 0},
    {PAIRS, "sort_pairs", 0, 4, ORDO_ALGORITHM_AUTO, 0},
    {PAIRS, "sort_pairs", 0, 8, ORDO_ALGORITHM_RADIX, DESC},
    {PAIRS, "sort_pairs", 0, 1, ORDO_ALGORITHM_AUTO, DESC},
    {PAIRS, "sort_pairs", 0, 12, ORDO_ALGORITHM_MERGE, 0},
    {PAIRS, "sort_pairs", 0, 16, ORDO_ALGORITHM_AUTO, 0},
    {PAIRS, "sort_pairs", 0, 3, ORDO_ALGORITHM_SAMPLE, 0},
    {PAIRS, "sort_pairs", 0, 5, ORDO_ALGORITHM_INTERVALS, DESC},
    {PAIRS, "sort_pairs", 0, 4, ORDO_ALGORITHM_SPLIT, DESC},
    {PAIRS, "sort_pairs", 0, 8, ORDO_ALGORITHM_GLOBAL, 0},
    {PAIRS, "sort_pairs", 0, 4, ORDO_ALGORITHM_ROUGH, 0},
    {PAIRS, "sort_pairs", 0, 8, ORDO_ALGORITHM_HALVING, DESC},
    {ARGSORT, "argsort", ORDO_U32, 0, ORDO_ALGORITHM_ROUGH, DESC},
    {ARGSORT, "argsort", ORDO_U64, 0, ORDO_ALGORITHM_HALVING, 0},
    {ARGSORT, "argsort", ORDO_U32, 0, ORDO_ALGORITHM_AUTO, 0},
    {ARGSORT, "argsort", ORDO_U64, 0, ORDO_ALGORITHM_AUTO, DESC},
    {ARGSORT, "argsort", ORDO_U32, 0, ORDO_ALGORITHM_MERGE, DESC},
    {ARGSORT, "argsort", ORDO_U64, 0, ORDO_ALGORITHM_INTERVALS, 0},
    {ARGSORT, "argsort", ORDO_U64, 0, ORDO_ALGORITHM_SPLIT, 0},
    {ARGSORT, "argsort", ORDO_U32, 0, ORDO_ALGORITHM_GLOBAL, DESC},
    {RANK, "rank", ORDO_U32, ORDO_TIES_MIN, 0, 0},
    {RANK, "rank", ORDO_U64, ORDO_TIES_MAX, 0, DESC},
    {RANK, "rank", ORDO_U32, ORDO_TIES_DENSE, 0, 0},
    {RANK, "rank", ORDO_U32, ORDO_TIES_ORDINAL, 0, DESC},
    {RANK, "rank", ORDO_F64, ORDO_TIES_AVERAGE, 0, 0},
    {RANK_SORTED, "rank_sorted", ORDO_U32, ORDO_TIES_MIN, 0, 0},
    {RANK_SORTED, "rank_sorted", ORDO_U64, ORDO_TIES_MAX, 0, DESC},
    {RANK_SORTED, "rank_sorted", ORDO_F64, ORDO_TIES_AVERAGE, 0, 0},
    {RANK_SORTED, "rank_sorted", ORDO_U32, ORDO_TIES_DENSE, 0, 0},
    {RANK_SORTED, "rank_sorted", ORDO_F64, ORDO_TIES_ORDINAL, 0, 0},
    {RANK_SORTED, "rank_sorted", ORDO_U32, ORDO_TIES_MIN, ORDO_ALGORITHM_NAIVE, 0},
    {RANK_SORTED, "rank_sorted", ORDO_U32, ORDO_TIES_MIN, ORDO_ALGORITHM_SHUFFLE, 0},
    {RANK_SORTED, "rank_sorted", ORDO_U32, ORDO_TIES_MIN, ORDO_ALGORITHM_HYBRID, 0},
    {RANK_SORTED, "rank_sorted", ORDO_F64, ORDO_TIES_AVERAGE, ORDO_ALGORITHM_NAIVE, DESC},
    {RANK_SORTED, "rank_sorted", ORDO_U64, ORDO_TIES_DENSE, ORDO_ALGORITHM_SHUFFLE, DESC},
    {RANK_SORTED, "rank_sorted", ORDO_U64, ORDO_TIES_MAX, ORDO_ALGORITHM_HYBRID, 0},
    {SELECT, "select", 0, 0, ORDO_ALGORITHM_AUTO, 0},
    {SELECT, "select", 0, 0, ORDO_ALGORITHM_AUTO, DESC},
    {SELECT, "select", 0, 0, ORDO_ALGORITHM_RADIX, 0},
    {SELECT, "select", 0, 0, ORDO_ALGORITHM_BITONIC, DESC},
    {SELECT, "select", 0, 2048, ORDO_ALGORITHM_BITONIC, 0},
    {SELECT, "select", 0, 0, ORDO_ALGORITHM_MERGE, 0},
    {SELECT, "select", 0, 16, ORDO_ALGORITHM_MERGE, DESC},
    {TOPK, "topk", ORDO_U32, 1, 0, 0},
    {TOPK, "topk", ORDO_U64, 10, 0, DESC},
    {TOPK, "topk", ORDO_U32, 1000 | NO_ARRAY, 0, DESC},
    {TOPK, "topk", ORDO_U32, 0xffff, 0, 0},
    {QUANTILES, "quantiles", 0, 1 | WITH_RESULT, 0, 0},
    {QUANTILES, "quantiles", 0, CALL_NUMBERS | WITH_RESULT, ORDO_ALGORITHM_RADIX, 0},
    {SCAN, "scan sum", 0, ORDO_SUM, 0, 0},
    {SCAN, "scan sum", 0, ORDO_SUM, 0, EXCL},
    {SCAN, "scan sum", 0, ORDO_SUM | WIDE, 0, 0},
    {SCAN, "scan sum", 0, ORDO_SUM, ORDO_ALGORITHM_BALLOT, 0},
    {SCAN, "scan sum", 0, ORDO_SUM, ORDO_ALGORITHM_BALLOT, EXCL},
    {SCAN, "scan min", 0, ORDO_MIN, 0, 0},
    {SCAN, "scan min", 0, ORDO_MIN, 0, EXCL},
    {SCAN, "scan max", 0, ORDO_MAX, 0, 0},
    {SCAN, "scan product", 0, ORDO_PRODUCT, 0, 0},
    {SCAN, "scan product", 0, ORDO_PRODUCT | WIDE, 0, EXCL},
    {BITS, "scan_bits", ORDO_U32, ORDO_FLAG_BITS, 0, 0},
    {BITS, "scan_bits", ORDO_U64, ORDO_FLAG_BITS, 0, EXCL},
    {BITS, "scan_bits", ORDO_U32, ORDO_FLAG_BYTES, 0, EXCL},
    {BITS, "scan_bits", ORDO_U64, ORDO_FLAG_BYTES | WITH_RESULT, 0, 0},
    {BITS, "scan_bits", ORDO_U64, ORDO_FLAG_BITS | WITH_RESULT | NO_ARRAY, 0, 0},
    {BITS, "scan_bits", ORDO_U32, ORDO_FLAG_BITS, ORDO_ALGORITHM_BALLOT, 0},
    {BITS, "scan_bits", ORDO_U64, ORDO_FLAG_BYTES, ORDO_ALGORITHM_BALLOT, EXCL},
    {BITS, "scan_bits", ORDO_U64, ORDO_FLAG_BITS | WITH_RESULT, ORDO_ALGORITHM_SHARED, EXCL},
    {BITS, "scan_bits", ORDO_U32, ORDO_FLAG_BYTES, ORDO_ALGORITHM_SHARED, 0},
    {PARTITION, "partition", 0, ORDO_FLAG_BITS | 4 << 4, 0, 0},
    {PARTITION, "partition", 0, ORDO_FLAG_BYTES | 8 << 4, 0, ORDO_UNSET_FIRST},
    {PARTITION, "partition", 0, ORDO_FLAG_BYTES | 1 << 4, 0, 0},
    {PARTITION, "partition", 0, ORDO_FLAG_BITS | 12 << 4, 0, 0},
    {PARTITION, "partition", 0, ORDO_FLAG_BITS | 16 << 4 | WITH_RESULT, 0, ORDO_UNSET_FIRST},
    {PARTITION, "partition", 0, ORDO_FLAG_BYTES | 7 << 4 | WITH_RESULT, 0, 0},
    {SORTED, "is_sorted", 0, WITH_RESULT, 0, 0},
    {SORTED, "is_sorted", 0, WITH_RESULT, 0, DESC},
    {RADIUS, "radius", 0, WITH_RESULT, 0, 0},
    {RADIUS, "radius", 0, WITH_RESULT, 0, DESC},
    {RADIUS, "radius", 0, WITH_RESULT, ORDO_ALGORITHM_PREFIX, 0},
    {RADIUS, "radius", 0, WITH_RESULT | SEQUENCES, ORDO_ALGORITHM_PREFIX, DESC},
    {RADIUS, "radius", 0, WITH_RESULT, ORDO_ALGORITHM_SCANS, 0},
    {RADIUS, "radius", 0, WITH_RESULT | SEQUENCES, ORDO_ALGORITHM_SCANS, DESC},
    {RADIUS, "radius", 0, WITH_RESULT | SEQUENCES, 0, 0},
    {RUNS, "runs", 0, WITH_RESULT, 0, 0},
};

size_t calls_count(void) { return sizeof variants / sizeof *variants; }

/* Verbs without a key type are planned once. */
static bool has_no_type(verb v) { return v == BITS || v == PARTITION; }

bool calls_typed(size_t which) { return !has_no_type(variants[which].verb); }

bool calls_sorts(size_t which)
{
    verb const v = variants[which].verb;
    return v <= RANK || v == SELECT || v == TOPK || v == QUANTILES;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static void add(call_plan *plan, int at, call_array_use use, call_content content, size_t bytes)
{
    plan->arrays[at] = (call_array){use, content, bytes};
}

static void plan_arrays(verb v, call_plan *plan)
{
    size_t const n = plan->n, size = ordo_type_size(plan->type);
    size_t const out_size = plan->out_type != 0 ? ordo_type_size(plan->out_type) : 0;

    switch (v) {
    case SORT:
        add(plan, 0, ARRAY_IN_PLACE, CONTENT_KEYS, n * size);
        break;
    case PAIRS:
        add(plan, 0, ARRAY_IN_PLACE, CONTENT_KEYS, n * size);
        add(plan, 1, ARRAY_IN_PLACE, CONTENT_ANY, n * plan->choice);
        break;
    case ARGSORT:
    case RANK:
    case SCAN:
        add(plan, 0, ARRAY_READ, CONTENT_KEYS, n * size);
        add(plan, 2, ARRAY_WRITTEN, CONTENT_ANY, n * out_size);
        break;
    case RANK_SORTED:
        add(plan, 0, ARRAY_READ, CONTENT_SORTED, n * size);
        add(plan, 2, ARRAY_WRITTEN, CONTENT_ANY, n * out_size);
        break;
    case SELECT:
        add(plan, 0, ARRAY_READ, CONTENT_KEYS, n * size);
        add(plan, 2, ARRAY_WRITTEN, CONTENT_ANY, (n == 0 ? 0 : SELECTED) * size);
        break;
    case TOPK: {
        size_t const k = least(plan->choice & 0xffff, n);
        add(plan, 0, ARRAY_READ, CONTENT_KEYS, n * size);
        add(plan, 2, ARRAY_WRITTEN, CONTENT_ANY, k * size);
        if ((plan->choice & NO_ARRAY) == 0)
            add(plan, 3, ARRAY_WRITTEN, CONTENT_ANY, k * out_size);
        break;
    }
    case BITS:
        add(plan, 1, ARRAY_READ, CONTENT_FLAGS, n);
        if ((plan->choice & NO_ARRAY) == 0)
            add(plan, 2, ARRAY_WRITTEN, CONTENT_ANY, n * out_size);
        break;
    case PARTITION:
        add(plan, 0, ARRAY_READ, CONTENT_ANY, n * (plan->choice >> 4 & 31));
        add(plan, 1, ARRAY_READ, CONTENT_FLAGS, n);
        add(plan, 2, ARRAY_WRITTEN, CONTENT_ANY, n * (plan->choice >> 4 & 31));
        break;
    case RADIUS:
        add(plan, 0, ARRAY_READ, CONTENT_KEYS, n * size);
        if ((plan->choice & SEQUENCES) != 0) {
            add(plan, 1, ARRAY_WRITTEN, CONTENT_ANY, n * size);
            add(plan, 2, ARRAY_WRITTEN, CONTENT_ANY, n * size);
            add(plan, 3, ARRAY_WRITTEN, CONTENT_ANY, n * sizeof(uint64_t));
        }
        break;
    case QUANTILES:
    case SORTED:
    case RUNS:
        add(plan, 0, ARRAY_READ, CONTENT_KEYS, n * size);
        break;
    }
}

/* One thread of the GPU sorts each segment of twice the radius. */
static bool takes_radius(uint32_t algorithm)
{
    return algorithm == ORDO_ALGORITHM_ROUGH || algorithm == ORDO_ALGORITHM_INSERTION ||
           algorithm == ORDO_ALGORITHM_HALVING;
}

bool calls_plan(size_t which, ordo_type type, size_t n, call_plan *plan)
{
    const variant *const v = &variants[which];
    bool const           sum = v->verb == SCAN && (v->choice & 0xf) == ORDO_SUM;

    if (has_no_type(v->verb) && type != ORDO_U32)
        return false;
    if ((v->choice & WIDE) != 0 && oracle_widest(type) == type)
        return false;
    if (v->verb == SCAN && v->algorithm == ORDO_ALGORITHM_BALLOT && type != ORDO_U32 &&
        type != ORDO_I32)
        return false;
    if (takes_radius(v->algorithm) && n > ROUGH_KEYS)
        return false;
    *plan = (call_plan){.verb = v->name,
                        .type = type,
                        .out_type = v->out_type,
                        .n = n,
                        .choice = v->choice,
                        .algorithm = v->algorithm,
                        .flags = v->flags,
                        .inexact = sum && oracle_is_float(type),
                        .waits = (v->choice & WITH_RESULT) != 0 || takes_radius(v->algorithm) ||
                                 v->algorithm == ORDO_ALGORITHM_WINDOWS ||
                                 (v->verb == SELECT && v->algorithm == ORDO_ALGORITHM_BITONIC)};
    if (v->verb == SCAN)
        plan->out_type = (v->choice & WIDE) != 0 ? oracle_widest(type) : type;
    plan_arrays(v->verb, plan);
    return true;
}

const char *calls_name(const call_plan *plan, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s %s -> %s n=%zu choice=%#x algorithm=%u flags=%u", plan->verb,
             ordo_type_name(plan->type), plan->out_type != 0 ? ordo_type_name(plan->out_type) : "-",
             plan->n, plan->choice, plan->algorithm, (unsigned)plan->flags);
    return buffer;
}

void calls_noise(void *to, size_t bytes, uint64_t seed)
{
    unsigned char *const out = to;
    test_rng             rng = {seed};

    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t const word = test_rng_next(&rng);
        memcpy(out + i, &word, least(sizeof word, bytes - i));
    }
}

static verb verb_of(const call_plan *plan)
{
    for (size_t i = 0; i < calls_count(); i++)
        if (strcmp(variants[i].name, plan->verb) == 0)
            return variants[i].verb;
    return SORT;
}

/* Ascending positions, which need no copy to the host. */
static void positions(size_t n, size_t k[SELECTED])
{
    size_t const at[SELECTED] = {0, n / 3, n / 2, n - n / 5, n - 1};
    size_t       last = 0;
    for (size_t j = 0; j < SELECTED; j++) {
        k[j] = j > 0 && at[j] <= last ? last + 1 : at[j];
        last = k[j];
    }
    if (k[SELECTED - 1] >= n) /* fewer keys than positions: some positions twice */
        for (size_t j = 0; j < SELECTED; j++)
            k[j] = least(at[j], n - 1);
}

/* The option structs of one call. */
typedef struct call_opts {
    ordo_sort_opts      sort;
    ordo_rank_opts      rank;
    ordo_select_opts    select;
    ordo_quantile_opts  quantile;
    ordo_scan_opts      scan;
    ordo_partition_opts partition;
    ordo_order_opts     order;
} call_opts;

static call_opts opts_of(const call_plan *plan, const call_place *place)
{
    uint64_t const flags = plan->flags | (place->on_device ? ORDO_ON_DEVICE : 0);
    /* All algorithms have the same result, and the CPU does not know those of the GPU. */
    uint32_t const algorithm = place->on_device ? plan->algorithm : ORDO_ALGORITHM_AUTO;
    uint32_t const sub_array = /* of SELECT */
        algorithm == ORDO_ALGORITHM_BITONIC || algorithm == ORDO_ALGORITHM_MERGE ? plan->choice : 0;
    void *const stream = place->stream;
    bool const  is_radius = verb_of(plan) == RADIUS;
    bool const  sequences = is_radius && (plan->choice & SEQUENCES) != 0;

    return (call_opts){
        .sort = ORDO_OPTS(ordo_sort_opts, .flags = flags, .algorithm = algorithm, .stream = stream),
        .rank = ORDO_OPTS(ordo_rank_opts, .flags = flags, .ties = plan->choice & 7,
                          .algorithm = algorithm, .stream = stream),
        .select = ORDO_OPTS(ordo_select_opts, .flags = flags, .algorithm = algorithm,
                            .stream = stream, .sub_array = sub_array),
        .quantile =
            ORDO_OPTS(ordo_quantile_opts, .flags = flags, .algorithm = algorithm, .stream = stream),
        .scan = ORDO_OPTS(ordo_scan_opts, .flags = flags, .algorithm = algorithm, .stream = stream),
        .partition = ORDO_OPTS(ordo_partition_opts, .flags = flags, .stream = stream),
        .order = ORDO_OPTS(ordo_order_opts, .flags = flags, .stream = stream,
                           .algorithm = is_radius ? algorithm : ORDO_ALGORITHM_AUTO,
                           .lr = sequences ? place->arrays[1] : NULL,
                           .rl = sequences ? place->arrays[2] : NULL,
                           .dm = sequences ? place->arrays[3] : NULL),
    };
}

static ordo_status run_keys(verb v, const call_plan *plan, call_place *place, const call_opts *o)
{
    ordo_ctx *const    ctx = place->ctx;
    void *const *const a = place->arrays;
    size_t             k[SELECTED];

    switch (v) {
    case SORT:
        return ordo_sort(ctx, plan->type, a[0], plan->n, &o->sort);
    case PAIRS:
        return ordo_sort_pairs(ctx, plan->type, a[0], plan->n, a[1], plan->choice, &o->sort);
    case ARGSORT:
        return ordo_argsort(ctx, plan->type, a[0], plan->n, plan->out_type, a[2], &o->sort);
    case RANK:
        return ordo_rank(ctx, plan->type, a[0], plan->n, plan->out_type, a[2], &o->rank);
    case RANK_SORTED:
        return ordo_rank_sorted(ctx, plan->type, a[0], plan->n, plan->out_type, a[2], &o->rank);
    case SELECT:
        if (plan->n == 0)
            return ORDO_OK;
        positions(plan->n, k);
        return ordo_select(ctx, plan->type, a[0], plan->n, k, SELECTED, a[2], &o->select);
    default:
        return ordo_topk(ctx, plan->type, a[0], plan->n, plan->choice & 0xffff, a[2],
                         plan->out_type, a[3], NULL, &o->select);
    }
}

static ordo_status run_measure(verb v, const call_plan *plan, call_place *place, const call_opts *o)
{
    static const double q[CALL_NUMBERS] = {0.5, 0, 1, 0.1, 0.25, 0.75, 0.9, 0.999, 0.3};
    ordo_ctx *const     ctx = place->ctx;
    const void *const   keys = place->arrays[0];
    size_t              found = SIZE_MAX;
    int                 sorted = -1;
    ordo_status         status = ORDO_E_UNSUPPORTED;

    switch (v) {
    case QUANTILES:
        return ordo_quantiles(ctx, plan->type, keys, plan->n, q, plan->choice & 0xff,
                              place->numbers, &o->quantile);
    case SORTED:
        status = ordo_is_sorted(ctx, plan->type, keys, plan->n, &sorted, &found, &o->order);
        place->numbers[1] = sorted;
        break;
    case RADIUS:
        status = ordo_radius(ctx, plan->type, keys, plan->n, &found, &o->order);
        break;
    default:
        status = ordo_runs(ctx, plan->type, keys, plan->n, &found, &o->order);
    }
    place->numbers[0] = (double)found;
    return status;
}

ordo_status calls_run(const call_plan *plan, call_place *place)
{
    verb const         v = verb_of(plan);
    call_opts const    o = opts_of(plan, place);
    void *const *const a = place->arrays;
    uint64_t           total = 0;
    size_t             first = 0;
    ordo_status        status;

    switch (v) {
    case SCAN:
        return ordo_scan(place->ctx, (ordo_op)(plan->choice & 0xf), plan->type, a[0], plan->n,
                         plan->out_type, a[2], &o.scan);
    case BITS:
        status = ordo_scan_bits(place->ctx, (ordo_flags_kind)(plan->choice & 0xf), a[1], plan->n,
                                plan->out_type, a[2], plan->waits ? &total : NULL, &o.scan);
        place->numbers[0] = (double)total;
        return status;
    case PARTITION:
        status =
            ordo_partition(place->ctx, (ordo_flags_kind)(plan->choice & 0xf), a[1], a[0], plan->n,
                           plan->choice >> 4 & 31, a[2], plan->waits ? &first : NULL, &o.partition);
        place->numbers[0] = (double)first;
        return status;
    case QUANTILES:
    case SORTED:
    case RADIUS:
    case RUNS:
        return run_measure(v, plan, place, &o);
    default:
        return run_keys(v, plan, place, &o);
    }
}

ordo_status calls_scratch(const call_plan *plan, call_place *place, size_t *bytes)
{
    call_opts const o = opts_of(plan, place);
    ordo_ctx *const ctx = place->ctx;
    uint32_t const  choice = plan->choice;

    *bytes = 0;
    switch (verb_of(plan)) {
    case SORT:
        return ordo_sort_scratch(ctx, plan->type, plan->n, &o.sort, bytes);
    case PAIRS:
        return ordo_sort_pairs_scratch(ctx, plan->type, plan->n, choice, &o.sort, bytes);
    case ARGSORT:
        return ordo_argsort_scratch(ctx, plan->type, plan->n, plan->out_type, &o.sort, bytes);
    case RANK:
        return ordo_rank_scratch(ctx, plan->type, plan->n, plan->out_type, &o.rank, bytes);
    case RANK_SORTED:
        return ordo_rank_sorted_scratch(ctx, plan->type, plan->n, plan->out_type, &o.rank, bytes);
    case SELECT:
        return ordo_select_scratch(ctx, plan->type, plan->n, SELECTED, &o.select, bytes);
    case TOPK:
        return ordo_topk_scratch(ctx, plan->type, plan->n, choice & 0xffff, &o.select, bytes);
    case SCAN:
        return ordo_scan_scratch(ctx, (ordo_op)(choice & 0xf), plan->type, plan->n, plan->out_type,
                                 &o.scan, bytes);
    case BITS:
        return ordo_scan_bits_scratch(ctx, (ordo_flags_kind)(choice & 0xf), plan->n, plan->out_type,
                                      &o.scan, bytes);
    case PARTITION:
        return ordo_partition_scratch(ctx, (ordo_flags_kind)(choice & 0xf), plan->n,
                                      choice >> 4 & 31, &o.partition, bytes);
    case RADIUS:
        return ordo_radius_scratch(ctx, plan->type, plan->n, &o.order, bytes);
    default:
        return ORDO_OK;
    }
}
