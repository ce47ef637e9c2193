/* string_view.h - strings in either form of ordo_strings, seen as keys of one machine word.
 *
 * The key of a string at a depth is its next 7 bytes, first byte on top and zeros behind the end,
 * above a byte that counts what remains: 0 to 7, or 8 if there is more than fits. So the keys of
 * strings that agree before the depth compare as the strings do, whatever bytes they hold ("a" is
 * 'a',0.. with count 1, "a\0" the same bytes with count 2); strings with equal keys are equal
 * if the count is 7 or less, and go on 7 bytes deeper if it is 8. A descending order turns every
 * bit of the key around and changes nothing else.
 *
 * No load reaches behind the last byte of the last string, or behind the zero byte of a string
 * given by pointer. */
#ifndef ORDO_CORE_STRING_VIEW_H
#define ORDO_CORE_STRING_VIEW_H

#include "core/base.h"

#include <string.h>

enum {
    STRING_STEP = 7, /* bytes of a string in one key */
    STRING_MORE = 8  /* the count of a string that goes on behind its key */
};

typedef struct string_view {
    const char        *bytes, *end; /* behind the last byte of the last string */
    const uint64_t    *offsets;
    const char *const *pointers; /* NULL: bytes and offsets */
    uint64_t           turn;     /* what keys are xored with: 0, or all ones for descending */
} string_view;

static inline string_view string_view_of(const ordo_strings *strings, size_t n, bool descending)
{
    string_view view = {.pointers = strings->pointers, .turn = descending ? UINT64_MAX : 0};
    if (view.pointers == NULL && n > 0) {
        view.bytes = strings->bytes != NULL ? strings->bytes : "";
        view.offsets = strings->offsets;
        view.end = strings->bytes != NULL ? view.bytes + view.offsets[n] : view.bytes;
    }
    return view;
}

static inline uint64_t string_word(const char *bytes) /* the first byte on top */
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline uint64_t string_short_word(const char *bytes, size_t count) /* count < 8 */
{
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)(unsigned char)bytes[i] << (56 - 8 * i);
    return word;
}

/* The string has at least depth bytes. */
static inline uint64_t string_key(const string_view *view, size_t index, uint64_t depth)
{
    const char *at;
    uint64_t    word;
    size_t      count;
    if (view->pointers == NULL) {
        uint64_t const start = view->offsets[index] + depth;
        uint64_t const rest = view->offsets[index + 1] - start;
        count = rest < STRING_MORE ? (size_t)rest : STRING_MORE;
        if (ORDO_UNLIKELY(rest == 0))
            return view->turn;
        at = view->bytes + start;
        word = ORDO_LIKELY(view->end - at >= 8) ? string_word(at) : string_short_word(at, count);
    } else {
        at = view->pointers[index] + depth;
        count = strnlen(at, STRING_MORE);
        word = count == STRING_MORE ? string_word(at) : string_short_word(at, count);
    }
    uint64_t const kept = ~(UINT64_MAX >> 8 * (count < STRING_STEP ? count : STRING_STEP));
    return ((word & kept) | count) ^ view->turn;
}

/* Whether a string with that key ends within it; then all strings with this key are equal. */
static inline bool string_ends(const string_view *view, uint64_t key)
{
    return ((key ^ view->turn) & 0xff) < STRING_MORE;
}

/* Has the memory bring what string_key of this string will read; in two steps, for the first
 * tells the address of the second. */
static inline void string_fetch_place(const string_view *view, size_t index)
{
    if (view->pointers == NULL)
        __builtin_prefetch(view->offsets + index);
    else
        __builtin_prefetch(view->pointers + index);
}

static inline void string_fetch_bytes(const string_view *view, size_t index, uint64_t depth)
{
    if (view->pointers == NULL)
        __builtin_prefetch(view->bytes + (view->offsets[index] + depth));
    else
        __builtin_prefetch(view->pointers[index] + depth);
}

/* Whether both strings have the bytes [depth, depth + count) and the same ones there. */
static inline bool string_agrees(const string_view *view, size_t a, size_t b, uint64_t depth,
                                 size_t count)
{
    if (view->pointers == NULL) {
        const uint64_t *const offsets = view->offsets;
        return offsets[a + 1] - offsets[a] - depth >= count &&
               offsets[b + 1] - offsets[b] - depth >= count &&
               memcmp(view->bytes + offsets[a] + depth, view->bytes + offsets[b] + depth, count) ==
                   0;
    }
    const char *const at = view->pointers[a] + depth;
    return strncmp(at, view->pointers[b] + depth, count) == 0 && memchr(at, 0, count) == NULL;
}

/* < 0, 0 or > 0 as string a comes before, with or after b in ascending order, both being equal up
 * to depth. Looks at no more than `count` bytes; 0 with *open set: these are equal and both
 * strings may go on. */
static inline int string_compare_part(const string_view *view, size_t a, size_t b, uint64_t depth,
                                      size_t count, bool *open)
{
    *open = false;
    if (view->pointers == NULL) {
        const uint64_t *const offsets = view->offsets;
        uint64_t const        a_rest = offsets[a + 1] - offsets[a] - depth;
        uint64_t const        b_rest = offsets[b + 1] - offsets[b] - depth;
        uint64_t const        both = a_rest < b_rest ? a_rest : b_rest;
        size_t const          part = both < count ? (size_t)both : count;
        int const             order = part == 0 ? 0
                                                : memcmp(view->bytes + offsets[a] + depth,
                                                         view->bytes + offsets[b] + depth, part);
        if (order != 0)
            return order;
        *open = both > part;
        return *open ? 0 : (a_rest > b_rest) - (a_rest < b_rest);
    }
    const char *const at = view->pointers[a] + depth;
    int const         order = strncmp(at, view->pointers[b] + depth, count);
    *open = order == 0 && memchr(at, 0, count) == NULL;
    return order;
}

#endif
