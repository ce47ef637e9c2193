/* fasta.c - reading and writing FASTA records (see fasta.h). The text stays as it was read, and
 * each record is written from there. */
#include "cli/io/input/fasta.h"

#include "cli/io/source.h"
#include "cli/io/text/text_lines.h"

#include <stdlib.h>
#include <string.h>

/* The end that the last line needs before another line follows: that of the first line. */
static const char *missing_end(const char *text, size_t length)
{
    const char *const newline = length > 0 ? memchr(text, '\n', length) : NULL;

    if (length == 0 || text[length - 1] == '\n')
        return "";
    if (text[length - 1] == '\r')
        return "\n";
    return newline != NULL && newline > text && newline[-1] == '\r' ? "\r\n" : "\n";
}

/* Parses the text, with or without arrays. False after a message. */
static bool parse(ordo_ctx *ctx, const char *name, const char *text, size_t length,
                  ordo_fasta *records)
{
    const ordo_status status = ordo_parse_fasta(ctx, text, length, records);

    if (status == ORDO_OK)
        return true;
    if (records->why != NULL)
        return cli_fail("%s:%zu: %s", name, records->bad_line, records->why);
    return cli_fail("%s: %s", name, ordo_last_error(ctx));
}

bool fasta_parse(ordo_ctx *ctx, const char *name, char *text, size_t length, fasta_key by,
                 fasta *out)
{
    static const char what[] = "the positions of the records";
    const bool        by_header = by == FASTA_HEADER;
    ordo_fasta        records = ORDO_OPTS(ordo_fasta, .n = 0);

    *out = (fasta){.name = name, .text = text, .missing_end = missing_end(text, length)};
    if (!parse(ctx, name, text, length, &records))
        return false;
    const uint64_t bytes = by_header ? records.header_bytes : records.sequence_bytes;
    out->starts = cli_alloc(records.n + 1, sizeof *out->starts, what);
    out->offsets =
        out->starts != NULL ? cli_alloc(records.n + 1, sizeof *out->offsets, what) : NULL;
    out->keys =
        out->offsets != NULL ? cli_alloc((size_t)bytes, 1, "the keys of the records") : NULL;
    if (out->keys == NULL)
        return false;
    records.starts = out->starts;
    *(by_header ? &records.headers : &records.sequences) = out->keys;
    *(by_header ? &records.header_offsets : &records.sequence_offsets) = out->offsets;
    if (!parse(ctx, name, text, length, &records))
        return false;
    out->n = records.n;
    return true;
}

bool fasta_read(ordo_ctx *ctx, const char *path, fasta_key by, fasta *out)
{
    source s;

    *out = (fasta){.n = 0};
    progress_start("reading");
    char *const text = source_open(&s, path) ? source_take(&s) : NULL;
    progress_end();
    source_close(&s);
    if (text == NULL)
        return false;
    progress_start("splitting");
    const bool ok = fasta_parse(ctx, s.name, text, s.end, by, out);
    progress_end();
    if (!ok)
        fasta_free(out);
    return ok;
}

void fasta_free(fasta *f)
{
    free(f->text);
    free(f->starts);
    free(f->keys);
    free(f->offsets);
    *f = (fasta){.n = 0};
}

ordo_strings fasta_strings(const fasta *f)
{
    return ORDO_OPTS(ordo_strings, .bytes = f->keys, .offsets = f->offsets);
}

static size_t key_size(const fasta *f, size_t i)
{
    return (size_t)(f->offsets[i + 1] - f->offsets[i]);
}

int fasta_compare(const fasta *f, size_t i, size_t j)
{
    return lines_compare(f->keys + f->offsets[i], key_size(f, i), f->keys + f->offsets[j],
                         key_size(f, j));
}

const char *fasta_header(const fasta *f, size_t i, size_t *length)
{
    const char *const header = f->text + f->starts[i] + 1;
    const size_t      rest = (size_t)(f->starts[i + 1] - f->starts[i]) - 1;
    const char *const newline = memchr(header, '\n', rest);

    *length = newline != NULL ? (size_t)(newline - header) : rest;
    *length -= *length > 0 && header[*length - 1] == '\r';
    return header;
}

bool fasta_write(const fasta *f, ordo_type type, const void *index, bool unique, output *out)
{
    const char *missing = ""; /* the end of the last line written */
    size_t      previous = 0;
    bool        ok = output_bytes(out, f->text, (size_t)f->starts[0]);

    progress_start("writing");
    for (size_t j = 0; ok && j < f->n; j++) {
        const size_t i =
            type == ORDO_U32 ? ((const uint32_t *)index)[j] : (size_t)((const uint64_t *)index)[j];
        if (!unique || j == 0 || fasta_compare(f, previous, i) != 0) {
            ok = output_bytes(out, missing, strlen(missing)) &&
                 output_bytes(out, f->text + f->starts[i],
                              (size_t)(f->starts[i + 1] - f->starts[i]));
            missing = i + 1 == f->n ? f->missing_end : "";
        }
        previous = i;
        progress_count(j, f->n);
    }
    progress_end();
    return ok;
}

bool fasta_write_record(const char *header, const char *sequence, size_t length, size_t width,
                        output *out)
{
    const size_t most = width > 0 ? width : length;
    bool         ok = output_bytes(out, ">", 1) && output_line(out, header, strlen(header));

    for (size_t at = 0; ok && at < length; at += most)
        ok = output_line(out, sequence + at, length - at < most ? length - at : most);
    return ok;
}
