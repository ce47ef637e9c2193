/* check.c - whether an input is sorted (see check.h).
 *
 * The type of numbers in text without --dtype is known only at the end. They are compared as i64 or
 * u64 until a line needs f64. If f64 cannot hold an integer before that line, that is an error, the
 * same as when the whole text is read. */
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
    HEADER_BYTES = 1 << 17, /* read first: more than the header of any usual .npy file */
    PIECE_BYTES = 1 << 22,  /* of an array in a file, checked in one call              */
    SAFE_DIGITS = 15        /* an integer of so many characters is exact in f64        */
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

/* ---- Numbers in text ---- */

typedef struct number_check {
    const check_request *request;
    source              *s;
    text_numbers         t;
    union {
        uint64_t bits;
        double   f64;
    } before;             /* the previous number, of type t.type              */
    size_t blank, blanks; /* the first of the blank lines just before; how many */
    size_t inexact_line;  /* the first integer that f64 cannot hold; 0: none  */
    char   inexact[TEXT_WHY];
} number_check;

/* The order of a number for the direction of the check. NaN is last in both. */
static uint64_t direction_order(const number_check *c, const void *value)
{
    const uint64_t order = key_order(c->t.type, value);
    const bool     nan = c->t.type >= ORDO_F32 && order == KEY_ORDER_NAN;
    return c->request->descending && !nan ? ~order : order;
}

/* Converts the previous number to the wider type. */
static bool widen(number_check *c, ordo_type from)
{
    if (c->t.type != ORDO_F64)
        return true;
    c->before.f64 = from == ORDO_I64 ? (double)(int64_t)c->before.bits : (double)c->before.bits;
    return c->inexact_line == 0 || cli_fail("%s:%zu: %s", c->s->name, c->inexact_line, c->inexact);
}

static bool bad_line(const number_check *c)
{
    return text_print_notes(c->s->name, &c->t, c->request->in.text_hint);
}

/* Blank lines are bad unless nothing follows them. */
static bool judge_blanks(number_check *c, text_line l)
{
    uint64_t ignored;

    for (; c->blanks > 0; c->blanks--, c->blank++)
        if (text_parse_line(&c->t, (text_line){l.begin, l.begin}, c->blank, &ignored) == TEXT_BAD)
            return bad_line(c);
    return true;
}

static bool check_number(number_check *c, bool *sorted)
{
    const char *const begin = source_line(c->s);
    const text_line   l = text_trim(begin, begin + c->s->length);
    const ordo_type   type = c->t.type;
    uint64_t          value = 0;

    if (l.begin == l.end) {
        c->blank = c->blanks++ == 0 ? c->s->number : c->blank;
        return true;
    }
    if (!judge_blanks(c, l))
        return false;
    text_result r = TEXT_WIDER;
    while (r == TEXT_WIDER) {
        r = text_parse_line(&c->t, l, c->s->number, &value);
        if (r == TEXT_WIDER && !widen(c, type))
            return false;
    }
    if (r != TEXT_NUMBER)
        return r == TEXT_SKIPPED || bad_line(c);
    if (c->t.choose && c->t.type != ORDO_F64 && c->inexact_line == 0 &&
        l.end - l.begin > SAFE_DIGITS) {
        double rounded;
        if (number_parse(ORDO_F64, l.begin, l.end, &rounded) == NUMBER_INEXACT) {
            c->inexact_line = c->s->number;
            (void)text_describe(c->inexact, ORDO_F64, false, l);
        }
    }
    if (c->t.n > 1) {
        const uint64_t before = direction_order(c, &c->before), now = direction_order(c, &value);
        *sorted = before < now || (before == now && !c->request->unique);
        if (!*sorted)
            complain(c->s->name, c->s->number, l.begin, (size_t)(l.end - l.begin));
    }
    c->before.bits = value;
    return true;
}

static bool check_text_numbers(const check_request *request, int type, source *s, bool *sorted)
{
    number_check  c = {.request = request,
                       .s = s,
                       .t = {.type = type != 0 ? (ordo_type)type : ORDO_I64,
                             .choose = type == 0,
                             .skip_bad = request->in.skip_bad}};
    source_result r = SOURCE_LINE;

    while (*sorted && (r = source_next(s)) == SOURCE_LINE)
        if (!check_number(&c, sorted))
            return false;
    return r != SOURCE_FAILED && text_print_notes(s->name, &c.t, request->in.text_hint);
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

    if (!source_fill(s, HEADER_BYTES))
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
