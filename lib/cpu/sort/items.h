/* items.h - what the named sorts work on: arrays of unsigned numbers, so that each algorithm is
 * written once and knows nothing of types, directions, ties and NaNs.
 *
 *   CPU_ITEM_32, CPU_ITEM_64   keys alone: the key bits, turned around for a descending order; or
 *                              (64) the folded 32-bit key above the 32-bit index it came from
 *   CPU_ITEM_128               the folded 64-bit key and the 64-bit index, compared in this order
 *
 * Items with an index are all different, so every algorithm is stable on them. cpu_sort.c makes
 * items of keys and keys of items. */
#ifndef ORDO_CPU_SORT_ITEMS_H
#define ORDO_CPU_SORT_ITEMS_H

#include "backend/exec.h"
#include "backend/job.h"

typedef uint32_t cpu_item_32;
typedef uint64_t cpu_item_64;
typedef struct cpu_item_128 {
    uint64_t key, index;
} cpu_item_128;

enum cpu_item {
    CPU_ITEM_32,
    CPU_ITEM_64,
    CPU_ITEM_128,
    CPU_ITEM_KINDS
};

typedef struct cpu_items {
    enum cpu_item kind;
    void         *items;
    size_t        n;
} cpu_items;

static inline size_t cpu_item_size(enum cpu_item kind) { return (size_t)4 << kind; }

/* What a key alone becomes: shorter ones are widened. */
static inline enum cpu_item cpu_item_of_key(ordo_type type)
{
    return ordo_type_size(type) == sizeof(uint64_t) ? CPU_ITEM_64 : CPU_ITEM_32;
}

/* Whether a comes before b; no branch. */
static inline int cpu_less_32(uint32_t a, uint32_t b) { return a < b; }
static inline int cpu_less_64(uint64_t a, uint64_t b) { return a < b; }
static inline int cpu_less_128(cpu_item_128 a, cpu_item_128 b)
{
    return (a.key < b.key) | ((a.key == b.key) & (a.index < b.index));
}

/* b if take_b is 1, a if it is 0; no branch. */
static inline uint32_t cpu_pick_32(int take_b, uint32_t a, uint32_t b) { return take_b ? b : a; }
static inline uint64_t cpu_pick_64(int take_b, uint64_t a, uint64_t b) { return take_b ? b : a; }
static inline cpu_item_128 cpu_pick_128(int take_b, cpu_item_128 a, cpu_item_128 b)
{
    return (cpu_item_128){take_b ? b.key : a.key, take_b ? b.index : a.index};
}

/* A sort of items in place, ascending. It takes its scratch from exec and returns ORDO_E_NOMEM
 * before it changed anything; on ORDO_E_CANCELLED the items are unspecified. */
typedef ordo_status cpu_items_fn(const cpu_items *items, ordo_exec *exec);

cpu_items_fn cpu_items_sample;  /* sort_sample.c  */
cpu_items_fn cpu_items_merge;   /* sort_merge.c   */
cpu_items_fn cpu_items_bitonic; /* sort_bitonic.c */
cpu_items_fn cpu_items_split;   /* sort_split.c   */
cpu_items_fn cpu_items_bubble;  /* sort_bubble.c  */
cpu_items_fn cpu_items_inplace; /* sort_inplace.c: no scratch that grows with n */

/* The one of these, or of those below, that is called `algorithm`. cpu_sort.c */
ordo_status cpu_items_sort(const cpu_items *items, ordo_algorithm algorithm, size_t radius,
                           ordo_exec *exec);

/* The most scratch each takes for n items. */
size_t cpu_items_sample_scratch(enum cpu_item kind, size_t n, unsigned threads);
size_t cpu_items_merge_scratch(enum cpu_item kind, size_t n, unsigned threads);
size_t cpu_items_split_scratch(enum cpu_item kind, size_t n, unsigned threads);

/* Merges `runs` sorted stretches, run i being items[bounds[i] .. bounds[i + 1]). sort_merge.c */
ordo_status cpu_items_merge_runs(const cpu_items *items, const size_t *bounds, size_t runs,
                                 ordo_exec *exec);

/* Argsort and stable sort of pairs that take no scratch at all. sort_inplace_keys.c */
ordo_status cpu_argsort_inplace(const ordo_argsort_job *job, ordo_exec *exec);
ordo_status cpu_pairs_inplace(const ordo_pairs_job *job, ordo_exec *exec);

/* k-sorted items; radius 0 means: measure it. sort_rough.c, sort_halving.c */
ordo_status cpu_items_rough(const cpu_items *items, size_t radius, ordo_exec *exec);
ordo_status cpu_items_halving(const cpu_items *items, size_t radius, ordo_exec *exec);
size_t      cpu_items_rough_scratch(enum cpu_item kind, size_t n, unsigned threads);
size_t      cpu_items_halving_scratch(enum cpu_item kind, size_t n, unsigned threads);

#endif
