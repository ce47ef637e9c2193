/* dist_topk.c - ordo_dist_topk: the keys before the cut at position k, gathered on every process.
 *
 * Each process lists its keys before the cut in the sequence of their indices, so the gathered list
 * has the sequence of the global array, and a stable sort orders it. */
#define _POSIX_C_SOURCE 200809L
#include "dist/search/cuts.h"
#include "dist/device/device.h"

#include <string.h>

typedef struct best {
    dist_call c;
    size_t    k;      /* results */
    void     *values; /* of the caller; may be NULL */
    uint64_t *index;  /* of the caller; may be NULL */
    cut       at;     /* the end of the results */
    bool      all;    /* every key is a result */
    char     *mine;   /* this process's results */
    uint64_t *my_index;
    size_t    my_count;
    uint64_t *bytes_of; /* of each process */
    char     *gathered;
    uint64_t *gathered_index;
} best;

/* The order of a key with ties folded, from its order of all bits. */
static uint64_t fold(const dist_call *c, uint64_t order)
{
    cells_order const all = {c->type, c->descending, false}, tied = {c->type, c->descending, true};
    uint64_t          key = 0;
    cells_put_key(&all, order, &key);
    return cells_order_of(&tied, &key, 0);
}

/* The cut is found in the order of all bits. If other bits tie with its key (zeros and NaNs), the
 * ties are counted again. */
static ordo_status find_cut(best *b)
{
    dist_call *const  c = &b->c;
    cells_order const tied = {c->type, c->descending, true};
    cut *const        at = &b->at;
    b->all = b->k == c->total;
    at->position = b->k;
    if (b->all)
        return ORDO_OK;
    TRY(cuts_find(c, at, 1));
    uint64_t const order = at->order;
    at->order = fold(c, order);
    if (fold(c, order - 1) != at->order && fold(c, order + 1) != at->order)
        return ORDO_OK;
    at->less = at->here = 0;
    for (size_t i = 0; i < c->n; i++) {
        uint64_t const key = cells_order_of(&tied, c->keys, i);
        at->less += key < at->order;
        at->here += key == at->order;
    }
    at->before = at->here;
    TRY(dist_sum(c, &at->less, 1));
    return dist_prefix(c, &at->before, 1);
}

/* Lists this process's results. There are at most k. */
static ordo_status list_mine(best *b)
{
    dist_call *const  c = &b->c;
    cells_order const order = {c->type, c->descending, true};
    size_t const      most = ordo_min(b->k, c->n), size = c->key_size;
    uint64_t          ties = b->all ? 0 : cut_left(&b->at);
    TRY_SCRATCH(c->exec, most * size + 1, b->mine);
    TRY_SCRATCH(c->exec, most * sizeof *b->my_index + 1, b->my_index);
    for (size_t i = 0; i < c->n; i++) {
        uint64_t const key = b->all ? 0 : cells_order_of(&order, c->keys, i);
        bool const     is_tied = !b->all && key == b->at.order && ties > 0;
        if (!b->all && key >= b->at.order && !is_tied)
            continue;
        ties -= is_tied;
        memcpy(b->mine + b->my_count * size, (const char *)c->keys + i * size, size);
        b->my_index[b->my_count++] = c->offset + i;
    }
    return ORDO_OK;
}

/* On a device each process finds its own first keys, at most k; they are candidates in order, and a
 * cut through the candidates of all processes gives the results. */
static ordo_status list_candidates(best *b)
{
    dist_call *const c = &b->c;
    size_t const     most = ordo_min(b->k, c->n);
    size_t const     keys = most * c->key_size, index = most * sizeof *b->my_index;
    ordo_topk_job    job = {.type = c->type,
                            .keys = c->keys,
                            .n = c->n,
                            .k = most,
                            .index_type = ORDO_U64,
                            .descending = c->descending};
    TRY_SCRATCH(c->exec, keys + 1, b->mine);
    TRY_SCRATCH(c->exec, index + 1, b->my_index);
    TRY(device_memory(c, device_size(keys) + device_size(index)));
    job.values = device_take(c, keys);
    job.index = device_take(c, index);
    if (most == 0)
        return ORDO_OK;
    TRY(c->device.backend->topk(c->device.state, &job, c->exec));
    TRY(device_copy(c, b->mine, job.values, keys));
    TRY(device_copy(c, b->my_index, job.index, index));
    TRY(device_finish(c));
    for (size_t i = 0; i < most; i++)
        b->my_index[i] += c->offset;
    return ORDO_OK;
}

static ordo_status choose_candidates(best *b)
{
    dist_call *const c = &b->c;
    cut_keys const   mine = {{c->type, c->descending, true}, b->mine, ordo_min(b->k, c->n), false};
    uint64_t         total = 0;
    for (int32_t r = 0; r < c->comm.size; r++)
        total += c->counts[r] < b->k ? c->counts[r] : b->k;
    b->at.position = b->k;
    b->my_count = mine.n;
    if (b->k == total)
        return ORDO_OK;
    TRY(cuts_of_keys(c, &mine, total, &b->at, 1));
    b->my_count = (size_t)cut_place(&b->at);
    return ORDO_OK;
}

static ordo_status choose_mine(best *b)
{
    dist_call *const c = &b->c;
    bool const       there = dist_on_device(c);
    if (!there)
        TRY(find_cut(b));
    TRY(dist_agree(c, there ? list_candidates(b) : list_mine(b)));
    return there ? choose_candidates(b) : ORDO_OK;
}

static ordo_status take_gathered(best *b)
{
    dist_call *const c = &b->c;
    TRY_SCRATCH(c->exec, (size_t)c->comm.size * sizeof *b->bytes_of, b->bytes_of);
    TRY_SCRATCH(c->exec, b->k * c->key_size + 1, b->gathered);
    TRY_SCRATCH(c->exec, b->k * sizeof *b->gathered_index + 1, b->gathered_index);
    return ORDO_OK;
}

static ordo_status gather(best *b)
{
    dist_call *const c = &b->c;
    uint64_t const   count = b->my_count;
    TRY(dist_agree(c, take_gathered(b)));
    TRY(dist_allgather(c, &count, sizeof count, b->bytes_of));
    for (int32_t r = 0; r < c->comm.size; r++)
        b->bytes_of[r] *= c->key_size;
    TRY(dist_allgather_parts(c, b->mine, b->bytes_of, b->gathered));
    for (int32_t r = 0; r < c->comm.size; r++)
        b->bytes_of[r] = b->bytes_of[r] / c->key_size * sizeof(uint64_t);
    return dist_allgather_parts(c, b->my_index, b->bytes_of, b->gathered_index);
}

static ordo_status write_results(best *b)
{
    dist_call *const c = &b->c;
    size_t const     keys = b->k * c->key_size, index = b->k * sizeof *b->index;
    if (dist_on_device(c)) {
        TRY(device_copy(c, b->values, b->gathered, b->values == NULL ? 0 : keys));
        TRY(device_copy(c, b->index, b->gathered_index, b->index == NULL ? 0 : index));
        return device_finish(c);
    }
    if (b->values != NULL)
        memcpy(b->values, b->gathered, keys);
    if (b->index != NULL)
        memcpy(b->index, b->gathered_index, index);
    return ORDO_OK;
}

static ordo_status run(best *b, size_t wanted, size_t *found)
{
    dist_call *const     c = &b->c;
    ordo_sort_opts const opts = dist_sort_opts(c);
    b->k = wanted < c->total ? wanted : (size_t)c->total;
    TRY(choose_mine(b));
    TRY(gather(b));
    TRY(dist_agree(c, dist_inner(c, ordo_sort_pairs(c->inner, c->type, b->gathered, b->k,
                                                    b->gathered_index, sizeof(uint64_t), &opts))));
    TRY(dist_on_device(c) ? dist_agree(c, write_results(b)) : write_results(b));
    if (found != NULL)
        *found = b->k;
    return ORDO_OK;
}

ordo_status ordo_dist_topk(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type, const void *keys,
                           size_t n, size_t k, void *values, uint64_t *index, size_t *found,
                           const ordo_dist_opts *opts)
{
    best b = {.c = {.type = type, .keys = keys, .n = n}, .values = values, .index = index};
    DIST_CALL("dist_topk", &b.c, dist_check(&b.c, opts, ORDO_DESCENDING), run(&b, k, found),
              "ordo_dist_topk", {k});
}
