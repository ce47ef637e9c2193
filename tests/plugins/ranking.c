/* ranking.c - a device simulated on the host for calls over many ranks. Its memory has tagged
 * addresses (tagged.h). The verbs are those of libordo; the jobs of backend/dist.h are loops. A
 * job whose array is not memory of the device fails. ORDO_RANKING_FAIL=NAME:K... makes the
 * K-th call of a slot fail, counted over all contexts since the value changed. */
#define _POSIX_C_SOURCE 200809L
#include "core/keybits.h"
#include "plugins/table.h"
#include "tagged.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct ranking_state {
    ordo_ctx *cpu;
    char     *memory, *pinned;
} ranking_state;

/* ---- Failures ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char            failing[64]; /* the last value of ORDO_RANKING_FAIL */
static long            calls;       /* of its slot, since that value was set */

static bool fails_now(const char *text, const char *number)
{
    pthread_mutex_lock(&lock);
    if (strncmp(failing, text, sizeof failing - 1) != 0)
        calls = 0;
    strncpy(failing, text, sizeof failing - 1);
    bool const now = ++calls == strtol(number, NULL, 10);
    pthread_mutex_unlock(&lock);
    return now;
}

static ordo_status enter(ordo_exec *exec, const char *name, const void *array)
{
    const char *const text = getenv("ORDO_RANKING_FAIL");
    size_t const      length = strlen(name);
    if (array != NULL && !is_tagged(array))
        return ordo_fail(exec, ORDO_E_ARG, "%s: host memory instead of device memory", name);
    if (text == NULL || strncmp(text, name, length) != 0 || text[length] != ':')
        return ORDO_OK;
    if (fails_now(text, text + length + 1))
        return ordo_fail(exec, ORDO_E_DEVICE, "the device was lost in %s", name);
    return ORDO_OK;
}

static ordo_status done(ranking_state *my, ordo_exec *exec, ordo_status status)
{
    return status == ORDO_OK ? ORDO_OK : ordo_fail(exec, status, "%s", ordo_last_error(my->cpu));
}

static uint64_t flags_of(bool descending) { return descending ? ORDO_DESCENDING : 0; }

/* ---- Verbs ---- */

static ordo_status sort(void *state, const ordo_sort_job *job, ordo_exec *exec)
{
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = flags_of(job->descending));
    TRY(enter(exec, "sort", job->keys));
    ranking_state *const my = state;
    return done(my, exec, ordo_sort(my->cpu, job->type, untagged(job->keys), job->n, &opts));
}

static ordo_status sort_pairs(void *state, const ordo_pairs_job *job, ordo_exec *exec)
{
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = flags_of(job->keys.descending));
    TRY(enter(exec, "sort", job->keys.keys));
    TRY(enter(exec, "sort", job->values));
    ranking_state *const my = state;
    return done(my, exec,
                ordo_sort_pairs(my->cpu, job->keys.type, untagged(job->keys.keys), job->keys.n,
                                untagged(job->values), job->value_size, &opts));
}

static ordo_status rank(void *state, const ordo_rank_job *job, ordo_exec *exec)
{
    ordo_rank_opts const opts =
        ORDO_OPTS(ordo_rank_opts, .flags = flags_of(job->descending), .ties = (uint32_t)job->ties);
    TRY(enter(exec, "rank", job->keys));
    ranking_state *const my = state;
    return done(my, exec,
                ordo_rank(my->cpu, job->type, untagged(job->keys), job->n, job->rank_type,
                          untagged(job->ranks), &opts));
}

static ordo_status select_keys(void *state, const ordo_select_job *job, ordo_exec *exec)
{
    TRY(enter(exec, "select", job->keys));
    ranking_state *const my = state;
    return done(my, exec,
                ordo_select(my->cpu, job->type, untagged(job->keys), job->n, job->k, job->count,
                            job->out_on_host ? job->out : untagged(job->out), NULL));
}

static ordo_status topk(void *state, const ordo_topk_job *job, ordo_exec *exec)
{
    ordo_select_opts const opts = ORDO_OPTS(ordo_select_opts, .flags = flags_of(job->descending));
    TRY(enter(exec, "topk", job->keys));
    ranking_state *const my = state;
    return done(my, exec,
                ordo_topk(my->cpu, job->type, untagged(job->keys), job->n, job->k,
                          untagged(job->values), job->index_type, untagged(job->index), NULL,
                          &opts));
}

static ordo_status scan(void *state, const ordo_scan_job *job, ordo_exec *exec)
{
    ordo_scan_opts const opts =
        ORDO_OPTS(ordo_scan_opts, .flags = job->exclusive ? ORDO_EXCLUSIVE : 0);
    TRY(enter(exec, "scan", job->in));
    TRY(enter(exec, "scan", job->out));
    ranking_state *const my = state;
    return done(my, exec,
                ordo_scan(my->cpu, job->op, job->type, untagged(job->in), job->n, job->out_type,
                          untagged(job->out), &opts));
}

static ordo_status is_sorted(void *state, const ordo_order_job *job, ordo_exec *exec)
{
    ordo_order_opts const opts = ORDO_OPTS(ordo_order_opts, .flags = flags_of(job->descending));
    int                   sorted;
    TRY(enter(exec, "is_sorted", job->keys));
    ranking_state *const my = state;
    return done(my, exec,
                ordo_is_sorted(my->cpu, job->type, untagged(job->keys), job->n, &sorted, job->where,
                               &opts));
}

static ordo_status count_nans(void *state, const ordo_count_job *job, ordo_exec *exec)
{
    const void *const keys = untagged(job->keys);
    (void)state;
    TRY(enter(exec, "count_nans", job->keys));
    *job->nans = 0;
    for (size_t i = 0; i < job->n; i++)
        *job->nans += (size_t)(job->type == ORDO_F32 ? key_is_nan_f32(((const float *)keys)[i])
                                                     : key_is_nan_f64(((const double *)keys)[i]));
    return ORDO_OK;
}

static ordo_status copy(void *state, const ordo_copy_job *job, ordo_exec *exec)
{
    (void)state;
    TRY(enter(exec, "copy", NULL));
    memcpy(untagged(job->dst), untagged(job->src), job->bytes);
    return ORDO_OK;
}

static uint64_t index_at(const ordo_move_job *job, size_t i)
{
    const void *const index = untagged(job->index);
    return job->index_type == ORDO_U32 ? ((const uint32_t *)index)[i]
                                       : ((const uint64_t *)index)[i];
}

static ordo_status move(void *state, const ordo_move_job *job, ordo_exec *exec)
{
    char *const       out = untagged(job->out);
    const char *const in = untagged(job->in);
    (void)state;
    TRY(enter(exec, "move", job->out));
    for (size_t i = 0; i < job->count; i++)
        memcpy(out + index_at(job, i) * job->size, in + i * job->size, job->size);
    return job->scatters ? ORDO_OK : ordo_fail(exec, ORDO_E_UNSUPPORTED, "only scatters");
}

/* ---- Jobs of ranks ---- */

static uint64_t order_at(const ordo_order_of *order, const void *keys, uint64_t i)
{
    const void *const at = untagged(keys);
    switch (order->type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return order->folded ? key_tie_bits_##tag(((const key *)at)[i], order->descending)         \
                             : key_sort_bits_##tag(((const key *)at)[i], order->descending);
#include "core/types.def"
    }
    abort();
}

static ordo_status orders(void *state, const ordo_orders_job *job, ordo_exec *exec)
{
    (void)state;
    TRY(enter(exec, "orders", job->keys));
    for (size_t i = 0; i < job->count; i++)
        job->orders[i] = order_at(&job->order, job->keys, job->places[i]);
    return ORDO_OK;
}

static ordo_status places(void *state, const ordo_places_job *job, ordo_exec *exec)
{
    (void)state;
    TRY(enter(exec, "places", job->keys));
    for (size_t i = 0; i < job->count; i++) {
        const ordo_place_target *const target = &job->targets[i];
        uint64_t                       at = target->from;
        while (at < target->to) { /* one by one */
            uint64_t const here = order_at(&job->order, job->keys, at);
            if (here > target->order || (here == target->order && target->above == 0))
                break;
            at++;
        }
        job->places[i] = at;
    }
    return ORDO_OK;
}

static ordo_status cells(void *state, const ordo_cells_job *job, ordo_exec *exec)
{
    uint64_t *const kept = untagged(job->kept);
    (void)state;
    TRY(enter(exec, "cells", job->keys));
    memset(job->counts, 0, (2 * job->boundary_count + 1) * sizeof *job->counts);
    *job->kept_count = 0;
    for (size_t i = 0; i < job->n; i++) {
        uint64_t const order = order_at(&job->order, job->keys, i);
        size_t         cell = 0;
        for (size_t b = 0; b < job->boundary_count; b++)
            cell += (size_t)(job->boundaries[b] < order) + (size_t)(job->boundaries[b] <= order);
        job->counts[cell]++;
        if (job->keep == NULL || job->keep[cell] == 0)
            continue;
        if (*job->kept_count < job->capacity)
            kept[*job->kept_count] = order;
        ++*job->kept_count;
    }
    return ORDO_OK;
}

/* One result after the other, as scans of two elements. */
static ordo_status carry(void *state, const ordo_carry_job *job, ordo_exec *exec)
{
    ranking_state *const my = state;
    size_t const         size = ordo_type_size(job->type);
    TRY(enter(exec, "carry", job->values));
    for (size_t i = 0; i < job->n; i++) {
        char *const at = (char *)untagged(job->values) + i * size;
        uint64_t    both[2] = {0};
        memcpy(both, &job->carry, size);
        memcpy((char *)both + size, at, size);
        TRY(done(my, exec, ordo_scan(my->cpu, job->op, job->type, both, 2, job->type, both, NULL)));
        memcpy(at, (const char *)both + (job->exclusive && i == 0 ? 0 : size), size);
    }
    return ORDO_OK;
}

static double whole_rank(const ordo_whole_job *job, double local)
{
    double const n = (double)job->n, first = (double)job->first_count;
    double const last = n - (double)job->last_count + 1;
    bool const   is_first = job->ties == ORDO_TIES_MIN ? local == 1 : local == (1 + first) / 2;
    bool const   is_last = job->ties == ORDO_TIES_MAX ? local == n : local == (last + n) / 2;
    double const before = is_first ? (double)job->first_before : 0;
    double const after = is_last ? (double)job->last_after : 0;
    double const rank = (double)job->before + local;
    return job->ties == ORDO_TIES_MIN       ? rank - before
           : job->ties == ORDO_TIES_MAX     ? rank + after
           : job->ties == ORDO_TIES_AVERAGE ? rank + (after - before) / 2
                                            : rank;
}

static ordo_status whole(void *state, const ordo_whole_job *job, ordo_exec *exec)
{
    void *const ranks = untagged(job->ranks);
    (void)state;
    TRY(enter(exec, "whole", job->ranks));
    for (size_t i = 0; i < job->n; i++)
        if (job->rank_type == ORDO_U32)
            ((uint32_t *)ranks)[i] = (uint32_t)whole_rank(job, ((uint32_t *)ranks)[i]);
        else if (job->rank_type == ORDO_U64)
            ((uint64_t *)ranks)[i] = (uint64_t)whole_rank(job, (double)((uint64_t *)ranks)[i]);
        else
            ((double *)ranks)[i] = whole_rank(job, ((double *)ranks)[i]);
    return ORDO_OK;
}

static ordo_status pinned(void *state, ordo_exec *exec, size_t bytes, char **out)
{
    ranking_state *const my = state;
    TRY(enter(exec, "pinned", NULL));
    free(my->pinned);
    *out = my->pinned = malloc(bytes + 1);
    return my->pinned != NULL ? ORDO_OK : ordo_fail(exec, ORDO_E_NOMEM, "no pinned memory");
}

static ordo_status transfer(void *state, ordo_exec *exec, unsigned queue, void *to,
                            const void *from, size_t bytes)
{
    (void)state;
    TRY(enter(exec, "transfer", queue == ORDO_QUEUE_OUT ? from : to));
    memcpy(untagged(to), untagged(from), bytes);
    return ORDO_OK;
}

static ordo_status pass_by(void *state, ordo_exec *exec, unsigned queue, unsigned side)
{
    (void)state;
    (void)queue;
    (void)side;
    return enter(exec, "mark", NULL);
}

static ordo_status finish(void *state, ordo_exec *exec)
{
    (void)state;
    return enter(exec, "finish", NULL);
}

/* ---- Memory ---- */

static ordo_status begin(void *state, ordo_exec *exec, size_t memory, size_t scratch,
                         unsigned *lanes, char **base, void **stream)
{
    ranking_state *const my = state;
    TRY(enter(exec, "begin", NULL));
    (void)scratch;
    my->memory = malloc(memory + 1);
    if (my->memory == NULL)
        return ordo_fail(exec, ORDO_E_NOMEM, "no device memory");
    memset(my->memory, 0xcc, memory);
    *base = tagged(my->memory);
    *stream = NULL;
    *lanes = 0;
    return ORDO_OK;
}

static ordo_status end(void *state, ordo_exec *exec)
{
    ranking_state *const my = state;
    (void)exec;
    free(my->memory);
    my->memory = NULL;
    return ORDO_OK;
}

static ordo_status iota(void *state, ordo_exec *exec, void *device, size_t n, ordo_type type,
                        uint64_t first)
{
    (void)state;
    TRY(enter(exec, "iota", device));
    for (size_t i = 0; i < n; i++)
        if (type == ORDO_U32)
            ((uint32_t *)untagged(device))[i] = (uint32_t)(first + i);
        else
            ((uint64_t *)untagged(device))[i] = first + i;
    return ORDO_OK;
}

/* ---- The table ---- */

static ordo_status open(void **state, const ordo_backend_wishes *wishes, char *why, size_t why_size)
{
    ranking_state *const my = calloc(1, sizeof *my);
    (void)wishes;
    if (my == NULL || ordo_ctx_create(&my->cpu, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU,
                                                           .threads = 1)) != ORDO_OK) {
        snprintf(why, why_size, "no context");
        free(my);
        return ORDO_E_NOMEM;
    }
    *state = my;
    return ORDO_OK;
}

static void close(void *state)
{
    ranking_state *const my = state;
    ordo_ctx_free(my->cpu);
    free(my->memory);
    free(my->pinned);
    free(my);
}

static const ordo_link       link = {.begin = begin, .end = end, .iota = iota};
static const ordo_dist_slots slots = {orders, places,   cells,   carry,   whole,
                                      pinned, transfer, pass_by, pass_by, finish};

PLUGIN_TABLE(.sort = sort, .sort_pairs = sort_pairs, .rank = rank, .select = select_keys,
             .topk = topk, .scan = scan, .is_sorted = is_sorted, .count_nans = count_nans,
             .copy = copy, .move = move, .link = &link, .dist = &slots)
