/* dist_range.c - one round of a divided exchange (see dist_range.h). The elements are sent from the
 * sorted arrays, so only what arrives takes memory. */
#define _POSIX_C_SOURCE 200809L
#include "dist/spill/dist_range.h"

#include "dist/exchange/runs.h"

typedef struct ranging {
    dist_call        c;
    const range_job *job;
    pieces           p;
    uint64_t        *parts;           /* of each process: the place of its part, and elements */
    uint64_t        *begins, *wanted; /* the same */
    char            *received, *received_values;
} ranging;

static ordo_status take_memory(ranging *r)
{
    const range_job *const job = r->job;
    ordo_exec *const       exec = r->c.exec;
    size_t const           size = (size_t)r->c.comm.size;
    TRY_SCRATCH(exec, 2 * size * sizeof *r->parts, r->parts);
    TRY_SCRATCH(exec, size * sizeof *r->begins, r->begins);
    TRY_SCRATCH(exec, size * sizeof *r->wanted, r->wanted);
    r->received = job->out;
    if (!runs_are_sorted_again(&r->c, job->values))
        TRY_SCRATCH(exec, job->count * r->c.key_size + 1, r->received);
    if (job->values != NULL)
        TRY_SCRATCH(exec, job->count * job->value_size + 1, r->received_values);
    return ORDO_OK;
}

static ordo_status run(ranging *r)
{
    dist_call *const       c = &r->c;
    const range_job *const job = r->job;
    uint64_t const         mine[2] = {job->begin, job->count};
    TRY(dist_agree(c, take_memory(r)));
    TRY(dist_allgather(c, mine, sizeof mine, r->parts));
    for (int32_t i = 0; i < c->comm.size; i++) {
        r->begins[i] = r->parts[2 * i];
        r->wanted[i] = r->parts[2 * i + 1];
    }
    TRY(pieces_of_sorted(c, job->values != NULL, c->keys, r->begins, r->wanted, &r->p));
    TRY(pieces_exchange(&r->p, c->keys, c->key_size, r->received));
    if (job->values != NULL)
        TRY(pieces_exchange(&r->p, job->values, job->value_size, r->received_values));
    return dist_agree(c, runs_merge(&(runs_job){.pieces = &r->p,
                                                .keys = r->received,
                                                .out = job->out,
                                                .values = r->received_values,
                                                .out_values = job->out_values,
                                                .value_size = job->value_size}));
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
