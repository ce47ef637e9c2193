/* device_rank.c - the steps of dist_rank.c for arrays on a device.
 *
 * A process sorts a copy of its keys together with their places, so that the keys for another
 * process are a part of the sorted array. The ranks come home in the sorted sequence and are
 * scattered to the places. */
#define _POSIX_C_SOURCE 200809L
#include "dist/ranking.h"

ordo_status device_rank_memory(ranking *r)
{
    dist_call *const c = &r->part.c;
    size_t const     keys = c->n * c->key_size, ranks = c->n * ordo_type_size(r->rank_type);
    r->index_type = c->n <= UINT32_MAX ? ORDO_U32 : ORDO_U64;
    size_t const index = c->n * ordo_type_size(r->index_type);
    TRY(device_memory(c, 2 * device_size(keys) + 2 * device_size(ranks) + device_size(index)));
    r->sent = device_take(c, keys);
    r->received = device_take(c, keys);
    r->received_ranks = device_take(c, ranks);
    r->home = device_take(c, ranks);
    r->index = device_take(c, index);
    return ORDO_OK;
}

ordo_status device_rank_sort(ranking *r)
{
    dist_call *const c = &r->part.c;
    TRY(device_copy(c, r->sent, c->keys, c->n * c->key_size));
    TRY(device_iota(c, r->index, c->n, r->index_type, 0));
    return device_sort(c, r->sent, c->n, r->index, ordo_type_size(r->index_type));
}

ordo_status device_rank_received(ranking *r)
{
    dist_call *const    c = &r->part.c;
    double const        started = dist_clock();
    ordo_rank_job const job = {.type = c->type,
                               .keys = r->received,
                               .n = r->s.p.received,
                               .descending = c->descending,
                               .rank_type = r->rank_type,
                               .ranks = r->received_ranks,
                               .ties = r->ties};
    TRY(c->device.backend->rank(c->device.state, &job, c->exec));
    TRY(rank_distinct(r));
    TRY(device_finish(c));
    c->report.local_seconds += dist_clock() - started;
    return ORDO_OK;
}

ordo_status device_rank_home(ranking *r)
{
    dist_call *const    c = &r->part.c;
    ordo_move_job const job = {.in = r->home,
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
