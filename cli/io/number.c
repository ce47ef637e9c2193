/* number.c - reading and writing one number (see number.h).
 *
 * Reading: integers by hand with overflow checks. For floats the grammar is checked by hand,
 * because strtod() accepts more (hexadecimal, nan(...)). If the decimal significand and the power
 * of ten are both exact in the type, one multiplication or division rounds correctly; otherwise
 * strtod() or strtof() is used. The program never calls setlocale(), so the separator is a point.
 *
 * Writing: a float is written as the first of %.15g, %.16g, %.17g (f32: %.6g to %.9g) that reads
 * back as the same value; format_exact() computes the same characters faster. */
#define _POSIX_C_SOURCE 200809L

#include "cli/io/number.h"

#include "cli/io/keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

__extension__ typedef unsigned __int128 wide;

enum {
    EXPONENT_MAX = 100000, /* beyond every float; keeps the arithmetic from overflowing */
    EXACT_DIGITS = 320,    /* of the largest f64, and a NUL                             */
    MOST_POWER = 22        /* the largest power of ten that f64 holds exactly           */
};

static const double powers[MOST_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

typedef struct float_kind {
    int bits;       /* of the significand                            */
    int power;      /* 10^power is the largest exact power of ten    */
    int min_digits; /* always survive text -> float -> text          */
    int max_digits; /* always survive float -> text -> float         */
} float_kind;

static const float_kind kind_f32 = {24, 10, 6, 9};
static const float_kind kind_f64 = {53, MOST_POWER, 15, 17};

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

/* Both operands of the product or quotient are exact in the type. For f32, rounding the f64 result
 * once more gives the correctly rounded f32: f64 has more than twice the digits. */
static number_result parse_float(const float_kind *kind, const char *text, const char *end,
                                 double *out)
{
    decimal d;

    if (!scan_decimal(text, end, &d))
        return NUMBER_BAD;
    if (d.exact && d.significand <= UINT64_C(1) << kind->bits && abs(d.exponent) <= kind->power) {
        const double s = (double)d.significand;
        const double v = d.exponent < 0 ? s / powers[-d.exponent] : s * powers[d.exponent];
        *out = d.negative ? -v : v;
        return NUMBER_OK;
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

/* ---- Writing ---- */

static uint64_t power10(int exponent) { return (uint64_t)(int64_t)powers[exponent]; }

/* Numbers below 1000 take no branches, which random keys would mispredict: out gets three digits,
 * leading zeros shifted away. */
static size_t format_unsigned(uint64_t value, char *out)
{
    size_t n = 1u + (value >= 10) + (value >= 100);

    if (value < 1000) {
        const uint32_t v = (uint32_t)value;
        const uint64_t text = (v / 100 | v / 10 % 10 << 8 | v % 10 << 16) + 0x303030;
        for (size_t i = 0; i < 3; i++)
            out[i] = (char)(text >> 8 * (3 - n + i));
        return n;
    }
    for (uint64_t power = 1000; value >= power && n < 20; power *= 10)
        n++;
    size_t i = n;
    for (; value > UINT32_MAX; value /= 10)
        out[--i] = (char)('0' + value % 10);
    for (uint32_t rest = (uint32_t)value; i > 0; rest /= 10) /* 32-bit division is faster */
        out[--i] = (char)('0' + rest % 10);
    return n;
}

/* Writes digits, the first not 0, with the point after `whole` of them; whole may be 0 or negative.
 * Drops trailing zeros of the fraction, as %g does. */
static size_t place_point(uint64_t digits, int whole, char *out)
{
    char   text[20];
    size_t n = 0;
    int    count = (int)format_unsigned(digits, text);

    while (count > whole && count > 1 && text[count - 1] == '0')
        count--;
    if (whole <= 0) {
        out[n++] = '0';
        out[n++] = '.';
        for (int i = whole; i < 0; i++)
            out[n++] = '0';
    }
    for (int i = 0; i < count; i++) {
        if (i == whole && whole > 0)
            out[n++] = '.';
        out[n++] = text[i];
    }
    return n;
}

/* The fast path for 1e-4 <= v < 10^min_digits that is no integer, so that %g would use no exponent.
 * With v = m * 2^-s, the digits are those of m * 10^k / 2^s, exact in 128 bits. A rounded candidate
 * reads back as v if its distance to v is less than half the gap to the next float, or equal to it
 * and m is even. Returns 0 if the path does not apply. */
static size_t format_exact(double v, const float_kind *kind, char *out)
{
    int            exponent;
    const uint64_t m = (uint64_t)ldexp(frexp(v, &exponent), kind->bits);
    const int      s = kind->bits - exponent; /* v = m / 2^s; s > 0: v is no integer */
    int            whole = 0;                 /* digits before the point */
    while (whole < kind->min_digits && v >= (double)power10(whole))
        whole++;
    for (double tenth = 0.1; whole <= 0 && v < tenth && whole > -4; tenth /= 10)
        whole--;

    const int k = kind->max_digits - whole; /* at most 21: 10^k is below 2^70, m below 2^53 */
    if (s <= 0 || s > 100 || k > 21)
        return 0;
    const wide     scale = k > 17 ? (wide)power10(17) * power10(k - 17) : (wide)power10(k);
    const wide     x = (wide)m * scale; /* v * 10^k * 2^s */
    const uint64_t q = (uint64_t)(x >> s);
    if (q < power10(kind->max_digits - 1) || q >= power10(kind->max_digits))
        return 0; /* v is so near a power of ten that `whole` is wrong */
    const bool narrow_below = m == UINT64_C(1) << (kind->bits - 1);

    for (int count = kind->min_digits; count <= kind->max_digits; count++) {
        const wide unit = (wide)power10(kind->max_digits - count) << s; /* of the last digit */
        uint64_t   digits = (uint64_t)(x / unit);
        const wide rest = x - digits * unit;
        if (rest > unit / 2 || (rest == unit / 2 && digits % 2 == 1))
            digits++;
        const wide value = digits * unit;
        const wide error = value > x ? value - x : x - value;
        const wide room = narrow_below && value < x ? scale / 2 : scale; /* twice half a gap */
        if (digits >= power10(count))
            return 0;
        if (2 * error < room || (2 * error == room && m % 2 == 0))
            return place_point(digits, whole, out);
    }
    return 0;
}

static size_t format_by_trial(double v, const float_kind *kind, char *out)
{
    int length = 0;

    for (int digits = kind->min_digits; digits <= kind->max_digits; digits++) {
        length = snprintf(out, NUMBER_TEXT_MAX, "%.*g", digits, v);
        const double back = kind == &kind_f32 ? (double)strtof(out, NULL) : strtod(out, NULL);
        if (!(back < v || back > v))
            break;
    }
    return (size_t)length;
}

static size_t format_float(double v, const float_kind *kind, char *out)
{
    if (isnan(v)) {
        memcpy(out, "nan", 3);
        return 3;
    }
    const size_t sign = signbit(v) ? 1 : 0;
    const double size = fabs(v);
    out[0] = '-';
    if (size < (double)power10(kind->min_digits)) {
        const uint64_t whole = (uint64_t)size;
        if (size - (double)whole <= 0)
            return sign + format_unsigned(whole, out + sign);
        const size_t length = size >= 1e-4 ? format_exact(size, kind, out + sign) : 0;
        if (length > 0)
            return sign + length;
    }
    return format_by_trial(v, kind, out);
}

size_t number_format(ordo_type type, const void *value, char *out)
{
    if (type == ORDO_F32)
        return format_float((double)*(const float *)value, &kind_f32, out);
    if (type == ORDO_F64)
        return format_float(*(const double *)value, &kind_f64, out);
    const uint64_t sign = integers[type].negative;
    const uint64_t bits = key_load(integers[type].size, value);
    const bool     negative = sign != 0 && bits >= sign;

    out[0] = '-';
    return negative + format_unsigned(negative ? 2 * sign - bits : bits, out + negative);
}
