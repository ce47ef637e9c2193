/* segments.c - reads the source into a window and copies segments out of it. */
#define _GNU_SOURCE
#include "text/bzip2/decode/segments.h"

#include <string.h>

enum {
    READ_BYTES = 1 << 18,
    HEADER_BYTES = 4,
    WINDOW = BZ_MOST_SEGMENT + 4 * READ_BYTES
};

size_t bz_segmenter_bytes(void) { return WINDOW + 64; }

void bz_segmenter_init(bz_segmenter *s, bz_stream *stream, uint8_t *memory)
{
    s->stream = stream;
    s->bytes = memory;
    s->n = 0;
    s->begin = 0;
    s->ended = s->over = false;
    bz_scanner_init(&s->scanner);
}

/* Reads more bytes behind those in memory. The bytes after them are 0, for the scanner. */
static bool read_more(bz_segmenter *s)
{
    size_t       got;
    size_t const wanted = ordo_min(READ_BYTES, WINDOW - s->n);
    if (!bz_stream_read(s->stream, s->bytes + s->n, wanted, &got))
        return false;
    s->n += got;
    s->ended = got < wanted;
    memset(s->bytes + s->n, 0, 16);
    return true;
}

unsigned bz_header_level(const uint8_t *header)
{
    bool const ok = memcmp(header, "BZh", 3) == 0 && header[3] >= '1' && header[3] <= '9';
    return ok ? (unsigned)(header[3] - '0') : 0;
}

bool bz_segment_first(bz_segmenter *s, unsigned *level)
{
    if (!read_more(s))
        return false;
    if (s->n < HEADER_BYTES)
        return failure_record(&s->stream->failure, ORDO_E_ARG,
                              "%s has %zu bytes; expected a bzip2 file, which has at least 14",
                              s->stream->from.name, s->n);
    *level = bz_header_level(s->bytes);
    s->begin = 8 * (uint64_t)HEADER_BYTES;
    return *level != 0 || failure_record(&s->stream->failure, ORDO_E_ARG,
                                         "%s is not a bzip2 file: it does not begin with BZh1 to "
                                         "BZh9",
                                         s->stream->from.name);
}

/* Drops the bytes before the next segment, if they take much of the window. */
static void drop_used(bz_segmenter *s)
{
    size_t const used = (size_t)(s->begin / 8);
    if (used < WINDOW - BZ_MOST_SEGMENT - READ_BYTES)
        return;
    memmove(s->bytes, s->bytes + used, s->n - used + 16);
    s->n -= used;
    s->begin %= 8;
}

/* Finds the end of the segment that begins at s->begin; at `most` the segment is cut. */
static bool find_end(bz_segmenter *s, uint64_t most, uint64_t *end, bool *last)
{
    uint64_t at = s->begin + 1;
    *last = false;
    for (;;) {
        uint64_t const all = 8 * (uint64_t)s->n;
        /* Only a magic whose bits are all in memory can be found. */
        uint64_t const to = ordo_min(most, all >= BZ_MAGIC_BITS ? all - BZ_MAGIC_BITS + 1 : 0);
        if (at < to)
            at = bz_scan(&s->scanner, s->bytes, at, to);
        if (at < to || at >= most) {
            *end = at;
            return true;
        }
        if (s->ended) {
            *end = ordo_min(most, all);
            *last = all <= most;
            return true;
        }
        if (!read_more(s))
            return false;
    }
}

bool bz_segment_next(bz_segmenter *s, bz_segment *segment, bool *ended)
{
    *ended = s->over;
    if (s->over)
        return true;
    drop_used(s);
    size_t const   first = (size_t)(s->begin / 8);
    uint64_t const most = 8 * ((uint64_t)first + BZ_MOST_SEGMENT);
    uint64_t       end;
    if (!find_end(s, most, &end, &segment->last))
        return false;
    size_t const bytes = (size_t)((end + 7) / 8) - first;
    memcpy(segment->bytes, s->bytes + first, bytes);
    memset(segment->bytes + bytes, 0, BZ_BITS_PAD);
    segment->begin = s->begin % 8;
    segment->end = end - 8 * (uint64_t)first;
    s->begin = end;
    s->over = segment->last;
    return true;
}
