/* sweep.c - see sweep.h. */
#include "sweep.h"

#include "inputs.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_SLOW = 5000,
#ifdef ORDO_TINY
    LARGE_ELEMENT = 48, /* bytes of elements that are sorted by pointers */
#else
    LARGE_ELEMENT = 600,
#endif
    ROTATES = 0xffff /* the tie rule depends on the number of the key set */
};

/* Calls that read keys. Calls with equal results are neighbours: the oracle runs once for them. */
static const verb_entry of_keys[] = {
#define SORT_BY_EACH(kind, out_type, choice)                                                       \
    {"auto", kind, NO_TYPE, out_type, choice, ORDO_ALGORITHM_AUTO, 0, KEYS},                       \
        {"radix", kind, NO_TYPE, out_type, choice, ORDO_ALGORITHM_RADIX, 0, KEYS},                 \
        {"sample", kind, NO_TYPE, out_type, choice, ORDO_ALGORITHM_SAMPLE, 0, KEYS},               \
        {"merge", kind, NO_TYPE, out_type, choice, ORDO_ALGORITHM_MERGE, 0, KEYS},                 \
        {"bitonic", kind, NO_TYPE, out_type, choice, ORDO_ALGORITHM_BITONIC, 0, KEYS},             \
        {"split", kind, NO_TYPE, out_type, choice, ORDO_ALGORITHM_SPLIT, 0, KEYS},                 \
        {"bubble", kind, NO_TYPE, out_type, choice, ORDO_ALGORITHM_BUBBLE, 0, KEYS},               \
        {"rough", kind, NO_TYPE, out_type, choice, ORDO_ALGORITHM_ROUGH, 0, KEYS},                 \
        {"windows", kind, NO_TYPE, out_type, choice, ORDO_ALGORITHM_WINDOWS, 0, KEYS},             \
    {                                                                                              \
        "halving", kind, NO_TYPE, out_type, choice, ORDO_ALGORITHM_HALVING, 0, KEYS                \
    }
    SORT_BY_EACH(SORT, NO_TYPE, 0),
    {"rough 5", SORT, NO_TYPE, NO_TYPE, 5, ORDO_ALGORITHM_ROUGH, 0, KEYS},
    {"rough 60", SORT, NO_TYPE, NO_TYPE, 60, ORDO_ALGORITHM_ROUGH, 0, KEYS},
    {"halving 5", SORT, NO_TYPE, NO_TYPE, 5, ORDO_ALGORITHM_HALVING, 0, KEYS},
    {"windows 5", SORT, NO_TYPE, NO_TYPE, 5, ORDO_ALGORITHM_WINDOWS, 0, KEYS},
    {"windows 60", SORT, NO_TYPE, NO_TYPE, 60, ORDO_ALGORITHM_WINDOWS, 0, KEYS},
    {"from", SORT_FROM, NO_TYPE, NO_TYPE, 0, ORDO_ALGORITHM_AUTO, 0, KEYS},
    {"from radix", SORT_FROM, NO_TYPE, NO_TYPE, 0, ORDO_ALGORITHM_RADIX, 0, KEYS},
    {"from merge", SORT_FROM, NO_TYPE, NO_TYPE, 0, ORDO_ALGORITHM_MERGE, 0, KEYS},
    SORT_BY_EACH(PAIRS, NO_TYPE, 4),
    {"auto", PAIRS, NO_TYPE, NO_TYPE, 12, ORDO_ALGORITHM_AUTO, 0, KEYS},
    {"radix", PAIRS, NO_TYPE, NO_TYPE, 12, ORDO_ALGORITHM_RADIX, 0, KEYS},
    {"auto", PAIRS, NO_TYPE, NO_TYPE, 8, ORDO_ALGORITHM_AUTO, 0, KEYS},
    SORT_BY_EACH(ARGSORT, ORDO_U32, 0),
    {"rough 5", ARGSORT, NO_TYPE, ORDO_U32, 5, ORDO_ALGORITHM_ROUGH, 0, KEYS},
    {"halving 5", ARGSORT, NO_TYPE, ORDO_U32, 5, ORDO_ALGORITHM_HALVING, 0, KEYS},
    {"windows 5", ARGSORT, NO_TYPE, ORDO_U32, 5, ORDO_ALGORITHM_WINDOWS, 0, KEYS},
    {"auto", ARGSORT, NO_TYPE, ORDO_U64, 0, ORDO_ALGORITHM_AUTO, 0, KEYS},
    {"radix", ARGSORT, NO_TYPE, ORDO_U64, 0, ORDO_ALGORITHM_RADIX, 0, KEYS},
    SORT_BY_EACH(RANK, ORDO_F64, ROTATES),
    {"auto", RANK, NO_TYPE, ORDO_U32, ORDO_TIES_DENSE, ORDO_ALGORITHM_AUTO, 0, KEYS},
    {"auto", RANK_SORTED, NO_TYPE, ORDO_F64, ROTATES, ORDO_ALGORITHM_AUTO, 0, KEYS},
    {"sequential", RANK_SORTED, NO_TYPE, ORDO_F64, ROTATES, ORDO_ALGORITHM_SEQUENTIAL, 0, KEYS},
    {"threads", RANK_SORTED, NO_TYPE, ORDO_F64, ROTATES, ORDO_ALGORITHM_THREADS, 0, KEYS},
    {"auto", SELECT, NO_TYPE, NO_TYPE, 0, ORDO_ALGORITHM_AUTO, 0, KEYS},
    {"radix", SELECT, NO_TYPE, NO_TYPE, 0, ORDO_ALGORITHM_RADIX, 0, KEYS},
    {"bitonic", SELECT, NO_TYPE, NO_TYPE, 0, ORDO_ALGORITHM_BITONIC, 0, KEYS},
    {"merge", SELECT, NO_TYPE, NO_TYPE, 0, ORDO_ALGORITHM_MERGE, 0, KEYS},
    {"auto, many", SELECT, NO_TYPE, NO_TYPE, MOST_CHOSEN, ORDO_ALGORITHM_AUTO, 0, KEYS},
    {"radix, many", SELECT, NO_TYPE, NO_TYPE, MOST_CHOSEN, ORDO_ALGORITHM_RADIX, 0, KEYS},
    {"auto", QUANTILES, NO_TYPE, NO_TYPE, 0, ORDO_ALGORITHM_AUTO, 0, KEYS},
    {"auto, many", QUANTILES, NO_TYPE, NO_TYPE, MOST_CHOSEN, ORDO_ALGORITHM_AUTO, 0, KEYS},
    {"radix, many", QUANTILES, NO_TYPE, NO_TYPE, MOST_CHOSEN, ORDO_ALGORITHM_RADIX, 0, KEYS},
    {"auto", MEDIAN, NO_TYPE, NO_TYPE, 0, ORDO_ALGORITHM_AUTO, 0, KEYS},
    {"radix", MEDIAN, NO_TYPE, NO_TYPE, 0, ORDO_ALGORITHM_RADIX, 0, KEYS},
    {"bitonic", MEDIAN, NO_TYPE, NO_TYPE, 0, ORDO_ALGORITHM_BITONIC, 0, KEYS},
    {"merge", MEDIAN, NO_TYPE, NO_TYPE, 0, ORDO_ALGORITHM_MERGE, 0, KEYS},
    {"auto", TOPK, NO_TYPE, ORDO_U32, 0, ORDO_ALGORITHM_AUTO, 0, KEYS},
    {"auto", TOPK, NO_TYPE, ORDO_U64, 0, ORDO_ALGORITHM_AUTO, 0, KEYS},
    {"max", SCAN, NO_TYPE, NO_TYPE, ORDO_MAX, 0, 0, KEYS},
    {"auto", RADIUS, NO_TYPE, NO_TYPE, 0, ORDO_ALGORITHM_AUTO, 0, KEYS},
    {"sequential", RADIUS, NO_TYPE, NO_TYPE, 0, ORDO_ALGORITHM_SEQUENTIAL, 0, KEYS},
    {"auto", RUNS, NO_TYPE, NO_TYPE, 0, ORDO_ALGORITHM_AUTO, 0, KEYS},
    {"auto", SORTED, NO_TYPE, NO_TYPE, 0, ORDO_ALGORITHM_AUTO, 0, KEYS},
};

static const verb_entry of_others[] = {
    {"bytes", BITS, NO_TYPE, ORDO_U32, ORDO_FLAG_BYTES, 0, 0, NONE},
    {"bits", BITS, NO_TYPE, ORDO_U64, ORDO_FLAG_BITS, 0, 0, NONE},
    {"bytes", PARTITION, NO_TYPE, NO_TYPE, ORDO_FLAG_BYTES, 0, 0, NONE},
    {"sum", SCAN, ORDO_U32, ORDO_U64, ORDO_SUM, 0, 0, WORDS},
    {"", COPY, NO_TYPE, NO_TYPE, 0, 0, 0, NONE},
    {"auto", SORT_BY, NO_TYPE, NO_TYPE, 0, 0, 0, NONE},
    {"stable", SORT_BY, NO_TYPE, NO_TYPE, 0, 0, ORDO_STABLE, NONE},
    {"auto, large", SORT_BY, NO_TYPE, NO_TYPE, LARGE_ELEMENT, 0, 0, NONE},
    {"stable, large", SORT_BY, NO_TYPE, NO_TYPE, LARGE_ELEMENT, 0, ORDO_STABLE, NONE},
    {"", ARGSORT_STRINGS, NO_TYPE, ORDO_U32, 0, 0, 0, NONE},
    {"descending", SORT_STRINGS, NO_TYPE, NO_TYPE, 0, 0, ORDO_DESCENDING, NONE},
    {"", SORT_POINTERS, NO_TYPE, NO_TYPE, 0, 0, 0, NONE},
    {"", RANK_STRINGS, NO_TYPE, ORDO_U32, ORDO_TIES_MIN, 0, 0, NONE},
    {"", SELECT_STRINGS, NO_TYPE, NO_TYPE, 0, 0, 0, NONE},
};

typedef struct key_set {
    size_t    shape, number;
    ordo_type type;
    bool      desc;
} key_set;

static bool same_answer(const verb_entry *a, const verb_entry *b)
{
    bool const is_sort = a->kind == SORT || a->kind == SORT_FROM;
    if (is_sort && (b->kind == SORT || b->kind == SORT_FROM))
        return true;
    return a->kind == b->kind && a->out_type == b->out_type &&
           (a->choice == b->choice || a->kind == ARGSORT);
}

/* Bubble sort is quadratic. The in-place merge of pairs is slow, so large arrays take one size. */
static bool is_slow(const verb_entry *v, size_t n)
{
    return n > MOST_SLOW &&
           (v->algorithm == ORDO_ALGORITHM_BUBBLE || (v->kind == PAIRS && v->choice != 4));
}

static verb_entry adapted(verb_entry v, const key_set *keys)
{
    bool const has_direction = v.kind != SCAN && v.kind != QUANTILES && v.kind != MEDIAN;
    v.type = keys->type;
    v.flags |= keys->desc && has_direction ? ORDO_DESCENDING : 0;
    if (v.choice == ROTATES)
        v.choice = (uint32_t)(keys->number % ORDO_TIES_RULES);
    if (v.kind == SCAN)
        v.out_type = keys->type;
    return v;
}

ordo_status sweep_run(const sweep_call *call, ordo_ctx *ctx)
{
    size_t const      bytes = call->data->n * sizeof(uint64_t);
    ordo_status const status = verb_call(&call->entry, ctx, call->data);
    CHECK(memcmp(call->data->keys, call->keys_before, bytes) == 0);
    return status;
}

bool sweep_right(const sweep_call *call)
{
    return memcmp(call->expected, call->data->out, call->data->out_bytes) == 0 &&
           call->data->scalar == call->expected_scalar;
}

bool sweep_unchanged(const sweep_call *call)
{
    return call->entry.kind == SORT_FROM || verb_untouched(call->data);
}

static void visit_one(sweep_call *call, const verb_entry *entry, const char *shape, sweep_fn *visit,
                      void *user)
{
    const char *const type = entry->type != NO_TYPE ? ordo_type_name(entry->type) : "";
    call->entry = *entry;
    call->number++;
    testkit_case("%s %s, %s %s%s, n = %zu", verb_kind_name(entry->kind), entry->name, shape, type,
                 (entry->flags & ORDO_DESCENDING) != 0 ? " descending" : "", call->data->n);
    visit(call, user);
}

static void visit_keys(sweep_call *call, const key_set *keys, size_t named_of, sweep_fn *visit,
                       void *user)
{
    verb_data *const data = call->data;
    verb_entry       before = {.kind = COPY};
    for (size_t i = 0; i < sizeof of_keys / sizeof *of_keys; i++) {
        verb_entry const v = adapted(of_keys[i], keys);
        if (is_slow(&v, data->n) ||
            (v.algorithm != ORDO_ALGORITHM_AUTO && (i + keys->number) % named_of != 0))
            continue;
        if (!same_answer(&v, &before)) {
            verb_data_fill(data, keys->shape, keys->type, v.kind == RANK_SORTED, keys->desc);
            memcpy(call->keys_before, data->keys, data->n * sizeof(uint64_t));
            verb_expect(&v, data, call->expected, &call->expected_scalar);
        }
        before = v;
        visit_one(call, &v, inputs_name(keys->shape), visit, user);
    }
}

void sweep_calls(const sweep_plan *plan, sweep_fn *visit, void *user)
{
    verb_data    data = verb_data_make(plan->n);
    sweep_call   call = {.data = &data,
                         .expected = test_need(data.out_bytes),
                         .keys_before = test_need(plan->n * sizeof(uint64_t))};
    size_t const pairs = inputs_count() * INPUTS_TYPES;
    for (size_t i = 0; i < pairs; i += plan->pairs_of) {
        key_set keys = {
            .shape = i / INPUTS_TYPES, .number = i, .type = inputs_types[i % INPUTS_TYPES]};
        visit_keys(&call, &keys, plan->named_of, visit, user);
        keys.desc = true;
        if (i / plan->pairs_of % 3 == 0)
            visit_keys(&call, &keys, plan->named_of, visit, user);
    }
    for (size_t i = 0; i < sizeof of_others / sizeof *of_others; i++) {
        verb_expect(&of_others[i], &data, call.expected, &call.expected_scalar);
        visit_one(&call, &of_others[i], "", visit, user);
    }
    free(call.keys_before);
    free(call.expected);
    verb_data_free(&data);
}
