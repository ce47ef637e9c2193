/* adaptive.c - examines samples of the array and chooses the cheapest sort for its order and
 * values.
 *
 * A first sample compares neighbours in windows all over the array (a few thousand keys), and the
 * first keys of the windows. Equal keys are found before. The whole array is read only if the
 * sample shows one of these:
 *
 *   few keys are less than their left neighbour    few runs: merge them; one run is sorted already
 *   every key is                                   reversed: check all keys, reverse the array
 *   some keys are                                  displaced keys: sort them apart, merge them back
 *   many are, but windows rise                     roughly sorted: sort in windows of that radius
 *
 * Otherwise a random sample shows whether counting is cheaper: few values, or a narrow range. All
 * other keys go to the radix sort, which draws its own sample. Argsort, pairs and ranks use the
 * first two cases, in the order in which keys tie. */
#include "core/random.h"
#include "cpu/radix/records.h"
#include "cpu/rough/order_loops.h"
#include "cpu/rough/rough.h"
#include "cpu/sort/few_values.h"
#include "cpu/sort/sort_steps.h"

#include <limits.h>
#include <string.h>

enum {
    MOST_RUNS = ORDO_TUNE_RUNS,
    FEW_SAMPLE = 2048, /* keys that show whether there are few values */
    FEW_LEAST = 768,   /* fewer of a small array, */
    FEW_PART = 128,    /* one key of this many */
    FEW_FIRST = 64,    /* the first of these keys, enough for most arrays of many values */
    SEEN_BITS = 12,    /* the set of sampled values has 2^12 places */
    FAR_LOOKS = 4,     /* long windows that show a large radius: */
    FAR_SIZES = 2,     /* ORDO_TUNE_LOOK_FAR keys of each, then FAR_GROWTH times as many, */
    FAR_GROWTH = 16,
    FAR_PART = 8,      /* but at most one key in 8 of the array */
    CONSTANT_LOOKS = 8 /* keys that show whether all keys may be equal */
};

typedef struct adaptive_view {
    size_t looked;    /* neighbours compared */
    size_t falls;     /* keys less than their left neighbour */
    size_t flats;     /* keys that tie with their left neighbour */
    size_t far_falls; /* windows whose first key is less than that of the window before them */
    size_t far_rises; /* windows whose first key is greater */
} adaptive_view;

/* Keys in the order of a sort, or in the order of an argsort, in which keys tie (io.folded). */
static radix_io order_of(const cpu_kernels *kernels, const ordo_sort_job *job, bool folded)
{
    return records_of_order(kernels, job->type, cpu_input(job), job->n, job->descending, folded);
}

/* The number of windows: fewer for a small array, so that the look reads a quarter of the keys. */
static size_t look_windows(size_t n)
{
    size_t const quarter = ordo_max(n / (4 * (size_t)ORDO_TUNE_LOOK_KEYS), 2);
    return ordo_min(ordo_min(ORDO_TUNE_LOOKS, n / ORDO_TUNE_LOOK_KEYS), quarter);
}

/* The offset of each window in its n / windows keys. It depends on the seed of the call, so that no
 * input can be prepared for the keys that are read. */
static size_t look_aside(size_t n, size_t windows, uint64_t seed)
{
    if (windows == 0)
        return 0;
    size_t const free_keys = n / windows - ORDO_TUNE_LOOK_KEYS;
    return (size_t)ordo_random_below(ordo_random_mix(seed), free_keys + 1);
}

/* Key i of a tile of key bits. */
INLINE uint64_t bits_in(const void *tile, size_t i, bool wide)
{
    return wide ? ((const uint64_t *)tile)[i] : ((const uint32_t *)tile)[i];
}

/* Compares neighbours in windows all over the array; no branch on keys. */
static adaptive_view look(const radix_io *io, uint64_t seed)
{
    const order_loops *const loops = order_loops_of(io->kernels);
    bool const               wide = io->kind != RECORD_K32;
    adaptive_view            view = {0};
    size_t const             windows = look_windows(io->n);
    size_t const             aside = look_aside(io->n, windows, seed);
    uint64_t                 last = 0, room[ORDO_TUNE_LOOK_KEYS];
    for (size_t w = 0; w < windows; w++) {
        const void *const seen =
            records_tile(io, w * (io->n / windows) + aside, ORDO_TUNE_LOOK_KEYS, room);
        uint64_t const first = bits_in(seen, 0, wide);
        if (wide)
            loops->of_64.steps(seen, ORDO_TUNE_LOOK_KEYS, &view.falls, &view.flats);
        else
            loops->of_32.steps(seen, ORDO_TUNE_LOOK_KEYS, &view.falls, &view.flats);
        view.far_falls += w > 0 && first < last;
        view.far_rises += w > 0 && first > last;
        last = first;
    }
    view.looked = windows * (ORDO_TUNE_LOOK_KEYS - 1);
    return view;
}

/* The largest radius of the same windows, each on its own. */
static size_t look_radius(const radix_io *io, uint64_t seed)
{
    bool const   wide = io->kind != RECORD_K32;
    size_t const windows = look_windows(io->n);
    size_t const aside = look_aside(io->n, windows, seed);
    size_t       radius = 0;
    uint64_t     room[ORDO_TUNE_LOOK_KEYS], highest[ORDO_TUNE_LOOK_KEYS]; /* so far in the window */
    for (size_t w = 0; w < windows; w++) {
        const void *const seen =
            records_tile(io, w * (io->n / windows) + aside, ORDO_TUNE_LOOK_KEYS, room);
        highest[0] = bits_in(seen, 0, wide);
        for (size_t i = 1; i < ORDO_TUNE_LOOK_KEYS; i++) {
            uint64_t const bits = bits_in(seen, i, wide);
            highest[i] = ordo_max(highest[i - 1], bits);
            while (radius < i && highest[i - radius - 1] > bits)
                radius++;
        }
    }
    return radius;
}

static size_t far_keys(unsigned i)
{
    return i == 0 ? ORDO_TUNE_LOOK_FAR : (size_t)ORDO_TUNE_LOOK_FAR * FAR_GROWTH;
}

/* Raises *radius to the largest radius of long windows. A window four times as long as its radius
 * probably shows the radius of the array; if no window is, longer windows are read. If memory is
 * refused, *radius becomes larger than `most`. */
static ordo_status look_far(const cpu_kernels *kernels, const ordo_sort_job *job, size_t *radius,
                            size_t most, ordo_exec *exec)
{
    unsigned const phase = exec->phase, phases = exec->phases;
    size_t const   size = ordo_type_size(job->type);
    size_t const   apart = job->n / FAR_LOOKS;
    size_t         length = 0, seen = *radius;
    exec->phases = UINT_MAX; /* the looks are no progress that a caller could see */
    for (unsigned i = 0; i < FAR_SIZES && seen > length / 4 && seen <= most; i++) {
        length = ordo_min(far_keys(i), apart / FAR_PART);
        for (size_t w = 0; w < FAR_LOOKS && seen <= most; w++) {
            size_t const at = w * apart + (size_t)ordo_random_below(ordo_random_mix(exec->seed + w),
                                                                    apart - length + 1);
            ordo_sort_job part = *job;
            size_t        here;
            part.keys = (char *)job->keys + at * size;
            part.n = length;
            ordo_status const status = cpu_radius_bits(kernels, &part, &here, exec);
            if (status == ORDO_E_NOMEM)
                here = SIZE_MAX;
            else
                TRY(status);
            seen = ordo_max(seen, here);
        }
        exec->phase = phase;
    }
    exec->phases = phases;
    *radius = seen;
    return ORDO_OK;
}

/* ---- Keys alone ---- */

/* Whether there may be at most `most` runs. A window may contain the ends of one or two runs. A run
 * begins between two windows if the second window begins with a smaller key. */
static bool may_be_runs(const adaptive_view *view, size_t most)
{
    return view->falls * 256 <= view->looked && view->far_falls < most;
}

/* Equal keys may fill whole windows; then keys decrease only between windows. */
static bool may_be_reversed(const adaptive_view *view)
{
    return view->falls + view->flats == view->looked && view->falls + view->far_falls > 0 &&
           view->far_rises == 0;
}

/* The most runs that are merged. Keys of less than four bytes are sorted by counting unless they
 * are sorted already. */
static size_t most_runs(ordo_type type)
{
    return ordo_type_size(type) < sizeof(uint32_t) ? 1 : MOST_RUNS;
}
/* The largest radius for which windows are faster than the radix sort of n keys, with or without
 * its vector code. */
static size_t most_radius_of(ordo_type type, size_t n, bool by_vectors)
{
    bool const   narrow = ordo_type_size(type) <= sizeof(uint32_t);
    size_t const most = narrow ? ORDO_TUNE_ROUGH_VECTOR_32 : ORDO_TUNE_ROUGH_VECTOR_64;
    size_t const part = n / (narrow ? ORDO_TUNE_ROUGH_PART_32 : ORDO_TUNE_ROUGH_PART_64);
    if (by_vectors)
        return n < ORDO_TUNE_ROUGH_MANY ? ORDO_TUNE_ROUGH_FEW : ordo_min(most, part);
    return type == ORDO_F32 ? ORDO_TUNE_ROUGH_RADIUS_F32
           : narrow         ? ORDO_TUNE_ROUGH_RADIUS_32
                            : ORDO_TUNE_ROUGH_RADIUS_64;
}

/* With an ISA that compresses vectors, buckets are sorted so fast that windows are faster only for
 * a small radius. */
static size_t most_radius(const cpu_kernels *kernels, const ordo_sort_job *job)
{
    bool const narrow = ordo_type_size(job->type) <= sizeof(uint32_t);
    return most_radius_of(job->type, job->n,
                          kernels->split[narrow ? CPU_WIDTH_32 : CPU_WIDTH_64] != NULL);
}

static bool may_be_rough(const adaptive_view *view)
{
    return view->far_falls == 0 && view->falls * 4 < view->looked * 3;
}

/* Whether few keys are out of place: some windows may begin with such a key, or hold many. */
static bool may_be_displaced(const ordo_sort_job *job, const adaptive_view *view)
{
    return view->falls * ORDO_TUNE_DISPLACED_FALLS <= view->looked &&
           view->far_falls <= ORDO_TUNE_DISPLACED_FAR && job->n >= ORDO_TUNE_ROUGH_KEYS &&
           ordo_type_size(job->type) >= sizeof(uint32_t);
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
           may_be_displaced(job, &view) || is_rough_enough(job, &view, most_radius(kernels, job));
}

/* Whether all keys are sorted or reversed, in the order of cpu_step `order`. Three keys rule out
 * most arrays. Each check ends at the first key that is out of order. */
static void check_all(const cpu_kernels *kernels, const ordo_sort_job *job, unsigned order,
                      bool *sorted, bool *reversed)
{
    size_t const             n = job->n;
    cpu_first_step_fn *const first_step = kernels->loops->first_step[job->type];
    records_key_fn *const    key = records_key_of(job->type, job->descending);
    uint64_t const           first = key(job->keys, 0), last = key(job->keys, n - 1);
    uint64_t const           middle = key(job->keys, n / 2);
    order |= job->descending ? CPU_STEP_DOWN : 0;
    *sorted = first <= middle && middle <= last && first_step(job->keys, 1, n, order) == n;
    *reversed = !*sorted && first >= middle && middle >= last &&
                first_step(job->keys, 1, n, order | CPU_STEP_RISE) == n;
}

/* Keys for the vector sort, or a few narrow keys: only a sorted or reversed array is faster
 * otherwise. */
static ordo_status sort_few(const cpu_kernels *kernels, const ordo_sort_job *job, bool *done,
                            ordo_exec *exec)
{
    radix_io const io = order_of(kernels, job, false);
    bool           sorted, reversed;
    exec->isa = kernels->loops->isa;
    check_all(kernels, job, 0, &sorted, &reversed);
    if (sorted)
        TRY(cpu_sort_runs(job, &io, done, exec));
    else if (reversed)
        TRY(cpu_sort_reversed(job, &io, done, exec));
    *done = *done || cpu_vector_sort(kernels, job, exec);
    return ORDO_OK;
}

/* Whether a few keys all over the array are the same bytes. */
static bool may_be_constant(const ordo_sort_job *job)
{
    const char *const keys = job->keys;
    size_t const      size = ordo_type_size(job->type), stride = job->n / CONSTANT_LOOKS;
    for (size_t i = 1; i < CONSTANT_LOOKS; i++)
        if (memcmp(keys, keys + i * stride * size, size) != 0)
            return false;
    return memcmp(keys, keys + (job->n - 1) * size, size) == 0;
}

ordo_status cpu_sort_adaptive(const cpu_kernels *kernels, const ordo_sort_job *job, bool *done,
                              void **room, ordo_exec *exec)
{
    *room = NULL;
    *done = job->n <= 2 * ORDO_TUNE_LOOK_KEYS && cpu_small_sort(kernels, job, exec);
    if (*done || job->n < 2 * ORDO_TUNE_LOOK_KEYS)
        return ORDO_OK;
    if ((job->n <= ORDO_TUNE_WORDS_FEW_32 && cpu_vector_takes(kernels, job)) ||
        (job->n <= ORDO_TUNE_LOOK_ALL && most_runs(job->type) == 1))
        return sort_few(kernels, job, done, exec);
    radix_io const io = order_of(kernels, job, false);
    exec->isa = kernels->loops->isa;
    if (may_be_constant(job))
        TRY(cpu_sort_runs(job, &io, done, exec));
    if (*done)
        return ORDO_OK;
    adaptive_view const view = look(&io, exec->seed);
    if (may_be_runs(&view, most_runs(job->type)))
        TRY(cpu_sort_runs(job, &io, done, exec));
    if (*done)
        return ORDO_OK;
    if (may_be_reversed(&view))
        return cpu_sort_reversed(job, &io, done, exec);
    if (may_be_displaced(job, &view))
        TRY(sort_displaced(kernels, job, done, room, exec));
    if (*done)
        return ORDO_OK;
    size_t const most = most_radius(kernels, job);
    if (!is_rough_enough(job, &view, most))
        return ORDO_OK;
    size_t seen = look_radius(&io, exec->seed);
    if (seen > ORDO_TUNE_LOOK_KEYS / 4)
        TRY(look_far(kernels, job, &seen, most, exec));
    return seen <= most ? cpu_sort_windows(kernels, job, seen, most, done, exec) : ORDO_OK;
}

/* ---- Few values, a narrow range ---- */

static bool is_counted(const ordo_sort_job *job)
{
    return job->n >= ORDO_TUNE_FEW_KEYS && ordo_type_size(job->type) >= sizeof(uint32_t);
}

/* Draws sampled keys [from, to) into the set of values. False if there are too many values. */
static bool draw(const ordo_sort_job *job, uint64_t seed, size_t from, size_t to, size_t stride,
                 uint16_t *places, few_sample *sample)
{
    for (size_t i = from; i < to; i++) {
        uint64_t const key = few_key_at(cpu_input(job), ordo_type_size(job->type),
                                        ordo_random_in_stride(seed, i, stride));
        size_t         place = (size_t)(ordo_random_mix(key) >> (64 - SEEN_BITS));
        while (places[place] != 0 && sample->values[places[place] - 1].value != key)
            place = (place + 1) % (1 << SEEN_BITS);
        if (places[place] == 0) {
            if (sample->count == FEW_MOST)
                return false;
            sample->values[sample->count] = (few_value){.value = key};
            places[place] = (uint16_t)++sample->count;
        }
        sample->values[places[place] - 1].seen++;
    }
    return true;
}

/* The number of sampled values that occur once. Their share of the sample estimates the share of
 * keys in the array whose values the sample missed. */
static size_t seen_once(const few_sample *sample)
{
    size_t once = 0;
    for (size_t v = 0; v < sample->count; v++)
        once += sample->values[v].seen == 1;
    return once;
}

static bool has_few_values(const ordo_sort_job *job, uint64_t seed, few_sample *sample)
{
    uint16_t     places[1 << SEEN_BITS] = {0};
    size_t const part = ordo_max(job->n / FEW_PART, FEW_LEAST);
    size_t const keys = ordo_min(ordo_min(FEW_SAMPLE, part), job->n / 8);
    size_t const stride = job->n / keys, first = ordo_min(FEW_FIRST, keys);
    sample->count = 0;
    if (!draw(job, seed, 0, first, stride, places, sample) || seen_once(sample) > first * 3 / 4 ||
        !draw(job, seed, first, keys, stride, places, sample))
        return false;
    return seen_once(sample) <= keys / (2 * FEW_STRAY_PART);
}

ordo_status cpu_sort_counted(const cpu_kernels *kernels, const ordo_sort_job *job, bool *done,
                             void **room, ordo_exec *exec)
{
    few_sample sample;
    *done = false;
    if (!is_counted(job))
        return ORDO_OK;
    if (has_few_values(job, exec->seed, &sample))
        TRY(cpu_sort_few(kernels, job, &sample, done, room, exec));
    return *done ? ORDO_OK : cpu_sort_dense(kernels, job, done, room, exec);
}

/* ---- Scratch ---- */

/* Windows of one radius. */
static size_t windows_scratch(const ordo_sort_job *job, unsigned threads)
{
    size_t const most =
        ordo_max(most_radius_of(job->type, job->n, false), most_radius_of(job->type, job->n, true));
    return cpu_rough_try_scratch(job, most, threads);
}

/* The radius of long windows, windows of too small a radius, and the radius of all keys. */
size_t cpu_adaptive_lost(const ordo_sort_job *job, unsigned threads)
{
    if (ordo_type_size(job->type) < sizeof(uint32_t))
        return 0;
    ordo_radius_job radius = {.type = job->type, .n = job->n};
    size_t          bytes = windows_scratch(job, threads) + cpu_radius_scratch(&radius, threads);
    for (unsigned i = 0; i < FAR_SIZES; i++) {
        radius.n = ordo_min(far_keys(i), job->n);
        bytes += FAR_LOOKS * cpu_radius_scratch(&radius, threads);
    }
    return bytes;
}

size_t cpu_adaptive_scratch(const ordo_sort_job *job, unsigned threads)
{
    if (ordo_type_size(job->type) < sizeof(uint32_t))
        return 0;
    cpu_records const records = {records_kind_of_keys(job->type), NULL, job->n};
    return ordo_max(cpu_records_merge_scratch(&records),
                    cpu_adaptive_lost(job, threads) + windows_scratch(job, threads));
}

size_t cpu_counted_scratch(const ordo_sort_job *job, unsigned threads)
{
    return is_counted(job) ? cpu_few_scratch(job, threads) : 0;
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
    if (job->n < 2 * ORDO_TUNE_LOOK_KEYS)
        return ORDO_OK;
    exec->isa = kernels->loops->isa;
    if (job->n <= ORDO_TUNE_LOOK_ALL) {
        check_all(kernels, job, CPU_STEP_TIES, sorted, reversed);
    } else {
        radix_io const      io = order_of(kernels, job, true);
        adaptive_view const view = look(&io, exec->seed);
        if (may_be_runs(&view, 1))
            TRY(cpu_is_one_run(&io, job->type, false, sorted, exec));
        else if (view.falls == view.looked && view.far_rises == 0)
            TRY(cpu_is_one_run(&io, job->type, true, reversed, exec));
    }
    return ORDO_OK;
}

static void tell_order(bool reversed, ordo_exec *exec)
{
    exec->algorithm = reversed ? "reverse" : "sorted";
    exec->facts.input = reversed ? ORDO_INPUT_REVERSED : ORDO_INPUT_SORTED;
    exec->facts.strategy = reversed ? ORDO_STRATEGY_REVERSE : ORDO_STRATEGY_PLAIN;
}

ordo_status cpu_rank_adaptive(const cpu_kernels *kernels, const ordo_rank_job *job, bool *sorted,
                              bool *reversed, ordo_exec *exec)
{
    ordo_sort_job const keys = {.type = job->type,
                                .keys = (void *)job->keys,
                                .n = job->n,
                                .descending = job->descending}; /* only read */
    *sorted = *reversed = false;
    TRY(look_folded(kernels, &keys, sorted, reversed, exec));
    if (*sorted || *reversed)
        tell_order(*reversed, exec);
    return ORDO_OK;
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
        return cpu_done(!*done || !ordo_poll(exec, 1));
    }
    *done = true;
    tell_order(reversed, exec);
    return cpu_index_in_order(job, reversed, exec);
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
    if (*done)
        tell_order(reversed, exec);
    if (!reversed)
        return ORDO_OK;
    TRY(cpu_reverse_array(keys->keys, ordo_type_size(keys->type), keys->n, exec));
    return cpu_reverse_array(job->values, job->value_size, keys->n, exec);
}
