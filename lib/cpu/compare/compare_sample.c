/* compare_sample.c - sample sort by a caller's comparison, not stable.
 *
 * A sorted sample gives the splitters, which form a search tree. Every element walks the tree and
 * gets a label, the labels of each piece are counted, and the elements go to their buckets in the
 * other array. An element equal to a splitter stops there; its bucket needs no sort. One thread
 * splits each other bucket again until it is small enough for merge sort. lg(leaves) calls of the
 * comparison for every element and level. A bucket that does not shrink, as with an adversarial
 * comparison, is merge sorted by all threads: n lg n calls at worst.
 * papers/hybrid/cpu_sample.c is not used, because elements have any size, and because a
 * contradictory comparison must not lose an element: here the labels alone decide where elements
 * go. */
#include "core/random.h"
#include "cpu/compare/compare_sort.h"
#include "cpu/sort/sort_steps.h"

enum {
    LG_LEAVES = ORDO_TUNE_COMPARE_LG,
    LEAVES = 1 << LG_LEAVES,
    BUCKETS = 2 * LEAVES, /* odd ones hold the elements equal to a splitter */
    SAMPLE = 8 * LEAVES,
    BASE = 4 * COMPARE_BLOCK, /* elements up to which merging does it all */
    PIECE = BASE,
    DEPTH = 3 /* levels below the first; 128^4 buckets of BASE are 4e12 elements */
};
_Static_assert(BUCKETS <= 256, "a label is a byte");

typedef struct splitters {
    const void *node[LEAVES];  /* arguments for the comparison; node[1] is the root */
    uint8_t     equal[LEAVES]; /* the label of elements equal to the node */
} splitters;

typedef struct sample_work {
    const compare_work *by;
    uint8_t            *labels;
    size_t (*counts)[BUCKETS]; /* for each piece: a histogram, then the places of its elements */
    size_t        starts[BUCKETS + 1];
    uint8_t       unsorted[BUCKETS]; /* the bucket is back in the base, but not sorted */
    atomic_size_t finished; /* number of buckets that are back in the base, which are the first
                             * buckets */
    splitters     tree;
} sample_work;

/* Chooses splitters for [lo, hi), more than BASE elements. */
static __attribute__((noinline)) void choose_splitters(const compare_work *work, size_t lo,
                                                       size_t hi, bool in_buffer, splitters *tree)
{
    const void *sample[SAMPLE], *other[SAMPLE];
    for (size_t i = 0; i < SAMPLE; i++) {
        size_t const drawn = ordo_random_below(ordo_random_at(work->exec->seed, i), hi - lo);
        sample[i] = compare_seen(work, compare_at(work, in_buffer, lo + drawn));
    }
    compare_work pointers = *work;
    pointers.base = (char *)sample;
    pointers.buffer = (char *)other;
    pointers.size = sizeof *sample;
    pointers.indirect = true;
    compare_merge_sort(&pointers, 0, SAMPLE, false, false);

    for (size_t level = 0; level < LG_LEAVES; level++) {
        size_t const nodes = (size_t)1 << level, step = LEAVES >> (level + 1);
        for (size_t i = 0; i < nodes; i++) {
            size_t const splitter = (2 * i + 1) * step - 1;
            tree->node[nodes + i] = sample[(splitter + 1) * (SAMPLE / LEAVES)];
            tree->equal[nodes + i] = (uint8_t)(2 * splitter + 1);
        }
    }
}

/* Labels elements [lo, hi) and counts the labels. */
static void label(const compare_work *work, const splitters *tree, size_t lo, size_t hi,
                  bool in_buffer, uint8_t *labels, size_t counts[BUCKETS])
{
    for (size_t i = lo; i < hi; i++) {
        const void *const element = compare_seen(work, compare_at(work, in_buffer, i));
        size_t            node = 1, bucket;
        int               order = 1;
        while (node < LEAVES && (order = work->compare(work->user, element, tree->node[node])) != 0)
            node = 2 * node + (size_t)(order > 0);
        bucket = node < LEAVES ? tree->equal[node] : 2 * (node - LEAVES);
        labels[i] = (uint8_t)bucket;
        counts[bucket]++;
    }
}

/* Moves [lo, hi) to their places in the other array. */
static void scatter(const compare_work *work, const uint8_t *labels, size_t lo, size_t hi,
                    bool in_buffer, size_t to[BUCKETS])
{
    const char *from = compare_at(work, in_buffer, lo);
    for (size_t i = lo; i < hi; i++, from += work->size)
        compare_move(compare_at(work, !in_buffer, to[labels[i]]++), from, work->size);
}

/* ---- One thread ---- */

static bool bring_home(const compare_work *work, size_t lo, size_t hi, bool in_buffer)
{
    if (in_buffer)
        compare_bring_home(work, lo, hi);
    return false;
}

/* Sorts [lo, hi) from either array into the base. Returns false if the elements are in the base but
 * not sorted. */
static bool sample_sort(const sample_work *sample, size_t lo, size_t hi, bool in_buffer,
                        unsigned depth)
{
    const compare_work *const work = sample->by;
    if (hi - lo <= BASE) {
        compare_merge_sort(work, lo, hi, in_buffer, false);
        return true;
    }
    if (depth == 0)
        return bring_home(work, lo, hi, in_buffer);

    size_t    starts[BUCKETS + 1] = {0}, to[BUCKETS];
    splitters tree;
    choose_splitters(work, lo, hi, in_buffer, &tree);
    for (size_t at = lo; at < hi; at += PIECE) {
        if (ordo_poll(work->exec, 0))
            return bring_home(work, lo, hi, in_buffer);
        label(work, &tree, at, ordo_min(at + PIECE, hi), in_buffer, sample->labels, starts + 1);
    }
    starts[0] = lo;
    for (size_t b = 0; b < BUCKETS; b++) {
        to[b] = starts[b];
        starts[b + 1] += starts[b];
    }
    scatter(work, sample->labels, lo, hi, in_buffer, to);

    bool sorted = true;
    for (size_t b = 0; b < BUCKETS; b++) {
        if (b % 2 != 0 || !sorted || ordo_poll(work->exec, 0)) {
            (void)bring_home(work, starts[b], starts[b + 1], !in_buffer);
            sorted = sorted && b % 2 != 0;
        } else {
            sorted = sample_sort(sample, starts[b], starts[b + 1], !in_buffer, depth - 1);
        }
    }
    return sorted;
}

/* ---- All threads: the first level ---- */

static void label_piece(void *arg, size_t lo, size_t hi)
{
    sample_work *const sample = arg;
    size_t *const      counts = sample->counts[lo / PIECE];
    memset(counts, 0, sizeof *sample->counts);
    label(sample->by, &sample->tree, lo, hi, false, sample->labels, counts);
}

static void scatter_piece(void *arg, size_t lo, size_t hi)
{
    sample_work *const sample = arg;
    scatter(sample->by, sample->labels, lo, hi, false, sample->counts[lo / PIECE]);
}

static void finish_bucket(void *arg, size_t lo, size_t hi)
{
    sample_work *const sample = arg;
    for (size_t b = lo; b < hi; b++)
        if (b % 2 != 0)
            compare_bring_home(sample->by, sample->starts[b], sample->starts[b + 1]);
        else
            sample->unsorted[b] =
                !sample_sort(sample, sample->starts[b], sample->starts[b + 1], true, DEPTH);
    atomic_fetch_add_explicit(&sample->finished, hi - lo, memory_order_relaxed);
}

static size_t labels_size(size_t n) { return ordo_round_up(n, ORDO_CACHE_LINE); }

size_t compare_sample_scratch(size_t n)
{
    return labels_size(n) + ordo_div_up(n, PIECE) * BUCKETS * sizeof(size_t);
}

bool compare_sample_all(const compare_work *work, void *block)
{
    ordo_exec *const exec = work->exec;
    size_t const     n = work->n;
    sample_work      sample = {.by = work, .labels = block};
    if (n <= BASE) {
        compare_merge_sort(work, 0, n, false, false);
        return true;
    }
    sample.counts = (size_t(*)[BUCKETS])(void *)(sample.labels + labels_size(n));
    choose_splitters(work, 0, n, false, &sample.tree);
    if (!ordo_loop(exec, n, PIECE, label_piece, &sample))
        return false;
    exec->phase++;
    cpu_counts_to_places(*sample.counts, ordo_div_up(n, PIECE), BUCKETS, sample.starts);
    if (!ordo_loop(exec, n, PIECE, scatter_piece, &sample))
        return false;
    exec->phase++;
    if (!ordo_loop(exec, BUCKETS, 1, finish_bucket, &sample) || ordo_poll(exec, 1)) {
        size_t const done = atomic_load_explicit(&sample.finished, memory_order_relaxed);
        compare_bring_home(work, sample.starts[done], n);
        return false;
    }
    exec->phase++;
    for (size_t b = 0; b < BUCKETS; b++)
        if (sample.unsorted[b] && !compare_merge_all(work, sample.starts[b], sample.starts[b + 1]))
            return false;
    return true;
}
