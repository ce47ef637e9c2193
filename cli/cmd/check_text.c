/* check_text.c - whether numbers in text are sorted (see check_text.h).
 *
 * Without --dtype the type of the text is known at its end only. Integers are compared as i64 or
 * u64 until a line needs f64. If an integer before it has no exact f64, that is an error then, as
 * it is when the whole text is read. */
#include "cli/cmd/check_text.h"

#include "cli/ui/options.h"
#include "cli/io/textnum.h"
#include "cli/io/textread.h"

#include <math.h>
#include <string.h>

typedef union number {
    int8_t   i8;
    int16_t  i16;
    int32_t  i32;
    int64_t  i64;
    uint8_t  u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    float    f32;
    double   f64;
} number;

typedef struct reader {
    const check_request *request;
    linestream          *s;
    ordo_type            type;
    bool                 choose; /* the type */
    bool                 any_negative;
    number               before;  /* the number before this line */
    size_t               numbers; /* read so far */
    size_t               skipped, first_skipped, rounded, first_rounded;
    size_t               blank; /* the first of the blank lines just before this one; 0: none */
    size_t               blanks;
    size_t               inexact_line; /* the first integer without an exact f64; 0: none */
    char                 inexact[TEXT_WHY];
} reader;

static int compare_floats(double a, double b, bool descending)
{
    if (isnan(a) || isnan(b)) /* last, either way */
        return isnan(a) - isnan(b);
    const int order = (a > b) - (a < b);
    return descending ? -order : order;
}

static int compare_u64(uint64_t a, uint64_t b, bool descending)
{
    const int order = (a > b) - (a < b);
    return descending ? -order : order;
}

static int compare_i64(int64_t a, int64_t b, bool descending)
{
    const int order = (a > b) - (a < b);
    return descending ? -order : order;
}

static int compare(ordo_type type, const number *a, const number *b, bool descending)
{
    switch (type) {
    case ORDO_I8:
        return compare_i64(a->i8, b->i8, descending);
    case ORDO_I16:
        return compare_i64(a->i16, b->i16, descending);
    case ORDO_I32:
        return compare_i64(a->i32, b->i32, descending);
    case ORDO_I64:
        return compare_i64(a->i64, b->i64, descending);
    case ORDO_U8:
        return compare_u64(a->u8, b->u8, descending);
    case ORDO_U16:
        return compare_u64(a->u16, b->u16, descending);
    case ORDO_U32:
        return compare_u64(a->u32, b->u32, descending);
    case ORDO_U64:
        return compare_u64(a->u64, b->u64, descending);
    case ORDO_F32:
        return compare_floats((double)a->f32, (double)b->f32, descending);
    case ORDO_F64:
        return compare_floats(a->f64, b->f64, descending);
    }
    return 0;
}

/* Whether an i64 or u64 changes when it becomes an f64. */
static bool is_inexact(ordo_type type, const number *v)
{
    const uint64_t size = type == ORDO_I64 && v->i64 < 0 ? (uint64_t)0 - v->u64 : v->u64;
    return size > UINT64_C(1) << 53 && (double)size < 0x1p64 ? (uint64_t)(double)size != size
                                                             : size > UINT64_C(1) << 53;
}

/* Goes on with a wider type. False after a message. */
static bool widen(reader *r, ordo_type wider)
{
    if (wider == ORDO_F64 && r->inexact_line > 0) {
        cli_error("%s:%zu: %s", r->s->name, r->inexact_line, r->inexact);
        return false;
    }
    if (wider == ORDO_F64)
        r->before.f64 = r->type == ORDO_I64 ? (double)r->before.i64 : (double)r->before.u64;
    r->type = wider;
    return true;
}

static bool bad_line(reader *r, size_t line, text_line l, bool skip)
{
    char why[TEXT_WHY];

    if (skip) {
        if (r->skipped++ == 0)
            r->first_skipped = line;
        return true;
    }
    const bool no_number = text_describe(why, r->choose ? ORDO_F64 : r->type, !r->choose, l);
    cli_error("%s:%zu: %s%s", r->s->name, line, why,
              no_number && line == 1 ? input_text_hint(&r->request->in) : "");
    return false;
}

/* Reads the current line into *v. *found is false for a line that is skipped. False after a
 * message. */
static bool read_number(reader *r, text_line l, number *v, bool *found)
{
    number_result result = number_parse(r->type, l.begin, l.end, v);
    const int     wider =
        r->choose && (result != NUMBER_OK) ? text_wider_type(r->type, l, r->any_negative) : 0;

    *found = true;
    if (wider != 0) {
        if (!widen(r, (ordo_type)wider))
            return false;
        result = number_parse(r->type, l.begin, l.end, v);
    }
    if (result == NUMBER_INEXACT && !r->choose) {
        if (r->rounded++ == 0)
            r->first_rounded = r->s->number;
        result = NUMBER_OK;
    }
    if (result != NUMBER_OK) {
        *found = false;
        return bad_line(r, r->s->number, l, r->request->in.skip_bad && result != NUMBER_INEXACT);
    }
    r->any_negative |= *l.begin == '-';
    if (r->choose && r->type != ORDO_F64 && r->inexact_line == 0 && is_inexact(r->type, v)) {
        r->inexact_line = r->s->number;
        (void)text_describe(r->inexact, ORDO_F64, false, l);
    }
    return true;
}

/* Blank lines are bad unless nothing follows. */
static bool judge_blanks(reader *r, text_line l)
{
    const size_t first = r->blank, blanks = r->blanks;

    r->blank = r->blanks = 0;
    if (first == 0)
        return true;
    l.end = l.begin;
    if (!bad_line(r, first, l, r->request->in.skip_bad))
        return false;
    r->skipped += blanks - 1;
    return true;
}

static bool check_line(reader *r, bool *sorted)
{
    const char *const begin = linestream_line(r->s);
    const text_line   l = text_trim(begin, begin + r->s->length);
    number            v = {.u64 = 0};
    bool              found;

    if (l.begin == l.end) {
        r->blank = r->blanks++ == 0 ? r->s->number : r->blank;
        return true;
    }
    if (!judge_blanks(r, l) || !read_number(r, l, &v, &found))
        return false;
    if (!found)
        return true;
    if (r->numbers++ > 0) {
        const int order = compare(r->type, &r->before, &v, r->request->descending);
        *sorted = order < 0 || (order == 0 && !r->request->unique);
        if (!*sorted)
            check_complain(r->s->name, r->s->number, l.begin, (size_t)(l.end - l.begin));
    }
    r->before = v;
    return true;
}

bool check_text_numbers(const check_request *request, linestream *s, bool *sorted)
{
    reader            r = {.request = request, .s = s, .type = ORDO_I64, .choose = true};
    linestream_result next = LINESTREAM_LINE;

    if (request->in.dtype != NULL) {
        r.type = (ordo_type)option_dtype(request->in.dtype, false);
        r.choose = false;
        if (r.type == 0)
            return false;
    }
    while (*sorted && (next = linestream_next(s)) == LINESTREAM_LINE)
        if (!check_line(&r, sorted))
            return false;
    if (next == LINESTREAM_FAILED)
        return false;
    const text_notes notes = {r.type,          r.numbers, r.skipped,
                              r.first_skipped, r.rounded, r.first_rounded};
    return text_print_notes(s->name, &notes);
}
