/* csv_reader.c - rows and fields of CSV, one row after another (see csv_table.h).
 *
 * Only separators, newlines and quotes are visited: csv_mask() finds them in blocks of 64 bytes.
 * One pass gives the fields that are wanted and counts all of them. */
#include "cli/csv/csv_table.h"

#include "cli/base/workers.h"
#include "cli/csv/csv_scan.h"

#include <stdlib.h>
#include <string.h>

void csv_start(csv_reader *reader, const csv_dialect *dialect, const char *begin, const char *end,
               const size_t *wanted, size_t wanted_count, csv_span *values)
{
    *reader = (csv_reader){.next = begin,
                           .end = end,
                           .block = begin,
                           .separator = dialect->separator,
                           .quote = dialect->quotes ? '"' : '\n',
                           .wanted = wanted,
                           .wanted_count = wanted_count,
                           .values = values};
    if (begin < end)
        reader->mask = csv_mask(begin, reader->separator, reader->quote, '\n');
}

void csv_start_part(csv_reader *reader, const csv_table *table, size_t part, const size_t *wanted,
                    size_t wanted_count, csv_span *values)
{
    csv_start(reader, &table->dialect, table->bytes + table->cuts[part],
              table->bytes + table->cuts[part + 1], wanted, wanted_count, values);
}

/* The next separator, newline or quote; a newline follows the table. */
static inline const char *next_special(csv_reader *reader)
{
    while (reader->mask == 0) {
        reader->block += CSV_BLOCK;
        if (reader->block >= reader->end)
            return reader->end; /* only inside a quote that is not closed */
        reader->mask = csv_mask(reader->block, reader->separator, reader->quote, '\n');
    }
    const char *const found = reader->block + __builtin_ctzll(reader->mask);
    reader->mask &= reader->mask - 1;
    return found;
}

/* Goes past the quote that closes a field. False if there is none. */
static bool close_quote(csv_reader *reader)
{
    for (;;) {
        const char *const p = next_special(reader);
        if (p >= reader->end)
            return false;
        if (*p != '"')
            continue;
        if (p + 1 == reader->end || p[1] != '"')
            return true;
        (void)next_special(reader);
    }
}

bool csv_next(csv_reader *reader)
{
    const char *field = reader->next;
    size_t      fields = 0, want = 0;

    if (field >= reader->end)
        return false;
    reader->row = field;
    for (size_t i = 0; i < reader->wanted_count; i++)
        reader->values[i].begin = reader->values[i].end = NULL;
    for (;;) {
        const char *const p = next_special(reader);
        const bool        ends = *p == '\n';
        if (*p == '"') {
            if (p == field && !close_quote(reader)) {
                reader->unclosed = p;
                reader->next = reader->end;
                return false;
            }
            continue;
        }
        const char *const end = ends && p > field && p[-1] == '\r' ? p - 1 : p;
        if (want < reader->wanted_count && reader->wanted[want] == fields)
            reader->values[want++] = (csv_span){field, end};
        fields++;
        field = p + 1;
        if (ends) {
            reader->row_end = end;
            break;
        }
    }
    reader->fields = fields;
    reader->next = field;
    return true;
}

csv_span csv_unquote(csv_span value, bool quotes, csv_text *text)
{
    const size_t length = (size_t)(value.end - value.begin);

    if (!quotes || length == 0 || *value.begin != '"')
        return value;
    const char *const close = memchr(value.begin + 1, '"', length - 1);
    if (close != NULL && close + 1 == value.end)
        return (csv_span){value.begin + 1, close};
    if (text->capacity <= length) {
        free(text->data);
        text->capacity = 2 * length + 64;
        text->data = malloc(text->capacity);
        if (text->data == NULL) {
            text->capacity = 0;
            return (csv_span){NULL, NULL};
        }
    }
    char *to = text->data;
    bool  inside = true;
    for (const char *p = value.begin + 1; p < value.end; p++) {
        if (!inside || *p != '"') {
            *to++ = *p;
        } else if (p + 1 < value.end && p[1] == '"') {
            *to++ = '"';
            p++;
        } else {
            inside = false;
        }
    }
    *to = '\0';
    return (csv_span){text->data, to};
}

/* ---- Parts that begin with a row ----
 *
 * A candidate is the byte after a newline. It begins a row, or it lies inside a quoted field. Each
 * thread reads the bytes from its candidate to the next one under both assumptions; only quotes are
 * visited, and bytes without a quote keep the assumption. One pass over the results then says which
 * assumption holds, and where the first row of each part begins. */

typedef struct outcome { /* under one assumption */
    bool        quoted;  /* the bytes end inside a quoted field                     */
    const char *row;     /* the first beginning of a row; NULL: there is none       */
} outcome;

typedef struct stretch {
    const csv_table *table;
    const char      *begin, *end; /* begin follows a newline */
    outcome          plain, inside;
} stretch;

static const char *find(const char *p, const char *end, char c)
{
    const char *const found = p < end ? memchr(p, c, (size_t)(end - p)) : NULL;
    return found != NULL ? found : end;
}

/* The next quote, from p on, that opens a field; end if there is none. */
static const char *find_open(const stretch *s, const char *p)
{
    const char separator = s->table->dialect.separator;

    for (p = find(p, s->end, '"'); p < s->end; p = find(p + 1, s->end, '"'))
        if (p == s->begin || p[-1] == separator || p[-1] == '\n')
            break;
    return p;
}

/* The byte after the quote that closes a field; NULL if there is none. p is inside the field. */
static const char *find_close(const stretch *s, const char *p)
{
    for (p = find(p, s->end, '"'); p < s->end; p = find(p + 2, s->end, '"'))
        if (p + 1 == s->end || p[1] != '"')
            return p + 1;
    return NULL;
}

static outcome follow(const stretch *s, bool quoted)
{
    outcome     result = {quoted, quoted ? NULL : s->begin};
    const char *p = s->begin;

    for (;;) {
        if (result.quoted) {
            p = find_close(s, p);
            if (p == NULL)
                return result;
            result.quoted = false;
        }
        const char *const open = find_open(s, p);
        if (result.row == NULL) {
            const char *const newline = find(p, open, '\n');
            result.row = newline < open ? newline + 1 : NULL;
        }
        if (open == s->end)
            return result;
        result.quoted = true;
        p = open + 1;
    }
}

static void follow_both(void *part)
{
    stretch *const s = part;

    if (s->begin == s->end || memchr(s->begin, '"', (size_t)(s->end - s->begin)) == NULL) {
        s->plain = (outcome){false, s->begin};
        s->inside = (outcome){true, NULL};
        return;
    }
    s->plain = follow(s, false);
    s->inside = follow(s, true);
}

/* Names the row whose quote is not closed; reads every row again. */
static bool complain(const csv_table *table)
{
    csv_reader reader;
    size_t     line;

    csv_start(&reader, &table->dialect, table->bytes + table->body, table->bytes + table->size,
              NULL, 0, NULL);
    while (csv_next(&reader))
        continue;
    const char *const name = csv_place(table, reader.unclosed, &line);
    return cli_fail("%s: line %zu: a quote opens a field here and is never closed; give "
                    "--no-quotes if quotes are ordinary characters",
                    name, line);
}

/* Divides the rows, and returns whether the table ends inside a quoted field. */
static bool cut(csv_table *table, size_t parts)
{
    stretch           s[CSV_MOST_PARTS];
    const char *const begin = table->bytes + table->body, *const end = table->bytes + table->size;
    const size_t size = (size_t)(end - begin);
    const char  *from = begin;
    bool         quoted = false;

    parts = parts > CSV_MOST_PARTS ? CSV_MOST_PARTS : parts > 0 ? parts : 1;
    for (size_t i = 0; i < parts; i++) {
        const char *to = i + 1 < parts ? begin + size / parts * (i + 1) : end;
        if (to < end)
            to = to > from ? find(to - 1, end, '\n') : from;
        to = i + 1 < parts && to < end && to > from ? to + 1 : to;
        s[i] = (stretch){.table = table, .begin = from, .end = to};
        from = to;
    }
    if (table->dialect.quotes)
        workers_each(s, parts, sizeof s[0], follow_both);
    table->parts = 0;
    for (size_t i = 0; i < parts; i++) {
        const outcome result = !table->dialect.quotes ? (outcome){false, s[i].begin}
                               : quoted               ? s[i].inside
                                                      : s[i].plain;
        if (result.row != NULL && result.row < end &&
            (table->parts == 0 ||
             (size_t)(result.row - table->bytes) > table->cuts[table->parts - 1]))
            table->cuts[table->parts++] = (size_t)(result.row - table->bytes);
        quoted = result.quoted;
    }
    if (table->parts == 0)
        table->cuts[table->parts++] = table->body;
    table->cuts[table->parts] = table->size;
    return quoted;
}

bool csv_cut(csv_table *table, size_t parts) { return !cut(table, parts) || complain(table); }

void csv_cut_whole(csv_table *table, size_t parts)
{
    csv_reader reader;

    if (!cut(table, parts))
        return;
    csv_start_part(&reader, table, table->parts - 1, NULL, 0, NULL);
    while (csv_next(&reader))
        continue;
    csv_shorten(table, (size_t)(reader.row - table->bytes));
}

void csv_shorten(csv_table *table, size_t size)
{
    table->size = size;
    while (table->parts > 1 && table->cuts[table->parts - 1] >= size)
        table->parts--;
    table->cuts[table->parts] = size;
}
