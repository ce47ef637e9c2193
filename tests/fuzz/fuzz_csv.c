/* fuzz_csv.c - the reader of CSV: rows and fields are those of a plain state machine, in any number
 * of parts; an open quote is refused, and only that.
 *
 * The keys of the first column are compared in two ways: as the words or bytes of csv_rows_read()
 * and as the bytes of csv_encode(). Both must give the same order, in any number of parts. The
 * first byte of the input chooses header, quotes, separator and the type of the key. */
#define _POSIX_C_SOURCE 200809L

#include "fuzz.h"

#include "cli/csv/csv_stream.h"
#include "cli/csv/csv_rows.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST = 1 << 12,
    MOST_FIELDS = MOST + 2,
    PARTS = 7,
    HEADER = 1, /* bits of the first byte */
    QUOTES = 2,
    TAB = 4,
    DESCENDING = 8,
    TYPE_SHIFT = 4,
    BAD_SHIFT = 6
};

const fuzz_seed fuzz_seeds[] = {
    FUZZ_SEED("\x03"
              "a,b\n1,2\n3,\"x\"\"y\nz\"\n\"4\",5"),
    FUZZ_SEED("\x12"
              "1.5,a\r\n-2,b\r\n1e300,c\r\n,d\r\nnan,e\r\n"),
    FUZZ_SEED("\x1a"
              "9007199254740993,1\n9007199254740992,2\n18446744073709551615,3\n0.1,4\n"),
    FUZZ_SEED("\x32"
              "2024-02-29,1\n2023-12-31T23:59:59.123456789Z,2\n1999-01-01 10:00+02:00,3\n"),
    FUZZ_SEED("\xef\xbb\xbf"
              "a,b\n1,2\n\n"),
    FUZZ_SEED("\x07"
              "a\tb\n\"q\"x\"y\tz\n\"\"\t\"\"\"\"\n"),
    FUZZ_SEED("\x52"
              "abcdefg,1\nabcdefgh,2\nx,3,4\n\ny\n"),
    FUZZ_SEED("\x00"
              "5\" pipe,3\n\"a,b\n"),
};
const size_t fuzz_seed_count = sizeof fuzz_seeds / sizeof fuzz_seeds[0];

const char *const fuzz_words[] = {"\"",  "\"\"", "\n",   "\r\n", ",", "\t",
                                  ",\"", "\",",  "\"\n", "1",    "-", ".",
                                  "e5",  "00",   "nan",  "abc",  " ", "2024-01-01"};
const size_t      fuzz_word_count = sizeof fuzz_words / sizeof fuzz_words[0];

/* ---- A plain state machine ---- */

typedef struct plain_row {
    const char *next; /* the row after it */
    size_t      fields;
    csv_span    values[MOST_FIELDS];
} plain_row;

/* Reads a row; false if a quote is open at the end. */
static bool plain_read(const char *p, const char *end, const csv_dialect *dialect, plain_row *row)
{
    const char *begin = p;
    bool        inside = false;

    row->fields = 0;
    for (; p < end; p++) {
        const bool quote = dialect->quotes && *p == '"';
        if (inside) {
            if (quote && p + 1 < end && p[1] == '"')
                p++;
            else if (quote)
                inside = false;
        } else if (quote && p == begin) {
            inside = true;
        } else if (*p == dialect->separator || *p == '\n') {
            const bool crlf = *p == '\n' && p > begin && p[-1] == '\r';
            row->values[row->fields++] = (csv_span){begin, p - crlf};
            begin = p + 1;
            if (*p == '\n') {
                row->next = p + 1;
                return true;
            }
        }
    }
    return false;
}

static bool plain_unquoted(csv_span value, const csv_dialect *dialect, const char *text, size_t n)
{
    char   expected[MOST] = "";
    size_t used = 0;
    bool   inside = false;

    for (const char *p = value.begin; p < value.end; p++) {
        const bool quote = dialect->quotes && *p == '"';
        if (quote && !inside && p == value.begin) {
            inside = true;
        } else if (quote && inside && p + 1 < value.end && p[1] == '"') {
            expected[used++] = *p++;
        } else if (quote && inside) {
            inside = false;
        } else {
            expected[used++] = *p;
        }
    }
    return used == n && (n == 0 || memcmp(expected, text, n) == 0);
}

/* ---- Tables ---- */

static bool make_table(const csv_dialect *dialect, const uint8_t *data, size_t size, size_t parts,
                       csv_table *table)
{
    char *const block = malloc(size + 1);

    FUZZ_CHECK(block != NULL);
    if (size > 0)
        memcpy(block, data, size);
    return csv_table_from(dialect, "fuzz", block, size, parts, table);
}

/* The same without messages. */
static bool make_quietly(const csv_dialect *dialect, const uint8_t *data, size_t size,
                         csv_table *table)
{
    const int  saved = dup(STDERR_FILENO), nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const bool open_both = saved >= 0 && nothing >= 0 && dup2(nothing, STDERR_FILENO) >= 0;
    const bool ok = make_table(dialect, data, size, PARTS, table);

    FUZZ_CHECK(open_both && dup2(saved, STDERR_FILENO) >= 0);
    close(saved);
    close(nothing);
    return ok;
}

/* Whether every quote of the text is closed. */
static bool is_closed(const csv_dialect *dialect, const uint8_t *data, size_t size)
{
    static char      text[MOST + 1];
    static plain_row row;
    const char      *p = text;

    memcpy(text, data, size);
    text[size] = '\n';
    const char *const end = text + size + (size > 0 && data[size - 1] != '\n');
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        p += 3;
    for (; p < end; p = row.next)
        if (!plain_read(p, end, dialect, &row))
            return false;
    return true;
}

/* A row is found in its own bytes, and in no part of them. The copies have no byte after them. */
static void check_row_bytes(const csv_dialect *dialect, const char *row, size_t bytes)
{
    const size_t cut = bytes * 2 / 3;
    char *const whole = malloc(bytes), *const part = malloc(cut + 1);

    FUZZ_CHECK(whole != NULL && part != NULL);
    memcpy(whole, row, bytes);
    memcpy(part + 1, row, cut);
    FUZZ_CHECK(csv_row_bytes(dialect, whole, bytes) == bytes);
    FUZZ_CHECK(csv_row_bytes(dialect, part + 1, cut) == 0);
    FUZZ_CHECK(csv_row_bytes(dialect, whole, 0) == 0);
    free(whole);
    free(part);
}

/* Reads every field of every part and compares it with the state machine. */
static void check_rows(const csv_table *table)
{
    static plain_row row;
    static size_t    wanted[MOST_FIELDS];
    static csv_span  values[MOST_FIELDS];
    const char      *p = table->bytes + table->body;
    csv_text         text = {.data = NULL};

    for (size_t i = 0; i < MOST_FIELDS; i++)
        wanted[i] = i;
    for (size_t part = 0; part < table->parts; part++) {
        csv_reader reader;
        csv_start_part(&reader, table, part, wanted, MOST_FIELDS, values);
        while (csv_next(&reader)) {
            FUZZ_CHECK(plain_read(p, table->bytes + table->size, &table->dialect, &row));
            FUZZ_CHECK(reader.row == p && reader.fields == row.fields && reader.next == row.next);
            FUZZ_CHECK(reader.row_end == row.values[row.fields - 1].end);
            check_row_bytes(&table->dialect, p, (size_t)(row.next - p));
            for (size_t i = 0; i < row.fields; i++) {
                const csv_span plain = csv_unquote(values[i], table->dialect.quotes, &text);
                FUZZ_CHECK(values[i].begin == row.values[i].begin);
                FUZZ_CHECK(values[i].end == row.values[i].end);
                FUZZ_CHECK(plain_unquoted(values[i], &table->dialect, plain.begin,
                                          (size_t)(plain.end - plain.begin)));
            }
            p = row.next;
        }
    }
    FUZZ_CHECK(p == table->bytes + table->size);
    free(text.data);
}

/* ---- Keys ---- */

/* The order of rows i and i + 1 by the bytes of csv_encode(). */
static int order_of_bytes(const csv_table *table, const csv_key *key, const csv_rows *rows,
                          size_t i)
{
    key_bytes    bytes = {.used = 0};
    csv_text     text = {.data = NULL};
    size_t       ends[3] = {0};
    const size_t column = 0;

    for (size_t k = 0; k < 2; k++) {
        csv_span value;
        csv_class class;
        csv_reader reader;
        csv_start(&reader, &table->dialect, table->bytes + rows->offsets[i + k],
                  table->bytes + rows->offsets[i + k + 1], &column, 1, &value);
        FUZZ_CHECK(csv_next(&reader) && reader.next == table->bytes + rows->offsets[i + k + 1]);
        FUZZ_CHECK(
            csv_encode(key, csv_unquote(value, table->dialect.quotes, &text), &bytes, &class));
        ends[k + 1] = bytes.used;
    }
    const size_t a = ends[1], b = ends[2] - ends[1];
    const int    order = memcmp(bytes.data, bytes.data + a, a < b ? a : b);
    key_bytes_free(&bytes);
    free(text.data);
    return order != 0 ? order : (a > b) - (a < b);
}

static int sign(int x) { return (x > 0) - (x < 0); }

static void check_keys(const csv_table *whole, const csv_table *parted, const csv_keys *keys)
{
    csv_rows a, b;

    FUZZ_CHECK(csv_rows_read(whole, keys, &a));
    FUZZ_CHECK(csv_rows_read(parted, keys, &b));
    FUZZ_CHECK(a.n == b.n && a.bad == b.bad && (a.bytes == NULL) == (b.bytes == NULL));
    FUZZ_CHECK(a.n == 0 || a.offsets[0] == whole->body);
    for (size_t i = 0; i + 1 < a.n; i++) {
        const bool bad = a.bad > 0 && (a.is_bad[i] || a.is_bad[i + 1]);
        FUZZ_CHECK(a.offsets[i] == b.offsets[i]);
        FUZZ_CHECK(sign(csv_rows_compare(&a, i, i + 1)) == sign(csv_rows_compare(&b, i, i + 1)));
        if (bad)
            FUZZ_CHECK(csv_rows_compare(&a, i, i + 1) == a.is_bad[i] - a.is_bad[i + 1] ||
                       a.bytes != NULL);
        else
            FUZZ_CHECK(sign(csv_rows_compare(&a, i, i + 1)) ==
                       sign(order_of_bytes(whole, &keys->keys[0], &a, i)));
    }
    csv_rows_free(&a);
    csv_rows_free(&b);
}

static void check_column(const csv_table *whole, const csv_table *parted)
{
    const size_t column = 0;
    csv_columns  a, b;

    FUZZ_CHECK(csv_columns_read(whole, &column, 1, NULL, true, true, &a));
    FUZZ_CHECK(csv_columns_read(parted, &column, 1, NULL, true, true, &b));
    const csv_column *const x = &a.columns[0], *const y = &b.columns[0];
    FUZZ_CHECK(a.rows == b.rows && a.skipped_rows == b.skipped_rows && x->n == y->n);
    FUZZ_CHECK(x->type == y->type && x->empty == y->empty && x->skipped == y->skipped);
    FUZZ_CHECK(x->n + x->empty + x->skipped + a.skipped_rows == a.rows);
    FUZZ_CHECK(x->n == 0 || memcmp(x->values, y->values, 8 * x->n) == 0);
    FUZZ_CHECK(x->n == 0 || memcmp(x->rows, y->rows, 8 * x->n) == 0);
    csv_columns_free(&a);
    csv_columns_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    csv_table whole, parted;

    if (size == 0 || size > MOST)
        return 0;
    const unsigned    choice = *data++;
    const csv_dialect dialect = {.separator = (choice & TAB) != 0 ? '\t' : ',',
                                 .quotes = (choice & QUOTES) != 0,
                                 .header = (choice & HEADER) != 0};
    size--;
    if (!is_closed(&dialect, data, size)) {
        FUZZ_CHECK(!make_quietly(&dialect, data, size, &whole));
        return 0;
    }
    FUZZ_CHECK(make_table(&dialect, data, size, 1, &whole));
    FUZZ_CHECK(make_table(&dialect, data, size, PARTS, &parted));
    FUZZ_CHECK(whole.size == parted.size && whole.parts == 1 && parted.parts <= PARTS);
    FUZZ_CHECK(memcmp(whole.bytes, data, whole.size < size ? whole.size : size) == 0);
    check_rows(&whole);
    check_rows(&parted);
    if (whole.columns > 0) {
        const csv_keys keys = {.keys = {{.type = CSV_NUMBER + (choice >> TYPE_SHIFT & 3),
                                         .descending = (choice & DESCENDING) != 0}},
                               .n = 1,
                               .wanted_count = 1,
                               .bad = (choice >> BAD_SHIFT & 1) != 0 ? CSV_BAD_TEXT : CSV_BAD_LAST};
        check_keys(&whole, &parted, &keys);
        check_column(&whole, &parted);
    }
    csv_table_free(&whole);
    csv_table_free(&parted);
    return 0;
}
