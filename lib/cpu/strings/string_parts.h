/* string_parts.h - the types and functions that the files of the string sort share.
 * Each string has a record: its index, and the key of its bytes at the depth that its group has
 * reached. Each file calls only the files listed above it:
 *   string_records.c   operations on records
 *   string_lcp.c       replaces keys by codes of common prefixes, where most strings of a group
 *                      have the same key
 *   string_group.c     sorts a small group on one thread
 *   string_known.c     continues an order that another backend has begun
 *   string_sort.c      sorts large groups with all threads
 * Records start in the order of their indices and all moves are stable: equal strings keep it. */
#ifndef ORDO_CPU_STRINGS_STRING_PARTS_H
#define ORDO_CPU_STRINGS_STRING_PARTS_H

#include "cpu/strings/string_sort.h"

typedef struct string_record {
    uint64_t key, index;
} string_record;

/* ---- Digits of a key ---- */

enum {
    STRING_DIGIT_BITS = 11,
    STRING_DIGIT_BLOCKS = 3,
    STRING_DIGITS = 1 << STRING_DIGIT_BITS
};

/* Some bits of the key, gathered from at most three blocks of adjacent bits. */
typedef struct string_digit {
    unsigned shift[STRING_DIGIT_BLOCKS];
    uint64_t mask[STRING_DIGIT_BLOCKS];
    unsigned bits;
    uint64_t used; /* the bits of the key in this digit */
} string_digit;

/* Makes a digit of the highest bits of *varying, at most `bits` of them, and clears these bits in
 * *varying. If *varying has all the bits in which the keys differ, a smaller digit means a smaller
 * key. */
string_digit string_digit_take(uint64_t *varying, unsigned bits);

static inline size_t string_digit_of(const string_digit *digit, uint64_t key)
{
    return (size_t)(((key >> digit->shift[0]) & digit->mask[0]) |
                    ((key >> digit->shift[1]) & digit->mask[1]) |
                    ((key >> digit->shift[2]) & digit->mask[2]));
}

/* ---- Groups ---- */

/* The meaning of the keys of a group: the next bytes of the strings, or codes of the prefixes that
 * the strings share with a pivot (string_lcp.c). A common prefix has `least` to least + range - 1
 * bytes. */
typedef struct string_codes {
    uint64_t least, range; /* range 0: the keys are bytes */
} string_codes;

typedef struct string_engine {
    const string_order *order;
    ordo_exec          *exec;
    string_record      *records[2]; /* two arrays of n; a group is in one, the other is spare */
    atomic_bool         stopped;    /* the call was cancelled */
} string_engine;

typedef struct string_group { /* strings whose first `depth` bytes are equal */
    size_t       lo, hi;
    uint64_t     depth;
    unsigned     side;   /* which array holds the records */
    bool         loaded; /* large groups only: the records have the keys of this depth */
    string_codes codes;  /* valid if loaded */
} string_group;

static inline bool string_is_large(size_t count) { return count > ORDO_TUNE_STRINGS_LARGE; }

/* Whether the call was cancelled. `done` is the progress, 0 to 1. */
static inline bool string_stopped(string_engine *engine, double done)
{
    if (ordo_poll(engine->exec, done))
        atomic_store_explicit(&engine->stopped, true, memory_order_relaxed);
    return atomic_load_explicit(&engine->stopped, memory_order_relaxed);
}

/* ---- string_records.c ---- */

/* Whether the caller wants any place of [lo, hi); lo < hi. */
bool string_is_wanted(const string_order *order, size_t lo, size_t hi);

/* Loads the keys of records[0..count) at a depth. */
void string_load(const string_view *view, string_record *records, size_t count, uint64_t depth);

/* Returns the bits in which the keys of records[0..count) differ from `key`. Adds the number of
 * keys equal to `key` to *same. */
uint64_t string_varying(const string_record *records, size_t count, uint64_t key, size_t *same);

/* Whether more than three quarters of the keys are equal. Then string_lcp.c should compare
 * prefixes. Otherwise the next group of equal keys is smaller by a quarter at least. */
static inline bool string_is_crowded(size_t same, size_t count) { return same > count - count / 4; }

static inline void string_count_work(const string_engine *engine, uint64_t keys, uint64_t bytes)
{
    string_work *const work = engine->order->work;
    if (ORDO_UNLIKELY(work != NULL)) {
        atomic_fetch_add_explicit(&work->keys, keys, memory_order_relaxed);
        atomic_fetch_add_explicit(&work->bytes, bytes, memory_order_relaxed);
    }
}

/* Writes the places [lo, lo + count) from records of equal strings; `first`: the string before them
 * differs. */
void string_write(const string_order *order, const string_record *records, size_t lo, size_t count,
                  bool first);

/* ---- string_lcp.c ---- */

typedef enum string_side {
    STRING_BEFORE,
    STRING_SAME,
    STRING_AFTER
} string_side;

typedef struct string_prefix { /* the common prefix of a string and the pivot */
    uint64_t    length;
    string_side side; /* where the string is: before the pivot, equal to it, or after it */
} string_prefix;

typedef struct string_pivot {
    size_t      index;
    uint64_t    key, depth; /* the key of the pivot at the group's depth */
    const char *at;
    uint64_t    length;
} string_pivot;

typedef struct string_span { /* a summary of many prefixes */
    uint64_t least, most;    /* the shortest and the longest */
    uint64_t bytes;          /* bytes compared: the sum of the lengths after the pivot's depth */
    bool     differ;         /* some string is not equal to the pivot */
} string_span;

/* Returns the place of a group's pivot, which is random and depends on the seed of the call. In a
 * group of at most ORDO_TUNE_INSERTION records the pivot is the middle record. */
size_t string_draw(const string_engine *engine, size_t lo, size_t count, uint64_t depth);

/* Makes a pivot of a string. The string continues after the bytes of its key. */
string_pivot string_pivot_of(const string_view *view, size_t index, uint64_t key, uint64_t depth);

/* string_prefixes replaces the keys of records[0..count) by their prefixes and adds these to *span.
 * When the span of the whole group is known, string_encode turns the prefixes into codes. */
void string_prefixes(string_engine *engine, const string_pivot *pivot, string_record *records,
                     size_t count, string_span *span);
void string_encode(string_record *records, size_t count, const string_codes *codes);

/* Whether sorting by the keys after the shortest prefix, which all strings share, may be faster
 * than by codes: this sort would compare at most 16 bytes per string again, on average. */
static inline bool string_span_is_short(const string_span *span, size_t count, uint64_t depth)
{
    return span->differ && span->least >= depth + STRING_STEP &&
           span->bytes - count * (span->least - depth) <= 16 * (uint64_t)count;
}

/* Returns how many of records[0..count), which hold prefixes, differ from the pivot in the key
 * after the shortest prefix. If string_is_near, sorting by these keys is faster than by codes. */
size_t string_count_near(const string_record *records, size_t count, uint64_t least);

static inline bool string_is_near(size_t near, size_t count) { return near >= count / 4; }

static inline string_codes string_codes_of(const string_span *span)
{
    return (string_codes){span->least, span->most - span->least + 1};
}

/* For strings with equal keys or codes: returns whether the strings are equal. If not, *depth
 * becomes the number of first bytes that are equal. */
static inline bool string_is_closed(const string_view *view, const string_codes *codes,
                                    uint64_t key, uint64_t *depth)
{
    if (codes->range == 0) {
        *depth += STRING_STEP;
        return string_ends(view, key);
    }
    *depth = codes->least + (key < codes->range ? key : 2 * codes->range - key);
    return key == codes->range;
}

/* ---- string_group.c ---- */

/* Sorts a group whose keys are loaded, on this thread, and writes its places. */
void string_group_sort(string_engine *engine, const string_group *group);
/* The same for a group whose records are not made yet: its indices are in order->index. Its strings
 * have at least `depth` bytes. */
void string_group_resume(string_engine *engine, const string_group *group);

/* ---- string_known.c ---- */

/* Copies the known order and sorts its small groups. Large groups get records and are put into
 * large[]. Returns false if the call was cancelled. */
bool string_known_sort(string_engine *engine, string_group *large, size_t *large_count);

#endif
