/* csv_keys.c - reads --key and --column and finds their columns (see csv_keys.h). */
#include "cli/csv/csv_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE_ROWS = 1000, /* that a guess of a type reads */
    SHOWN_NAMES = 8     /* columns that a message lists */
};

const char *csv_column_shown(const csv_table *table, size_t column)
{
    static char text[160];
    char        name[100] = "";

    if (table->names == NULL) {
        snprintf(text, sizeof text, "column %zu", column + 1);
        return text;
    }
    const csv_span span = table->names[column];
    cli_printable(span.begin, (size_t)(span.end - span.begin), name, sizeof name);
    snprintf(text, sizeof text, "column %zu '%s'", column + 1, name);
    return text;
}

const char *csv_names_shown(const csv_table *table, char *out, size_t capacity)
{
    char   name[40];
    size_t used = 0;

    if (table->names == NULL) {
        snprintf(out, capacity, "1 to %zu", table->columns);
        return out;
    }
    out[0] = '\0';
    for (size_t i = 0; i < table->columns; i++) {
        const csv_span span = table->names[i];
        cli_printable(span.begin, (size_t)(span.end - span.begin), name, sizeof name);
        if (i == SHOWN_NAMES || used + strlen(name) + 8 > capacity) {
            snprintf(out + used, capacity - used, ", ...");
            break;
        }
        used += (size_t)snprintf(out + used, capacity - used, "%s%s", i > 0 ? ", " : "", name);
    }
    return out;
}

const char *csv_separator_hint(const csv_table *table)
{
    static const char candidates[] = "\t;,|";
    static char       hint[40];

    if (table->columns != 1)
        return "";
    const char *const end = memchr(table->bytes, '\n', table->size);
    const size_t      length = end != NULL ? (size_t)(end - table->bytes) : table->size;
    for (const char *c = candidates; *c != '\0'; c++)
        if (*c != table->dialect.separator && memchr(table->bytes, *c, length) != NULL) {
            snprintf(hint, sizeof hint, "; give -t '%c'", *c);
            return *c == '\t' ? "; give --tsv" : hint;
        }
    return "";
}

static bool no_column(const csv_table *table, const char *command, const char *option,
                      const char *shown)
{
    char list[400];

    return cli_fail("%s: %s: %s has no column '%s'; its columns are: %s%s%s%s%s", command, option,
                    table->files[0].name, shown, csv_names_shown(table, list, sizeof list),
                    csv_separator_hint(table),
                    strchr(shown, ',') != NULL ? "; for several columns give " : "",
                    strchr(shown, ',') != NULL ? option : "",
                    strchr(shown, ',') != NULL ? " several times" : "");
}

bool csv_column_find(const csv_table *table, const char *command, const char *option,
                     const char *text, size_t length, size_t *column)
{
    char   shown[100];
    size_t found = 0;

    cli_printable(text, length, shown, sizeof shown);
    for (size_t i = 0; table->names != NULL && i < table->columns; i++) {
        const csv_span name = table->names[i];
        if ((size_t)(name.end - name.begin) != length || memcmp(name.begin, text, length) != 0)
            continue;
        if (found > 0)
            return cli_fail("%s: %s: columns %zu and %zu are both called '%s'; give the number",
                            command, option, found, i + 1, shown);
        found = i + 1;
    }
    if (found == 0) {
        size_t number = 0;
        for (size_t i = 0; i < length; i++) {
            if (text[i] < '0' || text[i] > '9' || number > table->columns)
                return no_column(table, command, option, shown);
            number = number * 10 + (size_t)(text[i] - '0');
        }
        if (number == 0 || number > table->columns)
            return no_column(table, command, option, shown);
        found = number;
    }
    *column = found - 1;
    return true;
}

typedef struct csv_sample { /* of the first values of a column */
    size_t      numbers, others;
    const char *other; /* the first value that is no number */
} csv_sample;

/* Looks at the first rows once, for all columns that are wanted (ascending); `values` has room for
 * a value of each. */
static void sample_columns(const csv_table *table, const size_t *wanted, size_t count,
                           csv_span *values, csv_sample *samples)
{
    csv_reader reader;
    csv_text   text = {.data = NULL};

    csv_start(&reader, &table->dialect, table->bytes + table->body, table->bytes + table->size,
              wanted, count, values);
    for (size_t row = 0; row < SAMPLE_ROWS && csv_next(&reader); row++)
        for (size_t i = 0; i < count && values[i].begin != NULL; i++) {
            const csv_span plain = csv_unquote(values[i], table->dialect.quotes, &text);
            if (plain.begin == NULL)
                continue;
            const csv_class class = csv_read_number(plain).class;
            samples[i].numbers += class != CSV_OTHER && class != CSV_EMPTY;
            if (class == CSV_OTHER && samples[i].others++ == 0)
                samples[i].other = values[i].begin;
        }
    free(text.data);
}

static bool is_number(const csv_table *table, size_t column, const csv_sample *sample,
                      const char *otherwise)
{
    if (otherwise != NULL && sample->others > 0 && sample->numbers > sample->others) {
        size_t            line;
        const char *const name = csv_place(table, sample->other, &line);
        cli_error("%s: %s %s: most of its first values are numbers, but not that in line %zu", name,
                  csv_column_shown(table, column), otherwise, line);
    }
    return sample->others == 0 && sample->numbers > 0;
}

bool csv_number_columns(const csv_table *table, const char *otherwise, size_t *columns, size_t *n)
{
    const size_t      count = table->columns;
    csv_span *const   values = cli_alloc(count, sizeof *values, "the columns");
    csv_sample *const samples = cli_alloc(count, sizeof *samples, "the columns");
    const bool        ok = values != NULL && samples != NULL;

    *n = 0;
    for (size_t i = 0; ok && i < count; i++) {
        columns[i] = i;
        samples[i] = (csv_sample){.numbers = 0};
    }
    if (ok)
        sample_columns(table, columns, count, values, samples);
    for (size_t i = 0; ok && i < count; i++)
        if (is_number(table, i, &samples[i], otherwise))
            columns[(*n)++] = i;
    free(values);
    free(samples);
    return ok;
}

/* The same for one column. */
static bool column_is_number(const csv_table *table, size_t column, const char *otherwise)
{
    csv_sample sample = {.numbers = 0};
    csv_span   value;

    sample_columns(table, &column, 1, &value, &sample);
    return is_number(table, column, &sample, otherwise);
}

typedef struct suffix {
    const char *text;
    csv_type    type;
    bool        descending, ascending;
} suffix;

static const suffix suffixes[] = {
    {.text = "number", .type = CSV_NUMBER},   {.text = "num", .type = CSV_NUMBER},
    {.text = "text", .type = CSV_TEXT},       {.text = "date", .type = CSV_DATE},
    {.text = "natural", .type = CSV_NATURAL}, {.text = "desc", .descending = true},
    {.text = "asc", .ascending = true}};

/* Takes the suffix ":TYPE" or ":desc" from text[0..*length), if there is one that is known. */
static const suffix *take_suffix(const char *text, size_t *length)
{
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        const size_t size = strlen(suffixes[i].text);
        if (*length > size + 1 && text[*length - size - 1] == ':' &&
            memcmp(text + *length - size, suffixes[i].text, size) == 0) {
            *length -= size + 1;
            return &suffixes[i];
        }
    }
    return NULL;
}

/* The text up to its suffixes is the name of a column: a whole text that is a name wins. */
static bool find_key(const csv_table *table, const csv_request *request, const char *text,
                     csv_key *key)
{
    const char *const command = request->command, *const option = request->option;
    size_t        length = strlen(text);
    const suffix *s;

    *key = (csv_key){.type = CSV_GUESS};
    while ((s = take_suffix(text, &length)) != NULL) {
        if ((s->type != CSV_GUESS && key->type != CSV_GUESS) ||
            ((s->descending || s->ascending) && key->directed))
            return cli_fail("%s: %s: '%s' gives a type or a direction twice", command, option,
                            cli_quoted(text));
        key->type = s->type != CSV_GUESS ? s->type : key->type;
        key->descending |= s->descending;
        key->directed |= s->descending || s->ascending;
    }
    if (!key->directed)
        key->descending = request->largest;
    const char *const colon = memchr(text, ':', length);
    if (!csv_column_find(table, command, option, text, length, &key->column)) {
        if (colon != NULL)
            cli_error("%s: %s: what may follow a name is :number, :text, :date, :natural, :asc and "
                      ":desc",
                      command, option);
        return false;
    }
    key->guessed = key->type == CSV_GUESS;
    if (key->guessed)
        key->type =
            column_is_number(table, key->column,
                             request->groups ? NULL : "is compared as text (give :number or :text)")
                ? CSV_NUMBER
                : CSV_TEXT;
    key->descending ^= request->reverse;
    return true;
}

/* The columns of all keys in ascending order, and where each key finds its value. */
static void find_slots(csv_keys *keys)
{
    keys->wanted_count = 0;
    for (size_t i = 0; i < keys->n; i++) {
        const size_t column = keys->keys[i].column;
        size_t       at = 0;
        while (at < keys->wanted_count && keys->wanted[at] < column)
            at++;
        if (at < keys->wanted_count && keys->wanted[at] == column)
            continue;
        memmove(&keys->wanted[at + 1], &keys->wanted[at],
                (keys->wanted_count - at) * sizeof keys->wanted[0]);
        keys->wanted[at] = column;
        keys->wanted_count++;
    }
    for (size_t i = 0; i < keys->n; i++) {
        keys->slot[i] = 0;
        while (keys->wanted[keys->slot[i]] != keys->keys[i].column)
            keys->slot[i]++;
    }
}

bool csv_keys_find(const csv_table *table, const csv_request *request, csv_keys *out)
{
    *out = (csv_keys){.bad = request->bad};
    for (size_t i = 0; i < request->n; i++) {
        csv_key key;
        if (!find_key(table, request, request->texts[i], &key))
            return false;
        const size_t more = request->groups && key.type == CSV_NUMBER ? 2 : 1;
        if (out->n + more > CSV_MOST_KEYS)
            return cli_fail("%s: %s: there are %zu keys, which is too many", request->command,
                            request->option, request->n);
        out->keys[out->n++] = key;
        key.type = CSV_TEXT;
        if (more == 2)
            out->keys[out->n++] = key;
    }
    find_slots(out);
    return true;
}
