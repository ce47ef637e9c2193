/* text_fast.c - plain lines of numbers (see text_numbers.h).
 *
 * Each thread reads a chunk. If the type is to be chosen, a chunk is read as integers up to the
 * first fraction; its integers so far are then converted. At the end, if any chunk has
 * fractions, those without are converted. Eight digits are read at a time, by three
 * multiplications. */
#include "cli/io/text/text_numbers.h"

#include "cli/base/workers.h"
#include "cli/io/number/digits.h"
#include "cli/io/number/number.h"
#include "cli/io/text/text_lines.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
    LEAST_CHUNK = 1 << 16, /* bytes */
    MOST_DIGITS = 19,      /* fit in 64 bits, whatever they are         */
    SURE_DIGITS = 15       /* decimal digits that f64 holds without loss */
};

typedef union slot64 {
    uint64_t bits;
    int64_t  integer;
    double   real;
} slot64;

/* ---- Cutting the text ---- */

static void count_chunk(void *user, size_t i)
{
    fast_text *const  f = user;
    fast_chunk *const c = &f->chunk[i];

    c->n = lines_count_ends(f->text + c->begin, c->end - c->begin, '\n');
    c->n += c->end > c->begin && f->text[c->end - 1] != '\n';
}

void fast_split(fast_text *f)
{
    const size_t most = 4 * workers_count() < FAST_CHUNKS ? 4 * workers_count() : FAST_CHUNKS;
    const size_t fit = f->length / LEAST_CHUNK + 1;
    size_t       begins[FAST_CHUNKS + 1];

    f->chunks = fit < most ? fit : most;
    lines_divide(f->text, f->length, '\n', f->chunks, begins);
    for (size_t i = 0; i < f->chunks; i++)
        f->chunk[i] = (fast_chunk){.begin = begins[i], .end = begins[i + 1]};
    workers_run(f->chunks, count_chunk, f);
    f->lines = 0;
    for (size_t i = 0; i < f->chunks; i++) {
        f->chunk[i].first = f->lines;
        f->lines += f->chunk[i].n;
    }
}

/* ---- One line ---- */

typedef struct plain_number {
    bool     negative, fraction; /* fraction: a point or an exponent was there */
    uint64_t significand;
    int      digits;   /* of the significand, leading zeros included */
    int      exponent; /* of ten                                     */
} plain_number;

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* Takes digits into the significand; more than MOST_DIGITS in all are noticed by the caller. */
static inline const char *take_digits(const char *p, const char *limit, plain_number *x)
{
    const char *const first = p;
    uint64_t          value = x->significand;

    p = digits_read(p, limit > p ? (size_t)(limit - p) / 8 : 0, &value);
    for (; is_digit(*p); p++)
        value = value * 10 + (uint64_t)(*p - '0');
    x->significand = value;
    x->digits += p - first < 1000 ? (int)(p - first) : 1000;
    return p;
}

/* Whether an integer of 20 digits, whose last one is before p, fits in 64 bits: its significand has
 * not wrapped if it is at least 10^19, because the first digit is 1. */
static bool has_twenty(const char *p, const plain_number *x)
{
    return x->digits == MOST_DIGITS + 1 && !x->fraction && p[-x->digits] == '1' &&
           x->significand >= UINT64_C(10000000000000000000) && *p != 'e' && *p != 'E';
}

/* Reads digits, a fraction and an exponent from p on; NULL if that is not plain. */
static inline const char *take_number(const char *p, const char *limit, plain_number *x)
{
    *x = (plain_number){.negative = *p == '-'};
    p += *p == '-' || *p == '+';
    p = take_digits(p, limit, x);
    if (*p == '.') {
        const int before = x->digits;
        x->fraction = true;
        p = take_digits(p + 1, limit, x);
        x->exponent = before - x->digits;
    }
    if (x->digits == 0 || (x->digits > MOST_DIGITS && !has_twenty(p, x)))
        return NULL;
    if (*p == 'e' || *p == 'E') {
        const bool negative = p[1] == '-';
        int        value = 0, count = 0;
        x->fraction = true;
        p += 1 + (p[1] == '-' || p[1] == '+');
        for (; is_digit(*p) && count < 5; p++, count++)
            value = value * 10 + (*p - '0');
        if (count == 0 || is_digit(*p))
            return NULL;
        x->exponent += negative ? -value : value;
    }
    return p;
}

/* The start of the next line, or NULL if the line does not end at p. */
static inline const char *line_end(const char *p, const char *limit)
{
    if (p < limit && *p == '\r')
        p++;
    return p == limit ? p : p < limit && *p == '\n' ? p + 1 : NULL;
}

/* The end of a line that starts at p, without CR and LF. */
static const char *line_stop(const char *p, const char *limit, const char **next)
{
    const char *const stop = memchr(p, '\n', (size_t)(limit - p));
    const char       *end = stop != NULL ? stop : limit;

    *next = stop != NULL ? stop + 1 : limit;
    return end > p && end[-1] == '\r' ? end - 1 : end;
}

/* Reads a line in the general way. NULL if it is not a number of the type, exactly. */
static const char *general(ordo_type type, const char *p, const char *limit, void *value)
{
    const char       *next;
    const char *const end = line_stop(p, limit, &next);

    return end > p && number_parse(type, p, end, value) == NUMBER_OK ? next : NULL;
}

/* ---- Lines that equal the output ---- */

/* Whether text[0..length) is digits without a zero in front, or a minus and such digits. */
static bool is_output_integer(const char *text, size_t length)
{
    const size_t minus = length > 0 && text[0] == '-';

    if (length == 1 && text[0] == '0')
        return true;
    if (length <= minus || text[minus] < '1' || text[minus] > '9')
        return false;
    for (size_t i = minus + 1; i < length; i++)
        if (!is_digit(text[i]))
            return false;
    return true;
}

/* Whether text is surely what number_format() writes for this f64: a decimal of few digits with no
 * zeros to leave out, in the range that is written without an exponent. */
static bool is_short_decimal(const char *text, size_t length, double value)
{
    const size_t      minus = text[0] == '-';
    const char *const point = memchr(text, '.', length);

    if (point == NULL || length > SURE_DIGITS + minus + 1 || fabs(value) < 1e-4 ||
        text[length - 1] < '1' || text[length - 1] > '9')
        return false;
    if (!is_output_integer(text + minus, (size_t)(point - text) - minus))
        return false;
    for (const char *p = point + 1; p < text + length; p++)
        if (!is_digit(*p))
            return false;
    return true;
}

bool fast_is_output(ordo_type type, const char *text, size_t length, const void *value)
{
    char made[NUMBER_TEXT_MAX];

    if (type != ORDO_F64 && type != ORDO_F32)
        return is_output_integer(text, length);
    return (type == ORDO_F64 && is_short_decimal(text, length, *(const double *)value)) ||
           (length <= sizeof made && number_format(type, value, made) == length &&
            memcmp(made, text, length) == 0);
}

/* Looks at the line [p, next), whose number is *value. */
static void judge_line(fast_chunk *c, const char *p, const char *next, ordo_type type,
                       const void *value)
{
    const size_t length = (size_t)(next - p) - (next > p && next[-1] == '\n');

    if (c->longest < length)
        c->longest = length;
    if (c->own_text)
        return;
    c->own_text = !fast_is_output(type, p, length, value);
    c->long_integer |= type != ORDO_F64 && type != ORDO_F32 && length > SURE_DIGITS;
}

/* The same for an integer of x->digits digits. */
static inline void judge_integer(fast_chunk *c, const char *p, const char *next,
                                 const plain_number *x)
{
    const size_t length = (size_t)(next - p) - (next > p && next[-1] == '\n');

    if (x->digits == 0) { /* integer_line() read it in the general way */
        judge_line(c, p, next, ORDO_I64, NULL);
        return;
    }
    if (c->longest < length)
        c->longest = length;
    c->own_text |=
        length != x->negative + (size_t)x->digits || (p[x->negative] == '0' && length != 1);
    c->long_integer |= length > SURE_DIGITS;
}

bool fast_own_text(const fast_text *f)
{
    bool own = false, floats = f->type == ORDO_F64;

    for (size_t i = 0; i < f->chunks; i++)
        own |= f->chunk[i].own_text || (floats && f->chunk[i].long_integer);
    return own;
}

size_t fast_longest(const fast_text *f)
{
    size_t longest = 0;

    for (size_t i = 0; i < f->chunks; i++)
        longest = f->chunk[i].longest > longest ? f->chunk[i].longest : longest;
    return longest;
}

/* ---- One chunk ---- */

/* Whether the integers of a chunk can become f64 as text_numbers.c would read them. */
static bool may_be_reals(const fast_chunk *c)
{
    return c->inexact == 0 && !c->minus_zero && !(c->beyond && c->negative);
}

static void integers_to_reals(slot64 *v, size_t n, bool beyond)
{
    for (size_t i = 0; i < n; i++)
        v[i].real = beyond ? (double)v[i].bits : (double)v[i].integer;
}

/* Whether f64 holds the integer. */
static inline bool fits_real(uint64_t m)
{
    return m >> 53 == 0 || ((double)m < 0x1p64 && (uint64_t)(double)m == m);
}

/* Reads line i, an integer, into *value. NULL if it is beyond i64 and u64, or no integer. */
static inline const char *integer_line(fast_chunk *c, const char *p, const char *limit,
                                       plain_number *x, const char *stop, size_t i, slot64 *value)
{
    const uint64_t top = UINT64_C(1) << 63;
    const char    *next = stop != NULL ? line_end(stop, limit) : NULL;

    if (stop == NULL) { /* more digits than MOST_DIGITS, some of them perhaps zeros */
        *x = (plain_number){.negative = *p == '-'};
        next = general(x->negative ? ORDO_I64 : ORDO_U64, p, limit, &x->significand);
        x->significand = x->negative ? 0 - x->significand : x->significand;
    }
    const uint64_t m = x->significand;
    if (next == NULL || x->fraction || (x->negative && m > top))
        return NULL;
    value->bits = x->negative ? 0 - m : m;
    c->negative |= x->negative;
    c->minus_zero |= x->negative && m == 0;
    c->beyond |= !x->negative && m >= top;
    if (c->inexact == 0 && !fits_real(m)) {
        c->inexact = i + 1;
        c->inexact_text = p;
    }
    return next;
}

/* The next line of a chunk that is f64: the number goes to *value. */
static inline const char *real_line(const char *p, const char *limit, const plain_number *x,
                                    const char *stop, double *value)
{
    const char *const next = stop != NULL ? line_end(stop, limit) : NULL;
    double            size;

    if (next == NULL || !number_scale(x->significand, x->exponent, &size))
        return general(ORDO_F64, p, limit, value);
    if (!x->fraction && !fits_real(x->significand))
        return NULL;
    *value = x->negative ? -size : size;
    return next;
}

/* Reads a chunk whose type is to be chosen. */
static void read_chosen(const fast_text *f, fast_chunk *c, bool only_integers)
{
    const char *p = f->text + c->begin, *const limit = f->text + c->end;
    slot64 *const values = (slot64 *)f->values + c->first;

    c->floats = f->type == ORDO_F64;
    for (size_t i = 0; i < c->n; i++) {
        plain_number      x;
        const char *const stop = take_number(p, limit, &x);
        const char       *next = NULL;
        if (!c->floats && (next = integer_line(c, p, limit, &x, stop, i, &values[i])) != NULL) {
            if (f->judge)
                judge_integer(c, p, next, &x);
            p = next;
            continue;
        }
        if (!c->floats) {
            if (only_integers || !may_be_reals(c))
                return;
            integers_to_reals(values, i, c->beyond);
            c->floats = true;
        }
        if ((next = real_line(p, limit, &x, stop, &values[i].real)) == NULL)
            return;
        if (f->judge)
            judge_line(c, p, next, ORDO_F64, &values[i]);
        p = next;
    }
    c->plain = true;
}

/* Reads a chunk whose type is given. */
static void read_given(const fast_text *f, fast_chunk *c)
{
    const char *p = f->text + c->begin, *const limit = f->text + c->end;
    const size_t size = ordo_type_size(f->type);
    char *const  values = (char *)f->values + c->first * size;

    for (size_t i = 0; i < c->n && p != NULL; i++) {
        const char *const next = general(f->type, p, limit, values + i * size);
        if (f->judge && next != NULL)
            judge_line(c, p, next, f->type, values + i * size);
        p = next;
    }
    c->plain = p != NULL;
}

typedef struct reading {
    fast_text *f;
    bool       only_integers;
} reading;

static void read_one(void *user, size_t i)
{
    const reading *const r = user;

    if (r->f->choose)
        read_chosen(r->f, &r->f->chunk[i], r->only_integers);
    else
        read_given(r->f, &r->f->chunk[i]);
}

static void convert_one(void *user, size_t i)
{
    fast_text *const  f = user;
    fast_chunk *const c = &f->chunk[i];

    if (!c->floats)
        integers_to_reals((slot64 *)f->values + c->first, c->n, c->beyond);
}

bool fast_read(fast_text *f, bool any_negative, bool only_integers)
{
    reading r = {f, only_integers};
    bool    floats = false, beyond = f->type == ORDO_U64, reals = true, plain = true;

    workers_run(f->chunks, read_one, &r);
    for (size_t i = 0; i < f->chunks; i++) {
        plain &= f->chunk[i].plain;
        floats |= f->chunk[i].floats;
        any_negative |= f->chunk[i].negative;
        beyond |= f->chunk[i].beyond;
        reals &= f->chunk[i].floats || may_be_reals(&f->chunk[i]);
    }
    if (!plain || !f->choose)
        return plain;
    if (floats ? !reals : beyond && any_negative)
        return false;
    if (floats)
        workers_run(f->chunks, convert_one, f);
    f->type = floats ? ORDO_F64 : beyond ? ORDO_U64 : ORDO_I64;
    return true;
}
