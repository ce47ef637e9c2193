/* lms_sort.c - sorts the LMS rotations of a block by text.
 *
 * An item is a number: the next 44 bits of the text in front, the position behind. Two counting
 * passes sort by four bytes; groups that agree in these are sorted by five bytes at a time. Groups
 * that agree in 40 bytes are left to the ranks (lms_rank.c); in 400 bytes if they have few members,
 * in 19 if the block repeats itself. */
#include "text/bzip2/encode/lms_sort.h"

#include "text/word_sort.h"

#include <string.h>

enum {
    DEPTH = 40,       /* bytes that are compared before ranks are */
    LESS_DEPTH = 19,  /* if the block repeats itself */
    MORE_DEPTH = 400, /* if the groups have less than 1/FEW_MEMBERS of all; estimate */
    FEW_MEMBERS = 16,
    WORD_BYTES = 5, /* whole bytes in an item */
    AT_BITS = 20,
    FIRST_BYTES = 4, /* that the counting passes sort by */
    /* Fewer are sorted without tables. Blocks of 2560 and 20480 random letters (n / 3 of them are
     * LMS), us of CPU time without and with tables, 2026-11: 131 and 239, 1380 and 1230. */
#ifdef ORDO_TINY
    FEW_LMS = 16
#else
    FEW_LMS = 2048
#endif
};

/* The item with other text. */
static inline bz_item item_with(bz_item item, uint64_t word)
{
    return (word >> AT_BITS << AT_BITS) | (item & BZ_AT_MASK);
}

/* ---- By text ---- */

/* Leaves a group that agrees in `depth` bytes to the ranks, if that is deep enough. */
static bool leave_group(bz_sorter *s, uint32_t lo, uint32_t hi, uint32_t depth)
{
    if (depth < s->deep)
        return false;
    s->reach[lo] = bz_decided_reach(s, bz_item_at(s->items[lo]), depth);
    if (s->reach[lo] == 0)
        return false;
    s->ends[lo] = hi;
    s->members += hi - lo;
    return true;
}

/* Sorts two items that agree in `depth` bytes. */
static void sort_two(bz_sorter *s, uint32_t lo, uint32_t depth)
{
    bz_item *const items = s->items + lo;
    bz_item const  one = items[0], two = items[1];
    uint64_t       a, b;
    for (;; depth += (uint32_t)sizeof a) {
        if (leave_group(s, lo, lo + 2, depth))
            return;
        a = bz_word_at(s, bz_item_at(one), depth);
        b = bz_word_at(s, bz_item_at(two), depth);
        if (a != b)
            break;
    }
    items[0] = a < b ? one : two;
    items[1] = a < b ? two : one;
}

static void load_words(bz_sorter *s, uint32_t lo, uint32_t hi, uint32_t depth)
{
    for (uint32_t i = lo; i < hi; i++)
        s->items[i] = item_with(s->items[i], bz_word_at(s, bz_item_at(s->items[i]), depth));
}

/* Sorts items[lo..hi), which agree in `depth` bytes. */
static void sort_words(bz_sorter *s, uint32_t lo, uint32_t hi, uint32_t depth)
{
    bz_item *const items = s->items;
    for (bool whole = true; whole; depth += WORD_BYTES) {
        if (hi - lo == 2) {
            sort_two(s, lo, depth);
            return;
        }
        if (leave_group(s, lo, hi, depth))
            return;
        load_words(s, lo, hi, depth);
        text_sort_words(items + lo, hi - lo, AT_BITS, bz_scratch(s), s->n / 2);
        whole = (items[lo] ^ items[hi - 1]) >> AT_BITS == 0;
        for (uint32_t i = lo, end; !whole && i < hi; i = end) {
            end = bz_equal_end(items, i, hi, AT_BITS);
            if (end - i > 1)
                sort_words(s, i, end, depth + WORD_BYTES);
        }
    }
}

/* Sorts a few items by four bytes, without the tables of the counting passes. */
static void sort_few(bz_sorter *s)
{
    for (uint32_t i = 0; i < s->lms; i++)
        s->items[i] = item_with(s->begins[i], bz_word_at(s, s->begins[i], 0));
    text_sort_words(s->items, s->lms, 32, bz_scratch(s), s->n / 2);
}

/* Two counting passes sort by four bytes, the second pair first. */
static void sort_pairs(bz_sorter *s)
{
    uint32_t *const first = s->pairs, *const second = s->pairs + BZ_PAIRS;
    bz_item *const scratch = bz_scratch(s);
    memset(s->pairs, 0, 2 * (size_t)BZ_PAIRS * sizeof *s->pairs);
    for (uint32_t i = 0; i < s->lms; i++) {
        uint64_t const word = bz_word_at(s, s->begins[i], 0);
        first[word >> 48]++;
        second[word >> 32 & 0xffff]++;
    }
    (void)ordo_sums_before_32(first, BZ_PAIRS);
    (void)ordo_sums_before_32(second, BZ_PAIRS);
    for (uint32_t i = 0; i < s->lms; i++) {
        uint32_t const at = s->begins[i];
        uint64_t const word = bz_word_at(s, at, 0);
        scratch[second[word >> 32 & 0xffff]++] = item_with(at, word);
    }
    for (uint32_t i = 0; i < s->lms; i++)
        s->items[first[scratch[i] >> 48]++] = scratch[i];
}

/* Sorts items[lo..hi), which are sorted by four bytes. */
static void sort_range(bz_sorter *s, uint32_t lo, uint32_t end)
{
    const bz_item *const items = s->items;
    for (uint32_t hi; lo < end; lo = hi) {
        hi = bz_equal_end(items, lo, end, 32);
        if (hi - lo > 1)
            sort_words(s, lo, hi, FIRST_BYTES);
    }
}

/* Sorts the groups, which agree in `depth` bytes, by more of the text. */
static void sort_groups_by_text(bz_sorter *s, uint32_t depth)
{
    s->members = 0;
    for (uint32_t lo = 0, hi; lo < s->lms; lo = hi) {
        hi = bz_group_end(s, lo);
        s->ends[lo] = 0;
        if (hi - lo > 1)
            sort_words(s, lo, hi, depth);
    }
}

void bz_sort_by_text(bz_sorter *s, uint32_t count)
{
    s->deep = UINT32_MAX;
    sort_words(s, 0, count, 0);
}

void bz_sort_lms(bz_sorter *s, bool repeats)
{
    memset(s->ends, 0, s->lms * sizeof *s->ends);
    if (s->lms < FEW_LMS)
        sort_few(s);
    else
        sort_pairs(s);
    s->deep = repeats ? LESS_DEPTH : DEPTH;
    s->members = 0;
    sort_range(s, 0, s->lms);
    if (s->members > 0 && s->members < s->lms / FEW_MEMBERS && s->deep == DEPTH) {
        s->deep = MORE_DEPTH;
        sort_groups_by_text(s, DEPTH);
    }
    if (s->members > 0)
        bz_sort_by_rank(s);
}
