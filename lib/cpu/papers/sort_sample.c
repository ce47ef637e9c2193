/* sort_sample.c - comparison sample sort of items in four phases (splitters and labels, histograms,
 * scatter, recursion), which is the CPU's part of the hybrid sample sort for CPU and GPU, with the
 * splitter tree of Sanders and Winkel's super scalar sample sort, 2004.
 *
 * A sample of sqrt(n) items (more where that is too few) is sorted and gives the splitters. They
 * are laid out as an implicit search tree that every item walks without a branch, several items at
 * once; where it arrives is its label, one byte an item. Each piece of the array counts its
 * labels; the counts summed up over pieces tell each piece where its items of each bucket go; then
 * all pieces scatter at once. Items equal to a splitter have buckets of their own, which are done
 * as they are. The other buckets are sorted the same way, each by one thread, down to a size where
 * merging in the cache is faster.
 *
 * Time n lg n comparisons: a bucket that is still large after a few levels, by bad
 * luck alone, is merge sorted. Scratch: n items, n labels, and counts for
 * each piece. */
#include "cpu/cpu.h"
#include "cpu/sort/items.h"

#include <math.h>
#include <string.h>

enum {
    LG_LEAVES = ORDO_TUNE_SAMPLE_LG,
    LEAVES = 1 << LG_LEAVES,
    BUCKETS = 2 * LEAVES, /* odd ones hold the items equal to a splitter */
    OVERSAMPLE = 8,       /* items of the sample for each leaf at least */
    BASE = ORDO_TUNE_SAMPLE_BASE,
    PIECE = ORDO_TUNE_SAMPLE_PIECE,
    DEPTH = 8, /* levels before merge sort takes over; four are common for 10^9 items */
    BATCH = 8  /* items that walk the tree together */
};
_Static_assert(BUCKETS <= 256, "a label is a byte");
_Static_assert(2 * OVERSAMPLE * LEAVES <= BASE, "sample and its scratch fit the bucket");

static size_t sample_size(size_t n)
{
    return ordo_max((size_t)sqrt((double)n), OVERSAMPLE * LEAVES);
}

/* A number below n that has nothing to do with the order of the input: nobody knows the seed. */
static size_t sample_at(uint64_t seed, size_t i, size_t n)
{
    uint64_t x = seed + (uint64_t)(i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 29;
    return (size_t)(x % n);
}

#define ORDO_TEMPLATE "cpu/sort/merge.t.h"
#include "cpu/sort/for_each_item.h"
#define ORDO_TEMPLATE "cpu/papers/sample.t.h"
#include "cpu/sort/for_each_item.h"

size_t cpu_items_sample_scratch(enum cpu_item kind, size_t n, unsigned threads)
{
    size_t const pieces = ordo_div_up(n, PIECE);
    (void)threads;
    return ordo_round_up(n * cpu_item_size(kind), ORDO_CACHE_LINE) +
           ordo_round_up(n, ORDO_CACHE_LINE) + pieces * BUCKETS * sizeof(size_t);
}

ordo_status cpu_items_sample(const cpu_items *items, ordo_exec *exec)
{
    void *block = NULL;
    exec->algorithm = "sample";
    exec->isa = "generic";
    if (items->n < 2)
        return ORDO_OK;
    TRY(ordo_scratch(exec, cpu_items_sample_scratch(items->kind, items->n, exec->threads), &block));
    switch (items->kind) {
    case CPU_ITEM_32:
        return sample_items_32(items, block, exec);
    case CPU_ITEM_64:
        return sample_items_64(items, block, exec);
    default:
        return sample_items_128(items, block, exec);
    }
}
