/* string_sort.h - the engine that puts strings in order, and what its two parts share.
 *
 * Every string has an item: the key of its bytes at the depth its group has reached, and its
 * index. string_sort.c sorts large groups of items with all threads, string_group.c small ones on
 * one thread; both begin with items in the order of their indices and move them stably, so equal
 * strings stay in that order. */
#ifndef ORDO_CPU_STRINGS_STRING_SORT_H
#define ORDO_CPU_STRINGS_STRING_SORT_H

#include "core/string_view.h"
#include "cpu/cpu.h"

#include <stdatomic.h>

typedef struct string_item {
    uint64_t key, index;
} string_item;

typedef struct string_order { /* what is asked of the engine */
    string_view     view;
    size_t          n;
    ordo_type       index_type; /* U32, U64 */
    void           *index;      /* index[i]: which string comes i-th */
    unsigned char  *starts; /* starts[i] = 1 if the i-th string differs from the one before, else 0;
                            * NULL: not wanted */
    const uint64_t *wanted; /* bits of the places to be filled; NULL: all of them */
    const ordo_string_known *known; /* where to go on from; NULL: from the start */
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

typedef struct string_engine {
    const string_order *order;
    ordo_exec          *exec;
    string_item        *items[2]; /* two arrays of n; a group lives in one, the other is spare */
    atomic_bool         stopped;  /* the call was cancelled: leave everything as it is */
} string_engine;

typedef struct string_group { /* strings that agree in their first `depth` bytes */
    size_t   lo, hi;
    uint64_t depth;
    unsigned side;   /* which array holds the items */
    bool     loaded; /* of a large group: the keys are those at this depth */
} string_group;

/* Whether any place of [lo, hi) is to be filled; lo < hi. */
bool string_is_wanted(const string_order *order, size_t lo, size_t hi);

/* Loads the keys of items[0..count) at a depth. */
void string_load(const string_view *view, string_item *items, size_t count, uint64_t depth);

/* The bits in which the keys of items[0..count) differ from `key`. */
uint64_t string_varying(const string_item *items, size_t count, uint64_t key);

/* Writes the places [lo, lo + count) from items of equal strings; `first` if the string before
 * them differs. */
void string_write(const string_order *order, const string_item *items, size_t lo, size_t count,
                  bool first);

/* Sorts a group, its keys being loaded, on this thread and writes its places. string_group.c */
void string_group_sort(string_engine *engine, const string_group *group);
/* The same for a group of the order's index, whose strings are all at least depth bytes long. */
void string_group_resume(string_engine *engine, const string_group *group);

static inline bool string_is_large(size_t count) { return count > ORDO_TUNE_STRINGS_LARGE; }

/* Takes over what is known: sorts all groups but the large ones, which are put into large[] with
 * their items. false: cancelled. string_known.c */
bool string_known_sort(string_engine *engine, string_group *large, size_t *large_count);

#endif
