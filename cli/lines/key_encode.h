/* key_encode.h - the keys of a line as bytes whose memcmp() order is the order of the lines.
 *
 * Each key becomes bytes that end by themselves, so that the bytes of the next key can follow; a
 * reversed key is complemented. If the order has a last resort, the line itself comes last. */
#ifndef ORDO_CLI_LINES_KEY_ENCODE_H
#define ORDO_CLI_LINES_KEY_ENCODE_H

#include "cli/lines/line_order.h"

typedef struct key_bytes { /* a buffer that grows, unless it is fixed */
    uint8_t *data;         /* to be freed, unless it is fixed */
    size_t   used, capacity;
    bool     fixed;
    size_t   wanted; /* fixed: the capacity that would have been enough, after false */
} key_bytes;

/* Appends the bytes of line[0..length) to out. False if there is not enough memory. */
bool key_encode(const line_order *order, const char *line, size_t length, key_bytes *out);
void key_bytes_free(key_bytes *out);

/* Makes room for n more bytes. */
bool key_bytes_reserve(key_bytes *out, size_t n);

/* Append without a check: the key of -V, at most 8 times the length of the span and 32 bytes; text
 * with its end, at most twice its length and a byte; the low `bytes` bytes of a number, the highest
 * first. */
void version_encode(key_span span, key_bytes *out);
void put_text(key_bytes *out, key_span text);
void put_wide(key_bytes *out, uint64_t value, int bytes);

/* Complements the bytes from `from` on, which reverses their order. */
void key_complement(key_bytes *out, size_t from);

static inline void put_byte(key_bytes *out, unsigned byte)
{
    out->data[out->used++] = (uint8_t)byte;
}

#endif
