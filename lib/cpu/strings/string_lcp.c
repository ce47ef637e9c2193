/* string_lcp.c - keys made of the length of the prefix that each string shares with a pivot.
 *
 * A key of 7 bytes advances a group by 7 bytes only, which is slow if most strings have the same
 * key. Instead each string is compared with one string of the group, the pivot. Among strings
 * before the pivot, a shorter common prefix comes first; among strings after it, a shorter one
 * comes last. A code of length and side replaces the key and is sorted as a key. Strings with equal
 * codes have the same common prefix with the pivot, so no byte is compared again. The pivot is
 * random: groups shrink at least as fast as in quicksort, and a string takes part in O(lg n)
 * passes. Expected time: every distinguishing byte once, and n lg n. */
#define _POSIX_C_SOURCE 200809L
#include "core/random.h"
#include "cpu/strings/string_parts.h"

enum {
    BY_WORDS = 64,         /* bytes compared word by word before memcmp is called */
    BLOCK = 256,           /* bytes of one memcmp */
    COMPARE_PART = 1 << 18 /* bytes compared between two checks for cancel */
};

/* Returns how many of the first n bytes are equal before the first difference, n > 0. STRING_STEP
 * equal bytes precede both a and b, so the last load of eight bytes may begin there. */
static size_t common_bytes(const char *a, const char *b, size_t n)
{
    size_t done = 0;
    while (n - done >= 8) {
        uint64_t const differ = string_word(a + done) ^ string_word(b + done);
        if (differ != 0)
            return done + (size_t)__builtin_clzll(differ) / 8;
        done += 8;
        if (done == BY_WORDS)
            while (n - done >= BLOCK && memcmp(a + done, b + done, BLOCK) == 0)
                done += BLOCK;
    }
    if (done == n)
        return n;
    uint64_t const differ = string_word(a + n - 8) ^ string_word(b + n - 8);
    return differ == 0 ? n : n - 8 + (size_t)__builtin_clzll(differ) / 8;
}

/* The same for a string a that ends with a zero byte; b has n bytes, and none is zero. */
static size_t common_chars(const char *a, const char *b, size_t n)
{
    size_t done = 0;
    while (n - done >= BLOCK && strncmp(a + done, b + done, BLOCK) == 0)
        done += BLOCK;
    for (size_t block = BLOCK / 2; block >= 8; block /= 2)
        if (n - done >= block && strncmp(a + done, b + done, block) == 0)
            done += block;
    while (done < n && a[done] == b[done])
        done++;
    return done;
}

string_pivot string_pivot_of(const string_view *view, size_t index, uint64_t key, uint64_t depth)
{
    string_pivot pivot = {.index = index, .key = key, .depth = depth};
    if (view->pointers == NULL) {
        pivot.at = view->bytes + view->offsets[index];
        pivot.length = view->offsets[index + 1] - view->offsets[index];
    } else {
        pivot.at = view->pointers[index];
        pivot.length = depth + strlen(pivot.at + depth);
    }
    return pivot;
}

/* The prefix of a string whose key differs from the pivot's: the keys suffice. */
static string_prefix prefix_by_key(const string_view *view, const string_pivot *pivot, uint64_t key)
{
    uint64_t const bytes = (uint64_t)__builtin_clzll(key ^ pivot->key) / 8;
    uint64_t const count = (key ^ view->turn) & 0xff, other = (pivot->key ^ view->turn) & 0xff;
    uint64_t const shorter = count < other ? count : other;
    return (string_prefix){pivot->depth + (bytes < shorter ? bytes : shorter),
                           key < pivot->key ? STRING_BEFORE : STRING_AFTER};
}

static string_side side_of(const string_view *view, bool is_less)
{
    return is_less == (view->turn == 0) ? STRING_BEFORE : STRING_AFTER;
}

/* The record has its key at the pivot's depth. */
static string_prefix prefix_of(string_engine *engine, const string_pivot *pivot,
                               string_record record)
{
    const string_view *const view = &engine->order->view;
    if (record.key != pivot->key)
        return prefix_by_key(view, pivot, record.key);
    if (string_ends(view, record.key) || record.index == pivot->index)
        return (string_prefix){pivot->length, STRING_SAME};

    bool const        ends_by_zero = view->pointers != NULL;
    const char *const at =
        ends_by_zero ? view->pointers[record.index] : view->bytes + view->offsets[record.index];
    uint64_t const length = ends_by_zero
                                ? pivot->length
                                : view->offsets[record.index + 1] - view->offsets[record.index];
    uint64_t const both = length < pivot->length ? length : pivot->length;
    uint64_t       depth = pivot->depth + STRING_STEP;
    while (depth < both) {
        size_t const part = (size_t)ordo_min(both - depth, (uint64_t)COMPARE_PART);
        size_t const same = ends_by_zero ? common_chars(at + depth, pivot->at + depth, part)
                                         : common_bytes(at + depth, pivot->at + depth, part);
        depth += same;
        if (same < part) {
            bool const is_less = (unsigned char)at[depth] < (unsigned char)pivot->at[depth];
            return (string_prefix){depth, side_of(view, is_less)};
        }
        if (part == COMPARE_PART && string_stopped(engine, 0))
            return (string_prefix){depth, STRING_SAME};
    }
    if (ends_by_zero ? at[both] == '\0' : length == pivot->length)
        return (string_prefix){both, STRING_SAME};
    return (string_prefix){both, side_of(view, length < pivot->length)};
}

void string_prefixes(string_engine *engine, const string_pivot *pivot, string_record *records,
                     size_t count, string_span *span)
{
    enum {
        PLACE_AHEAD = 16,
        BYTES_AHEAD = 8
    };
    const string_view *const view = &engine->order->view;
    uint64_t                 looked = span->bytes; /* bytes at the last check for cancel */
    for (size_t i = 0; i < count; i++) {
        if (span->bytes - looked >= COMPARE_PART) {
            looked = span->bytes;
            if (string_stopped(engine, 0))
                return;
        }
        if (i + PLACE_AHEAD < count)
            string_fetch_place(view, records[i + PLACE_AHEAD].index);
        if (i + BYTES_AHEAD < count)
            string_fetch_bytes(view, records[i + BYTES_AHEAD].index, pivot->depth + STRING_STEP);
        string_prefix const prefix = prefix_of(engine, pivot, records[i]);
        span->least = prefix.length < span->least ? prefix.length : span->least;
        span->most = prefix.length > span->most ? prefix.length : span->most;
        span->bytes += prefix.length - pivot->depth;
        span->differ |= prefix.side != STRING_SAME;
        records[i].key = prefix.length << 2 | (uint64_t)prefix.side;
    }
}

size_t string_count_near(const string_record *records, size_t count, uint64_t least)
{
    size_t near = 0;
    for (size_t i = 0; i < count; i++)
        near += (records[i].key >> 2) < least + STRING_STEP;
    return near;
}

void string_encode(string_record *records, size_t count, const string_codes *codes)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t const beyond = (records[i].key >> 2) - codes->least, side = records[i].key & 3;
        records[i].key = side == STRING_SAME     ? codes->range
                         : side == STRING_BEFORE ? beyond
                                                 : 2 * codes->range - beyond;
    }
}

size_t string_draw(const string_engine *engine, size_t lo, size_t count, uint64_t depth)
{
    if (count <= ORDO_TUNE_INSERTION)
        return lo + count / 2;
    uint64_t const stream = ordo_random_sequence(engine->exec->seed, depth);
    return lo + (size_t)ordo_random_below(ordo_random_at(stream, lo), count);
}
