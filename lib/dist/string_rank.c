/* string_rank.c - the steps of dist_rank.c for strings.
 *
 * The strings are divided by keys of 64 bits and ranked where they arrive; ties stay together. If
 * too many have one key, the sorted strings of each process go to the processes of their places. */
#define _POSIX_C_SOURCE 200809L
#include "dist/ranking.h"

#include "backend/tuning.h"

#include <string.h>

enum {
    GRAIN = ORDO_TUNE(1 << 14, 20), /* strings that a thread handles at a time */
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
