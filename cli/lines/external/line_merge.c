/* line_merge.c - merges sorted files by a heap of their next lines (see line_merge.h).
 *
 * Each file has a buffer with its current line and the keys of that line. Time: about lg(files)
 * comparisons a line. Memory: a buffer and the longest line of each file. If there are too many
 * files, groups of them become runs first. All runs of a round are in one temporary file, so that
 * they need one descriptor until they are read. */
#define _GNU_SOURCE /* fwrite_unlocked */

#include "cli/lines/external/line_merge.h"

#include "cli/base/as_sort.h"
#include "cli/io/npy.h"
#include "cli/io/source.h"
#include "cli/io/tempfile.h"
#include "cli/lines/key_encode.h"
#include "cli/lines/line_sort.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    FILE_MEMORY = 1 << 20, /* of a file: its buffer and a usual line */
    LEAST_FILES = 2,
    MOST_FILES = 1024,
    FILTERS_MOST = 16, /* programs that decompress at the same time, as many as GNU sort runs */
    FILTER_SHARE = 8,  /* descriptors for each of them: a pipe, and runs that wait */
    OTHER_FILES = 4, /* that a merge opens besides: two rounds of runs, and libraries that unpack */
    FIRST_READ = 4096 /* bytes in which the signature of .npy is looked for */
};

typedef struct merge_cursor {
    source    s;
    key_bytes key;
    size_t    number;  /* of the file, for ties   */
    filter    program; /* of a compressed run     */
} merge_cursor;

typedef struct merge {
    const merge_request *request;
    merge_cursor        *cursors;
    merge_cursor       **heap; /* the smallest line first */
    size_t               n;
    key_bytes            last; /* unique: the key of the last line that was written */
    bool                 has_last;
    output              *out;
    FILE                *file; /* in place of out */
} merge;

/* ---- Order ---- */

static bool has_keys(const merge *m) { return m->request->order->n > 0; }

static const char *key_of(const merge *m, const merge_cursor *c, size_t *length)
{
    *length = has_keys(m) ? c->key.used : c->s.length;
    return has_keys(m) ? (const char *)c->key.data : source_line(&c->s);
}

static bool comes_first(const merge *m, const merge_cursor *a, const merge_cursor *b)
{
    size_t            x_length, y_length;
    const char *const x = key_of(m, a, &x_length), *const y = key_of(m, b, &y_length);
    const int order = lines_compare(x, x_length, y, y_length);

    if (order == 0)
        return a->number < b->number;
    return (order < 0) != (!has_keys(m) && m->request->order->reverse);
}

static void sink(merge *m, size_t at)
{
    for (;;) {
        size_t first = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < m->n; child++)
            if (comes_first(m, m->heap[child], m->heap[first]))
                first = child;
        if (first == at)
            return;
        merge_cursor *const moved = m->heap[at];
        m->heap[at] = m->heap[first];
        m->heap[first] = moved;
        at = first;
    }
}

/* ---- Lines ---- */

/* Goes to the next line of a file. *ended: there is none. */
static bool advance(const merge *m, merge_cursor *c, bool *ended)
{
    const source_result r = source_next(&c->s);

    *ended = r != SOURCE_LINE;
    if (r != SOURCE_LINE || !has_keys(m))
        return r != SOURCE_FAILED;
    c->key.used = 0;
    return key_encode(m->request->order, source_line(&c->s), c->s.length, &c->key) ||
           cli_fail("%s:%zu: not enough memory for the keys of the line", c->s.name, c->s.number);
}

static bool write_line(merge *m, const source *s)
{
    const line_order *const order = m->request->order;

    if (m->file == NULL)
        return m->request->debug ? line_show_keys(order, source_line(s), s->length, m->out)
                                 : output_bytes(m->out, source_line(s), s->length) &&
                                       output_bytes(m->out, &order->line_end, 1);
    return (fwrite_unlocked(source_line(s), 1, s->length, m->file) == s->length &&
            fputc_unlocked((unsigned char)order->line_end, m->file) != EOF) ||
           cli_fail("sort: -m: cannot write a temporary file: %s", strerror(errno));
}

/* Writes the line unless it ties with the last one and the lines are to be unique. */
static bool give_line(merge *m, const merge_cursor *c)
{
    size_t            length;
    const char *const key = key_of(m, c, &length);

    if (!m->request->unique)
        return write_line(m, &c->s);
    if (m->has_last && length == m->last.used &&
        (length == 0 || memcmp(key, m->last.data, length) == 0))
        return true;
    m->last.used = 0;
    if (!key_bytes_reserve(&m->last, length + 1))
        return cli_fail("%s:%zu: not enough memory for the keys of the line", c->s.name,
                        c->s.number);
    memcpy(m->last.data, key, length);
    m->last.used = length;
    m->has_last = true;
    return write_line(m, &c->s);
}

/* ---- Files ---- */

static bool open_packed(const merge_request *request, const merge_file *file, merge_cursor *c)
{
    const int fd = filter_unpack(&c->program, request->program, file->fd);

    return fd >= 0 && source_open_fd(&c->s, fd, "a temporary file");
}

static bool open_file(const merge_request *request, const merge_file *file, merge_cursor *c)
{
    source *const s = &c->s;
    bool          ok = true;

    if (file->fd >= 0 && request->program != NULL) {
        ok = open_packed(request, file, c);
    } else if (file->fd < 0) {
        ok = source_open(s, file->path) && source_fill(s, FIRST_READ);
        if (ok && request->files.option != NULL && npy_is(s->block, s->end))
            ok = cli_fail("%s: this is an .npy file, but %s is for lines; give --text to merge its "
                          "lines",
                          s->name, request->files.option);
    } else {
        char path[40];
        snprintf(path, sizeof path, "/proc/self/fd/%d", file->fd);
        ok = source_open(s, path);
        s->name = "a temporary file";
        s->looked = true; /* lines may begin as a compressed file does */
        s->left = file->bytes;
        if (ok && lseek(s->fd, file->from, SEEK_SET) < 0)
            ok = cli_fail("sort: -m: cannot read a temporary file: %s", strerror(errno));
    }
    s->line_end = request->order->line_end;
    return ok;
}

/* Merges n files to m->out or m->file. */
static bool merge_group(merge *m, const merge_file *files, size_t n)
{
    bool ok = true, ended;

    m->has_last = false;
    m->n = 0;
    m->cursors = calloc(n, sizeof *m->cursors);
    m->heap = calloc(n, sizeof *m->heap);
    if (m->cursors == NULL || m->heap == NULL)
        ok = cli_fail("sort: not enough memory to merge %zu files", n);
    size_t opened = 0;
    for (; ok && opened < n; opened++) {
        merge_cursor *const c = &m->cursors[opened];
        c->number = opened;
        ok = open_file(m->request, &files[opened], c) && advance(m, c, &ended);
        if (ok && !ended)
            m->heap[m->n++] = c;
    }
    for (size_t at = m->n / 2; at-- > 0;)
        sink(m, at);
    while (ok && m->n > 0) {
        ok = give_line(m, m->heap[0]) && advance(m, m->heap[0], &ended);
        if (ok && ended)
            m->heap[0] = m->heap[--m->n];
        sink(m, 0);
    }
    for (size_t i = 0; i < opened; i++) {
        source_close(&m->cursors[i].s);
        key_bytes_free(&m->cursors[i].key);
        ok = filter_end(&m->cursors[i].program, ok) && ok;
    }
    free(m->cursors);
    free(m->heap);
    return ok;
}

/* ---- Rounds ---- */

bool line_merge_no_file(const char *folder, int error)
{
    return cli_is_sort() ? cli_fail("cannot create temporary file in %s: %s",
                                    sort_name_quoted(folder), strerror(error))
                         : cli_fail("sort: -m: cannot create a temporary file in %s: %s", folder,
                                    strerror(error));
}

/* The file for the runs of a round, without a name. NULL after a message. */
static FILE *start_round(const merge_request *request)
{
    const char *const folder = spool_folder(request->folder);
    const int         fd = spool_open(folder);
    FILE *const       file = fd >= 0 ? fdopen(fd, "w") : NULL;

    if (file == NULL)
        line_merge_no_file(folder, errno);
    if (file == NULL && fd >= 0)
        close(fd);
    return file;
}

/* Merges n files to a run of m->file. */
static bool merge_to_run(merge *m, const merge_file *files, size_t n, merge_file *run)
{
    *run = (merge_file){.fd = fileno(m->file), .from = ftello(m->file)};
    if (!merge_group(m, files, n))
        return false;
    if (fflush(m->file) != 0)
        return cli_fail("sort: -m: cannot write a temporary file: %s", strerror(errno));
    run->bytes = (size_t)(ftello(m->file) - run->from);
    return true;
}

/* Replaces groups of neighbours by runs until all files are in runs or at most `most` are left. A
 * group is not larger than needed for that. A single run at the end is copied, because its file
 * ends with the round. */
static bool merge_round(merge *m, merge_file *files, size_t *n, size_t most)
{
    for (size_t at = 0; *n > most && at < *n; at++) {
        const size_t needed = *n - most + 1, left = *n - at;
        const size_t few = needed < most ? needed : most, count = left < few ? left : few;
        merge_file   run;
        if (!merge_to_run(m, files + at, count, &run))
            return false;
        files[at] = run;
        memmove(files + at + 1, files + at + count, (left - count) * sizeof *files);
        *n -= count - 1;
    }
    return true;
}

/* Descriptors that can still be opened, if there are few. */
static size_t free_descriptors(void)
{
    const size_t  enough = MOST_FILES + OTHER_FILES;
    struct rlimit limit;
    size_t        n = 0;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return enough;
    for (rlim_t fd = 0; fd < limit.rlim_cur && n < enough; fd++)
        n += fcntl((int)fd, F_GETFD) == -1;
    return n;
}

size_t line_merge_most(const merge_request *request)
{
    const size_t   descriptors = free_descriptors();
    const uint64_t by_memory =
        request->memory /
        (FILE_MEMORY + source_unpack_memory(request->files.paths, request->files.n));
    size_t most = descriptors > OTHER_FILES ? descriptors - OTHER_FILES : 0;

    most = by_memory < most ? (size_t)by_memory : most;
    if (request->program != NULL)
        most = most / FILTER_SHARE < FILTERS_MOST ? most / FILTER_SHARE : FILTERS_MOST;
    most = request->batch != 0 && request->batch < most ? (size_t)request->batch : most;
    return most > LEAST_FILES ? most : LEAST_FILES;
}

/* The runs of a round are read in the next round and, if that is the last one, also after it. */
static bool merge_all(merge *m, merge_file *files, size_t n)
{
    const size_t most = line_merge_most(m->request);
    FILE        *before = NULL, *now = NULL;
    bool         ok = true;

    while (ok && n > most) {
        if (before != NULL)
            fclose(before);
        before = now;
        m->file = now = start_round(m->request);
        ok = now != NULL && merge_round(m, files, &n, most);
    }
    m->file = NULL;
    ok = ok && merge_group(m, files, n);
    if (before != NULL)
        fclose(before);
    if (now != NULL)
        fclose(now);
    return ok;
}

bool line_merge_files(const merge_request *request, const merge_file *files, size_t n, output *out,
                      FILE *file)
{
    merge      m = {.request = request, .out = out, .file = file};
    const bool ok = merge_group(&m, files, n);

    key_bytes_free(&m.last);
    return ok;
}

/* Through runs that the program compresses, if there are many files. */
static bool merge_packed(const merge_request *request, output *out)
{
    line_runs runs = {.request = request};
    bool      ok = true;

    for (size_t i = 0; ok && i < request->files.n; i++)
        ok = line_runs_add(&runs, (merge_file){.path = request->files.paths[i], .fd = -1});
    return line_runs_finish(&runs, ok, out);
}

static bool merge_plain(const merge_request *request, output *out)
{
    merge             m = {.request = request, .out = out};
    const size_t      n = request->files.n;
    merge_file *const files = calloc(n, sizeof *files);

    if (files == NULL)
        return cli_fail("sort: not enough memory to merge %zu files", n);
    for (size_t i = 0; i < n; i++)
        files[i] = (merge_file){.path = request->files.paths[i], .fd = -1};
    const bool ok = merge_all(&m, files, n);
    free(files);
    key_bytes_free(&m.last);
    return ok;
}

bool line_merge(const merge_request *request, output *out)
{
    progress_start("merging");
    const bool ok =
        request->program != NULL ? merge_packed(request, out) : merge_plain(request, out);
    progress_end();
    return ok;
}
