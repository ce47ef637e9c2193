/* rotate.h - the Burrows-Wheeler transform of the cyclic rotations of one block. */
#ifndef ORDO_TEXT_BZIP2_ENCODE_ROTATE_H
#define ORDO_TEXT_BZIP2_ENCODE_ROTATE_H

#include "backend/layout.h"

enum {
    BZ_TEXT_PAD = 72, /* bytes after a block that bz_rotate() overwrites */
    BZ_BYTE_SHIFT = 24,
    BZ_PAIRS = 65536
};

#define BZ_AT_MASK ((UINT32_C(1) << 20) - 1)

/* A rotation while it is sorted: a key, and where it begins. */
typedef uint64_t bz_item;

static inline uint32_t bz_item_at(bz_item item) { return (uint32_t)item & BZ_AT_MASK; }

typedef struct bz_sorter {
    uint8_t   *text;
    uint32_t   n;
    uint32_t  *sa;           /* n: entries of the rotations, in order */
    uint32_t  *begins;       /* n / 2 + 2: where the LMS rotations begin, in order of the text */
    uint64_t  *starts;       /* n / 64 + 4: a bit for each position: an LMS rotation begins there */
    bz_item   *items;        /* n / 2 + 1; the transform after all */
    uint32_t  *ends;         /* n / 2 + 1: of each group of items, at its first one; else 0 */
    uint32_t  *reach;        /* n / 2 + 1: bytes from a group's rotations to later LMS rotations */
    uint32_t  *rank;         /* n / 2 + 1: of the LMS rotations, by half their position */
    uint32_t  *pairs;        /* 2 * BZ_PAIRS */
    uint32_t   lms, members; /* LMS rotations; those in groups after the sort by text */
    uint32_t   letters[256]; /* how often each letter occurs in the word that is repeated */
    uint32_t   deep;         /* bytes in which the members of a group agree at least */
    ordo_exec *exec;         /* to be polled between the steps, or NULL */
} bz_sorter;

/* Where the rotation of an entry begins, and the last byte of the rotation. */
static inline uint32_t bz_entry_at(uint32_t entry, uint32_t n)
{
    uint32_t const at = (entry & BZ_AT_MASK) + 1;
    return at < n ? at : 0;
}

static inline uint8_t bz_entry_byte(uint32_t entry) { return (uint8_t)(entry >> BZ_BYTE_SHIFT); }

/* The transform after bz_rotate(): the last bytes of the rotations, in order. */
static inline uint8_t *bz_column(const bz_sorter *s) { return (uint8_t *)s->items; }

/* The arrays for blocks of up to `most` bytes. */
void bz_sorter_lay_out(bz_sorter *s, size_t most, ordo_layout *layout);

#define BZ_NO_ROW UINT32_MAX

/* Whether the call is cancelled. */
static inline bool bz_sorter_poll(const bz_sorter *s)
{
    return s->exec != NULL && ordo_poll(s->exec, 0);
}

/* Sorts the n >= 1 rotations of text, which has BZ_TEXT_PAD more bytes, to s->sa. Returns the
 * row of the rotation that begins at 0; BZ_NO_ROW if the call is cancelled. Equal rotations exist
 * if the block is a repeated word; they are in descending order of their positions. Also writes
 * bz_column(). */
uint32_t bz_rotate(bz_sorter *s, uint8_t *text, uint32_t n);

/* The length of the shortest word whose repetition is the text. */
uint32_t bz_word_length(const uint8_t *text, uint32_t n);

#endif
