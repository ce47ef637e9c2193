/* csv_external.c - rows larger than memory, by the external sort of lines (see csv_large.h).
 *
 * A line of ordo_external_lines.h is a row, and its key the bytes of csv_encode(). */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/csv/csv_large.h"

#include "cli/csv/csv_scan.h"
#include "ordo_external_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    MEMORY_OF_ROW = 80, /* estimate: bytes that a sort in memory takes for a row */
    MEMORY_OF_KEY = 30, /* beside its text, and for each of its keys             */
    SMALL_ROW = 2048,   /* bytes of a row that is copied to the stack            */
    /* A block of the shortest rows, a digit and a newline, takes 64 times its bytes for rows, keys
     * and records. */
    MEMORY_OF_BYTE = 64,
    FEED_SHARE = 512, /* of the limit that the bytes of a block may take */
    FEED_LEAST = 1 << 16,
    FEED_MOST = 2 << 20,
    BLOCK_MOST = 16 << 20,
    ROW_SHARE = 16 /* of the limit that a row may take */
};

/* ---- When ---- */

/* The bytes of a line at the beginning of the first file; 0 if that is not a regular file. */
static uint64_t row_bytes(const execution *e)
{
    char         sample[PIECES_SAMPLE];
    const size_t got = pieces_sample(e->paths[0], sample);

    return got > 0 ? got / (csv_count_lines(sample, sample + got) + 1) + 1 : 0;
}

static uint64_t memory_of_row(size_t keys) { return MEMORY_OF_ROW + MEMORY_OF_KEY * keys; }

/* A limit that was given holds for rows of any shape: the keys may be as long as the rows, and the
 * rows are counted if many short ones would exceed the limit. Otherwise the first rows are enough
 * for an estimate. */
bool csv_is_large(const execution *e)
{
    const uint64_t bytes = source_bytes(e->paths, e->path_count), row = row_bytes(e);
    const uint64_t asked = e->o.common.memory_limit, limit = pieces_limit(asked);
    const size_t   keys = e->o.line.keys.n + e->o.csv.by.n + e->o.csv.columns.n;

    if (bytes == UINT64_MAX)
        return asked != 0 || e->o.directories.n > 0;
    if (asked == 0)
        return bytes + bytes / (row > 0 ? row : 1) * memory_of_row(keys) > limit;
    const uint64_t text = bytes * (2 + 2 * keys);
    return text > limit ||
           (bytes * MEMORY_OF_BYTE > limit && text + source_lines(e->paths, e->path_count, '\n') *
                                                          memory_of_row(keys > 0 ? keys : 1) >
                                                  limit);
}

size_t csv_block_bytes(uint64_t limit)
{
    const uint64_t block = limit / FEED_SHARE;
    return block < FEED_LEAST ? FEED_LEAST : block > FEED_MOST ? FEED_MOST : (size_t)block;
}

size_t csv_top_block(const execution *e, uint64_t limit, size_t keys)
{
    const uint64_t row = row_bytes(e) > 0 ? row_bytes(e) : PIECES_SAMPLE / 1024;
    const uint64_t block = limit / 3 * row / (2 * row + memory_of_row(keys));

    if (e->o.common.memory_limit != 0)
        return csv_block_bytes(limit);
    return block > BLOCK_MOST ? BLOCK_MOST : (size_t)block;
}

size_t csv_longest_row(const execution *e)
{
    const uint64_t limit = e->o.common.memory_limit;
    return limit != 0 ? (size_t)(limit / ROW_SHARE) : SIZE_MAX;
}

/* ---- Opening ---- */

/* Copies stdin to a temporary file, so that it can be read again. */
static bool copy_pipe(csv_large *x)
{
    char    buffer[1 << 16];
    ssize_t got;

    x->copy = pieces_temporary(x->e);
    if (x->copy < 0)
        return false;
    while ((got = read(STDIN_FILENO, buffer, sizeof buffer)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cli_fail("stdin: cannot read: %s", strerror(errno));
        for (ssize_t done = 0, n; done < got; done += n) {
            n = write(x->copy, buffer + done, (size_t)(got - done));
            if (n < 0 && errno == EINTR)
                n = 0;
            if (n < 0)
                return cli_fail("stdin: cannot copy it to a temporary file: %s", strerror(errno));
        }
    }
    snprintf(x->copy_name, sizeof x->copy_name, "/dev/fd/%d", x->copy);
    x->copy_path = x->copy_name;
    return true;
}

bool csv_large_open(csv_large *x, execution *e, bool with_keys, bool twice)
{
    const uint64_t    bytes = source_bytes(e->paths, e->path_count);
    const uint64_t    limit = pieces_limit(e->o.common.memory_limit);
    const size_t      block = csv_block_bytes(limit);
    csv_stream *const stream = &x->feed.stream;
    csv_dialect       dialect;

    *x = (csv_large){.e = e, .bytes = bytes != UINT64_MAX ? bytes : 0, .copy = -1};
    x->feed.keys = &x->keys;
    if (twice && source_is_pipe(e->paths, e->path_count) && !copy_pipe(x))
        return false;
    const bool copied = x->copy_path != NULL;
    if (!csv_dialect_of(e, &dialect) ||
        !csv_stream_open(stream, &dialect, copied ? &x->copy_path : e->paths,
                         copied ? 1 : e->path_count, copied ? "stdin" : NULL, thread_count(e),
                         block, csv_longest_row(e)))
        return false;
    /* The beginning is in memory twice: as a table, and in the source. */
    x->limit = pieces_rest(limit, pieces_own(e, &stream->s) + (uint64_t)block * MEMORY_OF_BYTE +
                                      2 * stream->beginning.size);
    return csv_has_rows(&stream->beginning) && csv_find_by(e, &stream->beginning, &x->by) &&
           (!with_keys || csv_find_keys(e, &stream->beginning, &x->keys));
}

void csv_large_close(csv_large *x)
{
    csv_stream_close(&x->feed.stream);
    if (x->copy >= 0)
        close(x->copy);
}

void csv_large_note_bad(const csv_large *x) { csv_print_bad(&x->feed.bad, x->keys.bad); }

/* ---- Keys ---- */

/* Appends the keys of the row in copy[0..length), which a newline and CSV_BLOCK bytes follow. Sets
 * *bad if the row is bad; its bytes are then not complete. */
static bool append_keys(const csv_large *x, const csv_keys *keys, const char *copy, size_t length,
                        key_bytes *out, bool *bad)
{
    const csv_table *const beginning = &x->feed.stream.beginning;
    csv_span               values[CSV_MOST_KEYS];
    csv_reader             reader;
    csv_text               text = {.data = NULL};
    const bool             flexible = keys->bad == CSV_BAD_TEXT;
    bool                   ok = true;

    csv_start(&reader, &beginning->dialect, copy, copy + length + 1, keys->wanted,
              keys->wanted_count, values);
    *bad = !csv_next(&reader) || (reader.fields != beginning->columns && !flexible);
    for (size_t i = 0; ok && !*bad && i < keys->n; i++) {
        csv_span value = values[keys->slot[i]];
        csv_class class = CSV_VALUE;
        value = value.begin == NULL ? (csv_span){copy, copy}
                                    : csv_unquote(value, beginning->dialect.quotes, &text);
        ok = value.begin != NULL && csv_encode(&keys->keys[i], value, out, &class);
        *bad = !flexible && csv_class_is_bad(class);
    }
    free(text.data);
    return ok;
}

static bool encode_row(const csv_large *x, const char *copy, size_t length, key_bytes *out,
                       size_t *group)
{
    bool bad = false;

    if (x->by.columns > 0 && !append_keys(x, &x->by.keys, copy, length, out, &bad))
        return false;
    const size_t marker = out->used;
    if (group != NULL)
        *group = marker;
    if (!key_bytes_reserve(out, 1))
        return false;
    put_byte(out, 0);
    if (!append_keys(x, &x->keys, copy, length, out, &bad))
        return false;
    if (bad) {
        out->used = marker;
        put_byte(out, 255);
    }
    return true;
}

/* The row is copied: the reader looks at CSV_BLOCK bytes after it. */
bool csv_large_key(const csv_large *x, const char *row, size_t length, key_bytes *out,
                   size_t *group)
{
    char        small[SMALL_ROW + 1 + CSV_BLOCK];
    char *const large = length > SMALL_ROW ? malloc(length + 1 + CSV_BLOCK) : NULL;
    char *const copy = length > SMALL_ROW ? large : small;

    if (copy == NULL)
        return false;
    memcpy(copy, row, length);
    memset(copy + length, '\n', 1 + CSV_BLOCK);
    const bool ok = encode_row(x, copy, length, out, group);
    free(large);
    return ok;
}

/* ---- Callbacks ---- */

static size_t split_row(void *user, const char *text, size_t length)
{
    const csv_large *const x = user;
    return csv_row_bytes(&x->feed.stream.dialect, text, length);
}

/* As ordo_line_format.key. */
static ptrdiff_t key_of_row(void *user, const char *row, size_t length, void *into, size_t room)
{
    key_bytes out = {.data = into, .capacity = room, .fixed = true};

    if (csv_large_key(user, row, length, &out, NULL))
        return (ptrdiff_t)out.used;
    errno = ENOMEM;
    return out.wanted > room ? (ptrdiff_t)out.wanted : -1;
}

typedef struct row_sink {
    csv_large *x;
    csv_visit  visit; /* NULL: rows are written */
    void      *user;
    key_bytes  rest; /* the beginning of a row */
    bool       failed;
} row_sink;

/* Calls visit() for the whole rows of text[0..length). Returns their bytes; SIZE_MAX after a
 * message. */
static size_t visit_rows(row_sink *sink, const char *text, size_t length)
{
    size_t done = 0, row;

    while ((row = split_row(sink->x, text + done, length - done)) > 0) {
        if (!sink->visit(sink->user, text + done, row))
            return SIZE_MAX;
        done += row;
    }
    return done;
}

static bool take_rows(row_sink *sink, const char *text, size_t bytes)
{
    if (sink->visit == NULL)
        return output_bytes(&sink->x->e->out, text, bytes);
    key_bytes *const rest = &sink->rest;
    if (rest->used > 0) {
        if (!csv_append_bytes(rest, text, bytes))
            return cli_fail("%s: not enough memory for a row", sink->x->e->command->name);
        text = (const char *)rest->data;
        bytes = rest->used;
    }
    const size_t done = visit_rows(sink, text, bytes);
    if (done == SIZE_MAX)
        return false;
    if (rest->used > 0)
        memmove(rest->data, rest->data + done, rest->used -= done);
    else if (!csv_append_bytes(rest, text + done, bytes - done))
        return cli_fail("%s: not enough memory for a row", sink->x->e->command->name);
    return true;
}

static ptrdiff_t write_rows(void *user, const void *from, size_t bytes)
{
    row_sink *const sink = user;

    if (take_rows(sink, from, bytes))
        return (ptrdiff_t)bytes;
    sink->failed = true;
    errno = EIO;
    return -1;
}

/* ---- The call ---- */

bool csv_large_sort(csv_large *x, uint64_t flags, csv_visit visit, bool (*finish)(void *user),
                    void *user)
{
    execution *const       e = x->e;
    row_sink               sink = {.x = x, .visit = visit, .user = user};
    ordo_external_report   report = ORDO_OPTS(ordo_external_report, .n = 0);
    ordo_external_opts     opts = pieces_opts(e, x->limit, 0);
    const ordo_line_format format =
        ORDO_OPTS(ordo_line_format, .end = '\n', .split = split_row, .key = key_of_row, .user = x);

    opts.flags = flags;
    call_begin("sorting");
    ordo_status status = ordo_external_sort_lines(
        e->ctx, &format,
        &ORDO_OPTS(ordo_source, .read = csv_feed_read, .user = &x->feed, .bytes = x->bytes,
                   .name = "the input"),
        &ORDO_OPTS(ordo_sink, .write = write_rows, .user = &sink, .name = e->out.name), &opts,
        &report);
    key_bytes_free(&sink.rest);
    bool told = sink.failed || x->feed.stream.failed;
    if (status == ORDO_OK && finish != NULL && !finish(user)) {
        told = true;
        status = ORDO_E_IO;
    }
    if (!pieces_end(e, status, told, &report))
        return false;
    csv_large_note_bad(x);
    return true;
}

bool csv_sort_external(execution *e)
{
    csv_large  x;
    const bool ok = csv_large_open(&x, e, true, false) &&
                    csv_write_header(&x.feed.stream.beginning, &e->out) &&
                    csv_large_sort(&x, e->o.unique ? ORDO_UNIQUE : 0, NULL, NULL, NULL);

    csv_large_close(&x);
    return ok;
}
