/* fasta.c - reading and writing FASTA records (see fasta.h).
 *
 * Keys end with a zero byte and lie in the block of the file, so that the file is in memory once.
 * By sequence: the residues of a record are moved together, over its line ends, and a table keeps
 * the length and the end of every line. By header: the header is moved over its '>'. The writer
 * puts both back. */
#include "cli/io/fasta.h"

#include "cli/io/source.h"

#include <stdlib.h>
#include <string.h>

enum {
    END_BITS = 2, /* of a line in the table: its end; the other bits are its length */
    LINE_MAX_LENGTH = 0x3ffff000 /* a longer line has several places in the table                */
};

static const char *const line_ends[1 << END_BITS] = {"", "\n", "\r\n", "\r"};

/* The bytes of the line at `at`, with its end. */
static size_t line_size(const char *at, const char *end)
{
    const char *const newline = memchr(at, '\n', (size_t)(end - at));
    return (size_t)((newline != NULL ? newline + 1 : end) - at);
}

/* The end of a line, as an index of line_ends. A single CR counts only at the end of the file. */
static unsigned line_end(const char *line, size_t size)
{
    const bool     newline = size > 0 && line[size - 1] == '\n';
    const size_t   before = newline ? size - 1 : size;
    const unsigned cr = before > 0 && line[before - 1] == '\r';
    return newline ? 1 + cr : 3 * cr;
}

static size_t end_size(unsigned end) { return strlen(line_ends[end]); }

static bool reject(fasta *f, size_t line, const char *why)
{
    f->bad_line = line;
    f->why = why;
    return false;
}

static size_t line_number(const char *text, const char *at)
{
    size_t number = 1;
    for (const char *p = text; (p = memchr(p, '\n', (size_t)(at - p))) != NULL; p++)
        number++;
    return number;
}

/* Checks the text. Counts records, and the places that the lines of their sequences need in the
 * table. */
static bool count(fasta *f, size_t length, size_t *places)
{
    const char       *at = f->bytes, *record = at;
    const char *const end = at + length, *const zero = memchr(at, '\0', length);

    *places = 0;
    if (zero != NULL)
        return reject(f, line_number(at, zero), "the line contains a zero byte");
    for (size_t number = 1; at < end; number++) {
        const size_t size = line_size(at, end);
        if (at[0] == '>') {
            f->n++;
            record = at;
        } else if (f->n > 0) {
            *places += 1 + size / LINE_MAX_LENGTH;
        } else if (size > end_size(line_end(at, size))) {
            return reject(f, number, "expected a header, which is a line that starts with '>'");
        }
        at += size;
        if (at - record > UINT32_MAX)
            return reject(f, number, "the record has 4 GiB or more, which is not supported");
    }
    return true;
}

/* Appends a line to the table. */
static void add_line(fasta *f, size_t *line, size_t length, unsigned end)
{
    for (; length > LINE_MAX_LENGTH; length -= LINE_MAX_LENGTH)
        f->lines[(*line)++] = (uint32_t)LINE_MAX_LENGTH << END_BITS;
    f->lines[(*line)++] = (uint32_t)length << END_BITS | end;
}

/* Moves the residues in [at, end) together and ends them with a zero byte. Returns them. Without a
 * line end to overwrite, the sequence is the last line of the file, which a zero byte follows. */
static const char *gather_sequence(fasta *f, size_t *line, char *at, const char *end)
{
    char *const key = at;
    char       *to = at;

    if (at == end)
        return "";
    while (at < end) {
        const size_t   size = line_size(at, end);
        const unsigned kind = line_end(at, size);
        const size_t   length = size - end_size(kind);
        memmove(to, at, length);
        add_line(f, line, length, kind);
        to += length;
        at += size;
    }
    *to = '\0';
    return key;
}

static const char *gather_header(char *header, size_t size)
{
    const size_t length = size - 1 - end_size(line_end(header, size));
    memmove(header, header + 1, length);
    header[length] = '\0';
    return header;
}

/* Finds the records and prepares their keys. */
static void split(fasta *f, size_t length)
{
    char *const end = f->bytes + length, *at = f->bytes;
    size_t      line = 0;

    while (at < end && *at != '>')
        at += line_size(at, end);
    for (size_t i = 0; i < f->n; i++) {
        char *const  header = at;
        const size_t size = line_size(at, end);
        for (at += size; at < end && *at != '>';)
            at += line_size(at, end);
        f->starts[i] = (uint64_t)(header - f->bytes);
        if (f->by == FASTA_HEADER) {
            f->keys[i] = gather_header(header, size);
        } else {
            f->first_lines[i] = line;
            f->keys[i] = gather_sequence(f, &line, header + size, at);
        }
        progress_count(i, f->n);
    }
    f->starts[f->n] = length;
    if (f->by == FASTA_SEQUENCE)
        f->first_lines[f->n] = line;
}

static const char *missing_end(const char *bytes, size_t length)
{
    const unsigned last = line_end(bytes, length);
    const size_t   first = line_size(bytes, bytes + length);

    if (length == 0 || last != 0)
        return last == 3 ? "\n" : "";
    return line_end(bytes, first) == 2 ? "\r\n" : "\n";
}

static bool allocate(fasta *f, size_t places)
{
    static const char what[] = "the positions of the records";
    const bool        by_sequence = f->by == FASTA_SEQUENCE;

    f->starts = cli_alloc(f->n + 1, sizeof *f->starts, what);
    f->keys = f->starts != NULL ? cli_alloc(f->n, sizeof *f->keys, what) : NULL;
    if (f->keys == NULL || !by_sequence)
        return f->keys != NULL;
    f->first_lines = cli_alloc(f->n + 1, sizeof *f->first_lines, what);
    f->lines = f->first_lines != NULL ? cli_alloc(places, sizeof *f->lines, what) : NULL;
    return f->lines != NULL;
}

bool fasta_parse(char *bytes, size_t length, fasta_key by, fasta *out)
{
    size_t places;

    *out = (fasta){.name = "", .by = by, .bytes = bytes};
    if (!count(out, length, &places) || !allocate(out, places))
        return false;
    out->missing_end = missing_end(bytes, length);
    split(out, length);
    return true;
}

bool fasta_read(const char *path, fasta_key by, fasta *out)
{
    source s;

    *out = (fasta){.n = 0};
    progress_start("reading");
    char *const bytes = source_open(&s, path) ? source_take(&s) : NULL;
    progress_end();
    source_close(&s);
    if (bytes == NULL)
        return false;
    progress_start("splitting");
    const bool ok = fasta_parse(bytes, s.end, by, out);
    progress_end();
    out->name = s.name;
    if (!ok && out->why != NULL)
        cli_error("%s:%zu: %s", s.name, out->bad_line, out->why);
    if (!ok)
        fasta_free(out);
    return ok;
}

void fasta_free(fasta *f)
{
    free(f->bytes);
    free(f->starts);
    free(f->keys);
    free(f->first_lines);
    free(f->lines);
    *f = (fasta){.n = 0};
}

ordo_strings fasta_strings(const fasta *f) { return ORDO_OPTS(ordo_strings, .pointers = f->keys); }

const char *fasta_header(const fasta *f, size_t i, size_t *length)
{
    const char *const start = f->bytes + f->starts[i];

    if (f->by == FASTA_HEADER) {
        *length = strlen(start);
        return start;
    }
    const size_t size = line_size(start, f->bytes + f->starts[i + 1]);
    *length = size - end_size(line_end(start, size)) - 1;
    return start + 1;
}

static bool write_by_header(const fasta *f, size_t i, output *out)
{
    const char *const header = f->keys[i];
    const size_t      length = strlen(header);
    const char *const rest = header + length + 1, *const end = f->bytes + f->starts[i + 1];

    return output_bytes(out, ">", 1) && output_bytes(out, header, length) &&
           output_bytes(out, rest, (size_t)(end - rest));
}

static bool write_by_sequence(const fasta *f, size_t i, output *out)
{
    const char *const start = f->bytes + f->starts[i], *const end = f->bytes + f->starts[i + 1];
    const uint64_t last = f->first_lines[i + 1];
    uint64_t       line = f->first_lines[i];
    const char    *at = f->keys[i];
    bool           ok = output_bytes(out, start, (size_t)((line < last ? at : end) - start));

    for (; ok && line < last; line++) {
        const size_t      length = f->lines[line] >> END_BITS;
        const char *const tail = line_ends[f->lines[line] % (1 << END_BITS)];
        ok = output_bytes(out, at, length) && output_bytes(out, tail, strlen(tail));
        at += length;
    }
    return ok;
}

bool fasta_write(const fasta *f, ordo_type type, const void *index, bool unique, output *out)
{
    const char *missing = ""; /* the end of the last line written */
    size_t      previous = 0;
    bool        ok = output_bytes(out, f->bytes, f->n > 0 ? f->starts[0] : strlen(f->bytes));

    progress_start("writing");
    for (size_t j = 0; ok && j < f->n; j++) {
        const size_t i =
            type == ORDO_U32 ? ((const uint32_t *)index)[j] : (size_t)((const uint64_t *)index)[j];
        if (!unique || j == 0 || strcmp(f->keys[previous], f->keys[i]) != 0) {
            ok = output_bytes(out, missing, strlen(missing)) &&
                 (f->by == FASTA_HEADER ? write_by_header : write_by_sequence)(f, i, out);
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
