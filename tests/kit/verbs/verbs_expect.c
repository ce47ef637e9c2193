/* verbs_expect.c - the expected results of the calls of verbs.c, by the oracle. */
#include "oracle.h"
#include "kit/verbs/verbs.h"
#include "kit/verbs/verbs_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int string_order(const void *user, size_t i, size_t j)
{
    const verb_data *const data = user;
    return strcmp(data->pointers[i], data->pointers[j]);
}

static int string_order_down(const void *user, size_t i, size_t j)
{
    return string_order(user, j, i);
}

typedef struct element_array {
    const char *first;
    size_t      size;
} element_array;

static int element_order(const void *user, size_t i, size_t j)
{
    const element_array *const a = user;
    return verb_by_words(NULL, a->first + i * a->size, a->first + j * a->size);
}

static int element_order_low(const void *user, size_t i, size_t j)
{
    element_array a = *(const element_array *)user;
    return verb_by_words(&a, a.first + i * a.size, a.first + j * a.size);
}

static void expect_strings(const verb_entry *v, const verb_data *data, unsigned char *out)
{
    size_t const    n = data->n;
    uint64_t *const order = test_need(n * sizeof *order);
    uint64_t *const offsets = verb_out_offsets(data, out);
    size_t          k[MOST_CHOSEN];
    size_t const    count = verb_choose(v, n, k);

    oracle_order(n, order, v->flags == ORDO_DESCENDING ? string_order_down : string_order, data);
    for (size_t i = 0, at = 0; i < n; i++) {
        const char *const string = data->pointers[order[i]];
        uint32_t const    index = (uint32_t)order[i];
        if (v->kind == ARGSORT_STRINGS)
            memcpy(out + 4 * i, &index, sizeof index);
        if (v->kind == SORT_POINTERS)
            memcpy(out + i * sizeof string, &string, sizeof string);
        if (v->kind == SORT_STRINGS) {
            offsets[i] = at;
            memcpy(out + at, string, strlen(string) + 1);
            at += strlen(string) + 1;
            offsets[i + 1] = at;
        }
    }
    if (v->kind == RANK_STRINGS)
        oracle_rank_ordered(n, order, string_order, data, ORDO_TIES_MIN, ORDO_U32, out);
    if (v->kind == SELECT_STRINGS)
        for (size_t j = 0; j < count; j++)
            memcpy(out + 8 * j, &order[k[j]], sizeof *order);
    free(order);
}

/* The linear quantile of NumPy, except that the result between finite keys is finite, and the
 * result beside one infinite key is that key. A NaN without weight has no effect. The median is the
 * quantile of 1/2. Zeros are +0; a NaN has no payload. */
static double quantile_of(const verb_entry *v, const void *sorted, size_t n, double q)
{
    double const place = q * (double)(n - 1);
    size_t const below = (size_t)place, above = below + 1 < n ? below + 1 : n - 1;
    double const weight = below + 1 < n ? place - (double)below : place + 1;
    double const left = oracle_as_double(v->type, sorted, below),
                 right = oracle_as_double(v->type, sorted, above);
    double const step = right - left;
    double       value = weight >= 0.5 ? right - step * (1 - weight) : left + step * weight;

    if (isinf(step) && isfinite(left) && isfinite(right))
        value = left * (1 - weight) + right * weight;
    if (!isfinite(left) || !isfinite(right))
        value = left == right || weight == 0 ? left : weight == 1 ? right : left + right;
    return isnan(value) ? (double)NAN : value + 0.0;
}

static void expect_selected(const verb_entry *v, const verb_data *data, unsigned char *out)
{
    size_t const n = data->n, size = ordo_type_size(v->type);
    bool const   desc = (v->flags & ORDO_DESCENDING) != 0;
    char *const  sorted = test_need(n * size);
    size_t       k[MOST_CHOSEN];
    double       q[MOST_CHOSEN] = {0.5};
    size_t const count = verb_choose(v, n, k);

    oracle_sort(v->type, verb_input_of(v, data), n, desc, sorted);
    if (v->kind != MEDIAN)
        (void)verb_choose_q(v, q);
    for (size_t j = 0; j < (v->kind == MEDIAN ? 1 : count); j++) {
        double const quantile = quantile_of(v, sorted, n, q[j]);
        if (v->kind == SELECT)
            memcpy(out + size * j, sorted + size * k[j], size);
        else
            memcpy(out + 8 * j, &quantile, 8);
    }
    free(sorted);
}

static void expect_topk(const verb_entry *v, const verb_data *data, unsigned char *out)
{
    size_t const         k = verb_topk(data->n);
    uint64_t *const      order = test_need(data->n * sizeof *order);
    const void *const    keys = verb_input_of(v, data);
    unsigned char *const index = out + verb_second(data->n);
    oracle_argsort(v->type, keys, data->n, (v->flags & ORDO_DESCENDING) != 0, ORDO_U64, order);
    oracle_gather(keys, ordo_type_size(v->type), order, k, out);
    for (size_t i = 0; i < k; i++) {
        uint32_t const narrow = (uint32_t)order[i];
        if (v->out_type == ORDO_U32)
            memcpy(index + sizeof narrow * i, &narrow, sizeof narrow);
        else
            memcpy(index + sizeof *order * i, &order[i], sizeof *order);
    }
    free(order);
}

static void expect_moved(const verb_entry *v, const verb_data *data, unsigned char *out)
{
    uint64_t *const   order = test_need(data->n * sizeof *order);
    const void *const keys = verb_input_of(v, data);
    if (v->kind == PAIRS) {
        oracle_argsort(v->type, keys, data->n, (v->flags & ORDO_DESCENDING) != 0, ORDO_U64, order);
        oracle_gather(keys, ordo_type_size(v->type), order, data->n, out);
        oracle_gather(data->words, v->choice, order, data->n, out + verb_second(data->n));
    } else {
        size_t const        count = verb_elements(v, data->n);
        element_array const elements = {(const char *)data->words, verb_element(v)};
        memcpy(out, data->words, data->n * ELEMENT);
        oracle_order(count, order, v->flags != 0 ? element_order_low : element_order, &elements);
        oracle_gather(data->words, elements.size, order, count, out);
    }
    free(order);
}

void verb_expect(const verb_entry *v, const verb_data *data, unsigned char *out, uint64_t *scalar)
{
    size_t const      n = data->n;
    const void *const keys = verb_input_of(v, data);
    bool const        desc = (v->flags & ORDO_DESCENDING) != 0;

    memset(out, FILL_BYTE, data->out_bytes);
    *scalar = FILL_SCALAR;
    switch (v->kind) {
    case RANK_SORTED:
        oracle_rank(v->type, keys, n, desc, (ordo_ties)v->choice, v->out_type, out);
        break;
    case SCAN:
        oracle_scan((ordo_op)v->choice, v->type, keys, n, v->out_type, out,
                    (v->flags & ORDO_EXCLUSIVE) != 0);
        break;
    case BITS:
        *scalar =
            oracle_scan_bits((ordo_flags_kind)v->choice, data->flags, n, v->out_type, out, false);
        break;
    case PARTITION:
        *scalar = oracle_partition((ordo_flags_kind)v->choice, data->flags, data->words, n, ELEMENT,
                                   out, false);
        break;
    case SORT:
    case SORT_FROM:
        oracle_sort(v->type, keys, n, desc, out);
        break;
    case ARGSORT:
        oracle_argsort(v->type, keys, n, desc, v->out_type, out);
        break;
    case RANK:
        oracle_rank_unsorted(v->type, keys, n, desc, (ordo_ties)v->choice, v->out_type, out);
        break;
    case RADIUS:
        *scalar = oracle_radius(v->type, keys, n, desc);
        break;
    case RUNS:
        *scalar = oracle_runs(v->type, keys, n, desc);
        break;
    case SORTED:
        *scalar = oracle_first_violation(v->type, keys, n, desc);
        break;
    case COPY:
        memcpy(out, data->words, n * ELEMENT);
        break;
    case SELECT:
    case QUANTILES:
    case MEDIAN:
        expect_selected(v, data, out);
        break;
    case TOPK:
        *scalar = verb_topk(n);
        expect_topk(v, data, out);
        break;
    case PAIRS:
    case SORT_BY:
        expect_moved(v, data, out);
        break;
    case ARGSORT_STRINGS:
    case SORT_STRINGS:
    case SORT_POINTERS:
    case RANK_STRINGS:
    case SELECT_STRINGS:
        expect_strings(v, data, out);
        break;
    }
}

/* The first call of the table with the same result: it differs only in its algorithm. */
static size_t same_answer(size_t verb)
{
    const verb_entry *const v = &verbs[verb];
    for (size_t i = 0; i < verb; i++) {
        const verb_entry *const u = &verbs[i];
        if (u->kind == v->kind && u->type == v->type && u->out_type == v->out_type &&
            u->choice == v->choice && u->flags == v->flags && u->input == v->input)
            return i;
    }
    return verb;
}

bool verb_right(size_t verb, verb_data *data)
{
    size_t const asked = same_answer(verb);
    if (data->expected[asked] == NULL) {
        data->expected[asked] = test_need(data->out_bytes);
        verb_expect(&verbs[asked], data, data->expected[asked], &data->expected_scalar[asked]);
    }
    return memcmp(data->expected[asked], data->out, data->out_bytes) == 0 &&
           data->expected_scalar[asked] == data->scalar;
}

bool verb_untouched(const verb_data *data)
{
    return memcmp(data->before, data->out, data->out_bytes) == 0 && data->scalar == FILL_SCALAR;
}
