/* dev_compare.cu - the frame of the papers' comparison sorts: keys, pairs and indices as records.
 *
 * Keys alone become one-to-one key bits, so equal records have equal bytes. Pairs and indices
 * become key bits with ties folded, above the index; pairs are gathered at the end. For sorts of
 * k-sorted arrays the radius is given by the caller or measured here. Scratch: two arrays of
 * records; for pairs also copies of both arrays and an index. */
#include "papers/base/dev_compare.cuh"
#include "cuda/rough/dev_rough.cuh"
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/sort/dev_radix.cuh"

template <typename K>
static ordo_status run_sorter(const compare_sorter *by, cuda_call *call, K *a, K *b, size_t n,
                              compare_known known, K **sorted)
{
    if constexpr (sizeof(K) == 4)
        return by->sort_32(call, a, b, n, known, sorted);
    else if constexpr (sizeof(K) == 8)
        return by->sort_64(call, a, b, n, known, sorted);
    else
        return by->sort_128(call, a, b, n, known, sorted);
}

/* ---- Radius ---- */

static ordo_radius_job radius_job(ordo_type type, const void *keys, size_t n, bool descending)
{
    ordo_radius_job job = {};
    job.type = type;
    job.keys = keys;
    job.n = n;
    job.descending = descending;
    return job;
}

static size_t radius_scratch(const compare_sorter *by, ordo_type type, size_t n)
{
    ordo_radius_job const job = radius_job(type, NULL, n, false);
    return by->needs_radius ? CUDA_SCRATCH_ALIGN + dev_radius_scratch(&job) : 0;
}

/* Measures the radius of the keys, which are still unchanged. Waits for the device. */
template <typename JOB>
static ordo_status measure_radius(cuda_call *call, const JOB *job, key_ties ties, size_t *radius)
{
    ordo_radius_job const measured = radius_job(job->type, job->keys, job->n, job->descending);
    const uint64_t       *word;
    uint64_t              found = 0;
    TRY(dev_radius_enqueue(call, &measured, ties, SIZE_MAX - 1, &word));
    TRY(call_fetch(call, &found, word, sizeof found));
    *radius = (size_t)found;
    return ORDO_OK;
}

template <typename K>
static __global__ void find_unsorted(const K *records, size_t n, unsigned *unsorted)
{
    grid_each(n - 1, [&](size_t i) {
        if (records[i + 1] < records[i])
            *(volatile unsigned *)unsorted = 1;
    });
}

/* Waits for the device. */
template <typename K>
static ordo_status check_sorted(cuda_call *call, const K *records, size_t n, bool *is_sorted)
{
    unsigned *const unsorted = scratch_take<unsigned>(&call->scratch, 1);
    unsigned        found = 0;
    CUDA_TRY(call->exec, cudaMemsetAsync(unsorted, 0, sizeof *unsorted, call->stream));
    TRY(CUDA_LAUNCH(call, find_unsorted<K>, record_blocks(call, n), RECORD_THREADS, 0, records, n,
                    unsorted));
    TRY(call_fetch(call, &found, unsorted, sizeof found));
    *is_sorted = found == 0;
    return ORDO_OK;
}

/* ---- Records ---- */

static size_t records_scratch(const compare_sorter *by, size_t n, size_t size)
{
    return 2 * ordo_round_up(n * size, CUDA_SCRATCH_ALIGN) +
           (by->scratch == NULL ? 0 : by->scratch(n, size));
}

/* Makes the records of a job and sorts them. A radius given by the caller is tried first. If it was
 * too small, the radius is measured, and new records are sorted. */
template <typename K, bool INDEXED, typename JOB, typename CODE>
static ordo_status sort_records(const compare_sorter *by, cuda_call *call, const JOB *job,
                                CODE code, K **sorted)
{
    typedef typename CODE::BITS BITS;
    size_t const                n = job->n;
    K *const                    a = scratch_take<K>(&call->scratch, n);
    K *const                    b = scratch_take<K>(&call->scratch, n);
    compare_known known = {job->radius, INDEXED && sizeof(K) == sizeof(uint64_t) ? 32u : 0u};
    bool const    tries = !by->needs_radius || known.radius > 0;
    bool          done = !by->needs_radius;
    if (by->needs_radius)
        call->exec->facts.tried_radius = known.radius;
    for (int round = tries ? 0 : 1; round < 2; round++) {
        if (round == 1) {
            call->exec->facts.radius_failed = tries;
            TRY(measure_radius(call, job, INDEXED ? KEY_FOLDED : KEY_TOTAL, &known.radius));
            call->exec->facts.radius = known.radius;
        }
        TRY(CUDA_LAUNCH(call, (encode_records<K, INDEXED, CODE>), record_blocks(call, n),
                        RECORD_THREADS, 0, (const BITS *)job->keys, n, (size_t)0, code, a));
        TRY(run_sorter(by, call, a, b, n, known, sorted));
        if (round == 0 && !done)
            TRY(check_sorted(call, *sorted, n, &done));
        if (done)
            break;
    }
    return ORDO_OK;
}

size_t compare_keys_scratch(const compare_sorter *by, const ordo_sort_job *job)
{
    return records_scratch(by, job->n, ordo_max(cuda_type_size(job->type), 4)) +
           radius_scratch(by, job->type, job->n);
}

template <typename K, typename CODE, typename BITS = typename CODE::BITS>
static ordo_status sort_keys_as(const compare_sorter *by, cuda_call *call, const ordo_sort_job *job,
                                CODE code)
{
    K *sorted = NULL;
    TRY((sort_records<K, false>(by, call, job, code, &sorted)));
    return CUDA_LAUNCH(call, (decode_keys<K, CODE>), record_blocks(call, job->n), RECORD_THREADS, 0,
                       sorted, job->n, code, (BITS *)job->keys);
}

ordo_status compare_keys(const compare_sorter *by, cuda_call *call, const ordo_sort_job *job)
{
    call->exec->algorithm = by->name;
    if (job->n < 2)
        return ORDO_OK;
    return with_key_code(job->type, job->descending, KEY_TOTAL, [&](auto code) -> ordo_status {
        if constexpr (sizeof(typename decltype(code)::BITS) == 8)
            return sort_keys_as<uint64_t>(by, call, job, code);
        else
            return sort_keys_as<uint32_t>(by, call, job, code);
    });
}

/* Whether a key and an index need more than 64 bits together. */
static bool is_wide(ordo_type type, size_t n)
{
    return cuda_type_size(type) == 8 || n > (size_t)UINT32_MAX + 1;
}

static size_t index_scratch(const compare_sorter *by, ordo_type type, size_t n)
{
    return records_scratch(by, n, is_wide(type, n) ? sizeof(key_record) : sizeof(uint64_t)) +
           radius_scratch(by, type, n);
}

size_t compare_argsort_scratch(const compare_sorter *by, const ordo_argsort_job *job)
{
    return index_scratch(by, job->type, job->n);
}

template <typename K, typename CODE>
static ordo_status argsort_as(const compare_sorter *by, cuda_call *call,
                              const ordo_argsort_job *job, CODE code)
{
    size_t const   n = job->n;
    unsigned const blocks = record_blocks(call, n);
    K             *sorted = NULL;
    TRY((sort_records<K, true>(by, call, job, code, &sorted)));
    if (job->index_type == ORDO_U64)
        return CUDA_LAUNCH(call, (take_index<K, uint64_t>), blocks, RECORD_THREADS, 0, sorted, n,
                           (uint64_t *)job->index);
    return CUDA_LAUNCH(call, (take_index<K, uint32_t>), blocks, RECORD_THREADS, 0, sorted, n,
                       (uint32_t *)job->index);
}

ordo_status compare_argsort(const compare_sorter *by, cuda_call *call, const ordo_argsort_job *job)
{
    call->exec->algorithm = by->name;
    if (job->n == 0)
        return ORDO_OK;
    return with_key_code(job->type, job->descending, KEY_FOLDED, [&](auto code) -> ordo_status {
        if (is_wide(job->type, job->n))
            return argsort_as<key_record>(by, call, job, code);
        if constexpr (sizeof(typename decltype(code)::BITS) < 8)
            return argsort_as<uint64_t>(by, call, job, code);
        else
            return ORDO_E_ARG; /* 64-bit keys are wide */
    });
}

size_t compare_pairs_scratch(const compare_sorter *by, const ordo_pairs_job *job)
{
    size_t const n = job->keys.n;
    cuda_scratch scratch = {};
    (void)gather_layout(&scratch, job);
    (void)scratch_take<uint64_t>(&scratch, n);
    return scratch.used + index_scratch(by, job->keys.type, n);
}

ordo_status compare_pairs(const compare_sorter *by, cuda_call *call, const ordo_pairs_job *job)
{
    bool const                 wide = is_wide(job->keys.type, job->keys.n);
    gather_buffers const       buffers = gather_layout(&call->scratch, job);
    const ordo_sort_job *const keys = &job->keys;
    ordo_argsort_job const     order = {keys->type,
                                        keys->keys,
                                        keys->n,
                                        keys->descending,
                                        keys->algorithm,
                                        keys->radius,
                                    wide ? ORDO_U64 : ORDO_U32,
                                        scratch_take<uint64_t>(&call->scratch, keys->n),
                                        NULL};
    TRY(compare_argsort(by, call, &order));
    return dev_gather_pairs(call, job, order.index, wide, buffers);
}
