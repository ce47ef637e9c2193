/* inplace_stable.c - argsort and stable sort of pairs if scratch is refused; no scratch.
 *
 * An argsort fills the index array with 0 .. n - 1 and sorts it by the keys. Blocks are sorted on
 * the stack, then merged in place: P.-S. Kim and A. Kutzner, "Stable Minimum Storage Merging by
 * Symmetric Comparisons" (2004). A merge finds the middle of its output in both ranges by binary
 * search, rotates the elements between, and leaves two merges of half the size; short ones are done
 * on the stack. n lg n moves per pass, lg n passes. Long merges are halved first, for all
 * threads. */
#include "cpu/elements/elements.h"
#include "cpu/radix/records.h"
#include "cpu/sort/sort_steps.h"

#include <string.h>

enum {
    FEW = ORDO_INPLACE_SMALL, /* at most this many elements are sorted on the stack */
    MOST_SIZE = 16,           /* bytes of an element */
    TASKS = 64,               /* the most tasks made for the threads */
    TASKS_EACH = 4,
    STRETCH = ORDO_TUNE_PIECE, /* steps between two checks for cancel */
    ENOUGH = ORDO_TUNE_TASK
};

#define RECORD record_p64
#define LESS(a, b) record_less_p64(a, b)
#define PICK(take_b, a, b) record_pick_p64(take_b, a, b)
#define FN(name) name##_p64
#include "core/small_sort.t.h"
#include "core/merge.t.h"
#undef FN
#undef PICK
#undef LESS
#undef RECORD

static size_t tasks_for(const ordo_exec *exec)
{
    return exec->threads == 1 ? 1 : ordo_min(TASKS, exec->threads * (size_t)TASKS_EACH);
}

typedef struct stable_merge { /* the sorted ranges [lo, middle) and [middle, hi) */
    size_t lo, middle, hi;
} stable_merge;

typedef struct stable_array {
    char  *base;
    size_t size; /* bytes of an element */
} stable_array;

typedef struct stable_work {
    const void     *keys;
    records_key_fn *key_at;
    stable_array    arrays[2]; /* keys and values, or the index */
    unsigned        count;     /* of arrays; 1: the index */
    size_t          n;
    ordo_exec      *exec;
    size_t          width; /* length of the sorted ranges of this pass */
    size_t          tasks;
    stable_merge    task[TASKS];
} stable_work;

/* ---- Elements ---- */

static uint64_t order_at(const stable_work *work, size_t i)
{
    const stable_array *const index = &work->arrays[0];
    if (work->count > 1)
        return work->key_at(work->keys, i);
    return work->key_at(work->keys, index->size == sizeof(uint32_t)
                                        ? ((const uint32_t *)(const void *)index->base)[i]
                                        : ((const uint64_t *)(const void *)index->base)[i]);
}

/* Sorts elements [lo, hi), which are few. [lo, middle) and [middle, hi) are in order unless middle
 * is lo. */
static void sort_few(const stable_work *work, size_t lo, size_t middle, size_t hi)
{
    record_p64   records[FEW] = {{0, 0}}, sorted[FEW]; /* zeros for an analyser */
    uint32_t     order[FEW];
    char         held[FEW * MOST_SIZE];
    size_t const n = hi - lo, left = middle - lo;
    for (size_t i = 0; i < n; i++)
        records[i] = (record_p64){order_at(work, lo + i), i};
    if (left == 0 || left >= n)
        merge_sort_p64(records, sorted, n, true);
    else
        merge_p64(records, left, records + left, n - left, sorted);
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)sorted[i].index;
    for (unsigned a = 0; a < work->count; a++) {
        size_t const size = work->arrays[a].size;
        char *const  base = work->arrays[a].base + lo * size;
        memcpy(held, base, n * size);
        element_gather(base, held, size, order, true, 0, n);
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
static bool rotate(const stable_work *work, size_t lo, size_t middle, size_t hi)
{
    if (lo == middle || middle == hi)
        return true;
    for (unsigned a = 0; a < work->count; a++) {
        stable_array const array = work->arrays[a];
        if (!reverse(array.base, array.size, lo, middle, work->exec) ||
            !reverse(array.base, array.size, middle, hi, work->exec) ||
            !reverse(array.base, array.size, lo, hi, work->exec))
            return false;
    }
    return true;
}

/* ---- Merges ---- */

/* Divides a merge into two of half the size: returns the lower one and leaves the upper one in *m.
 * Both are empty if the call was cancelled. */
static stable_merge halve(const stable_work *work, stable_merge *m)
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
    stable_merge lower = {m->lo, m->lo + low, m->lo + half};
    stable_merge upper = {m->lo + half, m->middle + (half - low), m->hi};
    if (!rotate(work, m->lo + low, m->middle, m->middle + (half - low)))
        lower = upper = (stable_merge){0, 0, 0};
    *m = upper;
    return lower;
}

/* Calls itself at most lg n deep. */
static void merge_in_place(const stable_work *work, stable_merge m)
{
    while (m.lo < m.middle && m.middle < m.hi) {
        if (order_at(work, m.middle) >= order_at(work, m.middle - 1))
            return;
        if (m.hi - m.lo <= FEW) {
            sort_few(work, m.lo, m.middle, m.hi);
            return;
        }
        if (m.hi - m.lo > STRETCH && ordo_poll(work->exec, 0))
            return;
        merge_in_place(work, halve(work, &m));
    }
}

static void block_body(void *arg, size_t lo, size_t hi)
{
    const stable_work *const work = arg;
    for (size_t at = lo; at < hi; at += FEW)
        sort_few(work, at, at, ordo_min(at + FEW, hi));
}

static stable_merge merge_at(const stable_work *work, size_t i)
{
    size_t const lo = i * 2 * work->width, left = work->n - lo;
    return (stable_merge){lo, lo + ordo_min(work->width, left),
                          lo + ordo_min(2 * work->width, left)};
}

static void merge_body(void *arg, size_t lo, size_t hi)
{
    const stable_work *const work = arg;
    for (size_t i = lo; i < hi; i++)
        merge_in_place(work, merge_at(work, i));
}

static void halve_body(void *arg, size_t lo, size_t hi)
{
    stable_work *const work = arg;
    for (size_t i = lo; i < hi; i++)
        work->task[work->tasks + i] = halve(work, &work->task[i]);
}

static void task_body(void *arg, size_t lo, size_t hi)
{
    const stable_work *const work = arg;
    for (size_t i = lo; i < hi; i++)
        merge_in_place(work, work->task[i]);
}

/* One pass: doubles the length of all sorted ranges. */
static bool merge_pass(stable_work *work)
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

static ordo_status sort_stable(stable_work *work, ordo_exec *exec)
{
    exec->algorithm = "inplace";
    exec->isa = "generic";
    exec->phase = 0;
    exec->phases = 1;
    for (size_t width = FEW; width < work->n; width *= 2)
        exec->phases++;
    if (!ordo_loop(exec, work->n, ordo_round_up(ENOUGH, FEW), block_body, work))
        return ORDO_E_CANCELLED;
    for (work->width = FEW; work->width < work->n; work->width *= 2) {
        exec->phase++;
        if (!merge_pass(work))
            return ORDO_E_CANCELLED;
    }
    return cpu_done(!ordo_poll(exec, 1));
}

ordo_status cpu_argsort_inplace(const ordo_argsort_job *job, ordo_exec *exec)
{
    ordo_exec   part = *exec;
    stable_work work = {.keys = job->keys,
                        .key_at = records_key_of(job->type, job->descending),
                        .arrays = {{job->index, ordo_type_size(job->index_type)}},
                        .count = 1,
                        .n = job->n,
                        .exec = exec};
    TRY(cpu_index_in_order(job, false, &part));
    return sort_stable(&work, exec);
}

ordo_status cpu_pairs_inplace(const ordo_pairs_job *job, ordo_exec *exec)
{
    const ordo_sort_job *const keys = &job->keys;
    stable_array const         own = {keys->keys, ordo_type_size(keys->type)};
    stable_work                work = {.keys = keys->keys,
                                       .key_at = records_key_of(keys->type, keys->descending),
                                       .arrays = {own, {job->values, job->value_size}},
                                       .count = 2,
                                       .n = keys->n,
                                       .exec = exec};
    return sort_stable(&work, exec);
}
