/* csv_external.c - `ordo sort --csv` of files larger than memory, by the external sort of lines
 * (ordo_external_lines.h): a line is a row, and its key the bytes of csv_encode(). */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/csv/csv_command.h"
#include "cli/cmd/external/external.h"

#include "cli/csv/csv_feed.h"
#include "cli/csv/csv_scan.h"
#include "cli/lines/line_memory.h"
#include "ordo_external_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SAMPLE_BYTES = 1 << 16, /* of the first file, to estimate the length of rows   */
    MEMORY_OF_ROW = 80,     /* estimate: bytes that a sort in memory takes for a row */
    MEMORY_OF_KEY = 30,     /* beside its text, and for each of its keys             */
    SMALL_ROW = 2048        /* bytes of a row that is copied to the stack            */
};

typedef struct row_keys { /* for the callbacks */
    const csv_table *beginning;
    const csv_keys  *keys;
} row_keys;

/* ---- Callbacks ---- */

static size_t split_row(void *user, const char *text, size_t length)
{
    const row_keys *const r = user;
    return csv_row_bytes(&r->beginning->dialect, text, length);
}

/* The key of the row in copy[0..length), which a newline and CSV_BLOCK bytes follow. */
static bool encode_row(const row_keys *r, const char *copy, size_t length, key_bytes *out)
{
    csv_span   values[CSV_MOST_KEYS];
    csv_reader reader;
    csv_text   text = {.data = NULL};
    const bool flexible = r->keys->bad == CSV_BAD_TEXT;
    bool       ok = key_bytes_reserve(out, 1), bad;

    csv_start(&reader, &r->beginning->dialect, copy, copy + length + 1, r->keys->wanted,
              r->keys->wanted_count, values);
    bad = !csv_next(&reader) || (reader.fields != r->beginning->columns && !flexible);
    if (ok)
        put_byte(out, 0);
    for (size_t i = 0; ok && !bad && i < r->keys->n; i++) {
        csv_span value = values[r->keys->slot[i]];
        csv_class class = CSV_VALUE;
        value = value.begin == NULL ? (csv_span){copy, copy}
                                    : csv_unquote(value, r->beginning->dialect.quotes, &text);
        ok = value.begin != NULL && csv_encode(&r->keys->keys[i], value, out, &class);
        bad = !flexible && (class == CSV_OTHER || class == CSV_INEXACT);
    }
    if (bad && ok) {
        out->used = 0;
        put_byte(out, 255);
    }
    free(text.data);
    return ok;
}

/* As ordo_line_format.key. The row is copied: the reader looks at CSV_BLOCK bytes after it. */
static ptrdiff_t key_of_row(void *user, const char *row, size_t length, void *into, size_t room)
{
    const row_keys *const r = user;
    char                  small[SMALL_ROW + 1 + CSV_BLOCK];
    char *const           large = length > SMALL_ROW ? malloc(length + 1 + CSV_BLOCK) : NULL;
    char *const           copy = length > SMALL_ROW ? large : small;
    key_bytes             out = {.data = into, .capacity = room, .fixed = true};

    if (copy == NULL) {
        errno = ENOMEM;
        return -1;
    }
    memcpy(copy, row, length);
    memset(copy + length, '\n', 1 + CSV_BLOCK);
    const bool ok = encode_row(r, copy, length, &out);
    free(large);
    if (ok)
        return (ptrdiff_t)out.used;
    errno = ENOMEM;
    return out.wanted > room ? (ptrdiff_t)out.wanted : -1;
}

typedef struct row_writer {
    output *out;
    bool    failed; /* after a message */
} row_writer;

static ptrdiff_t write_rows(void *user, const void *from, size_t bytes)
{
    row_writer *const w = user;

    if (output_bytes(w->out, from, bytes))
        return (ptrdiff_t)bytes;
    w->failed = true;
    errno = EIO;
    return -1;
}

/* ---- The call ---- */

static bool call_library(execution *e, csv_feed *feed, const csv_keys *keys, uint64_t limit,
                         uint64_t bytes)
{
    row_keys               r = {.beginning = &feed->beginning, .keys = keys};
    row_writer             writer = {.out = &e->out};
    ordo_external_report   report = ORDO_OPTS(ordo_external_report, .n = 0);
    const ordo_line_format format =
        ORDO_OPTS(ordo_line_format, .end = '\n', .split = split_row, .key = key_of_row, .user = &r);
    const ordo_external_opts opts =
        ORDO_OPTS(ordo_external_opts, .flags = e->o.unique ? ORDO_UNIQUE : 0,
                  .memory = limit > EXTERNAL_LEAST ? limit : EXTERNAL_LEAST,
                  .directories = e->o.directories.texts, .directory_count = e->o.directories.n,
                  .watch = external_watch);

    call_begin("sorting");
    const ordo_status status = ordo_external_sort_lines(
        e->ctx, &format,
        &ORDO_OPTS(ordo_source, .read = csv_feed_read, .user = feed, .bytes = bytes,
                   .name = "the input"),
        &ORDO_OPTS(ordo_sink, .write = write_rows, .user = &writer, .name = e->out.name), &opts,
        &report);
    const bool told = writer.failed || feed->failed;
    const bool ok = call_end(told ? ORDO_OK : status) && status == ORDO_OK;
    timing_mark(&e->t, "sort");
    if (!finish_output(e, ok) || !ok)
        return false;
    external_explain(e, &report);
    e->o.common.explain = e->o.common.json = false;
    return true;
}

static void note_bad(const csv_feed *feed, csv_bad bad)
{
    if (feed->bad > 0)
        cli_error("%s: %zu bad row%s %s; the first is in line %zu", feed->first_bad, feed->bad,
                  feed->bad == 1 ? "" : "s", bad == CSV_BAD_LAST ? "put last" : "left out",
                  feed->first_bad_line);
}

/* The bytes of all files; UINT64_MAX if one is not a regular file. */
static uint64_t input_bytes(const execution *e)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < e->path_count; i++) {
        struct stat st;
        const bool  is_stdin = e->paths[i] == NULL || strcmp(e->paths[i], "-") == 0;
        if ((is_stdin ? fstat(0, &st) : stat(e->paths[i], &st)) != 0 || !S_ISREG(st.st_mode))
            return UINT64_MAX;
        bytes += (uint64_t)st.st_size;
    }
    return bytes;
}

static uint64_t memory_limit(const execution *e)
{
    return e->o.common.memory_limit != 0 ? e->o.common.memory_limit : line_memory_default();
}

/* The bytes of a line at the beginning of the first file, which is a regular file. */
static uint64_t row_bytes(const execution *e)
{
    const bool    is_stdin = e->paths[0] == NULL || strcmp(e->paths[0], "-") == 0;
    const int     fd = is_stdin ? STDIN_FILENO : open(e->paths[0], O_RDONLY | O_CLOEXEC);
    char          sample[SAMPLE_BYTES];
    const ssize_t got = fd >= 0 ? pread(fd, sample, sizeof sample, 0) : -1;

    if (fd > STDIN_FILENO)
        close(fd);
    return got > 0 ? (uint64_t)got / (csv_count_lines(sample, sample + got) + 1) + 1 : 1;
}

bool csv_is_large(const execution *e)
{
    const uint64_t bytes = input_bytes(e);
    const uint64_t each = MEMORY_OF_ROW + MEMORY_OF_KEY * e->o.line.keys.n;

    if (bytes == UINT64_MAX)
        return e->o.common.memory_limit != 0 || e->o.directories.n > 0;
    return bytes + bytes / row_bytes(e) * each > memory_limit(e);
}

bool csv_sort_external(execution *e)
{
    csv_dialect    dialect;
    csv_feed       feed = {.fd = -1};
    csv_keys       keys;
    const uint64_t bytes = input_bytes(e);
    bool           ok = csv_dialect_of(e, &dialect) &&
              csv_feed_open(&feed, &dialect, e->paths, e->path_count) &&
              csv_has_rows(&feed.beginning) && csv_find_keys(e, &feed.beginning, &keys);

    if (ok) {
        feed.keys = &keys;
        ok = csv_write_header(&feed.beginning, &e->out) &&
             call_library(e, &feed, &keys, memory_limit(e), bytes != UINT64_MAX ? bytes : 0);
        if (ok)
            note_bad(&feed, keys.bad);
    }
    csv_feed_close(&feed);
    return ok;
}
