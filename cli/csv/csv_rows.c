/* csv_rows.c - reads the keys of all rows with several threads (see csv_rows.h).
 *
 * One pass over the bytes finds the rows, counts their fields and encodes their keys. It starts
 * with the narrowest form of each key that a sample suggests: numbers as decimal integers of a
 * fixed number of places, then f64; text by its number in a list. If a value does not fit, the pass
 * is repeated with a wider form. */
#include "cli/csv/csv_rows.h"

#include "cli/base/workers.h"
#include "cli/csv/csv_keys.h"

#include <stdlib.h>
#include <string.h>

typedef struct csv_fault { /* the first bad value of a part */
    const char *row, *value;
    size_t      column, fields; /* fields: of a row with too many or too few; otherwise 0 */
    csv_class class;
    bool blank;
} csv_fault;

enum {
    SAMPLE_ROWS = 1000 /* that suggest the first forms */
};

typedef struct part { /* of the table, and its rows */
    const csv_table *table;
    const csv_keys  *keys;
    const csv_form  *forms;
    size_t           index, limit; /* of rows                               */
    bool             as_bytes, no_memory;
    bool             stop; /* a value needs bytes: the pass is repeated             */
    csv_form         needs[CSV_MOST_KEYS]; /* the widest forms that its values need */
    uint64_t         most[CSV_MOST_KEYS];  /* the largest word of a value           */
    bool             special[CSV_MOST_KEYS];
    csv_fault        fault;
    size_t           n, capacity, bad;
    uint64_t        *records; /* each row: offset and bad flag, then the words of its keys, or the
                               * offset of its key bytes                                       */
    csv_list         lists[CSV_MOST_KEYS];
    uint64_t        *orders[CSV_MOST_KEYS]; /* numbers of these values in order */
    key_bytes        bytes;
    csv_text         text;
    csv_rows        *out;
    size_t           first; /* row, and key byte */
    uint64_t         first_byte;
} part;

static const uint64_t BAD_ROW = UINT64_C(1) << 63;

static size_t record_words(const part *p) { return 1 + (p->as_bytes ? 1 : p->keys->n); }

static uint64_t *new_record(part *p)
{
    const size_t words = record_words(p);

    if (p->n == p->capacity) {
        const size_t    capacity = 2 * p->capacity + 4096;
        uint64_t *const larger = realloc(p->records, capacity * words * sizeof *larger);
        if (larger == NULL) {
            p->no_memory = true;
            return NULL;
        }
        p->records = larger;
        p->capacity = capacity;
    }
    return p->records + p->n++ * words;
}

static void set_fault(part *p, const csv_reader *reader, size_t key, csv_span value,
                      csv_class class)
{
    p->fault.row = reader->row;
    p->fault.value = value.begin;
    p->fault.column = p->keys->keys[key].column;
    p->fault.class = class;
}

/* The value of key i, without quotes. */
static csv_span value_of(part *p, const csv_reader *reader, size_t i)
{
    const csv_span    value = reader->values[p->keys->slot[i]];
    static const char nothing[] = "";

    if (value.begin == NULL)
        return (csv_span){nothing, nothing};
    const csv_span plain = csv_unquote(value, p->table->dialect.quotes, &p->text);
    p->no_memory |= plain.begin == NULL;
    return plain;
}

/* Notes that key i needs a wider form. A pass that needs bytes is repeated at once. */
static void need_form(part *p, size_t i, csv_form form)
{
    p->needs[i] = csv_form_wider(p->needs[i], form);
    p->stop |= form.kind == FORM_BYTES;
}

/* The number of a value in the list of its column. */
static uint64_t listed_word(part *p, size_t i, csv_span value)
{
    uint64_t        number = 0;
    const csv_found found = csv_list_find(&p->lists[i], value, &number);

    p->no_memory |= found == CSV_LIST_NO_MEMORY;
    if (found == CSV_LIST_FULL)
        need_form(p, i, (csv_form){.kind = FORM_BYTES});
    return number;
}

/* The word of key i. False if the value is bad. */
static bool encode_word(part *p, const csv_reader *reader, size_t i, csv_span value, uint64_t *word)
{
    csv_class class = CSV_VALUE;
    csv_form form = p->forms[i];

    if (form.kind == FORM_LISTED) {
        *word = listed_word(p, i, value);
        return true;
    }
    if (csv_word(&p->keys->keys[i], &form, value, word, &class)) {
        p->special[i] |= class != CSV_VALUE;
        if (class == CSV_VALUE && *word > p->most[i])
            p->most[i] = *word;
        return true;
    }
    *word = 0;
    if (class == CSV_VALUE) {
        need_form(p, i, form);
        return true;
    }
    if (p->keys->bad == CSV_BAD_TEXT) {
        need_form(p, i, (csv_form){.kind = FORM_BYTES});
        return true;
    }
    set_fault(p, reader, i, reader->values[p->keys->slot[i]], class);
    return false;
}

/* The words of a row. False if the row is bad. */
static bool encode_words(part *p, const csv_reader *reader, uint64_t *words)
{
    for (size_t i = 0; i < p->keys->n; i++) {
        const csv_span value = value_of(p, reader, i);
        if (p->no_memory || !encode_word(p, reader, i, value, &words[i]))
            return false;
    }
    return true;
}

static bool encode_bytes(part *p, const csv_reader *reader)
{
    for (size_t i = 0; i < p->keys->n; i++) {
        const csv_span value = value_of(p, reader, i);
        csv_class class = CSV_VALUE;
        p->no_memory = p->no_memory || !csv_encode(&p->keys->keys[i], value, &p->bytes, &class);
        if (p->no_memory)
            return false;
        if (csv_class_is_bad(class) && p->keys->bad != CSV_BAD_TEXT) {
            set_fault(p, reader, i, reader->values[p->keys->slot[i]], class);
            return false;
        }
    }
    return true;
}

/* The key of a bad row comes after all others. */
static bool end_bad_row(part *p, uint64_t *record)
{
    p->bad++;
    record[0] |= BAD_ROW;
    if (!p->as_bytes) {
        memset(record + 1, 0, p->keys->n * sizeof *record);
        return true;
    }
    p->bytes.used = record[1];
    p->no_memory = p->no_memory || !key_bytes_reserve(&p->bytes, 1);
    if (!p->no_memory)
        put_byte(&p->bytes, 255);
    return !p->no_memory;
}

/* Bytes of a row that is not bad begin with 0, so that bad rows come last. */
static bool begin_bytes(part *p, uint64_t *record)
{
    record[1] = p->bytes.used;
    p->no_memory = p->no_memory || !key_bytes_reserve(&p->bytes, 1);
    if ((p->keys->bad == CSV_BAD_LAST || p->keys->bad == CSV_BAD_SKIP) && !p->no_memory)
        put_byte(&p->bytes, 0);
    return !p->no_memory;
}

static void read_part(void *argument)
{
    part *const p = argument;
    csv_span    values[CSV_MOST_KEYS];
    csv_reader  reader;
    const bool  flexible = p->keys->bad == CSV_BAD_TEXT;

    csv_start_part(&reader, p->table, p->index, p->keys->wanted, p->keys->wanted_count, values);
    while (!p->no_memory && !p->stop && p->n < p->limit && csv_next(&reader)) {
        uint64_t *const record = new_record(p);
        if (record == NULL)
            return;
        record[0] = (uint64_t)(reader.row - p->table->bytes);
        if (p->as_bytes && !begin_bytes(p, record))
            return;
        bool ok = true;
        if (reader.fields != p->table->columns && !flexible) {
            p->fault.row = reader.row;
            p->fault.fields = reader.fields;
            p->fault.blank = reader.row == reader.row_end;
            ok = false;
        } else {
            ok = p->as_bytes ? encode_bytes(p, &reader) : encode_words(p, &reader, record + 1);
        }
        if (p->no_memory || (!ok && p->keys->bad == CSV_BAD_ERROR))
            return;
        if (!ok && !end_bad_row(p, record))
            return;
    }
}

/* ---- Messages ---- */

static bool fault_of_row(const csv_table *table, const csv_keys *keys, const csv_fault *fault)
{
    size_t            line;
    const char *const name = csv_place(table, fault->row, &line);

    if (fault->blank)
        return cli_fail("%s: line %zu is blank; expected a row of %zu fields; --bad skip leaves "
                        "such rows out",
                        name, line, table->columns);
    return cli_fail("%s: line %zu: the row has %zu field%s; expected %zu, as in the first row%s; "
                    "--bad skip leaves such rows out%s",
                    name, line, fault->fields, fault->fields == 1 ? "" : "s", table->columns,
                    csv_separator_hint(table), keys->n > 0 ? ", --bad last puts them last" : "");
}

static bool fault_of_value(const csv_table *table, const csv_keys *keys, const csv_fault *fault)
{
    size_t            line;
    char              shown[64];
    const char *const name = csv_place(table, fault->value, &line);
    const csv_key    *key = keys->keys;

    while (key->column != fault->column || (key->type != CSV_NUMBER && key->type != CSV_DATE))
        key++;
    return cli_fail("%s: line %zu, %s: '%s' %s%s; --bad skip leaves such rows out, --bad last puts "
                    "them last, --bad text compares such values as text",
                    name, line, csv_column_shown(table, fault->column),
                    csv_value_shown(table, fault->value, shown, sizeof shown),
                    fault->class == CSV_INEXACT
                        ? "is an integer of more than 64 bits; give :natural to compare digits"
                    : fault->class == CSV_RANGE ? "is beyond the range of f64"
                    : key->type == CSV_DATE     ? "is not a date such as 2024-05-31 or "
                                                  "2024-05-31T23:59:00Z"
                                                : "is not a number",
                    key->guessed && fault->class == CSV_OTHER
                        ? ", as the first values are; give :text to compare as text"
                        : "");
}

/* The first trouble in the order of rows. False after a message. */
static bool check_parts(const csv_table *table, const csv_keys *keys, const part *parts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (parts[i].no_memory)
            return cli_fail("%s: not enough memory for the keys of its rows", table->files[0].name);
        if (keys->bad == CSV_BAD_ERROR && parts[i].fault.row != NULL)
            return parts[i].fault.value == NULL ? fault_of_row(table, keys, &parts[i].fault)
                                                : fault_of_value(table, keys, &parts[i].fault);
    }
    return true;
}

/* ---- The arrays of all rows ---- */

static void join_part(void *argument)
{
    const part *const p = argument;
    csv_rows *const   out = p->out;
    const size_t      words = record_words(p);

    for (size_t i = 0; i < p->n; i++) {
        const uint64_t *const record = p->records + i * words;
        const size_t          to = p->first + i;
        out->offsets[to] = record[0] & ~BAD_ROW;
        if (out->is_bad != NULL)
            out->is_bad[to] = record[0] >> 63 != 0;
        if (p->as_bytes)
            out->key_offsets[to] = p->first_byte + record[1];
        for (size_t k = 0; !p->as_bytes && k < words - 1; k++) {
            const uint64_t word = record[k + 1];
            if (p->orders[k] != NULL) {
                out->words[k][to] = (record[0] & BAD_ROW) != 0 ? 0 : p->orders[k][word];
                continue;
            }
            /* Special words follow the largest value, so that the range of words is small. */
            out->words[k][to] =
                p->special[k] && word >= CSV_SPECIAL ? p->most[k] + 1 + (word - CSV_SPECIAL) : word;
        }
    }
    if (p->as_bytes && p->bytes.used > 0)
        memcpy(out->bytes + p->first_byte, p->bytes.data, p->bytes.used);
}

static bool take_arrays(csv_rows *out, size_t keys, bool as_bytes, size_t bytes)
{
    static const char what[] = "the keys of the rows";
    bool              ok = true;

    out->offsets = cli_alloc(out->n + 1, sizeof *out->offsets, what);
    ok = out->offsets != NULL;
    if (ok && out->bad > 0)
        ok = (out->is_bad = cli_alloc(out->n, 1, what)) != NULL;
    if (as_bytes)
        return ok && (out->bytes = cli_alloc(bytes, 1, what)) != NULL &&
               (out->key_offsets = cli_alloc(out->n + 1, sizeof(uint64_t), what)) != NULL;
    for (size_t k = 0; ok && k < keys; k++)
        ok = (out->words[k] = cli_alloc(out->n, sizeof(uint64_t), what)) != NULL;
    return ok;
}

/* Finds the order of the values of listed columns. */
static bool order_lists(part *parts, size_t n, size_t keys)
{
    const csv_list *lists[CSV_MOST_PARTS];
    uint64_t       *orders[CSV_MOST_PARTS];

    for (size_t k = 0; !parts[0].as_bytes && k < keys; k++) {
        if (parts[0].forms[k].kind != FORM_LISTED)
            continue;
        for (size_t i = 0; i < n; i++)
            lists[i] = &parts[i].lists[k];
        if (!csv_lists_order(&parts[0].keys->keys[k], lists, n, orders))
            return cli_fail("%s: not enough memory for the values of a column",
                            parts[0].table->files[0].name);
        for (size_t i = 0; i < n; i++)
            parts[i].orders[k] = orders[i];
    }
    return true;
}

static bool join_parts(const csv_table *table, part *parts, size_t n, csv_rows *out)
{
    const size_t keys = parts[0].keys->n;
    uint64_t     bytes = 0;

    *out = (csv_rows){.table = table, .columns = keys};
    for (size_t i = 0; i < n; i++) {
        parts[i].first = out->n;
        parts[i].first_byte = bytes;
        parts[i].out = out;
        out->n += parts[i].n;
        out->bad += parts[i].bad;
        bytes += parts[i].bytes.used;
        for (size_t k = 0; k < keys; k++) {
            parts[0].most[k] =
                parts[i].most[k] > parts[0].most[k] ? parts[i].most[k] : parts[0].most[k];
        }
    }
    for (size_t i = 1; i < n; i++)
        memcpy(parts[i].most, parts[0].most, sizeof parts[0].most);
    if (!order_lists(parts, n, keys) || !take_arrays(out, keys, parts[0].as_bytes, bytes)) {
        csv_rows_free(out);
        return false;
    }
    out->offsets[out->n] = table->size;
    if (parts[0].as_bytes)
        out->key_offsets[out->n] = bytes;
    workers_each(parts, n, sizeof parts[0], join_part);
    return true;
}

/* ---- Passes ---- */

static void free_parts(part *parts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(parts[i].records);
        free(parts[i].text.data);
        key_bytes_free(&parts[i].bytes);
        for (size_t k = 0; k < CSV_MOST_KEYS; k++) {
            csv_list_free(&parts[i].lists[k]);
            free(parts[i].orders[k]);
        }
    }
}

/* Widens the forms by what the values of a pass need. False if they fit. */
static bool widen(const part *parts, size_t n, size_t keys, csv_form *forms)
{
    bool wider = false;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < keys; k++) {
            const csv_form form = csv_form_wider(forms[k], parts[i].needs[k]);
            wider |= form.kind != forms[k].kind || form.places != forms[k].places;
            forms[k] = form;
        }
    return wider;
}

static bool has_bytes(const csv_form *forms, size_t n)
{
    bool any = false;

    for (size_t k = 0; k < n; k++)
        any |= forms[k].kind == FORM_BYTES;
    return any;
}

/* Reads up to `limit` rows of n parts. */
static void run_pass(const csv_table *table, const csv_keys *keys, const csv_form *forms,
                     size_t limit, part *parts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        parts[i] = (part){.table = table,
                          .keys = keys,
                          .forms = forms,
                          .index = i,
                          .limit = limit,
                          .as_bytes = has_bytes(forms, keys->n)};
        memcpy(parts[i].needs, forms, keys->n * sizeof forms[0]);
    }
    workers_each(parts, n, sizeof parts[0], read_part);
}

/* Reads all rows; repeats the pass with wider forms if values need them. */
static bool read_all(const csv_table *table, const csv_keys *keys, csv_form *forms, csv_rows *out)
{
    part parts[CSV_MOST_PARTS];
    bool ok, again;

    do {
        run_pass(table, keys, forms, SIZE_MAX, parts, table->parts);
        ok = check_parts(table, keys, parts, table->parts);
        again = ok && !parts[0].as_bytes && widen(parts, table->parts, keys->n, forms);
        ok = ok && (again || join_parts(table, parts, table->parts, out));
        free_parts(parts, table->parts);
    } while (again);
    return ok;
}

bool csv_rows_read(const csv_table *table, const csv_keys *keys, csv_rows *out)
{
    part     sample;
    csv_form forms[CSV_MOST_KEYS];
    bool     again = true;

    for (size_t k = 0; k < keys->n; k++)
        forms[k] = csv_form_first(keys->keys[k].type);
    while (again && !has_bytes(forms, keys->n)) {
        run_pass(table, keys, forms, SAMPLE_ROWS, &sample, 1);
        again = widen(&sample, 1, keys->n, forms);
        free_parts(&sample, 1);
    }
    return read_all(table, keys, forms, out);
}

bool csv_rows_read_bytes(const csv_table *table, const csv_keys *keys, csv_rows *out)
{
    csv_form forms[CSV_MOST_KEYS];

    for (size_t k = 0; k < keys->n; k++)
        forms[k] = (csv_form){.kind = FORM_BYTES};
    return read_all(table, keys, forms, out);
}

void csv_rows_free(csv_rows *rows)
{
    free(rows->offsets);
    for (size_t k = 0; k < CSV_MOST_KEYS; k++)
        free(rows->words[k]);
    free(rows->is_bad);
    free(rows->bytes);
    free(rows->key_offsets);
    *rows = (csv_rows){.n = 0};
}

/* ---- The order and the ranks of rows ---- */

static size_t make_columns(const csv_rows *rows, ordo_column *columns)
{
    size_t n = 0;

    if (rows->is_bad != NULL)
        columns[n++] = (ordo_column){.keys = rows->is_bad, .type = ORDO_U8};
    for (size_t k = 0; k < rows->columns; k++)
        columns[n++] = (ordo_column){.keys = rows->words[k], .type = ORDO_U64};
    return n;
}

static ordo_strings key_strings(const csv_rows *rows)
{
    return ORDO_OPTS(ordo_strings, .bytes = rows->bytes, .offsets = rows->key_offsets);
}

ordo_status csv_rows_sort(ordo_ctx *ctx, const csv_rows *rows, ordo_type type, void *index)
{
    ordo_column        columns[ORDO_COLUMNS_MOST];
    const ordo_strings strings = key_strings(rows);

    if (rows->bytes != NULL)
        return ordo_argsort_strings(ctx, &strings, rows->n, type, index, NULL);
    const size_t count = make_columns(rows, columns);
    return ordo_lexsort(ctx, columns, count, rows->n, type, index, NULL);
}

ordo_status csv_rows_rank(ordo_ctx *ctx, const csv_rows *rows, ordo_ties ties, ordo_type type,
                          void *ranks)
{
    const ordo_rank_opts opts = ORDO_OPTS(ordo_rank_opts, .ties = (uint32_t)ties);
    ordo_column          columns[ORDO_COLUMNS_MOST];
    const ordo_strings   strings = key_strings(rows);

    if (rows->bytes != NULL)
        return ordo_rank_strings(ctx, &strings, rows->n, type, ranks, &opts);
    const size_t count = make_columns(rows, columns);
    return ordo_lexrank(ctx, columns, count, rows->n, type, ranks, &opts);
}

int csv_rows_compare(const csv_rows *rows, size_t i, size_t j)
{
    if (rows->bytes != NULL) {
        const size_t a = (size_t)(rows->key_offsets[i + 1] - rows->key_offsets[i]);
        const size_t b = (size_t)(rows->key_offsets[j + 1] - rows->key_offsets[j]);
        const int    order = memcmp(rows->bytes + rows->key_offsets[i],
                                    rows->bytes + rows->key_offsets[j], a < b ? a : b);
        return order != 0 ? order : (a > b) - (a < b);
    }
    if (rows->is_bad != NULL && rows->is_bad[i] != rows->is_bad[j])
        return rows->is_bad[i] - rows->is_bad[j];
    for (size_t k = 0; k < rows->columns; k++)
        if (rows->words[k][i] != rows->words[k][j])
            return rows->words[k][i] < rows->words[k][j] ? -1 : 1;
    return 0;
}

/* Copies the key bytes of the rows. */
static bool gather_bytes(const csv_rows *rows, const uint64_t *index, size_t n, csv_rows *out)
{
    uint64_t bytes = 0;

    out->key_offsets = cli_alloc(n + 1, sizeof *out->key_offsets, "the keys of rows");
    if (out->key_offsets == NULL)
        return false;
    for (size_t i = 0; i < n; i++) {
        out->key_offsets[i] = bytes;
        bytes += rows->key_offsets[index[i] + 1] - rows->key_offsets[index[i]];
    }
    out->key_offsets[n] = bytes;
    out->bytes = cli_alloc((size_t)bytes, 1, "the keys of rows");
    for (size_t i = 0; out->bytes != NULL && i < n; i++)
        memcpy(out->bytes + out->key_offsets[i], rows->bytes + rows->key_offsets[index[i]],
               (size_t)(out->key_offsets[i + 1] - out->key_offsets[i]));
    return out->bytes != NULL;
}

bool csv_rows_gather(const csv_rows *rows, const uint64_t *index, size_t n, csv_rows *out)
{
    bool ok = true;

    *out = (csv_rows){.table = rows->table, .n = n, .columns = rows->columns};
    if (rows->is_bad != NULL) {
        out->is_bad = cli_alloc(n, 1, "the keys of rows");
        ok = out->is_bad != NULL;
        for (size_t i = 0; ok && i < n; i++)
            out->is_bad[i] = rows->is_bad[index[i]];
    }
    if (rows->bytes != NULL) {
        ok = ok && gather_bytes(rows, index, n, out);
    } else {
        for (size_t k = 0; ok && k < rows->columns; k++) {
            out->words[k] = cli_alloc(n, sizeof(uint64_t), "the keys of rows");
            ok = out->words[k] != NULL;
            for (size_t i = 0; ok && i < n; i++)
                out->words[k][i] = rows->words[k][index[i]];
        }
    }
    if (!ok)
        csv_rows_free(out);
    return ok;
}
