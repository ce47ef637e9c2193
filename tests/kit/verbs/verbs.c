/* verbs.c - see verbs.h. All calls have exact results; test_scan.c tests sums of floats. */
#include "kit/verbs/verbs.h"

#include "inputs.h"
#include "kit/verbs/verbs_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const verb_entry verbs[VERBS] = {
    {"rank_sorted min", RANK_SORTED, ORDO_F32, ORDO_U32, ORDO_TIES_MIN, 0, 0, IN_ORDER},
    {"rank_sorted average", RANK_SORTED, ORDO_F32, ORDO_F64, ORDO_TIES_AVERAGE, 0, 0, IN_ORDER},
    {"rank_sorted dense threads", RANK_SORTED, ORDO_F32, ORDO_U64, ORDO_TIES_DENSE,
     ORDO_ALGORITHM_THREADS, 0, IN_ORDER},
    {"rank_sorted max sequential", RANK_SORTED, ORDO_F32, ORDO_U32, ORDO_TIES_MAX,
     ORDO_ALGORITHM_SEQUENTIAL, 0, IN_ORDER},
    {"rank_sorted dense checked", RANK_SORTED, ORDO_F32, ORDO_U32, ORDO_TIES_DENSE, 0, ORDO_CHECK,
     IN_ORDER},
    {"scan sum u32", SCAN, ORDO_U32, ORDO_U32, ORDO_SUM, 0, 0, WORDS},
    {"scan max u32 exclusive", SCAN, ORDO_U32, ORDO_U32, ORDO_MAX, 0, ORDO_EXCLUSIVE, WORDS},
    {"scan_bits bytes", BITS, NO_TYPE, ORDO_U32, ORDO_FLAG_BYTES, 0, 0, NONE},
    {"scan_bits bits", BITS, NO_TYPE, ORDO_U64, ORDO_FLAG_BITS, 0, 0, NONE},
    {"partition", PARTITION, NO_TYPE, NO_TYPE, ORDO_FLAG_BYTES, 0, 0, NONE},
    {"is_sorted", SORTED, ORDO_F32, NO_TYPE, 0, 0, 0, IN_ORDER},
    {"copy", COPY, NO_TYPE, NO_TYPE, 0, 0, 0, NONE},
    {"sort f32", SORT, ORDO_F32, NO_TYPE, 0, 0, 0, UNSORTED},
    {"sort u32 descending", SORT, ORDO_U32, NO_TYPE, 0, 0, ORDO_DESCENDING, WORDS},
    {"sort of a sorted array", SORT, ORDO_F32, NO_TYPE, 0, 0, 0, IN_ORDER},
    {"sort of a nearly sorted array", SORT, ORDO_I32, NO_TYPE, 0, 0, 0, NEARLY_SORTED},
    {"sort radix", SORT, ORDO_U32, NO_TYPE, 0, ORDO_ALGORITHM_RADIX, 0, WORDS},
    {"sort sample", SORT, ORDO_F32, NO_TYPE, 0, ORDO_ALGORITHM_SAMPLE, 0, UNSORTED},
    {"sort merge", SORT, ORDO_F32, NO_TYPE, 0, ORDO_ALGORITHM_MERGE, 0, UNSORTED},
    {"sort bitonic", SORT, ORDO_U32, NO_TYPE, 0, ORDO_ALGORITHM_BITONIC, 0, WORDS},
    {"sort split", SORT, ORDO_U32, NO_TYPE, 0, ORDO_ALGORITHM_SPLIT, 0, WORDS},
    {"sort bubble", SORT, ORDO_I32, NO_TYPE, 0, ORDO_ALGORITHM_BUBBLE, 0, NEARLY_SORTED},
    {"sort rough", SORT, ORDO_I32, NO_TYPE, 0, ORDO_ALGORITHM_ROUGH, 0, NEARLY_SORTED},
    {"sort halving", SORT, ORDO_I32, NO_TYPE, 0, ORDO_ALGORITHM_HALVING, 0, NEARLY_SORTED},
    {"sort windows", SORT, ORDO_I32, NO_TYPE, 0, ORDO_ALGORITHM_WINDOWS, 0, NEARLY_SORTED},
    {"sort_pairs f32 + 4", PAIRS, ORDO_F32, NO_TYPE, 4, 0, 0, UNSORTED},
    {"sort_pairs u32 + 12 descending merge", PAIRS, ORDO_U32, NO_TYPE, 12, ORDO_ALGORITHM_MERGE,
     ORDO_DESCENDING, WORDS},
    {"argsort u32", ARGSORT, ORDO_F32, ORDO_U32, 0, 0, 0, UNSORTED},
    {"argsort u64 sample", ARGSORT, ORDO_F32, ORDO_U64, 0, ORDO_ALGORITHM_SAMPLE, 0, UNSORTED},
    {"rank min", RANK, ORDO_F32, ORDO_U32, ORDO_TIES_MIN, 0, 0, UNSORTED},
    {"rank average descending", RANK, ORDO_F32, ORDO_F64, ORDO_TIES_AVERAGE, 0, ORDO_DESCENDING,
     UNSORTED},
    {"radius", RADIUS, ORDO_I32, NO_TYPE, 0, 0, 0, NEARLY_SORTED},
    {"radius sequential", RADIUS, ORDO_F32, NO_TYPE, 0, ORDO_ALGORITHM_SEQUENTIAL, 0, UNSORTED},
    {"runs", RUNS, ORDO_F32, NO_TYPE, 0, 0, 0, UNSORTED},
    {"select", SELECT, ORDO_F32, NO_TYPE, 0, 0, 0, UNSORTED},
    {"select radix descending", SELECT, ORDO_U32, NO_TYPE, 0, ORDO_ALGORITHM_RADIX, ORDO_DESCENDING,
     WORDS},
    {"select merge", SELECT, ORDO_F32, NO_TYPE, 0, ORDO_ALGORITHM_MERGE, 0, UNSORTED},
    {"topk", TOPK, ORDO_F32, ORDO_U32, 0, 0, ORDO_DESCENDING, UNSORTED},
    {"quantiles", QUANTILES, ORDO_U32, NO_TYPE, 0, 0, 0, WORDS},
    {"median", MEDIAN, ORDO_U32, NO_TYPE, 0, 0, 0, WORDS},
    {"sort_by", SORT_BY, NO_TYPE, NO_TYPE, 0, 0, 0, NONE},
    {"sort_by stable", SORT_BY, NO_TYPE, NO_TYPE, 0, 0, ORDO_STABLE, NONE},
    {"argsort_strings", ARGSORT_STRINGS, NO_TYPE, ORDO_U32, 0, 0, 0, NONE},
    {"sort_strings descending", SORT_STRINGS, NO_TYPE, NO_TYPE, 0, 0, ORDO_DESCENDING, NONE},
    {"sort_pointers", SORT_POINTERS, NO_TYPE, NO_TYPE, 0, 0, ORDO_STABLE, NONE},
    {"rank_strings", RANK_STRINGS, NO_TYPE, ORDO_U32, ORDO_TIES_MIN, 0, 0, NONE},
    {"select_strings", SELECT_STRINGS, NO_TYPE, NO_TYPE, 0, 0, 0, NONE},
};

const char *verb_kind_name(verb_kind kind)
{
    static const char *const names[] = {
        [RANK_SORTED] = "rank_sorted",
        [SCAN] = "scan",
        [BITS] = "scan_bits",
        [PARTITION] = "partition",
        [SORT] = "sort",
        [PAIRS] = "sort_pairs",
        [ARGSORT] = "argsort",
        [RANK] = "rank",
        [RADIUS] = "radius",
        [SELECT] = "select",
        [TOPK] = "topk",
        [QUANTILES] = "quantiles",
        [MEDIAN] = "median",
        [SORT_BY] = "sort_by",
        [RUNS] = "runs",
        [SORTED] = "is_sorted",
        [COPY] = "copy",
        [ARGSORT_STRINGS] = "argsort_strings",
        [SORT_STRINGS] = "sort_strings",
        [SORT_POINTERS] = "sort_pointers",
        [RANK_STRINGS] = "rank_strings",
        [SELECT_STRINGS] = "select_strings",
        [SORT_FROM] = "sort",
    };
    return names[kind];
}

const char *verb_name(size_t verb) { return verbs[verb].name; }
const char *verb_operation(size_t verb) { return verb_kind_name(verbs[verb].kind); }
ordo_type   verb_type(size_t verb) { return verbs[verb].type; }
bool        verb_has_scratch(size_t verb) { return verbs[verb].kind <= TOPK; }

verb_data verb_data_make(size_t n)
{
    verb_data data = {.n = n, .out_bytes = n * OUT_ELEMENT + OUT_MORE};
    data.sorted = test_need(n * sizeof *data.sorted);
    data.unsorted = test_need(n * sizeof *data.unsorted);
    data.nearly_sorted = test_need(n * sizeof *data.nearly_sorted);
    data.words = test_need(n * ELEMENT);
    data.keys = test_need(n * sizeof(uint64_t));
    data.flags = test_need(n);
    data.text = test_need(n * STRING_MOST);
    data.offsets = test_need((n + 1) * sizeof *data.offsets);
    data.pointers = test_need(n * sizeof *data.pointers);
    data.out = test_need(data.out_bytes);
    data.before = test_need(data.out_bytes);
    inputs_fill_sorted(inputs_find("recurrence 0.5"), ORDO_F32, data.sorted, n, false, 1);
    inputs_fill(inputs_find("some NaNs"), ORDO_F32, data.unsorted, n, 4);
    inputs_fill(inputs_find("roughly sorted by 3"), ORDO_I32, data.nearly_sorted, n, 5);
    inputs_fill(0, ORDO_U32, data.words, n * ELEMENT / 4, 2);
    inputs_flags(ORDO_FLAG_BYTES, data.flags, n, 8, 3);
    for (size_t i = 0; i < n; i++) {
        char *const string = data.text + data.offsets[i];
        int const   length = snprintf(string, STRING_MOST, "%u",
                                      (data.words[i] & 0xffff) * (data.words[i] >> 16 & 1));
        data.pointers[i] = string;
        data.offsets[i + 1] = data.offsets[i] + (uint64_t)length + 1;
    }
    return data;
}

void verb_data_free(verb_data *data)
{
    void *const arrays[] = {data->sorted,   data->unsorted, data->nearly_sorted, data->words,
                            data->keys,     data->flags,    data->text,          data->offsets,
                            data->pointers, data->out,      data->before};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    for (size_t v = 0; v < VERBS; v++)
        free(data->expected[v]);
}

void verb_data_fill(verb_data *data, size_t shape, ordo_type type, bool sorted, bool desc)
{
    if (sorted)
        inputs_fill_sorted(shape, type, data->keys, data->n, desc, shape + 1);
    else
        inputs_fill(shape, type, data->keys, data->n, shape + 1);
}

const void *verb_input_of(const verb_entry *v, const verb_data *data)
{
    switch (v->input) {
    case IN_ORDER:
        return data->sorted;
    case UNSORTED:
        return data->unsorted;
    case NEARLY_SORTED:
        return data->nearly_sorted;
    case WORDS:
        return data->words;
    case KEYS:
        return data->keys;
    case NONE:
        break;
    }
    return NULL;
}

uint64_t *verb_out_offsets(const verb_data *data, unsigned char *out)
{
    uint64_t const bytes = data->offsets[data->n];
    return (uint64_t *)(void *)(out + (bytes + 7) / 8 * 8);
}

size_t verb_second(size_t n) { return n * sizeof(uint64_t); }

/* A permutation of the numbers below MOST_CHOSEN. */
static size_t mixed(size_t j) { return j * 37 % MOST_CHOSEN; }

size_t verb_choose(const verb_entry *v, size_t n, size_t k[MOST_CHOSEN])
{
    size_t const chosen[CHOSEN] = {n / 2, 0, n - 1, n / 3, n / 2};
    if (v->choice != MOST_CHOSEN) {
        memcpy(k, chosen, sizeof chosen);
        return CHOSEN;
    }
    for (size_t j = 0; j < MOST_CHOSEN; j++)
        k[j] = mixed(j) * (n - 1) / (MOST_CHOSEN - 1);
    return MOST_CHOSEN;
}

size_t verb_choose_q(const verb_entry *v, double q[MOST_CHOSEN])
{
    static const double chosen[CHOSEN] = {0.5, 0, 1, 0.5, 0};
    if (v->choice != MOST_CHOSEN) {
        memcpy(q, chosen, sizeof chosen);
        return CHOSEN;
    }
    for (size_t j = 0; j < MOST_CHOSEN; j++)
        q[j] = (double)mixed(j) / (MOST_CHOSEN - 1);
    return MOST_CHOSEN;
}

size_t verb_element(const verb_entry *v) { return v->choice == 0 ? ELEMENT : v->choice; }

size_t verb_elements(const verb_entry *v, size_t n) { return n * ELEMENT / verb_element(v); }

size_t verb_topk(size_t n) { return n / 10 + 1; }

int verb_by_words(void *user, const void *a, const void *b)
{
    uint32_t x[ELEMENT / 4], y[ELEMENT / 4];
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    if (user != NULL)
        return (int)(x[0] & 0xff) - (int)(y[0] & 0xff);
    for (size_t i = 0; i < ELEMENT / 4; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static void prepare(const verb_entry *v, verb_data *data)
{
    size_t const n = data->n;
    memset(data->out, FILL_BYTE, data->out_bytes);
    if (v->kind == SORT || v->kind == PAIRS)
        memcpy(data->out, verb_input_of(v, data), ordo_type_size(v->type) * n);
    if (v->kind == PAIRS)
        memcpy(data->out + verb_second(n), data->words, n * v->choice);
    if (v->kind == SORT_BY)
        memcpy(data->out, data->words, n * ELEMENT);
    if (v->kind == SORT_POINTERS)
        memcpy(data->out, data->pointers, n * sizeof *data->pointers);
    memcpy(data->before, data->out, data->out_bytes);
    data->scalar = FILL_SCALAR;
}

/* The options of a call for every verb. */
typedef struct verb_opts {
    ordo_sort_opts     sort;
    ordo_rank_opts     rank;
    ordo_scan_opts     scan;
    ordo_order_opts    order;
    ordo_select_opts   select;
    ordo_quantile_opts quantile;
} verb_opts;

static verb_opts opts_of(const verb_entry *v, const void *keys, size_t n)
{
    bool const     has_radius = v->kind == SORT || v->kind == SORT_FROM || v->kind == ARGSORT;
    uint32_t const a = v->algorithm, flags = v->flags;
    return (verb_opts){
        .sort = ORDO_OPTS(ordo_sort_opts, .flags = flags, .algorithm = a,
                          .radius = has_radius && v->choice < n ? v->choice : 0,
                          .source = v->kind == SORT_FROM ? keys : NULL),
        .rank = ORDO_OPTS(ordo_rank_opts, .flags = flags, .ties = v->choice, .algorithm = a),
        .scan = ORDO_OPTS(ordo_scan_opts, .flags = flags),
        .order = ORDO_OPTS(ordo_order_opts, .flags = flags, .algorithm = a),
        .select = ORDO_OPTS(ordo_select_opts, .flags = flags, .algorithm = a),
        .quantile = ORDO_OPTS(ordo_quantile_opts, .algorithm = a),
    };
}

static ordo_status run_order(const verb_entry *v, ordo_ctx *ctx, verb_data *data)
{
    size_t const         n = data->n;
    const void *const    keys = verb_input_of(v, data);
    unsigned char *const out = data->out, *const second = out + verb_second(n);
    verb_opts const o = opts_of(v, keys, n);
    size_t          k[MOST_CHOSEN], found = SIZE_MAX;
    double          q[MOST_CHOSEN];
    ordo_status     status;

    switch (v->kind) {
    case SORT:
    case SORT_FROM:
        return ordo_sort(ctx, v->type, out, n, &o.sort);
    case PAIRS:
        return ordo_sort_pairs(ctx, v->type, out, n, second, v->choice, &o.sort);
    case ARGSORT:
        return ordo_argsort(ctx, v->type, keys, n, v->out_type, out, &o.sort);
    case RANK:
        return ordo_rank(ctx, v->type, keys, n, v->out_type, out, &o.rank);
    case SELECT:
        return ordo_select(ctx, v->type, keys, n, k, verb_choose(v, n, k), out, &o.select);
    case TOPK:
        status = ordo_topk(ctx, v->type, keys, n, verb_topk(n), out, v->out_type, second, &found,
                           &o.select);
        break;
    case QUANTILES:
        return ordo_quantiles(ctx, v->type, keys, n, q, verb_choose_q(v, q), (double *)(void *)out,
                              &o.quantile);
    case MEDIAN:
        return ordo_median(ctx, v->type, keys, n, (double *)(void *)out, &o.quantile);
    default:
        return ordo_sort_by(ctx, out, verb_elements(v, n), verb_element(v), verb_by_words,
                            v->flags != 0 ? data : NULL, &o.sort);
    }
    if (found != SIZE_MAX)
        data->scalar = found;
    return status;
}

static ordo_status run_strings(const verb_entry *v, ordo_ctx *ctx, verb_data *data)
{
    ordo_strings const strings = {
        .struct_size = sizeof strings, .bytes = data->text, .offsets = data->offsets};
    ordo_strings const by_pointer = {.struct_size = sizeof by_pointer, .pointers = data->pointers};
    verb_opts const    o = opts_of(v, NULL, data->n);
    size_t             k[MOST_CHOSEN];

    switch (v->kind) {
    case ARGSORT_STRINGS:
        return ordo_argsort_strings(ctx, &strings, data->n, v->out_type, data->out, &o.sort);
    case SORT_STRINGS:
        return ordo_sort_strings(ctx, &strings, data->n, (char *)data->out,
                                 verb_out_offsets(data, data->out), &o.sort);
    case SORT_POINTERS:
        return ordo_sort_pointers(ctx, (const char **)(void *)data->out, data->n, &o.sort);
    case RANK_STRINGS:
        return ordo_rank_strings(ctx, &by_pointer, data->n, v->out_type, data->out, &o.rank);
    default:
        return ordo_select_strings(ctx, &strings, data->n, k, verb_choose(v, data->n, k),
                                   (uint64_t *)(void *)data->out, &o.sort);
    }
}

ordo_status verb_run(size_t verb, ordo_ctx *ctx, verb_data *data)
{
    return verb_call(&verbs[verb], ctx, data);
}

ordo_status verb_call(const verb_entry *v, ordo_ctx *ctx, verb_data *data)
{
    size_t const      n = data->n;
    const void *const keys = verb_input_of(v, data);
    verb_opts const   o = opts_of(v, keys, n);
    size_t            found = SIZE_MAX;
    int               sorted = -1;
    ordo_status       status = ORDO_E_UNSUPPORTED;

    prepare(v, data);
    switch (v->kind) {
    case RANK_SORTED:
        return ordo_rank_sorted(ctx, v->type, keys, n, v->out_type, data->out, &o.rank);
    case SCAN:
        return ordo_scan(ctx, (ordo_op)v->choice, v->type, keys, n, v->out_type, data->out,
                         &o.scan);
    case BITS:
        return ordo_scan_bits(ctx, (ordo_flags_kind)v->choice, data->flags, n, v->out_type,
                              data->out, &data->scalar, &o.scan);
    case PARTITION:
        status = ordo_partition(ctx, (ordo_flags_kind)v->choice, data->flags, data->words, n,
                                ELEMENT, data->out, &found, NULL);
        break;
    case SORTED:
        status = ordo_is_sorted(ctx, v->type, keys, n, &sorted, &found, &o.order);
        if (sorted != -1 && sorted != (found == n))
            found = SIZE_MAX - 1; /* a wrong result for every verb */
        break;
    case RADIUS:
        status = ordo_radius(ctx, v->type, keys, n, &found, &o.order);
        break;
    case RUNS:
        status = ordo_runs(ctx, v->type, keys, n, &found, &o.order);
        break;
    case COPY:
        return ordo_copy(ctx, data->out, data->words, n * ELEMENT);
    case ARGSORT_STRINGS:
    case SORT_STRINGS:
    case SORT_POINTERS:
    case RANK_STRINGS:
    case SELECT_STRINGS:
        return run_strings(v, ctx, data);
    default:
        return run_order(v, ctx, data);
    }
    if (found != SIZE_MAX)
        data->scalar = found;
    return status;
}

ordo_status verb_scratch(size_t verb, ordo_ctx *ctx, size_t n, size_t *bytes)
{
    const verb_entry *const v = &verbs[verb];
    verb_opts const         o = opts_of(v, NULL, n);

    switch (v->kind) {
    case RANK_SORTED:
        return ordo_rank_sorted_scratch(ctx, v->type, n, v->out_type, &o.rank, bytes);
    case SCAN:
        return ordo_scan_scratch(ctx, (ordo_op)v->choice, v->type, n, v->out_type, &o.scan, bytes);
    case BITS:
        return ordo_scan_bits_scratch(ctx, (ordo_flags_kind)v->choice, n, v->out_type, &o.scan,
                                      bytes);
    case PARTITION:
        return ordo_partition_scratch(ctx, (ordo_flags_kind)v->choice, n, ELEMENT, NULL, bytes);
    case SORT:
        return ordo_sort_scratch(ctx, v->type, n, &o.sort, bytes);
    case PAIRS:
        return ordo_sort_pairs_scratch(ctx, v->type, n, v->choice, &o.sort, bytes);
    case ARGSORT:
        return ordo_argsort_scratch(ctx, v->type, n, v->out_type, &o.sort, bytes);
    case RANK:
        return ordo_rank_scratch(ctx, v->type, n, v->out_type, &o.rank, bytes);
    case RADIUS:
        return ordo_radius_scratch(ctx, v->type, n, &o.order, bytes);
    case SELECT:
        return ordo_select_scratch(ctx, v->type, n, CHOSEN, &o.select, bytes);
    case TOPK:
        return ordo_topk_scratch(ctx, v->type, n, verb_topk(n), &o.select, bytes);
    default:
        *bytes = 0;
        return ORDO_OK;
    }
}
