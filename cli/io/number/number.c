/* number.c - reading and writing one number (see number.h).
 *
 * Reading: integers by hand with overflow checks. For floats the grammar is checked by hand,
 * because strtod() accepts more (hexadecimal, nan(...)). If the decimal significand and the power
 * of ten are both exact in the type, one multiplication or division rounds correctly. Otherwise the
 * product with a power of ten of 128 bits decides (Lemire, Number parsing at a gigabyte per second,
 * 2021), and strtod() or strtof() where that is too close to call. The program never calls
 * setlocale(), so the separator is a point. Writing: see number_format.c. */
#define _POSIX_C_SOURCE 200809L

#include "cli/io/number/number.h"

#include "cli/io/number/powers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

__extension__ typedef unsigned __int128 wide;

enum {
    EXPONENT_MAX = 100000, /* numbers with larger exponents are left to strtod()         */
    EXACT_DIGITS = 320,    /* of the largest f64, and a NUL                             */
    EXACT_POWER = 22       /* the largest power of ten that f64 holds exactly           */
};

static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                               1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                               1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

typedef struct float_kind {
    int bits;  /* of the significand                         */
    int power; /* 10^power is the largest exact power of ten */
} float_kind;

static const float_kind kind_f32 = {24, 10};
static const float_kind kind_f64 = {53, EXACT_POWER};

static const struct { /* the integer types */
    size_t   size;
    uint64_t most, negative; /* the greatest value, and the magnitude of the least */
} integers[] = {
    [ORDO_I8] = {1, INT8_MAX, UINT64_C(1) << 7},    [ORDO_U8] = {1, UINT8_MAX, 0},
    [ORDO_I16] = {2, INT16_MAX, UINT64_C(1) << 15}, [ORDO_U16] = {2, UINT16_MAX, 0},
    [ORDO_I32] = {4, INT32_MAX, UINT64_C(1) << 31}, [ORDO_U32] = {4, UINT32_MAX, 0},
    [ORDO_I64] = {8, INT64_MAX, UINT64_C(1) << 63}, [ORDO_U64] = {8, UINT64_MAX, 0},
};

typedef struct decimal { /* (-1)^negative * significand * 10^exponent, if exact */
    bool     negative, exact, integer, special;
    uint64_t significand;
    int      exponent;
} decimal;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Takes digits into the significand, which is exact as long as they fit. */
static const char *scan_digits(const char *p, decimal *d, bool fraction)
{
    const char *const first = p;
    uint64_t          value = d->significand;
    bool              fits = d->exact;

    for (; is_digit(*p); p++) {
        const uint64_t digit = (uint64_t)(*p - '0');
        fits &= value < UINT64_MAX / 10 || (value == UINT64_MAX / 10 && digit <= UINT64_MAX % 10);
        value = value * 10 + digit;
    }
    d->significand = value;
    d->exact = fits && (!fraction || p - first < EXPONENT_MAX);
    if (fraction && d->exact)
        d->exponent -= (int)(p - first);
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
    d->exact &= value < EXPONENT_MAX;
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
    if (!is_digit(*p) &&
        (is_word(p, end, "nan") || is_word(p, end, "inf") || is_word(p, end, "infinity"))) {
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

/* significand * 10^q as f64, rounded to nearest. False if it is no normal number, or too close to
 * the middle of two numbers for 128 bits. */
static bool scale_by_power(uint64_t significand, int q, double *out)
{
    const uint64_t cut = UINT64_MAX >> 55; /* bits below the significand and its rounding bit */

    if (q < LEAST_POWER || q > 308 || significand == 0)
        return false;
    const int      zeros = __builtin_clzll(significand);
    const power10  power = power_of_ten(q);
    const uint64_t w = significand << zeros;
    wide           product = (wide)w * power.high;
    if (((uint64_t)(product >> 64) & cut) == cut)
        product += (uint64_t)((wide)w * power.low >> 64);
    const uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    if (low == UINT64_MAX && (q < -27 || q > 55))
        return false;
    const int carried = (int)(high >> 63), shift = carried + 9;
    uint64_t  m = high >> shift; /* 53 bits and one for rounding */
    int       exponent = power_exponent(q) + 127 + 63 + carried - zeros + 1023;
    if (exponent <= 0)
        return false;
    if (low <= 1 && q >= -4 && q <= 23 && (m & 3) == 1 && m << shift == high)
        m &= ~UINT64_C(1); /* exactly in the middle: to even */
    m = (m + (m & 1)) >> 1;
    if (m >> 53 != 0) {
        m >>= 1;
        exponent++;
    }
    if (exponent >= 2047)
        return false;
    const uint64_t bits = (uint64_t)exponent << 52 | (m & ((UINT64_C(1) << 52) - 1));
    memcpy(out, &bits, sizeof bits);
    return true;
}

bool number_scale(uint64_t significand, int q, double *out)
{
    if (significand <= UINT64_C(1) << 53 && abs(q) <= EXACT_POWER) {
        *out = q < 0 ? (double)significand / powers[-q] : (double)significand * powers[q];
        return true;
    }
    return scale_by_power(significand, q, out);
}

/* Both operands of the product or quotient are exact in the type. For f32, rounding the f64 result
 * once more gives the correctly rounded f32: f64 has more than twice the digits. */
static number_result parse_float(const float_kind *kind, const char *text, const char *end,
                                 double *out)
{
    decimal d;

    if (!scan_decimal(text, end, &d))
        return NUMBER_BAD;
    const bool exact =
        d.exact && d.significand <= UINT64_C(1) << kind->bits && abs(d.exponent) <= kind->power;
    if (exact || (d.exact && kind == &kind_f64)) {
        double v;
        if (number_scale(d.significand, d.exponent, &v)) {
            *out = d.negative ? -v : v;
            return exact || !d.integer || is_same_integer(text, &d, *out) ? NUMBER_OK
                                                                          : NUMBER_INEXACT;
        }
    }
    *out = kind == &kind_f32 ? (double)strtof(text, NULL) : strtod(text, NULL);
    if (isinf(*out) && !d.special)
        return NUMBER_RANGE;
    return d.integer && !is_same_integer(text, &d, *out) ? NUMBER_INEXACT : NUMBER_OK;
}

static number_result parse_integer(ordo_type type, const char *text, const char *end, void *out)
{
    decimal d;

    if (!scan_decimal(text, end, &d))
        return NUMBER_BAD;
    if (!d.integer)
        return NUMBER_NOT_INTEGER;
    if (!d.exact || d.significand > (d.negative ? integers[type].negative : integers[type].most))
        return NUMBER_RANGE;
    const uint64_t value = d.negative ? 0 - d.significand : d.significand;
    if (integers[type].size == 1)
        *(uint8_t *)out = (uint8_t)value;
    else if (integers[type].size == 2)
        *(uint16_t *)out = (uint16_t)value;
    else if (integers[type].size == 4)
        *(uint32_t *)out = (uint32_t)value;
    else
        *(uint64_t *)out = value;
    return NUMBER_OK;
}

number_result number_parse(ordo_type type, const char *text, const char *end, void *out)
{
    if (type != ORDO_F32)
        return type == ORDO_F64 ? parse_float(&kind_f64, text, end, out)
                                : parse_integer(type, text, end, out);
    double              v = 0;
    const number_result r = parse_float(&kind_f32, text, end, &v);
    if (r != NUMBER_BAD)
        *(float *)out = (float)v;
    return r;
}
