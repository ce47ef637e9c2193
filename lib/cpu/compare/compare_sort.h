/* compare_sort.h - the types and functions that the two sorts by a caller's comparison share.
 *
 * The elements are those of the caller or, if these are large, pointers to them. They are in two
 * arrays of n, base and buffer; each function states where it leaves them.
 * A comparison may contradict itself. So no loop depends on its answers to end, and each decision
 * is made once and stored: the result is always a permutation of the elements. */
#ifndef ORDO_CPU_COMPARE_COMPARE_SORT_H
#define ORDO_CPU_COMPARE_COMPARE_SORT_H

#include "cpu/base/cpu.h"

#include <stdatomic.h>
#include <string.h>

enum {
    COMPARE_BLOCK = ORDO_TUNE_COMPARE_BLOCK, /* elements sorted or merged between two checks for
                                              * cancel */
    COMPARE_LARGE = ORDO_TUNE_COMPARE_LARGE  /* bytes; larger elements are sorted by pointers */
};

typedef struct compare_work {
    char            *base, *buffer;
    size_t           n, size;
    ordo_compare_fn *compare;
    void            *user;
    bool             indirect; /* the elements are pointers to the caller's elements */
    ordo_exec       *exec;
    size_t          *cuts; /* for each block of a merge pass: its start in the first range */
} compare_work;

static inline char *compare_at(const compare_work *work, bool in_buffer, size_t i)
{
    return (in_buffer ? work->buffer : work->base) + i * work->size;
}

/* The argument of the comparison for an element. */
static inline const void *compare_seen(const compare_work *work, const char *element)
{
    return work->indirect ? *(const void *const *)(const void *)element : element;
}

static inline int compare_two(const compare_work *work, const char *a, const char *b)
{
    return work->compare(work->user, compare_seen(work, a), compare_seen(work, b));
}

/* Copies one element; the usual sizes need no call of memcpy. */
static inline void compare_move(char *to, const char *from, size_t size)
{
    switch (size) {
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    case 16:
        memcpy(to, from, 16);
        break;
    default:
        memcpy(to, from, size);
    }
}

/* Copies elements [lo, hi) from the buffer to the base. */
static inline void compare_bring_home(const compare_work *work, size_t lo, size_t hi)
{
    memcpy(compare_at(work, false, lo), compare_at(work, true, lo), (hi - lo) * work->size);
}

/* Stable merge sort of [lo, hi) on this thread, from either array into either; both are
 * overwritten. Does not check for cancel, so it is for a few blocks at most. */
void compare_merge_sort(const compare_work *work, size_t lo, size_t hi, bool in_buffer,
                        bool to_buffer);

/* Stable merge sort of base[lo, hi) by all threads. Returns false if the call was cancelled; the
 * elements are in the base in any case. Needs work->cuts. */
bool compare_merge_all(const compare_work *work, size_t lo, size_t hi);

/* The number of merge passes for n elements. */
unsigned compare_merge_passes(size_t n);

/* Sorts the whole base with all threads, not stably. Returns false if the call was cancelled; the
 * elements are in the base in any case. `block` has compare_sample_scratch(n) bytes. */
bool   compare_sample_all(const compare_work *work, void *block);
size_t compare_sample_scratch(size_t n);

#endif
