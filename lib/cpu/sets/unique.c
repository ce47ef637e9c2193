/* unique.c - the distinct keys of an array in order.
 *
 * A sample says whether many keys occur more than once. If so, the values that occur more than once
 * in a larger sample go to a hash table, one read of the array drops the keys that are in the table
 * (filter.t.h), and the rest is sorted together with the values of the table. Otherwise all keys
 * are sorted. Then the first of tied neighbours are moved together in place (compact.t.h): each
 * piece of the array by itself, and the pieces to the front.
 * Scratch: that of the sort; of the table and the samples at most 512 KiB. */
#include "core/indices.h"
#include "core/keybits.h"
#include "core/random.h"
#include "cpu/sets/sets.h"

#include <string.h>

enum {
    LEAST = ORDO_TUNE(4096, 64), /* keys from which on a sample is taken; estimate */
    LOOK = ORDO_TUNE(256, 16),   /* keys of the first sample */
    SAMPLE = 1 << 14,            /* most keys of the second sample */
    SAMPLE_SHARE = 64,           /* it has at most one key in this many, */
    FEW_SHARE = 16,              /* or up to FEW_SAMPLE keys, one in this many */
    FEW_SAMPLE = 1 << 10,
    LOOK_SHARE = 16, /* a table pays if at least one key in 4 is in it; a first sample of 4096 */
    TABLE_SHARE = 4, /* values repeats one key in 16; estimates */
    LEAST_BITS = 8,  /* of the table */
    SLOTS_EACH = 16, /* slots for each value, if there are so many */
    ATTEMPTS = 16,   /* multipliers to try */
    MOST_BITS = 14
};

typedef struct unique_work {
    const ordo_unique_job *job;
    const cpu_kernels     *kernels;
    ordo_exec             *exec;
    size_t                 size;    /* bytes of a key */
    ordo_type              pattern; /* unsigned integers of this size */
    set_table              table;
    uint64_t              *values; /* of the table */
    size_t                 count;  /* of the values */
    size_t                 grain;
    size_t                *kept;      /* keys that each piece keeps at its front */
    uint64_t              *lasts;     /* folded bits of the key before each piece but the first */
    size_t                 n;         /* keys that were sorted */
    bool                   alone;     /* one thread moves what each piece keeps at once */
    size_t                 end;       /* of what it has moved */
    uint64_t               only_last; /* folded bits of the last key that it compared */
} unique_work;

/* ---- Samples ---- */

/* Writes `count` random patterns of the array in order. */
static ordo_status take_sample(const unique_work *work, uint64_t *sample, size_t count)
{
    uint64_t const      sequence = ordo_random_sequence(work->exec->seed, 'u' + count);
    ordo_exec           part = *work->exec;
    ordo_sort_job const sort = {.type = ORDO_U64, .keys = sample, .n = count};
    for (size_t i = 0; i < count; i++)
        sample[i] = ordo_index_at(work->pattern, work->job->keys,
                                  ordo_random_below(ordo_random_at(sequence, i), work->job->n));
    return cpu_sort((void *)work->kernels, &sort, &part);
}

static size_t run_end(const uint64_t *sorted, size_t n, size_t i)
{
    size_t end = i + 1;
    while (end < n && sorted[end] == sorted[i])
        end++;
    return end;
}

/* The keys of a sorted sample that occur in it more than once. */
static size_t repeated(const uint64_t *sample, size_t n)
{
    size_t more = 0;
    for (size_t i = 0, end; i < n; i = end) {
        end = run_end(sample, n, i);
        more += end - i > 1 ? end - i : 0;
    }
    return more;
}

/* ---- Table ---- */

static size_t slot_of(const unique_work *work, uint64_t value)
{
    return work->size == sizeof(uint32_t) ? set_slot_32(&work->table, (uint32_t)value)
                                          : set_slot_64(&work->table, value);
}

static void put_slot(const unique_work *work, size_t slot, uint64_t value)
{
    ordo_put_index(work->pattern, work->table.slots, slot, value);
}

/* Puts no value into the table: a free slot holds a value of another slot. */
static void clear_table(const unique_work *work)
{
    uint64_t elsewhere = 1; /* a value that is not in slot 0 */
    while (slot_of(work, elsewhere) == 0)
        elsewhere++;
    memset(work->table.slots, 0, work->size << work->table.bits); /* 0 belongs to slot 0 */
    put_slot(work, 0, elsewhere);
}

/* Adds the values that the sample has at least `least` times, and less than `below` times. Returns
 * how many keys of the sample have a value whose slot was taken. */
static size_t add_values(unique_work *work, const uint64_t *sample, size_t n, size_t least,
                         size_t below)
{
    size_t lost = 0;
    for (size_t i = 0, end; i < n; i = end) {
        end = run_end(sample, n, i);
        if (end - i < least || end - i >= below)
            continue;
        size_t const slot = slot_of(work, sample[i]);
        if (slot_of(work, ordo_index_at(work->pattern, work->table.slots, slot)) == slot) {
            lost += end - i;
            continue;
        }
        put_slot(work, slot, sample[i]);
        work->values[work->count++] = sample[i];
    }
    return lost;
}

/* Fills the table, the most frequent values first. Returns how many keys of the sample lost their
 * slot. */
static size_t fill_table(unique_work *work, const uint64_t *sample, size_t n, unsigned attempt)
{
    work->table.multiplier = ordo_random_at(~work->exec->seed, attempt) | 1;
    work->count = 0;
    clear_table(work);
    size_t const frequent = add_values(work, sample, n, 32, n + 1);
    size_t const others = add_values(work, sample, n, 8, 32);
    return frequent + others + add_values(work, sample, n, 2, 8);
}

/* Makes a table of the values that a sorted sample has more than once, with the best of several
 * multipliers. */
static ordo_status make_table(unique_work *work, const uint64_t *sample, size_t n)
{
    size_t   values = 0, least = SIZE_MAX;
    unsigned best = 0, attempt = 0;
    for (size_t i = 0, end; i < n; i = end) {
        end = run_end(sample, n, i);
        values += end - i > 1;
    }
    work->table.bits = LEAST_BITS;
    while (work->table.bits < MOST_BITS && (size_t)1 << work->table.bits < SLOTS_EACH * values)
        work->table.bits++;
    TRY_SCRATCH(work->exec, work->size << work->table.bits, work->table.slots);
    TRY_SCRATCH(work->exec, (values + 1) * sizeof *work->values, work->values);
    size_t const cost = ((size_t)1 << work->table.bits) + n;
    for (; attempt < ATTEMPTS && least > n / 64 &&
           (attempt == 0 || attempt * cost < work->job->n / 16);
         attempt++) {
        size_t const lost = fill_table(work, sample, n, attempt);
        best = lost < least ? attempt : best;
        least = ordo_min(lost, least);
    }
    if (best + 1 != attempt)
        fill_table(work, sample, n, best);
    return ORDO_OK;
}

/* Fills the table if many keys occur more than once; otherwise work->count is 0. */
static ordo_status find_values(unique_work *work)
{
    size_t const n = work->job->n, few = ordo_min(n / FEW_SHARE, FEW_SAMPLE);
    size_t const count = ordo_max(ordo_max(few, ordo_min(n / SAMPLE_SHARE, SAMPLE)), LOOK);
    uint64_t    *sample;
    if (work->size < sizeof(uint32_t) || n < LEAST)
        return ORDO_OK;
    TRY_SCRATCH(work->exec, count * sizeof *sample, sample);
    TRY(take_sample(work, sample, LOOK));
    if (repeated(sample, LOOK) * LOOK_SHARE < LOOK)
        return ORDO_OK;
    if (count > LOOK)
        TRY(take_sample(work, sample, count));
    return repeated(sample, count) * TABLE_SHARE < count ? ORDO_OK
                                                         : make_table(work, sample, count);
}

/* ---- Pieces ---- */

static size_t piece_count(const unique_work *work, size_t n) { return ordo_div_up(n, work->grain); }

/* If scratch is refused, the array is one piece. */
static void take_counts(unique_work *work)
{
    size_t const pieces = piece_count(work, work->job->n);
    void        *room = NULL;
    work->alone = work->exec->threads == 1 || pieces == 1;
    if (work->alone)
        return;
    if (ordo_scratch(work->exec, pieces * 2 * sizeof(uint64_t), &room) != ORDO_OK) {
        ordo_fail(work->exec, ORDO_OK, "%s", ""); /* no error */
        work->grain = work->job->n;
        work->alone = true;
        return;
    }
    work->lasts = room;
    work->kept = (size_t *)(work->lasts + pieces);
}

/* Moves what a piece kept at place `at` behind what was moved before. */
static size_t move_piece(const unique_work *work, size_t at, size_t count, size_t end)
{
    char *const out = work->job->out;
    if (end < at)
        memmove(out + end * work->size, out + at * work->size, count * work->size);
    return end + count;
}

/* Moves what the pieces of n keys kept to the front of the array. Returns their number. */
static size_t join_pieces(const unique_work *work, size_t n)
{
    size_t end = 0;
    if (work->alone)
        return work->end;
    for (size_t piece = 0; piece < piece_count(work, n); piece++)
        end = move_piece(work, piece * work->grain, work->kept[piece], end);
    return end;
}

static void filter_piece(void *arg, size_t lo, size_t hi)
{
    unique_work *const work = arg;
    size_t const       size = work->size, to = work->alone ? work->end : lo;
    size_t const       kept = work->kernels->sets->not_in_table[size == sizeof(uint64_t)](
        &work->table, (const char *)work->job->keys + lo * size, hi - lo,
        (char *)work->job->out + to * size);
    if (work->alone)
        work->end += kept;
    else
        work->kept[lo / work->grain] = kept;
}

/* Leaves the keys that are not in the table, and the values of the table, in `out`. Each value is a
 * key of the array, so there is room. */
static ordo_status drop_known(unique_work *work)
{
    const ordo_unique_job *const job = work->job;
    if (!ordo_loop(work->exec, job->n, work->grain, filter_piece, work))
        return ORDO_E_CANCELLED;
    work->exec->phase++;
    work->n = join_pieces(work, job->n);
    for (size_t i = 0; i < work->count; i++, work->n++)
        ordo_put_index(work->pattern, job->out, work->n, work->values[i]);
    return ORDO_OK;
}

/* ---- Ties ---- */

#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    static uint64_t fold_##tag(const void *keys, size_t i)                                         \
    {                                                                                              \
        return key_fold_##tag(((const key *)keys)[i]);                                             \
    }
#include "core/types.def"
#undef ORDO_TYPE

static void compact_piece(void *arg, size_t lo, size_t hi)
{
    unique_work *const           work = arg;
    const ordo_unique_job *const job = work->job;
    size_t const                 piece = lo / work->grain;
    uint64_t const               before = work->alone ? work->only_last : work->lasts[piece];
    uint64_t const               last = BY_TYPE(job->type, fold, (job->out, hi - 1));
    size_t const                 kept =
        work->kernels->sets->compact[job->type](job->out, lo, hi, before, lo == 0) - lo;
    if (work->alone) {
        work->end = move_piece(work, lo, kept, work->end);
        work->only_last = last;
    } else {
        work->kept[piece] = kept;
    }
}

/* Keeps the first of tied keys of the sorted array. */
static ordo_status drop_ties(unique_work *work)
{
    const ordo_unique_job *const job = work->job;
    work->end = 0;
    for (size_t piece = 1; !work->alone && piece < piece_count(work, work->n); piece++)
        work->lasts[piece] = BY_TYPE(job->type, fold, (job->out, piece * work->grain - 1));
    if (!ordo_loop(work->exec, work->n, work->grain, compact_piece, work))
        return ORDO_E_CANCELLED;
    *job->count = join_pieces(work, work->n);
    return ORDO_OK;
}

/* ---- The job ---- */

ordo_status cpu_unique(void *state, const ordo_unique_job *job, ordo_exec *exec)
{
    unique_work work = {.job = job,
                        .kernels = state,
                        .exec = exec,
                        .size = ordo_type_size(job->type),
                        .pattern = ordo_type_size(job->type) == 4 ? ORDO_U32 : ORDO_U64,
                        .grain = cpu_grain(job->n),
                        .n = job->n};
    ordo_exec   part = *exec;
    *job->count = 0;
    exec->isa = work.kernels->isa;
    exec->algorithm = "sort";
    if (job->n == 0)
        return ORDO_OK;
    take_counts(&work);
    ordo_status const found = find_values(&work);
    if (found == ORDO_E_NOMEM)
        ordo_fail(exec, ORDO_OK, "%s", ""); /* no error: all keys are sorted */
    else if (found != ORDO_OK)
        return found;
    exec->phases = 2 + (work.count > 0);
    if (work.count > 0) {
        exec->algorithm = "hash";
        TRY(drop_known(&work));
    }
    ordo_sort_job const sort = {.type = job->type,
                                .keys = job->out,
                                .source = work.count > 0 ? NULL : job->keys,
                                .n = work.n,
                                .descending = job->descending};
    TRY(cpu_sort(state, &sort, &part));
    exec->phase++;
    return drop_ties(&work);
}

size_t cpu_unique_scratch(const ordo_unique_job *job, const ordo_exec *exec)
{
    ordo_sort_job const sort = {
        .type = job->type, .keys = job->out, .n = job->n, .descending = job->descending};
    ordo_sort_job const sample = {.type = ORDO_U64, .n = SAMPLE};
    size_t const        pieces = ordo_div_up(job->n, cpu_grain(job->n));
    return cpu_sort_scratch(&sort, exec) + cpu_sort_scratch(&sample, exec) +
           2 * pieces * sizeof(uint64_t) + 2 * SAMPLE * sizeof(uint64_t) +
           ((size_t)sizeof(uint64_t) << MOST_BITS) + 8 * ORDO_CACHE_LINE;
}
