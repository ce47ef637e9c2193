/* check.c - whether an input is sorted (see check.h). */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/check.h"

#include "cli/io/keys.h"
#include "cli/io/number.h"
#include "cli/io/text_lines.h"
#include "cli/io/text_numbers.h"
#include "cli/ui/context.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    PIECE_BYTES = 1 << 22 /* of an array in a file, checked in one call */
};

/* Names an element in the words of GNU sort; number counts lines or elements from 1. */
static void complain(const char *name, size_t number, const char *text, size_t length)
{
    char shown[80];
    cli_error("%s:%zu: disorder: %s", name, number,
              cli_printable(text, length, shown, sizeof shown));
}

static bool check_lines(const check_request *request, source *s, bool *sorted)
{
    source_result r;

    while ((r = source_next(s)) == SOURCE_LINE) {
        if (s->number == 1)
            continue;
        const int order =
            lines_compare(source_previous(s), s->previous_length, source_line(s), s->length);
        *sorted = order == 0 ? !request->unique : (order < 0) != request->descending;
        if (!*sorted) {
            complain(s->name, s->number, source_line(s), s->length);
            return true;
        }
    }
    return r == SOURCE_END;
}

/* The order of a number in the direction of the check. NaN is last in both directions. */
static uint64_t direction_order(const check_request *request, ordo_type type, const void *value)
{
    const uint64_t order = key_order(type, value);
    const bool     nan = type >= ORDO_F32 && order == KEY_ORDER_NAN;
    return request->descending && !nan ? ~order : order;
}

static bool check_text_numbers(const check_request *request, int type, source *s, bool *sorted)
{
    text_numbers t;
    text_result  r = TEXT_NUMBER;
    uint64_t     value = 0;

    text_start(&t, s, type, request->in.skip_bad);
    while (*sorted) {
        const ordo_type before_type = t.type;
        uint64_t        before = value;
        if ((r = text_next(&t, &value)) != TEXT_NUMBER)
            break;
        if (t.type != before_type)
            text_convert(before_type, t.type, &before, 1);
        const uint64_t a = direction_order(request, t.type, &before);
        const uint64_t b = direction_order(request, t.type, &value);
        *sorted = t.n == 1 || a < b || (a == b && !request->unique);
    }
    if (!*sorted)
        complain(s->name, s->number, t.text, t.length);
    return text_print_notes(&t, request->in.text_hint) && r != TEXT_FAILED;
}

/* ---- Arrays ---- */

/* Checks n keys, of which the first is element `first` of the input, from 0. */
static bool check_keys(const check_request *request, const char *name, ordo_type type,
                       const char *keys, size_t n, size_t first, bool *sorted)
{
    const uint64_t flags = request->descending ? ORDO_DESCENDING : 0;
    int            in_order = 0;
    size_t         where = n;
    char           text[NUMBER_TEXT_MAX];

    call_begin("checking");
    if (!call_end(ordo_is_sorted(request->ctx, type, keys, n, &in_order, &where,
                                 &ORDO_OPTS(ordo_order_opts, .flags = flags))))
        return false;
    if (request->unique)
        where = first_tie(type, keys, where);
    *sorted = where == n;
    if (!*sorted)
        complain(name, first + where + 1, text,
                 number_format(type, keys + where * ordo_type_size(type), text));
    return true;
}

bool check_array(const check_request *request, const input *in, bool *sorted)
{
    return check_keys(request, in->name, in->type, in->data, in->n, 0, sorted);
}

/* Reads n keys from element `first` on. */
static bool read_keys(const source *s, const npy_array *a, size_t first, size_t n, char *out)
{
    const size_t size = ordo_type_size(a->type);

    for (size_t done = 0; done < n * size;) {
        const ssize_t got =
            pread(s->fd, out + done, n * size - done, (off_t)(a->offset + first * size + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return cli_fail("%s: cannot read: %s", s->name,
                            got < 0 ? strerror(errno) : "the file became shorter");
        done += (size_t)got;
    }
    if (a->swapped)
        input_swap_bytes(out, n, size);
    return true;
}

/* Checks an array in a regular file, in pieces that overlap by one key. */
static bool check_file(const check_request *request, const source *s, const npy_array *a,
                       bool *sorted)
{
    const size_t most = PIECE_BYTES / ordo_type_size(a->type);
    char *const  keys = cli_alloc(PIECE_BYTES, 1, "a piece of the input");
    bool         ok = keys != NULL;

    for (size_t first = 0; ok && *sorted && first + 1 < a->n; first += most - 1) {
        const size_t n = a->n - first < most ? a->n - first : most;
        ok = read_keys(s, a, first, n, keys) &&
             check_keys(request, s->name, a->type, keys, n, first, sorted);
    }
    free(keys);
    return ok;
}

static bool check_whole(const check_request *request, source *s, bool *sorted)
{
    input      in;
    const bool ok = input_from(&request->in, s, &in) && check_array(request, &in, sorted);

    input_free(&in);
    return ok;
}

static bool check_numbers(const check_request *request, source *s, bool *sorted)
{
    npy_array a;
    int       type;

    if (!source_fill(s, INPUT_HEADER))
        return false;
    const file_format format = input_format(&request->in, s->block, s->end);
    const off_t       at = lseek(s->fd, 0, SEEK_CUR); /* stdin may not be at its beginning */
    const bool        from_start = s->size > 0 && at >= 0 && (size_t)at == s->end;
    if (format != FORMAT_TEXT && (!from_start || !npy_header_fits(s->block, s->end)))
        return check_whole(request, s, sorted);
    if (!input_type(&request->in, &type))
        return false;
    if (format == FORMAT_TEXT)
        return check_text_numbers(request, type, s, sorted);
    return input_find_array(s->name, format, type, s->block, s->size, &a) &&
           check_file(request, s, &a, sorted);
}

bool check_input(const check_request *request, bool *sorted)
{
    source s;

    *sorted = true;
    bool ok = source_open(&s, request->in.path);
    progress_start("checking");
    ok = ok && (request->text ? check_lines : check_numbers)(request, &s, sorted);
    progress_end();
    source_close(&s);
    return ok;
}
