/* rotate.c - sorts the rotations of a block by induced sorting on the circle.
 *
 * A rotation is of type S if it is less than the next one, else of type L. LMS rotations are of
 * type S and follow one of type L: at most half, in texts about a third. They are sorted first
 * (lms_sort.h). All others follow in two passes (Nong, Zhang, Chan 2009); on a circle these need no
 * sentinel. A block that is a repeated word is sorted by the rotations of the word. */
#include "text/bzip2/encode/rotate.h"

#include "text/bzip2/encode/lms_sort.h"

#include <string.h>

#define MARK (UINT32_C(1) << 23)

size_t bz_sorter_bytes(size_t most)
{
    size_t const half = most / 2 + 2;
    return ordo_round_up(half * sizeof(bz_item), 64) +
           ordo_round_up((most / 4 + 1) * sizeof(bz_group), 64) + 3 * ordo_round_up(half * 4, 64) +
           ordo_round_up(most * 4, 64) + 2 * BZ_PAIRS * sizeof(uint32_t);
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
    s->number = carve(&at, half * 4);
    s->pairs = carve(&at, 2 * BZ_PAIRS * sizeof(uint32_t));
}

/* ---- LMS rotations ---- */

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

/* ---- The other rotations ---- */

/* An entry of sa names a rotation by the position before it. It has the byte there, which is the
 * byte of the transform, and a mark: the rotation before is of type L. The first pass uses marked
 * entries, the second one the others; so no pass reads the text before it knows the bucket. */
static inline uint32_t entry_of(const bz_sorter *s, uint32_t at, uint32_t byte, bool large)
{
    uint32_t const before = at > 0 ? at - 1 : s->n - 1, last = s->text[before];
    bool const     larger = large ? last >= byte : last > byte;
    return last << BZ_BYTE_SHIFT | (larger ? MARK : 0) | before;
}

static void induce_large(bz_sorter *s, uint32_t *heads)
{
    uint32_t *const sa = s->sa;
    for (uint32_t i = 0, n = s->n; i < n; i++) {
        uint32_t const entry = sa[i], byte = entry >> BZ_BYTE_SHIFT;
        if ((entry & MARK) != 0)
            sa[heads[byte]++] = entry_of(s, entry & BZ_AT_MASK, byte, true);
    }
}

static void induce_small(bz_sorter *s, uint32_t *ends)
{
    uint32_t *const sa = s->sa;
    for (uint32_t i = s->n; i > 0; i--) {
        uint32_t const entry = sa[i - 1], byte = entry >> BZ_BYTE_SHIFT;
        if ((entry & MARK) == 0)
            sa[--ends[byte]] = entry_of(s, entry & BZ_AT_MASK, byte, false);
    }
}

static void induce(bz_sorter *s)
{
    const uint8_t *const t = s->text;
    uint32_t             heads[256] = {0}, ends[256];
    for (uint32_t i = 0; i < s->n; i++)
        heads[t[i]]++;
    (void)ordo_sums_before_32(heads, 256);
    memcpy(ends, heads + 1, 255 * sizeof *ends);
    ends[255] = s->n;
    memset(s->sa, 0, s->n * sizeof *s->sa);
    uint32_t tails[256];
    memcpy(tails, ends, sizeof tails);
    for (uint32_t i = s->lms; i > 0; i--) {
        uint32_t const at = bz_item_at(s->items[i - 1]);
        s->sa[--tails[t[at]]] = entry_of(s, at, t[at], true);
    }
    induce_large(s, heads);
    induce_small(s, ends);
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
        uint32_t const byte = sa[row - 1] & ~BZ_AT_MASK;
        uint32_t const at = bz_entry_at(sa[row - 1], length);
        for (uint32_t k = 0; k < copies; k++) {
            uint32_t const here = at + (copies - 1 - k) * length;
            sa[(row - 1) * copies + k] = byte | (here > 0 ? here - 1 : n - 1);
        }
    }
}

static uint32_t row_of_text(const uint32_t *sa, uint32_t n)
{
    uint32_t row = 0;
    while ((sa[row] & BZ_AT_MASK) != n - 1)
        row++;
    return row;
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
        s->sa[0] = (uint32_t)text[0] << BZ_BYTE_SHIFT;
    } else {
        find_lms(s);
        bz_sort_lms(s);
        induce(s);
    }
    memcpy(text + length, saved, sizeof saved);
    if (length < n)
        repeat_rows(s->sa, length, n);
    return row_of_text(s->sa, n);
}
