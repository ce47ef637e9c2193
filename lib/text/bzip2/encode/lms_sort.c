/* lms_sort.c - sorts the LMS rotations of a block.
 *
 * An item is a number: the next 44 bits of the text in front, the position behind. Two counting
 * passes sort by four bytes; groups that agree in these are sorted by five bytes at a time. Groups
 * that agree in 40 bytes are left to the ranks (lms_rank.c); in 19 bytes if a sample shows that
 * such groups have many members, and in 400 if they have few. */
#include "text/bzip2/encode/lms_sort.h"

#include "text/bzip2/encode/item_sort.h"

#include <string.h>

enum {
    /* Bytes that are compared before ranks are. Neoverse V1, 24 blocks of source: 0.43 s with 19
     * bytes and 0.49 s with 40; 16 blocks of WordNet: 0.31 s with 14 bytes and 0.28 s with 40. */
    DEPTH = 40,
    LESS_DEPTH = 19,  /* if at least 1/MANY_MEMBERS of the sample agree in 40 bytes */
    MORE_DEPTH = 400, /* if the groups have less than 1/FEW_MEMBERS of all; estimate */
    MANY_MEMBERS = 4,
    FEW_MEMBERS = 16,
    SAMPLED = 8,    /* one in so many pairs of bytes is in the sample */
    WORD_BYTES = 5, /* whole bytes in an item */
    AT_BITS = 20,
    FIRST_BYTES = 4 /* that the counting passes sort by */
};

/* The bytes from depth on of the rotation that begins at `at`, as a number. */
static inline uint64_t word_at(const bz_sorter *s, uint32_t at, uint32_t depth)
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
        a = word_at(s, bz_item_at(one), depth);
        b = word_at(s, bz_item_at(two), depth);
        if (a != b)
            break;
    }
    items[0] = a < b ? one : two;
    items[1] = a < b ? two : one;
}

static void load_words(bz_sorter *s, uint32_t lo, uint32_t hi, uint32_t depth)
{
    for (uint32_t i = lo; i < hi; i++)
        s->items[i] = item_with(s->items[i], word_at(s, bz_item_at(s->items[i]), depth));
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
        bz_sort_items(items + lo, hi - lo, AT_BITS, bz_scratch(s), s->n / 2);
        whole = (items[lo] ^ items[hi - 1]) >> AT_BITS == 0;
        for (uint32_t i = lo, end; !whole && i < hi; i = end) {
            for (end = i + 1; end < hi && (items[end] ^ items[i]) >> AT_BITS == 0;)
                end++;
            if (end - i > 1)
                sort_words(s, i, end, depth + WORD_BYTES);
        }
    }
}

/* Two counting passes sort by four bytes, the second pair first. */
static void sort_pairs(bz_sorter *s)
{
    uint32_t *const first = s->pairs, *const second = s->pairs + BZ_PAIRS;
    bz_item *const scratch = bz_scratch(s);
    memset(s->pairs, 0, 2 * (size_t)BZ_PAIRS * sizeof *s->pairs);
    for (uint32_t i = 0; i < s->lms; i++) {
        uint64_t const word = word_at(s, s->begins[i], 0);
        first[word >> 48]++;
        second[word >> 32 & 0xffff]++;
    }
    (void)ordo_sums_before_32(first, BZ_PAIRS);
    (void)ordo_sums_before_32(second, BZ_PAIRS);
    for (uint32_t i = 0; i < s->lms; i++) {
        uint32_t const at = s->begins[i];
        uint64_t const word = word_at(s, at, 0);
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
        for (hi = lo + 1; hi < end && (items[hi] ^ items[lo]) >> 32 == 0;)
            hi++;
        if (hi - lo > 1)
            sort_words(s, lo, hi, FIRST_BYTES);
    }
}

static bool in_sample(uint32_t pair) { return (pair * UINT32_C(0x9e3779b1) >> 16) % SAMPLED == 0; }

/* Sorts the rotations that begin with some of the pairs of bytes: those of the sample, or the
 * others. Returns their number. */
static uint32_t sort_some(bz_sorter *s, bool sample)
{
    const uint32_t *const ends = s->pairs; /* after the counting passes */
    uint32_t              count = 0, lo = 0;
    for (uint32_t pair = 0; pair < BZ_PAIRS; lo = ends[pair++])
        if (lo < ends[pair] && in_sample(pair) == sample) {
            sort_range(s, lo, ends[pair]);
            count += ends[pair] - lo;
        }
    return count;
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

void bz_sort_lms(bz_sorter *s)
{
    memset(s->ends, 0, s->lms * sizeof *s->ends);
    sort_pairs(s);
    s->deep = DEPTH;
    s->members = 0;
    uint32_t const sampled = sort_some(s, true);
    if (s->members > sampled / MANY_MEMBERS)
        s->deep = LESS_DEPTH;
    (void)sort_some(s, false);
    if (s->members > 0 && s->members < s->lms / FEW_MEMBERS && s->deep == DEPTH) {
        s->deep = MORE_DEPTH;
        sort_groups_by_text(s, DEPTH);
    }
    if (s->members > 0)
        bz_sort_by_rank(s);
}
