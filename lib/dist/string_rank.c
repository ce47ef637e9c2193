/* string_rank.c - the steps of dist_rank.c for strings.
 *
 * The strings are divided by keys of 64 bits and ranked where they arrive; ties stay together. If
 * too many have one key, the sorted strings of each process go to the processes of their places.
 * What arrives then is sorted runs: a merge orders them, and a comparison of neighbours finds
 * ties. */
#define _POSIX_C_SOURCE 200809L
#include "dist/ranking.h"

#include "backend/tuning.h"
#include "dist/strings/string_merge.h"

#include <string.h>

enum {
    GRAIN = ORDO_TUNE(1 << 14, 20), /* strings that a thread handles at a time */
    LEAST = ORDO_TUNE(1 << 16, 200) /* fewer strings of all processes are sorted */
};

typedef struct ordered { /* the received strings */
    const string_list *list;
    uint64_t          *order;
    uint8_t           *heads; /* whether ties begin at a place of the order */
} ordered;

static bool same(const string_list *list, uint64_t i, uint64_t j)
{
    const uint64_t *const at = list->offsets;
    uint64_t const        length = at[i + 1] - at[i];
    return length == at[j + 1] - at[j] &&
           (length == 0 || memcmp(list->bytes + at[i], list->bytes + at[j], length) == 0);
}

static void mark_heads(void *arg, size_t lo, size_t hi)
{
    const ordered *const o = arg;
    for (size_t i = lo; i < hi; i++)
        o->heads[i] = i == 0 || !same(o->list, o->order[i - 1], o->order[i]) ? ORDO_ROW_HEAD : 0;
}

/* Ranks what was received as sorted runs. */
static ordo_status rank_runs(ranking *r)
{
    dist_call *const       c = &r->part.c;
    const ordo_plan *const plan = &c->ctx->plan;
    double const           started = dist_clock();
    size_t const           n = r->s.received.n;
    ordered                o = {.list = &r->s.received};
    TRY_SCRATCH(c->exec, (n + 1) * sizeof *o.order, o.order);
    TRY_SCRATCH(c->exec, n + 1, o.heads);
    TRY_SCRATCH(c->exec, (n + 1) * r->rank_size, r->received_ranks);
    TRY(string_merge(&r->s, o.order));
    ordo_place_job const job = {.n = n,
                                .index_type = ORDO_U64,
                                .index = o.order,
                                .heads = o.heads,
                                .ties = r->ties,
                                .rank_type = r->rank_type,
                                .ranks = r->received_ranks};
    TRY(dist_loop(c, n, GRAIN, mark_heads, &o));
    ordo_status const status = plan->cpu->place_ranks(plan->cpu_state, &job, c->exec);
    c->report.merge_seconds += dist_clock() - started;
    return status == ORDO_E_CANCELLED ? dist_cancelled(c) : status;
}

/* Ranks what was received in no order. */
static ordo_status rank_divided(ranking *r)
{
    dist_call *const     c = &r->part.c;
    double const         started = dist_clock();
    ordo_strings const   strings = string_list_view(&r->s.received);
    ordo_rank_opts const opts = ORDO_OPTS(ordo_rank_opts, .ties = (uint32_t)r->ties,
                                          .flags = c->descending ? ORDO_DESCENDING : 0);
    TRY_SCRATCH(c->exec, (r->s.received.n + 1) * r->rank_size, r->received_ranks);
    TRY(dist_inner(c, ordo_rank_strings(c->inner, &strings, r->s.received.n, r->rank_type,
                                        r->received_ranks, &opts)));
    c->report.local_seconds += dist_clock() - started;
    return ORDO_OK;
}

ordo_status string_rank_receive(ranking *r)
{
    dist_call *const c = &r->part.c;
    bool             divided = false;
    if (c->comm.size > 1 && c->total >= LEAST)
        TRY(string_pieces_divide(&r->part, &r->s, &divided));
    if (divided)
        return dist_agree(c, rank_divided(r));
    r->s = (string_pieces){.p = {.call = c}};
    TRY(string_pieces_move(&r->part, c->counts, true, &r->s));
    r->index = r->part.order;
    return dist_agree(c, rank_runs(r));
}

static void place_ranks(void *arg, size_t lo, size_t hi)
{
    const ranking *const  r = arg;
    const uint64_t *const order = r->index;
    if (r->rank_size == sizeof(uint32_t))
        for (size_t i = lo; i < hi; i++)
            ((uint32_t *)r->ranks)[order[i]] = ((const uint32_t *)(const void *)r->home)[i];
    else
        for (size_t i = lo; i < hi; i++)
            memcpy((char *)r->ranks + order[i] * 8, r->home + i * 8, 8);
}

ordo_status string_rank_home(ranking *r)
{
    dist_call *const c = &r->part.c;
    return dist_loop(c, c->n, GRAIN, place_ranks, r);
}
