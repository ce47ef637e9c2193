/* ordered.c - sorts for arrays in which a sample has shown an order (sort_paths.c). Each reads all
 * keys to check the sample:
 *
 *   few runs         finds and merges them; one run is sorted already
 *   reversed         one falling run: reverses the array
 *   roughly sorted   sorts in windows of the radius of the array
 *
 * If the sample was wrong, the array is unchanged, or permuted by windows of a wrong radius. */
#include "cpu/radix/records.h"
#include "cpu/rough/rough.h"
#include "cpu/sort/sort_steps.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_RUNS = ORDO_TUNE_RUNS
};

/* ---- Runs ---- */

typedef struct runs_work {
    const void        *keys;
    cpu_first_step_fn *first_step;
    unsigned           step;              /* the step that begins a run: cpu_step */
    atomic_size_t      count;             /* runs after the first; may exceed MOST_RUNS */
    size_t             starts[MOST_RUNS]; /* starts of runs, in the order they were found */
} runs_work;

static void runs_piece(void *arg, size_t lo, size_t hi)
{
    runs_work *const work = arg;
    bool const       full = atomic_load_explicit(&work->count, memory_order_relaxed) >= MOST_RUNS;
    size_t           at = full ? hi : ordo_max(lo, 1);
    for (; (at = work->first_step(work->keys, at, hi, work->step)) < hi; at++) {
        size_t const run = atomic_fetch_add_explicit(&work->count, 1, memory_order_relaxed);
        if (run >= MOST_RUNS)
            return;
        work->starts[run] = at;
    }
}

static int compare_starts(const void *a, const void *b)
{
    size_t const x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Counts the runs and fills bounds. A count of MOST_RUNS + 1 means more than MOST_RUNS. A run ends
 * before a key that is less than its left neighbour; with `falling`, before a key that is greater
 * or, where keys tie, not less. So one falling run is a reversed array. */
static ordo_status find_runs(const radix_io *io, ordo_type type, bool falling,
                             size_t bounds[MOST_RUNS + 2], size_t *count, ordo_exec *exec)
{
    runs_work work = {.keys = io->in,
                      .first_step = io->kernels->loops->first_step[type],
                      .step = (io->turned ? CPU_STEP_DOWN : 0) | (io->folded ? CPU_STEP_TIES : 0) |
                              (falling ? CPU_STEP_RISE : 0)};
    atomic_init(&work.count, 0);
    if (!ordo_loop(exec, io->n, cpu_grain(io->n), runs_piece, &work))
        return ORDO_E_CANCELLED;
    size_t const more = atomic_load_explicit(&work.count, memory_order_relaxed);
    *count = ordo_min(more, MOST_RUNS) + 1;
    if (more >= MOST_RUNS)
        return ORDO_OK;
    qsort(work.starts, more, sizeof *work.starts, compare_starts);
    bounds[0] = 0;
    memcpy(bounds + 1, work.starts, more * sizeof *bounds);
    bounds[more + 1] = io->n;
    return ORDO_OK;
}

/* Merges the runs. After ORDO_E_NOMEM the keys are unchanged. */
static ordo_status merge_runs(const cpu_kernels *kernels, const ordo_sort_job *job,
                              const size_t *bounds, size_t count, ordo_exec *exec)
{
    radix_io const    io = records_of_keys(kernels, job);
    cpu_records const records = {io.kind, job->keys, job->n};
    bool const        changed = exec->changed;
    exec->changed = true;
    TRY(records_load(&io, &records, exec));
    ordo_status const status = cpu_records_merge_runs(&records, bounds, count, exec);
    if (status == ORDO_E_CANCELLED)
        return status;
    TRY(records_store(&io, &records, exec));
    if (status == ORDO_E_NOMEM)
        exec->changed = changed;
    return status;
}

/* ---- Reversed ---- */

typedef struct reverse_work {
    void  *array;
    size_t size, n; /* bytes of an element, and number of elements */
} reverse_work;

static void reverse_piece(void *arg, size_t lo, size_t hi)
{
    const reverse_work *const work = arg;
    cpu_reverse(work->array, work->size, work->n, lo, hi);
}

ordo_status cpu_reverse_array(void *array, size_t size, size_t n, ordo_exec *exec)
{
    reverse_work work = {array, size, n};
    exec->changed = true;
    return cpu_done(ordo_loop(exec, n / 2, cpu_grain(n / 2), reverse_piece, &work));
}

/* ---- Keys alone ---- */

ordo_status cpu_sort_runs(const ordo_sort_job *job, const radix_io *io, bool *done, ordo_exec *exec)
{
    size_t bounds[MOST_RUNS + 2], count = 0;
    TRY(find_runs(io, job->type, false, bounds, &count, exec));
    if (count > MOST_RUNS)
        return ORDO_OK;
    if (count == 1) {
        *done = true;
        exec->algorithm = "sorted";
        exec->facts.input = ORDO_INPUT_SORTED;
        return ORDO_OK;
    }
    if (ordo_type_size(job->type) < sizeof(uint32_t))
        return ORDO_OK; /* counting is cheaper */
    ordo_status const status = merge_runs(io->kernels, job, bounds, count, exec);
    if (status == ORDO_E_NOMEM)
        return ORDO_OK;
    *done = status == ORDO_OK;
    exec->algorithm = "merge";
    exec->facts.input = ORDO_INPUT_RUNS;
    exec->facts.strategy = ORDO_STRATEGY_MERGE_RUNS;
    exec->facts.runs = count;
    return status;
}

ordo_status cpu_sort_reversed(const ordo_sort_job *job, const radix_io *io, bool *done,
                              ordo_exec *exec)
{
    size_t bounds[MOST_RUNS + 2], count = 0;
    TRY(find_runs(io, job->type, true, bounds, &count, exec));
    *done = count == 1;
    if (!*done)
        return ORDO_OK;
    exec->algorithm = "reverse";
    exec->facts.input = ORDO_INPUT_REVERSED;
    exec->facts.strategy = ORDO_STRATEGY_REVERSE;
    return cpu_reverse_array(job->keys, ordo_type_size(job->type), job->n, exec);
}

/* Sorts with a given radius; *done becomes true if the keys are sorted now. If memory is refused,
 * returns ORDO_OK with *done false: no key was moved, and the general sort needs less memory. The
 * radius of the keys stays unknown: windows also sort keys that are further from their places, if
 * few are. */
static ordo_status try_rough(const cpu_kernels *kernels, const ordo_sort_job *job, size_t radius,
                             bool *done, ordo_exec *exec)
{
    bool const changed = exec->changed;
    exec->changed = true;
    ordo_status const status = cpu_rough_try(kernels, job, radius, done, exec);
    if (status == ORDO_E_NOMEM) {
        exec->changed = changed;
        *done = false;
        return ORDO_OK;
    }
    if (status == ORDO_OK && *done) {
        exec->algorithm = "windows";
        exec->facts.input = ORDO_INPUT_ROUGH;
        exec->facts.strategy = ORDO_STRATEGY_WINDOWS;
        exec->facts.tried_radius = radius;
    }
    return status;
}

/* Tries a radius a little larger than `seen` first: the attempt shows whether the radius was large
 * enough, and saves the measurement. If it fails, the keys are permuted: measures their radius then
 * and tries that unless it is above `most`; `seen` is not. */
ordo_status cpu_sort_windows(const cpu_kernels *kernels, const ordo_sort_job *job, size_t seen,
                             size_t most, bool *done, ordo_exec *exec)
{
    size_t radius = 0;
    for (size_t guess = 8; guess <= ROUGH_NETWORK_REACH && radius == 0; guess *= 2)
        if (seen + seen / 8 < guess)
            radius = ordo_min(guess, most);
    if (radius == 0)
        radius = ordo_min(seen + seen / 4, most);
    exec->phases += CPU_RADIUS_PHASES + 1;
    TRY(try_rough(kernels, job, radius, done, exec));
    if (*done || radius == most)
        return ORDO_OK;
    ordo_status const measured = cpu_radius_bits(kernels, job, &radius, exec);
    if (measured == ORDO_E_NOMEM) /* the general sort needs less */
        return ORDO_OK;
    TRY(measured);
    if (radius > most)
        return ORDO_OK;
    return try_rough(kernels, job, radius, done, exec);
}

/* ---- Stable ---- */

ordo_status cpu_is_one_run(const radix_io *io, ordo_type type, bool falling, bool *is,
                           ordo_exec *exec)
{
    size_t bounds[MOST_RUNS + 2], count = 0;
    TRY(find_runs(io, type, falling, bounds, &count, exec));
    *is = count == 1;
    return ORDO_OK;
}

typedef struct count_work {
    const ordo_argsort_job *job;
    bool                    reversed;
} count_work;

/* Unrolled, because a loop of one vector may cross a cache line of code. Emerald Rapids, argsort of
 * 10^5 sorted i32 without: 54 us in a library where it did, 36 in one where it did not. */
static void count_piece(void *arg, size_t lo, size_t hi)
{
    const count_work *const work = arg;
    size_t const            last = work->job->n - 1;
    if (work->job->index_type == ORDO_U32) {
        uint32_t *const index = work->job->index;
#pragma GCC unroll 4
        for (size_t i = lo; i < hi; i++)
            index[i] = (uint32_t)(work->reversed ? last - i : i);
    } else {
        uint64_t *const index = work->job->index;
#pragma GCC unroll 4
        for (size_t i = lo; i < hi; i++)
            index[i] = work->reversed ? last - i : i;
    }
}

ordo_status cpu_index_in_order(const ordo_argsort_job *job, bool reversed, ordo_exec *exec)
{
    count_work work = {job, reversed};
    return cpu_done(ordo_loop(exec, job->n, cpu_grain(job->n), count_piece, &work));
}
