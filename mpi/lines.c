/* lines.c - the commands of ordo-mpi on lines of text: sort, rank, quantile, median, select, topk.
 *
 * A line is a string of bytes without its newline. sort writes a newline after every line, also
 * after one that was the last of the file and had none. */
#define _POSIX_C_SOURCE 200809L
#include "mpi/job.h"

#include <stdio.h>

typedef struct lines { /* that the library writes */
    char     *bytes;
    uint64_t *offsets;
} lines;

static char *take(void *user, uint64_t bytes)
{
    lines *const to = user;
    to->bytes = malloc((size_t)bytes + 1);
    return to->bytes;
}

static void free_lines(lines *l)
{
    free(l->bytes);
    free(l->offsets);
}

/* Memory for the offsets of n lines. */
static bool open_lines(const job *j, size_t n, lines *out)
{
    *out = (lines){.offsets = malloc((n + 1) * sizeof *out->offsets)};
    return all_fine(j->world, out->offsets != NULL, "no memory for %zu lines", n);
}

/* ---- Sort ---- */

/* The lines with their newlines; NULL without memory. */
static char *join(const lines *l, size_t n, uint64_t *bytes)
{
    *bytes = l->offsets[n] + n;
    char *const text = malloc((size_t)*bytes + 1);
    char       *to = text;
    for (size_t i = 0; text != NULL && i < n; i++) {
        size_t const length = (size_t)(l->offsets[i + 1] - l->offsets[i]);
        memcpy(to, l->bytes + l->offsets[i], length);
        to += length;
        *to++ = '\n';
    }
    return text;
}

static bool sort_lines(job *j)
{
    size_t const         n = j->in.n;
    ordo_strings const   in = strings_of(j);
    ordo_dist_opts const opts = opts_of(j);
    slice_target const   target = {j->w.output, FORMAT_TEXT, (ordo_type)0, 1, 0};
    lines                sorted;
    if (!open_lines(j, n, &sorted)) {
        free_lines(&sorted);
        return false;
    }
    ordo_dist_text const out =
        ORDO_OPTS(ordo_dist_text, .n = n, .offsets = sorted.offsets, .take = take, .user = &sorted);
    bool  fine = succeeded(j, ordo_dist_sort_strings(j->ctx, &j->comm, &in, n, &out, &opts));
    char *text = NULL;
    if (fine) {
        uint64_t bytes = 0;
        text = join(&sorted, n, &bytes);
        fine = all_fine(j->world, text != NULL, "no memory for the text of %zu lines", n) &&
               slice_write_bytes(j->world, &target, NULL, 0, text, bytes);
    }
    free(text);
    free_lines(&sorted);
    return fine;
}

/* ---- Commands that print lines ---- */

static ordo_status choose(job *j, const ordo_dist_text *out, size_t *count)
{
    const wishes *const  w = &j->w;
    ordo_strings const   in = strings_of(j);
    ordo_dist_opts const opts = opts_of(j);
    size_t const         n = j->in.n;
    switch (w->command[0]) {
    case 's':
        return ordo_dist_select_strings(j->ctx, &j->comm, &in, n, w->k, w->k_count, NULL, out,
                                        &opts);
    case 't':
        return ordo_dist_topk_strings(j->ctx, &j->comm, &in, n, (size_t)w->k[0], NULL, out, count,
                                      &opts);
    case 'm':
        return ordo_dist_median_strings(j->ctx, &j->comm, &in, n, NULL, out, &opts);
    default:
        return ordo_dist_quantiles_strings(j->ctx, &j->comm, &in, n, w->q, w->q_count, w->method,
                                           NULL, out, &opts);
    }
}

static bool print_lines(job *j)
{
    const wishes *const w = &j->w;
    char const          c = w->command[0];
    uint64_t            total = j->in.n;
    lines               found;
    MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_UINT64_T, MPI_SUM, j->world);
    size_t count = c == 's'   ? w->k_count
                   : c == 't' ? (size_t)(w->k[0] < total ? w->k[0] : total)
                   : c == 'm' ? 1
                              : w->q_count;
    if (!open_lines(j, count, &found)) {
        free_lines(&found);
        return false;
    }
    ordo_dist_text const out =
        ORDO_OPTS(ordo_dist_text, .offsets = found.offsets, .take = take, .user = &found);
    bool const fine = succeeded(j, choose(j, &out, &count));
    for (size_t i = 0; fine && i < count && j->rank == 0; i++) {
        fwrite(found.bytes + found.offsets[i], 1, found.offsets[i + 1] - found.offsets[i], stdout);
        putchar('\n');
    }
    free_lines(&found);
    return fine;
}

bool do_lines(job *j)
{
    return strcmp(j->w.command, "sort") == 0   ? sort_lines(j)
           : strcmp(j->w.command, "rank") == 0 ? do_rank(j)
                                               : print_lines(j);
}
