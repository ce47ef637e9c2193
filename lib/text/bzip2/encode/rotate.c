/* rotate.c - sorts the rotations of a block by induced sorting on the circle.
 *
 * A rotation is of type S if it is less than the next one, else of type L. LMS rotations are of
 * type S and follow one of type L: at most half, in texts about a third. They are sorted by
 * words of 8 bytes; groups that stay equal are sorted by the ranks of later LMS rotations, at
 * doubling distances. All others follow in two passes (Nong, Zhang, Chan 2009); on a circle
 * these need no sentinel. A block that is a repeated word is sorted by the rotations of the
 * word. */
#include "text/bzip2/encode/rotate.h"

#include "text/bzip2/encode/item_sort.h"

#include <string.h>

#define EMPTY UINT32_MAX

enum {
    PAIRS = 65536,
    DIRECT_DEPTH = 40 /* bytes that are compared before ranks are; estimate */
};

size_t bz_sorter_bytes(size_t most)
{
    size_t const half = most / 2 + 2;
    return ordo_round_up(half * sizeof(bz_item), 64) +
           ordo_round_up((most / 4 + 1) * sizeof(bz_group), 64) + 2 * ordo_round_up(half * 4, 64) +
           ordo_round_up(most * 4, 64) + ordo_round_up((PAIRS + 1) * 4, 64);
}

static void *carve(char **memory, size_t bytes)
{
    void *const piece = *memory;
    *memory += ordo_round_up(bytes, 64);
    return piece;
}

void bz_sorter_init(bz_sorter *s, void *memory, size_t most)
{
    char        *at = memory;
    size_t const half = most / 2 + 2;
    s->items = carve(&at, half * sizeof(bz_item));
    s->groups = carve(&at, (most / 4 + 1) * sizeof(bz_group));
    s->begins = carve(&at, half * 4);
    s->rank = carve(&at, half * 4);
    s->sa = carve(&at, most * 4);
    s->pairs = carve(&at, (size_t)(PAIRS + 1) * 4);
}

/* ---- LMS rotations ---- */

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

/* Lists the LMS rotations. Two neighbours differ somewhere, because the word is not one letter. */
static void find_lms(bz_sorter *s)
{
    const uint8_t *const t = s->text;
    uint32_t const       n = s->n;
    uint32_t             last = n - 1; /* whose type is known from its neighbour */
    while (t[last] == t[last + 1 < n ? last + 1 : 0])
        last--;
    bool     next_small = t[last] < t[last + 1 < n ? last + 1 : 0];
    uint32_t found = n / 2 + 2, at = last;
    for (uint32_t left = n; left > 0; left--) {
        uint32_t const before = at > 0 ? at - 1 : n - 1;
        bool const     small = t[before] < t[at] + (unsigned)next_small;
        s->begins[found - 1] = at; /* stays if it is LMS; a branch would be hard to predict */
        found -= next_small && !small;
        next_small = small;
        at = before;
    }
    s->lms = n / 2 + 2 - found;
    memmove(s->begins, s->begins + found, s->lms * sizeof *s->begins);
    /* The circle was walked from `last` on: its positions after `last` came at the end. */
    uint32_t first = 0;
    while (first < s->lms && s->begins[first] > last)
        first++;
    if (first > 0 && first < s->lms) { /* rank is free here */
        memcpy(s->rank, s->begins, first * sizeof *s->rank);
        memmove(s->begins, s->begins + first, (s->lms - first) * sizeof *s->begins);
        memcpy(s->begins + s->lms - first, s->rank, first * sizeof *s->rank);
    }
}

/* The distance from LMS rotation `index` to the second one after it. A common prefix of that length
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

static void close_range(bz_sorter *s, uint32_t lo, uint32_t hi, bool open)
{
    if (open && hi - lo > 1)
        s->groups[s->group_count++] = (bz_group){lo, hi};
    for (uint32_t i = lo; i < hi; i++)
        s->rank[s->items[i].index] = open ? lo : i;
}

static void load_words(bz_sorter *s, uint32_t lo, uint32_t hi, uint32_t depth)
{
    for (uint32_t i = lo; i < hi; i++)
        s->items[i].key = word_at(s, s->items[i].at, depth);
}

/* Whether a group that agrees in `depth` bytes is left to the ranks. */
static bool is_deep(const bz_sorter *s, uint32_t index, uint32_t depth)
{
    return depth >= DIRECT_DEPTH && depth >= decided_depth(s, index);
}

/* Sorts two items. */
static void sort_two(bz_sorter *s, uint32_t lo, uint32_t depth)
{
    bz_item *const items = s->items + lo;
    uint64_t       a = items[0].key, b = items[1].key;
    while (a == b) {
        depth += 8;
        if (is_deep(s, items[0].index, depth)) {
            close_range(s, lo, lo + 2, true);
            return;
        }
        a = word_at(s, items[0].at, depth);
        b = word_at(s, items[1].at, depth);
    }
    bz_item const one = items[a > b], two = items[a < b];
    items[0] = one;
    items[1] = two;
    close_range(s, lo, lo + 2, false);
}

/* Sorts items[lo..hi), which agree in `depth` bytes. Their keys are the words at that depth. */
static void sort_words(bz_sorter *s, uint32_t lo, uint32_t hi, uint32_t depth)
{
    if (hi - lo == 2) {
        sort_two(s, lo, depth);
        return;
    }
    for (bool whole = true; whole && hi - lo > 1;) {
        bz_sort_items(s->items + lo, hi - lo, (bz_item *)(void *)s->sa, s->n / 4);
        depth += 8;
        whole = s->items[lo].key == s->items[hi - 1].key;
        if (whole && is_deep(s, s->items[lo].index, depth)) {
            close_range(s, lo, hi, true);
            return;
        }
        for (uint32_t i = lo, end; !whole && i < hi; i = end) {
            for (end = i + 1; end < hi && s->items[end].key == s->items[i].key;)
                end++;
            if (end - i == 1)
                s->rank[s->items[i].index] = i;
            else if (is_deep(s, s->items[i].index, depth))
                close_range(s, i, end, true);
            else {
                load_words(s, i, end, depth);
                sort_words(s, i, end, depth);
            }
        }
        if (!whole)
            return;
        load_words(s, lo, hi, depth);
    }
    close_range(s, lo, hi, false);
}

/* Counts the LMS rotations by two of their bytes, and makes the counts to places. */
static void count_pairs(bz_sorter *s, uint32_t depth)
{
    memset(s->pairs, 0, (PAIRS + 1) * sizeof *s->pairs);
    for (uint32_t i = 0; i < s->lms; i++)
        s->pairs[word_at(s, s->begins[i], depth) >> 48]++;
    (void)ordo_sums_before_32(s->pairs, PAIRS + 1);
}

/* Two passes sort by four bytes: first the indices by the second pair, then the items by the first
 * pair. Rotations that agree in four bytes are sorted by words. */
static void sort_lms_by_words(bz_sorter *s)
{
    uint32_t *const order = s->sa; /* free until all LMS rotations are sorted */
    bz_item *const  items = s->items;
    count_pairs(s, 2);
    for (uint32_t i = 0; i < s->lms; i++)
        order[s->pairs[word_at(s, s->begins[i], 2) >> 48]++] = i;
    count_pairs(s, 0);
    for (uint32_t i = 0; i < s->lms; i++) {
        uint32_t const at = s->begins[order[i]];
        uint64_t const word = word_at(s, at, 0);
        items[s->pairs[word >> 48]++] = (bz_item){word, at, order[i]};
    }
    s->group_count = 0;
    for (uint32_t lo = 0, hi; lo < s->lms; lo = hi) {
        for (hi = lo + 1; hi < s->lms && items[hi].key >> 32 == items[lo].key >> 32;)
            hi++;
        sort_words(s, lo, hi, 0);
    }
}

static uint32_t rank_after(const bz_sorter *s, uint32_t index, uint32_t step)
{
    uint32_t const later = index + step;
    return s->rank[later < s->lms ? later : later - s->lms];
}

static void sort_two_by_rank(bz_sorter *s, bz_group g, uint32_t step, uint32_t *kept)
{
    bz_item *const items = s->items + g.lo;
    uint32_t const a = rank_after(s, items[0].index, step), b = rank_after(s, items[1].index, step);
    if (a == b) {
        s->groups[(*kept)++] = g;
        return;
    }
    bz_item const one = items[a > b], two = items[a < b];
    items[0] = one;
    items[1] = two;
    close_range(s, g.lo, g.hi, false);
}

/* Sorts a group by the ranks that its members have `step` LMS rotations later. Parts that stay
 * equal are appended to the groups at *kept. */
static void sort_group(bz_sorter *s, bz_group g, uint32_t step, uint32_t *kept)
{
    bz_item *const items = s->items;
    if (g.hi - g.lo == 2) {
        sort_two_by_rank(s, g, step, kept);
        return;
    }
    for (uint32_t i = g.lo; i < g.hi; i++)
        items[i].key = rank_after(s, items[i].index, step);
    bz_sort_items(items + g.lo, g.hi - g.lo, (bz_item *)(void *)s->sa, s->n / 4);
    for (uint32_t i = g.lo, end; i < g.hi; i = end) {
        for (end = i + 1; end < g.hi && items[end].key == items[i].key;)
            end++;
        for (uint32_t k = i; k < end; k++)
            s->rank[items[k].index] = i;
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

/* ---- The other rotations ---- */

static void bucket_ends(const bz_sorter *s, const uint32_t *counts, uint32_t *heads, uint32_t *ends)
{
    uint32_t sum = 0;
    (void)s;
    for (uint32_t c = 0; c < 256; c++) {
        heads[c] = sum;
        sum += counts[c];
        ends[c] = sum;
    }
}

static void induce(bz_sorter *s)
{
    const uint8_t *const t = s->text;
    uint32_t *const      sa = s->sa;
    uint32_t const       n = s->n;
    uint32_t             counts[256] = {0}, heads[256], ends[256];
    for (uint32_t i = 0; i < n; i++)
        counts[t[i]]++;
    bucket_ends(s, counts, heads, ends);
    memset(sa, 0xff, n * sizeof *sa);
    for (uint32_t i = s->lms; i > 0; i--) {
        uint32_t const at = s->items[i - 1].at;
        sa[--ends[t[at]]] = at;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t const at = sa[i];
        if (at == EMPTY)
            continue;
        uint32_t const before = at > 0 ? at - 1 : n - 1;
        if (t[before] >= t[at])
            sa[heads[t[before]]++] = before;
    }
    bucket_ends(s, counts, heads, ends);
    for (uint32_t i = n; i > 0; i--) {
        uint32_t const at = sa[i - 1];
        uint32_t const before = at > 0 ? at - 1 : n - 1;
        uint8_t const  c = t[before];
        if (c < t[at] || (c == t[at] && ends[c] <= i - 1))
            sa[--ends[c]] = before;
    }
}

/* ---- Repeated words ---- */

/* The length divides n, and so do its multiples by the prime factors of n. */
uint32_t bz_word_length(const uint8_t *text, uint32_t n)
{
    uint32_t length = n, rest = n;
    for (uint32_t prime = 2; rest > 1; prime++) {
        if (prime * prime > rest)
            prime = rest;
        for (; rest % prime == 0; rest /= prime)
            if (memcmp(text, text + length / prime, n - length / prime) == 0)
                length /= prime;
    }
    return length;
}

/* Turns the order of the rotations of the word into the order of those of the text. */
static void repeat_rows(uint32_t *sa, uint32_t length, uint32_t n)
{
    uint32_t const copies = n / length;
    for (uint32_t row = length; row > 0; row--) {
        uint32_t const at = sa[row - 1];
        for (uint32_t k = 0; k < copies; k++)
            sa[(row - 1) * copies + k] = at + (copies - 1 - k) * length;
    }
}

uint32_t bz_rotate(bz_sorter *s, uint8_t *text, uint32_t n)
{
    uint32_t const length = bz_word_length(text, n);
    uint8_t        saved[BZ_TEXT_PAD];
    s->text = text;
    s->n = length;
    memcpy(saved, text + length, sizeof saved);
    for (uint32_t i = 0; i < BZ_TEXT_PAD; i++)
        text[length + i] = text[i];
    if (length == 1) {
        s->sa[0] = 0;
    } else {
        find_lms(s);
        sort_lms_by_words(s);
        sort_groups(s);
        induce(s);
    }
    memcpy(text + length, saved, sizeof saved);
    if (length < n)
        repeat_rows(s->sa, length, n);
    uint32_t row = 0;
    while (s->sa[row] != 0)
        row++;
    return row;
}
