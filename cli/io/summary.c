/* summary.c - count, extremes and exact sum (see summary.h). */
#include "cli/io/summary.h"

#include "cli/base/workers.h"
#include "cli/io/number/keys.h"

#include <math.h>

enum {
    PIECE = 1 << 20,          /* elements of a task */
    MOST_ADDITIONS = 1 << 30, /* each adds less than 2^32 to a chunk of 63 bits */
    MANTISSA = 52,
    EXPONENT_MASK = 0x7ff
};

/* ---- Extremes ---- */

/* An unsigned integer with the order of the keys; -0 is before +0. Not for NaN. */
static inline uint64_t total_order(bool floats, bool is_signed, size_t size, uint64_t bits)
{
    const uint64_t sign = UINT64_C(1) << (8 * size - 1), all = sign | (sign - 1);

    return floats      ? ((bits & sign) != 0 ? ~bits & all : bits | sign)
           : is_signed ? bits ^ sign
                       : bits;
}

static uint64_t bits_of_order(ordo_type type, uint64_t order)
{
    const size_t   size = ordo_type_size(type);
    const uint64_t sign = UINT64_C(1) << (8 * size - 1), all = sign | (sign - 1);

    if (type_is_float(type))
        return (order & sign) != 0 ? order ^ sign : ~order & all;
    return type == ORDO_I8 || type == ORDO_I16 || type == ORDO_I32 || type == ORDO_I64
               ? order ^ sign
               : order;
}

static void store(ordo_type type, uint64_t order, void *value)
{
    const uint64_t bits = bits_of_order(type, order);
    const uint32_t narrow = (uint32_t)bits;
    const uint16_t half = (uint16_t)bits;
    const uint8_t  byte = (uint8_t)bits;
    const size_t   size = ordo_type_size(type);

    memcpy(value,
           size == 8   ? (const void *)&bits
           : size == 4 ? (const void *)&narrow
           : size == 2 ? (const void *)&half
                       : (const void *)&byte,
           size);
}

void summary_least(const summary *s, void *value) { store(s->type, s->least, value); }
void summary_most(const summary *s, void *value) { store(s->type, s->most, value); }

static double stored_float(ordo_type type, uint64_t order)
{
    float  narrow;
    double wide;

    store(type, order, type == ORDO_F32 ? (void *)&narrow : (void *)&wide);
    return type == ORDO_F32 ? (double)narrow : wide;
}

void summary_extremes(const summary *s, double *least, double *most)
{
    *least = stored_float(s->type, s->least);
    *most = stored_float(s->type, s->most);
}

/* ---- Exact sums of floats ---- */

/* Leaves 32 bits in every chunk but the last, which keeps the sign. */
static void carry(int64_t *chunks)
{
    for (size_t i = 0; i + 1 < SUM_CHUNKS; i++) {
        const int64_t low = (int64_t)((uint64_t)chunks[i] & UINT32_MAX);
        chunks[i + 1] += (chunks[i] - low) / ((int64_t)1 << 32);
        chunks[i] = low;
    }
}

/* Bit 0 of chunk 0 is 2^-1074. */
static inline void add_float(summary *s, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    const uint64_t exponent = bits >> MANTISSA & EXPONENT_MASK;
    const uint64_t fraction = bits & ((UINT64_C(1) << MANTISSA) - 1);
    const uint64_t m = exponent > 0 ? fraction | UINT64_C(1) << MANTISSA : fraction;
    const uint64_t place = exponent > 0 ? exponent - 1 : 0;
    const unsigned shift = place % 32;
    int64_t *const to = s->chunks + place / 32;
    const uint64_t middle = m >> (32 - shift);
    const int64_t  parts[] = {(int64_t)(m << shift & UINT32_MAX), (int64_t)(middle & UINT32_MAX),
                              (int64_t)(middle >> 32)};

    for (size_t i = 0; i < 3; i++)
        to[i] += bits >> 63 != 0 ? -parts[i] : parts[i];
    if (++s->additions == MOST_ADDITIONS) {
        carry(s->chunks);
        s->additions = 0;
    }
}

/* The value of chunks after carry(), none negative, rounded to nearest. */
static double round_chunks(const int64_t *chunks)
{
    size_t   top = SUM_CHUNKS - 1;
    uint64_t sticky = 0;

    while (top > 2 && chunks[top] == 0)
        top--;
    const uint64_t high = (uint64_t)chunks[top] << 32 | (uint64_t)chunks[top - 1];
    const uint64_t low = (uint64_t)chunks[top - 2];
    if (high == 0)
        return ldexp((double)low, -1074);
    const int      zeros = __builtin_clzll(high);
    const uint64_t word =
        zeros >= 32 ? high << zeros | low << (zeros - 32) : high << zeros | low >> (32 - zeros);
    if (zeros < 32)
        sticky = low << (32 + zeros) >> 32 & UINT32_MAX;
    for (size_t i = 0; i + 2 < top; i++)
        sticky |= (uint64_t)chunks[i];
    return ldexp((double)(word | (sticky != 0)), 32 * ((int)top - 1) - zeros - 1074);
}

double summary_sum(const summary *s)
{
    summary copy = *s;

    if (!type_is_float(s->type))
        return (double)s->integers;
    if (s->plus > 0 || s->minus > 0)
        return s->plus > 0 && s->minus > 0 ? (double)NAN
               : s->plus > 0               ? (double)INFINITY
                                           : -(double)INFINITY;
    carry(copy.chunks);
    const bool negative = copy.chunks[SUM_CHUNKS - 1] < 0;
    if (negative) {
        for (size_t i = 0; i < SUM_CHUNKS; i++)
            copy.chunks[i] = -copy.chunks[i];
        carry(copy.chunks);
    }
    const double size = round_chunks(copy.chunks);
    return negative ? -size : size;
}

/* ---- The pass ---- */

static inline void note(summary *s, uint64_t order)
{
    s->least = order < s->least ? order : s->least;
    s->most = order > s->most ? order : s->most;
}

/* Inline, so that the compiler makes one version for each constant size. */
static inline void add_integers(summary *s, size_t size, bool is_signed, const char *data, size_t n)
{
    const unsigned unused = (unsigned)(64 - 8 * size);

    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = key_load(size, data + i * size);
        note(s, total_order(false, is_signed, size, bits));
        s->integers += is_signed ? (wide_sum)((int64_t)(bits << unused) >> unused) : (wide_sum)bits;
    }
    s->n += n;
}

static inline void add_floats(summary *s, size_t size, const char *data, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float  narrow;
        double v;
        if (size == sizeof narrow) {
            memcpy(&narrow, data + i * size, size);
            v = (double)narrow;
        } else {
            memcpy(&v, data + i * size, size);
        }
        if (isnan(v)) {
            s->nans++;
            continue;
        }
        s->n++;
        note(s, total_order(true, true, size, key_load(size, data + i * size)));
        if (isinf(v))
            ++*(v > 0 ? &s->plus : &s->minus);
        else
            add_float(s, v);
    }
}

static inline void add_keys(summary *s, bool floats, bool is_signed, size_t size, const char *data,
                            size_t n)
{
    if (floats)
        add_floats(s, size, data, n);
    else
        add_integers(s, size, is_signed, data, n);
}

static void add_piece(void *total, const void *data, size_t n)
{
    summary *const s = total;

    switch (s->type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        add_keys(s, (key)0.5 > 0, (key)-1 < (key)1, sizeof(key), data, n);                         \
        break;
#include "lib/core/types.def"
    }
}

void summary_add(summary *s, const summary *part)
{
    s->n += part->n;
    s->nans += part->nans;
    s->plus += part->plus;
    s->minus += part->minus;
    s->most = part->most > s->most ? part->most : s->most;
    s->least = part->least < s->least ? part->least : s->least;
    s->integers += part->integers;
    for (size_t i = 0; i < SUM_CHUNKS; i++)
        s->chunks[i] += part->chunks[i];
    carry(s->chunks);
    s->additions = 0;
}

static void join(void *total, const void *part) { summary_add(total, part); }

void summary_take(summary *s, const void *data, size_t n)
{
    const summary       zero = {.type = s->type, .least = UINT64_MAX};
    const workers_array array = {data, n, ordo_type_size(s->type), PIECE};

    workers_add(&array, s, &zero, sizeof zero, add_piece, join);
}

void summary_of(ordo_type type, const void *data, size_t n, summary *out)
{
    *out = (summary){.type = type, .least = UINT64_MAX};
    summary_take(out, data, n);
}

size_t summary_digits(wide_sum sum, char *text)
{
    const bool negative = sum < 0;
    char       digits[SUM_DIGITS];
    size_t     at = sizeof digits;

    do {
        const int digit = (int)(sum % 10);
        digits[--at] = (char)('0' + (negative ? -digit : digit));
        sum /= 10;
    } while (sum != 0);
    if (negative)
        digits[--at] = '-';
    memcpy(text, digits + at, sizeof digits - at);
    return sizeof digits - at;
}
