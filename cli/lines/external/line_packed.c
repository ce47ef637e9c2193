/* line_packed.c - sorted runs that a program of the user compresses (see line_merge.h).
 *
 * Each run has a temporary file of its own, because the program reads to the end of its file. Runs
 * of the same level are neighbours, and at most `most` of them wait: for n runs there are about
 * most * log(n) / log(most) open files, and each line is compressed log(n) / log(most) times. */
#define _POSIX_C_SOURCE 200809L

#include "cli/lines/external/line_merge.h"

#include "cli/io/tempfile.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static void drop_last(line_runs *r, size_t n)
{
    for (; n > 0; n--)
        if (r->all[--r->n].fd >= 0)
            close(r->all[r->n].fd);
}

static bool append(line_runs *r, merge_file file)
{
    if (!cli_grow(&r->all, r->n + 1, &r->capacity, sizeof file)) {
        if (file.fd >= 0)
            close(file.fd);
        return cli_fail("sort: not enough memory to merge %zu files", r->n + 1);
    }
    r->all[r->n++] = file;
    return true;
}

bool line_runs_begin(const line_runs *r, line_run_writer *w)
{
    const char *const folder = spool_folder(r->request->folder);

    *w = (line_run_writer){.fd = -1, .file = spool_open(folder)};
    if (w->file < 0)
        return line_merge_no_file(folder, errno);
    w->fd = filter_pack(&w->program, r->request->program, w->file);
    if (w->fd < 0)
        close(w->file);
    return w->fd >= 0;
}

/* The run is complete if `ok`. */
static bool end_run(line_runs *r, line_run_writer *w, bool ok, unsigned level)
{
    ok = filter_end(&w->program, ok) && ok;
    if (!ok)
        close(w->file);
    return ok && append(r, (merge_file){.fd = w->file, .level = level});
}

/* Replaces the last n runs by one of the next level. */
static bool merge_last(line_runs *r, size_t n)
{
    const merge_file *const first = &r->all[r->n - n];
    const unsigned          level = first->level + 1;
    line_run_writer         w;

    if (!line_runs_begin(r, &w))
        return false;
    FILE *const file = fdopen(w.fd, "w");
    bool        ok = file != NULL && line_merge_files(r->request, first, n, NULL, file);
    if (file == NULL)
        close(w.fd);
    else if (fclose(file) != 0 && ok)
        ok = cli_fail("sort: cannot write a temporary file: %s", strerror(errno));
    drop_last(r, n);
    return end_run(r, &w, ok, level);
}

static size_t most_of(line_runs *r)
{
    if (r->most == 0)
        r->most = line_merge_most(r->request);
    return r->most;
}

/* Merges as many runs as may be merged at once while that many have the last level. */
static bool make_room(line_runs *r)
{
    const size_t most = most_of(r);

    while (r->n >= most && r->all[r->n - most].level == r->all[r->n - 1].level)
        if (!merge_last(r, most))
            return false;
    return true;
}

bool line_runs_add(line_runs *r, merge_file file) { return make_room(r) && append(r, file); }

bool line_runs_end(line_runs *r, line_run_writer *w, bool ok)
{
    return end_run(r, w, ok && make_room(r), 0);
}

bool line_runs_finish(line_runs *r, bool ok, output *out)
{
    const size_t most = most_of(r);

    while (ok && r->n > most) {
        const size_t needed = r->n - most + 1;
        ok = merge_last(r, needed < most ? needed : most);
    }
    ok = ok && line_merge_files(r->request, r->all, r->n, out, NULL);
    drop_last(r, r->n);
    free(r->all);
    *r = (line_runs){.request = r->request};
    return ok;
}
