/* dev_sample.cu - comparison sample sort in the four phases of Subashini and Ramya, "Hybrid
 * Comparison Sorting": on the GPU alone, and the GPU's steps of the hybrid sort (backend/sample.h).
 * I    splitters: a block draws and sorts 1024 records of every segment and takes every fourth.
 *      Labels: every record finds its bucket in a tree of splitters (also Leischner, Osipov and
 *      Sanders, "GPU sample sort", 2010)
 * II   histograms: blocks count the buckets of their spans in shared memory
 * III  scatter: records go to their buckets; those equal to a splitter are in their final place
 * IV   recursion: small buckets are sorted in shared memory; others are segments of the next level
 * With splitters at intervals of sqrt(n) (INTERVALS), the first level has a larger tree
 * (dev_intervals.cuh). One block sorts each segment left after the last level. Cost of a level: 2
 * reads and 1 write of the records, 6 bytes of labels per record. Scratch: an array of records,
 * labels, counts. */
#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/runtime/cuda_state.cuh"
#include "papers/base/dev_compare.cuh"
#include "papers/hybrid/dev_intervals.cuh"
#include "papers/hybrid/hybrid.h"

static unsigned sample_grid(const cuda_call *call) { return (unsigned)call->facts->sms * RESIDENT; }

/* ---- Levels ---- */

/* Phases I to III of one level: splits the segments of a into buckets in b. */
template <typename K>
static ordo_status split_level(cuda_call *call, const sample_tables &tables, int level, const K *a,
                               K *b)
{
    unsigned const         grid = sample_grid(call);
    sample_target<K> const to = {b, (K *)tables.finished, NULL, 0, BUCKETS};
    TRY(CUDA_LAUNCH(call, (choose_splitters<K>), grid, THREADS, 0, tables, level, a));
    TRY(CUDA_LAUNCH(call, number_spans, 1, SCAN_THREADS, 0, tables, level));
    TRY(CUDA_LAUNCH(call, (label_records<K>), grid, THREADS, 0, tables, level, a));
    TRY(CUDA_LAUNCH(call, count_labels, grid, THREADS, 0, tables, level));
    TRY(CUDA_LAUNCH(call, place_buckets, grid, BUCKETS, 0, tables, level));
    return CUDA_LAUNCH(call, (scatter_records<K>), grid, THREADS, 0, tables, level, a, to);
}

/* Phase IV: sorts the buckets of `level` in b, and splits the buckets that are too large, with a as
 * the other array. `left` is the expected size of a bucket. */
template <typename K>
static ordo_status sort_level(cuda_call *call, const sample_tables &tables, int level, K *a, K *b,
                              size_t left)
{
    unsigned const grid = sample_grid(call);
    TRY(CUDA_LAUNCH(call, (sort_buckets<K>), grid, THREADS, 0, tables, level, b));
    while (left > bucket_records<K>() / (2 * SPLIT_LEAVES)) {
        K *const other = a;
        a = b;
        b = other;
        left /= SPLIT_LEAVES;
        level++;
        TRY(split_level(call, tables, level, a, b));
        TRY(CUDA_LAUNCH(call, (sort_buckets<K>), grid, THREADS, 0, tables, level, b));
    }
    return CUDA_LAUNCH(call, (sort_stubborn<K>), grid, THREADS, 0, tables, level + 1, b);
}

/* ---- A larger tree for the first level ---- */

static bool is_wide(unsigned lg) { return lg != SPLIT_LG; }

/* The shared memory of a histogram. */
static size_t wide_bytes(unsigned lg) { return sample_buckets(lg) * sizeof(unsigned); }

template <typename K>
static ordo_status label_with(cuda_call *call, const sample_tables &tables, const void *splitters,
                              const K *records, size_t n)
{
    return CUDA_LAUNCH(call, (label_wide<K>), sample_grid(call), THREADS, 0, records, n,
                       (const K *)splitters, tables.lg, tables.labels);
}

static ordo_status count_in(cuda_call *call, const sample_tables &tables, size_t n,
                            unsigned long long *counts)
{
    size_t const bytes = wide_bytes(tables.lg);
    CUDA_TRY(call->exec,
             cudaMemsetAsync(counts, 0, sample_buckets(tables.lg) * sizeof *counts, call->stream));
    TRY(cuda_allow_shared(call, count_wide, bytes));
    return CUDA_LAUNCH(call, count_wide, (unsigned)call->facts->sms, WIDE_THREADS, bytes,
                       tables.labels, n, (unsigned)sample_buckets(tables.lg), counts);
}

/* tables.counts has the place of the first record of each bucket. */
template <typename K>
static ordo_status scatter_to(cuda_call *call, const sample_tables &tables, const K *from, size_t n,
                              const sample_target<K> &to)
{
    size_t const bytes = wide_bytes(tables.lg);
    TRY(cuda_allow_shared(call, scatter_wide<K>, bytes));
    return CUDA_LAUNCH(call, (scatter_wide<K>), (unsigned)call->facts->sms, WIDE_THREADS, bytes,
                       tables.labels, n, (unsigned)sample_buckets(tables.lg), tables.counts, from,
                       to);
}

static ordo_status check_wide(cuda_call *call, size_t n)
{
    return n <= UINT32_MAX
               ? ORDO_OK
               : ordo_fail(call->exec, ORDO_E_UNSUPPORTED,
                           "algorithm intervals sorts at most 2^32 - 1 keys on a GPU, not %zu", n);
}

/* ---- The GPU alone ---- */

static sample_tables alone_layout(cuda_scratch *scratch, unsigned lg, size_t n, size_t record_size)
{
    sample_tables tables = sample_layout(scratch, lg, n, record_size);
    tables.labels = scratch_take<uint16_t>(scratch, n);
    tables.finished = scratch_take<char>(scratch, n * record_size);
    return tables;
}

static size_t sample_scratch(size_t n, size_t record_size)
{
    cuda_scratch scratch = {NULL, 0};
    (void)alone_layout(&scratch, SPLIT_LG, n, record_size);
    return scratch.used;
}

static size_t intervals_scratch(size_t n, size_t record_size)
{
    cuda_scratch scratch = {NULL, 0};
    (void)alone_layout(&scratch, sample_lg(true, n), n, record_size);
    return scratch.used;
}

template <typename K>
static ordo_status sample_sort(cuda_call *call, K *a, K *b, size_t n, compare_known, K **sorted)
{
    sample_tables const tables = alone_layout(&call->scratch, SPLIT_LG, n, sizeof(K));
    *sorted = (K *)tables.finished;
    if (n <= bucket_records<K>())
        return CUDA_LAUNCH(call, (sort_one<K>), 1, THREADS, 0, a, (K *)tables.finished,
                           (unsigned)n);
    TRY(CUDA_LAUNCH(call, first_segment, 1, 1, 0, tables, n));
    TRY(split_level(call, tables, 0, a, b));
    return sort_level(call, tables, 0, a, b, n / SPLIT_LEAVES);
}

/* Sorts the sample in b, with one block, and fills the tree. */
template <typename K>
static ordo_status sort_sample(cuda_call *call, const sample_tables &tables, K *b, size_t size)
{
    if (size <= bucket_records<K>()) {
        TRY(CUDA_LAUNCH(call, (sort_one<K>), 1, THREADS, 0, b, (K *)tables.finished,
                        (unsigned)size));
    } else {
        TRY(CUDA_LAUNCH(call, first_segment, 1, 1, 0, tables, size));
        TRY(CUDA_LAUNCH(call, (sort_stubborn<K>), 1, THREADS, 0, tables, 0, b));
    }
    return CUDA_LAUNCH(call, (pad_splitters<K>), sample_grid(call), THREADS, 0,
                       (const K *)tables.finished, size, (size_t)1 << tables.lg,
                       (K *)tables.splitters);
}

template <typename K>
static ordo_status intervals_sort(cuda_call *call, K *a, K *b, size_t n, compare_known, K **sorted)
{
    unsigned const         lg = sample_lg(true, n);
    sample_tables const    tables = alone_layout(&call->scratch, lg, n, sizeof(K));
    size_t const           size = ordo_min(sample_root(n), ((size_t)1 << lg) - 1);
    unsigned const         buckets = (unsigned)sample_buckets(lg);
    sample_target<K> const to = {b, (K *)tables.finished, NULL, 0, buckets};
    *sorted = (K *)tables.finished;
    TRY(check_wide(call, n));
    if (n < ORDO_TUNE_SAMPLE_LEAST)
        return CUDA_LAUNCH(call, (sort_one<K>), 1, THREADS, 0, a, (K *)tables.finished,
                           (unsigned)n);
    TRY(CUDA_LAUNCH(call, (pick_sample<K>), sample_grid(call), THREADS, 0, a, n, size, b));
    TRY(sort_sample(call, tables, b, size));
    TRY(CUDA_LAUNCH(call, first_segment, 1, 1, 0, tables, n));
    TRY(label_with<K>(call, tables, tables.splitters, a, n));
    TRY(count_in(call, tables, n, tables.counts));
    TRY(CUDA_LAUNCH(call, place_wide, 1, WIDE_THREADS, 0, buckets, tables.counts,
                    tables.bucket_first));
    TRY(scatter_to<K>(call, tables, a, n, to));
    return sort_level(call, tables, 0, a, b, n >> lg);
}

static const compare_sorter sample_sorter = {"sample",
                                             sample_scratch,
                                             false,
                                             sample_sort<uint32_t>,
                                             sample_sort<uint64_t>,
                                             sample_sort<key_record>};

static const compare_sorter intervals_sorter = {"intervals",
                                                intervals_scratch,
                                                false,
                                                intervals_sort<uint32_t>,
                                                intervals_sort<uint64_t>,
                                                intervals_sort<key_record>};

const ordo_cuda_sorter dev_sample_sort = compare_slots<sample_sorter>::slots;
const ordo_cuda_sorter dev_intervals_sort = compare_slots<intervals_sorter>::slots;

/* ---- Steps of the hybrid sample sort ---- */

/* The tables in job->work. The steps LABEL, COUNT and SCATTER share them; the device's part of the
 * input is the only segment. */
static sample_tables step_tables(const ordo_sample_job *job, size_t n)
{
    cuda_scratch  scratch = {(char *)job->work, 0};
    sample_tables tables = sample_layout(&scratch, job->lg, n, job->record_size);
    tables.labels = job->labels;
    tables.finished = job->finished;
    return tables;
}

static size_t step_work(const ordo_sample_job *job)
{
    cuda_scratch part = {NULL, 0}, owned = {NULL, 0};
    (void)sample_layout(&part, job->lg, job->n, job->record_size);
    (void)sample_layout(&owned, job->lg, job->owned, job->record_size);
    return ordo_max(part.used, owned.used);
}

template <typename K, bool INDEXED, typename CODE>
static ordo_status encode(cuda_call *call, const ordo_sample_job *job, CODE code)
{
    return CUDA_LAUNCH(call, (encode_records<K, INDEXED, CODE>), record_blocks(call, job->n),
                       RECORD_THREADS, 0, (const typename CODE::BITS *)job->keys, job->n,
                       job->first, code, (K *)job->records);
}

template <typename K, bool INDEXED, typename CODE>
static ordo_status step_label_as(cuda_call *call, const ordo_sample_job *job, CODE code)
{
    sample_tables  tables = step_tables(job, job->n);
    unsigned const grid = sample_grid(call);
    tables.splitters = job->splitters;
    TRY((encode<K, INDEXED>(call, job, code)));
    if (is_wide(job->lg))
        return label_with<K>(call, tables, job->splitters, (const K *)job->records, job->n);
    TRY(CUDA_LAUNCH(call, first_segment, 1, 1, 0, tables, job->n));
    TRY(CUDA_LAUNCH(call, number_spans, 1, SCAN_THREADS, 0, tables, 0));
    return CUDA_LAUNCH(call, (label_records<K>), grid, THREADS, 0, tables, 0,
                       (const K *)job->records);
}

static ordo_status step_label(cuda_call *call, const ordo_sample_job *job)
{
    return with_key_code(job->type, job->descending, job->indexed ? KEY_FOLDED : KEY_TOTAL,
                         [&](auto code) -> ordo_status {
                             if (job->record_size == sizeof(key_record))
                                 return step_label_as<key_record, true>(call, job, code);
                             if constexpr (sizeof(typename decltype(code)::BITS) == 8)
                                 return step_label_as<uint64_t, false>(call, job, code);
                             else if (job->indexed)
                                 return step_label_as<uint64_t, true>(call, job, code);
                             else
                                 return step_label_as<uint32_t, false>(call, job, code);
                         });
}

static ordo_status step_count(cuda_call *call, const ordo_sample_job *job)
{
    sample_tables const tables = step_tables(job, job->n);
    if (is_wide(job->lg))
        return count_in(call, tables, job->n, (unsigned long long *)job->counts);
    TRY(CUDA_LAUNCH(call, count_labels, sample_grid(call), THREADS, 0, tables, 0));
    return CUDA_LAUNCH(call, total_counts, BUCKETS / TOTAL_THREADS, TOTAL_THREADS, 0, tables,
                       (unsigned long long *)job->counts);
}

template <typename K> static sample_target<K> target_of(const ordo_sample_job *job)
{
    sample_target<K> const target = {(K *)job->scattered, (K *)job->finished, (K *)job->outbox,
                                     (unsigned)job->bucket_first, (unsigned)job->bucket_end};
    return target;
}

template <typename K> static ordo_status step_scatter(cuda_call *call, const ordo_sample_job *job)
{
    sample_tables const tables = step_tables(job, job->n);
    if (is_wide(job->lg)) {
        CUDA_TRY(call->exec, cudaMemcpyAsync(tables.counts, job->places,
                                             sample_buckets(job->lg) * sizeof *tables.counts,
                                             cudaMemcpyDeviceToDevice, call->stream));
        return scatter_to<K>(call, tables, (const K *)job->records, job->n, target_of<K>(job));
    }
    TRY(CUDA_LAUNCH(call, place_spans, BUCKETS / TOTAL_THREADS, TOTAL_THREADS, 0, tables,
                    (const unsigned long long *)job->places));
    return CUDA_LAUNCH(call, (scatter_records<K>), sample_grid(call), THREADS, 0, tables, 0,
                       (const K *)job->records, target_of<K>(job));
}

template <typename K> static ordo_status step_place(cuda_call *call, const ordo_sample_job *job)
{
    if (job->inbox_n == 0)
        return ORDO_OK;
    return CUDA_LAUNCH(call, (place_records<K>), record_blocks(call, job->inbox_n), THREADS, 0,
                       (const K *)job->inbox, job->inbox_n, (const unsigned long long *)job->from,
                       (const unsigned long long *)job->to, (unsigned)sample_buckets(job->lg),
                       target_of<K>(job));
}

/* The buckets of the group become the buckets of level 0; other buckets are empty. */
template <typename K> static ordo_status step_sort(cuda_call *call, const ordo_sample_job *job)
{
    sample_tables tables = step_tables(job, job->owned);
    if (job->owned == 0)
        return ORDO_OK;
    TRY(CUDA_LAUNCH(call, first_segment, 1, 1, 0, tables, job->owned));
    CUDA_TRY(call->exec,
             cudaMemcpyAsync(tables.bucket_first, job->starts,
                             (sample_buckets(job->lg) + 1) * sizeof *tables.bucket_first,
                             cudaMemcpyDeviceToDevice, call->stream));
    return sort_level(call, tables, 0, (K *)job->records, (K *)job->scattered,
                      job->owned >> job->lg);
}

template <typename K, typename CODE>
static ordo_status step_keys(cuda_call *call, const ordo_sample_job *job, CODE code)
{
    return CUDA_LAUNCH(call, (decode_keys<K, CODE>), record_blocks(call, job->owned),
                       RECORD_THREADS, 0, (const K *)job->finished, job->owned, code,
                       (typename CODE::BITS *)job->result);
}

template <typename K, typename INDEX>
static ordo_status step_index(cuda_call *call, const ordo_sample_job *job)
{
    return CUDA_LAUNCH(call, (take_index<K, INDEX>), record_blocks(call, job->owned),
                       RECORD_THREADS, 0, (const K *)job->finished, job->owned,
                       (INDEX *)job->result);
}

template <typename K, typename UNIT>
static ordo_status step_units(cuda_call *call, const ordo_sample_job *job)
{
    size_t const units = job->value_size / sizeof(UNIT);
    return CUDA_LAUNCH(call, (look_up<K, UNIT>), record_blocks(call, job->owned * units),
                       RECORD_THREADS, 0, (const K *)job->finished, job->owned,
                       (const UNIT *)job->values, units, (UNIT *)job->result_values);
}

template <typename K> static ordo_status step_pairs(cuda_call *call, const ordo_sample_job *job)
{
    return with_key_code(job->type, job->descending, KEY_FOLDED, [&](auto code) -> ordo_status {
        typedef decltype(code) CODE;
        return CUDA_LAUNCH(call, (decode_pairs<K, CODE>), record_blocks(call, job->owned),
                           RECORD_THREADS, 0, (const K *)job->finished, job->owned, code,
                           (typename CODE::BITS *)job->result);
    });
}

/* The unit is the largest power of two that divides the size, because results of a group begin at
 * any multiple of the size. */
template <typename K> static ordo_status step_values(cuda_call *call, const ordo_sample_job *job)
{
    size_t const size = job->value_size;
    if (job->owned == 0)
        return ORDO_OK;
    return size % sizeof(uint4) == 0      ? step_units<K, uint4>(call, job)
           : size % sizeof(uint64_t) == 0 ? step_units<K, uint64_t>(call, job)
           : size % sizeof(uint32_t) == 0 ? step_units<K, uint32_t>(call, job)
           : size % sizeof(uint16_t) == 0 ? step_units<K, uint16_t>(call, job)
                                          : step_units<K, uint8_t>(call, job);
}

static ordo_status step_result(cuda_call *call, const ordo_sample_job *job)
{
    bool const narrow = job->index_type == ORDO_U32;
    if (job->owned == 0)
        return ORDO_OK;
    if (job->value_size != 0)
        return job->record_size == sizeof(key_record) ? step_pairs<key_record>(call, job)
                                                      : step_pairs<uint64_t>(call, job);
    if (job->indexed && job->record_size == sizeof(key_record))
        return narrow ? step_index<key_record, uint32_t>(call, job)
                      : step_index<key_record, uint64_t>(call, job);
    if (job->indexed)
        return narrow ? step_index<uint64_t, uint32_t>(call, job)
                      : step_index<uint64_t, uint64_t>(call, job);
    return with_key_code(job->type, job->descending, KEY_TOTAL, [&](auto code) -> ordo_status {
        if constexpr (sizeof(typename decltype(code)::BITS) == 8)
            return step_keys<uint64_t>(call, job, code);
        else
            return step_keys<uint32_t>(call, job, code);
    });
}

template <typename K> static ordo_status record_step(cuda_call *call, const ordo_sample_job *job)
{
    switch (job->step) {
    case ORDO_SAMPLE_SCATTER:
        return step_scatter<K>(call, job);
    case ORDO_SAMPLE_PLACE:
        return step_place<K>(call, job);
    default:
        return step_sort<K>(call, job);
    }
}

static ordo_status run_step(cuda_call *call, const ordo_sample_job *job)
{
    if (job->step == ORDO_SAMPLE_SPLIT)
        return ordo_fail(call->exec, ORDO_E_UNSUPPORTED, "the CPU chooses the splitters");
    if (is_wide(job->lg))
        TRY(check_wide(call, ordo_max(job->n, job->owned)));
    call->exec->algorithm = "sample";
    switch (job->step) {
    case ORDO_SAMPLE_LABEL:
        return step_label(call, job);
    case ORDO_SAMPLE_COUNT:
        return step_count(call, job);
    case ORDO_SAMPLE_RESULT:
        return step_result(call, job);
    case ORDO_SAMPLE_VALUES:
        return job->record_size == sizeof(key_record) ? step_values<key_record>(call, job)
                                                      : step_values<uint64_t>(call, job);
    default:
        break;
    }
    return job->record_size == sizeof(uint32_t)   ? record_step<uint32_t>(call, job)
           : job->record_size == sizeof(uint64_t) ? record_step<uint64_t>(call, job)
                                                  : record_step<key_record>(call, job);
}

/* The arrays of the job are device memory. */
static ordo_status sample_step(void *state, const ordo_sample_job *job, ordo_exec *exec)
{
    cuda_frame frame;
    TRY(frame_begin(&frame, (cuda_state *)state, exec, 0));
    return frame_end(&frame, run_step(&frame.call, job));
}

const ordo_sample_slots dev_sample_steps = {sample_step, step_work};
