/* device_rank.c - the steps of dist_rank.c for arrays on a device.
 *
 * A rank sorts a copy of its keys together with their places, so that the keys for another rank are
 * a part of the sorted array. What arrives is one sorted run from each rank: the smallest and the
 * largest key and their ties are found by searches in the runs. The ranks come home in the sorted
 * sequence and are scattered to the places. */
#define _POSIX_C_SOURCE 200809L
#include "dist/ranking.h"

ordo_status device_rank_memory(ranking *r)
{
    dist_call *const c = &r->c;
    size_t const     keys = c->n * c->key_size, ranks = c->n * ordo_type_size(r->rank_type);
    r->index_type = c->n <= UINT32_MAX ? ORDO_U32 : ORDO_U64;
    size_t const index = c->n * ordo_type_size(r->index_type);
    TRY(device_memory(c, 2 * device_size(keys) + 2 * device_size(ranks) + device_size(index)));
    r->sent = device_take(c, keys);
    r->received = device_take(c, keys);
    r->received_ranks = device_take(c, ranks);
    r->back = device_take(c, ranks);
    r->index = device_take(c, index);
    TRY_SCRATCH(c->exec, (size_t)c->comm.size * sizeof *r->all, r->all);
    return ORDO_OK;
}

ordo_status device_rank_sort(ranking *r)
{
    dist_call *const c = &r->c;
    TRY(device_copy(c, r->sent, c->keys, c->n * c->key_size));
    TRY(device_iota(c, r->index, c->n, r->index_type, 0));
    return device_sort(c, r->sent, c->n, r->index, ordo_type_size(r->index_type));
}

/* ---- Summary ---- */

/* The first and the last order of each run that is not empty: 2 numbers for each. */
static ordo_status ends_of_runs(ranking *r, uint64_t *ends, size_t *runs)
{
    cells_order const order = {r->c.type, r->c.descending, true};
    *runs = 0;
    for (int32_t i = 0; i < r->c.comm.size; i++) {
        uint64_t const at = r->p.receive_at[i], n = r->p.receive_n[i];
        if (n == 0)
            continue;
        ends[2 * *runs] = at;
        ends[2 * (*runs)++ + 1] = at + n - 1;
    }
    return device_orders(&r->c, &order, r->received, ends, 2 * *runs, ends);
}

/* Ties of the first and of the last key, by two searches in each run. */
static ordo_status count_ties(ranking *r, summary *mine, ordo_place_wish *wishes, uint64_t *places)
{
    cells_order const order = {r->c.type, r->c.descending, true};
    size_t            count = 0;
    for (int32_t i = 0; i < r->c.comm.size; i++) {
        uint64_t const from = r->p.receive_at[i], to = from + r->p.receive_n[i];
        wishes[count++] = (ordo_place_wish){from, to, mine->first, 1};
        wishes[count++] = (ordo_place_wish){from, to, mine->last, 0};
    }
    TRY(device_places(&r->c, &order, r->received, wishes, count, places));
    for (size_t i = 0; i < count; i += 2) {
        mine->first_count += places[i] - wishes[i].from;
        mine->last_count += wishes[i].to - places[i + 1];
    }
    return ORDO_OK;
}

static ordo_status summarize(ranking *r, summary *mine)
{
    dist_call *const c = &r->c;
    size_t const     most = 2 * (size_t)c->comm.size;
    ordo_place_wish *wishes;
    uint64_t        *ends;
    size_t           runs;
    TRY_SCRATCH(c->exec, most * sizeof *wishes, wishes);
    TRY_SCRATCH(c->exec, most * sizeof *ends, ends);
    TRY(ends_of_runs(r, ends, &runs));
    *mine = (summary){.n = r->p.received, .first = UINT64_MAX};
    for (size_t i = 0; i < 2 * runs; i += 2) {
        mine->first = ends[i] < mine->first ? ends[i] : mine->first;
        mine->last = ends[i + 1] > mine->last ? ends[i + 1] : mine->last;
    }
    return runs == 0 ? ORDO_OK : count_ties(r, mine, wishes, ends);
}

/* The largest dense rank is the number of distinct keys. */
static ordo_status largest_rank(ranking *r, uint64_t *out)
{
    const dist_device *const d = &r->c.device;
    size_t const             n = r->p.received, last = n - 1;
    union {
        uint32_t narrow;
        uint64_t wide;
        double   real;
    } rank;
    ordo_select_job const job = {.type = r->rank_type,
                                 .keys = r->received_ranks,
                                 .n = n,
                                 .k = &last,
                                 .count = 1,
                                 .out = &rank,
                                 .out_on_host = true};
    *out = 0;
    if (n == 0)
        return ORDO_OK;
    TRY(d->backend->select(d->state, &job, r->c.exec));
    *out = r->rank_type == ORDO_U32   ? rank.narrow
           : r->rank_type == ORDO_U64 ? rank.wide
                                      : (uint64_t)rank.real;
    return ORDO_OK;
}

ordo_status device_rank_received(ranking *r, summary *mine)
{
    dist_call *const    c = &r->c;
    double const        started = dist_clock();
    ordo_rank_job const job = {.type = c->type,
                               .keys = r->received,
                               .n = r->p.received,
                               .descending = c->descending,
                               .rank_type = r->rank_type,
                               .ranks = r->received_ranks,
                               .ties = r->ties};
    TRY(summarize(r, mine));
    TRY(c->device.backend->rank(c->device.state, &job, c->exec));
    if (r->ties == ORDO_TIES_DENSE)
        TRY(largest_rank(r, &mine->distinct));
    TRY(device_finish(c));
    c->report.local_seconds += dist_clock() - started;
    return ORDO_OK;
}

ordo_status device_rank_correct(ranking *r)
{
    dist_call *const     c = &r->c;
    const summary *const mine = &r->all[c->comm.rank];
    ordo_whole_job const job = {.ties = r->ties,
                                .rank_type = r->rank_type,
                                .ranks = r->received_ranks,
                                .n = r->p.received,
                                .before =
                                    r->ties == ORDO_TIES_DENSE ? r->distinct_before : r->offset,
                                .first_count = mine->first_count,
                                .last_count = mine->last_count,
                                .first_before = r->first_before,
                                .last_after = r->last_after};
    return c->device.backend->dist->whole(c->device.state, &job, c->exec);
}

ordo_status device_rank_home(ranking *r)
{
    dist_call *const    c = &r->c;
    ordo_move_job const job = {.in = r->back,
                               .n = c->n,
                               .size = r->rank_size,
                               .index_type = r->index_type,
                               .index = r->index,
                               .count = c->n,
                               .out = r->ranks,
                               .scatters = true};
    if (c->n > 0)
        TRY(c->device.backend->move(c->device.state, &job, c->exec));
    return device_finish(c);
}
