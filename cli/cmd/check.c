/* check.c - whether an input is sorted, read once, and in bounded memory if possible.
 *
 * Reading stops at the first element out of order. Lines, numbers in text, and .npy and raw files
 * are read in pieces; FASTA files and binary data from a pipe are read as a whole. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/command.h"

#include "cli/io/tempfile.h"
#include "cli/io/text/text_numbers.h"
#include "cli/lines/key_encode.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define PIECE_BYTES (1 << 22) /* of an array in a file, checked in one call */

bool ties_disturb(const execution *e) { return e->o.unique && e->command != &command_merge; }

/* As sort(1) does: the whole line, as it is. */
static void complain_as_sort(const execution *e, const char *name, size_t number, const char *line,
                             size_t length)
{
    fprintf(stderr, "sort: %s:%zu: disorder: ", strcmp(name, "stdin") == 0 ? "-" : name, number);
    fwrite(line, 1, length, stderr);
    fputc(e->order.line_end, stderr);
}

/* Names an element in the words of GNU sort; number counts lines or elements from 1. */
static void complain(const execution *e, const char *name, size_t number, const char *text,
                     size_t length)
{
    char shown[80];
    if (e->command == &command_merge)
        cli_error("%s: not sorted: %s %zu is out of order: %s" MERGE_ADVICE, name,
                  e->o.text ? "line" : "number", number,
                  cli_printable(text, length, shown, sizeof shown));
    else if (e->o.check == CHECK_REPORT && cli_is_sort())
        complain_as_sort(e, name, number, text, length);
    else if (e->o.check == CHECK_REPORT)
        cli_error("%s:%zu: disorder: %s", name, number,
                  cli_printable(text, length, shown, sizeof shown));
}

/* The order of the previous and the current line; the first line is in order. The keys of the
 * previous line were encoded when it was the current one. False after a message. */
static bool compare_lines(const execution *e, const source *s, key_bytes *keys, int *order)
{
    key_bytes *const now = &keys[s->number % 2], *const before = &keys[1 - s->number % 2];

    *order = -1;
    if (e->order.n == 0 && s->number > 1) {
        *order = lines_compare(source_previous(s), s->previous_length, source_line(s), s->length);
        *order = e->o.descending ? -*order : *order;
    }
    if (e->order.n == 0)
        return true;
    now->used = 0;
    if (!key_encode(&e->order, source_line(s), s->length, now))
        return cli_fail("%s:%zu: not enough memory for the keys of the line", s->name, s->number);
    if (s->number > 1)
        *order = lines_compare((char *)before->data, before->used, (char *)now->data, now->used);
    return true;
}

static bool check_lines(execution *e, source *s)
{
    key_bytes     keys[2] = {{.used = 0}};
    source_result r;
    int           order;
    bool          ok = true;

    s->line_end = e->order.line_end;
    while (ok && !e->no && (r = source_next(s)) == SOURCE_LINE) {
        ok = compare_lines(e, s, keys, &order);
        e->no = ok && (order > 0 || (order == 0 && ties_disturb(e)));
        if (e->no)
            complain(e, s->name, s->number, source_line(s), s->length);
    }
    key_bytes_free(&keys[0]);
    key_bytes_free(&keys[1]);
    return ok && (e->no || r == SOURCE_END);
}

/* Names the first record out of order by its number, from 1, and its header. */
static bool check_records(execution *e)
{
    const fasta *const f = &e->records;

    for (size_t i = 1; i < f->n && !e->no; i++) {
        const int order = fasta_compare(f, i - 1, i);
        e->no = order == 0 ? e->o.unique : (order < 0) == e->o.descending;
        if (e->no && e->o.check == CHECK_REPORT) {
            char              shown[80];
            size_t            length;
            const char *const header = fasta_header(f, i, &length);
            cli_error("%s: record %zu: disorder: >%s", f->name, i + 1,
                      cli_printable(header, length, shown, sizeof shown));
        }
    }
    return true;
}

/* The order of a number in the direction of the check. NaN is last in both directions. */
static uint64_t direction_order(const execution *e, ordo_type type, const void *value)
{
    const uint64_t order = key_order(type, value);
    const bool     nan = type >= ORDO_F32 && order == KEY_ORDER_NAN;
    return e->o.descending && !nan ? ~order : order;
}

static bool check_text_numbers(execution *e, const input_request *request, int type, source *s)
{
    text_numbers t;
    text_result  r = TEXT_NUMBER;
    uint64_t     value = 0, before = 0;

    text_start(&t, s, type, request->skip_bad);
    for (; !e->no; before = value) {
        const ordo_type before_type = t.type;
        if ((r = text_next(&t, &value)) != TEXT_NUMBER)
            break;
        if (t.type != before_type)
            text_convert(before_type, t.type, &before, 1);
        const uint64_t a = direction_order(e, t.type, &before);
        const uint64_t b = direction_order(e, t.type, &value);
        e->no = t.n > 1 && (a > b || (a == b && ties_disturb(e)));
    }
    if (e->no)
        complain(e, s->name, e->command == &command_merge ? t.n : s->number, t.text, t.length);
    return text_print_notes(&t, request->others) && r != TEXT_FAILED;
}

/* Checks n keys; the first is element `first` of the input, from 0. */
static bool check_keys(execution *e, const char *name, ordo_type type, const char *keys, size_t n,
                       size_t first)
{
    int    in_order = 0;
    size_t where = n;
    char   text[NUMBER_TEXT_MAX];

    call_begin("checking");
    if (!call_end(ordo_is_sorted(e->ctx, type, keys, n, &in_order, &where,
                                 &ORDO_OPTS(ordo_order_opts, .flags = descending_flag(e)))))
        return false;
    if (ties_disturb(e))
        where = first_tie(type, keys, where);
    e->no = where < n;
    if (e->no)
        complain(e, name, first + where + 1, text,
                 number_format(type, keys + where * ordo_type_size(type), text));
    return true;
}

/* Reads n keys from element `first` on. */
static bool read_keys(const source *s, const npy_array *a, size_t first, size_t n, char *out)
{
    const size_t size = ordo_type_size(a->type);

    if (!spool_read(s->fd, a->offset + first * size, out, n * size))
        return cli_fail("%s: cannot read: %s", s->name, strerror(errno));
    if (a->swapped)
        input_swap_bytes(out, n, size);
    return true;
}

/* Checks an array in a regular file, in pieces that overlap by one key. */
static bool check_file(execution *e, const source *s, const npy_array *a)
{
    const size_t most = PIECE_BYTES / ordo_type_size(a->type);
    char *const  keys = cli_alloc(PIECE_BYTES, 1, "a piece of the input");
    bool         ok = keys != NULL;

    for (size_t first = 0; ok && !e->no && first + 1 < a->n; first += most - 1) {
        const size_t n = a->n - first < most ? a->n - first : most;
        ok = read_keys(s, a, first, n, keys) && check_keys(e, s->name, a->type, keys, n, first);
    }
    free(keys);
    return ok;
}

static bool check_numbers(execution *e, source *s)
{
    const input_request request = input_request_of(e);
    npy_array           a;
    int                 type;

    if (!source_fill(s, INPUT_HEADER))
        return false;
    const file_format format = input_format(&request, s->block, s->end);
    const off_t       at = lseek(s->fd, 0, SEEK_CUR); /* stdin may not be at its beginning */
    const bool        from_start = s->size > 0 && at >= 0 && (size_t)at == s->end;
    if (format != FORMAT_TEXT && (!from_start || !npy_header_fits(s->block, s->end)))
        return input_from(&request, s, &e->in) &&
               check_keys(e, s->name, e->in.type, e->in.data, e->in.n, 0);
    if (!input_type(&request, &type))
        return false;
    if (format == FORMAT_TEXT)
        return check_text_numbers(e, &request, type, s);
    return input_find_array(&request, s->name, format, type, s->block, s->size, &a) &&
           check_file(e, s, &a);
}

bool merge_may_read_twice(const execution *e, const char *path)
{
    return !source_is_stdin(path) ||
           cli_fail("merge: with %s each input is read twice: expected files, not stdin",
                    e->o.text ? "--text" : "-S");
}

bool check_file_sorted(execution *e, const char *path)
{
    source s;

    if (!merge_may_read_twice(e, path))
        return false;
    const bool ok = source_open(&s, path) && (e->o.text ? check_lines : check_numbers)(e, &s);
    source_close(&s);
    return ok && !e->no;
}

bool check_part_sorted(execution *e, size_t file)
{
    const size_t      first = file > 0 ? e->in.ends[file - 1] : 0;
    const char *const path = e->paths[file];
    const char *const keys = (const char *)e->in.data + first * ordo_type_size(e->in.type);

    return check_keys(e, path != NULL ? path : "stdin", e->in.type, keys, e->in.ends[file] - first,
                      0) &&
           !e->no;
}

bool check_sorted(execution *e)
{
    source s;
    bool   ok;

    if (e->by_pieces) {
        progress_start("checking");
        ok = source_open(&s, e->paths[0]) && (e->o.text ? check_lines : check_numbers)(e, &s);
        progress_end();
        source_close(&s);
    } else if (e->o.fasta) {
        ok = check_records(e);
    } else {
        ok = check_keys(e, e->in.name, e->in.type, e->in.data, e->in.n, 0);
    }
    timing_mark(&e->t, "check");
    return ok;
}
