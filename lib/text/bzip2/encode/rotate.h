/* rotate.h - the Burrows-Wheeler transform of the cyclic rotations of one block. */
#ifndef ORDO_TEXT_BZIP2_ENCODE_ROTATE_H
#define ORDO_TEXT_BZIP2_ENCODE_ROTATE_H

#include "core/base.h"

enum {
    BZ_TEXT_PAD = 64 /* bytes after a block that bz_rotate() overwrites */
};

typedef struct bz_item { /* a rotation while it is sorted */
    uint64_t key;
    uint32_t at;    /* where it begins */
    uint32_t index; /* its number among the sorted rotations, in order of the text */
} bz_item;

typedef struct bz_group { /* items[lo..hi), whose order is not known yet */
    uint32_t lo, hi;
} bz_group;

typedef struct bz_sorter {
    uint8_t  *text;
    uint32_t  n;
    uint32_t *sa;     /* n: where the rotations begin, in order */
    uint32_t *begins; /* n / 2 + 2: where the LMS rotations begin, in order of the text */
    uint32_t *rank;   /* n / 2 + 1: of the LMS rotations */
    bz_item  *items;  /* n / 2 + 1 */
    bz_group *groups; /* n / 4 + 1 */
    uint32_t *pairs;  /* 65537 */
    uint32_t  lms, group_count;
} bz_sorter;

/* Bytes of scratch for blocks of up to `most` bytes, and the layout of the arrays in it. The memory
 * is aligned to a cache line. */
size_t bz_sorter_bytes(size_t most);
void   bz_sorter_init(bz_sorter *s, void *memory, size_t most);

/* Sorts the n >= 1 rotations of text, which has BZ_TEXT_PAD more bytes, to s->sa. Returns the
 * row of the rotation that begins at 0. Equal rotations exist if the block is a repeated word;
 * they are in descending order of their positions. */
uint32_t bz_rotate(bz_sorter *s, uint8_t *text, uint32_t n);

/* The length of the shortest word whose repetition is the text. */
uint32_t bz_word_length(const uint8_t *text, uint32_t n);

#endif
