/* test_groups.c - ordo_group_*: every result of a group equals the result of a separate call on the
 * rows of that group. The groups themselves are found by a sort of the oracle. */
#include "faults.h"
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 1200,
    K = 3,
    Q = 3
};

static const double quantiles[Q] = {0.25, 0.5, 0.9};

typedef struct case_data { /* rows in the order of the groups, then of their numbers */
    ordo_type group_type, type;
    size_t    n, count, rows; /* rows: the number of rows that belong to a group */
    uint64_t  order[MOST];
    size_t    starts[MOST + 1];
    uint64_t  group_keys[MOST], keys[MOST];
} case_data;

static case_data data;

static int compare_groups(const void *user, size_t i, size_t j)
{
    const case_data *const d = user;
    return oracle_compare(d->group_type, d->group_keys, i, d->group_keys, j, false);
}

/* The order of the rows by their groups. */
static void make_order(uint32_t nans)
{
    case_data *const d = &data;
    size_t const     n = d->n;
    oracle_order(n, d->order, compare_groups, d);
    d->count = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || compare_groups(d, (size_t)d->order[i - 1], (size_t)d->order[i]) != 0)
            d->starts[d->count++] = i;
    d->starts[d->count] = d->rows = n;
    if (nans == ORDO_NANS_OMIT && d->count > 0 &&
        oracle_is_nan(d->group_type, d->group_keys, (size_t)d->order[d->starts[d->count - 1]]))
        d->rows = d->starts[--d->count];
}

/* `distinct`: the largest number of groups. */
static void make(ordo_type group_type, ordo_type type, size_t n, size_t distinct, uint32_t nans,
                 uint64_t seed)
{
    case_data *const d = &data;
    size_t const     size = ordo_type_size(group_type);
    test_rng         rng = {seed};
    d->group_type = group_type;
    d->type = type;
    d->n = n;
    inputs_fill(seed % inputs_count(), group_type, d->group_keys, n, seed);
    inputs_fill((seed / 3) % inputs_count(), type, d->keys, n, seed + 1);
    for (size_t i = distinct; i < n; i++)
        memcpy((char *)d->group_keys + i * size,
               (char *)d->group_keys + test_rng_below(&rng, distinct) * size, size);
    make_order(nans);
}

/* The keys of group g, in the order of their rows. */
static size_t keys_of(size_t g, void *out)
{
    size_t const n = data.starts[g + 1] - data.starts[g];
    oracle_gather(data.keys, ordo_type_size(data.type), data.order + data.starts[g], n, out);
    return n;
}

static uint64_t unique[MOST], sizes[MOST], index_out[MOST], part[MOST], part_out[MOST],
    part_index[MOST], ranks[MOST], values[MOST * K], rows[MOST * K], found[MOST];
static double results[MOST * Q], part_results[Q];

static void check_groups(size_t count)
{
    size_t const size = ordo_type_size(data.group_type);
    CHECK_EQ_U64(data.count, count);
    if (count != data.count)
        return;
    for (size_t g = 0; g < count; g++) {
        CHECK_EQ_U64(data.starts[g + 1] - data.starts[g], sizes[g]);
        CHECK(oracle_compare(data.group_type, unique, g, data.group_keys,
                             (size_t)data.order[data.starts[g]], false) == 0);
        uint64_t bits = 0;
        memcpy(&bits, (char *)unique + g * size, size);
        if (oracle_is_float(data.group_type))
            CHECK(bits << (64 - 8 * size) != UINT64_C(1) << 63); /* no -0 */
    }
}

static void check_argsort(ordo_ctx *ctx, bool descending)
{
    for (size_t g = 0; g < data.count; g++) {
        size_t const         n = keys_of(g, part);
        ordo_sort_opts const opts =
            ORDO_OPTS(ordo_sort_opts, .flags = descending ? ORDO_DESCENDING : 0);
        CHECK_STATUS(ORDO_OK, ordo_argsort(ctx, data.type, part, n, ORDO_U64, part_index, &opts),
                     ctx);
        bool same = true;
        for (size_t i = 0; i < n; i++)
            same = same && index_out[data.starts[g] + i] ==
                               data.order[data.starts[g] + (size_t)part_index[i]];
        CHECK(same);
    }
}

static double double_at(const void *array, size_t i)
{
    double value;
    memcpy(&value, (const char *)array + i * sizeof value, sizeof value);
    return value;
}

static void check_ranks(ordo_ctx *ctx, rank_rule rule, bool descending)
{
    size_t const size = ordo_type_size(rule.rank_type);
    for (size_t g = 0; g < data.count; g++) {
        size_t const         n = keys_of(g, part);
        ordo_rank_opts const opts =
            ORDO_OPTS(ordo_rank_opts, .flags = descending ? ORDO_DESCENDING : 0, .ties = rule.ties);
        CHECK_STATUS(ORDO_OK, ordo_rank(ctx, data.type, part, n, rule.rank_type, part_out, &opts),
                     ctx);
        oracle_gather(ranks, size, data.order + data.starts[g], n, part_index);
        CHECK_BYTES(part_out, part_index, n * size, size);
    }
    for (size_t i = data.rows; i < data.n; i++) {
        size_t const row = (size_t)data.order[i];
        if (rule.rank_type == ORDO_F64)
            CHECK(isnan(double_at(ranks, row)));
        else
            CHECK_EQ_U64(0, test_bytes_not((char *)ranks + row * size, size, 0));
    }
}

static uint64_t weights[MOST], part_weights[MOST];

/* `each` results of each group are those of a call with the keys and weights of the group. */
static void check_quantiles(ordo_ctx *ctx, const ordo_group_opts *opts, size_t each)
{
    ordo_quantile_opts const one = ORDO_OPTS(
        ordo_quantile_opts, .nans = opts->nans, .method = opts->method,
        .weights = opts->weights == NULL ? NULL : part_weights, .weight_type = opts->weight_type);
    for (size_t g = 0; g < data.count; g++) {
        size_t const n = keys_of(g, part);
        if (opts->weights != NULL)
            oracle_gather(weights, ordo_type_size((ordo_type)opts->weight_type),
                          data.order + data.starts[g], n, part_weights);
        CHECK_STATUS(
            ORDO_OK,
            each == 1 ? ordo_median(ctx, data.type, part, n, part_results, &one)
                      : ordo_quantiles(ctx, data.type, part, n, quantiles, Q, part_results, &one),
            ctx);
        CHECK_BYTES(part_results, results + g * each, each * sizeof(double), sizeof(double));
    }
}

static void check_topk(ordo_ctx *ctx, const ordo_group_opts *opts)
{
    size_t const           size = ordo_type_size(data.type);
    ordo_select_opts const one =
        ORDO_OPTS(ordo_select_opts, .flags = opts->flags, .nans = opts->nans);
    for (size_t g = 0; g < data.count; g++) {
        size_t const n = keys_of(g, part);
        size_t       count = 0;
        CHECK_STATUS(
            ORDO_OK,
            ordo_topk(ctx, data.type, part, n, K, part_out, ORDO_U64, part_index, &count, &one),
            ctx);
        CHECK_EQ_U64(count, found[g]);
        CHECK_BYTES(part_out, (char *)values + g * K * size, count * size, size);
        for (size_t j = 0; j < count; j++)
            CHECK_EQ_U64(data.order[data.starts[g] + (size_t)part_index[j]], rows[g * K + j]);
    }
}

static void try_case(size_t turn, uint32_t nans)
{
    ordo_ctx *const   ctx = next_context()->ctx;
    bool const        descending = turn % 2 != 0;
    rank_rule const   rule = inputs_rule(turn);
    size_t            count = 77;
    ordo_groups const groups = {
        sizeof groups, data.group_keys, (uint32_t)data.group_type, nans, MOST, unique,
        sizes,         &count};
    ordo_group_opts const flags =
        ORDO_OPTS(ordo_group_opts, .flags = descending ? ORDO_DESCENDING : 0, .ties = rule.ties);
    ordo_group_opts const quantile = ORDO_OPTS(ordo_group_opts, .nans = (uint32_t)(turn % 3),
                                               .method = (uint32_t)(turn % (ORDO_METHODS + 1)));
    ordo_group_opts const median = ORDO_OPTS(ordo_group_opts, .nans = (uint32_t)(turn % 3));
    ordo_group_opts const top =
        ORDO_OPTS(ordo_group_opts, .flags = flags.flags, .nans = (uint32_t)(turn / 2 % 2));
    CHECK_STATUS(ORDO_OK, ordo_group_counts(ctx, &groups, data.n, NULL), ctx);
    check_groups(count);
    CHECK_STATUS(
        ORDO_OK,
        ordo_group_argsort(ctx, &groups, data.type, data.keys, data.n, ORDO_U64, index_out, &flags),
        ctx);
    check_argsort(ctx, descending);
    CHECK_STATUS(
        ORDO_OK,
        ordo_group_argsort(ctx, &groups, data.type, NULL, data.n, ORDO_U64, index_out, NULL), ctx);
    CHECK_BYTES(data.order, index_out, data.rows * sizeof *index_out, sizeof *index_out);
    CHECK_STATUS(
        ORDO_OK,
        ordo_group_rank(ctx, &groups, data.type, data.keys, data.n, rule.rank_type, ranks, &flags),
        ctx);
    check_ranks(ctx, rule, descending);
    CHECK_STATUS(ORDO_OK,
                 ordo_group_quantiles(ctx, &groups, data.type, data.keys, data.n, quantiles, Q,
                                      results, &quantile),
                 ctx);
    check_quantiles(ctx, &quantile, Q);
    CHECK_STATUS(ORDO_OK,
                 ordo_group_median(ctx, &groups, data.type, data.keys, data.n, results, &median),
                 ctx);
    check_quantiles(ctx, &median, 1);
    CHECK_STATUS(ORDO_OK,
                 ordo_group_topk(ctx, &groups, data.type, data.keys, data.n, K, values, ORDO_U64,
                                 rows, found, &top),
                 ctx);
    check_topk(ctx, &top);
    check_groups(count);
}

static void test_all(void)
{
    static const size_t ns[] = {0, 1, 2, 40, 300, MOST};
    static const size_t distinct[] = {1, 4, 60, MOST};
    size_t              turn = 0;
    for (size_t a = 0; a < INPUTS_TYPES; a++)
        for (size_t b = 0; b < INPUTS_TYPES; b++)
            for (size_t i = 0; i < 3; i++, turn++) {
                size_t const   n = ns[(turn + i) % 6], most = distinct[(turn / 2) % 4];
                uint32_t const nans = turn % 3 == 0 ? ORDO_NANS_OMIT : ORDO_NANS_LAST;
                if (!testkit_run_case(7))
                    continue;
                make(inputs_types[a], inputs_types[b], n, most, nans, turn);
                testkit_case("%s by %s n=%zu distinct=%zu nans=%u turn=%zu",
                             ordo_type_name(inputs_types[b]), ordo_type_name(inputs_types[a]), n,
                             most, nans, turn);
                try_case(turn, nans);
            }
}

/* Group keys of a narrow range, up to the ends of the type. */
static void make_narrow(ordo_type group_type, size_t n, size_t distinct, size_t turn)
{
    size_t const   size = ordo_type_size(group_type);
    bool const     is_signed = group_type % 2 != 0;
    uint64_t const least = is_signed ? UINT64_MAX << (8 * size - 1) : 0;
    uint64_t const most = least + (UINT64_MAX >> (64 - 8 * size));
    uint64_t const base = turn % 3 == 0   ? least
                          : turn % 3 == 1 ? most - distinct + 1
                                          : least / 2 + 5 - distinct / 2;
    test_rng       rng = {turn};
    make(group_type, inputs_types[turn % INPUTS_TYPES], n, n, 0, turn);
    for (size_t i = 0; i < n; i++) {
        uint64_t const key = base + test_rng_below(&rng, distinct);
        for (size_t b = 0; b < size; b++) /* little endian, as all machines of the library */
            ((unsigned char *)data.group_keys)[i * size + b] = (unsigned char)(key >> 8 * b);
    }
    make_order(0);
}

static void test_narrow(void)
{
    static const size_t ns[] = {3, 4, 5, 40, 301, MOST};
    size_t              turn = 0;
    for (size_t a = 0; a < INPUTS_TYPES; a++)
        for (size_t i = 0; i < sizeof ns / sizeof *ns && !oracle_is_float(inputs_types[a]); i++)
            for (size_t distinct = 1; distinct <= ns[i] / 4 + 1 && distinct < 200;
                 distinct = 3 * distinct + 1, turn++) {
                if (!testkit_run_case(3))
                    continue;
                make_narrow(inputs_types[a], ns[i], distinct, turn);
                testkit_case("narrow %s by %s n=%zu distinct=%zu turn=%zu",
                             ordo_type_name(data.type), ordo_type_name(data.group_type), ns[i],
                             distinct, turn);
                try_case(turn, ORDO_NANS_LAST);
            }
}

/* Refuses the k-th request for scratch, or that one and all later ones. */
static void test_memory(ordo_ctx *ctx)
{
    size_t failed = 0, done = 0;
    faults_attach(ctx);
    make_narrow(ORDO_I32, 600, 20, 2);
    for (int only = 0; only < 2; only++)
        for (size_t at = 1; at < 12; at++) {
            size_t            count = 0;
            ordo_groups const groups = {sizeof groups, data.group_keys, ORDO_I32, 0,
                                        MOST,          unique,          sizes,    &count};
            faults_refuse(at, only != 0);
            testkit_case("refuse %zu only=%d", at, only);
            ordo_status const status =
                ordo_group_median(ctx, &groups, data.type, data.keys, data.n, results, NULL);
            CHECK(status == ORDO_OK || status == ORDO_E_NOMEM);
            bool const refused = faults_refused();
            faults_refuse(0, false);
            failed += status != ORDO_OK;
            if (status == ORDO_OK) {
                done += refused;
                check_groups(count);
                check_quantiles(ctx, &ORDO_OPTS(ordo_group_opts, .nans = 0), 1);
            }
        }
    CHECK(failed > 0 && done > 0);
    faults_detach();
}

static ordo_status call_kind(ordo_ctx *ctx, int kind, const ordo_groups *groups)
{
    ordo_type const       type = data.type;
    ordo_group_opts const weighted =
        ORDO_OPTS(ordo_group_opts, .weights = data.group_keys, .weight_type = ORDO_U32);
    return kind == 0
               ? ordo_group_argsort(ctx, groups, type, data.keys, data.n, ORDO_U64, index_out, NULL)
           : kind == 1
               ? ordo_group_rank(ctx, groups, type, data.keys, data.n, ORDO_U64, index_out, NULL)
           : kind == 2 ? ordo_group_median(ctx, groups, type, data.keys, data.n, results, &weighted)
                       : ordo_group_topk(ctx, groups, type, data.keys, data.n, 1, results, ORDO_U64,
                                         index_out, NULL, NULL);
}

/* After ORDO_E_NOMEM no array and no count has changed. */
static void test_refused_unchanged(ordo_ctx *ctx)
{
    size_t            count, failed[4] = {0};
    ordo_groups const groups = {sizeof groups, data.group_keys, ORDO_U32, 0,
                                MOST,          unique,          sizes,    &count};
    if (testkit_on_device()) /* requests for GPU memory are not counted */
        return;
    make_narrow(ORDO_U32, 600, 20, 2);
    faults_attach(ctx);
    for (int kind = 0; kind < 4; kind++)
        for (size_t at = 1; at < 40 && (at == 1 || faults_refused()); at++) {
            count = 0x55;
            memset(unique, 0x55, sizeof unique);
            memset(sizes, 0x55, sizeof sizes);
            memset(index_out, 0x55, sizeof index_out);
            memset(results, 0x55, sizeof results);
            testkit_case("kind=%d refuse %zu", kind, at);
            faults_refuse(at, true);
            ordo_status const status = call_kind(ctx, kind, &groups);
            if (status == ORDO_OK)
                continue;
            failed[kind]++;
            CHECK_STATUS(ORDO_E_NOMEM, status, ctx);
            CHECK_EQ_U64(0x55, count);
            CHECK_EQ_U64(0, test_bytes_not(unique, sizeof unique, 0x55) +
                                test_bytes_not(sizes, sizeof sizes, 0x55) +
                                test_bytes_not(index_out, sizeof index_out, 0x55) +
                                test_bytes_not(results, sizeof results, 0x55));
        }
    faults_detach();
    CHECK(failed[0] > 0 && failed[1] > 0 && failed[2] > 0 && failed[3] > 0);
}

/* More groups than the capacity, with group keys of a narrow range. */
static void test_capacity(ordo_ctx *ctx)
{
    size_t            count = 77;
    ordo_groups const groups = {sizeof groups, data.group_keys, ORDO_U8, 0, 4,
                                unique,        sizes,           &count};
    make_narrow(ORDO_U8, 400, 5, 1);
    testkit_case("capacity");
    memset(sizes, 0x55, sizeof sizes);
    memset(results, 0x55, sizeof results);
    CHECK_STATUS(ORDO_E_ARG, ordo_group_counts(ctx, &groups, data.n, NULL), ctx);
    CHECK(strstr(ordo_last_error(ctx), "5 groups") != NULL);
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_group_median(ctx, &groups, data.type, data.keys, data.n, results, NULL), ctx);
    CHECK_EQ_U64(0, test_bytes_not(sizes, sizeof sizes, 0x55));
    CHECK_EQ_U64(0, test_bytes_not(results, sizeof results, 0x55));
    CHECK_EQ_U64(77, count);
    ordo_groups const counted = {sizeof counted, data.group_keys, ORDO_U8, 0, 0, NULL,
                                 NULL,           &count};
    CHECK_STATUS(ORDO_OK, ordo_group_counts(ctx, &counted, data.n, NULL), ctx);
    CHECK_EQ_U64(5, count);
}

/* ---- Weights ---- */

/* Weights 0 to 4, as integers of any type or as floats. */
static void fill_weights(ordo_type type, size_t n, uint64_t seed)
{
    test_rng rng = {seed};
    for (size_t i = 0; i < n; i++) {
        unsigned const weight = (unsigned)test_rng_below(&rng, 5);
        float const    small = (float)weight / 4;
        double const   large = (double)weight / 3;
        if (oracle_is_float(type))
            memcpy((char *)weights + i * ordo_type_size(type),
                   type == ORDO_F32 ? (const void *)&small : (const void *)&large,
                   ordo_type_size(type));
        else
            oracle_put_bits(type, weights, i, weight);
    }
}

static void try_weights(size_t turn, ordo_type weight_type, uint32_t nans)
{
    ordo_ctx *const   ctx = next_context()->ctx;
    size_t            count = 77;
    ordo_groups const groups = {
        sizeof groups, data.group_keys, (uint32_t)data.group_type, nans, MOST, unique,
        sizes,         &count};
    uint32_t const  methods = oracle_is_float(weight_type) ? 10 : 14;
    ordo_group_opts opts = ORDO_OPTS(ordo_group_opts, .nans = (uint32_t)(turn % 3),
                                     .weights = weights, .weight_type = (uint32_t)weight_type);
    fill_weights(weight_type, data.n, turn);
    CHECK_STATUS(ORDO_OK,
                 ordo_group_median(ctx, &groups, data.type, data.keys, data.n, results, &opts),
                 ctx);
    check_groups(count);
    check_quantiles(ctx, &opts, 1);
    opts.method = (uint32_t)turn % methods;
    CHECK_STATUS(ORDO_OK,
                 ordo_group_quantiles(ctx, &groups, data.type, data.keys, data.n, quantiles, Q,
                                      results, &opts),
                 ctx);
    check_groups(count);
    check_quantiles(ctx, &opts, Q);
}

static void test_weights(void)
{
    static const size_t ns[] = {0, 1, 40, 301, MOST};
    static const size_t distinct[] = {1, 4, 60, MOST};
    for (size_t turn = 0; turn < 5 * INPUTS_TYPES; turn++) {
        ordo_type const group_type = inputs_types[turn % INPUTS_TYPES];
        ordo_type const type = inputs_types[(turn * 3 + turn / INPUTS_TYPES) % INPUTS_TYPES];
        ordo_type const weight_type = inputs_types[(turn * 7 + turn / 3) % INPUTS_TYPES];
        uint32_t const  nans = turn % 2 == 0 ? ORDO_NANS_OMIT : ORDO_NANS_LAST;
        if (!testkit_run_case(5))
            continue;
        make(group_type, type, ns[turn % 5], distinct[turn / 3 % 4], nans, turn);
        testkit_case("%s by %s, weights %s, n=%zu turn=%zu", ordo_type_name(type),
                     ordo_type_name(group_type), ordo_type_name(weight_type), data.n, turn);
        try_weights(turn, weight_type, nans);
    }
}

static void test_weight_arguments(ordo_ctx *ctx)
{
    size_t            count = 0;
    uint32_t          keys[4] = {3, 1, 3, 2}, ranked[4];
    double            out[4], some[4] = {1, 2, -1, 4};
    ordo_groups const groups = {sizeof groups, keys, ORDO_U32, 0, 4, NULL, NULL, &count};
    ordo_group_opts   opts =
        ORDO_OPTS(ordo_group_opts, .weights = some, .weight_type = (uint32_t)ORDO_F64);
    testkit_case("arguments of weights");
    CHECK_STATUS(ORDO_E_ARG, ordo_group_median(ctx, &groups, ORDO_U32, keys, 4, out, &opts), ctx);
    CHECK(strstr(ordo_last_error(ctx), "weights[2] is -1") != NULL);
    some[2] = 3;
    CHECK_STATUS(ORDO_OK, ordo_group_median(ctx, &groups, ORDO_U32, keys, 4, out, &opts), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_group_median(ctx, &groups, ORDO_U32, keys, 4, some, &opts), ctx);
    CHECK_STATUS(ORDO_E_UNSUPPORTED,
                 ordo_group_rank(ctx, &groups, ORDO_U32, keys, 4, ORDO_U32, ranked, &opts), ctx);
    opts.method = ORDO_METHOD_LOWER;
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_group_quantiles(ctx, &groups, ORDO_U32, keys, 4, quantiles, 1, out, &opts),
                 ctx);
    opts = ORDO_OPTS(ordo_group_opts, .weight_type = (uint32_t)ORDO_F64);
    CHECK_STATUS(ORDO_E_ARG, ordo_group_median(ctx, &groups, ORDO_U32, keys, 4, out, &opts), ctx);
}

/* ---- Many rows ---- */

enum {
    MANY = 40000
};

static union {
    uint8_t u8[MANY];
    int32_t i32[MANY];
    double  f64[MANY];
} many_keys, many_unique;
static uint64_t many_sizes[MANY], wanted_sizes[MANY];

/* The keys of MANY rows: i * 7 % distinct; of f64 keys 0 is -0 or +0, and 1 is one of two NaNs. */
static void fill_many(ordo_type type, size_t distinct)
{
    memset(wanted_sizes, 0, sizeof wanted_sizes);
    for (size_t i = 0; i < MANY; i++) {
        size_t const number = i * 7 % distinct;
        wanted_sizes[number]++;
        if (type == ORDO_U8)
            many_keys.u8[i] = (uint8_t)number;
        else if (type == ORDO_I32)
            many_keys.i32[i] = (int32_t)number;
        else
            many_keys.f64[i] = number == 0   ? (i % 2 ? -0.0 : 0.0)
                               : number == 1 ? (i % 3 ? (double)NAN : -(double)NAN)
                                             : (double)number;
    }
}

static bool is_right(ordo_type type, size_t g, size_t number)
{
    double const key = type == ORDO_U8    ? many_unique.u8[g]
                       : type == ORDO_I32 ? many_unique.i32[g]
                                          : many_unique.f64[g];
    bool const   same =
        type == ORDO_F64 && number == 1 ? isnan(key) != 0 : key == (double)number && !signbit(key);
    return same && many_sizes[g] == wanted_sizes[number];
}

/* Counts by hash and by sort, with no more scratch than the size query says. */
static void try_many(ordo_type type, size_t distinct, uint32_t nans)
{
    ordo_ctx_opts opts = ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU, .threads = 2);
    ordo_ctx     *ctx;
    size_t        count = 0, bytes = 0, wrong = 0;
    bool const    nan = type == ORDO_F64 && distinct > 1;
    ordo_groups   groups = {sizeof groups, &many_keys,   type,       nans,
                            MANY,          &many_unique, many_sizes, &count};

    testkit_case("%s n=%d distinct=%zu nans=%u", ordo_type_name(type), MANY, distinct, nans);
    fill_many(type, distinct);
    CHECK_STATUS(ORDO_OK, ordo_ctx_create(&ctx, &opts), NULL);
    CHECK_STATUS(ORDO_OK, ordo_group_scratch(ctx, MANY, &bytes), ctx);
    ordo_ctx_free(ctx);
    opts.mem_limit = bytes;
    CHECK_STATUS(ORDO_OK, ordo_ctx_create(&ctx, &opts), NULL);
    CHECK_STATUS(ORDO_OK, ordo_group_counts(ctx, &groups, MANY, NULL), ctx);
    ordo_ctx_free(ctx);
    CHECK_EQ_U64(distinct - (nan && nans == ORDO_NANS_OMIT), count);
    for (size_t g = 0; g < count; g++) /* NaNs, the number 1, are last */
        wrong += !is_right(type, g, nan && g > 0 ? (g + 1 < distinct ? g + 1 : 1) : g);
    CHECK_EQ_U64(0, wrong);
}

static void test_many(void)
{
    static const ordo_type types[] = {ORDO_U8, ORDO_I32, ORDO_F64};
    static const size_t    distinct[] = {1, 2, 200, 1500, 30011};
    for (size_t t = 0; t < 3; t++)
        for (size_t d = 0; d < (t == 0 ? 3u : 5u); d++)
            for (uint32_t nans = ORDO_NANS_LAST; nans <= ORDO_NANS_OMIT; nans++)
                try_many(types[t], distinct[d], nans);
}

static void test_arguments(ordo_ctx *ctx)
{
    size_t                count = 0, bytes = 0;
    uint32_t              keys[4] = {3, 1, 3, 2}, index[4];
    double                out[4];
    ordo_groups           groups = {sizeof groups, keys, ORDO_U32, 0, 2, NULL, sizes, &count};
    ordo_group_opts const device = ORDO_OPTS(ordo_group_opts, .flags = ORDO_ON_DEVICE);
    ordo_group_opts const hazen = ORDO_OPTS(ordo_group_opts, .method = ORDO_METHOD_HAZEN);
    double const          wrong = 1.5;
    testkit_case("arguments");
    memset(sizes, 0x55, sizeof sizes);
    CHECK_STATUS(ORDO_E_ARG, ordo_group_counts(ctx, &groups, 4, NULL), ctx);
    CHECK(strstr(ordo_last_error(ctx), "3 groups") != NULL);
    CHECK_EQ_U64(0, test_bytes_not(sizes, sizeof sizes, 0x55));
    CHECK_STATUS(ORDO_E_ARG, ordo_group_counts(ctx, NULL, 4, NULL), ctx);
    CHECK(ordo_group_counts(ctx, &groups, 4, &device) !=
          ORDO_OK); /* the arrays are no GPU memory */
    groups.capacity = 4;
    CHECK_STATUS(ORDO_OK, ordo_group_counts(ctx, &groups, 4, NULL), ctx);
    CHECK_EQ_U64(3, count);
    CHECK_STATUS(ORDO_E_ARG, ordo_group_median(ctx, &groups, ORDO_U32, keys, 4, out, &hazen), ctx);
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_group_quantiles(ctx, &groups, ORDO_U32, keys, 4, &wrong, 1, out, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_group_rank(ctx, &groups, ORDO_U32, keys, 4, ORDO_U32, keys, NULL),
                 ctx);
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_group_argsort(ctx, &groups, ORDO_U32, keys, 4, ORDO_F32, index, NULL), ctx);
    groups.nans = ORDO_NANS_PROPAGATE;
    CHECK_STATUS(ORDO_E_ARG, ordo_group_counts(ctx, &groups, 4, NULL), ctx);
    CHECK_STATUS(ORDO_OK, ordo_group_scratch(ctx, 1000, &bytes), ctx);
    CHECK(bytes >= 17000);
}

int main(void)
{
    testkit_start();
    test_contexts_start();
    test_all();
    test_narrow();
    test_refused_unchanged(next_context()->ctx);
    test_memory(next_context()->ctx);
    test_capacity(next_context()->ctx);
    test_weights();
    test_weight_arguments(next_context()->ctx);
    test_many();
    test_arguments(next_context()->ctx);
    return testkit_done();
}
