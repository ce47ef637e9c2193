/* elements.c - a sort of keys or records into new arrays (see elements.h).
 *
 * Keys are one call of the library. Records can be larger than a value of ordo_dist_sort_pairs,
 * so their keys are sorted with global positions. Each rank then asks the owners for the records
 * of its positions: one exchange of positions, one of records. */
#define _POSIX_C_SOURCE 200809L
#include "mpi/elements.h"

#include <stdio.h>

typedef struct fetch {
    job            *j;
    const elements *in;
    size_t          count;      /* records that this rank wants */
    const uint64_t *wanted;     /* their positions in the order of the output */
    uint64_t       *first;      /* of each rank, and the end: positions of its records */
    uint64_t       *ask;        /* positions, grouped by owner */
    uint64_t       *slot;       /* where the answer to ask[i] goes */
    uint64_t       *asked;      /* positions that other ranks want from this one */
    char           *give, *got; /* records: for others, in the order of asked; in that of ask */
    uint64_t       *ask_count, *asked_count; /* for each rank */
    uint64_t       *send_at, *receive_at, *send_bytes, *receive_bytes;
} fetch;

static size_t size_of(const fetch *f) { return (size_t)f->j->size; }

static void *words(size_t n) { return malloc(n * sizeof(uint64_t) + 1); }

/* The rank that has a position; ranks without records have none. */
static size_t owner_of(const fetch *f, uint64_t position)
{
    size_t low = 0, high = size_of(f) - 1;
    while (low < high) {
        size_t const middle = (low + high) / 2;
        if (f->first[middle + 1] <= position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Groups the positions by owner; their sequence inside a group does not matter. */
static void group_by_owner(fetch *f)
{
    size_t const ranks = size_of(f);
    memset(f->ask_count, 0, ranks * sizeof *f->ask_count);
    for (size_t i = 0; i < f->count; i++)
        f->ask_count[owner_of(f, f->wanted[i])]++;
    uint64_t at = 0;
    for (size_t r = 0; r < ranks; at += f->ask_count[r++])
        f->send_at[r] = at;
    for (size_t i = 0; i < f->count; i++) {
        uint64_t const to = f->send_at[owner_of(f, f->wanted[i])]++;
        f->ask[to] = f->wanted[i];
        f->slot[to] = i;
    }
}

/* One exchange of elements of `size` bytes; counts[r] go to rank r, and receive[r] come from it.
 * A failure ends the job: other ranks may be waiting for messages of this one. */
static void exchange(fetch *f, size_t size, const void *from, const uint64_t *counts, void *to,
                     const uint64_t *receive)
{
    const ordo_comm *const comm = &f->j->comm;
    uint64_t               sent = 0, received = 0;
    for (size_t r = 0; r < size_of(f); r++) {
        f->send_at[r] = sent;
        f->receive_at[r] = received;
        sent += f->send_bytes[r] = counts[r] * size;
        received += f->receive_bytes[r] = receive[r] * size;
    }
    if (comm->exchange(comm->user, from, f->send_at, f->send_bytes, to, f->receive_at,
                       f->receive_bytes) == 0)
        return;
    fprintf(stderr, "ordo-mpi: rank %d: the exchange of records failed\n", f->j->rank);
    comm->give_up(comm->user);
}

static void fill_answers(const fetch *f, size_t answers)
{
    size_t const   size = f->j->in.record_size;
    uint64_t const mine = f->first[f->j->rank];
    for (size_t i = 0; i < answers; i++) {
        size_t const local = (size_t)(f->asked[i] - mine);
        size_t const at = f->in->place != NULL ? (size_t)f->in->place[local] : local;
        memcpy(f->give + i * size, f->in->records + at * size, size);
    }
}

static bool ask_and_answer(fetch *f, char *out)
{
    job *const   j = f->j;
    size_t const size = j->in.record_size;
    size_t       answers = 0;
    group_by_owner(f);
    MPI_Alltoall(f->ask_count, 1, MPI_UINT64_T, f->asked_count, 1, MPI_UINT64_T, j->world);
    for (size_t r = 0; r < size_of(f); r++)
        answers += (size_t)f->asked_count[r];
    f->asked = words(answers);
    f->give = malloc(answers * size + 1);
    f->got = malloc(f->count * size + 1);
    bool const memory = f->asked != NULL && f->give != NULL && f->got != NULL;
    if (!all_fine(j->world, memory, "no memory for %zu records", answers + f->count))
        return false;
    exchange(f, sizeof *f->ask, f->ask, f->ask_count, f->asked, f->asked_count);
    fill_answers(f, answers);
    exchange(f, size, f->give, f->asked_count, f->got, f->ask_count);
    for (size_t i = 0; i < f->count; i++)
        memcpy(out + f->slot[i] * size, f->got + i * size, size);
    return true;
}

/* out[i] = the record at position wanted[i] of all records. */
static bool fetch_records(job *j, const elements *in, const uint64_t *wanted, size_t count,
                          char *out)
{
    size_t const    ranks = (size_t)j->size;
    uint64_t *const tables = words(7 * ranks + 1);
    uint64_t const  n = in->n;
    fetch           f = {.j = j, .in = in, .count = count, .wanted = wanted};
    f.ask = words(count);
    f.slot = words(count);
    bool const memory = tables != NULL && f.ask != NULL && f.slot != NULL;
    bool       fine = all_fine(j->world, memory, "no memory for %zu positions", count);
    if (fine) {
        f.first = tables;
        f.ask_count = f.first + ranks + 1;
        f.asked_count = f.ask_count + ranks;
        f.send_at = f.asked_count + ranks;
        f.receive_at = f.send_at + ranks;
        f.send_bytes = f.receive_at + ranks;
        f.receive_bytes = f.send_bytes + ranks;
        f.first[0] = 0;
        MPI_Allgather(&n, 1, MPI_UINT64_T, f.first + 1, 1, MPI_UINT64_T, j->world);
        for (size_t r = 0; r < ranks; r++)
            f.first[r + 1] += f.first[r];
        fine = ask_and_answer(&f, out);
    }
    free(tables);
    free(f.ask);
    free(f.slot);
    free(f.asked);
    free(f.give);
    free(f.got);
    return fine;
}

static bool sort_records(job *j, const elements *in, char *out, size_t count)
{
    ordo_type const type = j->in.type;
    uint64_t *const positions = words(in->n);
    uint64_t *const wanted = words(count);
    void *const     keys = malloc(count * ordo_type_size(type) + 1);
    uint64_t const  n = in->n;
    uint64_t        before = 0;
    MPI_Exscan(&n, &before, 1, MPI_UINT64_T, MPI_SUM, j->world);
    if (j->rank == 0)
        before = 0; /* MPI leaves it undefined */
    bool const memory = positions != NULL && wanted != NULL && keys != NULL;
    bool       fine = all_fine(j->world, memory, "no memory for %zu positions", in->n + count);
    if (fine) {
        for (size_t i = 0; i < in->n; i++)
            positions[i] = before + i;
        ordo_dist_opts const opts =
            ORDO_OPTS(ordo_dist_opts, .flags = j->w.descending ? ORDO_DESCENDING : 0, .out = keys,
                      .out_values = wanted, .n_out = count, .report = &j->report);
        fine = succeeded(j, ordo_dist_sort_pairs(j->ctx, &j->comm, type, (void *)in->keys, in->n,
                                                 positions, sizeof *positions, &opts)) &&
               fetch_records(j, in, wanted, count, out);
    }
    free(positions);
    free(wanted);
    free(keys);
    return fine;
}

bool elements_sort(job *j, const elements *in, char *out, size_t count)
{
    if (j->in.record_size != 0)
        return sort_records(j, in, out, count);
    ordo_dist_opts const opts =
        ORDO_OPTS(ordo_dist_opts, .flags = j->w.descending ? ORDO_DESCENDING : 0, .out = out,
                  .n_out = count, .report = &j->report);
    return succeeded(j,
                     ordo_dist_sort(j->ctx, &j->comm, j->in.type, (void *)in->keys, in->n, &opts));
}
