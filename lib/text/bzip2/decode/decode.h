/* decode.h - decompresses one block. */
#ifndef ORDO_TEXT_BZIP2_DECODE_DECODE_H
#define ORDO_TEXT_BZIP2_DECODE_DECODE_H

#include "backend/layout.h"
#include "text/bzip2/expand.h"
#include "text/bzip2/format.h"

enum {
    BZ_BITS_PAD = 160, /* readable bytes after the bits of a block */
    BZ_KEPT_SELECTORS = BZ_MOST_BLOCK / BZ_GROUP + 2,
    /* Expanded bytes that are kept; blocks of text and of programs have fewer. */
    BZ_MOST_FRONT = BZ_MOST_BLOCK + BZ_MOST_BLOCK / 4
};

typedef enum bz_outcome {
    BZ_DECODED,
    BZ_SHORT, /* the block goes on after the given bits */
    BZ_BAD    /* see bz_decoded.why */
} bz_outcome;

typedef struct bz_decoder { /* memory of a thread */
    uint32_t *next;
    uint8_t  *pieces, *selectors;
} bz_decoder;

typedef struct bz_decoded {
    uint32_t    n;     /* bytes before runs are expanded */
    uint32_t    crc;   /* that the block gives, and that its bytes have */
    uint64_t    end;   /* the bit after the block */
    uint32_t    front; /* expanded bytes at the front that were kept */
    bz_expander rest;  /* expands the bytes after these */
    const char *why;
} bz_decoded;

ordo_layout_fn bz_decoder_lay_out;
size_t         bz_decoder_bytes(void);

/* Decodes the block whose magic is at bit `begin`. text gets up to BZ_MOST_BLOCK bytes, whose
 * runs are not expanded, front the first BZ_MOST_FRONT bytes of the expanded block.
 * BZ_BITS_PAD bytes after bit `end` are readable. */
bz_outcome bz_decode(bz_decoder *d, const uint8_t *bits, uint64_t begin, uint64_t end,
                     uint8_t *text, uint8_t *front, bz_decoded *out);

#endif
