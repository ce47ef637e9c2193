/* csv_reader.c - rows and fields of CSV, one row after another (see csv_table.h).
 *
 * Only separators, newlines and quotes are visited: csv_mask() finds them in blocks of 64 bytes.
 * One pass gives the fields that are wanted and counts all of them. */
#include "cli/csv/csv_table.h"

#include "cli/csv/csv_scan.h"

#include <stdlib.h>

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
