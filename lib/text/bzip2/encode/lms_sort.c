/* lms_sort.c - sorts the LMS rotations of a block.
 *
 * An item is a number: the next 43 bits of the text in front, the position behind. Two counting
 * passes sort by four bytes; groups that agree in these are sorted by five bytes at a time. Groups
 * that agree in 40 bytes, or in 400 if they are few, are sorted by the ranks of later LMS rotations
 * at doubling distances; then an item has the rank, the number of the rotation among all LMS
 * rotations, and the position. Ranks are computed only if there are such groups. */
#include "text/bzip2/encode/lms_sort.h"

#include "text/bzip2/encode/item_sort.h"

#include <string.h>

enum {
    DIRECT_DEPTH = 40,   /* bytes that are compared before ranks are; estimate */
    FURTHER_DEPTH = 400, /* the same, if the groups have less than 1/16 of all; estimate */
    FEW_MEMBERS = 16,
    WORD_BYTES = 5, /* whole bytes in an item */
    AT_BITS = 20,
    WORD_SHIFT = AT_BITS + 1, /* where the text begins in an item */
    RANK_SHIFT = 2 * AT_BITS,
    FIRST_BYTES = 4 /* that the counting passes sort by */
};

/* The second LMS rotation after this one is more than DIRECT_DEPTH bytes away. */
#define FAR (UINT32_C(1) << AT_BITS)

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
    return (word >> WORD_SHIFT << WORD_SHIFT) | (item & (FAR | BZ_AT_MASK));
}

static bz_item *scratch_of(const bz_sorter *s) { return (bz_item *)(void *)s->sa; }

/* ---- By text ---- */

/* The distance from an LMS rotation to the second one after it. A common prefix of that length
 * shows that the first one after it is LMS in all rotations with this prefix. */
static uint32_t decided_depth(const bz_sorter *s, uint32_t index)
{
    uint32_t const m = s->lms;
    if (m < 3)
        return UINT32_MAX;
    uint32_t const second = s->begins[index + 2 < m ? index + 2 : index + 2 - m];
    uint32_t const from = s->begins[index];
    return second > from ? second - from : second + s->n - from;
}

/* Whether a group that agrees in `depth` bytes is left to the ranks. */
static bool is_deep(const bz_sorter *s, bz_item item, uint32_t depth)
{
    return depth >= s->deep &&
           ((item & FAR) == 0 || depth >= decided_depth(s, s->number[bz_item_at(item) / 2]));
}

static void add_group(bz_sorter *s, uint32_t lo, uint32_t hi)
{
    s->groups[s->group_count++] = (bz_group){lo, hi};
}

/* Sorts two items that agree in `depth` bytes. */
static void sort_two(bz_sorter *s, uint32_t lo, uint32_t depth)
{
    bz_item *const items = s->items + lo;
    bz_item const  one = items[0], two = items[1];
    uint64_t       a, b;
    for (;; depth += (uint32_t)sizeof a) {
        if (is_deep(s, one, depth)) {
            add_group(s, lo, lo + 2);
            return;
        }
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
        if (is_deep(s, items[lo], depth)) {
            add_group(s, lo, hi);
            return;
        }
        load_words(s, lo, hi, depth);
        bz_sort_items(items + lo, hi - lo, WORD_SHIFT, scratch_of(s), s->n / 2);
        whole = (items[lo] ^ items[hi - 1]) >> WORD_SHIFT == 0;
        for (uint32_t i = lo, end; !whole && i < hi; i = end) {
            for (end = i + 1; end < hi && (items[end] ^ items[i]) >> WORD_SHIFT == 0;)
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
    bz_item *const scratch = scratch_of(s);
    memset(s->pairs, 0, 2 * (size_t)BZ_PAIRS * sizeof *s->pairs);
    for (uint32_t i = 0; i < s->lms; i++) {
        uint64_t const word = word_at(s, s->begins[i], 0);
        s->number[s->begins[i] / 2] = i;
        first[word >> 48]++;
        second[word >> 32 & 0xffff]++;
    }
    (void)ordo_sums_before_32(first, BZ_PAIRS);
    (void)ordo_sums_before_32(second, BZ_PAIRS);
    for (uint32_t i = 0; i < s->lms; i++) {
        uint32_t const at = s->begins[i];
        uint64_t const word = word_at(s, at, 0);
        bz_item const  item = at | (decided_depth(s, i) > DIRECT_DEPTH ? FAR : 0);
        scratch[second[word >> 32 & 0xffff]++] = item_with(item, word);
    }
    for (uint32_t i = 0; i < s->lms; i++)
        s->items[first[scratch[i] >> 48]++] = scratch[i];
}

static void sort_by_text(bz_sorter *s)
{
    const bz_item *const items = s->items;
    for (uint32_t lo = 0, hi; lo < s->lms; lo = hi) {
        for (hi = lo + 1; hi < s->lms && (items[hi] ^ items[lo]) >> 32 == 0;)
            hi++;
        if (hi - lo > 1)
            sort_words(s, lo, hi, FIRST_BYTES);
    }
}

/* ---- By ranks ---- */

static inline uint32_t index_of(bz_item item) { return (uint32_t)(item >> AT_BITS) & BZ_AT_MASK; }

static inline uint32_t rank_after(const bz_sorter *s, bz_item item, uint32_t step)
{
    uint32_t const later = index_of(item) + step;
    return s->rank[later < s->lms ? later : later - s->lms];
}

static void make_ranks(bz_sorter *s)
{
    for (uint32_t i = 0; i < s->lms; i++)
        s->rank[s->number[bz_item_at(s->items[i]) / 2]] = i;
    for (uint32_t g = 0; g < s->group_count; g++)
        for (uint32_t lo = s->groups[g].lo, i = lo; i < s->groups[g].hi; i++) {
            uint32_t const at = bz_item_at(s->items[i]), index = s->number[at / 2];
            s->items[i] = (bz_item)index << AT_BITS | at;
            s->rank[index] = lo;
        }
}

static void sort_two_by_rank(bz_sorter *s, bz_group g, uint32_t step, uint32_t *kept)
{
    bz_item *const items = s->items + g.lo;
    bz_item const  one = items[0], two = items[1];
    uint32_t const a = rank_after(s, one, step), b = rank_after(s, two, step);
    if (a == b) {
        s->groups[(*kept)++] = g;
        return;
    }
    items[0] = a < b ? one : two;
    items[1] = a < b ? two : one;
    s->rank[index_of(a < b ? two : one)] = g.lo + 1;
}

/* Sorts a group by the ranks that its members have `step` LMS rotations later. Parts that stay
 * equal are appended to the groups at *kept. */
static void sort_group(bz_sorter *s, bz_group g, uint32_t step, uint32_t *kept)
{
    bz_item *const items = s->items;
    bz_item const  low = (UINT64_C(1) << RANK_SHIFT) - 1;
    if (g.hi - g.lo == 2) {
        sort_two_by_rank(s, g, step, kept);
        return;
    }
    for (uint32_t i = g.lo; i < g.hi; i++)
        items[i] = (items[i] & low) | (bz_item)rank_after(s, items[i], step) << RANK_SHIFT;
    bz_sort_items(items + g.lo, g.hi - g.lo, RANK_SHIFT, scratch_of(s), s->n / 2);
    for (uint32_t i = g.lo, end; i < g.hi; i = end) {
        for (end = i + 1; end < g.hi && (items[end] ^ items[i]) >> RANK_SHIFT == 0;)
            end++;
        for (uint32_t k = i; k < end; k++)
            s->rank[index_of(items[k])] = i;
        if (end - i > 1)
            s->groups[(*kept)++] = (bz_group){i, end};
    }
}

/* Members of a group agree in `step` LMS rotations. New ranks are used at once: they are finer. A
 * group is split into at most half as many groups as it has members, so the list of the next round
 * is written behind the rest of this one. */
static void sort_groups(bz_sorter *s)
{
    bz_group *const groups = s->groups;
    for (uint32_t step = 1; s->group_count > 0; step = step < s->lms / 2 ? 2 * step : step) {
        uint32_t const count = s->group_count;
        uint32_t const room = s->n / 4 + 1;
        memmove(groups + room - count, groups, count * sizeof *groups);
        uint32_t kept = 0;
        for (uint32_t i = room - count; i < room; i++)
            sort_group(s, groups[i], step, &kept);
        s->group_count = kept;
    }
}

/* Sorts groups by more of the text. The groups that stay are listed before those to do. */
static void sort_groups_by_text(bz_sorter *s)
{
    bz_group *const groups = s->groups;
    uint32_t const  count = s->group_count, room = s->n / 4 + 1;
    memmove(groups + room - count, groups, count * sizeof *groups);
    s->group_count = 0;
    for (uint32_t i = room - count; i < room; i++)
        sort_words(s, groups[i].lo, groups[i].hi, DIRECT_DEPTH);
}

static uint32_t count_members(const bz_sorter *s)
{
    uint32_t members = 0;
    for (uint32_t i = 0; i < s->group_count; i++)
        members += s->groups[i].hi - s->groups[i].lo;
    return members;
}

void bz_sort_lms(bz_sorter *s)
{
    s->group_count = 0;
    s->deep = DIRECT_DEPTH;
    sort_pairs(s);
    sort_by_text(s);
    if (s->group_count > 0 && count_members(s) < s->lms / FEW_MEMBERS) {
        s->deep = FURTHER_DEPTH;
        sort_groups_by_text(s);
    }
    if (s->group_count > 0)
        make_ranks(s);
    sort_groups(s);
}
