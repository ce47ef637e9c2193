/* dist_sort.c - ordo_dist_sort, ordo_dist_sort_pairs and ordo_dist_argsort.
 *
 * Each process sorts its own elements, the cuts of the global order are found in the sorted arrays
 * (cuts.h), each element is sent at most once, to its final rank, and the runs that arrive there
 * are merged (runs.h). Every process gets exactly its number of keys, also if all keys are equal.
 * Keys of 8 and 16 bits are sorted again instead, because counting is faster than merging. */
#define _POSIX_C_SOURCE 200809L
#include "dist/device/device.h"
#include "dist/exchange/runs.h"
#include "dist/spill/spill_sort.h"
#include "ordo_external.h"
#include "ordo_records.h"

#include <string.h>

enum {
    LARGE_VALUE = 16 /* bytes of a value that ordo_sort_pairs takes at most */
};

typedef struct sorting {
    dist_call c;
    pieces    p;
    uint64_t *wanted; /* keys that each process gets */
    void     *keys, *values, *out, *out_values;
    size_t    value_size;
    char     *sent, *sent_values; /* this process's elements, sorted */
    char     *received, *received_values;
    bool      in_place, overwritten;
} sorting;

static uint64_t no_values; /* stands for an empty array */

/* ---- The steps ---- */

/* On a device the elements arrive in their final arrays; `more` bytes are for the caller. */
static ordo_status take_device_memory(sorting *s, size_t more)
{
    dist_call *const c = &s->c;
    bool const       pairs = s->values != NULL;
    TRY(device_memory(c, device_size(c->n * c->key_size) + device_size(more) +
                             (pairs ? device_size(c->n * s->value_size) : 0)));
    s->sent = device_take(c, c->n * c->key_size);
    if (pairs)
        s->sent_values = device_take(c, c->n * s->value_size);
    s->received = s->out;
    s->received_values = s->out_values;
    return ORDO_OK;
}

/* Memory for what is sent and received. Keys that are counted arrive in their final array. */
static ordo_status take_memory(sorting *s)
{
    dist_call *const c = &s->c;
    if (dist_on_device(c))
        return take_device_memory(s, 0);
    size_t const received = (size_t)s->wanted[c->comm.rank];
    TRY_SCRATCH(c->exec, c->n * c->key_size + 1, s->sent);
    s->received = s->out;
    if (!runs_are_sorted_again(c, s->values))
        TRY_SCRATCH(c->exec, received * c->key_size + 1, s->received);
    if (s->values == NULL)
        return ORDO_OK;
    TRY_SCRATCH(c->exec, c->n * s->value_size + 1, s->sent_values);
    TRY_SCRATCH(c->exec, received * s->value_size + 1, s->received_values);
    return ORDO_OK;
}

/* Pairs whose values are too large for ordo_sort_pairs: gathers them in the order of the keys. */
static ordo_status gather_own(sorting *s, const ordo_sort_opts *opts)
{
    dist_call *const c = &s->c;
    size_t const     n = c->n;
    uint64_t        *order;
    TRY_SCRATCH(c->exec, n * sizeof *order, order);
    TRY(dist_inner(c, ordo_argsort(c->inner, c->type, s->keys, n, ORDO_U64, order, opts)));
    TRY(dist_inner(
        c, ordo_gather(c->inner, s->keys, n, c->key_size, ORDO_U64, order, n, s->sent, NULL)));
    return dist_inner(c, ordo_gather(c->inner, s->values, n, s->value_size, ORDO_U64, order, n,
                                     s->sent_values, NULL));
}

/* Sorts this process's elements in host memory. */
static ordo_status sort_on_host(sorting *s)
{
    dist_call *const c = &s->c;
    ordo_sort_opts   opts = dist_sort_opts(c);
    if (c->n == 0)
        return ORDO_OK;
    if (s->values != NULL && s->value_size > LARGE_VALUE)
        return gather_own(s, &opts);
    if (s->values == NULL) {
        opts.source = s->keys;
        return dist_inner(c, ordo_sort(c->inner, c->type, s->sent, c->n, &opts));
    }
    memcpy(s->sent, s->keys, c->n * c->key_size);
    if (s->values != &no_values)
        memcpy(s->sent_values, s->values, c->n * s->value_size);
    return dist_inner(
        c, ordo_sort_pairs(c->inner, c->type, s->sent, c->n, s->sent_values, s->value_size, &opts));
}

/* Sorts a copy of this process's elements. */
static ordo_status sort_own(sorting *s)
{
    dist_call *const c = &s->c;
    double const     started = dist_clock();
    if (dist_on_device(c)) {
        TRY(device_copy(c, s->sent, s->keys, c->n * c->key_size));
        if (s->values != NULL && s->values != &no_values)
            TRY(device_copy(c, s->sent_values, s->values, c->n * s->value_size));
        TRY(device_sort(c, s->sent, c->n, s->sent_values, s->value_size));
        TRY(device_finish(c));
    } else {
        TRY(sort_on_host(s));
    }
    c->report.local_seconds += dist_clock() - started;
    return ORDO_OK;
}

static ordo_status sort_received(sorting *s)
{
    dist_call *const c = &s->c;
    double const     started = dist_clock();
    if (!dist_on_device(c))
        return runs_merge(&(runs_job){.pieces = &s->p,
                                      .keys = s->received,
                                      .out = s->out,
                                      .values = s->values == NULL ? NULL : s->received_values,
                                      .out_values = s->out_values,
                                      .value_size = s->value_size});
    /* A second sort takes less time than lg(processes) merges. */
    TRY(device_sort(c, s->out, s->p.received, s->values == NULL ? NULL : s->out_values,
                    s->value_size));
    TRY(device_finish(c));
    c->report.merge_seconds += dist_clock() - started;
    return ORDO_OK;
}

static ordo_status exchange_and_merge(sorting *s)
{
    dist_call *const c = &s->c;
    TRY(dist_agree(c, sort_own(s)));
    TRY(pieces_of_sorted(c, s->values != NULL, s->sent, NULL, s->wanted, &s->p));
    s->overwritten = s->in_place;
    TRY(pieces_exchange(&s->p, s->sent, c->key_size, s->received));
    if (s->values != NULL)
        TRY(pieces_exchange(&s->p, s->sent_values, s->value_size, s->received_values));
    return dist_agree(c, sort_received(s));
}

static ordo_status run(sorting *s)
{
    dist_call *const c = &s->c;
    uint64_t const   mine = s->in_place ? c->n : c->opts.n_out;
    TRY(pieces_wanted(c, mine, "opts.n_out", "keys", &s->wanted));
    TRY(dist_agree(c, take_memory(s)));
    return exchange_and_merge(s);
}

/* After a failure an array that is sorted in place gets its own elements back. */
static void restore(sorting *s)
{
    dist_call *const c = &s->c;
    if (!s->overwritten)
        return;
    (void)device_copy(c, s->keys, s->sent, c->n * c->key_size);
    if (s->values != NULL)
        (void)device_copy(c, s->values, s->sent_values, c->n * s->value_size);
}

/* ---- Sort, pairs ---- */

static ordo_status check(sorting *s, const ordo_dist_opts *opts, bool pairs)
{
    dist_call *const c = &s->c;
    ordo_exec *const exec = c->exec;
    TRY(dist_check(c, opts, ORDO_DESCENDING | ORDO_SPILL_IN_MEMORY));
    FAIL_IF(dist_on_device(c) && c->opts.directory != NULL, ORDO_E_ARG,
            "opts.directory is for host arrays; expected NULL with ORDO_ON_DEVICE");
    s->in_place = c->opts.out == NULL;
    s->out = s->in_place ? s->keys : c->opts.out;
    s->out_values = s->in_place ? s->values : c->opts.out_values;
    size_t const got = s->in_place ? c->n : c->opts.n_out;
    FAIL_IF(s->in_place && (c->opts.n_out != 0 || c->opts.out_values != NULL), ORDO_E_ARG,
            "opts.out is NULL but opts.%s is set; expected both or neither",
            c->opts.n_out != 0 ? "n_out" : "out_values");
    TRY(api_check_aligned(exec, s->out, got, c->key_size, "opts.out"));
    if (!s->in_place)
        TRY(api_check_apart(exec, s->keys, c->n * c->key_size, "keys", s->out, got * c->key_size,
                            "opts.out"));
    if (!pairs)
        return ORDO_OK;
    FAIL_IF(s->value_size == 0, ORDO_E_ARG, "value_size is 0; expected at least 1");
    TRY(api_check_array(exec, s->values, c->n, s->value_size, "values"));
    TRY(api_check_array(exec, s->out_values, got, s->value_size, "opts.out_values"));
    TRY(api_check_apart(exec, s->keys, c->n * c->key_size, "keys", s->values, c->n * s->value_size,
                        "values"));
    if (s->values == NULL)
        s->values = &no_values; /* n is 0 */
    if (s->out_values == NULL)
        s->out_values = &no_values;
    return ORDO_OK;
}

static ordo_status run_or_restore(sorting *s)
{
    ordo_status const status = run(s);
    if (status != ORDO_OK)
        restore(s);
    return status;
}

static ordo_status sort_in_memory(ordo_ctx *ctx, const ordo_comm *comm, sorting *s,
                                  const char *verb, bool pairs, const ordo_dist_opts *opts)
{
    s->c.keys = s->keys;
    DIST_CALL(pairs ? "dist_sort_pairs" : "dist_sort", &s->c, check(s, opts, pairs),
              run_or_restore(s), verb, {s->value_size, s->in_place, s->c.opts.directory != NULL});
}

/* Sorts again through temporary files if the memory was too small, which all processes know. */
static ordo_status sort_anyhow(ordo_ctx *ctx, const ordo_comm *comm, sorting *s, const char *verb,
                               bool pairs, const ordo_dist_opts *opts)
{
    spilled_job const job = {.type = s->c.type,
                             .keys = s->keys,
                             .values = s->values,
                             .n = s->c.n,
                             .value_size = s->value_size,
                             .opts = opts};
    ordo_status const status = sort_in_memory(ctx, comm, s, verb, pairs, opts);
    bool const        again = status == ORDO_E_NOMEM && !s->c.broken && s->c.opts.directory != NULL;
    return again ? dist_sort_spilled(ctx, comm, &job) : status;
}

ordo_status ordo_dist_sort(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type, void *keys,
                           size_t n, const ordo_dist_opts *opts)
{
    sorting s = {.c = {.type = type, .n = n}, .keys = keys};
    return sort_anyhow(ctx, comm, &s, "ordo_dist_sort", false, opts);
}

ordo_status ordo_dist_sort_pairs(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type, void *keys,
                                 size_t n, void *values, size_t value_size,
                                 const ordo_dist_opts *opts)
{
    sorting s = {
        .c = {.type = type, .n = n}, .keys = keys, .values = values, .value_size = value_size};
    return sort_anyhow(ctx, comm, &s, "ordo_dist_sort_pairs", true, opts);
}

/* ---- Argsort ---- */

static ordo_status argsort_memory(sorting *s, ordo_type index_type)
{
    dist_call *const c = &s->c;
    s->wanted = c->counts;
    if (dist_on_device(c)) {
        TRY(take_device_memory(s, c->n * c->key_size));
        s->out = s->received = device_take(c, c->n * c->key_size);
        return device_iota(c, s->sent_values, c->n, index_type, c->offset);
    }
    TRY(take_memory(s));
    TRY_SCRATCH(c->exec, c->n * c->key_size + 1, s->out);
    if (index_type != ORDO_U64)
        TRY_SCRATCH(c->exec, c->n * sizeof(uint64_t) + 1, s->out_values);
    uint64_t *const index = (void *)s->sent_values;
    for (size_t i = 0; i < c->n; i++)
        index[i] = c->offset + i;
    return ORDO_OK;
}

static ordo_status argsort_run(sorting *s, ordo_type index_type, void *index)
{
    dist_call *const c = &s->c;
    ordo_exec *const exec = c->exec;
    FAIL_IF(index_type == ORDO_U32 && c->total > (uint64_t)UINT32_MAX + 1, ORDO_E_ARG,
            "index_type is u32 but all ranks have %llu keys; expected ORDO_U64",
            (unsigned long long)c->total);
    s->out_values = index;
    if (dist_on_device(c))
        s->value_size = ordo_type_size(index_type);
    TRY(dist_agree(c, argsort_memory(s, index_type)));
    TRY(exchange_and_merge(s));
    if (index_type != ORDO_U64 && !dist_on_device(c))
        for (size_t i = 0; i < c->n; i++)
            ((uint32_t *)index)[i] = (uint32_t)((const uint64_t *)s->out_values)[i];
    return ORDO_OK;
}

static ordo_status argsort_check(sorting *s, ordo_type index_type, const void *index,
                                 const ordo_dist_opts *opts)
{
    dist_call *const c = &s->c;
    ordo_exec *const exec = c->exec;
    TRY(dist_check(c, opts, ORDO_DESCENDING));
    FAIL_IF(index_type != ORDO_U32 && index_type != ORDO_U64, ORDO_E_ARG,
            "index_type is %d; expected ORDO_U32 or ORDO_U64", (int)index_type);
    FAIL_IF(c->opts.out != NULL || c->opts.n_out != 0, ORDO_E_ARG,
            "opts.out is for sorts; expected NULL");
    TRY(api_check_aligned(exec, index, c->n, ordo_type_size(index_type), "index"));
    return api_check_apart(exec, c->keys, c->n * c->key_size, "keys", index,
                           c->n * ordo_type_size(index_type), "index");
}

ordo_status ordo_dist_argsort(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type,
                              const void *keys, size_t n, ordo_type index_type, void *index,
                              const ordo_dist_opts *opts)
{
    sorting s = {.c = {.type = type, .n = n, .keys = keys},
                 .keys = (void *)keys, /* only read */
                 .values = &no_values, /* there are values: the indices */
                 .value_size = sizeof(uint64_t)};
    DIST_CALL("dist_argsort", &s.c, argsort_check(&s, index_type, index, opts),
              argsort_run(&s, index_type, index == NULL ? &no_values : index), "ordo_dist_argsort",
              {(uint64_t)index_type});
}

/* ---- Counts for the caller ---- */

static ordo_status counts_run(const dist_call *c, uint64_t *total, uint64_t *offset,
                              size_t *equal_part)
{
    uint64_t const size = (uint64_t)c->comm.size, extra = c->total % size;
    if (total != NULL)
        *total = c->total;
    if (offset != NULL)
        *offset = c->offset;
    if (equal_part != NULL)
        *equal_part = (size_t)(c->total / size + ((uint64_t)c->comm.rank < extra));
    return ORDO_OK;
}

ordo_status ordo_dist_counts(ordo_ctx *ctx, const ordo_comm *comm, size_t n, uint64_t *total,
                             uint64_t *offset, size_t *equal_part)
{
    dist_call c = {.n = n};
    DIST_CALL("dist_counts", &c, ORDO_OK, counts_run(&c, total, offset, equal_part),
              "ordo_dist_counts", {0});
}
