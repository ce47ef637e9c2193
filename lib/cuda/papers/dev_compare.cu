/* dev_compare.cu - comparison sorts of keys, pairs and indices; the bitonic sort and the merge
 * sort.
 *
 * Keys alone become one-to-one key bits, so equal records have equal bytes. Pairs and indices
 * become key bits with ties folded, above the index; pairs are gathered at the end. Bitonic sort:
 * Batcher's network as in block_bitonic.cuh, without comparisons that reach past the end. Tiles are
 * sorted in shared memory; longer phases begin in device memory. n lg n (lg n + 1) / 4 comparisons,
 * about lg(n / tile)^2 / 6 passes. Merge sort: bitonic tiles, then lg(n / tile) passes of
 * merge_sorted.cuh. Scratch: two arrays of records; for pairs also copies of both arrays and an
 * index. For sorts of k-sorted arrays the radius is given by the caller or measured here. */
#include "cuda/block/block_bitonic.cuh"
#include "cuda/papers/dev_compare.cuh"
#include "cuda/papers/papers.cuh"
#include "cuda/rough/dev_rough.cuh"
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/sort/dev_radix.cuh"

enum {
    BITONIC_TILE_BYTES = 16 << 10,
    TILE_THREADS = 512,
    STEP_THREADS = 256
};

/* Sorts each tile (lg == 0), or the bitonic sequences of 2^lg records in it. */
template <typename K>
static __global__ void __launch_bounds__(TILE_THREADS)
    bitonic_tiles_kernel(K *records, size_t n, unsigned lg)
{
    constexpr unsigned TILE = BITONIC_TILE_BYTES / sizeof(K);
    __shared__ __align__(16) unsigned char room[bitonic_room<K>(TILE) * sizeof(K)];
    K *const                               tile = (K *)room;
    size_t const                           first = (size_t)blockIdx.x * TILE;
    unsigned const                         count = (unsigned)(n - first < TILE ? n - first : TILE);
    for (unsigned i = threadIdx.x; i < TILE; i += TILE_THREADS)
        tile[bitonic_at<K>(i)] = i < count ? records[first + i] : last_record<K>();
    if (lg == 0)
        block_bitonic_sort(tile, TILE);
    else
        block_bitonic_merge(tile, TILE, lg);
    for (unsigned i = threadIdx.x; i < count; i += TILE_THREADS)
        records[first + i] = tile[bitonic_at<K>(i)];
}

template <typename K>
static ordo_status bitonic_tiles(cuda_call *call, K *records, size_t n, unsigned lg)
{
    return CUDA_LAUNCH(call, bitonic_tiles_kernel<K>,
                       ordo_div_up(n * sizeof(K), BITONIC_TILE_BYTES), TILE_THREADS, 0, records, n,
                       lg);
}

/* LG distances of a phase, in device memory: 2^(lg_size - 1) (or the mirror image in sequences
 * of 2^lg_size), then half of that, and so on. Like bitonic_step of block_bitonic.cuh, but for
 * any n. */
template <int LG, bool MIRROR, typename K>
static __global__ void __launch_bounds__(STEP_THREADS)
    bitonic_pass(K *records, size_t n, unsigned lg_size)
{
    constexpr int  KEYS = 1 << LG;
    unsigned const lg_gap = lg_size - LG;
    size_t const   gap = (size_t)1 << lg_gap;
    size_t const   t = (size_t)blockIdx.x * STEP_THREADS + threadIdx.x;
    size_t const   at = t & (gap - 1), start = (t >> lg_gap) << lg_size;
    size_t const   low = start + at, high = start + (MIRROR ? gap - 1 - at : at);
    if (start >= n)
        return;
    K e[KEYS];
#pragma unroll
    for (int i = 0; i < KEYS; i++) {
        size_t const place = (i < KEYS / 2 ? low : high) + ((size_t)i << lg_gap);
        e[i] = place < n ? records[place] : last_record<K>();
    }
    if constexpr (MIRROR) {
        bitonic_mirror<KEYS>(e);
        bitonic_halve<KEYS / 4>(e);
    } else {
        bitonic_halve<KEYS / 2>(e);
    }
#pragma unroll
    for (int i = 0; i < KEYS; i++) {
        size_t const place = (i < KEYS / 2 ? low : high) + ((size_t)i << lg_gap);
        if (place < n)
            records[place] = e[i];
    }
}

template <int LG, bool MIRROR, typename K>
static ordo_status pass(cuda_call *call, K *records, size_t n, unsigned lg_size)
{
    size_t const stretches = ordo_div_up(n, (size_t)1 << lg_size);
    size_t const threads = stretches << (lg_size - LG);
    return CUDA_LAUNCH(call, (bitonic_pass<LG, MIRROR, K>), ordo_div_up(threads, STEP_THREADS),
                       STEP_THREADS, 0, records, n, lg_size);
}

template <typename K>
static ordo_status bitonic_sort(cuda_call *call, K *a, K *b, size_t n, compare_known, K **sorted)
{
    constexpr size_t TILE = BITONIC_TILE_BYTES / sizeof(K);
    unsigned         lg_tile = 0;
    while ((size_t)1 << lg_tile < TILE)
        lg_tile++;
    (void)b;
    *sorted = a;
    TRY(bitonic_tiles(call, a, n, 0));
    for (unsigned lg_size = lg_tile + 1; (size_t)1 << (lg_size - 1) < n; lg_size++) {
        TRY((pass<3, true>(call, a, n, lg_size)));
        unsigned lg = lg_size - 3;
        for (; lg >= lg_tile + 3; lg -= 3)
            TRY((pass<3, false>(call, a, n, lg)));
        for (; lg > lg_tile; lg--)
            TRY((pass<1, false>(call, a, n, lg)));
        TRY(bitonic_tiles(call, a, n, lg));
    }
    return ORDO_OK;
}

static const compare_sorter bitonic_sorter = {"bitonic",
                                              NULL,
                                              false,
                                              bitonic_sort<uint32_t>,
                                              bitonic_sort<uint64_t>,
                                              bitonic_sort<key_record>};

template <typename K>
static ordo_status merge_sort(cuda_call *call, K *a, K *b, size_t n, compare_known, K **sorted)
{
    TRY(bitonic_tiles(call, a, n, 0));
    return merge_sorted(call, a, b, n, BITONIC_TILE_BYTES / sizeof(K), sorted);
}

static const compare_sorter merge_sorter = {
    "merge", NULL, false, merge_sort<uint32_t>, merge_sort<uint64_t>, merge_sort<key_record>};

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

static size_t keys_scratch(const compare_sorter *by, const ordo_sort_job *job)
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

static ordo_status sort_keys(const compare_sorter *by, cuda_call *call, const ordo_sort_job *job)
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

static size_t argsort_scratch(const compare_sorter *by, ordo_type type, size_t n)
{
    return records_scratch(by, n, is_wide(type, n) ? sizeof(key_record) : sizeof(uint64_t)) +
           radius_scratch(by, type, n);
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

static ordo_status sort_index(const compare_sorter *by, cuda_call *call,
                              const ordo_argsort_job *job)
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

static size_t pairs_scratch(const compare_sorter *by, const ordo_pairs_job *job)
{
    size_t const n = job->keys.n;
    cuda_scratch scratch = {};
    (void)gather_layout(&scratch, job);
    (void)scratch_take<uint64_t>(&scratch, n);
    return scratch.used + argsort_scratch(by, job->keys.type, n);
}

static ordo_status sort_pairs(const compare_sorter *by, cuda_call *call, const ordo_pairs_job *job)
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
    TRY(sort_index(by, call, &order));
    return dev_gather_pairs(call, job, order.index, wide, buffers);
}

#define COMPARE_ENTRIES(name)                                                                      \
    size_t dev_##name##_keys_scratch(const ordo_sort_job *job)                                     \
    {                                                                                              \
        return keys_scratch(&name##_sorter, job);                                                  \
    }                                                                                              \
    ordo_status dev_##name##_keys(cuda_call *call, const ordo_sort_job *job)                       \
    {                                                                                              \
        return sort_keys(&name##_sorter, call, job);                                               \
    }                                                                                              \
    size_t dev_##name##_pairs_scratch(const ordo_pairs_job *job)                                   \
    {                                                                                              \
        return pairs_scratch(&name##_sorter, job);                                                 \
    }                                                                                              \
    ordo_status dev_##name##_pairs(cuda_call *call, const ordo_pairs_job *job)                     \
    {                                                                                              \
        return sort_pairs(&name##_sorter, call, job);                                              \
    }                                                                                              \
    size_t dev_##name##_argsort_scratch(const ordo_argsort_job *job)                               \
    {                                                                                              \
        return argsort_scratch(&name##_sorter, job->type, job->n);                                 \
    }                                                                                              \
    ordo_status dev_##name##_argsort(cuda_call *call, const ordo_argsort_job *job)                 \
    {                                                                                              \
        return sort_index(&name##_sorter, call, job);                                              \
    }
COMPARE_ENTRIES(bitonic)
COMPARE_ENTRIES(merge)
COMPARE_ENTRIES(sample)
COMPARE_ENTRIES(rough)
COMPARE_ENTRIES(halving)
