/* rotate.c - sorts the rotations of a block by induced sorting on the circle.
 *
 * A rotation is of type S if it is less than the next one, else of type L. LMS rotations are of
 * type S and follow one of type L: at most half, in texts about a third. They are sorted first
 * (lms_names.h, lms_sort.h). All others follow in two passes (Nong, Zhang, Chan 2009); on a circle
 * these need no sentinel. A block that is a repeated word is sorted by the rotations of the
 * word. */
#include "text/bzip2/encode/rotate.h"

#include "text/bzip2/encode/lms_names.h"
#include "text/bzip2/encode/lms_sort.h"
#include "text/bzip2/format.h"
#include "text/text_bits.h"

#include <string.h>

#define MARK (UINT32_C(1) << 23)

void bz_sorter_lay_out(bz_sorter *s, size_t most, ordo_layout *layout)
{
    size_t const half = most / 2 + 2;
    s->items = ordo_lay_line(layout, half, sizeof *s->items);
    s->starts = ordo_lay_line(layout, most / 64 + 4, sizeof *s->starts);
    s->begins = ordo_lay_line(layout, half, sizeof *s->begins);
    s->ends = ordo_lay_line(layout, half, sizeof *s->ends);
    s->reach = ordo_lay_line(layout, half, sizeof *s->reach);
    s->rank = ordo_lay_line(layout, half, sizeof *s->rank);
    s->sa = ordo_lay_line(layout, most, sizeof *s->sa);
    s->pairs = ordo_lay_line(layout, (size_t)2 * BZ_PAIRS, sizeof *s->pairs);
}

/* ---- LMS rotations ---- */

#define INDEX uint32_t
#define SYMBOL uint8_t
#define BYTES 1
#define FN(name) name##_rotations
#include "text/lms_find.t.h"

/* Repeats the first bits of s->starts after the last one, because the text is a circle. */
static void close_circle(bz_sorter *s)
{
    uint64_t *const starts = s->starts;
    uint32_t const  n = s->n, end = n / 64;
    memset(starts + end + 1, 0, 2 * sizeof *starts);
    for (uint32_t i = 0; i < 128; i++) {
        uint64_t const bit = starts[i % n / 64] >> i % n % 64 & 1;
        starts[(n + i) / 64] |= bit << (n + i) % 64;
    }
}

/* Lists the LMS rotations. The letters differ somewhere. */
static void find_lms(bz_sorter *s)
{
    uint32_t *const begins = s->begins;
    s->lms = (uint32_t)find_circle_rotations(s->text, s->n, begins);
    memset(s->starts, 0, (s->n / 64 + 1) * sizeof *s->starts);
    for (uint32_t i = 0; i < s->lms; i++)
        s->starts[begins[i] / 64] |= UINT64_C(1) << begins[i] % 64;
    close_circle(s);
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

/* An entry is final when the pass reads it, so its byte goes to the transform. */
static void induce_small(bz_sorter *s, uint32_t *ends)
{
    uint32_t *const sa = s->sa;
    uint8_t *const  column = bz_column(s);
    for (uint32_t i = s->n; i > 0; i--) {
        uint32_t const entry = sa[i - 1], byte = entry >> BZ_BYTE_SHIFT;
        column[i - 1] = (uint8_t)byte;
        if ((entry & MARK) == 0)
            sa[--ends[byte]] = entry_of(s, entry & BZ_AT_MASK, byte, false);
    }
}

static void induce(bz_sorter *s)
{
    const uint8_t *const t = s->text;
    uint32_t             heads[256], ends[256];
    text_count(s->text, s->n, s->letters);
    memcpy(heads, s->letters, sizeof heads);
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
static void repeat_rows(const bz_sorter *s, uint32_t length, uint32_t n)
{
    uint32_t *const sa = s->sa;
    uint32_t const  copies = n / length;
    for (uint32_t row = length; row > 0; row--) {
        uint32_t const byte = sa[row - 1] & ~BZ_AT_MASK;
        uint32_t const at = bz_entry_at(sa[row - 1], length);
        for (uint32_t k = 0; k < copies; k++) {
            uint32_t const here = at + (copies - 1 - k) * length;
            sa[(row - 1) * copies + k] = byte | (here > 0 ? here - 1 : n - 1);
        }
        memset(bz_column(s) + (row - 1) * copies, bz_entry_byte(byte), copies);
    }
}

/* The row of the rotation that begins at 0. */
static uint32_t row_of_text(const uint32_t *sa, uint32_t n)
{
    enum {
        STEP = 64
    };
    uint32_t row = 0;
    for (; row + STEP <= n; row += STEP) {
        uint32_t found = 0; /* the highest bit */
        for (uint32_t i = 0; i < STEP; i++)
            found |= ((sa[row + i] & BZ_AT_MASK) ^ (n - 1)) - 1;
        if (found >> 31 != 0)
            break;
    }
    while ((sa[row] & BZ_AT_MASK) != n - 1)
        row++;
    return row;
}

uint32_t bz_rotate(bz_sorter *s, uint8_t *text, uint32_t n)
{
    uint32_t const length = bz_word_length(text, n);
    uint8_t        saved[BZ_TEXT_PAD];
    bool           cancelled = false;
    s->text = text;
    s->n = length;
    memcpy(saved, text + length, sizeof saved);
    for (uint32_t i = 0; i < BZ_TEXT_PAD; i++)
        text[length + i] = text[i];
    if (length == 1) {
        s->sa[0] = (uint32_t)text[0] << BZ_BYTE_SHIFT;
        bz_column(s)[0] = text[0];
        text_count(s->text, s->n, s->letters);
    } else {
        find_lms(s);
        bool const repeats = bz_has_repeats(s);
        if (!repeats || !bz_sort_by_names(s))
            bz_sort_lms(s, repeats);
        cancelled = bz_sorter_poll(s);
        if (!cancelled)
            induce(s);
    }
    memcpy(text + length, saved, sizeof saved);
    if (cancelled || bz_sorter_poll(s))
        return BZ_NO_ROW;
    if (length < n)
        repeat_rows(s, length, n);
    return row_of_text(s->sa, n);
}
