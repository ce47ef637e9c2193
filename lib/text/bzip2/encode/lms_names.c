/* lms_names.c - sorts the LMS rotations of a block by the names of their substrings.
 *
 * From one LMS rotation to the next, the text is an LMS substring. A block that repeats itself has
 * few different ones: one of source has 232 thousand LMS rotations and 9.7 thousand substrings. A
 * hash table numbers the substrings, only the distinct ones are sorted, and their places in that
 * order are names. The circle of the names has the order of the LMS rotations. It is sorted the
 * same way, by its own LMS rotations (Nong, Zhang, Chan 2009), until all names differ: O(n), if
 * the searches of the table are short. Else, and with too many names, it is given up. */
#include "text/bzip2/encode/lms_names.h"

#include "backend/tuning.h"
#include "text/bzip2/encode/lms_sort.h"
#include "text/bzip2/format.h"
#include "text/word_sort.h"

#include <string.h>

enum {
    MOST_KINDS = BZ_PAIRS - 1,      /* numbers have 16 bits; s->pairs has two tables of them */
    LEAST_SLOTS = ORDO_TUNE(10, 3), /* binary logarithm */
    SHORT_BYTES = 14,               /* of a substring that is its own key */
    BATCH = ORDO_TUNE(64, 1),       /* substrings whose slots are prefetched */
    MOST_STEPS = 4,                 /* of a search, on average */
    FEW_KINDS = ORDO_TUNE(8, 1), /* of so many substrings of the text, one may be new; estimate */
    REPEAT_BYTES = ORDO_TUNE(32, 16),
    /* The block repeats itself if one in so many of the sample does: 0.24 to 0.97 of them in blocks
     * of source, at most 0.11 in blocks of WordNet. */
    MANY_REPEATS = ORDO_TUNE(6, 1000),
    SAMPLE_BITS = ORDO_TUNE(6, 0), /* one in 2^bits rotations is in the sample */
    SEEN_BITS = 12,
    AT_BITS = 20
};

/* The bytes of a substring and their number, or a hash of a long one. */
typedef struct key {
    uint64_t low, high;
} key;

typedef struct numbering {
    bz_sorter       *s;
    const bz_circle *c; /* NULL: the text of s */
    const uint8_t   *bytes;
    uint32_t         width; /* of a symbol */
    uint32_t         n, lms;
    const uint32_t  *begins;
    uint32_t        *slots; /* 0: empty; else bits of the hash, and the number + 1 */
    unsigned         shift; /* 64 - the binary logarithm of the number of slots */
    uint32_t         kinds;
    uint32_t         steps;
    key             *keys;   /* of each number */
    uint32_t        *firsts; /* of each number: the first substring that has it */
} numbering;

/* The bytes of substring k, with the first symbol of the next one. */
static inline uint32_t bytes_of(const numbering *t, uint32_t k)
{
    uint32_t const next = k + 1 < t->lms ? t->begins[k + 1] : t->begins[0] + t->n;
    return (next - t->begins[k] + 1) * t->width;
}

/* Eight bytes of a long substring, or what is left of it. */
static inline uint64_t piece_of(const numbering *t, uint32_t at, uint32_t depth, uint32_t bytes)
{
    uint32_t const all = t->n * t->width;
    uint32_t       from = at * t->width + depth;
    while (from >= all)
        from -= all;
    uint64_t const piece = bz_load_low(t->bytes + from);
    return bytes - depth < 8 ? piece & ~(UINT64_MAX << 8 * (bytes - depth)) : piece;
}

static key long_key(const numbering *t, uint32_t at, uint32_t bytes)
{
    uint64_t hash = bytes;
    for (uint32_t depth = 0; depth < bytes; depth += 8)
        hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9) + piece_of(t, at, depth, bytes);
    return (key){hash, UINT64_MAX};
}

static bool same_long(const numbering *t, uint32_t j, uint32_t k)
{
    uint32_t const bytes = bytes_of(t, k);
    if (bytes_of(t, j) != bytes)
        return false;
    for (uint32_t depth = 0; depth < bytes; depth += 8)
        if (piece_of(t, t->begins[j], depth, bytes) != piece_of(t, t->begins[k], depth, bytes))
            return false;
    return true;
}

static inline key key_of(const numbering *t, uint32_t k)
{
    uint32_t const at = t->begins[k], bytes = bytes_of(t, k);
    if (bytes > SHORT_BYTES)
        return long_key(t, at, bytes);
    const uint8_t *const from = t->bytes + (size_t)at * t->width;
    uint64_t const       mask = UINT64_MAX >> (8 * (16 - bytes) & 63);
    uint64_t const       low = bz_load_low(from), high = bz_load_low(from + 8);
    bool const           more = bytes > 8;
    return (key){low & (more ? UINT64_MAX : mask),
                 (high & (more ? mask : 0)) | (uint64_t)bytes << 56};
}

static inline uint64_t hash_of(key of)
{
    uint64_t const sum = (of.low ^ of.low >> 29) * UINT64_C(0x9e3779b97f4a7c15) +
                         (of.high ^ of.high >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    return (sum ^ sum >> 32) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The number of substring k, a new one if the table does not have it. */
static inline uint32_t number_of(numbering *t, key of, uint64_t hash, uint32_t k)
{
    uint32_t const mask = (uint32_t)(UINT64_MAX >> t->shift), bits = (uint32_t)hash & 0xffff0000;
    uint32_t       at = (uint32_t)(hash >> t->shift);
    for (; t->slots[at] != 0; at = (at + 1) & mask, t->steps++) {
        uint32_t const number = (t->slots[at] & 0xffff) - 1;
        if ((t->slots[at] ^ bits) >> 16 == 0 && t->keys[number].low == of.low &&
            t->keys[number].high == of.high &&
            (of.high != UINT64_MAX || same_long(t, t->firsts[number], k)))
            return number;
    }
    t->firsts[t->kinds] = k;
    t->keys[t->kinds++] = of;
    t->slots[at] = bits | t->kinds;
    return t->kinds - 1;
}

/* Makes the table at least four times as large as the numbers that a batch may lead to. */
static bool grow(numbering *t)
{
    unsigned       log = 64 - t->shift;
    uint32_t const kinds = t->kinds + BATCH;
    if (kinds >> (log - 2) == 0)
        return true;
    while (kinds >> (log - 2) != 0)
        log++;
    if (kinds > MOST_KINDS || kinds > t->s->n / 4 || (UINT64_C(1) << log) > t->s->n)
        return false;
    uint32_t const mask = (UINT32_C(1) << log) - 1;
    t->shift = 64 - log;
    memset(t->slots, 0, sizeof *t->slots << log);
    for (uint32_t i = 0; i < t->kinds; i++) {
        uint64_t const hash = hash_of(t->keys[i]);
        uint32_t       at = (uint32_t)(hash >> t->shift);
        while (t->slots[at] != 0)
            at = (at + 1) & mask;
        t->slots[at] = ((uint32_t)hash & 0xffff0000) | (i + 1);
    }
    return true;
}

/* Numbers all substrings. Returns false if it is given up. */
static bool number_all(numbering *t, uint16_t *names)
{
    key      keys[BATCH];
    uint64_t hashes[BATCH];
    for (uint32_t lo = 0, hi; lo < t->lms; lo = hi) {
        hi = t->lms - lo < BATCH ? t->lms : lo + BATCH;
        if (t->c == NULL && t->kinds > lo / FEW_KINDS + t->lms / FEW_KINDS / 8)
            return false;
        if (t->steps / MOST_STEPS > hi || !grow(t))
            return false;
        for (uint32_t k = lo; k < hi; k++) {
            keys[k - lo] = key_of(t, k);
            hashes[k - lo] = hash_of(keys[k - lo]);
            __builtin_prefetch(t->slots + (hashes[k - lo] >> t->shift));
        }
        for (uint32_t k = lo; k < hi; k++)
            names[k] = (uint16_t)number_of(t, keys[k - lo], hashes[k - lo], k);
    }
    return true;
}

static inline uint32_t name_at(const bz_circle *c, uint32_t at)
{
    while (at >= c->n)
        at -= c->n;
    return c->names[at];
}

/* Sorts the rotations items[lo..hi) of a circle, which agree in `depth` names. */
static void sort_by_circle(bz_sorter *s, const bz_circle *c, uint32_t lo, uint32_t hi,
                           uint32_t depth)
{
    bz_item *const items = s->items;
    unsigned const bits = ordo_bit_length(c->kinds - 1) | (c->kinds == 1);
    unsigned const per = (64 - AT_BITS) / bits;
    for (bool whole = true; whole; depth += per) {
        for (uint32_t i = lo; i < hi; i++) {
            uint32_t const at = bz_item_at(items[i]);
            uint64_t       word = 0;
            for (unsigned k = 0; k < per; k++)
                word = word << bits | name_at(c, at + depth + k);
            items[i] = word << AT_BITS | at;
        }
        text_sort_words(items + lo, hi - lo, AT_BITS, bz_scratch(s), s->n / 2);
        whole = (items[lo] ^ items[hi - 1]) >> AT_BITS == 0;
        for (uint32_t i = lo, end; !whole && i < hi; i = end) {
            end = bz_equal_end(items, i, hi, AT_BITS);
            if (end - i > 1)
                sort_by_circle(s, c, i, end, depth + per);
        }
    }
}

/* Turns numbers into names: the places of the distinct substrings in their order. If one begins
 * another, any rotation with the shorter one is greater than any with the longer one; so the order
 * of the substrings is that of any rotations that begin with them. */
static void make_names(const numbering *t, uint16_t *names)
{
    bz_sorter *const s = t->s;
    uint32_t *const  ranks = s->pairs + BZ_PAIRS;
    for (uint32_t i = 0; i < t->kinds; i++)
        s->items[i] = t->begins[t->firsts[i]];
    if (t->kinds > 1 && t->c == NULL)
        bz_sort_by_text(s, t->kinds);
    else if (t->kinds > 1)
        sort_by_circle(s, t->c, 0, t->kinds, 0);
    for (uint32_t i = 0; i < t->kinds; i++) /* LMS rotations are not neighbours */
        s->sa[t->begins[t->firsts[i]] / 2] = i;
    for (uint32_t i = 0; i < t->kinds; i++)
        ranks[s->sa[bz_item_at(s->items[i]) / 2]] = i;
    for (uint32_t k = 0; k < t->lms; k++)
        names[k] = (uint16_t)ranks[names[k]];
    for (uint32_t k = 0; k < BZ_NAME_PAD; k++)
        names[t->lms + k] = names[k];
}

/* Names the substrings of a circle, or of the text if c is NULL, as `to`. */
static bool name_substrings(bz_sorter *s, const bz_circle *c, bz_circle *to)
{
    numbering t = {.s = s,
                   .c = c,
                   .bytes = c != NULL ? (const uint8_t *)c->names : s->text,
                   .width = c != NULL ? sizeof *c->names : 1,
                   .n = c != NULL ? c->n : s->n,
                   .lms = c != NULL ? c->lms : s->lms,
                   .begins = c != NULL ? c->begins : s->begins,
                   .slots = s->sa,
                   .shift = 64 - LEAST_SLOTS,
                   .keys = (key *)(void *)s->items,
                   .firsts = s->pairs};
    if (s->n < 1 << LEAST_SLOTS)
        return false;
    memset(t.slots, 0, sizeof *t.slots << LEAST_SLOTS);
    if (!number_all(&t, to->names))
        return false;
    make_names(&t, to->names);
    to->n = t.lms;
    to->kinds = t.kinds;
    return true;
}

/* Sorts the rotations of a circle to sa. The smaller circles are in `room`, and `other` has half as
 * many elements as sa. */
static bool sort_circle(bz_sorter *s, bz_circle *c, uint32_t *sa, uint32_t *other, uint32_t *room)
{
    if (c->kinds == c->n) {
        for (uint32_t i = 0; i < c->n; i++)
            sa[c->names[i]] = i > 0 ? i - 1 : c->n - 1;
        return true;
    }
    uint32_t const begins = c->n / 2 + 1, names = (begins + BZ_NAME_PAD) / 2 + 1;
    if ((size_t)(s->rank - room) < begins + names)
        return false;
    bz_circle next = {.names = (uint16_t *)(void *)(room + begins)};
    c->begins = room;
    bz_circle_find_lms(c);
    if (!name_substrings(s, c, &next) || !sort_circle(s, &next, other, sa, room + begins + names))
        return false;
    bz_circle_induce(c, other, s->pairs, sa);
    return true;
}

bool bz_sort_by_names(bz_sorter *s)
{
    bz_circle c = {.names = (uint16_t *)(void *)s->rank};
    if (!name_substrings(s, NULL, &c) ||
        !sort_circle(s, &c, s->sa, (uint32_t *)(void *)s->items, s->ends))
        return false;
    for (uint32_t i = 0; i < s->lms; i++)
        s->items[i] = s->begins[bz_circle_at(s->sa[i], s->lms)];
    return true;
}

/* The first bytes of a rotation decide whether it is in the sample, so equal ones are in it
 * together. */
bool bz_has_repeats(const bz_sorter *s)
{
    uint32_t *const seen = s->pairs;
    uint32_t        sampled = 0, repeated = 0;
    memset(seen, 0, sizeof *seen << SEEN_BITS);
    for (uint32_t k = 0; k < s->lms; k++) {
        uint32_t const at = s->begins[k];
        uint64_t       hash = bz_word_at(s, at, 0) * UINT64_C(0x9e3779b97f4a7c15);
        if (hash >> 32 >> (32 - SAMPLE_BITS) != 0)
            continue;
        for (uint32_t depth = 8; depth < REPEAT_BYTES; depth += 8)
            hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9) + bz_word_at(s, at, depth);
        hash = (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
        uint32_t *const place = seen + (hash >> (64 - SEEN_BITS));
        repeated += *place == (uint32_t)hash;
        *place = (uint32_t)hash;
        sampled++;
    }
    return repeated * MANY_REPEATS >= sampled;
}
