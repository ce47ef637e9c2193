/* commands.c - rank, quantile, median, select and topk of the keys of all ranks. */
#define _POSIX_C_SOURCE 200809L
#include "cli/io/number/number.h"
#include "mpi/job.h"

#include <stdio.h>

bool succeeded(const job *j, ordo_status status)
{
    if (status != ORDO_OK && j->rank == 0)
        cli_line(stderr, "ordo-mpi: %s: %s", j->w.command, ordo_last_error(j->ctx));
    return status == ORDO_OK;
}

static void print_keys(const job *j, const void *keys, size_t n)
{
    for (size_t i = 0; i < n && j->rank == 0; i++) {
        char         text[64];
        size_t const length =
            number_format(j->in.type, (const char *)keys + i * ordo_type_size(j->in.type), text);
        printf("%.*s\n", (int)length, text);
    }
}

static ordo_status rank(job *j, ordo_type type, void *ranks)
{
    ordo_dist_opts const opts = opts_of(j);
    ordo_strings const   lines = strings_of(j);
    const slice *const   in = &j->in;
    return j->w.lines ? ordo_dist_rank_strings(j->ctx, &j->comm, &lines, in->n, j->w.ties, type,
                                               ranks, &opts)
                      : ordo_dist_rank(j->ctx, &j->comm, in->type, in->keys, in->n, j->w.ties, type,
                                       ranks, &opts);
}

bool do_rank(job *j)
{
    ordo_type const    type = j->w.ties == ORDO_TIES_AVERAGE ? ORDO_F64 : ORDO_U64;
    slice_target const target = {j->w.output, format_of_output(&j->w, true), type, 8, 0};
    void *const        ranks = malloc(j->in.n * 8 + 1);
    bool const fine = all_fine(j->world, ranks != NULL, "no memory for %zu ranks", j->in.n) &&
                      succeeded(j, rank(j, type, ranks)) &&
                      slice_write(j->world, &target, ranks, j->in.n);
    free(ranks);
    return fine;
}

bool do_quantiles(job *j)
{
    const wishes *const  w = &j->w;
    bool const           median = w->command[0] == 'm';
    size_t const         count = median ? 1 : w->q_count;
    double               out[MOST_NUMBERS];
    ordo_dist_opts const opts = ORDO_OPTS(ordo_dist_opts, .report = &j->report);
    const slice *const   in = &j->in;
    ordo_status          status;
    if (median)
        status = ordo_dist_median(j->ctx, &j->comm, in->type, in->keys, in->n, out, w->nans, &opts);
    else
        status = ordo_dist_quantiles(j->ctx, &j->comm, in->type, in->keys, in->n, w->q, count, out,
                                     w->nans, w->method, &opts);
    if (!succeeded(j, status))
        return false;
    j->in.type = ORDO_F64;
    print_keys(j, out, count);
    return true;
}

bool do_select(job *j)
{
    ordo_dist_opts const opts = opts_of(j);
    const wishes *const  w = &j->w;
    char                 out[MOST_NUMBERS * 8];
    if (!succeeded(j, ordo_dist_select(j->ctx, &j->comm, j->in.type, j->in.keys, j->in.n, w->k,
                                       w->k_count, out, &opts)))
        return false;
    print_keys(j, out, w->k_count);
    return true;
}

bool do_topk(job *j)
{
    ordo_dist_opts const opts = opts_of(j);
    uint64_t const       k = j->w.k[0];
    size_t               found = 0;
    void *const          out = k < SIZE_MAX / 16 ? malloc((size_t)k * 8 + 1) : NULL;
    bool const           fine =
        all_fine(j->world, out != NULL, "no memory for %llu keys", (unsigned long long)k) &&
        succeeded(j, ordo_dist_topk(j->ctx, &j->comm, j->in.type, j->in.keys, j->in.n, (size_t)k,
                                    out, NULL, &found, &opts));
    if (fine)
        print_keys(j, out, found);
    free(out);
    return fine;
}
