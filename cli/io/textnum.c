/* textnum.c - reading one number of text.
 *
 * Integers by hand with overflow checks. Floats: the grammar is checked by hand, so that nothing
 * strtod() would accept beyond it (hexadecimal, nan(...)) gets through; then, if the decimal
 * significand and the power of ten are both exact in the type, one multiplication or division
 * rounds correctly; otherwise strtod() or strtof() do. The program never calls setlocale(), so
 * the decimal separator is a point. */
#define _POSIX_C_SOURCE 200809L

#include "cli/io/textnum.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    EXPONENT_MAX = 100000, /* beyond every float; keeps the arithmetic from overflowing */
    EXACT_DIGITS = 320     /* of the largest f64, and a NUL                             */
};

typedef struct decimal { /* (-1)^negative * significand * 10^exponent, if exact */
    bool     negative, exact, integer, special;
    uint64_t significand;
    int      exponent;
} decimal;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Takes digits into the significand while it cannot overflow. */
static const char *scan_digits(const char *p, decimal *d, bool fraction)
{
    for (; is_digit(*p); p++) {
        if (d->significand > (UINT64_MAX - 9) / 10 || d->exponent < -EXPONENT_MAX) {
            d->exact = false;
            continue;
        }
        d->significand = d->significand * 10 + (uint64_t)(*p - '0');
        d->exponent -= fraction;
    }
    return p;
}

static const char *scan_exponent(const char *p, decimal *d)
{
    const bool negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    if (!is_digit(*p))
        return NULL;
    int value = 0;
    for (; is_digit(*p); p++)
        if (value < EXPONENT_MAX)
            value = value * 10 + (*p - '0');
    d->exponent += negative ? -value : value;
    return p;
}

static bool is_word(const char *p, const char *end, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(end - p) == length && strncasecmp(p, word, length) == 0;
}

/* Checks that [p, end) is a number and takes it apart. */
static bool scan_decimal(const char *p, const char *end, decimal *d)
{
    *d = (decimal){.exact = true, .integer = true};
    if (p < end && (*p == '-' || *p == '+'))
        d->negative = *p++ == '-';
    if (is_word(p, end, "nan") || is_word(p, end, "inf") || is_word(p, end, "infinity")) {
        d->exact = d->integer = false;
        d->special = true;
        return true;
    }
    const char *const whole = p;
    p = scan_digits(p, d, false);
    size_t digits = (size_t)(p - whole);
    if (*p == '.') {
        const char *const fraction = ++p;
        d->integer = false;
        p = scan_digits(p, d, true);
        digits += (size_t)(p - fraction);
    }
    if (digits == 0)
        return false;
    if (*p == 'e' || *p == 'E') {
        d->integer = false;
        p = scan_exponent(p + 1, d);
    }
    return p == end;
}

/* Whether v, a float that the integer text was rounded to, is that integer. */
static bool is_same_integer(const char *text, const decimal *d, double v)
{
    const double size = fabs(v);
    char         digits[EXACT_DIGITS];

    if (d->exact)
        return size < 0x1p64 && (uint64_t)size == d->significand;
    snprintf(digits, sizeof digits, "%.0f", size);
    text += *text == '-' || *text == '+';
    while (*text == '0')
        text++;
    const size_t length = strlen(digits);
    return strncmp(text, digits, length) == 0 && !is_digit(text[length]);
}

static number_result rounded(const char *text, const decimal *d, double v)
{
    if (isinf(v) && !d->special)
        return NUMBER_RANGE;
    return d->integer && !is_same_integer(text, d, v) ? NUMBER_INEXACT : NUMBER_OK;
}

static number_result parse_f64(const char *text, const decimal *d, double *out)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (d->exact && d->significand <= UINT64_C(1) << 53 && d->exponent >= -22 &&
        d->exponent <= 22) {
        const double s = (double)d->significand;
        const double v = d->exponent < 0 ? s / powers[-d->exponent] : s * powers[d->exponent];
        *out = d->negative ? -v : v;
        return NUMBER_OK;
    }
    *out = strtod(text, NULL);
    return rounded(text, d, *out);
}

static number_result parse_f32(const char *text, const decimal *d, float *out)
{
    static const float powers[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f,
                                   1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
    if (d->exact && d->significand <= UINT64_C(1) << 24 && d->exponent >= -10 &&
        d->exponent <= 10) {
        const float s = (float)d->significand;
        const float v = d->exponent < 0 ? s / powers[-d->exponent] : s * powers[d->exponent];
        *out = d->negative ? -v : v;
        return NUMBER_OK;
    }
    *out = strtof(text, NULL);
    return rounded(text, d, (double)*out);
}

/* Digits of an integer; anything else is told apart by scan_decimal(). */
static number_result parse_magnitude(const char *text, const char *p, const char *end,
                                     uint64_t *out)
{
    uint64_t value = 0;
    bool     overflow = p == end;

    for (; p < end && is_digit(*p); p++) {
        const uint64_t digit = (uint64_t)(*p - '0');
        if (value > (UINT64_MAX - 9) / 10)
            overflow |= __builtin_mul_overflow(value, UINT64_C(10), &value) ||
                        __builtin_add_overflow(value, digit, &value);
        else
            value = value * 10 + digit;
    }
    *out = value;
    if (p == end && !overflow)
        return NUMBER_OK;
    decimal d;
    if (!scan_decimal(text, end, &d))
        return NUMBER_BAD;
    return d.integer ? NUMBER_RANGE : NUMBER_NOT_INTEGER;
}

static number_result parse_signed(const char *text, const char *end, int64_t least, int64_t most,
                                  int64_t *out)
{
    const bool          negative = text < end && *text == '-';
    const bool          sign = text < end && (*text == '-' || *text == '+');
    uint64_t            magnitude;
    const number_result r = parse_magnitude(text, text + sign, end, &magnitude);

    if (r != NUMBER_OK)
        return r;
    if (magnitude > (negative ? (uint64_t)0 - (uint64_t)least : (uint64_t)most))
        return NUMBER_RANGE;
    *out = negative ? (int64_t)((uint64_t)0 - magnitude) : (int64_t)magnitude;
    return NUMBER_OK;
}

static number_result parse_unsigned(const char *text, const char *end, uint64_t most, uint64_t *out)
{
    const bool          negative = text < end && *text == '-';
    const bool          sign = text < end && (*text == '-' || *text == '+');
    uint64_t            magnitude;
    const number_result r = parse_magnitude(text, text + sign, end, &magnitude);

    if (r != NUMBER_OK)
        return r;
    if (magnitude > (negative ? 0 : most))
        return NUMBER_RANGE;
    *out = magnitude;
    return NUMBER_OK;
}

static number_result parse_float(ordo_type type, const char *text, const char *end, void *out)
{
    decimal d;
    if (!scan_decimal(text, end, &d))
        return NUMBER_BAD;
    return type == ORDO_F32 ? parse_f32(text, &d, out) : parse_f64(text, &d, out);
}

number_result number_parse(ordo_type type, const char *text, const char *end, void *out)
{
    int64_t       s = 0;
    uint64_t      u = 0;
    number_result r = NUMBER_BAD;

    switch (type) {
    case ORDO_I8:
        r = parse_signed(text, end, INT8_MIN, INT8_MAX, &s);
        if (r == NUMBER_OK)
            *(int8_t *)out = (int8_t)s;
        return r;
    case ORDO_I16:
        r = parse_signed(text, end, INT16_MIN, INT16_MAX, &s);
        if (r == NUMBER_OK)
            *(int16_t *)out = (int16_t)s;
        return r;
    case ORDO_I32:
        r = parse_signed(text, end, INT32_MIN, INT32_MAX, &s);
        if (r == NUMBER_OK)
            *(int32_t *)out = (int32_t)s;
        return r;
    case ORDO_I64:
        return parse_signed(text, end, INT64_MIN, INT64_MAX, out);
    case ORDO_U8:
        r = parse_unsigned(text, end, UINT8_MAX, &u);
        if (r == NUMBER_OK)
            *(uint8_t *)out = (uint8_t)u;
        return r;
    case ORDO_U16:
        r = parse_unsigned(text, end, UINT16_MAX, &u);
        if (r == NUMBER_OK)
            *(uint16_t *)out = (uint16_t)u;
        return r;
    case ORDO_U32:
        r = parse_unsigned(text, end, UINT32_MAX, &u);
        if (r == NUMBER_OK)
            *(uint32_t *)out = (uint32_t)u;
        return r;
    case ORDO_U64:
        return parse_unsigned(text, end, UINT64_MAX, out);
    case ORDO_F32:
    case ORDO_F64:
        return parse_float(type, text, end, out);
    }
    return r;
}
