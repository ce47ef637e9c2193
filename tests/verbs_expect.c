/* verbs_expect.c - what the calls of verbs.c must answer, by the oracle. */
#include "oracle.h"
#include "verbs.h"
#include "verbs_table.h"

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

static int element_order(const void *user, size_t i, size_t j)
{
    const uint32_t *const words = ((const verb_data *)user)->words;
    return verb_by_words(NULL, words + i * ELEMENT / 4, words + j * ELEMENT / 4);
}

static int element_order_low(const void *user, size_t i, size_t j)
{
    const uint32_t *const words = ((const verb_data *)user)->words;
    return (int)(words[i * ELEMENT / 4] & 0xff) - (int)(words[j * ELEMENT / 4] & 0xff);
}

/* Ranks of strings that tie as the least of them; order[i] comes i-th. */
static void expect_string_ranks(const verb_data *data, const uint64_t *order, unsigned char *out)
{
    uint32_t rank = 1;
    for (size_t i = 0; i < data->n; i++) {
        if (i > 0 && string_order(data, order[i - 1], order[i]) != 0)
            rank = (uint32_t)i + 1;
        memcpy(out + 4 * order[i], &rank, sizeof rank);
    }
}

static void expect_strings(const verb_entry *v, const verb_data *data, unsigned char *out)
{
    size_t const    n = data->n;
    uint64_t *const order = verb_need(n * sizeof *order);
    uint64_t *const offsets = verb_out_offsets(data, out);
    size_t          k[CHOSEN];

    verb_choose(n, k);
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
        expect_string_ranks(data, order, out);
    if (v->kind == SELECT_STRINGS)
        for (size_t j = 0; j < CHOSEN; j++)
            memcpy(out + 8 * j, &order[k[j]], sizeof *order);
    free(order);
}

/* Selections, by looking into the sorted array. */
static void expect_selected(const verb_entry *v, const verb_data *data, unsigned char *out)
{
    size_t const    n = data->n;
    bool const      desc = (v->flags & ORDO_DESCENDING) != 0;
    uint32_t *const sorted = verb_need(n * sizeof *sorted);
    size_t          k[CHOSEN];

    verb_choose(n, k);
    oracle_sort(v->type, verb_input_of(v, data), n, desc, sorted);
    for (size_t j = 0; j < (v->kind == MEDIAN ? 1 : CHOSEN); j++) {
        double const q =
            verb_chosen_q[j] * (double)(n - 1); /* a whole number, or a half above one */
        size_t const below = (size_t)q;
        double const left = sorted[below];
        double const quantile = q > (double)below ? (left + sorted[below + 1]) / 2 : left;
        if (v->kind == SELECT)
            memcpy(out + 4 * j, &sorted[k[j]], 4);
        else
            memcpy(out + 8 * j, &quantile, 8);
    }
    free(sorted);
}

static void expect_topk(const verb_entry *v, const verb_data *data, unsigned char *out)
{
    size_t const    k = verb_topk(data->n);
    uint64_t *const order = verb_need(data->n * sizeof *order);
    oracle_argsort(v->type, data->loose, data->n, true, ORDO_U64, order);
    oracle_gather(data->loose, 4, order, k, out);
    for (size_t i = 0; i < k; i++)
        ((uint32_t *)(void *)(out + 4 * data->n))[i] = (uint32_t)order[i];
    free(order);
}

static void expect_moved(const verb_entry *v, const verb_data *data, unsigned char *out)
{
    uint64_t *const order = verb_need(data->n * sizeof *order);
    if (v->kind == PAIRS) {
        oracle_argsort(v->type, verb_input_of(v, data), data->n, (v->flags & ORDO_DESCENDING) != 0,
                       ORDO_U64, order);
        oracle_gather(verb_input_of(v, data), 4, order, data->n, out);
        oracle_gather(data->words, v->choice, order, data->n, out + 4 * data->n);
    } else {
        oracle_order(data->n, order, v->flags != 0 ? element_order_low : element_order, data);
        oracle_gather(data->words, ELEMENT, order, data->n, out);
    }
    free(order);
}

static void expect(size_t verb, verb_data *data)
{
    const verb_entry *const v = &verbs[verb];
    size_t const            n = data->n;
    const void *const       keys = verb_input_of(v, data);
    bool const              desc = (v->flags & ORDO_DESCENDING) != 0;
    unsigned char *const    out = verb_need(data->out_bytes);
    uint64_t               *scalar = &data->expected_scalar[verb];

    memset(out, SPOIL, data->out_bytes);
    *scalar = SPOILT_SCALAR;
    switch (v->kind) {
    case RANK_SORTED:
        oracle_rank(v->type, data->sorted, n, false, (ordo_ties)v->choice, v->out_type, out);
        break;
    case SCAN:
        oracle_scan((ordo_op)v->choice, v->type, data->words, n, v->out_type, out,
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
        *scalar = n;
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
    data->expected[verb] = out;
}

/* The first verb that must answer the same: all algorithms do. */
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
    if (data->expected[asked] == NULL)
        expect(asked, data);
    return memcmp(data->expected[asked], data->out, data->out_bytes) == 0 &&
           data->expected_scalar[asked] == data->scalar;
}

bool verb_untouched(const verb_data *data)
{
    return memcmp(data->before, data->out, data->out_bytes) == 0 && data->scalar == SPOILT_SCALAR;
}
