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
#include "core/keybits.h"
#include "core/random.h"
#include "cpu/radix/records.h"
#include "cpu/rough/rough.h"
#include "cpu/sort/sort_steps.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_RUNS = ORDO_TUNE_RUNS,
    LOOK_BLOCK = 1024, /* keys converted at once */
    ROUGH_RADIUS = ORDO_TUNE_ROUGH_RADIUS_32 > ORDO_TUNE_ROUGH_RADIUS_64 ? ORDO_TUNE_ROUGH_RADIUS_32
                                                                         : ORDO_TUNE_ROUGH_RADIUS_64
};

typedef struct adaptive_view {
    size_t looked;    /* neighbours compared */
    size_t falls;     /* keys less than their left neighbour */
    size_t flats;     /* keys that tie with it */
    size_t far_falls; /* windows whose first key is less than that of the window before */
    size_t far_rises; /* windows whose first key is greater */
} adaptive_view;

typedef struct adaptive_runs {
    ordo_type     type;
    const void   *keys;
    bool          folded, turned;
    atomic_size_t count;             /* runs after the first; may exceed MOST_RUNS */
    size_t        starts[MOST_RUNS]; /* in the order they were found */
} adaptive_runs;

/* False if there are too many. */
static bool adaptive_add_run(adaptive_runs *runs, size_t start)
{
    size_t const at = atomic_fetch_add_explicit(&runs->count, 1, memory_order_relaxed);
    if (at >= MOST_RUNS)
        return false;
    runs->starts[at] = start;
    return true;
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
#include "core/for_each_type.h"

static adaptive_view look(ordo_type type, const void *keys, size_t n, bool folded, bool turned,
                          uint64_t seed)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return look_##tag(keys, n, folded, turned, seed);
#include "core/types.def"
    }
    return (adaptive_view){0};
}

static size_t look_radius(ordo_type type, const void *keys, size_t n, bool turned, uint64_t seed)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return look_radius_##tag(keys, n, turned, seed);
#include "core/types.def"
    }
    return 0;
}

/* ---- Runs ---- */

static void runs_piece(void *arg, size_t lo, size_t hi)
{
    adaptive_runs *const runs = arg;
    if (atomic_load_explicit(&runs->count, memory_order_relaxed) >= MOST_RUNS)
        return;
    switch (runs->type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        find_falls_##tag(runs, lo, hi);                                                            \
        return;
#include "core/types.def"
    }
}

static int compare_starts(const void *a, const void *b)
{
    size_t const x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Counts the runs and fills bounds. MOST_RUNS + 1 stands for more than MOST_RUNS. */
static ordo_status find_runs(ordo_type type, const void *keys, size_t n, bool folded, bool turned,
                             size_t bounds[MOST_RUNS + 2], size_t *count, ordo_exec *exec)
{
    adaptive_runs runs = {.type = type, .keys = keys, .folded = folded, .turned = turned};
    atomic_init(&runs.count, 0);
    if (!ordo_loop(exec, n, cpu_grain(n), runs_piece, &runs))
        return ORDO_E_CANCELLED;
    size_t const more = atomic_load_explicit(&runs.count, memory_order_relaxed);
    *count = ordo_min(more, MOST_RUNS) + 1;
    if (more >= MOST_RUNS)
        return ORDO_OK;
    qsort(runs.starts, more, sizeof *runs.starts, compare_starts);
    bounds[0] = 0;
    memcpy(bounds + 1, runs.starts, more * sizeof *bounds);
    bounds[more + 1] = n;
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
    ordo_type   type;
    const void *keys;
    size_t      n, size;
    bool        folded, turned;
    void       *array; /* of elements of size bytes */
    atomic_bool broken;
} reverse_work;

static void falling_piece(void *arg, size_t lo, size_t hi)
{
    reverse_work *const work = arg;
    bool                falls = true;
    if (atomic_load_explicit(&work->broken, memory_order_relaxed))
        return;
    switch (work->type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        falls = all_fall_##tag(work->keys, ordo_max(lo, 1), hi, work->folded, work->turned);       \
        break;
#include "core/types.def"
    }
    if (!falls)
        atomic_store_explicit(&work->broken, true, memory_order_relaxed);
}

static ordo_status is_reversed(reverse_work *work, bool *reversed, ordo_exec *exec)
{
    atomic_init(&work->broken, false);
    if (!ordo_loop(exec, work->n, cpu_grain(work->n), falling_piece, work))
        return ORDO_E_CANCELLED;
    *reversed = !atomic_load_explicit(&work->broken, memory_order_relaxed);
    return ORDO_OK;
}

static void reverse_piece(void *arg, size_t lo, size_t hi)
{
    const reverse_work *const work = arg;
    cpu_reverse(work->array, work->size, work->n, lo, hi);
}

static ordo_status reverse(reverse_work *work, void *array, size_t size, ordo_exec *exec)
{
    work->array = array;
    work->size = size;
    exec->changed = true;
    return cpu_done(ordo_loop(exec, work->n / 2, cpu_grain(work->n / 2), reverse_piece, work));
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
/* The largest radius for which windows are faster than the radix sort of these kernels; 0: none. */
static size_t most_radius(const cpu_kernels *kernels, ordo_type type)
{
    bool const narrow = ordo_type_size(type) <= sizeof(uint32_t);
    if (kernels->sort_words[narrow ? CPU_WORDS_32 : CPU_WORDS_64] != NULL)
        return narrow ? ORDO_TUNE_ROUGH_VECTOR_32 : ORDO_TUNE_ROUGH_VECTOR_64;
    return type == ORDO_F32 ? ORDO_TUNE_ROUGH_RADIUS_F32
           : narrow         ? ORDO_TUNE_ROUGH_RADIUS_32
                            : ORDO_TUNE_ROUGH_RADIUS_64;
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
static ordo_status sort_rough(const ordo_sort_job *job, size_t most, bool *done, ordo_exec *exec)
{
    size_t const seen = look_radius(job->type, job->keys, job->n, job->descending, exec->seed);
    size_t       radius = 0;
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

static ordo_status sort_runs(const cpu_kernels *kernels, const ordo_sort_job *job, bool *done,
                             ordo_exec *exec)
{
    size_t bounds[MOST_RUNS + 2], count = 0;
    TRY(find_runs(job->type, job->keys, job->n, false, job->descending, bounds, &count, exec));
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
    ordo_status const status = merge_runs(kernels, job, bounds, count, exec);
    if (status == ORDO_E_NOMEM)
        return ORDO_OK;
    *done = status == ORDO_OK;
    exec->algorithm = "merge";
    exec->facts.input = ORDO_INPUT_RUNS;
    exec->facts.strategy = ORDO_STRATEGY_MERGE_RUNS;
    exec->facts.runs = count;
    return status;
}

static ordo_status sort_reversed(const ordo_sort_job *job, bool *done, ordo_exec *exec)
{
    reverse_work work = {
        .type = job->type, .keys = job->keys, .n = job->n, .turned = job->descending};
    TRY(is_reversed(&work, done, exec));
    if (!*done)
        return ORDO_OK;
    exec->algorithm = "reverse";
    exec->facts.input = ORDO_INPUT_REVERSED;
    exec->facts.strategy = ORDO_STRATEGY_REVERSE;
    return reverse(&work, job->keys, ordo_type_size(job->type), exec);
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
    adaptive_view const view =
        look(job->type, job->source, job->n, false, job->descending, exec->seed);
    return may_be_runs(&view, most_runs(job->type)) || may_be_reversed(&view) ||
           may_be_displaced(job, &view) ||
           is_rough_enough(job, &view, most_radius(kernels, job->type));
}

ordo_status cpu_sort_adaptive(const cpu_kernels *kernels, const ordo_sort_job *job, bool *done,
                              void **room, ordo_exec *exec)
{
    *room = NULL;
    *done = cpu_small_sort(job, exec);
    if (*done || job->n < 2 * ORDO_TUNE_LOOK_KEYS)
        return ORDO_OK;
    adaptive_view const view =
        look(job->type, job->keys, job->n, false, job->descending, exec->seed);
    exec->isa = "generic";
    if (may_be_runs(&view, most_runs(job->type)))
        TRY(sort_runs(kernels, job, done, exec));
    if (*done)
        return ORDO_OK;
    if (may_be_reversed(&view))
        return sort_reversed(job, done, exec);
    if (may_be_displaced(job, &view))
        TRY(sort_displaced(kernels, job, done, room, exec));
    if (*done)
        return ORDO_OK;
    size_t const most = most_radius(kernels, job->type);
    if (is_rough_enough(job, &view, most))
        return sort_rough(job, most, done, exec);
    return ORDO_OK;
}

size_t cpu_adaptive_scratch(const ordo_sort_job *job, unsigned threads)
{
    if (ordo_type_size(job->type) < sizeof(uint32_t))
        return 0;
    size_t const rough =
        cpu_rough_try_scratch(job, ROUGH_RADIUS, threads) +
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

static ordo_status look_folded(const ordo_argsort_job *job, bool *sorted, bool *reversed,
                               ordo_exec *exec)
{
    size_t bounds[MOST_RUNS + 2], count = 0;
    if (job->n < 2 * ORDO_TUNE_LOOK_KEYS)
        return ORDO_OK;
    adaptive_view const view =
        look(job->type, job->keys, job->n, true, job->descending, exec->seed);
    exec->isa = "generic";
    if (may_be_runs(&view, 1)) {
        TRY(find_runs(job->type, job->keys, job->n, true, job->descending, bounds, &count, exec));
        *sorted = count == 1;
    } else if (view.falls == view.looked && view.far_rises == 0) {
        reverse_work work = {.type = job->type,
                             .keys = job->keys,
                             .n = job->n,
                             .folded = true,
                             .turned = job->descending};
        TRY(is_reversed(&work, reversed, exec));
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

ordo_status cpu_argsort_adaptive(const ordo_argsort_job *job, bool *done, ordo_exec *exec)
{
    bool sorted = false, reversed = false;
    *done = cpu_small_argsort(job, exec);
    if (*done)
        return ORDO_OK;
    TRY(look_folded(job, &sorted, &reversed, exec));
    *done = sorted || reversed;
    count_work work = {job, reversed};
    return *done ? cpu_done(ordo_loop(exec, job->n, cpu_grain(job->n), count_piece, &work))
                 : ORDO_OK;
}

ordo_status cpu_pairs_adaptive(const ordo_pairs_job *job, bool *done, ordo_exec *exec)
{
    const ordo_sort_job *const keys = &job->keys;
    ordo_argsort_job const     as_argsort = {
            .type = keys->type, .keys = keys->keys, .n = keys->n, .descending = keys->descending};
    bool sorted = false, reversed = false;
    *done = cpu_small_pairs(job, exec);
    if (*done)
        return ORDO_OK;
    TRY(look_folded(&as_argsort, &sorted, &reversed, exec));
    *done = sorted || reversed;
    if (!reversed)
        return ORDO_OK;
    reverse_work work = {.n = keys->n};
    TRY(reverse(&work, keys->keys, ordo_type_size(keys->type), exec));
    return reverse(&work, job->values, job->value_size, exec);
}
