/* string_sort.h - the engine that puts strings in order, and what its parts share.
 *
 * Every string has an item: the key of its bytes at the depth its group has reached, and its
 * index. string_sort.c sorts large groups of items with all threads, string_group.c small ones on
 * one thread; both begin with items in the order of their indices and move them stably, so equal
 * strings stay in that order. Where most strings of a group share a key, string_lcp.c replaces the
 * keys by codes that reach as far as the strings agree. */
#ifndef ORDO_CPU_STRINGS_STRING_SORT_H
#define ORDO_CPU_STRINGS_STRING_SORT_H

#include "core/string_view.h"
#include "cpu/cpu.h"

#include <stdatomic.h>

typedef struct string_item {
    uint64_t key, index;
} string_item;

typedef struct string_work { /* what an order cost, in counts that depend on no clock */
    _Atomic uint64_t keys;   /* loaded, or sorted once more by other bits or by codes */
    _Atomic uint64_t bytes;  /* of common prefixes that were compared */
} string_work;

typedef struct string_order { /* what is asked of the engine */
    string_view     view;
    size_t          n;
    ordo_type       index_type; /* U32, U64 */
    void           *index;      /* index[i]: which string comes i-th */
    unsigned char  *starts; /* starts[i] = 1 if the i-th string differs from the one before, else 0;
                            * NULL: not wanted */
    const uint64_t *wanted; /* bits of the places to be filled; NULL: all of them */
    const ordo_string_known *known; /* where to go on from; NULL: from the start */
    string_work *work; /* for tests: what the order cost is added here; NULL: not wanted */
} string_order;

/* The phases of progress it goes through; the caller sets exec->phases. */
enum {
    STRING_SORT_PHASES = 4
};

/* Takes 32 n bytes of scratch unless order->known has them, and 16 KB for each piece of a loop,
 * four a thread. */
ordo_status string_sort(const string_order *order, ordo_exec *exec);

/* ---- Between the two parts ---- */

enum {
    STRING_DIGIT_BITS = 11,
    STRING_DIGIT_RUNS = 3,
    STRING_DIGITS = 1 << STRING_DIGIT_BITS
};

/* Some bits of the key, gathered from at most three runs of adjacent bits. */
typedef struct string_digit {
    unsigned shift[STRING_DIGIT_RUNS];
    uint64_t mask[STRING_DIGIT_RUNS];
    unsigned bits;
    uint64_t used; /* the bits of the key it is made of */
} string_digit;

/* The highest bits of `varying`, at most `bits` of them, which it loses. Where all bits that
 * differ are in `varying`, a smaller digit means a smaller key. */
string_digit string_digit_take(uint64_t *varying, unsigned bits);

static inline size_t string_digit_of(const string_digit *digit, uint64_t key)
{
    return (size_t)(((key >> digit->shift[0]) & digit->mask[0]) |
                    ((key >> digit->shift[1]) & digit->mask[1]) |
                    ((key >> digit->shift[2]) & digit->mask[2]));
}

/* What the keys of items are, if not the next bytes: a code of the prefix that each string shares
 * with a pivot (string_lcp.c). A prefix is from `least` to least + range - 1 bytes long. */
typedef struct string_codes {
    uint64_t least, range; /* range 0: keys are bytes */
} string_codes;

typedef struct string_engine {
    const string_order *order;
    ordo_exec          *exec;
    string_item        *items[2]; /* two arrays of n; a group lives in one, the other is spare */
    atomic_bool         stopped;  /* the call was cancelled: leave everything as it is */
} string_engine;

typedef struct string_group { /* strings that agree in their first `depth` bytes */
    size_t       lo, hi;
    uint64_t     depth;
    unsigned     side;   /* which array holds the items */
    bool         loaded; /* of a large group: the keys are those at this depth */
    string_codes codes;  /* if loaded */
} string_group;

/* Whether any place of [lo, hi) is to be filled; lo < hi. */
bool string_is_wanted(const string_order *order, size_t lo, size_t hi);

/* Loads the keys of items[0..count) at a depth. */
void string_load(const string_view *view, string_item *items, size_t count, uint64_t depth);

/* The bits in which the keys of items[0..count) differ from `key`; *same is raised by the number of
 * keys that do not differ. */
uint64_t string_varying(const string_item *items, size_t count, uint64_t key, size_t *same);

/* Whether so many of the keys are the same that string_lcp.c should look further. If not, the group
 * of these strings has lost a quarter of them. */
static inline bool string_is_crowded(size_t same, size_t count) { return same > count - count / 4; }

static inline void string_count_work(const string_engine *engine, uint64_t keys, uint64_t bytes)
{
    string_work *const work = engine->order->work;
    if (ORDO_UNLIKELY(work != NULL)) {
        atomic_fetch_add_explicit(&work->keys, keys, memory_order_relaxed);
        atomic_fetch_add_explicit(&work->bytes, bytes, memory_order_relaxed);
    }
}

/* Writes the places [lo, lo + count) from items of equal strings; `first` if the string before
 * them differs. */
void string_write(const string_order *order, const string_item *items, size_t lo, size_t count,
                  bool first);

/* ---- string_lcp.c ---- */

typedef enum string_side {
    STRING_BEFORE,
    STRING_SAME,
    STRING_AFTER
} string_side;

typedef struct string_prefix { /* of a string and the pivot */
    uint64_t    length;
    string_side side; /* where the string comes, beside the pivot */
} string_prefix;

typedef struct string_pivot {
    size_t      index;
    uint64_t    key, depth; /* its key at the group's depth */
    const char *at;
    uint64_t    length;
} string_pivot;

typedef struct string_span { /* of many prefixes */
    uint64_t least, most;
    uint64_t bytes;  /* sum of their lengths beyond the pivot's depth: bytes compared */
    bool     differ; /* some string is not equal to the pivot */
} string_span;

/* The place of an item to be the pivot of a group, drawn by the call's seed. Without a draw in a
 * group so small that the worst choice of pivots costs little. */
size_t string_draw(const string_engine *engine, size_t lo, size_t count, uint64_t depth);

/* For a group of strings that all share the key at its depth: whether the next key tells about a
 * quarter of them, at least, from the pivot, as a few draws say. Then that key is all that is
 * wanted, and no prefixes. */
bool string_splits_soon(const string_engine *engine, const string_item *items, size_t count,
                        size_t pivot, uint64_t depth);

/* The string goes on behind its key. */
string_pivot string_pivot_of(const string_view *view, size_t index, uint64_t key, uint64_t depth);

/* The item's key is that at the pivot's depth. */
string_prefix string_prefix_of(string_engine *engine, const string_pivot *pivot, string_item item);

/* Replaces the keys of items[0..count) by their prefixes and widens *span; string_encode makes
 * codes of these once the span of all is known. */
void string_prefixes(string_engine *engine, const string_pivot *pivot, string_item *items,
                     size_t count, string_span *span);
void string_encode(string_item *items, size_t count, const string_codes *codes);

/* Whether the keys behind the shortest prefix, which all strings share, may be better than codes.
 * The bytes that would be compared again are at most 16 for a string, on average. */
static inline bool string_span_is_short(const string_span *span, size_t count, uint64_t depth)
{
    return span->differ && span->least >= depth + STRING_STEP &&
           span->bytes - count * (span->least - depth) <= 16 * (uint64_t)count;
}

/* They are if these keys tell a quarter of the strings, at least, from the pivot: how many of
 * items[0..count), which hold prefixes, they tell from it. */
size_t string_count_near(const string_item *items, size_t count, uint64_t least);

static inline bool string_is_near(size_t near, size_t count) { return near >= count / 4; }

static inline string_codes string_codes_of(const string_span *span)
{
    return (string_codes){span->least, span->most - span->least + 1};
}

/* Of strings with equal keys, or equal codes: whether they are equal, else how deep they agree. */
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

/* Sorts a group, its keys being loaded, on this thread and writes its places. string_group.c */
void string_group_sort(string_engine *engine, const string_group *group);
/* The same for a group of the order's index, whose strings are all at least depth bytes long. */
void string_group_resume(string_engine *engine, const string_group *group);

static inline bool string_is_large(size_t count) { return count > ORDO_TUNE_STRINGS_LARGE; }

/* Takes over what is known: sorts all groups but the large ones, which are put into large[] with
 * their items. false: cancelled. string_known.c */
bool string_known_sort(string_engine *engine, string_group *large, size_t *large_count);

#endif
