/* encode.h - compresses one block. */
#ifndef ORDO_TEXT_BZIP2_ENCODE_ENCODE_H
#define ORDO_TEXT_BZIP2_ENCODE_ENCODE_H

#include "text/bzip2/format.h"
#include "text/bzip2/encode/rotate.h"

typedef struct bz_encoder {
    bz_sorter sorter;
    uint16_t *symbols;   /* n + 1 */
    uint8_t  *selectors; /* one for 50 symbols */
} bz_encoder;

size_t bz_encoder_bytes(size_t most);
void   bz_encoder_init(bz_encoder *e, void *memory, size_t most);

/* Bytes that bz_encode() may write for a block of n bytes. */
size_t bz_encoded_most(size_t n);

/* Writes the block text[0..n), n >= 1, with its magic and checksum. Returns the number of bits, 0
 * if the call is cancelled. The BZ_TEXT_PAD bytes after the text are used. */
uint64_t bz_encode(bz_encoder *e, uint8_t *text, uint32_t n, uint32_t crc, uint8_t *out);

/* The same for a block whose rotations are sorted already. Row `row` is the block itself. */
uint64_t bz_encode_column(bz_encoder *e, const uint8_t *column, uint32_t row, uint32_t n,
                          uint32_t crc, uint8_t *out);

#endif
