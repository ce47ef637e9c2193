/* lms_sort.h - the order of the LMS rotations of a block. */
#ifndef ORDO_TEXT_BZIP2_ENCODE_LMS_SORT_H
#define ORDO_TEXT_BZIP2_ENCODE_LMS_SORT_H

#include "text/bzip2/encode/rotate.h"

#include <string.h>

/* Sorts the LMS rotations s->begins to s->items; bz_item_at() of an item is where it begins. Writes
 * to s->sa. No two rotations of the text are equal. `repeats`: many agree in 32 bytes. */
void bz_sort_lms(bz_sorter *s, bool repeats);

/* Sorts the first `count` >= 2 items, which are LMS rotations, by all of the text. */
void bz_sort_by_text(bz_sorter *s, uint32_t count);

/* Sorts the groups of s->items: s->ends and s->reach are set for each. */
void bz_sort_by_rank(bz_sorter *s);

/* The distance from the LMS rotation at `at` to a later one that all rotations with the same
 * `depth` bytes have, too; 0 if there is none. A common prefix that reaches the second of two LMS
 * rotations shows that the first one is LMS. */
uint32_t bz_decided_reach(const bz_sorter *s, uint32_t at, uint32_t depth);

/* The end of the group that begins at lo, or of a single item. */
static inline uint32_t bz_group_end(const bz_sorter *s, uint32_t lo)
{
    return s->ends[lo] > 0 ? s->ends[lo] : lo + 1;
}

/* The bytes from depth on of the rotation that begins at `at`, as a number. */
static inline uint64_t bz_word_at(const bz_sorter *s, uint32_t at, uint32_t depth)
{
    uint64_t word;
    uint32_t from = at + depth;
    while (from >= s->n) /* once, unless the word is short */
        from -= s->n;
    memcpy(&word, s->text + from, sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* The end of the items after `from`, below `end`, that have its key, which is item >> shift. */
static inline uint32_t bz_equal_end(const bz_item *items, uint32_t from, uint32_t end,
                                    unsigned shift)
{
    uint32_t next = from + 1;
    while (next < end && (items[next] ^ items[from]) >> shift == 0)
        next++;
    return next;
}

static inline bz_item *bz_scratch(const bz_sorter *s) { return (bz_item *)(void *)s->sa; }

#endif
