/* adaptive.c - looks at a sample of the array and takes the cheapest sort for its order.
 *
 * The look compares neighbours in a few windows all over the array (a few thousand keys), and
 * the first keys of the windows. The array is read only if the look finds one of these:
 *
 *   hardly a key is less than its left neighbour   few runs: merge them; one run is sorted already
 *   every key is                                   reversed: check all keys, reverse the array
 *   few keys are                                   displaced keys: sort them apart, merge them back
 *   many are, but windows rise                     roughly sorted: sort in windows of that radius
 *
 * Everything else goes to the radix sort, which draws its own sample. On random keys the look
 * takes some microseconds. Argsort and pairs use the first two, in the order in which keys tie. */
#include "core/random.h"
#include "cpu/radix/records.h"
#include "cpu/rough/rough.h"
#include "cpu/sort/sort_steps.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_RUNS = ORDO_TUNE_RUNS
};

typedef struct adaptive_view {
    size_t looked;    /* neighbours compared */
    size_t falls;     /* keys less than their left neighbour */
    size_t flats;     /* keys that tie with it */
    size_t far_falls; /* windows whose first key is less than that of the window before */
    size_t far_rises; /* windows whose first key is greater */
} adaptive_view;

/* Keys in the order of a sort, or in the order of an argsort, in which keys tie (io.folded). */
static radix_io order_of(const cpu_kernels *kernels, const ordo_sort_job *job, bool folded)
{
    return records_of_order(kernels, job->type, job->source != NULL ? job->source : job->keys,
                            job->n, job->descending, folded);
}

/* The offset of the windows in their n / windows keys. The seed of the call chooses it, so that
 * an input cannot be prepared for the keys that are read. */
static size_t look_aside(size_t n, size_t windows, uint64_t seed)
{
    if (windows == 0)
        return 0;
    size_t const free_keys = n / windows - ORDO_TUNE_LOOK_KEYS;
    return (size_t)ordo_random_below(ordo_random_mix(seed), free_keys + 1);
}

#define ORDO_TEMPLATE "cpu/sort/adaptive.t.h"
#include "core/for_each_word.h"

static adaptive_view look(const radix_io *io, uint64_t seed)
{
    return io->kind == RECORD_K32 ? look_32(io, seed) : look_64(io, seed);
}

/* ---- Runs ---- */

typedef struct runs_work {
    const void        *keys;
    cpu_first_step_fn *first_step;
    unsigned           step;              /* what begins a run: cpu_step */
    atomic_size_t      count;             /* runs after the first; may exceed MOST_RUNS */
    size_t             starts[MOST_RUNS]; /* in the order they were found */
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

/* Counts the runs and fills bounds. MOST_RUNS + 1 stands for more than MOST_RUNS. A run ends
 * before a key that is less than its left neighbour. falling: before a key that is greater or,
 * where keys tie, not less. So one falling run is a reversed array. */
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
    size_t size, n; /* bytes of an element, and elements */
} reverse_work;

static void reverse_piece(void *arg, size_t lo, size_t hi)
{
    const reverse_work *const work = arg;
    cpu_reverse(work->array, work->size, work->n, lo, hi);
}

static ordo_status reverse(void *array, size_t size, size_t n, ordo_exec *exec)
{
    reverse_work work = {array, size, n};
    exec->changed = true;
    return cpu_done(ordo_loop(exec, n / 2, cpu_grain(n / 2), reverse_piece, &work));
}

/* ---- Keys alone ---- */

/* Whether there may be at most `most` runs. A window may contain the end of a run or two, and a
 * run begins between two windows if the second begins lower. */
static bool may_be_runs(const adaptive_view *view, size_t most)
{
    return view->falls * 256 <= view->looked && view->far_falls < most;
}

/* Equal keys may fill a window, so that keys fall only between windows. */
static bool may_be_reversed(const adaptive_view *view)
{
    return view->falls + view->flats == view->looked && view->falls + view->far_falls > 0 &&
           view->far_rises == 0;
}

/* The most runs that are merged. Keys of less than four bytes are counted unless they are
 * sorted. */
static size_t most_runs(ordo_type type)
{
    return ordo_type_size(type) < sizeof(uint32_t) ? 1 : MOST_RUNS;
}
/* The largest radius for which windows are faster than the radix sort, by vectors or without; 0:
 * none. */
static size_t most_radius_of(ordo_type type, bool by_vectors)
{
    bool const narrow = ordo_type_size(type) <= sizeof(uint32_t);
    if (by_vectors)
        return narrow ? ORDO_TUNE_ROUGH_VECTOR_32 : ORDO_TUNE_ROUGH_VECTOR_64;
    return type == ORDO_F32 ? ORDO_TUNE_ROUGH_RADIUS_F32
           : narrow         ? ORDO_TUNE_ROUGH_RADIUS_32
                            : ORDO_TUNE_ROUGH_RADIUS_64;
}

/* An ISA that compresses vectors sorts buckets so fast that windows pay for a small radius only. */
static size_t most_radius(const cpu_kernels *kernels, ordo_type type)
{
    bool const narrow = ordo_type_size(type) <= sizeof(uint32_t);
    return most_radius_of(type, kernels->split[narrow ? CPU_WIDTH_32 : CPU_WIDTH_64] != NULL);
}

static bool may_be_rough(const adaptive_view *view)
{
    return view->far_falls == 0 && view->falls * 4 < view->looked * 3;
}

/* Whether few keys are out of place: some windows may begin with one, or hold many. */
static bool may_be_displaced(const ordo_sort_job *job, const adaptive_view *view)
{
    return view->falls * ORDO_TUNE_DISPLACED_FALLS <= view->looked &&
           view->far_falls <= ORDO_TUNE_DISPLACED_FAR && job->n >= ORDO_TUNE_ROUGH_KEYS &&
           ordo_type_size(job->type) >= sizeof(uint32_t);
}

/* Sorts with a given radius; *done says whether the keys are sorted now. Without memory the
 * result is ORDO_OK with *done false: no key was moved, and the general sort needs less memory. */
static ordo_status try_rough(const ordo_sort_job *job, size_t radius, bool *done, ordo_exec *exec)
{
    bool const changed = exec->changed;
    exec->changed = true;
    ordo_status const status = cpu_rough_try(job, radius, done, exec);
    if (status == ORDO_E_NOMEM) {
        exec->changed = changed;
        *done = false;
        return ORDO_OK;
    }
    if (status == ORDO_OK && *done) {
        exec->algorithm = "windows";
        exec->facts.input = ORDO_INPUT_ROUGH;
        exec->facts.strategy = ORDO_STRATEGY_WINDOWS;
        exec->facts.radius = radius;
    }
    return status;
}

/* Tries a radius a little above that of the windows first: the attempt shows whether the radius
 * was large enough, and takes about as long as a measurement. Otherwise measures the radius. */
static ordo_status sort_rough(const ordo_sort_job *job, const radix_io *io, size_t most, bool *done,
                              ordo_exec *exec)
{
    size_t const seen =
        io->kind == RECORD_K32 ? look_radius_32(io, exec->seed) : look_radius_64(io, exec->seed);
    size_t radius = 0;
    if (seen > most)
        return ORDO_OK;
    for (size_t guess = 8; guess <= ORDO_TUNE_ROUGH_GUESS && radius == 0; guess *= 2)
        if (seen + seen / 8 < guess)
            radius = guess;
    exec->phases += CPU_RADIUS_PHASES + 1;
    if (radius != 0)
        TRY(try_rough(job, radius, done, exec));
    if (*done)
        return ORDO_OK;
    ordo_status const measured = cpu_radius_bits(job, &radius, exec);
    if (measured == ORDO_E_NOMEM) /* the general sort needs less */
        return ORDO_OK;
    TRY(measured);
    if (radius > most) {
        exec->facts.radius = radius;
        return ORDO_OK;
    }
    return try_rough(job, radius, done, exec);
}

static ordo_status sort_runs(const ordo_sort_job *job, const radix_io *io, bool *done,
                             ordo_exec *exec)
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

static ordo_status sort_reversed(const ordo_sort_job *job, const radix_io *io, bool *done,
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
    return reverse(job->keys, ordo_type_size(job->type), job->n, exec);
}

static bool is_rough_enough(const ordo_sort_job *job, const adaptive_view *view, size_t most)
{
    return may_be_rough(view) && job->n >= ORDO_TUNE_ROUGH_KEYS &&
           ordo_type_size(job->type) >= sizeof(uint32_t) && most > 0;
}

static ordo_status sort_displaced(const cpu_kernels *kernels, const ordo_sort_job *job, bool *done,
                                  void **room, ordo_exec *exec)
{
    exec->phases += 2;
    ordo_status const status = cpu_sort_displaced(kernels, job, done, room, exec);
    return status == ORDO_E_NOMEM ? ORDO_OK : status; /* the general sort needs less */
}

bool cpu_may_be_ordered(const cpu_kernels *kernels, const ordo_sort_job *job, const ordo_exec *exec)
{
    radix_io const      io = order_of(kernels, job, false);
    adaptive_view const view = look(&io, exec->seed);
    return may_be_runs(&view, most_runs(job->type)) || may_be_reversed(&view) ||
           may_be_displaced(job, &view) ||
           is_rough_enough(job, &view, most_radius(kernels, job->type));
}

/* Keys that the vector sort takes: only a sorted or reversed array is faster without it. */
static ordo_status sort_vector(const cpu_kernels *kernels, const ordo_sort_job *job, bool *done,
                               ordo_exec *exec)
{
    cpu_first_step_fn *const first_step = kernels->loops->first_step[job->type];
    unsigned const           down = job->descending ? CPU_STEP_DOWN : 0;
    radix_io const           io = order_of(kernels, job, false);
    exec->isa = kernels->loops->isa;
    if (first_step(job->keys, 1, job->n, down) == job->n)
        TRY(sort_runs(job, &io, done, exec));
    else if (first_step(job->keys, 1, job->n, down | CPU_STEP_RISE) == job->n)
        TRY(sort_reversed(job, &io, done, exec));
    *done = *done || cpu_vector_sort(kernels, job, exec);
    return ORDO_OK;
}

ordo_status cpu_sort_adaptive(const cpu_kernels *kernels, const ordo_sort_job *job, bool *done,
                              void **room, ordo_exec *exec)
{
    *room = NULL;
    *done = cpu_small_sort(kernels, job, exec);
    if (*done || job->n < 2 * ORDO_TUNE_LOOK_KEYS)
        return ORDO_OK;
    if (cpu_vector_takes(kernels, job))
        return sort_vector(kernels, job, done, exec);
    radix_io const      io = order_of(kernels, job, false);
    adaptive_view const view = look(&io, exec->seed);
    exec->isa = kernels->loops->isa;
    if (may_be_runs(&view, most_runs(job->type)))
        TRY(sort_runs(job, &io, done, exec));
    if (*done)
        return ORDO_OK;
    if (may_be_reversed(&view))
        return sort_reversed(job, &io, done, exec);
    if (may_be_displaced(job, &view))
        TRY(sort_displaced(kernels, job, done, room, exec));
    if (*done)
        return ORDO_OK;
    size_t const most = most_radius(kernels, job->type);
    if (is_rough_enough(job, &view, most))
        return sort_rough(job, &io, most, done, exec);
    return ORDO_OK;
}

size_t cpu_adaptive_scratch(const ordo_sort_job *job, unsigned threads)
{
    if (ordo_type_size(job->type) < sizeof(uint32_t))
        return 0;
    size_t const most = ordo_max(most_radius_of(job->type, false), most_radius_of(job->type, true));
    size_t const rough =
        cpu_rough_try_scratch(job, most, threads) +
        cpu_radius_scratch(&(ordo_radius_job){.type = job->type, .n = job->n}, threads);
    return ordo_max(cpu_records_merge_scratch(records_kind_of_keys(job->type), job->n, threads),
                    rough);
}

size_t cpu_adaptive_room(const ordo_sort_job *job)
{
    return ordo_type_size(job->type) < sizeof(uint32_t) || job->n < ORDO_TUNE_ROUGH_KEYS
               ? 0
               : cpu_displaced_scratch(job);
}

/* ---- Stable ---- */

static ordo_status look_folded(const cpu_kernels *kernels, const ordo_sort_job *job, bool *sorted,
                               bool *reversed, ordo_exec *exec)
{
    size_t bounds[MOST_RUNS + 2], count = 0;
    if (job->n < 2 * ORDO_TUNE_LOOK_KEYS)
        return ORDO_OK;
    radix_io const      io = order_of(kernels, job, true);
    adaptive_view const view = look(&io, exec->seed);
    exec->isa = kernels->loops->isa;
    if (may_be_runs(&view, 1)) {
        TRY(find_runs(&io, job->type, false, bounds, &count, exec));
        *sorted = count == 1;
    } else if (view.falls == view.looked && view.far_rises == 0) {
        TRY(find_runs(&io, job->type, true, bounds, &count, exec));
        *reversed = count == 1;
    }
    if (*sorted || *reversed) {
        exec->algorithm = *sorted ? "sorted" : "reverse";
        exec->facts.input = *sorted ? ORDO_INPUT_SORTED : ORDO_INPUT_REVERSED;
        exec->facts.strategy = *sorted ? ORDO_STRATEGY_PLAIN : ORDO_STRATEGY_REVERSE;
    }
    return ORDO_OK;
}

typedef struct count_work {
    const ordo_argsort_job *job;
    bool                    reversed;
} count_work;

static void count_piece(void *arg, size_t lo, size_t hi)
{
    const count_work *const work = arg;
    size_t const            last = work->job->n - 1;
    if (work->job->index_type == ORDO_U32)
        for (size_t i = lo; i < hi; i++)
            ((uint32_t *)work->job->index)[i] = (uint32_t)(work->reversed ? last - i : i);
    else
        for (size_t i = lo; i < hi; i++)
            ((uint64_t *)work->job->index)[i] = work->reversed ? last - i : i;
}

ordo_status cpu_argsort_adaptive(const cpu_kernels *kernels, const ordo_argsort_job *job,
                                 bool *done, ordo_exec *exec)
{
    ordo_sort_job const keys = {.type = job->type,
                                .keys = (void *)job->keys,
                                .n = job->n,
                                .descending = job->descending}; /* only read */
    bool                sorted = false, reversed = false;
    *done = cpu_small_argsort(kernels, job, exec);
    if (*done)
        return ORDO_OK;
    TRY(look_folded(kernels, &keys, &sorted, &reversed, exec));
    if (!sorted && !reversed) {
        *done = cpu_vector_argsort(kernels, job, exec);
        return ORDO_OK;
    }
    *done = true;
    count_work work = {job, reversed};
    return cpu_done(ordo_loop(exec, job->n, cpu_grain(job->n), count_piece, &work));
}

ordo_status cpu_pairs_adaptive(const cpu_kernels *kernels, const ordo_pairs_job *job, bool *done,
                               ordo_exec *exec)
{
    const ordo_sort_job *const keys = &job->keys;
    bool                       sorted = false, reversed = false;
    *done = cpu_small_pairs(job, exec);
    if (*done)
        return ORDO_OK;
    TRY(look_folded(kernels, keys, &sorted, &reversed, exec));
    *done = sorted || reversed;
    if (!reversed)
        return ORDO_OK;
    TRY(reverse(keys->keys, ordo_type_size(keys->type), keys->n, exec));
    return reverse(job->values, job->value_size, keys->n, exec);
}
