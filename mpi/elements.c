/* elements.c - a sort of keys or records into new arrays (see elements.h). */
#define _POSIX_C_SOURCE 200809L
#include "mpi/elements.h"

/* Keys with their records as values, which are brought to the sequence of the keys. */
static bool sort_records(job *j, const elements *in, ordo_dist_opts *opts)
{
    size_t const size = j->in.record_size;
    bool const   moves = in->place != NULL;
    char *const  moved = malloc(moves ? in->n * size + 1 : 1);
    char *const  keys = malloc(opts->n_out * ordo_type_size(j->in.type) + 1);
    bool fine = all_fine(j->world, moved != NULL && keys != NULL, "no memory for %zu records",
                         in->n + opts->n_out);
    for (size_t i = 0; fine && moves && i < in->n; i++)
        memcpy(moved + i * size, in->records + in->place[i] * size, size);
    opts->out_values = opts->out;
    opts->out = keys;
    fine = fine &&
           succeeded(j, ordo_dist_sort_pairs(j->ctx, &j->comm, j->in.type, (void *)in->keys, in->n,
                                             moves ? moved : (void *)in->records, size, opts));
    free(moved);
    free(keys);
    return fine;
}

bool elements_sort(job *j, const elements *in, char *out, size_t count)
{
    ordo_dist_opts opts = opts_of(j);
    opts.out = out;
    opts.n_out = count;
    if (j->in.record_size != 0)
        return sort_records(j, in, &opts);
    return succeeded(j,
                     ordo_dist_sort(j->ctx, &j->comm, j->in.type, (void *)in->keys, in->n, &opts));
}
