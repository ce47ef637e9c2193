/* sort_look.c - looks at samples of the keys (sort_look.h). */
#include "cpu/sort/sort_look.h"

#include "core/random.h"
#include "cpu/rough/order_loops.h"
#include "cpu/rough/rough.h"
#include "cpu/sort/sort_steps.h"

#include <limits.h>
#include <string.h>

enum {
    FEW_SAMPLE = 2048, /* keys that show whether there are few values */
    FEW_LEAST = 768,   /* fewer of a small array, */
    FEW_PART = 128,    /* one key of this many */
    FEW_FIRST = 64,    /* the first of these keys, enough for most arrays of many values */
    SEEN_BITS = 12,    /* the set of sampled values has 2^12 places */
    FAR_LOOKS = 4,     /* long windows that show a large radius: */
    FAR_SIZES = 2,     /* ORDO_TUNE_RADIUS_NEAR keys of each, then FAR_GROWTH times as many, */
    FAR_GROWTH = 16,
    FAR_PART = 8,      /* but at most one key in 8 of the array */
    CONSTANT_LOOKS = 8 /* keys that show whether all keys may be equal */
};

radix_io look_order(const cpu_kernels *kernels, const ordo_sort_job *job, bool folded)
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

/* No branch on keys. */
look_view look_neighbours(const radix_io *io, uint64_t seed)
{
    const order_loops *const loops = order_loops_of(io->kernels);
    bool const               wide = io->kind != RECORD_K32;
    look_view                view = {0};
    size_t const             windows = look_windows(io->n);
    size_t const             aside = look_aside(io->n, windows, seed);
    uint64_t                 last = 0, scratch[ORDO_TUNE_LOOK_KEYS];
    for (size_t w = 0; w < windows; w++) {
        const void *const seen =
            records_tile(io, w * (io->n / windows) + aside, ORDO_TUNE_LOOK_KEYS, scratch);
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

size_t look_radius(const radix_io *io, uint64_t seed)
{
    bool const   wide = io->kind != RECORD_K32;
    size_t const windows = look_windows(io->n);
    size_t const aside = look_aside(io->n, windows, seed);
    size_t       radius = 0;
    uint64_t scratch[ORDO_TUNE_LOOK_KEYS], highest[ORDO_TUNE_LOOK_KEYS]; /* so far in the window */
    for (size_t w = 0; w < windows; w++) {
        const void *const seen =
            records_tile(io, w * (io->n / windows) + aside, ORDO_TUNE_LOOK_KEYS, scratch);
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
    return i == 0 ? ORDO_TUNE_RADIUS_NEAR : (size_t)ORDO_TUNE_RADIUS_NEAR * FAR_GROWTH;
}

/* A window four times as long as its radius probably shows the radius of the array; if no window
 * is, longer windows are read. */
ordo_status look_far(const cpu_kernels *kernels, const ordo_sort_job *job, size_t *radius,
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

/* The radius of long windows. */
size_t look_far_scratch(const ordo_sort_job *job, unsigned threads)
{
    ordo_radius_job radius = {.type = job->type};
    size_t          bytes = 0;
    for (unsigned i = 0; i < FAR_SIZES; i++) {
        radius.n = ordo_min(far_keys(i), job->n);
        bytes += FAR_LOOKS * cpu_radius_scratch(&radius, threads);
    }
    return bytes;
}

/* A window may contain the ends of one or two runs. A run
 * begins between two windows if the second window begins with a smaller key. */
bool look_shows_runs(const look_view *view, size_t most)
{
    return view->falls * 256 <= view->looked && view->far_falls < most;
}

void look_at_all(const cpu_kernels *kernels, const ordo_sort_job *job, unsigned order, bool *sorted,
                 bool *reversed)
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

ordo_input look_tied(const cpu_kernels *kernels, const ordo_sort_job *keys, ordo_exec *exec)
{
    bool sorted, reversed;
    if (keys->n < 2 * ORDO_TUNE_LOOK_KEYS)
        return ORDO_INPUT_ANY;
    exec->isa = kernels->loops->isa;
    if (keys->n <= ORDO_TUNE_LOOK_ALL) {
        look_at_all(kernels, keys, CPU_STEP_TIES, &sorted, &reversed);
    } else {
        radix_io const  io = look_order(kernels, keys, true);
        look_view const view = look_neighbours(&io, exec->seed);
        sorted = look_shows_runs(&view, 1);
        reversed = view.falls == view.looked && view.far_rises == 0;
    }
    return sorted ? ORDO_INPUT_SORTED : reversed ? ORDO_INPUT_REVERSED : ORDO_INPUT_ANY;
}

ordo_status look_tied_all(const cpu_kernels *kernels, const ordo_sort_job *keys, ordo_input order,
                          bool *is, ordo_exec *exec)
{
    bool const reversed = order == ORDO_INPUT_REVERSED;
    *is = keys->n <= ORDO_TUNE_LOOK_ALL;
    if (!*is) {
        radix_io const io = look_order(kernels, keys, true);
        TRY(cpu_is_one_run(&io, keys->type, reversed, is, exec));
    }
    if (*is) {
        exec->algorithm = reversed ? "reverse" : "sorted";
        exec->facts.input = order;
        exec->facts.strategy = reversed ? ORDO_STRATEGY_REVERSE : ORDO_STRATEGY_PLAIN;
    }
    return ORDO_OK;
}

bool look_constant(const ordo_sort_job *job)
{
    const char *const keys = job->keys;
    size_t const      size = ordo_type_size(job->type), stride = job->n / CONSTANT_LOOKS;
    if (keys[0] != keys[stride * size]) /* rules out most arrays without a call */
        return false;
    for (size_t i = 1; i < CONSTANT_LOOKS; i++)
        if (memcmp(keys, keys + i * stride * size, size) != 0)
            return false;
    return memcmp(keys, keys + (job->n - 1) * size, size) == 0;
}

/* ---- Values ---- */

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

bool look_few(const ordo_sort_job *job, uint64_t seed, few_sample *sample)
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
