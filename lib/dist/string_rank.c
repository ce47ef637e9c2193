/* string_rank.c - the steps of dist_rank.c for strings.
 *
 * The strings are divided by keys of 64 bits and ranked where they arrive; ties stay together. If
 * too many have one key, the sorted strings of each process go to the processes of their places. */
#define _POSIX_C_SOURCE 200809L
#include "dist/ranking.h"

#include "backend/tuning.h"
#include "ordo_records.h"

enum {
    LEAST = ORDO_TUNE(1 << 16, 200) /* fewer strings of all processes are sorted */
};

static ordo_status rank_received(ranking *r)
{
    dist_call *const     c = &r->part.c;
    double const         started = dist_clock();
    ordo_strings const   strings = string_list_view(&r->s.received);
    ordo_rank_opts const opts = ORDO_OPTS(ordo_rank_opts, .ties = (uint32_t)r->ties,
                                          .flags = c->descending ? ORDO_DESCENDING : 0);
    TRY_SCRATCH(c->exec, (r->s.received.n + 1) * r->rank_size, r->received_ranks);
    TRY(dist_inner(c, ordo_rank_strings(c->inner, &strings, r->s.received.n, r->rank_type,
                                        r->received_ranks, &opts)));
    TRY(rank_distinct(r));
    c->report.local_seconds += dist_clock() - started;
    return ORDO_OK;
}

ordo_status string_rank_receive(ranking *r)
{
    dist_call *const c = &r->part.c;
    bool             divided = false;
    if (c->total >= LEAST)
        TRY(string_pieces_divide(&r->part, &r->s, &divided));
    if (!divided) {
        r->s = (string_pieces){.p = {.call = c}};
        TRY(string_pieces_move(&r->part, c->counts, true, &r->s));
        r->index = r->part.order;
    }
    return dist_agree(c, rank_received(r));
}

ordo_status string_rank_home(ranking *r)
{
    dist_call *const c = &r->part.c;
    return dist_inner(c, ordo_scatter(c->inner, r->home, c->n, r->rank_size, ORDO_U64, r->index,
                                      r->ranks, c->n, NULL));
}
