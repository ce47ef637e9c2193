/* line_block.c - front coding of sorted lines. */
#include "external/lines/line_block.h"

enum {
    ESCAPE = 15, /* in a half byte: more bytes follow */
    SEVEN_BITS = 127
};

static char *put_rest(char *to, size_t number)
{
    for (; number > SEVEN_BITS; number >>= 7)
        *to++ = (char)(SEVEN_BITS + 1 + (number & SEVEN_BITS));
    *to++ = (char)number;
    return to;
}

char *line_block_put(char *to, line_view before, line_view line)
{
    size_t const common = line_common(before, line), rest = line.length - common;
    *to++ = (char)(ordo_min(common, ESCAPE) << 4 | ordo_min(rest, ESCAPE));
    if (common >= ESCAPE)
        to = put_rest(to, common - ESCAPE);
    if (rest >= ESCAPE)
        to = put_rest(to, rest - ESCAPE);
    if (rest > 0)
        memcpy(to, line.bytes + common, rest);
    return to + rest;
}

/* Reads the rest of a number; NULL if the block ends before it or the number is too large. */
static const unsigned char *take_rest(const unsigned char *from, const unsigned char *end,
                                      size_t *number)
{
    uint64_t rest = 0;
    for (unsigned shift = 0; from < end && shift < 63; shift += 7) {
        rest |= (uint64_t)(*from & SEVEN_BITS) << shift;
        if (*from++ <= SEVEN_BITS) {
            *number = ESCAPE + (size_t)rest;
            return from;
        }
    }
    return NULL;
}

bool line_block_read(const char *block, size_t bytes, size_t n, char end, char *to, size_t raw,
                     uint32_t *starts)
{
    const unsigned char       *from = (const unsigned char *)block;
    const unsigned char *const stop = from + bytes;
    line_view                  before = {to, 0};
    char *const first = to, *const last = to + raw;
    for (size_t i = 0; i < n; i++) {
        if (from == stop)
            return false;
        size_t common = *from >> 4, rest = *from & ESCAPE;
        from++;
        if (common == ESCAPE && (from = take_rest(from, stop, &common)) == NULL)
            return false;
        if (rest == ESCAPE && (from = take_rest(from, stop, &rest)) == NULL)
            return false;
        if (common > before.length || rest > (size_t)(stop - from) ||
            common + rest >= (size_t)(last - to))
            return false;
        if (starts != NULL)
            starts[i] = (uint32_t)(to - first);
        memcpy(to, before.bytes, common);
        memcpy(to + common, from, rest);
        from += rest;
        before = (line_view){to, common + rest};
        to += common + rest;
        *to++ = end;
    }
    return from == stop && to == last;
}
