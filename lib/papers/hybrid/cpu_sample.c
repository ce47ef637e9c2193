/* cpu_sample.c - comparison sample sort of records: S. Subashini and N. Ramya, "Hybrid Comparison
 * Sorting"; the CPU's part of the hybrid sort, and the sort on the CPU alone. The splitter tree is
 * that of P. Sanders and S. Winkel, "Super Scalar Sample Sort" (2004).
 *   I    A sorted sample of at least sqrt(n) records gives the splitters, an implicit search tree.
 *        Several records at a time walk the tree without branches; the label is the bucket. With
 *        `intervals` every record of a sample of sqrt(n) is a splitter.
 *   II   Each piece of the array, which fits the L2 cache, counts its labels.
 *   III  Prefix sums over the pieces give each bucket's places; all pieces scatter at once.
 *   IV   Buckets of records equal to a splitter are done. Others are split again, large ones by all
 *        threads; small ones are sorted in the cache: words by the vector sort, others by merging.
 * n lg n comparisons. Scratch: n records, n labels of 2 bytes, and counts for each piece. */
#define _POSIX_C_SOURCE 200809L
#include "backend/profile.h"
#include "core/random.h"
#include "cpu/radix/lines.h"
#include "cpu/sort/sort_steps.h"
#include "hybrid/stream/tuning.h"
#include "papers/hybrid/hybrid.h"
#include "papers/hybrid/sample_label.h"
#include "papers/hybrid/sample_records.h"

#include <string.h>

enum {
    LG_LEAVES = ORDO_TUNE_SAMPLE_LG,
    LEAVES = 1 << LG_LEAVES,
    BUCKETS = 2 * LEAVES, /* odd ones hold the records equal to a splitter */
    OVERSAMPLE = 8,       /* the fewest sampled records for each leaf */
    OVERCOUNT = 8,        /* the fewest records of a piece for each bucket of a larger tree */
    BASE = ORDO_TUNE_SAMPLE_BASE,
    PIECE = ORDO_TUNE_SAMPLE_PIECE,
    LEAST_PIECE = ORDO_TUNE_SAMPLE_LEAST_PIECE,
    PIECES = 64,     /* pieces of an array of up to 64 * PIECE records, so that all threads have
                      * work */
    ALL_DEPTH = 3,   /* levels that all threads split together, below the first one */
    ALONE_DEPTH = 3, /* levels that one thread splits before merge sort */
    BATCH = 8,       /* records that walk the tree together */
};
_Static_assert(2 * OVERSAMPLE * LEAVES <= BASE, "sample and its scratch fit the bucket");

/* The state of an array that all threads split, or whose buckets they sort. */
typedef struct sample_work {
    ordo_exec       *exec;
    unsigned         lg;           /* of the leaves of the tree */
    void            *tree;         /* nodes, then leaves (cpu_sample.t.h) */
    void            *data, *other; /* n records each */
    uint16_t        *labels;
    size_t           n;
    size_t          *counts;       /* [pieces][buckets] a histogram, then places in the buckets */
    size_t          *starts;       /* [buckets + 1] */
    size_t           first_bucket; /* the first bucket of the loop over buckets */
    bool             to_other;     /* the sorted buckets of data go to other */
    size_t           large;        /* more records than this are split by all threads */
    cpu_words_fn    *sort_words; /* the vector sort, for records that are words; NULL: merge sort */
    sample_label_fn *label;      /* NULL: label_all */
    size_t           base;       /* at most this many records are sorted without another split */
} sample_work;

static size_t least_piece(unsigned lg)
{
    return lg > LG_LEAVES ? OVERCOUNT * sample_buckets(lg) : LEAST_PIECE;
}

/* Records in a piece; the same in all phases for an array of n records. */
static size_t piece_of(unsigned lg, size_t n)
{
    return ordo_max(ordo_min(PIECE, ordo_div_up(n, PIECES)), least_piece(lg));
}

/* The largest number of pieces of an array of at most n records. */
static size_t most_pieces(unsigned lg, size_t n)
{
    return ordo_min(ordo_div_up(n, least_piece(lg)), ordo_max(PIECES, ordo_div_up(n, PIECE)));
}

static size_t *counts_at(const sample_work *work, size_t lo)
{
    return work->counts + lo / piece_of(work->lg, work->n) * sample_buckets(work->lg);
}

static size_t sample_size(size_t n)
{
    return ordo_min(n, ordo_max(sample_root(n), OVERSAMPLE * LEAVES));
}

static void count_labels(const uint16_t *labels, size_t n, size_t *counts)
{
    for (size_t i = 0; i < n; i++)
        counts[labels[i]]++;
}

static void count_piece(void *arg, size_t lo, size_t hi)
{
    const sample_work *const work = arg;
    size_t *const            counts = counts_at(work, lo);
    memset(counts, 0, sample_buckets(work->lg) * sizeof *counts);
    count_labels(work->labels + lo, hi - lo, counts);
}

/* Adds the histograms of the pieces: each becomes the places in the buckets, and work->starts the
 * places of the buckets. */
static void add_counts(const sample_work *work)
{
    size_t const  buckets = sample_buckets(work->lg), piece = piece_of(work->lg, work->n);
    size_t *const starts = work->starts;
    memset(starts, 0, (buckets + 1) * sizeof *starts);
    for (size_t lo = 0; lo < work->n; lo += piece) {
        size_t *const counts = counts_at(work, lo);
        for (size_t b = 0; b < buckets; b++) {
            size_t const here = counts[b];
            counts[b] = starts[b + 1];
            starts[b + 1] += here;
        }
    }
    for (size_t b = 0; b < buckets; b++)
        starts[b + 1] += starts[b];
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
    size_t const piece = piece_of(work->lg, work->n);
    double       began = phase != NULL ? ordo_profile_clock() : 0, now;
#define PHASE_ENDS(which)                                                                          \
    if (phase != NULL) {                                                                           \
        now = ordo_profile_clock();                                                                \
        phase[which] += now - began;                                                               \
        began = now;                                                                               \
    }
    if (!ordo_loop(work->exec, work->n, piece, label, work))
        return ORDO_E_CANCELLED;
    PHASE_ENDS(0)
    if (!ordo_loop(work->exec, work->n, piece, count_piece, work))
        return ORDO_E_CANCELLED;
    add_counts(work);
    PHASE_ENDS(1)
    if (!ordo_loop(work->exec, work->n, piece, scatter, work))
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
    void (*build_tree)(const sample_work *work, const void *splitters);
    void (*scatter_span)(unsigned lg, const void *data, const uint16_t *labels, size_t n,
                         size_t *to, void *out);
    ordo_body *label, *scatter, *sort_bucket;
    ordo_status (*split_by_all)(sample_work *work);
} sample_kind;

#define SAMPLE_KIND(R)                                                                             \
    {                                                                                              \
        sizeof(record_##R), take_splitters_##R, build_tree_##R, scatter_span_##R, label_piece_##R, \
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
    size_t      starts[BUCKETS + 1];
    work.lg = LG_LEAVES;
    work.starts = starts;
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
 *   tree | sample | scratch of its sort | splitters (sort on the CPU alone) | starts | counts per
 *   piece; also enough for the splits of large buckets, whose trees have LG_LEAVES */

static size_t tree_bytes(unsigned lg, size_t record)
{
    return ordo_round_up(ordo_max(sample_buckets(lg), BUCKETS) * record, ORDO_CACHE_LINE);
}

static size_t sample_bytes(unsigned lg, size_t n, size_t record)
{
    size_t const splitters = sample_buckets(lg) / 2;
    return ordo_round_up((2 * ordo_max(sample_size(n), splitters) + splitters) * record,
                         ORDO_CACHE_LINE);
}

static size_t starts_bytes(unsigned lg)
{
    return ordo_round_up((sample_buckets(lg) + 1) * sizeof(size_t), ORDO_CACHE_LINE);
}

static size_t work_bytes(unsigned lg, size_t n, size_t record)
{
    size_t const counts = most_pieces(lg, n) * sample_buckets(lg);
    return tree_bytes(lg, record) + sample_bytes(lg, n, record) + starts_bytes(lg) +
           ordo_max(counts, most_pieces(LG_LEAVES, n) * BUCKETS) * sizeof(size_t);
}

static sample_label_fn *labels_of(const cpu_kernels *kernels, size_t record)
{
#if defined(__x86_64__)
    if (kernels != NULL && strcmp(kernels->isa, "avx512") == 0)
        return record == sizeof(uint32_t)   ? sample_label_32_avx512
               : record == sizeof(uint64_t) ? sample_label_64_avx512
                                            : NULL;
#endif
    (void)kernels;
    (void)record;
    return NULL;
}

static sample_work open_work(const cpu_kernels *kernels, void *block, unsigned lg, size_t n,
                             size_t record, ordo_exec *exec)
{
    char *const   starts = (char *)block + tree_bytes(lg, record) + sample_bytes(lg, n, record);
    cpu_words_fn *sort_words = kernels == NULL              ? NULL
                               : record == sizeof(uint32_t) ? kernels->sort_words[CPU_WORDS_32]
                               : record == sizeof(uint64_t) ? kernels->sort_words[CPU_WORDS_64]
                                                            : NULL;
    return (sample_work){.exec = exec,
                         .lg = lg,
                         .tree = block,
                         .n = n,
                         .starts = (size_t *)(void *)starts,
                         .counts = (size_t *)(void *)(starts + starts_bytes(lg)),
                         .sort_words = sort_words,
                         .label = labels_of(kernels, record),
                         .base = sort_words != NULL ? ORDO_TUNE_SAMPLE_WORDS : BASE};
}

static char *sample_of(const sample_work *work, size_t record)
{
    return (char *)work->tree + tree_bytes(work->lg, record);
}

/* The size of the sample of a whole input. */
static size_t first_sample(const sample_work *work, bool intervals, size_t n)
{
    return intervals ? ordo_min(sample_root(n), sample_buckets(work->lg) / 2 - 1) : sample_size(n);
}

/* ---- The CPU alone ---- */

/* Whether n records are sorted as one bucket. */
static bool is_one_bucket(bool intervals, size_t n)
{
    return intervals ? n < ORDO_TUNE_SAMPLE_LEAST : n <= BASE;
}

size_t cpu_records_sample_scratch(const cpu_records *records, bool intervals)
{
    size_t const n = records->n, size = record_size(records->kind);
    if (is_one_bucket(intervals, n))
        return ordo_round_up(n * size, ORDO_CACHE_LINE);
    return ordo_round_up(n * size, ORDO_CACHE_LINE) +
           ordo_round_up(n * sizeof(uint16_t), ORDO_CACHE_LINE) +
           ordo_round_up(work_bytes(sample_lg(intervals, n), n, size), ORDO_CACHE_LINE);
}

static void choose_splitters(const sample_work *work, const sample_kind *kind, bool intervals)
{
    size_t const size = first_sample(work, intervals, work->n);
    char *const  sample = sample_of(work, kind->size);
    char *const  splitters = record_at(sample, kind, 2 * size);
    for (size_t i = 0; i < size; i++)
        memcpy(record_at(sample, kind, i),
               record_at(work->data, kind, sample_position(i, size, work->n)), kind->size);
    kind->take_splitters(work, sample, size, splitters);
    kind->build_tree(work, splitters);
}

static ordo_status sort_in_phases(sample_work *work, const sample_kind *kind, bool intervals,
                                  double *phase)
{
    ordo_exec *const exec = work->exec;
    void *const      records = work->data;
    double const     began = ordo_profile_clock();
    unsigned const   first = exec->phase;
    if (exec->phases < first + CPU_SAMPLE_PHASES)
        exec->phases = first + CPU_SAMPLE_PHASES;
    choose_splitters(work, kind, intervals);
    phase[0] += ordo_profile_clock() - began;
    TRY(split_timed(work, kind->label, kind->scatter, phase));
    double const scattered = ordo_profile_clock();
    work->data = work->other;
    work->other = records;
    work->to_other = true;
    exec->phase = first + 2;
    ordo_sample_keep_pass(&exec->facts, work->labels, work->n, work->n,
                          first_sample(work, intervals, work->n));
    TRY(sort_buckets(work, kind, 0, sample_buckets(work->lg), ALL_DEPTH));
    phase[3] += ordo_profile_clock() - scattered;
    return ORDO_OK;
}

ordo_status cpu_records_sample(const cpu_records *records, bool intervals,
                               const cpu_kernels *kernels, ordo_exec *exec)
{
    const sample_kind *const kind = kind_of(record_size(records->kind));
    size_t const             n = records->n;
    unsigned const           lg = sample_lg(intervals, n);
    void                    *block = NULL;
    exec->algorithm = intervals ? "intervals" : "sample";
    exec->isa = "generic";
    if (n < 2)
        return ORDO_OK;
    TRY(ordo_scratch(exec, cpu_records_sample_scratch(records, intervals), &block));
    sample_work work = open_work(kernels, block, lg, n, kind->size, exec);
    work.data = records->array;
    if (is_one_bucket(intervals, n)) {
        size_t starts[2] = {0, n};
        work.other = block;
        work.starts = starts;
        work.large = SIZE_MAX;
        kind->sort_bucket(&work, 0, 1);
        return ORDO_OK;
    }
    work.other = (char *)block + ordo_round_up(work_bytes(lg, n, kind->size), ORDO_CACHE_LINE);
    work.labels =
        (uint16_t *)(void *)((char *)work.other + ordo_round_up(n * kind->size, ORDO_CACHE_LINE));
    double seconds[4] = {0};
    TRY(sort_in_phases(&work, kind, intervals, seconds));
    exec->facts.buckets = sample_buckets(lg);
    memcpy(exec->facts.sample_seconds, seconds, sizeof seconds);
    memcpy(exec->facts.cpu_seconds, seconds, sizeof seconds);
    return ORDO_OK;
}

/* ---- Steps of the hybrid sample sort ---- */

static ordo_status step_split(const radix_io *io, const ordo_sample_job *job,
                              const sample_kind *kind, const sample_work *work)
{
    size_t const size = first_sample(work, job->intervals, job->n);
    char *const  sample = sample_of(work, kind->size);
    for (size_t i = 0; i < size; i++)
        __builtin_prefetch((const char *)job->keys +
                           sample_position(i, size, job->n) * io->key_size);
    for (size_t i = 0; i < size; i++) {
        size_t const    at = sample_position(i, size, job->n);
        ordo_sample_job one = *job;
        one.n = 1;
        one.first = at;
        one.keys = (const char *)job->keys + at * io->key_size;
        sample_load(io, &one, record_at(sample, kind, i));
    }
    kind->take_splitters(work, sample, size, job->splitters);
    return ORDO_OK;
}

/* Loads the records of a piece. LABEL and SCATTER both do, because keys are smaller than records in
 * memory, and a piece stays in the cache. */
static void load_piece(const radix_io *io, const ordo_sample_job *job, sample_work *work)
{
    sample_load(io, job, job->records);
    work->data = job->records;
}

static ordo_status step_label(const radix_io *io, const ordo_sample_job *job,
                              const sample_kind *kind, sample_work *work)
{
    load_piece(io, job, work);
    kind->build_tree(work, job->splitters);
    kind->label(work, 0, job->n);
    return ORDO_OK;
}

static ordo_status step_count(const ordo_sample_job *job)
{
    memset(job->counts, 0, sample_buckets(job->lg) * sizeof *job->counts);
    for (size_t i = 0; i < job->n; i++)
        job->counts[job->labels[i]]++;
    return ORDO_OK;
}

static ordo_status step_scatter(const radix_io *io, const ordo_sample_job *job,
                                const sample_kind *kind, sample_work *work)
{
    load_piece(io, job, work);
    for (size_t b = 0; b < sample_buckets(work->lg); b++)
        work->counts[b] = (size_t)job->places[b];
    kind->scatter_span(work->lg, job->records, job->labels, job->n, work->counts, job->scattered);
    return ORDO_OK;
}

static ordo_status step_sort(const ordo_sample_job *job, const sample_kind *kind,
                             const sample_work *work)
{
    sample_work bucket = *work;
    size_t      starts[2] = {0, job->owned};
    bucket.data = job->scattered;
    bucket.other = job->records;
    bucket.starts = starts;
    return sort_buckets(&bucket, kind, 0, 1, ALL_DEPTH);
}

ordo_status cpu_sample(void *state, const ordo_sample_job *job, ordo_exec *exec)
{
    const sample_kind *const kind = kind_of(job->record_size);
    radix_io                 io = sample_io(state, job);
    sample_work              work =
        open_work(state, job->work, job->lg, ordo_max(job->n, job->owned), job->record_size, exec);
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
        return step_scatter(&io, job, kind, &work);
    case ORDO_SAMPLE_SORT:
        return step_sort(job, kind, &work);
    case ORDO_SAMPLE_RESULT:
        sample_store(&io, state, job);
        return ORDO_OK;
    case ORDO_SAMPLE_VALUES:
        sample_store_values(job);
        return ORDO_OK;
    case ORDO_SAMPLE_PLACE:
        break;
    }
    return ordo_fail(exec, ORDO_E_UNSUPPORTED, "the CPU has no step %d", (int)job->step);
}

size_t cpu_sample_work(const ordo_sample_job *job)
{
    return work_bytes(job->lg, ordo_max(job->n, job->owned), job->record_size);
}
