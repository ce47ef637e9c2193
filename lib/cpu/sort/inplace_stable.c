/* inplace_stable.c - argsort and stable sort of pairs if scratch is refused; no scratch.
 *
 * Argsort: the index array is filled with 0 .. n - 1 and sorted by (key, index). No two are equal,
 * so the sort is stable. Quicksort with the median of three or nine as pivot; one thread makes the
 * first partitions, all threads sort the parts. A part that is still large after 2 lg n partitions
 * is heap sorted: n lg n comparisons at worst.
 * Pairs: blocks are sorted by insertion, then merged in place: P.-S. Kim and A. Kutzner, "Stable
 * Minimum Storage Merging by Symmetric Comparisons" (2004). A merge finds the middle of its output
 * in both ranges by binary search, rotates the records between, and leaves two merges of half the
 * size: n lg n moves per pass, lg n passes. Long merges are halved first, for all threads. */
#include "cpu/radix/records.h"
#include "cpu/sort/sort_steps.h"

#include <string.h>

enum {
    FEW = 16,   /* at most this many elements are sorted by insertion */
    MANY = 128, /* from this many elements on the pivot is the median of nine */
    TASKS = 64, /* the most tasks made for the threads */
    TASKS_EACH = 4,
    STRETCH = ORDO_TUNE_PIECE, /* steps between two checks for cancel */
    ENOUGH = ORDO_TUNE_TASK
};

static size_t tasks_for(const ordo_exec *exec)
{
    return exec->threads == 1 ? 1 : ordo_min(TASKS, exec->threads * (size_t)TASKS_EACH);
}

/* ---- Argsort ---- */

typedef struct index_work {
    const void     *keys;
    records_key_fn *key_at;
    void           *index;
    ordo_exec      *exec;
    size_t          bounds[TASKS + 1]; /* borders of the parts */
} index_work;

#define INDEX uint32_t
#define FN(name) name##_u32
#include "cpu/sort/inplace_index.t.h"
#undef FN
#undef INDEX
#define INDEX uint64_t
#define FN(name) name##_u64
#include "cpu/sort/inplace_index.t.h"
#undef FN
#undef INDEX

ordo_status cpu_argsort_inplace(const ordo_argsort_job *job, ordo_exec *exec)
{
    index_work work = {.keys = job->keys,
                       .key_at = records_key_of(job->type, job->descending),
                       .index = job->index,
                       .exec = exec};
    exec->algorithm = "inplace";
    exec->isa = "generic";
    return cpu_done(job->index_type == ORDO_U32 ? sort_index_u32(&work, job->n)
                                                : sort_index_u64(&work, job->n));
}

/* ---- Pairs ---- */

typedef struct pairs_merge { /* the sorted ranges [lo, middle) and [middle, hi) */
    size_t lo, middle, hi;
} pairs_merge;

typedef struct pairs_work {
    char           *keys, *values;
    size_t          key_size, value_size, n;
    records_key_fn *key_at;
    ordo_exec      *exec;
    size_t          width; /* length of the sorted ranges of this pass */
    size_t          tasks;
    pairs_merge     task[TASKS];
} pairs_work;

static uint64_t order_at(const pairs_work *work, size_t i) { return work->key_at(work->keys, i); }

/* Moves pair `from` to `to` <= from; the pairs between move up by one. */
static void put_back(const pairs_work *work, size_t from, size_t to)
{
    char         held[16];
    char *const  arrays[2] = {work->keys, work->values};
    size_t const sizes[2] = {work->key_size, work->value_size};
    for (int a = 0; a < 2; a++) {
        size_t const size = sizes[a];
        char *const  place = arrays[a] + to * size;
        memcpy(held, arrays[a] + from * size, size);
        memmove(place + size, place, (from - to) * size);
        memcpy(place, held, size);
    }
}

static void insert_pairs(const pairs_work *work, size_t lo, size_t hi)
{
    for (size_t i = lo + 1; i < hi; i++) {
        uint64_t const order = order_at(work, i);
        size_t         at = i;
        while (at > lo && order < order_at(work, at - 1))
            at--;
        if (at < i)
            put_back(work, i, at);
    }
}

/* Reverses elements [lo, hi) of one array; false if the call was cancelled. */
static bool reverse(char *array, size_t size, size_t lo, size_t hi, ordo_exec *exec)
{
    char *const  first = array + lo * size;
    size_t const n = hi - lo;
    for (size_t at = 0; at < n / 2; at += STRETCH) {
        cpu_reverse(first, size, n, at, ordo_min(at + STRETCH, n / 2));
        if (n / 2 > STRETCH && ordo_poll(exec, 0))
            return false;
    }
    return true;
}

/* Exchanges the neighbours [lo, middle) and [middle, hi). */
static bool rotate(const pairs_work *work, size_t lo, size_t middle, size_t hi)
{
    char *const  arrays[2] = {work->keys, work->values};
    size_t const sizes[2] = {work->key_size, work->value_size};
    if (lo == middle || middle == hi)
        return true;
    for (int a = 0; a < 2; a++)
        if (!reverse(arrays[a], sizes[a], lo, middle, work->exec) ||
            !reverse(arrays[a], sizes[a], middle, hi, work->exec) ||
            !reverse(arrays[a], sizes[a], lo, hi, work->exec))
            return false;
    return true;
}

/* Divides a merge into two of half the size: returns the lower one and leaves the upper one in *m.
 * Both are empty if the call was cancelled. */
static pairs_merge halve(const pairs_work *work, pairs_merge *m)
{
    size_t const a = m->middle - m->lo, b = m->hi - m->middle, half = (a + b) / 2;
    size_t       low = half > b ? half - b : 0, high = ordo_min(half, a);
    while (low < high) { /* low becomes the number of records of the lower half from the first
                          * range */
        size_t const from_a = low + (high - low) / 2;
        if (order_at(work, m->middle + (half - 1 - from_a)) < order_at(work, m->lo + from_a))
            high = from_a;
        else
            low = from_a + 1;
    }
    pairs_merge lower = {m->lo, m->lo + low, m->lo + half};
    pairs_merge upper = {m->lo + half, m->middle + (half - low), m->hi};
    if (!rotate(work, m->lo + low, m->middle, m->middle + (half - low)))
        lower = upper = (pairs_merge){0, 0, 0};
    *m = upper;
    return lower;
}

/* Calls itself at most lg n deep. */
static void merge_pairs(const pairs_work *work, pairs_merge m)
{
    while (m.lo < m.middle && m.middle < m.hi) {
        if (order_at(work, m.middle) >= order_at(work, m.middle - 1))
            return;
        if (m.hi - m.lo <= FEW) {
            insert_pairs(work, m.lo, m.hi);
            return;
        }
        if (m.hi - m.lo > STRETCH && ordo_poll(work->exec, 0))
            return;
        merge_pairs(work, halve(work, &m));
    }
}

static void block_body(void *arg, size_t lo, size_t hi)
{
    const pairs_work *const work = arg;
    for (size_t at = lo; at < hi; at += FEW)
        insert_pairs(work, at, ordo_min(at + FEW, hi));
}

static pairs_merge merge_at(const pairs_work *work, size_t i)
{
    size_t const lo = i * 2 * work->width, left = work->n - lo;
    return (pairs_merge){lo, lo + ordo_min(work->width, left),
                         lo + ordo_min(2 * work->width, left)};
}

static void merge_body(void *arg, size_t lo, size_t hi)
{
    const pairs_work *const work = arg;
    for (size_t i = lo; i < hi; i++)
        merge_pairs(work, merge_at(work, i));
}

static void halve_body(void *arg, size_t lo, size_t hi)
{
    pairs_work *const work = arg;
    for (size_t i = lo; i < hi; i++)
        work->task[work->tasks + i] = halve(work, &work->task[i]);
}

static void task_body(void *arg, size_t lo, size_t hi)
{
    const pairs_work *const work = arg;
    for (size_t i = lo; i < hi; i++)
        merge_pairs(work, work->task[i]);
}

/* One pass: doubles the length of all sorted ranges. */
static bool merge_pass(pairs_work *work)
{
    ordo_exec *const exec = work->exec;
    size_t const     merges = ordo_div_up(work->n, 2 * work->width), wanted = tasks_for(exec);
    if (merges >= wanted)
        return ordo_loop(exec, merges, ordo_max(1, ENOUGH / (2 * work->width)), merge_body, work);
    for (size_t i = 0; i < merges; i++)
        work->task[i] = merge_at(work, i);
    for (work->tasks = merges; 2 * work->tasks <= wanted; work->tasks *= 2)
        if (!ordo_loop(exec, work->tasks, 1, halve_body, work))
            return false;
    return ordo_loop(exec, work->tasks, 1, task_body, work);
}

ordo_status cpu_pairs_inplace(const ordo_pairs_job *job, ordo_exec *exec)
{
    size_t const n = job->keys.n;
    pairs_work   work = {.keys = job->keys.keys,
                         .values = job->values,
                         .key_size = ordo_type_size(job->keys.type),
                         .value_size = job->value_size,
                         .n = n,
                         .key_at = records_key_of(job->keys.type, job->keys.descending),
                         .exec = exec};
    exec->algorithm = "inplace";
    exec->isa = "generic";
    exec->phase = 0;
    exec->phases = 1;
    for (size_t width = FEW; width < n; width *= 2)
        exec->phases++;
    if (!ordo_loop(exec, n, ordo_round_up(ENOUGH, FEW), block_body, &work))
        return ORDO_E_CANCELLED;
    for (work.width = FEW; work.width < n; work.width *= 2) {
        exec->phase++;
        if (!merge_pass(&work))
            return ORDO_E_CANCELLED;
    }
    return cpu_done(!ordo_poll(exec, 1));
}
