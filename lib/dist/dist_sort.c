/* dist_sort.c - ordo_dist_sort, ordo_dist_sort_pairs and ordo_dist_argsort.
 *
 * The cuts of the global order are found first (cuts.h), so that each element is sent at most once,
 * to its final rank, and sorted once there. Every rank gets exactly its number of keys, also if all
 * keys are equal. */
#define _POSIX_C_SOURCE 200809L
#include "dist/pieces.h"

#include <string.h>

typedef struct sorting {
    dist_call c;
    pieces    p;
    uint64_t *wanted; /* keys that each rank gets */
    void     *keys, *values, *out, *out_values;
    size_t    value_size;
    char     *sent, *sent_values; /* the scattered elements */
    bool      in_place, overwritten;
} sorting;

static uint64_t no_values; /* stands for an empty array */

/* ---- Counts ---- */

/* How many keys each rank gets. */
static ordo_status agree_on_counts(sorting *s)
{
    dist_call *const c = &s->c;
    ordo_exec *const exec = c->exec;
    uint64_t const   mine = s->in_place ? c->n : c->opts.n_out;
    void            *memory;
    TRY(dist_agree(c, ordo_scratch(exec, (size_t)c->comm.size * sizeof mine, &memory)));
    s->wanted = memory;
    TRY(dist_allgather(c, &mine, sizeof mine, s->wanted));
    uint64_t sum = 0;
    for (int32_t r = 0; r < c->comm.size; r++)
        FAIL_IF(__builtin_add_overflow(sum, s->wanted[r], &sum), ORDO_E_ARG,
                "opts.n_out of ranks 0 to %d is more than 2^64 in all", (int)r);
    FAIL_IF(sum != c->total, ORDO_E_ARG,
            "opts.n_out of all ranks is %llu in all; expected %llu, the number of keys",
            (unsigned long long)sum, (unsigned long long)c->total);
    return ORDO_OK;
}

/* ---- The steps ---- */

static ordo_status scatter(sorting *s)
{
    dist_call *const c = &s->c;
    TRY_SCRATCH(c->exec, c->n * c->key_size + 1, s->sent);
    TRY(pieces_scatter(&s->p, s->keys, c->key_size, s->sent));
    if (s->values == NULL)
        return ORDO_OK;
    TRY_SCRATCH(c->exec, c->n * s->value_size + 1, s->sent_values);
    return pieces_scatter(&s->p, s->values, s->value_size, s->sent_values);
}

static ordo_status sort_received(sorting *s)
{
    dist_call *const     c = &s->c;
    double const         started = dist_clock();
    ordo_sort_opts const opts =
        ORDO_OPTS(ordo_sort_opts, .flags = c->descending ? ORDO_DESCENDING : 0);
    TRY(dist_inner(c, s->values == NULL ? ordo_sort(c->inner, c->type, s->out, s->p.received, &opts)
                                        : ordo_sort_pairs(c->inner, c->type, s->out, s->p.received,
                                                          s->out_values, s->value_size, &opts)));
    c->report.local_seconds += dist_clock() - started;
    return ORDO_OK;
}

static ordo_status run(sorting *s)
{
    dist_call *const c = &s->c;
    TRY(agree_on_counts(s));
    TRY(pieces_find(c, s->values != NULL, s->wanted, &s->p));
    TRY(dist_agree(c, scatter(s)));
    s->overwritten = s->in_place;
    TRY(pieces_exchange(&s->p, s->sent, c->key_size, s->out));
    if (s->values != NULL)
        TRY(pieces_exchange(&s->p, s->sent_values, s->value_size, s->out_values));
    return dist_agree(c, sort_received(s));
}

/* After a failure an array that is sorted in place gets its own elements back. */
static void restore(const sorting *s)
{
    if (!s->overwritten)
        return;
    memcpy(s->keys, s->sent, s->c.n * s->c.key_size);
    if (s->values != NULL)
        memcpy(s->values, s->sent_values, s->c.n * s->value_size);
}

/* ---- Sort, pairs ---- */

static ordo_status check(sorting *s, const ordo_dist_opts *opts, bool pairs)
{
    dist_call *const c = &s->c;
    ordo_exec *const exec = c->exec;
    TRY(dist_check(c, opts, ORDO_DESCENDING));
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
    return api_check_apart(exec, s->keys, c->n * c->key_size, "keys", s->values,
                           c->n * s->value_size, "values");
}

static ordo_status sort_entered(ordo_ctx *ctx, ordo_exec *exec, const ordo_comm *comm, sorting *s,
                                const char *verb, bool pairs, const ordo_dist_opts *opts)
{
    dist_call *const c = &s->c;
    c->ctx = ctx;
    c->exec = exec;
    c->keys = s->keys;
    TRY(dist_open(c, comm));
    ordo_status const checked = check(s, opts, pairs);
    if (pairs && s->values == NULL)
        s->values = &no_values; /* n is 0 */
    if (pairs && s->out_values == NULL)
        s->out_values = &no_values;
    dist_wish const wish = {verb, {s->value_size, s->in_place}};
    ordo_status     status = dist_begin(c, &wish, checked);
    if (status == ORDO_OK)
        status = run(s);
    if (status != ORDO_OK)
        restore(s);
    return dist_end(c, status);
}

ordo_status ordo_dist_sort(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type, void *keys,
                           size_t n, const ordo_dist_opts *opts)
{
    sorting s = {.c = {.type = type, .n = n}, .keys = keys};
    API_CALL("dist_sort", (ordo_type)0, n,
             sort_entered(ctx, exec, comm, &s, "ordo_dist_sort", false, opts));
}

ordo_status ordo_dist_sort_pairs(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type, void *keys,
                                 size_t n, void *values, size_t value_size,
                                 const ordo_dist_opts *opts)
{
    sorting s = {
        .c = {.type = type, .n = n}, .keys = keys, .values = values, .value_size = value_size};
    API_CALL("dist_sort_pairs", (ordo_type)0, n,
             sort_entered(ctx, exec, comm, &s, "ordo_dist_sort_pairs", true, opts));
}

/* ---- Argsort ---- */

static ordo_status argsort_memory(sorting *s, ordo_type index_type)
{
    dist_call *const c = &s->c;
    TRY_SCRATCH(c->exec, c->n * c->key_size + 1, s->sent);
    TRY_SCRATCH(c->exec, c->n * sizeof(uint64_t) + 1, s->sent_values);
    TRY_SCRATCH(c->exec, c->n * c->key_size + 1, s->out);
    if (index_type != ORDO_U64)
        TRY_SCRATCH(c->exec, c->n * sizeof(uint64_t) + 1, s->out_values);
    return ORDO_OK;
}

static ordo_status scatter_argsort(sorting *s)
{
    TRY(pieces_scatter(&s->p, s->keys, s->c.key_size, s->sent));
    return pieces_scatter_index(&s->p, (uint64_t *)(void *)s->sent_values);
}

static ordo_status argsort_run(sorting *s, ordo_type index_type, void *index)
{
    dist_call *const c = &s->c;
    ordo_exec *const exec = c->exec;
    FAIL_IF(index_type == ORDO_U32 && c->total > (uint64_t)UINT32_MAX + 1, ORDO_E_ARG,
            "index_type is u32 but all ranks have %llu keys; expected ORDO_U64",
            (unsigned long long)c->total);
    s->out_values = index;
    TRY(dist_agree(c, argsort_memory(s, index_type)));
    TRY(pieces_find(c, true, c->counts, &s->p));
    TRY(dist_agree(c, scatter_argsort(s)));
    TRY(pieces_exchange(&s->p, s->sent, c->key_size, s->out));
    TRY(pieces_exchange(&s->p, s->sent_values, sizeof(uint64_t), s->out_values));
    TRY(dist_agree(c, sort_received(s)));
    if (index_type != ORDO_U64)
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

static ordo_status argsort_entered(ordo_ctx *ctx, ordo_exec *exec, const ordo_comm *comm,
                                   sorting *s, ordo_type index_type, void *index,
                                   const ordo_dist_opts *opts)
{
    dist_call *const c = &s->c;
    c->ctx = ctx;
    c->exec = exec;
    s->keys = (void *)c->keys; /* only read */
    s->values = &no_values;    /* there are values: the indices */
    s->value_size = sizeof(uint64_t);
    TRY(dist_open(c, comm));
    ordo_status const checked = argsort_check(s, index_type, index, opts);
    dist_wish const   wish = {"ordo_dist_argsort", {(uint64_t)index_type}};
    ordo_status       status = dist_begin(c, &wish, checked);
    if (status == ORDO_OK)
        status = argsort_run(s, index_type, index == NULL ? &no_values : index);
    return dist_end(c, status);
}

ordo_status ordo_dist_argsort(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type,
                              const void *keys, size_t n, ordo_type index_type, void *index,
                              const ordo_dist_opts *opts)
{
    sorting s = {.c = {.type = type, .n = n, .keys = keys}};
    API_CALL("dist_argsort", (ordo_type)0, n,
             argsort_entered(ctx, exec, comm, &s, index_type, index, opts));
}

/* ---- Counts for the caller ---- */

static ordo_status counts_entered(ordo_ctx *ctx, ordo_exec *exec, const ordo_comm *comm, size_t n,
                                  uint64_t *total, uint64_t *offset, size_t *equal_part)
{
    dist_call       c = {.ctx = ctx, .exec = exec, .n = n};
    dist_wish const wish = {"ordo_dist_counts", {0}};
    TRY(dist_open(&c, comm));
    ordo_status const status = dist_begin(&c, &wish, ORDO_OK);
    if (status != ORDO_OK)
        return dist_end(&c, status);
    uint64_t const size = (uint64_t)c.comm.size, extra = c.total % size;
    if (total != NULL)
        *total = c.total;
    if (offset != NULL)
        *offset = c.offset;
    if (equal_part != NULL)
        *equal_part = (size_t)(c.total / size + ((uint64_t)c.comm.rank < extra));
    return dist_end(&c, ORDO_OK);
}

ordo_status ordo_dist_counts(ordo_ctx *ctx, const ordo_comm *comm, size_t n, uint64_t *total,
                             uint64_t *offset, size_t *equal_part)
{
    API_CALL("dist_counts", (ordo_type)0, n,
             counts_entered(ctx, exec, comm, n, total, offset, equal_part));
}
