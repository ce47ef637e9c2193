/* compare_sample.c - sample sort by a caller's comparison; the manner of sort_sample.c.
 *
 * Splitters from a sorted sample make a search tree; every element walks it and gets a label, the
 * labels are counted by piece, and the elements go to their buckets in the other array. An
 * element that compares equal to a node stops there: its bucket is done. Other buckets are cut
 * the same way, each by one thread, until they can be merge sorted. The labels are written down
 * and rule alone what moves where.
 *
 * Each level costs lg(leaves) calls for every element. Buckets that do not shrink after several
 * levels, which is what an adversarial comparison brings about, are merge sorted by all threads
 * in the end: n lg n calls at worst. */
#include "cpu/sort/compare_sort.h"

enum {
    LG_LEAVES = ORDO_TUNE_SAMPLE_LG,
    LEAVES = 1 << LG_LEAVES,
    BUCKETS = 2 * LEAVES, /* odd ones hold the elements equal to a splitter */
    SAMPLE = 8 * LEAVES,
    BASE = ORDO_TUNE_BY_SAMPLE, /* elements up to which buckets are merge sorted */
    PIECE = ORDO_TUNE_BY_SAMPLE,
    DEPTH = 3 /* levels below the first; 128^4 buckets of BASE are 4e12 elements */
};
_Static_assert(BUCKETS <= 256, "a label is a byte");

typedef struct splitters {
    const void *node[LEAVES];  /* as the comparison sees them; node[1] is the root */
    uint8_t     equal[LEAVES]; /* the label of what is equal to the node */
} splitters;

typedef struct sample_work {
    const compare_work *by;
    uint8_t            *labels;
    size_t (*counts)[BUCKETS]; /* for each piece; then where its elements of a bucket go */
    size_t        starts[BUCKETS + 1];
    uint8_t       unsorted[BUCKETS]; /* the bucket is home, but not in order */
    atomic_size_t finished;          /* buckets that are home; these are the first ones */
    splitters     tree;
} sample_work;

/* A number below n that has nothing to do with the order of the input: nobody knows the seed. */
static size_t sample_at(uint64_t seed, size_t i, size_t n)
{
    uint64_t x = seed + (uint64_t)(i + 1) * UINT64_C(0xd1342543de82ef95);
    x = (x ^ x >> 30) * UINT64_C(0xda942042e4dd58b5);
    x ^= x >> 32;
    return (size_t)(x % n);
}

/* Chooses splitters for [lo, hi), more than BASE elements. */
static __attribute__((noinline)) void choose_splitters(const compare_work *work, size_t lo,
                                                       size_t hi, bool in_buffer, splitters *tree)
{
    const void *sample[SAMPLE], *other[SAMPLE];
    for (size_t i = 0; i < SAMPLE; i++)
        sample[i] = compare_seen(
            work, compare_at(work, in_buffer, lo + sample_at(work->exec->seed, i, hi - lo)));
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

/* Labels [lo, hi) and adds to counts. */
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

/* Sorts [lo, hi), wherever it is, into the base. Returns false if it is home but not sorted. */
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

/* Turns the counts of each piece into places: buckets in order, in a bucket pieces in order. */
static void places(sample_work *sample, size_t pieces)
{
    size_t at = 0;
    for (size_t b = 0; b < BUCKETS; b++) {
        sample->starts[b] = at;
        for (size_t p = 0; p < pieces; p++) {
            size_t const here = sample->counts[p][b];
            sample->counts[p][b] = at;
            at += here;
        }
    }
    sample->starts[BUCKETS] = at;
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
    places(&sample, ordo_div_up(n, PIECE));
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
