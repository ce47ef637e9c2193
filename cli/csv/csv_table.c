/* csv_table.c - reads CSV files into one block of rows (see csv_table.h). */
#include "cli/csv/csv_table.h"

#include "cli/csv/csv_scan.h"
#include "cli/io/source.h"
#include "cli/io/text/text_lines.h"

#include <stdlib.h>

enum {
    PART_BYTES = 1 << 18 /* estimate: a thread costs less than this many bytes */
};

static const char byte_order_mark[] = "\xEF\xBB\xBF";

static bool no_memory(const char *name)
{
    return cli_fail("%s: not enough memory to read it", name);
}

static size_t mark_length(const char *bytes, size_t size)
{
    const size_t length = sizeof byte_order_mark - 1;
    return size >= length && memcmp(bytes, byte_order_mark, length) == 0 ? length : 0;
}

size_t csv_count_lines(const char *p, const char *end)
{
    return lines_count_ends(p, (size_t)(end - p), '\n');
}

const char *csv_place(const csv_table *table, const char *byte, size_t *line)
{
    const csv_file *file = &table->files[0];

    for (size_t i = 1; i < table->file_count; i++)
        if ((size_t)(byte - table->bytes) >= table->files[i].begin)
            file = &table->files[i];
    *line = file->lines + 1 + csv_count_lines(table->bytes + file->begin, byte);
    return file->name;
}

const char *csv_value_shown(const csv_table *table, const char *value, char *out, size_t capacity)
{
    bool   inside = false;
    size_t length = 0;

    for (; length < capacity && value[length] != '\n' && value[length] != '\r'; length++) {
        if (value[length] == '"' && (length == 0 || inside))
            inside = !inside && table->dialect.quotes;
        else if (value[length] == table->dialect.separator && !inside)
            break;
    }
    return cli_printable(value, length, out, capacity);
}

void csv_table_free(csv_table *table)
{
    free(table->bytes);
    free(table->names);
    free(table->name_bytes);
    free(table->files);
    *table = (csv_table){.bytes = NULL};
}

/* Makes room for `size` bytes, a line end and the newlines after the table. */
static bool reserve(csv_table *table, size_t size, size_t *capacity)
{
    if (*capacity >= size + 2 + CSV_BLOCK)
        return true;
    char *const larger = realloc(table->bytes, size + 2 + CSV_BLOCK);
    if (larger == NULL)
        return no_memory(table->files[table->file_count - 1].name);
    table->bytes = larger;
    *capacity = size + 2 + CSV_BLOCK;
    return true;
}

/* Gives the last row a line end, that of the first row, and adds the newlines that readers need. */
static bool finish_bytes(csv_table *table, size_t *capacity)
{
    const char *const first = table->size > 0 ? memchr(table->bytes, '\n', table->size) : NULL;
    const bool        crlf = first != NULL && first > table->bytes && first[-1] == '\r';

    if (!reserve(table, table->size, capacity))
        return false;
    if (table->size > 0 && table->bytes[table->size - 1] != '\n') {
        if (crlf && table->bytes[table->size - 1] != '\r')
            table->bytes[table->size++] = '\r';
        table->bytes[table->size++] = '\n';
    }
    memset(table->bytes + table->size, '\n', CSV_BLOCK);
    return true;
}

/* Takes the names of the columns from the header, or counts the columns of the first row. */
static bool read_header(csv_table *table)
{
    const char *const begin = table->bytes + mark_length(table->bytes, table->size);
    csv_reader        reader;

    csv_start(&reader, &table->dialect, begin, table->bytes + table->size, NULL, 0, NULL);
    table->body = (size_t)(begin - table->bytes);
    if (!csv_next(&reader))
        return reader.unclosed == NULL ||
               cli_fail("%s: line 1: a quote opens a field here and is never closed",
                        table->files[0].name);
    table->columns = reader.fields;
    if (!table->dialect.header)
        return true;
    table->body = (size_t)(reader.next - table->bytes);
    size_t *const   wanted = malloc(table->columns * sizeof *wanted);
    csv_span *const values = malloc(table->columns * sizeof *values);
    char           *to = table->name_bytes = malloc((size_t)(reader.next - begin) + 1);
    table->names = values;
    if (wanted == NULL || values == NULL || to == NULL) {
        free(wanted);
        return no_memory(table->files[0].name);
    }
    for (size_t i = 0; i < table->columns; i++)
        wanted[i] = i;
    csv_start(&reader, &table->dialect, begin, table->bytes + table->size, wanted, table->columns,
              values);
    (void)csv_next(&reader);
    csv_text text = {.data = NULL};
    bool     ok = true;
    for (size_t i = 0; i < table->columns; i++) {
        const csv_span name = csv_unquote(values[i], table->dialect.quotes, &text);
        const size_t   length = (size_t)(name.end - name.begin);
        ok = ok && name.begin != NULL;
        if (ok && length > 0)
            memcpy(to, name.begin, length);
        values[i] = (csv_span){to, to + length};
        to += ok ? length : 0;
    }
    free(text.data);
    free(wanted);
    return ok || no_memory(table->files[0].name);
}

size_t csv_header_bytes(const csv_table *table, const char *name, const char *text, size_t length)
{
    const size_t      mark = mark_length(text, length);
    const char *const first = table->bytes + mark_length(table->bytes, table->size);
    size_t            header = (size_t)(table->bytes + table->body - first);

    if (!table->dialect.header || table->columns == 0 || length == 0)
        return mark;
    while (header > 0 && (first[header - 1] == '\n' || first[header - 1] == '\r'))
        header--;
    size_t after = mark + header;
    bool   same = after <= length && (header == 0 || memcmp(text + mark, first, header) == 0);
    if (same && after < length) {
        after += text[after] == '\r';
        same = after < length && text[after] == '\n';
        after++;
    }
    if (same)
        return after;
    cli_error("%s: line 1: the header is not that of %s", name, table->files[0].name);
    return SIZE_MAX;
}

static bool append_file(csv_table *table, const char *name, char *block, size_t size,
                        size_t *capacity)
{
    csv_file *const files = realloc(table->files, (table->file_count + 1) * sizeof *files);

    if (files == NULL) {
        free(block);
        return no_memory(name);
    }
    table->files = files;
    files[table->file_count++] = (csv_file){.name = name, .begin = table->size};
    if (table->file_count == 1) {
        table->bytes = block;
        table->size = *capacity = size;
        if (!finish_bytes(table, capacity) || !read_header(table))
            return false;
        csv_drop_blank_end(table);
        return true;
    }
    const size_t skipped = csv_header_bytes(table, name, block, size);
    const bool   ok = skipped != SIZE_MAX && reserve(table, table->size + size - skipped, capacity);
    if (ok) {
        files[table->file_count - 1].lines = csv_count_lines(block, block + skipped);
        memcpy(table->bytes + table->size, block + skipped, size - skipped);
        table->size += size - skipped;
    }
    free(block);
    if (!ok || !finish_bytes(table, capacity) || (table->columns == 0 && !read_header(table)))
        return false;
    csv_drop_blank_end(table);
    return true;
}

void csv_drop_blank_end(csv_table *table)
{
    const char *const bytes = table->bytes;

    while (table->columns > 1 && table->size > table->body && bytes[table->size - 1] == '\n') {
        const size_t blank =
            table->size >= table->body + 2 && bytes[table->size - 2] == '\r' ? 2 : 1;
        if (table->size > blank && bytes[table->size - blank - 1] != '\n')
            break;
        table->size -= blank;
    }
}

bool csv_table_from(const csv_dialect *dialect, const char *name, char *block, size_t size,
                    size_t parts, csv_table *out)
{
    size_t capacity = 0;

    *out = (csv_table){.dialect = *dialect};
    if (append_file(out, name, block, size, &capacity) && csv_cut(out, parts))
        return true;
    csv_table_free(out);
    return false;
}

size_t csv_part_count(size_t size, unsigned threads)
{
    return size / PART_BYTES < threads ? size / PART_BYTES : threads;
}

bool csv_table_read(const csv_dialect *dialect, const char *const *paths, size_t n,
                    unsigned threads, csv_table *out)
{
    size_t capacity = 0;
    bool   ok = true;

    *out = (csv_table){.dialect = *dialect};
    progress_start("reading");
    for (size_t i = 0; ok && i < n; i++) {
        source s;
        ok = source_open(&s, paths[i]);
        char *const block = ok ? source_take(&s) : NULL;
        ok = block != NULL && append_file(out, s.name, block, s.end, &capacity);
        source_close(&s);
    }
    progress_end();
    if (ok && csv_cut(out, csv_part_count(out->size, threads)))
        return true;
    csv_table_free(out);
    return false;
}
