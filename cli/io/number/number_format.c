/* number_format.c - writing one number (see number.h).
 *
 * A float is written as the first of %.15g, %.16g, %.17g (f32: %.6g to %.9g) that reads back as
 * the same value. decimal_of() computes 17 digits and a fraction from a product with a power of
 * ten of 128 bits. Shorter candidates are these digits rounded; one reads back as the value if its
 * distance is less than half the gap to the next float. Whatever is too close to call for the
 * precision of the product is left to snprintf() and strtod(). */
#define _POSIX_C_SOURCE 200809L

#include "cli/io/number/number.h"

#include "cli/io/number/digits.h"
#include "cli/io/number/keys.h"
#include "cli/io/number/powers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum {
    DIGITS = 17, /* of the product */
    MARGIN = 16  /* of a fraction of 2^64: more than the error of the product */
};

typedef struct float_kind {
    int bits;       /* of the significand                    */
    int min_digits; /* always survive text -> float -> text  */
    int max_digits; /* always survive float -> text -> float */
} float_kind;

static const float_kind kind_f32 = {24, 6, 9};
static const float_kind kind_f64 = {53, 15, 17};

static const uint64_t tens[] = {1U,
                                10U,
                                100U,
                                1000U,
                                10000U,
                                100000U,
                                1000000U,
                                10000000U,
                                100000000U,
                                1000000000U,
                                10000000000U,
                                100000000000U,
                                1000000000000U,
                                10000000000000U,
                                100000000000000U,
                                1000000000000000U,
                                10000000000000000U,
                                100000000000000000U,
                                1000000000000000000U};

/* ---- Integers ---- */

static size_t format_unsigned(uint64_t value, char *out)
{
    return (size_t)(digits_put(out, value) - out);
}

/* ---- Floats ---- */

/* v * 10^(16 - point) as an integer of 17 digits and a fraction of 2^64, and half the gap to the
 * next float in the same unit. */
typedef struct decimal17 {
    uint64_t digits, fraction;
    wide     half_gap;
    int      point; /* of the first digit: its place is 10^point */
} decimal17;

/* v is normal and positive, and no power of two, so that both gaps are the same. False if v is near
 * the end of the table. The product of 64 and 128 bits has 192 bits; its first 128 have an error
 * below 4 in the last place. */
static bool decimal_of(double v, const float_kind *kind, decimal17 *d)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    const int      exponent = (int)(bits >> 52) - 1022; /* v = m * 2^(exponent - 64) */
    const uint64_t m = bits << 11 | UINT64_C(1) << 63;

    d->point = (exponent - 1) * 78913 >> 18; /* floor(log10(v)), or 1 less */
    for (int tries = 0; tries < 2; tries++, d->point++) {
        const int q = DIGITS - 1 - d->point;
        if (q < LEAST_POWER || q > MOST_POWER)
            return false;
        const power10 p = power_of_ten(q);
        const wide    high = (wide)m * p.high + ((wide)m * p.low >> 64);
        const int     shift = -(exponent + power_exponent(q)); /* of high, to the point */
        if (shift < 64 || shift > 127)
            return false;
        d->digits = (uint64_t)(high >> shift);
        d->fraction = (uint64_t)(high >> (shift - 64));
        if (d->digits < tens[DIGITS]) {
            const wide unit = (wide)p.high << 63 | p.low >> 1; /* half of 10^q, scaled like high */
            d->half_gap = unit >> (shift - 64) >> kind->bits;
            return d->digits >= tens[DIGITS - 1];
        }
    }
    return false;
}

typedef enum attempt {
    ATTEMPT_SHORT,
    ATTEMPT_OK,
    ATTEMPT_UNSURE
} attempt;

/* Rounds to `count` digits. SHORT: they do not read back as the value. */
static attempt round_to(const decimal17 *d, const float_kind *kind, int count, uint64_t *digits)
{
    const uint64_t unit = tens[DIGITS - count];
    const uint64_t rest = d->digits % unit;
    const wide     below = (wide)rest << 64 | d->fraction, whole = (wide)unit << 64;
    const bool     up = below > whole / 2;
    const wide     from_middle = up ? below - whole / 2 : whole / 2 - below;
    const wide     distance = up ? whole - below : below;
    const wide from_gap = distance > d->half_gap ? distance - d->half_gap : d->half_gap - distance;

    *digits = d->digits / unit + up;
    if (from_middle < MARGIN)
        return ATTEMPT_UNSURE;
    if (count == kind->max_digits)
        return ATTEMPT_OK;
    return from_gap < 2 * MARGIN    ? ATTEMPT_UNSURE
           : distance < d->half_gap ? ATTEMPT_OK
                                    : ATTEMPT_SHORT;
}

/* Writes digits as %.*g with this precision does: point is the power of ten of the first digit. */
static size_t place_point(uint64_t digits, int precision, int point, char *out)
{
    char   text[DIGITS_ROOM];
    size_t n = 0;
    int    count = (int)format_unsigned(digits, text);

    while (count > 1 && text[count - 1] == '0')
        count--;
    if (point < -4 || point >= precision) {
        out[n++] = text[0];
        if (count > 1)
            out[n++] = '.';
        memcpy(out + n, text + 1, (size_t)count - 1);
        n += (size_t)count - 1;
        out[n++] = 'e';
        out[n++] = point < 0 ? '-' : '+';
        const unsigned size = (unsigned)abs(point);
        if (size < 10)
            out[n++] = '0';
        return n + format_unsigned(size, out + n);
    }
    if (point < 0) {
        memcpy(out, "0.0000", 6);
        n = (size_t)(1 - point);
        memcpy(out + n, text, (size_t)count);
        return n + (size_t)count;
    }
    const int whole = point + 1;
    for (int i = 0; i < whole; i++)
        out[n++] = i < count ? text[i] : '0';
    if (count > whole)
        out[n++] = '.';
    for (int i = whole; i < count; i++)
        out[n++] = text[i];
    return n;
}

/* Returns 0 if this way cannot decide. */
static size_t format_fast(double v, const float_kind *kind, char *out)
{
    decimal17 d;
    uint64_t  digits;

    if (!decimal_of(v, kind, &d))
        return 0;
    for (int count = kind->min_digits; count <= kind->max_digits; count++) {
        const attempt a = round_to(&d, kind, count, &digits);
        if (a == ATTEMPT_UNSURE)
            return 0;
        if (a == ATTEMPT_OK) {
            const bool carried = digits == tens[count];
            return place_point(carried ? digits / 10 : digits, count, d.point + carried, out);
        }
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

/* Whether the value is normal in its type and no power of two. */
static bool is_regular(double size, const float_kind *kind)
{
    uint64_t bits;

    memcpy(&bits, &size, sizeof bits);
    const bool power = bits << 12 == 0;
    return !power && size >= (kind == &kind_f32 ? 0x1p-126 : 0x1p-1022) && !isinf(size);
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
    if (size < (double)tens[kind->min_digits]) {
        const uint64_t whole = (uint64_t)size;
        if (size - (double)whole <= 0)
            return sign + format_unsigned(whole, out + sign);
    }
    const size_t length = is_regular(size, kind) ? format_fast(size, kind, out + sign) : 0;
    return length > 0 ? sign + length : format_by_trial(v, kind, out);
}

size_t number_format(ordo_type type, const void *value, char *out)
{
    static const uint64_t signs[] = {[ORDO_I8] = UINT64_C(1) << 7,
                                     [ORDO_I16] = UINT64_C(1) << 15,
                                     [ORDO_I32] = UINT64_C(1) << 31,
                                     [ORDO_I64] = UINT64_C(1) << 63,
                                     [ORDO_F64] = 0};

    if (type == ORDO_F32)
        return format_float((double)*(const float *)value, &kind_f32, out);
    if (type == ORDO_F64)
        return format_float(*(const double *)value, &kind_f64, out);
    const uint64_t sign = signs[type];
    const uint64_t bits = key_load(ordo_type_size(type), value);
    const bool     negative = sign != 0 && bits >= sign;

    out[0] = '-';
    return negative + format_unsigned(negative ? 2 * sign - bits : bits, out + negative);
}
