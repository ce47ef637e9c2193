/* textfmt.c - writing one number as the shortest text that reads back as the same value.
 *
 * For floats "shortest" means: the first of %.15g, %.16g, %.17g (f32: %.6g to %.9g) that reads
 * back. Doing just that costs microseconds a number, so values whose decimal digits come out of
 * 128-bit integers exactly, which are nearly all that people have, take a path that gives the same
 * characters: with v = m * 2^-s, the digits are those of m * 10^k / 2^s, and a rounded candidate
 * reads back as v if it is nearer to v than half the gap to the next float, or just as near and m
 * is even. */
#include "cli/io/textnum.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

typedef struct float_kind {
    int bits;       /* of the significand */
    int min_digits; /* always survive text -> float -> text */
    int max_digits; /* always survive float -> text -> float */
} float_kind;

static const float_kind kind_f32 = {24, 6, 9};
static const float_kind kind_f64 = {53, 15, 17};

static uint64_t power10(int exponent)
{
    static const uint64_t powers[] = {1,
                                      10,
                                      100,
                                      1000,
                                      10000,
                                      100000,
                                      1000000,
                                      10000000,
                                      100000000,
                                      1000000000,
                                      10000000000,
                                      100000000000,
                                      1000000000000,
                                      10000000000000,
                                      100000000000000,
                                      1000000000000000,
                                      10000000000000000,
                                      100000000000000000};
    return powers[exponent];
}

static size_t format_unsigned(uint64_t value, char *out)
{
    char   digits[20];
    size_t n = 0;
    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    for (size_t i = 0; i < n; i++)
        out[i] = digits[n - 1 - i];
    return n;
}

static size_t format_signed(int64_t value, char *out)
{
    if (value >= 0)
        return format_unsigned((uint64_t)value, out);
    out[0] = '-';
    return 1 + format_unsigned((uint64_t)0 - (uint64_t)value, out + 1);
}

/* Writes digits, the first not 0, with the point after `whole` of them; whole may be 0 or negative.
 * Trailing zeros of the fraction are dropped, as %g does. */
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

/* The fast path for v > 0 that is no integer, 1e-4 <= v < 10^min_digits, so that %g would use no
 * exponent. Returns 0 if it does not apply after all. */
static size_t format_exact(double v, const float_kind *kind, char *out)
{
    int            exponent;
    const uint64_t m = (uint64_t)ldexp(frexp(v, &exponent), kind->bits);
    const int      s = kind->bits - exponent; /* v = m / 2^s; s > 0 as v is no integer */
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
        return 0; /* v lies so near a power of ten that `whole` was guessed wrong */
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
    char text[NUMBER_TEXT_MAX];
    int  length = 0;

    for (int digits = kind->min_digits; digits <= kind->max_digits; digits++) {
        length = snprintf(text, sizeof text, "%.*g", digits, v);
        const double back = kind == &kind_f32 ? (double)strtof(text, NULL) : strtod(text, NULL);
        if (!(back < v || back > v))
            break;
    }
    memcpy(out, text, (size_t)length);
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
    switch (type) {
    case ORDO_I8:
        return format_signed(*(const int8_t *)value, out);
    case ORDO_U8:
        return format_unsigned(*(const uint8_t *)value, out);
    case ORDO_I16:
        return format_signed(*(const int16_t *)value, out);
    case ORDO_U16:
        return format_unsigned(*(const uint16_t *)value, out);
    case ORDO_I32:
        return format_signed(*(const int32_t *)value, out);
    case ORDO_U32:
        return format_unsigned(*(const uint32_t *)value, out);
    case ORDO_I64:
        return format_signed(*(const int64_t *)value, out);
    case ORDO_U64:
        return format_unsigned(*(const uint64_t *)value, out);
    case ORDO_F32:
        return format_float((double)*(const float *)value, &kind_f32, out);
    case ORDO_F64:
        return format_float(*(const double *)value, &kind_f64, out);
    }
    return 0;
}
