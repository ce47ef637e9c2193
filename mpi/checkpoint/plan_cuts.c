/* plan_cuts.c - the cuts of a plan, and which elements of this rank belong to which range (see
 * plan.h).
 *
 * The keys at the cuts are selected exactly over all ranks. Each rank counts its keys between and
 * at the different orders of the cuts, finds by a prefix sum how many ties the ranks before it
 * have, and copies its keys to their ranges. The keys are read twice and written once; two bytes
 * for each key remember its cell in between. */
#define _POSIX_C_SOURCE 200809L
#include "core/keybits.h"
#include "mpi/fault.h"
#include "mpi/checkpoint/plan.h"

#include <stdio.h>

enum {
    BLOCK = 4096 /* keys whose orders are computed at a time */
};

void plan_orders(const plan *p, const char *keys, size_t from, size_t n, uint64_t *out)
{
    int const descending = p->descending != 0;
    switch ((ordo_type)p->type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID: {                                                                              \
        const key *const at = (const key *)(const void *)keys + from;                              \
        for (size_t i = 0; i < n; i++)                                                             \
            out[i] = p->record_size != 0 ? key_tie_bits_##tag(at[i], descending)                   \
                                         : key_sort_bits_##tag(at[i], descending);                 \
        return;                                                                                    \
    }
#include "core/types.def"
    }
}

/* ---- The cuts ---- */

bool plan_make(job *j, plan *p)
{
    const slice *const   in = &j->in;
    ordo_dist_opts const opts = ORDO_OPTS(
        ordo_dist_opts, .flags = j->w.descending ? ORDO_DESCENDING : 0, .report = &j->report);
    uint64_t total = in->n, positions[MOST_RANGES], orders[MOST_RANGES];
    uint64_t keys[MOST_RANGES]; /* of any type */
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
    plan_orders(p, (const char *)keys, 0, cuts, orders);
    for (size_t c = 0; c < cuts; c++)
        p->cuts[c + 1].order = orders[c];
    return true;
}

/* ---- The division of this rank's elements ---- */

typedef struct dividing {
    const plan *p;
    size_t      count;                  /* different orders of cuts */
    unsigned    steps;                  /* of a search: 2^steps is more than count */
    uint64_t    orders[MOST_RANGES];    /* ascending, then padding of the largest order */
    size_t      first[MOST_RANGES + 1]; /* cuts before those with an order */
    uint64_t    below[MOST_RANGES], tied[MOST_RANGES]; /* keys of this rank below and at an order */
    uint64_t    before[MOST_RANGES];                   /* tied keys of the ranks before this one */
    uint64_t    counts[2 * MOST_RANGES + 1];
    uint16_t   *cells; /* of each key */
} dividing;

static void find_orders(dividing *d)
{
    for (uint64_t c = 1; c < d->p->ranges; c++)
        if (d->count == 0 || d->orders[d->count - 1] != d->p->cuts[c].order) {
            d->first[d->count] = (size_t)c - 1;
            d->orders[d->count++] = d->p->cuts[c].order;
        }
    d->first[d->count] = (size_t)d->p->ranges - 1;
    memset(d->orders + d->count, 255, (MOST_RANGES - d->count) * sizeof *d->orders);
    while ((size_t)1 << d->steps <= d->count)
        d->steps++;
}

/* Cell 2 i is between the orders i - 1 and i, cell 2 i + 1 is at order i. A fixed number of steps
 * has no branches to mispredict. */
static size_t cell_of(const dividing *d, uint64_t order)
{
    size_t at = 0;
    for (unsigned s = d->steps; s-- > 0;) {
        size_t const next = at + ((size_t)1 << s);
        at = d->orders[next - 1] <= order ? next : at;
    }
    at = at < d->count ? at : d->count; /* the padding may tie with the order */
    return 2 * at - (at > 0 && d->orders[at - 1] == order);
}

static void count_cells(dividing *d, const slice *in)
{
    uint64_t orders[BLOCK];
    for (size_t from = 0; from < in->n; from += BLOCK) {
        size_t const n = in->n - from < BLOCK ? in->n - from : BLOCK;
        plan_orders(d->p, in->keys, from, n, orders);
        for (size_t i = 0; i < n; i++) {
            size_t const cell = cell_of(d, orders[i]);
            d->cells[from + i] = (uint16_t)cell;
            d->counts[cell]++;
        }
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < d->count; i++) {
        d->below[i] = sum += d->counts[2 * i];
        sum += d->tied[i] = d->counts[2 * i + 1];
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

/* A constant size makes a copy one instruction. */
static void copy_key(char *to, const char *from, size_t size)
{
    switch (size) {
    case 8:
        memcpy(to, from, 8);
        return;
    case 4:
        memcpy(to, from, 4);
        return;
    default:
        memcpy(to, from, size);
    }
}

/* Ties go to the ranges in the order of the input: seen[i] is the number of the next tie of order
 * i, and at[i] the first cut of this order that is behind it. */
static void copy_elements(const dividing *d, const slice *in, division *out)
{
    size_t const key = ordo_type_size(in->type);
    uint64_t     seen[MOST_RANGES];
    size_t       at[MOST_RANGES], next[MOST_RANGES];
    memcpy(seen, d->before, sizeof seen);
    memcpy(next, out->from, sizeof next);
    for (size_t i = 0; i < d->count; i++)
        at[i] = d->first[i] + 1;
    for (size_t i = 0; i < in->n; i++) {
        size_t const cell = d->cells[i];
        size_t       range = d->first[(cell + 1) / 2];
        if (cell % 2 == 1) {
            size_t const tie = cell / 2;
            while (at[tie] <= d->first[tie + 1] && d->p->cuts[at[tie]].ties <= seen[tie])
                at[tie]++;
            seen[tie]++;
            range = at[tie] - 1;
        }
        size_t const to = next[range]++;
        copy_key(out->keys + to * key, in->keys + i * key, key);
        if (out->place != NULL)
            out->place[to] = i;
    }
}

bool plan_divide(job *j, plan *p, bool fresh, division *out)
{
    const slice *const in = &j->in;
    dividing *const    d = calloc(1, sizeof *d);
    *out = (division){.keys = malloc(in->n * ordo_type_size(in->type) + 1)};
    if (in->record_size != 0)
        out->place = malloc(in->n * sizeof *out->place + 1);
    if (d != NULL)
        d->cells = malloc(in->n * sizeof *d->cells + 1);
    bool const memory = d != NULL && d->cells != NULL && out->keys != NULL &&
                        (in->record_size == 0 || out->place != NULL);
    bool fine = all_fine(j->world, memory, "no memory for a copy of %zu keys", in->n);
    if (fine) {
        d->p = p;
        find_orders(d);
        count_cells(d, in);
        fine = agree_on_ties(j, p, d, fresh);
    }
    if (fine) {
        set_starts(d, out, in->n);
        copy_elements(d, in, out);
    }
    if (d != NULL)
        free(d->cells);
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
