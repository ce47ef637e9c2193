/* line_block.h - sorted lines as a block of bytes: front coding.
 *
 * Each line is stored as the number of bytes that it shares with the beginning of the line before
 * it, the number of its other bytes, and these bytes. Both numbers share one byte if they are below
 * 15; a larger number continues in further bytes, 7 bits in each. Lines in a block have no ends. */
#ifndef ORDO_EXTERNAL_LINE_BLOCK_H
#define ORDO_EXTERNAL_LINE_BLOCK_H

#include "core/base.h"

#include <string.h>

typedef struct line_view {
    const char *bytes;
    size_t      length;
} line_view;

/* The most bytes of a block of lines that have `raw` bytes with their ends: a line of m bytes takes
 * m + 1 bytes, one more if m >= 15, and up to 4 more if m >= 143. */
static inline size_t line_block_most(size_t raw) { return raw + raw / 15; }

/* Appends a line to a block; returns the end. `before`: the line before it; none: length 0. */
char *line_block_put(char *to, line_view before, line_view line);

/* Reads n lines from block[0..bytes) to `to`, which has `raw` bytes, each with `end` behind it.
 * starts[i], unless starts is NULL, gets the position of line i. False if the block is damaged. */
bool line_block_read(const char *block, size_t bytes, size_t n, char end, char *to, size_t raw,
                     uint32_t *starts);

/* < 0, 0, > 0: a comes before, is equal to, comes after b, byte by byte. */
static inline int line_compare(line_view a, line_view b)
{
    size_t const common = ordo_min(a.length, b.length);
    int const    bytes = common > 0 ? memcmp(a.bytes, b.bytes, common) : 0;
    return bytes != 0 ? bytes : (a.length > b.length) - (a.length < b.length);
}

/* The bytes at the beginning that both have. */
static inline size_t line_common(line_view a, line_view b)
{
    size_t const most = ordo_min(a.length, b.length);
    size_t       at = 0;
    for (uint64_t x, y; at + sizeof x <= most; at += sizeof x) {
        memcpy(&x, a.bytes + at, sizeof x);
        memcpy(&y, b.bytes + at, sizeof y);
        if (x != y)
            break;
    }
    while (at < most && a.bytes[at] == b.bytes[at])
        at++;
    return at;
}

#endif
