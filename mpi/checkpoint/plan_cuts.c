/* plan_cuts.c - the cuts of a plan, and which elements of this rank belong to which range (see
 * plan.h).
 *
 * The keys at the cuts are selected exactly over all ranks. Each rank sorts its keys, so a range is
 * a part of them, and finds by a prefix sum how many ties of a cut the ranks before it have. */
#define _POSIX_C_SOURCE 200809L
#include "core/keybits.h"
#include "mpi/fault.h"
#include "mpi/checkpoint/plan.h"
#include "ordo_records.h"

#include <stdio.h>

/* The order of key i. */
static uint64_t order_of(const plan *p, const char *keys, size_t i)
{
    int const descending = p->descending != 0;
    switch ((ordo_type)p->type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID: {                                                                              \
        key const at = ((const key *)(const void *)keys)[i];                                       \
        return p->record_size != 0 ? key_tie_bits_##tag(at, descending)                            \
                                   : key_sort_bits_##tag(at, descending);                          \
    }
#include "core/types.def"
    }
    return 0;
}

/* ---- The cuts ---- */

bool plan_make(job *j, plan *p)
{
    const slice *const   in = &j->in;
    ordo_dist_opts const opts = opts_of(j);
    uint64_t             total = in->n, positions[MOST_RANGES], keys[MOST_RANGES]; /* of any type */
    MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_UINT64_T, MPI_SUM, j->world);
    p->id = new_id();
    MPI_Bcast(&p->id, 1, MPI_UINT64_T, 0, j->world);
    p->total = total;
    p->type = (uint64_t)in->type;
    p->element = in->record_size != 0 ? in->record_size : ordo_type_size(in->type);
    p->ranges = j->w.ranges != 0 ? j->w.ranges : DEFAULT_RANGES;
    if (p->ranges > total)
        p->ranges = total > 0 ? total : 1;
    size_t const cuts = (size_t)p->ranges - 1;
    for (size_t c = 0; c <= cuts + 1; c++)
        p->cuts[c] = (plan_cut){.position = part_start(total, (int)c, (int)p->ranges)};
    for (size_t c = 0; c < cuts; c++)
        positions[c] = p->cuts[c + 1].position;
    if (cuts > 0 && !succeeded(j, ordo_dist_select(j->ctx, &j->comm, in->type, in->keys, in->n,
                                                   positions, cuts, keys, &opts)))
        return false;
    for (size_t c = 0; c < cuts; c++)
        p->cuts[c + 1].order = order_of(p, (const char *)keys, c);
    return true;
}

/* ---- The division of this rank's elements ---- */

typedef struct dividing {
    const plan *p;
    size_t      count;                                 /* different orders of cuts */
    uint64_t    orders[MOST_RANGES];                   /* ascending */
    size_t      first[MOST_RANGES + 1];                /* cuts before those with an order */
    uint64_t    below[MOST_RANGES], tied[MOST_RANGES]; /* keys of this rank below and at an order */
    uint64_t    before[MOST_RANGES];                   /* tied keys of the ranks before this one */
} dividing;

static void find_orders(dividing *d)
{
    for (uint64_t c = 1; c < d->p->ranges; c++)
        if (d->count == 0 || d->orders[d->count - 1] != d->p->cuts[c].order) {
            d->first[d->count] = (size_t)c - 1;
            d->orders[d->count++] = d->p->cuts[c].order;
        }
    d->first[d->count] = (size_t)d->p->ranges - 1;
}

/* Sorts this rank's keys; ties keep the sequence of the input. */
static ordo_status sort_keys(const job *j, const division *out)
{
    const slice *const   in = &j->in;
    uint64_t const       flags = j->w.descending ? ORDO_DESCENDING : 0;
    ordo_sort_opts const order = ORDO_OPTS(ordo_sort_opts, .flags = flags);
    ordo_sort_opts const copy = ORDO_OPTS(ordo_sort_opts, .flags = flags, .source = in->keys);
    if (in->n == 0)
        return ORDO_OK;
    if (out->place == NULL)
        return ordo_sort(j->ctx, in->type, out->keys, in->n, &copy);
    ordo_status const status =
        ordo_argsort(j->ctx, in->type, in->keys, in->n, ORDO_U64, out->place, &order);
    return status != ORDO_OK ? status
                             : ordo_gather(j->ctx, in->keys, in->n, ordo_type_size(in->type),
                                           ORDO_U64, out->place, in->n, out->keys, NULL);
}

/* The first of n sorted keys, from `from` on, whose order is at least (`above`: more than)
 * `order`. */
static size_t find_key(const plan *p, const char *keys, size_t from, size_t n, uint64_t order,
                       bool above)
{
    while (from < n) {
        size_t const   middle = from + (n - from) / 2;
        uint64_t const here = order_of(p, keys, middle);
        if (here < order || (above && here == order))
            from = middle + 1;
        else
            n = middle;
    }
    return from;
}

static void count_keys(dividing *d, const char *keys, size_t n)
{
    for (size_t i = 0, at = 0; i < d->count; i++) {
        d->below[i] = at = find_key(d->p, keys, at, n, d->orders[i], false);
        at = find_key(d->p, keys, at, n, d->orders[i], true);
        d->tied[i] = at - d->below[i];
    }
}

/* Sets or checks the ties of the cuts, and finds the ties of the ranks before this one. */
static bool agree_on_ties(job *j, plan *p, dividing *d, bool fresh)
{
    uint64_t all[MOST_RANGES];
    bool     fits = true;
    MPI_Allreduce(d->below, all, (int)d->count, MPI_UINT64_T, MPI_SUM, j->world);
    MPI_Exscan(d->tied, d->before, (int)d->count, MPI_UINT64_T, MPI_SUM, j->world);
    if (j->rank == 0)
        memset(d->before, 0, sizeof d->before); /* MPI leaves it undefined */
    for (size_t i = 0; i < d->count; i++)
        for (size_t c = d->first[i] + 1; c <= d->first[i + 1]; c++) {
            if (fresh)
                p->cuts[c].ties = p->cuts[c].position - all[i];
            fits = fits && all[i] + p->cuts[c].ties == p->cuts[c].position;
        }
    return all_fine(j->world, fits, "%s does not have the keys that the checkpoint was made for",
                    j->w.input);
}

static void set_starts(const dividing *d, division *out, size_t n)
{
    out->from[0] = 0;
    for (size_t i = 0; i < d->count; i++)
        for (size_t c = d->first[i] + 1; c <= d->first[i + 1]; c++) {
            uint64_t const wanted = d->p->cuts[c].ties, before = d->before[i];
            uint64_t const more = wanted > before ? wanted - before : 0;
            out->from[c] = (size_t)(d->below[i] + (more < d->tied[i] ? more : d->tied[i]));
        }
    out->from[d->p->ranges] = n;
}

bool plan_divide(job *j, plan *p, bool fresh, division *out)
{
    const slice *const in = &j->in;
    dividing *const    d = calloc(1, sizeof *d);
    *out = (division){.keys = malloc(in->n * ordo_type_size(in->type) + 1)};
    if (in->record_size != 0)
        out->place = malloc(in->n * sizeof *out->place + 1);
    bool const memory =
        d != NULL && out->keys != NULL && (in->record_size == 0 || out->place != NULL);
    bool fine = all_fine(j->world, memory, "no memory for a copy of %zu keys", in->n);
    if (fine) {
        ordo_status const status = sort_keys(j, out);
        fine = all_fine(j->world, status == ORDO_OK, "%s", ordo_last_error(j->ctx));
    }
    if (fine) {
        d->p = p;
        find_orders(d);
        count_keys(d, out->keys, in->n);
        fine = agree_on_ties(j, p, d, fresh);
    }
    if (fine)
        set_starts(d, out, in->n);
    free(d);
    return fine;
}

void plan_free_division(division *d)
{
    free(d->keys);
    free(d->place);
    d->keys = NULL;
    d->place = NULL;
}
