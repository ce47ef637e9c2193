/* rank_read.c - reads the runs of ordo_external_rank in ranges of the final order (see
 * rank_work.h). */
#define _GNU_SOURCE
#include "external/rank/rank_work.h"

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
