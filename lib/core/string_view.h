/* string_view.h - strings in both forms of ordo_strings, as keys of 64 bits.
 *
 * The key of a string at a depth has its next 7 bytes, the first byte most significant, zeros after
 * the end of the string, and in the last byte the number of remaining bytes: 0 to 7, or 8 for more.
 * Keys of strings with equal prefixes up to the depth compare as the strings do, for all bytes ("a"
 * has count 1, "a\0" the same bytes and count 2). Strings with equal keys are equal if the count is
 * at most 7; else the comparison continues 7 bytes deeper. For descending order all bits of the key
 * are inverted. No load reads past the last byte of the last string, or past the zero byte of a
 * pointer's string. */
#ifndef ORDO_CORE_STRING_VIEW_H
#define ORDO_CORE_STRING_VIEW_H

#include "core/base.h"

#include <string.h>

enum {
    STRING_STEP = 7, /* bytes of a string in one key */
    STRING_MORE = 8  /* the count of a string that continues after its key */
};

typedef struct string_view {
    const char        *bytes, *end; /* end: past the last byte of the last string */
    const uint64_t    *offsets;
    const char *const *pointers; /* NULL: bytes and offsets */
    uint64_t           turn;     /* XORed with each key: 0, or all ones for descending order */
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

static inline uint64_t string_word(const char *bytes) /* the first byte most significant */
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

/* Whether a string with this key ends within the key; then all strings with this key are equal. */
static inline bool string_ends(const string_view *view, uint64_t key)
{
    return ((key ^ view->turn) & 0xff) < STRING_MORE;
}

/* Prefetch what string_key will read, in two steps, because the second address depends on the
 * first. */
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

/* Whether both strings have at least depth + count bytes, and equal bytes from depth on. */
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

/* Compares two strings with equal prefixes up to depth, ascending: < 0, 0 or > 0. Reads at most
 * `count` bytes. 0 with *open set: these bytes are equal, and both strings may continue. */
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
