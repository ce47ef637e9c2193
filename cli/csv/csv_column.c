/* csv_column.c - reads columns of numbers with several threads (see csv_rows.h).
 *
 * A pass reads every column as the type that it has so far: i64 at first. A column with a value
 * that its type cannot hold is read again, in the next pass, as u64 or f64. The first rows choose
 * the types of the first full pass. */
#include "cli/csv/csv_rows.h"

#include "cli/base/workers.h"
#include "cli/csv/csv_keys.h"
#include "cli/io/number/number.h"

#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE_ROWS = 1000
};

typedef struct cell_column { /* of a part */
    ordo_type type;
    ordo_type wider; /* the type that a value needs; 0: all fit */
    bool      done;  /* read in an earlier pass                 */
    size_t    n, capacity, empty, skipped;
    uint64_t *values, *rows;
} cell_column;

typedef struct part {
    const csv_table *table;
    const size_t    *wanted; /* ascending, each once */
    size_t           count, index, limit;
    csv_span        *values;
    cell_column     *cells; /* of each wanted column */
    size_t           rows, skipped_rows;
    const char      *bad_row, *bad_value; /* the first; NULL: none */
    size_t           bad_column, bad_fields;
    csv_text         text;
    number_result    why;
    bool             skip_bad, with_rows, no_memory;
} part;

static bool grow(uint64_t **array, size_t capacity)
{
    uint64_t *const larger = realloc(*array, capacity * sizeof *larger);

    if (larger == NULL)
        return false;
    *array = larger;
    return true;
}

static bool add_cell(part *p, cell_column *cell, uint64_t value)
{
    if (cell->n == cell->capacity) {
        const size_t capacity = 2 * cell->capacity + 16; /* there may be many columns */
        p->no_memory =
            !grow(&cell->values, capacity) || (p->with_rows && !grow(&cell->rows, capacity));
        if (p->no_memory)
            return false;
        cell->capacity = capacity;
    }
    if (p->with_rows)
        cell->rows[cell->n] = p->rows;
    cell->values[cell->n++] = value;
    return true;
}

/* The type to try next if `type` does not hold a value. */
static ordo_type type_after(ordo_type type, number_result result)
{
    return type == ORDO_I64 && result == NUMBER_RANGE ? ORDO_U64 : ORDO_F64;
}

/* False if the value is bad. */
static bool read_cell(part *p, cell_column *cell, csv_span value)
{
    uint64_t number = 0;

    value = csv_trim(csv_unquote(value, p->table->dialect.quotes, &p->text));
    if (value.begin == value.end) {
        p->no_memory |= value.begin == NULL;
        cell->empty++;
        return true;
    }
    const number_result result = number_parse(cell->type, value.begin, value.end, &number);
    p->why = result;
    if (result == NUMBER_OK)
        return add_cell(p, cell, number);
    if (cell->type == ORDO_F64)
        return false;
    if (result == NUMBER_BAD) {
        double              real;
        const number_result as_real = number_parse(ORDO_F64, value.begin, value.end, &real);
        p->why = as_real;
        if (as_real == NUMBER_BAD)
            return false;
    }
    cell->wider = type_after(cell->type, result);
    return true;
}

static void read_row(part *p, const csv_reader *reader)
{
    for (size_t k = 0; k < p->count; k++) {
        cell_column *const cell = &p->cells[k];
        if (cell->done || cell->wider != 0 || read_cell(p, cell, p->values[k]) || p->no_memory)
            continue;
        cell->skipped++;
        if (p->bad_row == NULL) {
            p->bad_row = reader->row;
            p->bad_value = p->values[k].begin;
            p->bad_column = p->wanted[k];
        }
        if (!p->skip_bad)
            return;
    }
}

static void read_part(void *argument)
{
    part *const p = argument;
    csv_reader  reader;

    csv_start_part(&reader, p->table, p->index, p->wanted, p->count, p->values);
    for (; p->rows < p->limit && !p->no_memory && csv_next(&reader); p->rows++) {
        if (reader.fields == p->table->columns) {
            read_row(p, &reader);
        } else {
            p->skipped_rows++;
            if (p->bad_row == NULL) {
                p->bad_row = reader.row;
                p->bad_fields = reader.fields;
            }
        }
        if (p->bad_row != NULL && !p->skip_bad)
            return;
    }
}

static bool complain(const part *p)
{
    const csv_table *const table = p->table;
    const char *const      at = p->bad_value != NULL ? p->bad_value : p->bad_row;
    size_t                 line;
    char                   shown[64];
    const char *const      name = csv_place(table, at, &line);

    if (p->bad_value == NULL)
        return cli_fail("%s: line %zu: the row has %zu field%s; expected %zu, as in the first "
                        "row%s; --bad skip leaves such rows out",
                        name, line, p->bad_fields, p->bad_fields == 1 ? "" : "s", table->columns,
                        csv_separator_hint(table));
    return cli_fail("%s: line %zu, %s: '%s' %s; --bad skip leaves such values out", name, line,
                    csv_column_shown(table, p->bad_column),
                    csv_value_shown(table, at, shown, sizeof shown),
                    p->why == NUMBER_INEXACT
                        ? "is an integer that f64 cannot hold, beside numbers that are no integers"
                    : p->why == NUMBER_RANGE ? "is beyond the range of f64"
                                             : "is not a number");
}

/* False after a message. */
static bool check_parts(const part *parts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (parts[i].no_memory)
            return cli_fail("%s: not enough memory for its columns", parts[i].table->files[0].name);
        if (parts[i].bad_row != NULL && !parts[i].skip_bad)
            return complain(&parts[i]);
    }
    return true;
}

/* ---- Passes ---- */

static void drop_cells(cell_column *cell)
{
    free(cell->values);
    free(cell->rows);
    *cell = (cell_column){.type = cell->type};
}

static void free_parts(part *parts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; parts[i].cells != NULL && k < parts[i].count; k++)
            drop_cells(&parts[i].cells[k]);
        free(parts[i].cells);
        free(parts[i].values);
        free(parts[i].text.data);
    }
}

/* Gives columns that need it a wider type and says whether there are any. In a last pass (`all`),
 * the other ones are done. */
static bool widen(part *parts, size_t n, bool all)
{
    bool any = false;

    for (size_t k = 0; k < parts[0].count; k++) {
        ordo_type type = parts[0].cells[k].type;
        for (size_t i = 0; i < n; i++)
            if (parts[i].cells[k].wider > type)
                type = parts[i].cells[k].wider;
        const bool wider = type != parts[0].cells[k].type;
        any |= wider;
        for (size_t i = 0; i < n; i++) {
            cell_column *const cell = &parts[i].cells[k];
            cell->type = type;
            cell->done = all && !wider;
            if (!cell->done)
                drop_cells(cell);
        }
    }
    return any;
}

static void run_pass(part *parts, size_t n, size_t limit)
{
    for (size_t i = 0; i < n; i++) {
        parts[i].limit = limit;
        parts[i].rows = parts[i].skipped_rows = 0;
        parts[i].bad_row = parts[i].bad_value = NULL;
    }
    workers_each(parts, n, sizeof parts[0], read_part);
}

/* The cells of column `from` of all parts as one array. */
static bool join_column(const part *parts, size_t n, size_t from, bool with_rows, csv_column *out)
{
    uint64_t *values, *rows = NULL;
    size_t    first_row = 0, used = 0;

    out->type = parts[0].cells[from].type;
    out->n = 0;
    for (size_t i = 0; i < n; i++)
        out->n += parts[i].cells[from].n;
    out->values = values = cli_alloc(out->n, sizeof *values, "a column");
    if (with_rows)
        out->rows = rows = cli_alloc(out->n, sizeof *rows, "the rows of a column");
    if (values == NULL || (with_rows && rows == NULL))
        return false;
    for (size_t i = 0; i < n; i++) {
        const cell_column *const cell = &parts[i].cells[from];
        if (cell->n > 0)
            memcpy(values + used, cell->values, cell->n * sizeof *values);
        for (size_t j = 0; rows != NULL && j < cell->n; j++)
            rows[used + j] = first_row + cell->rows[j];
        used += cell->n;
        first_row += parts[i].rows;
        out->empty += cell->empty;
        out->skipped += cell->skipped;
    }
    return true;
}

static int compare_sizes(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Which of the wanted columns a column is. */
static size_t slot_of(const part *p, size_t column)
{
    const size_t *const found =
        bsearch(&column, p->wanted, p->count, sizeof *p->wanted, compare_sizes);
    return (size_t)(found - p->wanted);
}

static bool join(const part *parts, size_t n, const size_t *columns, size_t count, csv_columns *out)
{
    bool ok = (out->columns = calloc(count > 0 ? count : 1, sizeof *out->columns)) != NULL;

    out->n = ok ? count : 0;
    for (size_t i = 0; i < n; i++) {
        out->rows += parts[i].rows;
        out->skipped_rows += parts[i].skipped_rows;
    }
    for (size_t c = 0; ok && c < count; c++) {
        out->columns[c].column = columns[c];
        ok = join_column(parts, n, slot_of(&parts[0], columns[c]), parts[0].with_rows,
                         &out->columns[c]);
    }
    return ok;
}

/* The columns in ascending order, each once; returns how many there are. */
static size_t sort_columns(const size_t *columns, size_t n, size_t *wanted)
{
    size_t count = 0;

    if (n > 0)
        memcpy(wanted, columns, n * sizeof *wanted);
    qsort(wanted, n, sizeof *wanted, compare_sizes);
    for (size_t i = 0; i < n; i++)
        if (count == 0 || wanted[i] != wanted[count - 1])
            wanted[count++] = wanted[i];
    return count;
}

static bool start_parts(part *parts, const part *like, size_t n)
{
    bool ok = true;

    for (size_t i = 0; i < n; i++) {
        parts[i] = *like;
        parts[i].index = i;
        parts[i].values = malloc((like->count + 1) * sizeof *parts[i].values);
        parts[i].cells = calloc(like->count + 1, sizeof *parts[i].cells);
        ok = ok && parts[i].values != NULL && parts[i].cells != NULL;
        for (size_t k = 0; parts[i].cells != NULL && k < like->count; k++)
            parts[i].cells[k].type = ORDO_I64;
    }
    return ok || cli_fail("not enough memory for the columns");
}

/* Gives the columns of the first part the types to begin with. */
static void set_types(part *p, const size_t *columns, const ordo_type *types, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p->cells[slot_of(p, columns[i])].type = types[i];
}

bool csv_columns_read(const csv_table *table, const size_t *columns, size_t n,
                      const ordo_type *types, bool skip_bad, bool with_rows, csv_columns *out)
{
    part          parts[CSV_MOST_PARTS];
    size_t *const wanted = malloc((n + 1) * sizeof *wanted);
    const size_t  count = wanted != NULL ? sort_columns(columns, n, wanted) : 0;
    const part    like = {.table = table,
                          .wanted = wanted,
                          .count = count,
                          .skip_bad = skip_bad,
                          .with_rows = with_rows};

    *out = (csv_columns){.n = 0};
    if (wanted == NULL)
        return cli_fail("not enough memory for the columns");
    bool ok = start_parts(parts, &like, table->parts);
    if (ok && types != NULL && table->parts > 0)
        set_types(&parts[0], columns, types, n);
    if (ok) {
        do
            run_pass(parts, 1, SAMPLE_ROWS);
        while (widen(parts, 1, false));
        for (size_t i = 1; i < table->parts; i++)
            for (size_t k = 0; k < count; k++)
                parts[i].cells[k].type = parts[0].cells[k].type;
    }
    do {
        if (ok)
            run_pass(parts, table->parts, SIZE_MAX);
        ok = ok && check_parts(parts, table->parts);
    } while (ok && widen(parts, table->parts, true));
    ok = ok && join(parts, table->parts, columns, n, out);
    free_parts(parts, table->parts);
    free(wanted);
    if (!ok)
        csv_columns_free(out);
    return ok;
}

void csv_columns_free(csv_columns *columns)
{
    for (size_t i = 0; i < columns->n; i++) {
        free(columns->columns[i].values);
        free(columns->columns[i].rows);
    }
    free(columns->columns);
    *columns = (csv_columns){.n = 0};
}
