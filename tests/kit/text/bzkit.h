/* bzkit.h - bzip2 files made by hand, and libbz2 as a second opinion. */
#ifndef ORDO_TESTS_BZKIT_H
#define ORDO_TESTS_BZKIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- libbz2, if this system has it ---- */

bool bzkit_has_library(void);
/* Both return false if libbz2 reports an error. *size is the capacity before and the size after. */
bool bzkit_compress(const void *in, size_t n, int level, void *out, size_t *size);
bool bzkit_decompress(const void *in, size_t n, void *out, size_t *size);

/* ---- Bits ---- */

typedef struct bzkit_file {
    uint8_t *bytes; /* zeroed */
    uint64_t bits;
    uint32_t crc; /* of the stream */
} bzkit_file;

void   bzkit_put(bzkit_file *f, uint64_t value, unsigned count);
void   bzkit_begin(bzkit_file *f, unsigned level);
void   bzkit_end(bzkit_file *f); /* the end of a stream and the padding */
size_t bzkit_size(const bzkit_file *f);

/* ---- A block from its symbols ---- */

typedef struct bzkit_block {
    const uint16_t *symbols; /* RUNA 0, RUNB 1, positions from 2 on; without the end of the block */
    size_t          count;
    unsigned        first, used; /* the alphabet is bytes first ... first + used - 1 */
    uint32_t        row;
    const uint8_t  *lengths; /* of used + 2 codes, for both tables; NULL: all `length` */
    unsigned        length;
    size_t          more_selectors; /* beyond those that are needed */
    bool            randomised;
    uint32_t        wrong; /* xored to the checksum */
} bzkit_block;

/* Appends the block and its text to text[0..capacity); *size grows. The text is decoded by plain
 * code of its own. */
void bzkit_put_block(bzkit_file *f, const bzkit_block *b, uint8_t *text, size_t *size);

uint32_t bzkit_crc(const uint8_t *bytes, size_t n);

#endif
