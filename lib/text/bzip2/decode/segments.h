/* segments.h - cuts compressed data before every magic. A segment is a block, or the end of a
 * stream with the header of the next one, or data in which no magic was found for long. A magic
 * may also occur inside of a block by chance; then a block has several segments. */
#ifndef ORDO_TEXT_BZIP2_DECODE_SEGMENTS_H
#define ORDO_TEXT_BZIP2_DECODE_SEGMENTS_H

#include "text/bzip2/decode/decode.h"
#include "text/bzip2/decode/scan.h"
#include "text/bzip2/stream.h"

enum {
    /* More bytes than a block of 900000 symbols with codes of 20 bits, selectors and tables. */
    BZ_MOST_SEGMENT = 5 << 19
};

typedef struct bz_segment {
    uint8_t *bytes;      /* BZ_MOST_SEGMENT + BZ_BITS_PAD */
    uint64_t begin, end; /* bits; begin < 8 */
    bool     last;       /* the data end here */
} bz_segment;

typedef struct bz_segmenter {
    bz_stream *stream;
    bz_scanner scanner;
    uint8_t   *bytes; /* bz_segmenter_bytes() */
    size_t     n;     /* bytes in memory */
    uint64_t   begin; /* bit where the next segment begins */
    bool       ended; /* the source has no more bytes */
    bool       over;  /* the last segment was cut */
} bz_segmenter;

size_t bz_segmenter_bytes(void);
void   bz_segmenter_init(bz_segmenter *s, bz_stream *stream, uint8_t *memory);

/* Reads the header of the first stream. False after a failure: the data are not bzip2. */
bool bz_segment_first(bz_segmenter *s, unsigned *level);

/* Cuts the next segment; *ended: there is none. */
bool bz_segment_next(bz_segmenter *s, bz_segment *segment, bool *ended);

/* The level of a stream header, 1 to 9; 0 if it is no header. */
unsigned bz_header_level(const uint8_t *header);

#endif
