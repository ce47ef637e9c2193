/* doubling.c - suffix arrays by prefix doubling, after U. Manber and G. Myers, on the radix sort of
 * the backend, for comparison and as an oracle.
 *
 * The first round sorts the suffixes by their first 7 bytes. Suffixes that tie form a group, whose
 * rank is its first place. If the groups are right for h bytes, a sort by the rank of the group and
 * the rank of the suffix h bytes later makes them right for 2 h bytes. A suffix that is alone in
 * its group has its place; only the others take part in the next round. */
#include "text/text_args.h"
#include "text/text_bits.h"

enum {
    FIRST_DEPTH = 7,
    MOST_PIECES = 64
};

typedef struct doubler {
    const text_args *args;
    uint32_t        *sa, *rank;
    uint64_t        *keys;
    uint32_t        *index, *next; /* the active suffixes, and those of the next round */
    size_t           active, depth, grain;
    bool             first;               /* round */
    size_t           before[MOST_PIECES]; /* suffixes of the next round in earlier pieces */
} doubler;

static void first_keys(void *arg, size_t lo, size_t hi)
{
    const doubler *const   d = arg;
    const text_args *const args = d->args;
    size_t                 text = args->count > 0 ? text_number(args, lo) : 0;
    for (size_t i = lo; i < hi; i++) {
        while (args->count > 0 && args->offsets[text + 1] <= i)
            text++;
        size_t const end = args->count > 0 ? (size_t)args->offsets[text + 1] : args->n;
        size_t const length = ordo_min(end - i, FIRST_DEPTH);
        uint64_t     key = 0;
        for (size_t k = 0; k < FIRST_DEPTH; k++)
            key = key << 8 | (k < length ? args->text[i + k] : 0);
        d->keys[i] = key << 8 | length;
        d->index[i] = (uint32_t)i;
    }
}

/* The rank of the suffix `depth` bytes after `at`; ends of texts come first. */
static uint32_t rank_behind(const doubler *d, size_t at)
{
    const text_args *const args = d->args;
    size_t const           later = at + d->depth;
    if (args->count == 0)
        return later < args->n ? d->rank[later] + 1 : 0;
    size_t const text = text_number(args, at);
    return (uint32_t)(later < args->offsets[text + 1] ? d->rank[later] + args->count : text);
}

static void next_keys(void *arg, size_t lo, size_t hi)
{
    const doubler *const d = arg;
    for (size_t i = lo; i < hi; i++) {
        if (i + TEXT_AHEAD < hi) {
            size_t const later = d->index[i + TEXT_AHEAD];
            TEXT_PREFETCH(d->rank + later);
            TEXT_PREFETCH(d->rank + ordo_min(later + d->depth, d->args->n - 1));
        }
        size_t const at = d->index[i];
        d->keys[i] = (uint64_t)d->rank[at] << 32 | rank_behind(d, at);
    }
}

/* The first of the sorted keys[0..n) that is not less than `key`. */
static size_t lower_bound(const uint64_t *keys, size_t n, uint64_t key)
{
    size_t lo = 0;
    while (n > 0) {
        size_t const half = n / 2;
        if (keys[lo + half] < key) {
            lo += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return lo;
}

/* Writes the new ranks; counts the suffixes that still tie. */
static void write_ranks(void *arg, size_t lo, size_t hi)
{
    doubler *const        d = arg;
    const uint64_t *const keys = d->keys;
    uint64_t const        group = keys[lo] >> 32 << 32;
    size_t                same = lower_bound(keys, lo, keys[lo]), tied = 0;
    size_t                start = d->first ? 0 : lower_bound(keys, lo, group);
    for (size_t i = lo; i < hi; i++) {
        if (i > lo && keys[i] != keys[i - 1]) {
            same = i;
            if (!d->first && keys[i] >> 32 != keys[i - 1] >> 32)
                start = i;
        }
        size_t const   base = d->first ? 0 : (size_t)(keys[i] >> 32);
        uint32_t const rank = (uint32_t)(base + same - start), at = d->index[i];
        bool const     alone = same == i && (i + 1 == d->active || keys[i + 1] != keys[i]);
        d->rank[at] = rank;
        if (alone)
            d->sa[rank] = at;
        tied += !alone;
    }
    d->before[lo / d->grain] = tied;
}

static void keep_tied(void *arg, size_t lo, size_t hi)
{
    const doubler *const  d = arg;
    const uint64_t *const keys = d->keys;
    size_t                out = d->before[lo / d->grain];
    for (size_t i = lo; i < hi; i++) {
        bool const tied =
            (i > 0 && keys[i - 1] == keys[i]) || (i + 1 < d->active && keys[i + 1] == keys[i]);
        if (tied)
            d->next[out++] = d->index[i];
    }
}

/* Sorts the active suffixes by their keys and keeps those that still tie. */
static ordo_status doubling_round(text_work *work, doubler *d)
{
    TRY(text_sort_pairs(work, d->keys, d->index, sizeof *d->index, d->active));
    d->grain = ordo_max(TEXT_GRAIN, ordo_div_up(d->active, MOST_PIECES));
    TRY(text_loop(work, d->active, d->grain, write_ranks, d));
    size_t tied = 0;
    for (size_t i = 0; i < ordo_div_up(d->active, d->grain); i++) {
        size_t const here = d->before[i];
        d->before[i] = tied;
        tied += here;
    }
    TRY(text_loop(work, d->active, d->grain, keep_tied, d));
    uint32_t *const old = d->index;
    d->index = d->next;
    d->next = old;
    d->active = tied;
    d->depth = d->first ? FIRST_DEPTH : 2 * d->depth;
    d->first = false;
    return ORDO_OK;
}

ordo_status text_doubling(text_work *work, const text_args *args, uint32_t *sa)
{
    ordo_exec *const exec = work->exec;
    size_t const     n = args->n;
    doubler          d = {.args = args, .sa = sa, .active = n, .first = true};
    FAIL_IF(n + args->count >= UINT32_MAX, ORDO_E_UNSUPPORTED,
            "doubling takes fewer than 2^32 - 1 bytes and texts together");
    exec->phases = 16;
    TRY_SCRATCH(exec, n * sizeof *d.keys, d.keys);
    TRY_SCRATCH(exec, n * sizeof *d.rank, d.rank);
    TRY_SCRATCH(exec, n * sizeof *d.index, d.index);
    TRY_SCRATCH(exec, n * sizeof *d.next, d.next);
    TRY(text_share(work, n, TEXT_GRAIN, first_keys, &d));
    TRY(doubling_round(work, &d));
    while (d.active > 0) {
        text_phase(work);
        TRY(text_share(work, d.active, TEXT_GRAIN, next_keys, &d));
        TRY(doubling_round(work, &d));
    }
    return ORDO_OK;
}
