/* line_merge.c - merges sorted files by a heap of their next lines (see line_merge.h).
 *
 * Each file has a buffer with its current line and the keys of that line. Time: about lg(files)
 * comparisons a line. Memory: a buffer and the longest line of each file. */
#define _GNU_SOURCE /* fwrite_unlocked */

#include "cli/lines/external/line_merge.h"

#include "cli/io/npy.h"
#include "cli/io/source.h"
#include "cli/io/tempfile.h"
#include "cli/lines/key_encode.h"
#include "cli/lines/line_sort.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    FILE_MEMORY = 1 << 20, /* of a file: its buffer and a usual line */
    LEAST_FILES = 2,
    MOST_FILES = 1024,
    OTHER_FILES = 16, /* that the process has open besides the merged ones */
    FIRST_READ = 4096 /* bytes in which the signature of .npy is looked for */
};

typedef struct merge_file { /* an input of the merge */
    const char *path;       /* of a file of the caller                */
    int         fd;         /* of a temporary file; -1: it has a path */
} merge_file;

typedef struct merge_cursor {
    source    s;
    key_bytes key;
    size_t    number; /* of the file, for ties */
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

static bool open_file(const merge_request *request, const merge_file *file, source *s)
{
    bool ok = true;

    if (file->fd < 0) {
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
        ok = open_file(m->request, &files[opened], &c->s) && advance(m, c, &ended);
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
    }
    free(m->cursors);
    free(m->heap);
    return ok;
}

/* Merges n files into a temporary file. */
static bool merge_to_file(merge *m, const merge_file *files, size_t n, merge_file *result)
{
    const char *const named = getenv("TMPDIR");
    const char *const folder = m->request->folder != NULL          ? m->request->folder
                               : named != NULL && named[0] != '\0' ? named
                                                                   : "/var/tmp";
    char              beside[4096];
    tempfile          temp;

    snprintf(beside, sizeof beside, "%s/merge", folder);
    if (!temp_create(&temp, beside, 0600))
        return cli_fail("sort: -m: cannot create a temporary file in %s: %s", folder,
                        strerror(errno));
    const int fd = dup(temp.fd); /* stays open for reading */
    m->file = fd >= 0 ? fdopen(dup(temp.fd), "w") : NULL;
    bool ok =
        m->file != NULL || cli_fail("sort: -m: cannot open a temporary file: %s", strerror(errno));
    ok = ok && merge_group(m, files, n);
    if (m->file != NULL && fclose(m->file) != 0 && ok)
        ok = cli_fail("sort: -m: cannot write a temporary file in %s: %s", folder, strerror(errno));
    m->file = NULL;
    temp_drop(&temp);
    *result = (merge_file){.fd = fd};
    return ok;
}

static size_t most_files(const merge_request *request)
{
    struct rlimit limit;
    uint64_t      most = request->memory / FILE_MEMORY;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < most + OTHER_FILES)
        most = limit.rlim_cur > OTHER_FILES ? limit.rlim_cur - OTHER_FILES : 0;
    most = most < MOST_FILES ? most : MOST_FILES;
    return most > LEAST_FILES ? (size_t)most : LEAST_FILES;
}

static void close_files(merge_file *files, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (files[i].fd >= 0)
            close(files[i].fd);
}

/* Replaces the first files by one until the rest can be read at once. */
static bool merge_all(merge *m, merge_file *files, size_t *n)
{
    const size_t most = most_files(m->request);

    for (size_t at = 0; *n > most;) {
        const size_t left = *n - at, count = left < most ? left : most;
        merge_file   result = {.fd = -1};
        const bool   ok = merge_to_file(m, files + at, count, &result);
        close_files(files + at, count);
        files[at] = result;
        memmove(files + at + 1, files + at + count, (*n - at - count) * sizeof *files);
        *n -= count - 1;
        if (!ok)
            return false;
        at = at + 1 < *n ? at + 1 : 0;
    }
    return merge_group(m, files, *n);
}

bool line_merge(const merge_request *request, output *out)
{
    merge             m = {.request = request, .out = out};
    size_t            n = request->files.n;
    merge_file *const files = calloc(n, sizeof *files);

    if (files == NULL)
        return cli_fail("sort: not enough memory to merge %zu files", n);
    for (size_t i = 0; i < n; i++)
        files[i] = (merge_file){.path = request->files.paths[i], .fd = -1};
    progress_start("merging");
    const bool ok = merge_all(&m, files, &n);
    progress_end();
    close_files(files, n);
    free(files);
    key_bytes_free(&m.last);
    return ok;
}
