/* checkpoint.c - a sort that keeps its finished key ranges on disk.
 *
 * The sorted elements are divided into ranges at exact cuts (plan.h), which do not depend on the
 * number of ranks. All ranks together sort one range after the other and keep each in a file
 * (ranges.h). A resumed job reads the plan, skips the ranges whose files are whole and sorts the
 * others. At the end each rank copies its part of the ranges to the output. The elements are
 * written twice, so the disk needs room for two copies of the input. */
#define _POSIX_C_SOURCE 200809L
#include "mpi/checkpoint/checkpoint.h"

#include "mpi/elements.h"
#include "mpi/fault.h"
#include "mpi/checkpoint/ranges.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

typedef struct checkpoint {
    job          *j;
    plan          p;
    bool          found; /* there was a plan */
    division      parts;
    unsigned char finished[MOST_RANGES];
    size_t        left; /* ranges that are not finished */
    double        read_seconds, plan_seconds, sort_seconds, save_seconds, output_seconds;
} checkpoint;

static bool open_folder(const job *j)
{
    struct stat status;
    bool        fine = j->rank != 0 || mkdir(j->w.checkpoint, 0755) == 0 || errno == EEXIST;
    if (fine && j->rank == 0) {
        fine = stat(j->w.checkpoint, &status) == 0 && S_ISDIR(status.st_mode);
        errno = ENOTDIR;
    }
    return all_fine(j->world, fine, "%s: cannot create the folder: %s", j->w.checkpoint,
                    strerror(errno));
}

/* The plan, and what of it is finished. */
static bool open_checkpoint(checkpoint *c)
{
    job *const j = c->j;
    if (!open_folder(j) || !plan_read(j, &c->p, &c->found))
        return false;
    bool const allowed = !c->found || j->w.resume;
    if (!all_fine(j->world, allowed || j->rank != 0,
                  "%s holds a checkpoint; pass --resume to go on with it, or remove the folder",
                  j->w.checkpoint) ||
        !allowed)
        return false;
    c->left = 1;
    if (!c->found)
        return true;
    if (!ranges_check(j, &c->p, c->finished))
        return false;
    c->left = 0;
    for (size_t g = 0; g < c->p.ranges; g++)
        c->left += !c->finished[g];
    j->w.type = (ordo_type)c->p.type;
    if (j->rank == 0)
        fprintf(stderr, "ordo-mpi: %zu of %zu key ranges are finished\n",
                (size_t)c->p.ranges - c->left, (size_t)c->p.ranges);
    return true;
}

static bool sort_range(checkpoint *c, size_t g, char *out)
{
    job *const     j = c->j;
    size_t const   start = c->parts.from[g], key = ordo_type_size(j->in.type);
    elements const in = {c->parts.keys + start * key, j->in.records,
                         c->parts.place != NULL ? c->parts.place + start : NULL,
                         c->parts.from[g + 1] - start};
    size_t         from, to;
    double const   begun = cli_now();
    ranges_part(j, &c->p, g, &from, &to);
    fault_point(j->world, "range", g);
    if (!elements_sort(j, &in, out, to - from))
        return false;
    fault_point(j->world, "sorted", g);
    double const sorted = cli_now();
    bool const   fine = ranges_write(j, &c->p, g, out);
    c->sort_seconds += sorted - begun;
    c->save_seconds += cli_now() - sorted;
    return fine;
}

/* Bytes of the largest part of a range. */
static size_t largest_part(const checkpoint *c)
{
    size_t most = 0;
    for (size_t g = 0; g < c->p.ranges; g++) {
        size_t from, to;
        ranges_part(c->j, &c->p, g, &from, &to);
        most = to - from > most ? to - from : most;
    }
    return most * (size_t)c->p.element;
}

static bool sort_ranges(checkpoint *c)
{
    job *const       j = c->j;
    slice_wish const wish = wish_of_input(&j->w);
    double const     begun = cli_now();
    fault_point(j->world, "read", 0);
    if (!slice_read(j->world, &wish, &j->in))
        return false;
    double const read = cli_now();
    if (!c->found && !plan_make(j, &c->p))
        return false;
    fault_point(j->world, "cuts", 0);
    if (!plan_divide(j, &c->p, !c->found, &c->parts))
        return false;
    fault_point(j->world, "divided", 0);
    if (!c->found && !plan_save(j, &c->p))
        return false;
    fault_point(j->world, "planned", 0);
    if (j->in.records == NULL) { /* the copy replaces the keys */
        free(j->in.keys);
        j->in.keys = NULL;
    }
    c->read_seconds = read - begun;
    c->plan_seconds = cli_now() - read;
    char *const out = malloc(largest_part(c) + 1);
    bool        fine = all_fine(j->world, out != NULL, "no memory for a part of a range");
    for (size_t g = 0; fine && g < c->p.ranges; g++)
        if (!c->finished[g] && c->p.cuts[g + 1].position > c->p.cuts[g].position)
            fine = sort_range(c, g, out);
    free(out);
    return fine;
}

/* Each rank copies an equal part of the sorted elements. */
static bool write_output(checkpoint *c)
{
    job *const        j = c->j;
    const plan *const p = &c->p;
    uint64_t const    from = part_start(p->total, j->rank, j->size);
    uint64_t const    to = part_start(p->total, j->rank + 1, j->size);
    char *const       part = malloc((size_t)((to - from) * p->element) + 1);
    double const      begun = cli_now();
    /* A resumed job removes the unfinished file of the job before, also that of another machine. */
    slice_target const target = {j->w.output, format_of_output(&j->w, false), (ordo_type)p->type,
                                 (size_t)p->element, p->id};
    fault_point(j->world, "output", 0);
    bool const fine = all_fine(j->world, part != NULL, "no memory for the output") &&
                      ranges_load(j, p, from, to, part) &&
                      slice_write(j->world, &target, part, (size_t)(to - from));
    free(part);
    c->output_seconds = cli_now() - begun;
    fault_point(j->world, "renamed", 0);
    return fine;
}

static void print_times(const checkpoint *c, double all)
{
    fprintf(stderr,
            "%llu elements on %d ranks  %zu of %zu key ranges sorted  %.3f s: read %.3f s, cuts "
            "%.3f s, sort %.3f s, save %.3f s, output %.3f s\n",
            (unsigned long long)c->p.total, c->j->size, c->found ? c->left : (size_t)c->p.ranges,
            (size_t)c->p.ranges, all, c->read_seconds, c->plan_seconds, c->sort_seconds,
            c->save_seconds, c->output_seconds);
}

bool checkpoint_sort(job *j)
{
    checkpoint *const c = calloc(1, sizeof *c);
    double const      begun = cli_now();
    if (!all_fine(j->world, c != NULL, "no memory for a checkpoint")) {
        free(c);
        return false;
    }
    c->j = j;
    bool fine = open_checkpoint(c) && (c->left == 0 || sort_ranges(c));
    plan_free_division(&c->parts);
    slice_free(&j->in);
    fine = fine && write_output(c);
    if (fine)
        ranges_remove(j, &c->p);
    if (fine && j->w.time && j->rank == 0)
        print_times(c, cli_now() - begun);
    free(c);
    return fine;
}
