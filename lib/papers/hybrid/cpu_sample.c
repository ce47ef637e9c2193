/* cpu_sample.c - comparison sample sort of records: S. Subashini and N. Ramya, "Hybrid Comparison
 * Sorting"; the CPU's part of the hybrid sort, and the sort on the CPU alone. The splitter tree is
 * that of P. Sanders and S. Winkel, "Super Scalar Sample Sort" (2004).
 *   I    A sorted sample of at least sqrt(n) records gives the splitters, an implicit search tree.
 *        Several records at a time walk the tree without branches; the label is the bucket.
 *   II   Each piece of the array, which fits the L2 cache, counts its labels.
 *   III  Prefix sums over the pieces give each bucket's places; all pieces scatter at once.
 *   IV   Buckets of records equal to a splitter are done. Others are split again, large ones by all
 *        threads; small ones are sorted in the cache: words by the vector sort, others by merging.
 * n lg n comparisons. Scratch: n records, n labels of 2 bytes, and counts for each piece. */
#define _POSIX_C_SOURCE 200809L
#include "backend/profile.h"
#include "core/random.h"
#include "cpu/radix/lines.h"
#include "cpu/radix/records.h"
#include "cpu/sort/sort_steps.h"
#include "papers/hybrid/hybrid.h"
#include "papers/tuning.h"

#include <math.h>
#include <string.h>

enum {
    LG_LEAVES = ORDO_TUNE_SAMPLE_LG,
    LEAVES = 1 << LG_LEAVES,
    SPLITTERS = LEAVES - 1,
    BUCKETS = 2 * LEAVES, /* odd ones hold the records equal to a splitter */
    OVERSAMPLE = 8,       /* the fewest sampled records for each leaf */
    BASE = ORDO_TUNE_SAMPLE_BASE,
    PIECE = ORDO_TUNE_SAMPLE_PIECE,
    LEAST_PIECE = ORDO_TUNE_SAMPLE_LEAST_PIECE,
    PIECES = 64,     /* pieces of an array of up to 64 * PIECE records, so that all threads have
                      * work */
    ALL_DEPTH = 3,   /* levels that all threads split together, below the first one */
    ALONE_DEPTH = 3, /* levels that one thread splits before merge sort */
    BATCH = 8,       /* records that walk the tree together */
    MOST_RECORD = 16,
    TREE_BYTES = 2 * LEAVES * MOST_RECORD
};
_Static_assert(2 * OVERSAMPLE * LEAVES <= BASE, "sample and its scratch fit the bucket");

/* The state of an array that all threads split, or whose buckets they sort. */
typedef struct sample_work {
    ordo_exec *exec;
    void      *tree;
    void      *data, *other; /* n records each */
    uint16_t  *labels;
    size_t     n;
    size_t (*counts)[BUCKETS]; /* for each piece: a histogram, then the places of its records */
    size_t        starts[BUCKETS + 1];
    size_t        first_bucket; /* the first bucket of the loop over buckets */
    bool          to_other;     /* the sorted buckets of data go to other */
    size_t        large;        /* more records than this are split by all threads */
    cpu_words_fn *sort_words;   /* the vector sort, for records that are words; NULL: merge sort */
    size_t        base;         /* at most this many records are sorted without another split */
} sample_work;

/* Records in a piece; the same in all phases for an array of n records. */
static size_t piece_of(size_t n)
{
    return ordo_max(ordo_min(PIECE, ordo_div_up(n, PIECES)), LEAST_PIECE);
}

/* The largest number of pieces of an array of at most n records. */
static size_t most_pieces(size_t n)
{
    return ordo_min(ordo_div_up(n, LEAST_PIECE), ordo_max(PIECES, ordo_div_up(n, PIECE)));
}

static size_t sample_size(size_t n)
{
    return ordo_min(n, ordo_max((size_t)sqrt((double)n), OVERSAMPLE * LEAVES));
}

static void count_labels(const uint16_t *labels, size_t n, size_t counts[BUCKETS])
{
    for (size_t i = 0; i < n; i++)
        counts[labels[i]]++;
}

static void count_piece(void *arg, size_t lo, size_t hi)
{
    const sample_work *const work = arg;
    size_t *const            counts = work->counts[lo / piece_of(work->n)];
    memset(counts, 0, sizeof *work->counts);
    count_labels(work->labels + lo, hi - lo, counts);
}

/* Sums the counts of all pieces. */
static void total_counts(const sample_work *work, uint64_t totals[BUCKETS])
{
    memset(totals, 0, BUCKETS * sizeof *totals);
    for (size_t p = 0; p < ordo_div_up(work->n, piece_of(work->n)); p++)
        for (size_t b = 0; b < BUCKETS; b++)
            totals[b] += work->counts[p][b];
}

/* Turns counts into places; bucket b begins at first[b]. */
static void place_counts(const sample_work *work, uint64_t first[BUCKETS])
{
    for (size_t p = 0; p < ordo_div_up(work->n, piece_of(work->n)); p++)
        for (size_t b = 0; b < BUCKETS; b++) {
            size_t const here = work->counts[p][b];
            work->counts[p][b] = (size_t)first[b];
            first[b] += here;
        }
}

static bool is_split_by_all(const sample_work *work, size_t size) { return size > work->large; }

/* Larger buckets are split by all threads, so that no thread works on a bucket while others are
 * idle. */
static size_t large_bucket(size_t n, unsigned threads)
{
    return threads == 1 ? SIZE_MAX : ordo_max(BASE, n / threads);
}

/* Phases I to III of data[0 .. n), with the tree already built: labels, histograms and the scatter
 * to `other`, where bucket b is [starts[b], starts[b + 1]). Adds the seconds of each phase to
 * `phase` unless phase is NULL. */
static ordo_status split_timed(sample_work *work, ordo_body *label, ordo_body *scatter,
                               double *phase)
{
    uint64_t first[BUCKETS];
    double   began = phase != NULL ? ordo_profile_clock() : 0, now;
#define PHASE_ENDS(which)                                                                          \
    if (phase != NULL) {                                                                           \
        now = ordo_profile_clock();                                                                \
        phase[which] += now - began;                                                               \
        began = now;                                                                               \
    }
    if (!ordo_loop(work->exec, work->n, piece_of(work->n), label, work))
        return ORDO_E_CANCELLED;
    PHASE_ENDS(0)
    if (!ordo_loop(work->exec, work->n, piece_of(work->n), count_piece, work))
        return ORDO_E_CANCELLED;
    total_counts(work, first);
    work->starts[0] = 0;
    for (size_t b = 0; b < BUCKETS; b++) {
        work->starts[b + 1] = work->starts[b] + (size_t)first[b];
        first[b] = work->starts[b];
    }
    PHASE_ENDS(1)
    place_counts(work, first);
    if (!ordo_loop(work->exec, work->n, piece_of(work->n), scatter, work))
        return ORDO_E_CANCELLED;
    PHASE_ENDS(2)
#undef PHASE_ENDS
    return ORDO_OK;
}

static ordo_status split_labelled(sample_work *work, ordo_body *label, ordo_body *scatter)
{
    return split_timed(work, label, scatter, NULL);
}

#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "core/small_sort.t.h"
#include "cpu/radix/for_each_record.h"
#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "core/merge.t.h"
#include "cpu/radix/for_each_record.h"
#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "papers/hybrid/cpu_sample.t.h"
#include "cpu/radix/for_each_record.h"

/* ---- The functions of a kind of record ---- */

typedef struct sample_kind {
    size_t size;
    void (*take_splitters)(const sample_work *work, void *sample, size_t size, void *splitters);
    void (*build_tree)(void *tree, const void *splitters);
    ordo_body *label, *scatter, *sort_bucket;
    ordo_status (*split_by_all)(sample_work *work);
} sample_kind;

#define SAMPLE_KIND(R)                                                                             \
    {                                                                                              \
        sizeof(record_##R), take_splitters_##R, build_tree_##R, label_piece_##R,                   \
            scatter_piece_##R, sort_bucket_##R, split_by_all_##R                                   \
    }
static const sample_kind kind_k32 = SAMPLE_KIND(k32), kind_k64 = SAMPLE_KIND(k64),
                         kind_p64 = SAMPLE_KIND(p64);
#undef SAMPLE_KIND

static const sample_kind *kind_of(size_t record_size)
{
    return record_size == sizeof(record_k32)   ? &kind_k32
           : record_size == sizeof(record_k64) ? &kind_k64
                                               : &kind_p64;
}

static char *record_at(void *records, const sample_kind *kind, size_t i)
{
    return (char *)records + i * kind->size;
}

/* ---- Phase IV with all threads ---- */

static ordo_status sort_buckets(sample_work *work, const sample_kind *kind, size_t first,
                                size_t end, unsigned depth);

/* Splits a large bucket [at, at + n) of whole->data with all threads and sorts its buckets. */
static ordo_status sort_large(const sample_work *whole, const sample_kind *kind, size_t at,
                              size_t n, unsigned depth)
{
    sample_work work = *whole;
    work.data = record_at(whole->data, kind, at);
    work.other = record_at(whole->other, kind, at);
    work.labels = whole->labels + at;
    work.n = n;
    TRY(kind->split_by_all(&work));
    void *const data = work.data;
    work.data = work.other;
    work.other = data;
    work.to_other = !whole->to_other;
    return sort_buckets(&work, kind, 0, BUCKETS, depth - 1);
}

/* Sorts buckets [first, end) of work->data; bucket b is [starts[b], starts[b + 1]). */
static ordo_status sort_buckets(sample_work *work, const sample_kind *kind, size_t first,
                                size_t end, unsigned depth)
{
    work->large = depth == 0
                      ? SIZE_MAX
                      : large_bucket(work->starts[end] - work->starts[first], work->exec->threads);
    for (size_t b = first; b < end; b++) {
        size_t const size = work->starts[b + 1] - work->starts[b];
        if (b % 2 == 0 && is_split_by_all(work, size))
            TRY(sort_large(work, kind, work->starts[b], size, depth));
    }
    work->first_bucket = first;
    return cpu_done(ordo_loop(work->exec, end - first, 1, kind->sort_bucket, work) &&
                    !ordo_poll(work->exec, 1));
}

/* ---- Work space ----
 *
 *   tree | sample | scratch of its sort | splitters (sort on the CPU alone) | counts per piece */

static size_t sample_bytes(size_t n, size_t record)
{
    return ordo_round_up(2 * sample_size(n) * record + SPLITTERS * record, ORDO_CACHE_LINE);
}

static size_t counts_bytes(size_t n) { return most_pieces(n) * BUCKETS * sizeof(size_t); }

static size_t work_bytes(size_t n, size_t record)
{
    return TREE_BYTES + sample_bytes(n, record) + counts_bytes(n);
}

static sample_work open_work(const cpu_kernels *kernels, void *block, size_t n, size_t record,
                             ordo_exec *exec)
{
    char *const   counts = (char *)block + TREE_BYTES + sample_bytes(n, record);
    cpu_words_fn *sort_words = kernels == NULL              ? NULL
                               : record == sizeof(uint32_t) ? kernels->sort_words[CPU_WORDS_32]
                               : record == sizeof(uint64_t) ? kernels->sort_words[CPU_WORDS_64]
                                                            : NULL;
    return (sample_work){.exec = exec,
                         .tree = block,
                         .n = n,
                         .counts = (size_t(*)[BUCKETS])(void *)counts,
                         .sort_words = sort_words,
                         .base = sort_words != NULL ? ORDO_TUNE_SAMPLE_WORDS : BASE};
}

static char *sample_of(const sample_work *work) { return (char *)work->tree + TREE_BYTES; }

/* The position of record i of the sample: the middle of the i-th of `size` equal intervals. */
static size_t sample_position(size_t i, size_t size, size_t n)
{
    size_t const each = n / size;
    return i * each + each / 2;
}

/* ---- The CPU alone ---- */

size_t cpu_records_sample_scratch(const cpu_records *records)
{
    size_t const n = records->n, size = record_size(records->kind);
    if (n <= BASE) /* sorted without a split */
        return ordo_round_up(n * size, ORDO_CACHE_LINE);
    return ordo_round_up(n * size, ORDO_CACHE_LINE) +
           ordo_round_up(n * sizeof(uint16_t), ORDO_CACHE_LINE) + work_bytes(n, size);
}

static void choose_splitters(const sample_work *work, const sample_kind *kind)
{
    size_t const size = sample_size(work->n);
    char *const sample = sample_of(work), *const splitters = record_at(sample, kind, 2 * size);
    for (size_t i = 0; i < size; i++)
        memcpy(record_at(sample, kind, i),
               record_at(work->data, kind, sample_position(i, size, work->n)), kind->size);
    kind->take_splitters(work, sample, size, splitters);
    kind->build_tree(work->tree, splitters);
}

static ordo_status sort_in_phases(sample_work *work, const sample_kind *kind, double *phase)
{
    ordo_exec *const exec = work->exec;
    void *const      records = work->data;
    double const     began = ordo_profile_clock();
    unsigned const   first = exec->phase;
    if (exec->phases < first + CPU_SAMPLE_PHASES)
        exec->phases = first + CPU_SAMPLE_PHASES;
    choose_splitters(work, kind);
    phase[0] += ordo_profile_clock() - began;
    TRY(split_timed(work, kind->label, kind->scatter, phase));
    double const scattered = ordo_profile_clock();
    work->data = work->other;
    work->other = records;
    work->to_other = true;
    exec->phase = first + 2;
    TRY(sort_buckets(work, kind, 0, BUCKETS, ALL_DEPTH));
    phase[3] += ordo_profile_clock() - scattered;
    return ORDO_OK;
}

ordo_status cpu_records_sample(const cpu_records *records, const cpu_kernels *kernels,
                               ordo_exec *exec)
{
    const sample_kind *const kind = kind_of(record_size(records->kind));
    size_t const             n = records->n;
    void                    *block = NULL;
    exec->algorithm = "sample";
    exec->isa = "generic";
    if (n < 2)
        return ORDO_OK;
    TRY(ordo_scratch(exec, cpu_records_sample_scratch(records), &block));
    sample_work work = open_work(kernels, block, n, kind->size, exec);
    work.data = records->array;
    if (n <= BASE) { /* sorted as one bucket */
        work.other = block;
        work.starts[1] = n;
        work.large = SIZE_MAX;
        kind->sort_bucket(&work, 0, 1);
        return ORDO_OK;
    }
    work.other = (char *)block + ordo_round_up(work_bytes(n, kind->size), ORDO_CACHE_LINE);
    work.labels =
        (uint16_t *)(void *)((char *)work.other + ordo_round_up(n * kind->size, ORDO_CACHE_LINE));
    double seconds[4] = {0};
    TRY(sort_in_phases(&work, kind, seconds));
    exec->facts.buckets = BUCKETS;
    memcpy(exec->facts.sample_seconds, seconds, sizeof seconds);
    memcpy(exec->facts.cpu_seconds, seconds, sizeof seconds);
    return ORDO_OK;
}

/* ---- Steps of the hybrid sample sort ---- */

/* How the keys of a job become records, and how its records become results. */
static radix_io io_of(const cpu_kernels *kernels, const ordo_sample_job *job)
{
    bool const packed = ordo_type_size(job->type) <= sizeof(uint32_t) &&
                        (job->record_size == sizeof(record_p32) || job->value_size != 0);
    /* Key 0 of the whole input, because a loaded index is a position there. */
    const char *const all =
        job->keys == NULL ? NULL : (const char *)job->keys - job->first * ordo_type_size(job->type);
    ordo_argsort_job const argsort = {.type = job->type,
                                      .keys = all,
                                      .n = job->n,
                                      .descending = job->descending,
                                      .index_type = job->index_type,
                                      .index = job->result};
    ordo_sort_job const    sort = {.type = job->type,
                                   .keys = job->result,
                                   .n = job->n,
                                   .descending = job->descending,
                                   .source = all};
    return job->indexed ? records_of_argsort(kernels, &argsort, packed ? RECORD_P32 : RECORD_P64)
                        : records_of_keys(kernels, &sort);
}

enum {
    HELD = 512 /* records between two forms */
};

/* Loads records [at, at + count) of the job with their values; count is at most HELD. */
static void load_carrying(const radix_io *io, const ordo_sample_job *job, size_t at, size_t count,
                          record_p64 *to)
{
    const char *const values = (const char *)job->values + at * job->value_size;
    size_t const      size = job->value_size;
    uint64_t          held[HELD];
    if (io->kind == RECORD_P64) {
        io->load(io, job->first + at, count, to);
        for (size_t i = 0; i < count; i++) {
            uint32_t value = 0;
            memcpy(&value, values + i * size, size);
            to[i].index = to[i].index << 32 | value;
        }
        return;
    }
    io->load(io, job->first + at, count, held);
    for (size_t i = 0; i < count; i++) {
        uint64_t value = 0;
        if (size == sizeof(uint32_t))
            memcpy(&value, values + i * sizeof(uint32_t), sizeof(uint32_t));
        else
            memcpy(&value, values + i * size, size);
        to[i] = (record_p64){held[i], value};
    }
}

static void load_records(const radix_io *io, const ordo_sample_job *job, void *records)
{
    if (job->value_size != 0)
        for (size_t at = 0; at < job->n; at += HELD)
            load_carrying(io, job, at, ordo_min(HELD, job->n - at), (record_p64 *)records + at);
    else if (io->load != NULL)
        io->load(io, job->first, job->n, records);
    else
        memcpy(records, job->keys, job->n * io->key_size);
}

/* Stores keys and values of words of key and index [at, at + count); count is at most HELD.
 * job->values has the values of all indices. */
static void store_looked_up(const radix_io *keys, const ordo_sample_job *job, size_t at,
                            size_t count)
{
    const uint64_t *const from = (const uint64_t *)job->finished + at;
    const char *const     values = job->values;
    size_t const          size = job->value_size;
    char *const           to = (char *)job->result_values + at * size;
    uint32_t              held[HELD];
    for (size_t i = 0; i < count; i++) {
        held[i] = (uint32_t)(from[i] >> 32);
        __builtin_prefetch(values + (uint32_t)from[i] * size);
    }
    if (keys->store != NULL)
        keys->store(keys, at, count, held);
    else
        memcpy((char *)job->result + at * sizeof *held, held, count * sizeof *held);
    for (size_t i = 0; i < count; i++)
        if (size == sizeof(uint32_t))
            memcpy(to + i * sizeof(uint32_t), values + (uint32_t)from[i] * sizeof(uint32_t),
                   sizeof(uint32_t));
        else
            memcpy(to + i * size, values + (uint32_t)from[i] * size, size);
}

/* The same for records that carry their values. */
static void store_carried(const radix_io *keys, const ordo_sample_job *job, size_t at, size_t count)
{
    const record_p64 *const from = (const record_p64 *)job->finished + at;
    size_t const            size = job->value_size;
    char *const             values = (char *)job->result_values + at * size;
    union {
        uint32_t narrow[HELD];
        uint64_t wide[HELD];
    } held;
    for (size_t i = 0; i < count && keys->kind == RECORD_K32; i++) {
        held.narrow[i] = (uint32_t)(from[i].key >> 32);
        if (size == sizeof(uint32_t))
            memcpy(values + i * sizeof(uint32_t), &from[i].index, sizeof(uint32_t));
        else
            memcpy(values + i * size, &from[i].index, size);
    }
    for (size_t i = 0; i < count && keys->kind == RECORD_K64; i++) {
        uint32_t const value = (uint32_t)from[i].index;
        held.wide[i] = from[i].key;
        memcpy(values + i * size, &value, size);
    }
    if (keys->store != NULL)
        keys->store(keys, at, count, &held);
    else
        memcpy((char *)job->result + at * keys->key_size, &held, count * keys->key_size);
}

static ordo_status step_split(const radix_io *io, const ordo_sample_job *job,
                              const sample_kind *kind, const sample_work *work)
{
    size_t const size = sample_size(job->n);
    char *const  sample = sample_of(work);
    for (size_t i = 0; i < size; i++) {
        size_t const    at = sample_position(i, size, job->n);
        ordo_sample_job one = *job;
        one.n = 1;
        one.first = at;
        one.keys = (const char *)job->keys + at * io->key_size;
        one.values = (const char *)job->values + at * job->value_size;
        load_records(io, &one, record_at(sample, kind, i));
    }
    kind->take_splitters(work, sample, size, job->splitters);
    return ORDO_OK;
}

static ordo_status step_label(const radix_io *io, const ordo_sample_job *job,
                              const sample_kind *kind, sample_work *work)
{
    load_records(io, job, job->records);
    kind->build_tree(work->tree, job->splitters);
    kind->label(work, 0, job->n);
    return ORDO_OK;
}

static ordo_status step_count(const ordo_sample_job *job)
{
    size_t counts[BUCKETS] = {0};
    count_labels(job->labels, job->n, counts);
    for (size_t b = 0; b < BUCKETS; b++)
        job->counts[b] = counts[b];
    return ORDO_OK;
}

static ordo_status step_scatter(const ordo_sample_job *job, const sample_kind *kind,
                                sample_work *work)
{
    for (size_t b = 0; b < BUCKETS; b++)
        work->counts[0][b] = (size_t)job->places[b];
    work->other = job->scattered;
    kind->scatter(work, 0, job->n);
    return ORDO_OK;
}

static ordo_status step_sort(const ordo_sample_job *job, const sample_kind *kind, sample_work *work)
{
    work->data = job->scattered;
    work->other = job->records;
    work->starts[0] = 0;
    work->starts[1] = job->owned;
    return sort_buckets(work, kind, 0, 1, ALL_DEPTH);
}

static ordo_status step_result(radix_io *io, const cpu_kernels *kernels, const ordo_sample_job *job)
{
    ordo_sort_job const sort = {
        .type = job->type, .keys = job->result, .n = job->owned, .descending = job->descending};
    radix_io const keys = records_of_keys(kernels, &sort);
    if (job->value_size != 0)
        for (size_t at = 0; at < job->owned; at += HELD)
            (job->record_size == sizeof(record_p32) ? store_looked_up : store_carried)(
                &keys, job, at, ordo_min(HELD, job->owned - at));
    else if (io->store != NULL)
        io->store(io, 0, job->owned, job->finished);
    else
        memcpy(job->result, job->finished, job->owned * job->record_size);
    return ORDO_OK;
}

ordo_status cpu_sample(void *state, const ordo_sample_job *job, ordo_exec *exec)
{
    const sample_kind *const kind = kind_of(job->record_size);
    radix_io                 io = io_of(state, job);
    sample_work              work =
        open_work(state, job->work, ordo_max(job->n, job->owned), job->record_size, exec);
    work.data = job->records;
    work.labels = job->labels;
    switch (job->step) {
    case ORDO_SAMPLE_SPLIT:
        return step_split(&io, job, kind, &work);
    case ORDO_SAMPLE_LABEL:
        return step_label(&io, job, kind, &work);
    case ORDO_SAMPLE_COUNT:
        return step_count(job);
    case ORDO_SAMPLE_SCATTER:
        return step_scatter(job, kind, &work);
    case ORDO_SAMPLE_SORT:
        return step_sort(job, kind, &work);
    case ORDO_SAMPLE_RESULT:
        return step_result(&io, state, job);
    case ORDO_SAMPLE_PLACE:
        break;
    }
    return ordo_fail(exec, ORDO_E_UNSUPPORTED, "the CPU has no step %d", (int)job->step);
}

size_t cpu_sample_work(const ordo_sample_job *job)
{
    return work_bytes(ordo_max(job->n, job->owned), job->record_size);
}
