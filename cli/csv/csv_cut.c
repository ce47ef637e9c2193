/* csv_cut.c - divides a table into parts at the beginnings of rows (see csv_table.h).
 *
 * A candidate is the byte after a newline. It begins a row, or it lies inside a quoted field. Each
 * thread reads the bytes from its candidate to the next one under both assumptions; only quotes are
 * visited, and bytes without a quote keep the assumption. One pass over the results then says which
 * assumption holds, and where the first row of each part begins. */
#include "cli/csv/csv_table.h"

#include "cli/base/workers.h"

#include <string.h>

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
