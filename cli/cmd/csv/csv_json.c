/* csv_json.c - lines of results, or rows, as an array of JSON objects (see csv_command.h). */
#include "cli/cmd/csv/csv_command.h"

#include "cli/csv/csv_scan.h"

#include <stdlib.h>

static bool no_memory(const csv_json *j)
{
    return cli_fail("%s: not enough memory for a line of results", j->e->command->name);
}

/* Copies the line with the bytes that the reader looks at behind it. */
static bool copy_line(key_bytes *to, const char *line, size_t length)
{
    char newlines[CSV_BLOCK];

    memset(newlines, '\n', sizeof newlines);
    to->used = 0;
    return csv_append_bytes(to, line, length) && csv_append_bytes(to, newlines, sizeof newlines);
}

/* Finds the first n fields of a copied line. Returns how many it has. */
static size_t find_fields(const csv_json *j, const key_bytes *copy, csv_span *fields)
{
    csv_reader        reader;
    const char *const line = (const char *)copy->data;

    csv_start(&reader, &j->dialect, line, line + copy->used - CSV_BLOCK, j->wanted, j->n, fields);
    (void)csv_next(&reader);
    return reader.fields;
}

bool csv_json_begin(csv_json *j, execution *e, const csv_table *table, const key_bytes *names)
{
    *j = (csv_json){.e = e, .dialect = table->dialect, .texts = SIZE_MAX};
    if (!copy_line(&j->header, (const char *)names->data, names->used))
        return no_memory(j);
    const size_t n = find_fields(j, &j->header, NULL);
    j->names = cli_alloc(n, sizeof *j->names, "the names of results");
    j->fields = cli_alloc(n, sizeof *j->fields, "the names of results");
    j->wanted = cli_alloc(n, sizeof *j->wanted, "the names of results");
    j->is_number = cli_alloc(n, sizeof *j->is_number, "the names of results");
    if (j->names == NULL || j->fields == NULL || j->wanted == NULL || j->is_number == NULL)
        return false;
    j->n = n;
    memset(j->is_number, 0, n * sizeof *j->is_number);
    for (size_t i = 0; i < n; i++)
        j->wanted[i] = i;
    (void)find_fields(j, &j->header, j->names);
    return json_begin(&j->results, &e->out, true);
}

/* The value without quotes: a part of the copied line, or of j->text. */
static bool put_name(csv_json *j, csv_span name)
{
    const csv_span text = csv_unquote(name, j->dialect.quotes, &j->text);

    return text.begin != NULL ? json_name(&j->results, text.begin, (size_t)(text.end - text.begin))
                              : no_memory(j);
}

static bool put_value(csv_json *j, csv_span value, bool number)
{
    csv_span text = csv_unquote(value, j->dialect.quotes, &j->text);

    if (text.begin == NULL)
        return no_memory(j);
    if (!number)
        return json_text(&j->results, text.begin, (size_t)(text.end - text.begin));
    text = csv_trim(text);
    return json_digits(&j->results, text.begin, (size_t)(text.end - text.begin));
}

bool csv_json_row(csv_json *j, const char *row, size_t length)
{
    bool ok = copy_line(&j->line, row, length) || no_memory(j);

    if (ok)
        find_fields(j, &j->line, j->fields);
    ok = ok && json_object(&j->results);
    for (size_t i = 0; ok && i < j->n; i++) {
        if (j->fields[i].begin != NULL) /* a bad row may have fewer fields */
            ok = put_name(j, j->names[i]) &&
                 put_value(j, j->fields[i], i >= j->texts || j->is_number[i]);
    }
    return ok && json_object_end(&j->results);
}

void csv_json_free(csv_json *j)
{
    free(j->names);
    free(j->fields);
    free(j->wanted);
    free(j->is_number);
    free(j->text.data);
    key_bytes_free(&j->header);
    key_bytes_free(&j->line);
}
