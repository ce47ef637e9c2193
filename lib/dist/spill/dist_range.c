/* dist_range.c - one round of a divided exchange (see dist_range.h). The elements are sent from the
 * sorted arrays, so only what arrives takes memory. */
#define _POSIX_C_SOURCE 200809L
#include "dist/spill/dist_range.h"

#include "dist/exchange/runs.h"

#include <string.h>

typedef struct part { /* that a rank gets */
    uint64_t begin, count;
} part;

typedef struct ranging {
    dist_call        c;
    const range_job *job;
    pieces           p;
    part            *parts;
    uint64_t        *wanted; /* elements that each rank gets */
    cut             *cuts;   /* at the begin and the end of each part */
    char            *received, *received_values;
} ranging;

static bool is_counted(const ranging *r) { return r->job->values == NULL && r->c.key_size < 4; }

static ordo_status take_parts(ranging *r)
{
    ordo_exec *const exec = r->c.exec;
    size_t const     size = (size_t)r->c.comm.size;
    TRY_SCRATCH(exec, size * sizeof *r->parts, r->parts);
    TRY_SCRATCH(exec, size * sizeof *r->wanted, r->wanted);
    TRY_SCRATCH(exec, 2 * size * sizeof *r->cuts, r->cuts);
    return ORDO_OK;
}

static ordo_status take_memory(ranging *r)
{
    const range_job *const job = r->job;
    TRY(pieces_open(&r->c, r->wanted, &r->p));
    r->received = job->out;
    if (!is_counted(r))
        TRY_SCRATCH(r->c.exec, job->count * r->c.key_size + 1, r->received);
    if (job->values != NULL)
        TRY_SCRATCH(r->c.exec, job->count * job->value_size + 1, r->received_values);
    return ORDO_OK;
}

/* Whether a cut is needed at the position: 0 and the total have no key. */
static bool is_inside(const ranging *r, uint64_t position)
{
    return position > 0 && position < r->c.total;
}

/* This rank's number of elements before the position; *at is the next cut. */
static uint64_t place_of(const ranging *r, uint64_t position, const cut **at)
{
    return is_inside(r, position) ? cut_place((*at)++) : position == 0 ? 0 : r->c.n;
}

static ordo_status find_pieces(ranging *r)
{
    dist_call *const  c = &r->c;
    cells_order const order = {c->type, c->descending, r->job->values != NULL};
    size_t            count = 0;
    for (int32_t i = 0; i < c->comm.size; i++) {
        uint64_t const ends[2] = {r->parts[i].begin, r->parts[i].begin + r->parts[i].count};
        for (size_t e = 0; e < 2; e++)
            if (is_inside(r, ends[e]))
                r->cuts[count++] = (cut){.position = ends[e]};
    }
    TRY(cuts_of_sorted(c, &order, c->keys, r->cuts, count));
    const cut *at = r->cuts;
    for (int32_t i = 0; i < c->comm.size; i++) {
        uint64_t const begin = place_of(r, r->parts[i].begin, &at);
        uint64_t const end = place_of(r, r->parts[i].begin + r->parts[i].count, &at);
        r->p.send_at[i] = begin;
        r->p.send_n[i] = end - begin;
    }
    return pieces_swap(&r->p);
}

static ordo_status merge(ranging *r)
{
    dist_call *const       c = &r->c;
    const range_job *const job = r->job;
    ordo_sort_opts const   opts =
        ORDO_OPTS(ordo_sort_opts, .flags = c->descending ? ORDO_DESCENDING : 0);
    if (is_counted(r))
        return dist_inner(c, ordo_sort(c->inner, c->type, job->out, job->count, &opts));
    return runs_merge(&(runs_job){.pieces = &r->p,
                                  .keys = r->received,
                                  .out = job->out,
                                  .values = r->received_values,
                                  .out_values = job->out_values,
                                  .value_size = job->value_size});
}

static ordo_status run(ranging *r)
{
    dist_call *const       c = &r->c;
    const range_job *const job = r->job;
    part const             mine = {job->begin, job->count};
    TRY(dist_agree(c, take_parts(r)));
    TRY(dist_allgather(c, &mine, sizeof mine, r->parts));
    for (int32_t i = 0; i < c->comm.size; i++)
        r->wanted[i] = r->parts[i].count;
    TRY(dist_agree(c, take_memory(r)));
    TRY(find_pieces(r));
    TRY(pieces_exchange(&r->p, c->keys, c->key_size, r->received));
    if (job->values != NULL)
        TRY(pieces_exchange(&r->p, job->values, job->value_size, r->received_values));
    return dist_agree(c, merge(r));
}

ordo_status dist_range(ordo_ctx *ctx, const ordo_comm *comm, const range_job *job,
                       ordo_dist_report *report)
{
    ranging r = {.job = job,
                 .c = {.type = job->type,
                       .key_size = ordo_type_size(job->type),
                       .keys = job->keys,
                       .n = job->n,
                       .descending = job->descending,
                       .opts = {.report = report}}};
    DIST_CALL("dist_range", &r.c, ORDO_OK, run(&r), "a round of ordo_dist_sort", {job->value_size});
}
