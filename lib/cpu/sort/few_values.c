/* few_values.c - sorts keys that take few values: counts each value, then writes it as often.
 *
 * A sample (sort_look.c) shows the values. They go into a hash table in which each value has its
 * own slot, so one comparison decides whether a key is in the table. Keys that are not (strays:
 * values that the sample missed, and values whose slot was taken) are collected and sorted. Then
 * the result is written in order: strays, a value, strays, the next value. One thread counts pairs
 * of neighbours if there are few values. The array is read once and written once. If there are too
 * many strays, the keys are unchanged and the general sort runs.
 *
 * Scratch: memory for n keys, which the general sort can use if it runs, and the counters. */
#include "cpu/sort/few_values.h"

#include "backend/layout.h"
#include "core/bisect.h"
#include "core/random.h"
#include "cpu/radix/records.h"
#include "cpu/sort/sort_steps.h"

#include <string.h>

enum {
    LEAST_BITS = 8, /* bits of the smallest and the largest table */
    MOST_BITS = 13,
    ATTEMPTS = 64, /* multipliers to try */
    PLACE_ATTEMPTS = 16,
    MOST_PLACED = 104, /* values in FEW_PAIRED slots; more seldom fit */
    MOST_IN_BUCKET = 16,
    CHUNKS_A_THREAD = 4
};

#define RECORD few_value
#define LESS(a, b) ((a).bits < (b).bits)
#define FN(name) few_##name
#include "core/small_sort.t.h"
#undef FN
#undef LESS
#undef RECORD

typedef struct few_work {
    count_run        run;
    radix_io         io;
    const few_loops *loops;
    few_table        table;
    few_value       *values;
    size_t           count;    /* number of values that have a slot */
    bool             paired;   /* the counters are of pairs; there is one chunk */
    size_t           counters; /* of a chunk */
} few_work;

/* ---- Values ---- */

/* The key bits of keys[i], in the order of a keys-only sort. */
static uint64_t bits_at(const few_work *work, const void *keys, size_t i)
{
    radix_io io = work->io;
    uint32_t narrow;
    uint64_t wide;
    io.in = keys;
    if (io.load == NULL)
        return few_key_at(keys, work->run.size, i);
    if (io.kind == RECORD_K64) {
        io.load(&io, i, 1, &wide);
        return wide;
    }
    io.load(&io, i, 1, &narrow);
    return narrow;
}

/* ---- Table ---- */

static size_t slot_of(const few_work *work, uint64_t value)
{
    return work->run.size == sizeof(uint32_t) ? few_slot_32(&work->table, (uint32_t)value)
                                              : few_slot_64(&work->table, value);
}

/* Finds the slot of each value. Returns the number of sampled keys whose value has no slot, because
 * an earlier value took it. `taken` has a byte for each slot. */
static size_t sample_without_slot(few_work *work, uint8_t *taken)
{
    size_t lost = 0;
    memset(taken, 0, (size_t)1 << work->table.bits);
    for (size_t v = 0; v < work->count; v++) {
        few_value *const value = &work->values[v];
        value->slot = (uint32_t)slot_of(work, value->value);
        if (taken[value->slot])
            lost += value->seen;
        taken[value->slot] = 1;
    }
    return lost;
}

/* Chooses the multiplier with the fewest strays. */
static void choose_multiplier(few_work *work, uint8_t *taken)
{
    size_t   least = SIZE_MAX;
    uint64_t best = 1;
    for (unsigned i = 0; i < ATTEMPTS && least > 0; i++) {
        work->table.multiplier = ordo_random_at(~work->run.exec->seed, i) | 1;
        size_t const lost = sample_without_slot(work, taken);
        if (lost < least) {
            least = lost;
            best = work->table.multiplier;
        }
    }
    work->table.multiplier = best;
    (void)sample_without_slot(work, taken);
}

static void put_slot(const few_work *work, size_t slot, uint64_t value)
{
    if (work->run.size == sizeof(uint32_t))
        ((uint32_t *)work->table.slots)[slot] = (uint32_t)value;
    else
        ((uint64_t *)work->table.slots)[slot] = value;
}

/* Fills the table. If several values have the same slot, the first stays and the others are
 * dropped. */
static void fill_table(few_work *work, uint8_t *taken)
{
    size_t const slots = (size_t)1 << work->table.bits;
    size_t       kept = 0;
    uint64_t     elsewhere = 1; /* a value that is not in slot 0 */
    while (slot_of(work, elsewhere) == 0)
        elsewhere++;
    for (size_t s = 0; s < slots; s++) /* 0 is in slot 0 */
        put_slot(work, s, s == 0 ? elsewhere : 0);
    memset(taken, 0, slots);
    for (size_t v = 0; v < work->count; v++) {
        few_value const value = work->values[v];
        if (taken[value.slot])
            continue;
        taken[value.slot] = 1;
        put_slot(work, value.slot, value.value);
        work->values[kept++] = value;
    }
    work->count = kept;
}

/* Stores the most frequent values in the table, if comparing all keys with them first saves
 * time. */
static void choose_frequent(few_work *work)
{
    size_t seen = 0, sample = 0;
    for (size_t v = 0; v < work->count; v++) {
        sample += work->values[v].seen;
        seen += v < FEW_FREQUENT ? work->values[v].seen : 0;
    }
    work->table.has_frequent = work->count >= FEW_FREQUENT && seen * 2 >= sample;
    if (!work->table.has_frequent)
        return;
    for (unsigned v = 0; v < FEW_FREQUENT; v++) {
        work->table.value[v] = work->values[v].value;
        work->table.slot[v] = work->values[v].slot;
    }
}

/* ---- Places ---- */

typedef struct few_bucket {
    uint32_t hashes[MOST_IN_BUCKET];
    size_t   count;
} few_bucket;

/* Finds a displacement that moves all values of a bucket to free slots. FEW_NONE stays free. */
static bool place_bucket(few_table *table, const few_bucket *bucket, size_t number, bool *taken)
{
    for (uint32_t displace = 0; displace < FEW_PAIRED; displace++) {
        size_t slots[MOST_IN_BUCKET], placed = 0;
        for (; placed < bucket->count; placed++) {
            slots[placed] = (bucket->hashes[placed] >> 20 & (FEW_PAIRED - 1)) ^ displace;
            if (slots[placed] == FEW_NONE || taken[slots[placed]])
                break;
            taken[slots[placed]] = true;
        }
        table->displace[number] = displace;
        if (placed == bucket->count)
            return true;
        while (placed > 0)
            taken[slots[--placed]] = false;
    }
    return false;
}

/* Places all values, the largest buckets first. */
static bool place_all(few_work *work)
{
    few_bucket buckets[FEW_BUCKETS] = {0};
    bool       taken[FEW_PAIRED] = {false};
    for (size_t v = 0; v < work->count; v++) {
        uint32_t const    hash = (uint32_t)work->values[v].value * (uint32_t)work->table.multiplier;
        few_bucket *const bucket = &buckets[hash >> 27];
        if (bucket->count == MOST_IN_BUCKET)
            return false;
        bucket->hashes[bucket->count++] = hash;
    }
    for (size_t count = MOST_IN_BUCKET; count > 0; count--)
        for (size_t b = 0; b < FEW_BUCKETS; b++)
            if (buckets[b].count == count && !place_bucket(&work->table, &buckets[b], b, taken))
                return false;
    return true;
}

/* Chooses the multiplier and the displacements of few_place. False if the values do not fit. */
static bool choose_places(few_work *work)
{
    if (work->count > MOST_PLACED)
        return false;
    for (unsigned i = 0; i < PLACE_ATTEMPTS; i++) {
        work->table.multiplier = ordo_random_at(~work->run.exec->seed, i) | 1;
        memset(work->table.displace, 0, sizeof work->table.displace);
        if (place_all(work))
            return true;
    }
    return false;
}

/* Fills the table of FEW_PAIRED slots. A free slot holds a key of another slot. */
static void fill_places(few_work *work)
{
    for (size_t s = 0; s < FEW_PAIRED; s++) {
        uint32_t elsewhere = 0;
        while (few_place(&work->table, elsewhere) == s)
            elsewhere++;
        put_slot(work, s, elsewhere);
    }
    for (size_t v = 0; v < work->count; v++) {
        few_value *const value = &work->values[v];
        value->slot = (uint32_t)few_place(&work->table, (uint32_t)value->value);
        put_slot(work, value->slot, value->value);
    }
}

static void sort_by_bits(few_work *work)
{
    for (size_t v = 0; v < work->count; v++)
        work->values[v].bits = bits_at(work, &work->values[v].value, 0);
    few_heap_sort(work->values, work->count);
}

static void make_table(few_work *work)
{
    uint8_t taken[1 << MOST_BITS];
    if (work->paired && work->loops->places) {
        fill_places(work);
        sort_by_bits(work);
        return;
    }
    /* The most frequent values come first, so that they keep their slots. */
    for (size_t v = 0; v < work->count; v++)
        work->values[v].bits = UINT64_MAX - work->values[v].seen;
    few_heap_sort(work->values, work->count);
    choose_multiplier(work, taken);
    fill_table(work, taken);
    choose_frequent(work);
    sort_by_bits(work);
    if (work->paired) {
        memset(work->table.numbers, FEW_NONE, (size_t)1 << work->table.bits);
        for (size_t v = 0; v < work->count; v++)
            work->table.numbers[work->values[v].slot] = (uint8_t)v;
    }
}

/* ---- Count ---- */

/* Adds the counters of all chunks. */
static void add_counters(few_work *work)
{
    const uint32_t *const counts = (const uint32_t *)(const void *)work->run.counts;
    for (size_t v = 0; v < work->count; v++) {
        few_value *const value = &work->values[v];
        value->count = 0;
        for (size_t c = 0; c < work->run.chunks && !work->paired; c++)
            for (size_t i = 0; i < FEW_COUNTERS; i++)
                value->count += counts[c * work->counters + value->slot * FEW_COUNTERS + i];
        size_t const number = work->loops->places ? value->slot : v;
        for (size_t i = 0; i < FEW_PAIRED && work->paired; i++)
            value->count +=
                (size_t)counts[number * FEW_PAIRED + i] + counts[i * FEW_PAIRED + number];
    }
}

/* ---- Write ---- */

/* Finds where each value begins in the result. */
static void place_values(few_work *work)
{
    size_t before = 0; /* keys of earlier values */
    for (size_t v = 0, lo = 0; v < work->count; v++) {
        size_t hi = work->run.all_strays;
        ORDO_BISECT(middle, lo, hi, bits_at(work, work->run.stray, middle) < work->values[v].bits);
        work->values[v].at = before + lo;
        before += work->values[v].count;
    }
}

/* Writes [lo, hi) of the result: strays and values in turn. */
static void write_piece(void *arg, size_t lo, size_t hi)
{
    const few_work *const work = arg;
    char *const           out = work->run.job->keys;
    bool const            bypass = cpu_bypasses_cache(work->run.job->n * work->run.size);
    size_t                v = 0, before = 0;
    for (size_t at = lo; at < hi; v++) {
        size_t const next = v < work->count ? work->values[v].at : work->run.job->n;
        if (at < next) { /* strays before value v; `before` keys are values before it */
            size_t const count = ordo_min(next, hi) - at;
            memcpy(out + at * work->run.size, work->run.stray + (at - before) * work->run.size,
                   count * work->run.size);
            at += count;
        }
        if (v == work->count)
            break;
        size_t const end = next + work->values[v].count;
        if (at < end && at < hi) {
            size_t const count = ordo_min(end, hi) - at;
            work->loops->fill(out + at * work->run.size, work->values[v].value, count, bypass);
            at += count;
        }
        before += work->values[v].count;
    }
}

/* ---- The sort ---- */

static size_t chunks_of(size_t n, unsigned threads)
{
    size_t const most = (size_t)CHUNKS_A_THREAD * threads;
    return threads == 1 ? 1 : ordo_min(ordo_max(n / ORDO_TUNE_PIECE, 1), most);
}

/* Whether one thread counts pairs: there are few values, and each occurs so often in the sample
 * that others are unlikely. */
static bool choose_pairs(few_work *work)
{
    bool once = false;
    for (size_t v = 0; v < work->count; v++)
        once |= work->values[v].seen == 1;
    if (work->loops->count_pairs == NULL || work->run.chunks > 1 || work->count > FEW_NONE ||
        once || work->run.job->n > UINT32_MAX)
        return false;
    return !work->loops->places || choose_places(work);
}

static void lay_out(void *arg, ordo_layout *layout)
{
    few_work *const work = arg;
    size_t const    slots =
        work->paired && work->loops->places ? FEW_PAIRED : (size_t)1 << work->table.bits;
    work->counters = work->paired ? (size_t)FEW_PAIRED * FEW_PAIRED : slots * FEW_COUNTERS;
    work->run.counts_size = work->counters * sizeof(uint32_t);
    work->table.slots = ordo_lay_line(layout, slots, work->run.size);
    work->table.numbers = ordo_lay_line(layout, slots, 1);
    work->run.counts = ordo_lay_line(layout, work->run.chunks, work->run.counts_size);
    work->run.strays = ordo_lay_line(layout, work->run.chunks, sizeof *work->run.strays);
}

static ordo_status take_scratch(few_work *work, void **scratch, ordo_exec *exec)
{
    size_t const n = work->run.job->n;
    work->run.chunks = chunks_of(n, exec->threads);
    work->run.chunk = (n + work->run.chunks - 1) / work->run.chunks;
    work->run.chunks = (n + work->run.chunk - 1) / work->run.chunk;
    work->run.most_strays = work->run.chunk / FEW_STRAY_PART;
    work->run.stray_room = work->run.most_strays + FEW_BLOCK + 1;
    if (work->run.stray_room * work->run.chunks > n)
        return ORDO_E_NOMEM; /* so few keys that the general sort is as good */
    work->paired = choose_pairs(work);
    TRY(ordo_lay_out(exec, lay_out, work));
    if (*scratch == NULL)
        TRY(ordo_scratch(exec, n * work->run.size, scratch));
    work->run.stray = *scratch;
    return ORDO_OK;
}

ordo_status cpu_sort_few(const cpu_kernels *kernels, const ordo_sort_job *job, few_sample *sample,
                         bool *done, void **scratch, ordo_exec *exec)
{
    few_work work = {.run = cpu_count_begin(kernels, job, exec),
                     .io = records_of_keys(kernels, job),
                     .values = sample->values,
                     .count = sample->count};
    bool     counted;
    work.loops = &kernels->loops->few[work.run.size == sizeof(uint64_t)];
    work.table.bits = LEAST_BITS;
    while (work.table.bits < MOST_BITS && ((size_t)8 << work.table.bits) < work.count * work.count)
        work.table.bits++;
    ordo_status status = take_scratch(&work, scratch, exec);
    if (status != ORDO_OK)
        return status == ORDO_E_NOMEM ? ORDO_OK : status;
    make_table(&work);
    work.run.table = &work.table;
    work.run.count = work.paired ? work.loops->count_pairs : work.loops->count;
    TRY(cpu_count_keys(&work.run, &counted));
    if (!counted)
        return ORDO_OK;
    add_counters(&work);
    status = cpu_count_strays(&work.run, work.run.stray + job->n * work.run.size);
    if (status != ORDO_OK)
        return status == ORDO_E_NOMEM ? ORDO_OK : status;
    place_values(&work);
    *done = true;
    exec->phase++;
    exec->changed = true;
    cpu_count_tell(&work.run, work.count);
    return cpu_done(ordo_loop(exec, job->n, cpu_grain(job->n), write_piece, &work));
}

size_t cpu_few_scratch(const ordo_sort_job *job, unsigned threads)
{
    few_work work = {
        .run = {.size = ordo_type_size(job->type), .chunks = chunks_of(job->n, threads)},
        .table = {.bits = MOST_BITS}};
    return ordo_layout_bytes(lay_out, &work);
}
