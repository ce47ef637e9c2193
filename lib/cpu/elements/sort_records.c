/* sort_records.c - stable sort of structs by a key in each struct.
 *
 *   buckets   elements of up to ORDO_TUNE_ELEMENT bytes in arrays larger than the cache: a sample
 *             of the keys gives the buckets (radix/cut.h), every element is scattered to its bucket
 *             in scratch, and each bucket is sorted in the cache into its place (sort_bucket.c)
 *   direct    other arrays: the elements are sorted into scratch (sort_bucket.c) and copied back
 *   in place  if scratch for the elements is refused: an argsort of the keys, then one thread moves
 *             the elements along the cycles of the permutation
 * A first pass returns at once if the elements are in order; it ends at the first one that is not.
 * Scratch: n elements and 2 bytes for each, and that of the sort of a bucket. */
#include "core/random.h"
#include "cpu/elements/elements.h"
#include "cpu/radix/cut.h"

#include <string.h>

enum {
    SAMPLE_EACH = 16, /* sampled keys per bucket; at most ORDO_TUNE_RADIX_SAMPLE in all */
    LEAST_BUCKETS = 16,
    ALONE = ORDO_TUNE(2, 4) * ORDO_TUNE_L2, /* bytes of an array without buckets */
    WANTED = ORDO_TUNE_L2 / 2,              /* bytes of a bucket */
    BLOCK = 512,                            /* keys read at a time */
    CHECK_BLOCK = 64                        /* keys read at a time until one is out of order */
};

/* ---- In order ---- */

typedef struct order_work {
    const ordo_records_job *job;
    atomic_bool             broken; /* an element has a smaller key than the one before it */
} order_work;

static void check_order(void *arg, size_t lo, size_t hi)
{
    order_work *const work = arg;
    uint64_t          words[CHECK_BLOCK];
    for (size_t at = lo == 0 ? 0 : lo - 1, count; at + 1 < hi; at += count - 1) {
        bool broken = atomic_load_explicit(&work->broken, memory_order_relaxed);
        if (broken)
            return;
        count = ordo_min(CHECK_BLOCK, hi - at);
        element_read_keys(work->job, at, count, words);
        for (size_t i = 1; i < count; i++)
            broken |= words[i] < words[i - 1];
        if (broken)
            atomic_store_explicit(&work->broken, true, memory_order_relaxed);
    }
}

/* ---- By buckets ---- */

typedef struct bucket_work {
    const cpu_kernels      *kernels;
    const ordo_records_job *job;
    ordo_exec              *exec;
    radix_cut               cut;
    unsigned                width;    /* number of key bits */
    char                   *elements; /* the elements by bucket, in scratch */
    uint16_t               *labels;
    size_t                 *counts;  /* [chunk][bucket]: counts, then places in bytes */
    size_t                 *firsts;  /* [chunk][bucket]: the places of the first elements */
    bool                    streams; /* see element_scatter */
    char                   *blocks;  /* blocks of element_scatter, for each chunk; if it streams */
    uint64_t               *offsets; /* start of each bucket */
    size_t                  chunks, chunk;
    atomic_bool            *stored; /* a bucket was written to the array */
} bucket_work;

static bool takes_buckets(const ordo_records_job *job)
{
    return job->size <= ORDO_TUNE_ELEMENT && job->n * job->size > ALONE;
}

static size_t bucket_count(const ordo_records_job *job)
{
    size_t const wanted = job->n * job->size / WANTED;
    size_t       buckets = LEAST_BUCKETS;
    while (buckets < BUCKETS && buckets < wanted)
        buckets *= 2;
    return ordo_min(buckets, BUCKETS);
}

static size_t sample_count(const ordo_records_job *job)
{
    return ordo_min(ordo_min(bucket_count(job) * SAMPLE_EACH, ORDO_TUNE_RADIX_SAMPLE), job->n);
}

/* One chunk per thread, because each chunk has its own blocks. */
static size_t chunk_count(size_t n, unsigned threads)
{
    return ordo_min(threads - 1, n / ORDO_TUNE_PIECE) + 1;
}

static ordo_status choose_buckets(bucket_work *work)
{
    const ordo_records_job *const job = work->job;
    size_t const                  count = sample_count(job);
    uint64_t const                sequence = ordo_random_sequence(work->exec->seed, 'e');
    uint64_t                     *sample;
    radix_cells                  *cells;
    ordo_exec                     part = *work->exec;
    TRY_SCRATCH(work->exec, 2 * count * sizeof *sample, sample);
    TRY_SCRATCH(work->exec, sizeof *cells, cells);
    for (size_t i = 0; i < count; i++)
        element_read_keys(job, ordo_random_below(ordo_random_at(sequence, i), job->n), 1,
                          &sample[i]);
    ordo_sort_job const sort = {.type = ORDO_U64, .keys = sample, .n = count};
    TRY(cpu_sort((void *)work->kernels, &sort, &part));
    radix_choose_cut(sample, sample + count, count, work->width, bucket_count(job), 0, &work->cut,
                     cells);
    return ORDO_OK;
}

static void count_chunk(void *arg, size_t lo, size_t hi)
{
    const bucket_work *const work = arg;
    radix_cut const          cut = work->cut;
    for (size_t c = lo; c < hi; c++) {
        size_t const  begin = c * work->chunk, end = ordo_min(begin + work->chunk, work->job->n);
        size_t *const counts = work->counts + c * cut.buckets;
        uint64_t      words[BLOCK];
        memset(counts, 0, cut.buckets * sizeof *counts);
        for (size_t at = begin, count, blocks = 1; at < end; at += count, blocks++) {
            uint16_t *const labels = work->labels + at;
            count = ordo_min(BLOCK, end - at);
            element_read_keys(work->job, at, count, words);
            if (cut.even)
                for (size_t i = 0; i < count; i++)
                    labels[i] = (uint16_t)((words[i] >> cut.shift) & cut.mask);
            else
                for (size_t i = 0; i < count; i++)
                    labels[i] = (uint16_t)radix_bucket(&cut, words[i], work->width, cut.logs);
            for (size_t i = 0; i < count; i++)
                counts[labels[i]]++;
            if (blocks % 64 == 0 && ordo_poll(work->exec, (double)at / (double)work->job->n))
                return;
        }
    }
}

/* Turns counts into places: bucket after bucket, and within a bucket chunk after chunk, so that the
 * scatter is stable. */
static void place_buckets(const bucket_work *work)
{
    size_t const buckets = work->cut.buckets;
    size_t       sum = 0;
    for (size_t b = 0; b < buckets; b++) {
        work->offsets[b] = sum;
        for (size_t c = 0; c < work->chunks; c++) {
            size_t const here = work->counts[c * buckets + b];
            work->counts[c * buckets + b] = work->firsts[c * buckets + b] = sum * work->job->size;
            sum += here;
        }
    }
    work->offsets[buckets] = sum;
}

static void scatter_chunk(void *arg, size_t lo, size_t hi)
{
    const bucket_work *const      work = arg;
    const ordo_records_job *const job = work->job;
    size_t const                  buckets = work->cut.buckets;
    for (size_t c = lo; c < hi; c++) {
        size_t const          begin = c * work->chunk, end = ordo_min(begin + work->chunk, job->n);
        size_t const          blocks = c * buckets * element_block_bytes(job->size);
        element_scatter const scatter = {.to = work->elements,
                                         .size = job->size,
                                         .buckets = buckets,
                                         .places = work->counts + c * buckets,
                                         .firsts = work->firsts + c * buckets,
                                         .blocks = work->streams ? work->blocks + blocks : NULL,
                                         .streams = work->streams};
        for (size_t at = begin; at < end; at += ORDO_TUNE_PIECE) {
            size_t const count = ordo_min(ORDO_TUNE_PIECE, end - at);
            element_scatter_labels(&scatter, (const char *)job->base + at * job->size,
                                   work->labels + at, count);
            if (ordo_poll(work->exec, (double)at / (double)job->n))
                return;
        }
        element_scatter_end(&scatter);
    }
}

/* Sorts a bucket from scratch into its place of the array. */
static ordo_status sort_bucket(const void *arg, size_t i, size_t n, void *const *at,
                               ordo_exec *exec)
{
    const bucket_work *const work = arg;
    (void)i;
    atomic_store_explicit(work->stored, true, memory_order_relaxed);
    return element_sort_bucket(work->kernels, work->job, at[0], n, at[1], exec);
}

static size_t bucket_scratch(const void *arg, size_t n, const ordo_exec *exec)
{
    const bucket_work *const work = arg;
    return element_bucket_scratch(work->job->type, n, exec->threads);
}

static ordo_status take_bucket_memory(bucket_work *work)
{
    size_t const n = work->job->n, buckets = work->cut.buckets;
    work->chunks = chunk_count(n, work->exec->threads);
    work->chunk = ordo_div_up(n, work->chunks);
    TRY_SCRATCH(work->exec, 2 * work->chunks * buckets * sizeof *work->counts, work->counts);
    work->firsts = work->counts + work->chunks * buckets;
    work->streams = element_streams(n * work->job->size);
    if (work->streams)
        TRY_SCRATCH(work->exec, work->chunks * buckets * element_block_bytes(work->job->size),
                    work->blocks);
    TRY_SCRATCH(work->exec, (buckets + 1) * sizeof *work->offsets, work->offsets);
    TRY_SCRATCH(work->exec, n * sizeof *work->labels, work->labels);
    TRY_SCRATCH(work->exec, n * work->job->size, work->elements);
    return ORDO_OK;
}

/* If the last step fails, the elements are copied back from scratch, so none is lost. They are then
 * in the order of the buckets, and a stable sort of them has the same result. */
static ordo_status sort_by_buckets(const cpu_kernels *kernels, const ordo_records_job *job,
                                   ordo_exec *exec)
{
    atomic_bool stored = false;
    bucket_work work = {.kernels = kernels,
                        .job = job,
                        .exec = exec,
                        .stored = &stored,
                        .width = ordo_type_size(job->type) <= sizeof(uint32_t) ? 32 : 64};
    TRY(choose_buckets(&work));
    TRY(take_bucket_memory(&work));
    exec->phases = 4;
    if (!ordo_loop(exec, work.chunks, 1, count_chunk, &work))
        return ORDO_E_CANCELLED;
    exec->phase = 2;
    place_buckets(&work);
    if (!ordo_loop(exec, work.chunks, 1, scatter_chunk, &work))
        return ORDO_E_CANCELLED;
    exec->phase = 3;
    ordo_segment_view const view = {
        .count = work.cut.buckets, .offsets = work.offsets, .step = 1, .group = 1};
    ordo_segments_job const each = {
        .view = &view,
        .arrays = {{work.elements, job->size, true, false}, {job->base, job->size, false, true}},
        .one = sort_bucket,
        .scratch = bucket_scratch,
        .needs_scratch = true,
        .arg = &work};
    ordo_status const status = cpu_segments((void *)kernels, &each, exec);
    if (status != ORDO_OK && atomic_load_explicit(&stored, memory_order_relaxed))
        memcpy(job->base, work.elements, job->n * job->size);
    exec->facts.strategy = work.cut.even ? ORDO_STRATEGY_TOP_BITS : ORDO_STRATEGY_SPLITTERS;
    exec->facts.buckets = work.cut.buckets;
    return status;
}

/* ---- Direct ---- */

/* One thread sorts the elements: there are few of them, or there is no other thread. */
static bool is_alone(const ordo_records_job *job, const ordo_exec *exec)
{
    return job->n <= ORDO_TUNE_ALONE || exec->threads == 1;
}

static ordo_status sort_direct(const cpu_kernels *kernels, const ordo_records_job *job,
                               ordo_exec *exec)
{
    size_t const bytes = job->n * job->size;
    char        *sorted;
    TRY_SCRATCH(exec, bytes, sorted);
    TRY((is_alone(job, exec) ? element_sort_bucket : element_radix)(kernels, job, job->base, job->n,
                                                                    sorted, exec));
    ordo_copy_job const copy = {job->base, sorted, bytes};
    ordo_status const   status = cpu_copy(NULL, &copy, exec);
    if (status == ORDO_E_CANCELLED)
        memcpy(job->base, sorted, bytes);
    return status;
}

/* ---- In place ---- */

typedef struct keys_work { /* copies the keys of the elements to an array */
    const ordo_records_job *job;
    char                   *keys;
} keys_work;

static void copy_keys(void *arg, size_t lo, size_t hi)
{
    const keys_work *const        work = arg;
    const ordo_records_job *const job = work->job;
    size_t const                  size = ordo_type_size(job->type);
    for (size_t i = lo; i < hi; i++)
        memcpy(work->keys + i * size, (char *)job->base + i * job->size + job->key_offset, size);
}

static ordo_argsort_job order_of(const ordo_records_job *job)
{
    return (ordo_argsort_job){.type = job->type,
                              .n = job->n,
                              .descending = job->descending,
                              .index_type = job->n - 1 <= UINT32_MAX ? ORDO_U32 : ORDO_U64};
}

static ordo_status sort_in_place(const cpu_kernels *kernels, const ordo_records_job *job,
                                 ordo_exec *exec)
{
    ordo_argsort_job order = order_of(job);
    ordo_exec        part = *exec;
    keys_work        keys = {job, NULL};
    char            *room;
    TRY_SCRATCH(exec, job->size, room);
    TRY_SCRATCH(exec, job->n * ordo_type_size(job->type), keys.keys);
    TRY_SCRATCH(exec, job->n * ordo_type_size(order.index_type), order.index);
    exec->phases = exec->phase + 2;
    order.keys = keys.keys;
    if (!ordo_loop(exec, job->n, cpu_grain(job->n), copy_keys, &keys))
        return ORDO_E_CANCELLED;
    TRY(cpu_argsort((void *)kernels, &order, &part));
    exec->phase++;
    exec->algorithm = "cycles";
    exec->facts.strategy = ORDO_STRATEGY_IN_PLACE;
    return cpu_done(element_permute(job->base, job->size, job->n, order.index,
                                    order.index_type == ORDO_U32, room, exec));
}

/* ---- The whole sort ---- */

ordo_status cpu_sort_records(void *state, const ordo_records_job *job, ordo_exec *exec)
{
    const cpu_kernels *const kernels = state;
    order_work               order = {.job = job};
    exec->algorithm = "radix";
    if (job->n < 2)
        return ORDO_OK;
    atomic_init(&order.broken, false);
    exec->phases = 4;
    if (!ordo_loop(exec, job->n, cpu_grain(job->n), check_order, &order))
        return ORDO_E_CANCELLED;
    if (!atomic_load_explicit(&order.broken, memory_order_relaxed))
        return ORDO_OK;
    exec->phase = 1;
    ordo_status const status =
        takes_buckets(job) ? sort_by_buckets(kernels, job, exec) : sort_direct(kernels, job, exec);
    return status == ORDO_E_NOMEM ? sort_in_place(kernels, job, exec) : status;
}

/* Scratch of the last step if all buckets have the same number of elements. */
static size_t segments_scratch(const ordo_records_job *job, size_t buckets, const ordo_exec *exec)
{
    size_t const            n = ordo_div_up(job->n, buckets);
    bucket_work const       work = {.job = job};
    ordo_segment_view const view = {
        .count = buckets, .length = n, .stride = n, .step = 1, .group = buckets};
    ordo_segments_job const each = {
        .view = &view, .scratch = bucket_scratch, .needs_scratch = true, .arg = &work};
    return cpu_segments_scratch(&each, exec);
}

/* One bucket may hold all elements; the others may be as large as one thread's part. */
static size_t scratch_by_buckets(const ordo_records_job *job, const ordo_exec *exec)
{
    size_t const        n = job->n, chunks = chunk_count(n, exec->threads);
    size_t const        sample = sample_count(job);
    ordo_sort_job const sort = {.type = ORDO_U64, .n = sample};
    ordo_records_job    more = *job; /* the constant cost of each bucket */
    more.n += (size_t)16 * BUCKETS;
    return 2 * sample * sizeof(uint64_t) + sizeof(radix_cells) + cpu_sort_scratch(&sort, exec) +
           (2 * chunks + 1) * (BUCKETS + 1) * sizeof(uint64_t) +
           (element_streams(n * job->size) ? chunks * BUCKETS * element_block_bytes(job->size)
                                           : 0) +
           n * (sizeof(uint16_t) + job->size) + segments_scratch(job, 1, exec) +
           segments_scratch(&more, 2 * (size_t)exec->threads, exec);
}

size_t cpu_sort_records_scratch(const ordo_records_job *job, const ordo_exec *exec)
{
    if (job->n < 2)
        return 0;
    if (takes_buckets(job))
        return scratch_by_buckets(job, exec);
    return ordo_round_up(job->n * job->size, ORDO_CACHE_LINE) +
           (is_alone(job, exec) ? element_bucket_scratch : element_radix_scratch)(job->type, job->n,
                                                                                  exec->threads);
}
