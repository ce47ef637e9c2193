/* rank_read.c - reads the runs of ordo_external_rank in ranges of the final order (see
 * rank_work.h). */
#define _GNU_SOURCE
#include "external/rank/rank_work.h"

#include <stdlib.h>

bool rank_inner_done(const ranker *r, ordo_status status)
{
    external_call *const c = r->call;
    return status == ORDO_OK ||
           failure_record(&c->failure, status, "%s", ordo_last_error(c->inner));
}

size_t rank_buffer_of(const ranker *r, const piece *p)
{
    size_t i = 0;
    while (r->call->buffers[i] != p->elements)
        i++;
    return i;
}

bool rank_read_range(void *user, piece *p)
{
    ranker *const r = user;
    if (!ranges_next(r->ranges, p->elements, &p->n))
        return false;
    size_t *const given = r->given[rank_buffer_of(r, p)];
    for (size_t i = 0; i < r->together; i++)
        given[i] = ranges_given(r->ranges, i);
    p->ended = p->n == 0;
    return true;
}

bool rank_order_blocks(ranker *r, size_t from, size_t to)
{
    const run *const all = r->runs.all;
    size_t const first = all[from].block, count = all[to - 1].block + all[to - 1].blocks - first;
    free(r->order);
    r->order = malloc((count + 1) * sizeof *r->order);
    if (r->order == NULL)
        return failure_record(&r->call->failure, ORDO_E_NOMEM,
                              "the system refused memory for the order of the blocks");
    if (!rank_inner_done(r, ordo_argsort(r->call->inner, ORDO_U64, r->runs.first + first, count,
                                         ORDO_U32, r->order, NULL)))
        return false;
    for (size_t i = 0; i < count; i++)
        r->order[i] += (uint32_t)first;
    return true;
}
