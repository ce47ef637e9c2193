/* verbs.c - see verbs.h. Sums of floats are left to test_scan.c: these calls have exact answers. */
#include "verbs.h"

#include "inputs.h"
#include "verbs_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const verb_entry verbs[VERBS] = {
    {"rank_sorted min", "rank_sorted", RANK_SORTED, ORDO_F32, ORDO_U32, ORDO_TIES_MIN, 0, 0,
     IN_ORDER},
    {"rank_sorted average", "rank_sorted", RANK_SORTED, ORDO_F32, ORDO_F64, ORDO_TIES_AVERAGE, 0, 0,
     IN_ORDER},
    {"rank_sorted dense threads", "rank_sorted", RANK_SORTED, ORDO_F32, ORDO_U64, ORDO_TIES_DENSE,
     ORDO_ALGORITHM_THREADS, 0, IN_ORDER},
    {"rank_sorted max sequential", "rank_sorted", RANK_SORTED, ORDO_F32, ORDO_U32, ORDO_TIES_MAX,
     ORDO_ALGORITHM_SEQUENTIAL, 0, IN_ORDER},
    {"rank_sorted dense checked", "rank_sorted", RANK_SORTED, ORDO_F32, ORDO_U32, ORDO_TIES_DENSE,
     0, ORDO_CHECK, IN_ORDER},
    {"scan sum u32", "scan", SCAN, ORDO_U32, ORDO_U32, ORDO_SUM, 0, 0, WORDS},
    {"scan max u32 exclusive", "scan", SCAN, ORDO_U32, ORDO_U32, ORDO_MAX, 0, ORDO_EXCLUSIVE,
     WORDS},
    {"scan_bits bytes", "scan_bits", BITS, NO_TYPE, ORDO_U32, ORDO_FLAG_BYTES, 0, 0, NONE},
    {"scan_bits bits", "scan_bits", BITS, NO_TYPE, ORDO_U64, ORDO_FLAG_BITS, 0, 0, NONE},
    {"partition", "partition", PARTITION, NO_TYPE, NO_TYPE, ORDO_FLAG_BYTES, 0, 0, NONE},
    {"is_sorted", "is_sorted", SORTED, ORDO_F32, NO_TYPE, 0, 0, 0, IN_ORDER},
    {"copy", "copy", COPY, NO_TYPE, NO_TYPE, 0, 0, 0, NONE},
    {"sort f32", "sort", SORT, ORDO_F32, NO_TYPE, 0, 0, 0, LOOSE},
    {"sort u32 descending", "sort", SORT, ORDO_U32, NO_TYPE, 0, 0, ORDO_DESCENDING, WORDS},
    {"sort of a sorted array", "sort", SORT, ORDO_F32, NO_TYPE, 0, 0, 0, IN_ORDER},
    {"sort of a rough array", "sort", SORT, ORDO_I32, NO_TYPE, 0, 0, 0, ROUGH},
    {"sort radix", "sort", SORT, ORDO_U32, NO_TYPE, 0, ORDO_ALGORITHM_RADIX, 0, WORDS},
    {"sort sample", "sort", SORT, ORDO_F32, NO_TYPE, 0, ORDO_ALGORITHM_SAMPLE, 0, LOOSE},
    {"sort merge", "sort", SORT, ORDO_F32, NO_TYPE, 0, ORDO_ALGORITHM_MERGE, 0, LOOSE},
    {"sort bitonic", "sort", SORT, ORDO_U32, NO_TYPE, 0, ORDO_ALGORITHM_BITONIC, 0, WORDS},
    {"sort split", "sort", SORT, ORDO_U32, NO_TYPE, 0, ORDO_ALGORITHM_SPLIT, 0, WORDS},
    {"sort bubble", "sort", SORT, ORDO_I32, NO_TYPE, 0, ORDO_ALGORITHM_BUBBLE, 0, ROUGH},
    {"sort rough", "sort", SORT, ORDO_I32, NO_TYPE, 0, ORDO_ALGORITHM_ROUGH, 0, ROUGH},
    {"sort halving", "sort", SORT, ORDO_I32, NO_TYPE, 0, ORDO_ALGORITHM_HALVING, 0, ROUGH},
    {"sort_pairs f32 + 4", "sort_pairs", PAIRS, ORDO_F32, NO_TYPE, 4, 0, 0, LOOSE},
    {"sort_pairs u32 + 12 descending merge", "sort_pairs", PAIRS, ORDO_U32, NO_TYPE, 12,
     ORDO_ALGORITHM_MERGE, ORDO_DESCENDING, WORDS},
    {"argsort u32", "argsort", ARGSORT, ORDO_F32, ORDO_U32, 0, 0, 0, LOOSE},
    {"argsort u64 sample", "argsort", ARGSORT, ORDO_F32, ORDO_U64, 0, ORDO_ALGORITHM_SAMPLE, 0,
     LOOSE},
    {"rank min", "rank", RANK, ORDO_F32, ORDO_U32, ORDO_TIES_MIN, 0, 0, LOOSE},
    {"rank average descending", "rank", RANK, ORDO_F32, ORDO_F64, ORDO_TIES_AVERAGE, 0,
     ORDO_DESCENDING, LOOSE},
    {"radius", "radius", RADIUS, ORDO_I32, NO_TYPE, 0, 0, 0, ROUGH},
    {"radius sequential", "radius", RADIUS, ORDO_F32, NO_TYPE, 0, ORDO_ALGORITHM_SEQUENTIAL, 0,
     LOOSE},
    {"runs", "runs", RUNS, ORDO_F32, NO_TYPE, 0, 0, 0, LOOSE},
    {"select", "select", SELECT, ORDO_F32, NO_TYPE, 0, 0, 0, LOOSE},
    {"select radix descending", "select", SELECT, ORDO_U32, NO_TYPE, 0, ORDO_ALGORITHM_RADIX,
     ORDO_DESCENDING, WORDS},
    {"topk", "topk", TOPK, ORDO_F32, ORDO_U32, 0, 0, ORDO_DESCENDING, LOOSE},
    {"quantiles", "quantiles", QUANTILES, ORDO_U32, NO_TYPE, 0, 0, 0, WORDS},
    {"median", "median", MEDIAN, ORDO_U32, NO_TYPE, 0, 0, 0, WORDS},
    {"sort_by", "sort_by", SORT_BY, NO_TYPE, NO_TYPE, 0, 0, 0, NONE},
    {"sort_by stable", "sort_by", SORT_BY, NO_TYPE, NO_TYPE, 0, 0, ORDO_STABLE, NONE},
    {"argsort_strings", "argsort_strings", ARGSORT_STRINGS, NO_TYPE, ORDO_U32, 0, 0, 0, NONE},
    {"sort_strings descending", "sort_strings", SORT_STRINGS, NO_TYPE, NO_TYPE, 0, 0,
     ORDO_DESCENDING, NONE},
    {"sort_pointers", "sort_pointers", SORT_POINTERS, NO_TYPE, NO_TYPE, 0, 0, ORDO_STABLE, NONE},
    {"rank_strings", "rank_strings", RANK_STRINGS, NO_TYPE, ORDO_U32, ORDO_TIES_MIN, 0, 0, NONE},
    {"select_strings", "select_strings", SELECT_STRINGS, NO_TYPE, NO_TYPE, 0, 0, 0, NONE},
};

const char *verb_name(size_t verb) { return verbs[verb].name; }
const char *verb_operation(size_t verb) { return verbs[verb].operation; }
ordo_type   verb_type(size_t verb) { return verbs[verb].type; }
bool        verb_has_scratch(size_t verb) { return verbs[verb].kind <= TOPK; }

void *verb_need(size_t bytes)
{
    void *const block = calloc(bytes + 1, 1);
    if (block == NULL)
        abort();
    return block;
}

verb_data verb_data_make(size_t n)
{
    verb_data data = {.n = n, .out_bytes = n * OUT_ELEMENT + OUT_MORE};
    data.sorted = verb_need(n * sizeof *data.sorted);
    data.loose = verb_need(n * sizeof *data.loose);
    data.rough = verb_need(n * sizeof *data.rough);
    data.words = verb_need(n * ELEMENT);
    data.keys = verb_need(n * sizeof(uint64_t));
    data.flags = verb_need(n);
    data.text = verb_need(n * STRING_MOST);
    data.offsets = verb_need((n + 1) * sizeof *data.offsets);
    data.pointers = verb_need(n * sizeof *data.pointers);
    data.out = verb_need(data.out_bytes);
    data.before = verb_need(data.out_bytes);
    inputs_fill_sorted(inputs_find("recurrence 0.5"), ORDO_F32, data.sorted, n, false, 1);
    inputs_fill(inputs_find("some NaNs"), ORDO_F32, data.loose, n, 4);
    inputs_fill(inputs_find("roughly sorted by 3"), ORDO_I32, data.rough, n, 5);
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
    free(data->sorted);
    free(data->loose);
    free(data->rough);
    free(data->words);
    free(data->keys);
    free(data->flags);
    free(data->text);
    free(data->offsets);
    free(data->pointers);
    free(data->out);
    free(data->before);
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
    case LOOSE:
        return data->loose;
    case ROUGH:
        return data->rough;
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

/* The j-th of many, in no order: a number below MOST_CHOSEN. */
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

/* What lies in out when the call begins. */
static void prepare(const verb_entry *v, verb_data *data)
{
    size_t const n = data->n;
    memset(data->out, SPOIL, data->out_bytes);
    if (v->kind == SORT || v->kind == PAIRS)
        memcpy(data->out, verb_input_of(v, data), ordo_type_size(v->type) * n);
    if (v->kind == PAIRS)
        memcpy(data->out + verb_second(n), data->words, n * v->choice);
    if (v->kind == SORT_BY)
        memcpy(data->out, data->words, n * ELEMENT);
    if (v->kind == SORT_POINTERS)
        memcpy(data->out, data->pointers, n * sizeof *data->pointers);
    memcpy(data->before, data->out, data->out_bytes);
    data->scalar = SPOILT_SCALAR;
}

static ordo_status run_order(const verb_entry *v, ordo_ctx *ctx, verb_data *data)
{
    size_t const         n = data->n;
    const void *const    keys = verb_input_of(v, data);
    unsigned char *const out = data->out, *const second = out + verb_second(n);
    ordo_sort_opts const sort =
        ORDO_OPTS(ordo_sort_opts, .flags = v->flags, .algorithm = v->algorithm,
                  .radius = v->kind == PAIRS || v->kind == SORT_BY ? 0 : v->choice,
                  .source = v->kind == SORT_FROM ? keys : NULL);
    ordo_rank_opts const rank =
        ORDO_OPTS(ordo_rank_opts, .flags = v->flags, .ties = v->choice, .algorithm = v->algorithm);
    ordo_select_opts const select =
        ORDO_OPTS(ordo_select_opts, .flags = v->flags, .algorithm = v->algorithm);
    ordo_quantile_opts const quantile = ORDO_OPTS(ordo_quantile_opts, .algorithm = v->algorithm);
    size_t                   k[MOST_CHOSEN], found = SIZE_MAX;
    double                   q[MOST_CHOSEN];
    ordo_status              status;

    switch (v->kind) {
    case SORT:
    case SORT_FROM:
        return ordo_sort(ctx, v->type, out, n, &sort);
    case PAIRS:
        return ordo_sort_pairs(ctx, v->type, out, n, second, v->choice, &sort);
    case ARGSORT:
        return ordo_argsort(ctx, v->type, keys, n, v->out_type, out, &sort);
    case RANK:
        return ordo_rank(ctx, v->type, keys, n, v->out_type, out, &rank);
    case SELECT:
        return ordo_select(ctx, v->type, keys, n, k, verb_choose(v, n, k), out, &select);
    case TOPK:
        status = ordo_topk(ctx, v->type, keys, n, verb_topk(n), out, v->out_type, second, &found,
                           &select);
        break;
    case QUANTILES:
        return ordo_quantiles(ctx, v->type, keys, n, q, verb_choose_q(v, q), (double *)(void *)out,
                              &quantile);
    case MEDIAN:
        return ordo_median(ctx, v->type, keys, n, (double *)(void *)out, &quantile);
    default:
        return ordo_sort_by(ctx, out, verb_elements(v, n), verb_element(v), verb_by_words,
                            v->flags != 0 ? data : NULL, &sort);
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
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = v->flags);
    ordo_rank_opts const rank = ORDO_OPTS(ordo_rank_opts, .ties = v->choice);
    size_t               k[MOST_CHOSEN];

    switch (v->kind) {
    case ARGSORT_STRINGS:
        return ordo_argsort_strings(ctx, &strings, data->n, v->out_type, data->out, &opts);
    case SORT_STRINGS:
        return ordo_sort_strings(ctx, &strings, data->n, (char *)data->out,
                                 verb_out_offsets(data, data->out), &opts);
    case SORT_POINTERS:
        return ordo_sort_pointers(ctx, (const char **)(void *)data->out, data->n, &opts);
    case RANK_STRINGS:
        return ordo_rank_strings(ctx, &by_pointer, data->n, v->out_type, data->out, &rank);
    default:
        return ordo_select_strings(ctx, &strings, data->n, k, verb_choose(v, data->n, k),
                                   (uint64_t *)(void *)data->out, &opts);
    }
}

ordo_status verb_run(size_t verb, ordo_ctx *ctx, verb_data *data)
{
    return verb_call(&verbs[verb], ctx, data);
}

ordo_status verb_call(const verb_entry *v, ordo_ctx *ctx, verb_data *data)
{
    size_t const         n = data->n;
    const void *const    keys = verb_input_of(v, data);
    ordo_rank_opts const rank =
        ORDO_OPTS(ordo_rank_opts, .flags = v->flags, .ties = v->choice, .algorithm = v->algorithm);
    ordo_scan_opts const  scan = ORDO_OPTS(ordo_scan_opts, .flags = v->flags);
    ordo_order_opts const order =
        ORDO_OPTS(ordo_order_opts, .flags = v->flags, .algorithm = v->algorithm);
    size_t      found = SIZE_MAX;
    int         sorted = -1;
    ordo_status status = ORDO_E_UNSUPPORTED;

    prepare(v, data);
    switch (v->kind) {
    case RANK_SORTED:
        return ordo_rank_sorted(ctx, v->type, keys, n, v->out_type, data->out, &rank);
    case SCAN:
        return ordo_scan(ctx, (ordo_op)v->choice, v->type, keys, n, v->out_type, data->out, &scan);
    case BITS:
        return ordo_scan_bits(ctx, (ordo_flags_kind)v->choice, data->flags, n, v->out_type,
                              data->out, &data->scalar, &scan);
    case PARTITION:
        status = ordo_partition(ctx, (ordo_flags_kind)v->choice, data->flags, data->words, n,
                                ELEMENT, data->out, &found, NULL);
        break;
    case SORTED:
        status = ordo_is_sorted(ctx, v->type, keys, n, &sorted, &found, &order);
        if (sorted != -1 && sorted != (found == n))
            found = SIZE_MAX - 1; /* no right answer, whatever the verb */
        break;
    case RADIUS:
        status = ordo_radius(ctx, v->type, keys, n, &found, &order);
        break;
    case RUNS:
        status = ordo_runs(ctx, v->type, keys, n, &found, &order);
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
    ordo_rank_opts const    rank =
        ORDO_OPTS(ordo_rank_opts, .flags = v->flags, .ties = v->choice, .algorithm = v->algorithm);
    ordo_scan_opts const scan = ORDO_OPTS(ordo_scan_opts, .flags = v->flags);
    ordo_sort_opts const sort =
        ORDO_OPTS(ordo_sort_opts, .flags = v->flags, .algorithm = v->algorithm);
    ordo_order_opts const  order = ORDO_OPTS(ordo_order_opts, .algorithm = v->algorithm);
    ordo_select_opts const select =
        ORDO_OPTS(ordo_select_opts, .flags = v->flags, .algorithm = v->algorithm);

    switch (v->kind) {
    case RANK_SORTED:
        return ordo_rank_sorted_scratch(ctx, v->type, n, v->out_type, &rank, bytes);
    case SCAN:
        return ordo_scan_scratch(ctx, (ordo_op)v->choice, v->type, n, v->out_type, &scan, bytes);
    case BITS:
        return ordo_scan_bits_scratch(ctx, (ordo_flags_kind)v->choice, n, v->out_type, &scan,
                                      bytes);
    case PARTITION:
        return ordo_partition_scratch(ctx, (ordo_flags_kind)v->choice, n, ELEMENT, NULL, bytes);
    case SORT:
        return ordo_sort_scratch(ctx, v->type, n, &sort, bytes);
    case PAIRS:
        return ordo_sort_pairs_scratch(ctx, v->type, n, v->choice, &sort, bytes);
    case ARGSORT:
        return ordo_argsort_scratch(ctx, v->type, n, v->out_type, &sort, bytes);
    case RANK:
        return ordo_rank_scratch(ctx, v->type, n, v->out_type, &rank, bytes);
    case RADIUS:
        return ordo_radius_scratch(ctx, v->type, n, &order, bytes);
    case SELECT:
        return ordo_select_scratch(ctx, v->type, n, CHOSEN, &select, bytes);
    case TOPK:
        return ordo_topk_scratch(ctx, v->type, n, verb_topk(n), &select, bytes);
    default:
        *bytes = 0;
        return ORDO_OK;
    }
}
