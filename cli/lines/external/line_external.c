/* line_external.c - gives lines and their keys to the external sort of the library (see
 * line_external.h).
 *
 * In memory a sort of whole lines holds the text, for each line its first bytes and its place (16
 * bytes) and the scratch of a sort of pairs (36), and perhaps the mapped output. A sort by keys
 * holds the text, the offsets of the lines (8), their order (4), the scratch of the string sort
 * (32), the bytes of the keys, up to twice while they are copied together, and their offsets
 * (8). */
#include "cli/lines/external/line_external.h"

#include "cli/lines/key_encode.h"

#include <errno.h>

enum {
    WHOLE_LINE = 16 + 36,        /* of memory for each line */
    KEYED_LINE = 8 + 4 + 32 + 8, /* the same with keys */
    KEYED_TEXT = 4,              /* times the text: itself, keys, and keys while they are copied */
    KEY_TEXT = 6                 /* the same of a key of any kind: -V takes most */
};

uint64_t line_memory_needed(const line_order *order, uint64_t bytes, uint64_t count, bool most)
{
    const double text = (double)bytes, n = (double)count;
    const double copies = most ? 1 + (double)order->n * KEY_TEXT : KEYED_TEXT;
    const double needed = order->n > 0 ? text * copies + n * KEYED_LINE : 2 * text + n * WHOLE_LINE;

    return needed < 1e18 ? (uint64_t)needed : UINT64_MAX;
}

/* As ordo_line_format.key; user is the line_order. */
static ptrdiff_t encode(void *user, const char *line, size_t length, void *into, size_t room)
{
    const line_order *const order = user;
    key_bytes               out = {.data = into, .capacity = room, .fixed = true};

    return key_encode(order, line, length, &out) ? (ptrdiff_t)out.used : (ptrdiff_t)out.wanted;
}

typedef struct line_reader {
    source *s;
    bool    failed; /* after a message */
} line_reader;

/* As ordo_source.read; user is a line_reader. */
static ptrdiff_t read_in(void *user, void *into, size_t bytes)
{
    line_reader *const r = user;
    size_t             got;

    r->failed = !source_read(r->s, into, bytes, &got);
    errno = EIO;
    return r->failed ? -1 : (ptrdiff_t)got;
}

typedef struct line_writer {
    output *out;
    bool    failed; /* after a message */
} line_writer;

/* As ordo_sink.write; user is a line_writer. */
static ptrdiff_t write_out(void *user, const void *from, size_t bytes)
{
    line_writer *const w = user;

    if (output_bytes(w->out, from, bytes))
        return (ptrdiff_t)bytes;
    w->failed = true;
    errno = EIO;
    return -1;
}

ordo_status line_external_sort(ordo_ctx *ctx, const line_order *order, source *from, uint64_t bytes,
                               output *out, const ordo_external_opts *opts,
                               ordo_external_report *report, bool *told)
{
    line_reader      reader = {.s = from};
    line_writer      writer = {.out = out};
    const bool       keyed = order->n > 0;
    line_order       copy = *order;
    ordo_line_format format =
        ORDO_OPTS(ordo_line_format, .end = (unsigned char)order->line_end, .user = &copy);
    ordo_external_opts all = *opts;

    if (keyed)
        format.key = encode;
    else if (order->reverse)
        all.flags |= ORDO_DESCENDING;
    const ordo_status status = ordo_external_sort_lines(
        ctx, &format,
        &ORDO_OPTS(ordo_source, .read = read_in, .user = &reader, .bytes = bytes,
                   .name = "the input"),
        &ORDO_OPTS(ordo_sink, .write = write_out, .user = &writer, .name = out->name), &all,
        report);
    *told = writer.failed || reader.failed;
    return status;
}
