/* select_pass.c - the passes of selection over the whole array.
 *
 * select_pass reads each piece in blocks that stay in the cache, and applies all ranges to a block
 * (cpu_band_fn). The words in a range are appended to its room; the place is reserved atomically,
 * so the order of the words depends on the threads, which does not change the selected key. When
 * the room is full, words are only counted.
 *
 * select_count_digits makes a histogram of the leading digit for each piece, on the stack, and adds
 * it to the total atomically. */
#include "core/keybits.h"
#include "core/random.h"
#include "cpu/select/select.h"

#include <string.h>

typedef struct digit_piece { /* counts of one piece of the loop */
    uint64_t lo, hi;
    unsigned shift;
    uint64_t least, most; /* words - lo */
    uint32_t count[2][SELECT_DIGITS + 1];
} digit_piece;

#define ORDO_TEMPLATE "cpu/select/select_pass.t.h"
#include "core/for_each_type.h"

/* ---- Ranges ---- */

typedef struct range_total {
    atomic_size_t below, inside, used;
} range_total;

typedef struct pass_work {
    const selector     *s;
    const select_range *ranges;
    size_t              count;
    range_total         total[SELECT_RANGES];
} pass_work;

static void append(const selector *s, const select_range *range, range_total *total,
                   const void *words, size_t count)
{
    size_t const at = atomic_fetch_add_explicit(&total->used, count, memory_order_relaxed);
    if (at <= range->room && count <= range->room - at)
        memcpy((char *)s->room + (range->at + at) * s->word_size, words, count * s->word_size);
}

static void pass_piece(void *arg, size_t lo, size_t hi)
{
    pass_work *const      work = arg;
    const selector *const s = work->s;
    cpu_band              bands[SELECT_RANGES];
    uint64_t              words[ORDO_TUNE_SPAN];

    for (size_t r = 0; r < work->count; r++)
        bands[r] = (cpu_band){work->ranges[r].band.lo, work->ranges[r].band.hi, 0, 0};
    for (size_t at = lo; at < hi; at += ORDO_TUNE_SPAN) {
        const char *const keys = (const char *)s->job->keys + at * s->key_size;
        size_t const      count = ordo_min(ORDO_TUNE_SPAN, hi - at);
        for (size_t r = 0; r < work->count; r++) {
            const select_range *const range = &work->ranges[r];
            range_total *const        total = &work->total[r];
            bool const                keeps =
                range->room > 0 &&
                atomic_load_explicit(&total->used, memory_order_relaxed) <= range->room;
            size_t const inside = s->band(keys, count, &bands[r], keeps ? words : NULL);
            if (keeps && inside > 0)
                append(s, range, total, words, inside);
        }
    }
    for (size_t r = 0; r < work->count; r++) {
        atomic_fetch_add_explicit(&work->total[r].below, bands[r].below, memory_order_relaxed);
        atomic_fetch_add_explicit(&work->total[r].inside, bands[r].inside, memory_order_relaxed);
    }
}

bool select_pass(const selector *s, select_range *ranges, size_t count)
{
    pass_work work = {.s = s, .ranges = ranges, .count = count};
    for (size_t r = 0; r < count; r++) {
        atomic_init(&work.total[r].below, 0);
        atomic_init(&work.total[r].inside, 0);
        atomic_init(&work.total[r].used, 0);
    }
    if (!ordo_loop(s->exec, s->job->n, cpu_grain(s->job->n), pass_piece, &work))
        return false;
    for (size_t r = 0; r < count; r++) {
        ranges[r].band.below = atomic_load_explicit(&work.total[r].below, memory_order_relaxed);
        ranges[r].band.inside = atomic_load_explicit(&work.total[r].inside, memory_order_relaxed);
        ranges[r].kept = ranges[r].room > 0 && ranges[r].band.inside <= ranges[r].room;
    }
    s->exec->phase++;
    return true;
}

size_t cpu_count_band(void *state, const ordo_band_job *job)
{
    const cpu_kernels *const kernels = state;
    cpu_band                 band = {job->lo, job->hi, 0, 0};
    kernels->loops->band[job->type][job->descending](job->keys, job->n, &band, job->kept);
    *job->below += band.below;
    return band.inside;
}

/* ---- Digits ---- */

typedef struct digit_work {
    const selector  *s;
    uint64_t         lo, hi;
    unsigned         shift;
    _Atomic uint64_t least, most;
    atomic_size_t    count[SELECT_DIGITS];
} digit_work;

static void digit_loop_piece(void *arg, size_t lo, size_t hi)
{
    digit_work *const            work = arg;
    const ordo_select_job *const job = work->s->job;
    digit_piece                  piece;
    memset(&piece, 0, sizeof piece);
    piece.lo = work->lo;
    piece.hi = work->hi;
    piece.shift = work->shift;
    BY_TYPE(job->type, digits, (job->keys, lo, hi, job->descending, &piece));
    for (size_t d = 0; d < SELECT_DIGITS; d++) {
        size_t const count = (size_t)piece.count[0][d] + piece.count[1][d];
        if (count > 0)
            atomic_fetch_add_explicit(&work->count[d], count, memory_order_relaxed);
    }
    cpu_keep_least(&work->least, piece.least);
    cpu_keep_most(&work->most, piece.most);
}

bool select_count_digits(const selector *s, select_digits *digits)
{
    digit_work work;
    work.s = s;
    work.lo = digits->lo;
    work.hi = digits->hi;
    work.shift = 0;
    while ((digits->hi - digits->lo) >> work.shift >= SELECT_DIGITS)
        work.shift++;
    atomic_init(&work.least, UINT64_MAX);
    atomic_init(&work.most, 0);
    for (size_t d = 0; d < SELECT_DIGITS; d++)
        atomic_init(&work.count[d], 0);

    if (!ordo_loop(s->exec, s->job->n, SELECT_PIECE, digit_loop_piece, &work))
        return false;
    digits->shift = work.shift;
    digits->least = digits->lo + atomic_load_explicit(&work.least, memory_order_relaxed);
    digits->most = digits->lo + atomic_load_explicit(&work.most, memory_order_relaxed);
    for (size_t d = 0; d < SELECT_DIGITS; d++)
        digits->count[d] = atomic_load_explicit(&work.count[d], memory_order_relaxed);
    s->exec->phase++;
    return true;
}

/* ---- Keys to words and back ---- */

typedef struct word_work {
    const selector *s;
    void           *words;
} word_work;

static void gather_piece(void *arg, size_t lo, size_t hi)
{
    const word_work *const       work = arg;
    const ordo_select_job *const job = work->s->job;
    uint64_t const               stream = ordo_random_sequence(work->s->exec->seed, job->n);
    BY_TYPE(job->type, gather, (job->keys, job->n, lo, hi, job->descending, stream, work->words));
}

bool select_gather(const selector *s, size_t count, void *words)
{
    word_work work = {s, words};
    return ordo_loop(s->exec, count, ORDO_TUNE_TASK, gather_piece, &work);
}

static void copy_piece(void *arg, size_t lo, size_t hi)
{
    const word_work *const       work = arg;
    const ordo_select_job *const job = work->s->job;
    BY_TYPE(job->type, copy_words, (job->keys, lo, hi, job->descending, work->words));
}

bool select_copy_words(const selector *s, void *words)
{
    word_work work = {s, words};
    return ordo_loop(s->exec, s->job->n, cpu_grain(s->job->n), copy_piece, &work);
}

void select_put(const selector *s, size_t j, uint64_t word)
{
    BY_TYPE(s->job->type, put, (s->job->out, j, word, s->job->descending));
}
