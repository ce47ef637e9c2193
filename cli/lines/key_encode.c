/* key_encode.c - keys as bytes in their order (see key_encode.h).
 *
 * Text ends with 0; bytes 0 and 1 of the text are written as 1 1 and 1 2. The last part of a line,
 * unless it is reversed, needs no end and is copied.
 * A number of -n is its sign, how many digits stand before the point, and its digits, two in a
 * byte; of a negative number these are complemented. -h puts the unit behind the sign. -g is the
 * class, then sign, exponent and significand of a long double. -R is a hash of the key under the
 * seed, then the key: equal keys stay together. */
#include "cli/lines/key_encode.h"

#include "cli/lines/line_order.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_END = 0,
    ESCAPE = 1,        /* before byte + 1 of the bytes 0 and 1                       */
    LONG_NUMBER = 255, /* the length follows in 8 bytes                            */
    EXPONENT_BIAS = 1 << 15,
    KEY_EXTRA = 64 /* bytes that a key of no bytes may need                        */
};

bool key_bytes_reserve(key_bytes *out, size_t n)
{
    if (out->capacity - out->used >= n)
        return true;
    out->wanted = out->used + n;
    if (out->fixed)
        return false;
    const size_t   larger = 2 * out->capacity + n + 4096;
    uint8_t *const data = realloc(out->data, larger);
    if (data == NULL)
        return false;
    out->data = data;
    out->capacity = larger;
    return true;
}

void key_bytes_free(key_bytes *out)
{
    free(out->data);
    *out = (key_bytes){.used = 0};
}

void put_wide(key_bytes *out, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--)
        put_byte(out, (unsigned)(value >> 8 * i) & 255);
}

static void put_length(key_bytes *out, size_t length)
{
    put_byte(out, length < LONG_NUMBER ? (unsigned)length : LONG_NUMBER);
    if (length >= LONG_NUMBER)
        put_wide(out, length, 8);
}

static void put_number(key_bytes *out, const char *digits, const char *end)
{
    put_length(out, (size_t)(end - digits));
    memcpy(out->data + out->used, digits, (size_t)(end - digits));
    out->used += (size_t)(end - digits);
}

/* Most text has no byte to escape and is copied. */
void put_text(key_bytes *out, key_span text)
{
    const size_t   length = (size_t)(text.end - text.begin);
    uint8_t *const to = out->data + out->used;
    bool           escapes = false;

    for (size_t i = 0; i < length; i++) {
        to[i] = (uint8_t)text.begin[i];
        escapes |= to[i] <= ESCAPE;
    }
    out->used += escapes ? 0 : length;
    for (size_t i = 0; escapes && i < length; i++) {
        const unsigned byte = (unsigned char)text.begin[i];
        if (byte <= ESCAPE)
            put_byte(out, ESCAPE);
        put_byte(out, byte + (byte <= ESCAPE));
    }
    put_byte(out, TEXT_END);
}

/* Text whose end is the end of the line's bytes. */
static void put_last_text(key_bytes *out, key_span text)
{
    if (text.end > text.begin)
        memcpy(out->data + out->used, text.begin, (size_t)(text.end - text.begin));
    out->used += (size_t)(text.end - text.begin);
}

void key_complement(key_bytes *out, size_t from)
{
    for (size_t i = from; i < out->used; i++)
        out->data[i] = (uint8_t)~out->data[i];
}

/* The sign is 0 for negative numbers, 1 for zero, 2 for positive numbers. */
static void put_decimal(key_bytes *out, const decimal_key *d, bool human)
{
    const char *p = d->whole;

    put_byte(out, d->zero ? 1 : d->negative ? 0 : 2);
    if (d->zero)
        return;
    const size_t from = out->used;
    if (human)
        put_byte(out, (unsigned)d->unit);
    put_length(out, (size_t)(d->whole_end - d->whole));
    if (p == d->whole_end)
        p = d->fraction;
    while (p < d->fraction_end) {
        unsigned pair = 10 * (unsigned)(*p++ - '0');
        if (p == d->whole_end)
            p = d->fraction;
        if (p < d->fraction_end) {
            pair += (unsigned)(*p++ - '0');
            if (p == d->whole_end)
                p = d->fraction;
        }
        put_byte(out, 1 + pair);
    }
    put_byte(out, 0);
    if (d->negative)
        key_complement(out, from);
}

/* room: for general_read(). */
static void put_general(key_bytes *out, key_span span, char *room)
{
    long double value = 0;
    const general_class class = general_read(span, room, &value);
    int exponent;

    put_byte(out, class);
    if (class == GENERAL_NONE)
        return;
    put_byte(out, signbit(value) == 0 || value == 0 ? 1 : 0);
    if (class == GENERAL_NAN)
        return;
    const size_t from = out->used;
    long double  part = frexpl(fabsl(value), &exponent);
    if (isinf(value)) {
        put_wide(out, 2 * EXPONENT_BIAS - 1, 2);
    } else if (value == 0) {
        put_wide(out, 0, 2);
    } else {
        put_wide(out, (uint64_t)((int64_t)exponent + EXPONENT_BIAS), 2);
        for (int bits = LDBL_MANT_DIG; bits > 0; bits -= 32) {
            part = ldexpl(part, 32);
            const uint64_t digits = (uint64_t)part;
            put_wide(out, digits, 4);
            part -= (long double)digits;
        }
    }
    if (signbit(value) != 0 && value != 0)
        key_complement(out, from);
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

static uint64_t hash(uint64_t seed, key_span text)
{
    uint64_t h = mix(seed + 1);

    for (const char *p = text.begin; p < text.end; p += 8) {
        const size_t left = (size_t)(text.end - p);
        uint64_t     word = 0;
        memcpy(&word, p, left < 8 ? left : 8);
        h = mix(h ^ word) + (left < 8 ? left : 8);
    }
    return h;
}

/* Writes the key after folding, without the bytes that do not count, to `to`. */
static key_span change(const line_key *key, key_span span, char *to)
{
    const char *const begin = to;

    for (const char *p = span.begin; p < span.end; p++) {
        *to = (char)key->image[(unsigned char)*p];
        to += !key->drop[(unsigned char)*p];
    }
    return (key_span){begin, to};
}

static bool put_key(const line_order *order, const line_key *key, key_span span, bool last,
                    key_bytes *out)
{
    const size_t from = out->used, length = (size_t)(span.end - span.begin);
    const size_t most = (key->kind == KEY_VERSION ? 8 : 2) * length + KEY_EXTRA;
    decimal_key  d;

    const bool copied = key->changed || key->kind == KEY_GENERAL;

    if (!key_bytes_reserve(out, most + (copied ? length + 1 : 0)))
        return false;
    char *const copy = (char *)out->data + from + most;
    switch (key->kind) {
    case KEY_NUMERIC:
    case KEY_HUMAN:
        d = decimal_read(span, key->kind == KEY_HUMAN, key->image);
        put_decimal(out, &d, key->kind == KEY_HUMAN);
        break;
    case KEY_GENERAL:
        put_general(out, span, copy);
        break;
    case KEY_MONTH:
        put_byte(out, (unsigned)month_read(span));
        break;
    default:
        if (key->changed)
            span = change(key, span, copy);
        if (key->kind == KEY_RANDOM)
            put_wide(out, hash(order->seed, span), 8);
        if (key->kind == KEY_VERSION)
            version_encode(span, out);
        else if (last && !key->reverse)
            put_last_text(out, span);
        else
            put_text(out, span);
    }
    if (key->reverse)
        key_complement(out, from);
    return true;
}

bool key_encode(const line_order *order, const char *line, size_t length, key_bytes *out)
{
    const key_span whole = {line, line + length};

    for (size_t i = 0; i < order->n; i++) {
        const key_span span = key_find(order, &order->keys[i], line, length);
        if (!put_key(order, &order->keys[i], span, i + 1 == order->n && !order->last_resort, out))
            return false;
    }
    if (!order->last_resort && order->n > 0)
        return true;
    const size_t from = out->used;
    if (!key_bytes_reserve(out, order->reverse ? 2 * length + KEY_EXTRA : length))
        return false;
    if (!order->reverse) {
        put_last_text(out, whole);
    } else {
        put_text(out, whole);
        key_complement(out, from);
    }
    return true;
}

/* ---- Versions (-V) ----
 *
 * The order is that of GNU's version sort: an empty key, ".", "..", other keys that begin with '.',
 * then the rest. A key without its suffixes, such as ".tar.gz", decides first, then the whole key.
 * A text is compared in turn by characters that are no digits and by numbers: '~' comes before the
 * end of the characters, then letters, then other characters. */

enum {
    CODE_TILDE = 1,
    CODE_END = 2, /* of the characters before a number or the end of the text */
    CODE_LETTERS = 3
};

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static unsigned code_of(char c)
{
    const unsigned byte = (unsigned char)c;

    if (c == '~')
        return CODE_TILDE;
    if (is_letter(c))
        return CODE_LETTERS + (c >= 'a' ? byte - 'a' + 26 : byte - 'A');
    /* Others keep their order; digits, letters and '~' leave gaps that are closed. */
    return CODE_LETTERS + 52 + byte - (byte > '9' ? 10 : 0) - (byte > 'Z' ? 26 : 0) -
           (byte > 'z' ? 26 : 0) - (byte > '~' ? 1 : 0);
}

static void put_parts(key_span text, key_bytes *out)
{
    const char *p = text.begin;

    do {
        for (; p < text.end && !is_digit(*p); p++)
            put_byte(out, code_of(*p));
        put_byte(out, CODE_END);
        while (p < text.end && *p == '0')
            p++;
        const char *const digits = p;
        while (p < text.end && is_digit(*p))
            p++;
        put_number(out, digits, p);
    } while (p < text.end);
    put_byte(out, CODE_END);
}

/* Where the suffixes begin: as many parts ".LETTER..." of letters, digits and '~' as there are at
 * the end. */
static const char *suffixes(key_span text)
{
    const char *begin = text.end;

    for (const char *p = text.end; p > text.begin;) {
        while (p > text.begin && (is_letter(p[-1]) || is_digit(p[-1]) || p[-1] == '~'))
            p--;
        if (p == begin || p == text.begin || p[-1] != '.' || is_digit(*p))
            break;
        begin = --p;
    }
    return begin;
}

void version_encode(key_span span, key_bytes *out)
{
    const size_t length = (size_t)(span.end - span.begin);
    const bool   dot = length > 0 && span.begin[0] == '.';

    put_byte(out, length == 0                                  ? 0
                  : dot && length == 1                         ? 1
                  : dot && length == 2 && span.begin[1] == '.' ? 2
                  : dot                                        ? 3
                                                               : 4);
    put_parts((key_span){span.begin, suffixes(span)}, out);
    put_parts(span, out);
}
