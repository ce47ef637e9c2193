/* dev_compare.cu - what the comparison sorts share: jobs turned into records, and results out of
 * them (see dev_compare.cuh).
 *
 * Keys alone are encoded one-to-one, so equal records are equal bytes. Pairs and indices are
 * encoded with ties folded together and carry their index; pairs are gathered at the end.
 * Cost beside the sort: one read and one write of keys and of records, twice. Scratch: two arrays
 * of records, for pairs copies of both arrays and an index, and the algorithm's own.
 *
 * Called by device/dev_sort.cu. */
#include "cuda/sort/dev_compare.cuh"

#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/sort/dev_gather.cuh"

enum {
    RECORD_THREADS = 256,
    RECORD_RESIDENT = 16 /* blocks on a multiprocessor */
};

static unsigned blocks_for(const cuda_call *call, size_t n)
{
    size_t const most = (size_t)call->facts->sms * RECORD_RESIDENT;
    return (unsigned)ordo_min(ordo_div_up(n, RECORD_THREADS), most);
}

/* ---- Records of keys, with or without their index ---- */

static __device__ __forceinline__ void make_record(uint32_t *record, uint64_t bits, size_t index)
{
    (void)index;
    *record = (uint32_t)bits;
}

static __device__ __forceinline__ void make_record(key_record *record, uint64_t bits, size_t index)
{
    record->key = bits;
    record->index = index;
}

template <bool INDEXED>
static __device__ __forceinline__ void make_word(uint64_t *record, uint64_t bits, size_t index)
{
    *record = INDEXED ? bits << 32 | index : bits;
}

template <typename K, bool INDEXED, typename CODE>
static __global__ void encode_records(const typename CODE::BITS *keys, size_t n, CODE code,
                                      K *records)
{
    size_t const threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        uint64_t const bits = code.encode(keys[i]);
        if constexpr (sizeof(K) == sizeof(uint64_t))
            make_word<INDEXED>(records + i, bits, i);
        else
            make_record(records + i, bits, i);
    }
}

template <typename K, typename CODE>
static __global__ void decode_keys(const K *records, size_t n, CODE code, typename CODE::BITS *keys)
{
    size_t const threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        keys[i] = code.decode((typename CODE::BITS)records[i]);
}

static __device__ __forceinline__ uint64_t index_of(uint64_t record) { return (uint32_t)record; }
static __device__ __forceinline__ uint64_t index_of(const key_record &record)
{
    return record.index;
}

template <typename K, typename INDEX>
static __global__ void take_index(const K *records, size_t n, INDEX *index)
{
    size_t const threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        index[i] = (INDEX)index_of(records[i]);
}

static ordo_status run_sorter(const compare_sorter *by, cuda_call *call, uint32_t *a, uint32_t *b,
                              size_t n, uint32_t **sorted)
{
    return by->sort_32(call, a, b, n, sorted);
}
static ordo_status run_sorter(const compare_sorter *by, cuda_call *call, uint64_t *a, uint64_t *b,
                              size_t n, uint64_t **sorted)
{
    return by->sort_64(call, a, b, n, sorted);
}
static ordo_status run_sorter(const compare_sorter *by, cuda_call *call, key_record *a,
                              key_record *b, size_t n, key_record **sorted)
{
    return by->sort_128(call, a, b, n, sorted);
}

/* ---- Keys ---- */

static size_t key_record_size(ordo_type type) { return ordo_max(cuda_type_size(type), 4); }

static size_t keys_scratch(const compare_sorter *by, const ordo_sort_job *job)
{
    size_t const size = key_record_size(job->type);
    cuda_scratch scratch = {NULL, 0};
    (void)scratch_take<char>(&scratch, job->n * size);
    (void)scratch_take<char>(&scratch, job->n * size);
    return scratch.used + by->scratch(job->n, size);
}

template <typename K, typename CODE>
static ordo_status sort_keys_as(const compare_sorter *by, cuda_call *call, const ordo_sort_job *job,
                                CODE code)
{
    typedef typename CODE::BITS BITS;
    size_t const                n = job->n;
    unsigned const              blocks = blocks_for(call, n);
    K *const                    a = scratch_take<K>(&call->scratch, n);
    K *const                    b = scratch_take<K>(&call->scratch, n);
    K                          *sorted = a;
    CUDA_LAUNCH(call, (encode_records<K, false, CODE>), blocks, RECORD_THREADS, 0,
                (const BITS *)job->keys, n, code, a);
    TRY(run_sorter(by, call, a, b, n, &sorted));
    CUDA_LAUNCH(call, (decode_keys<K, CODE>), blocks, RECORD_THREADS, 0, sorted, n, code,
                (BITS *)job->keys);
    return ORDO_OK;
}

static ordo_status sort_keys(const compare_sorter *by, cuda_call *call, const ordo_sort_job *job)
{
    call->exec->algorithm = by->name;
    if (job->n < 2)
        return ORDO_OK;
    return with_key_code(job->type, job->descending, KEY_TOTAL, [&](auto code) -> ordo_status {
        typedef decltype(code) CODE;
        if constexpr (sizeof(typename CODE::BITS) == 8)
            return sort_keys_as<uint64_t>(by, call, job, code);
        else
            return sort_keys_as<uint32_t>(by, call, job, code);
    });
}

/* ---- Indices ---- */

/* Keys of 64 bits, and more keys than 32 bits count, need the large record. */
static bool is_wide(ordo_type type, size_t n)
{
    return cuda_type_size(type) == 8 || n > (size_t)UINT32_MAX + 1;
}

static size_t argsort_scratch(const compare_sorter *by, ordo_type type, size_t n)
{
    size_t const size = is_wide(type, n) ? sizeof(key_record) : sizeof(uint64_t);
    cuda_scratch scratch = {NULL, 0};
    (void)scratch_take<char>(&scratch, n * size);
    (void)scratch_take<char>(&scratch, n * size);
    return scratch.used + by->scratch(n, size);
}

template <typename K, typename CODE>
static ordo_status argsort_as(const compare_sorter *by, cuda_call *call,
                              const ordo_argsort_job *job, CODE code)
{
    typedef typename CODE::BITS BITS;
    size_t const                n = job->n;
    unsigned const              blocks = blocks_for(call, n);
    K *const                    a = scratch_take<K>(&call->scratch, n);
    K *const                    b = scratch_take<K>(&call->scratch, n);
    K                          *sorted = a;
    CUDA_LAUNCH(call, (encode_records<K, true, CODE>), blocks, RECORD_THREADS, 0,
                (const BITS *)job->keys, n, code, a);
    TRY(run_sorter(by, call, a, b, n, &sorted));
    if (job->index_type == ORDO_U64)
        CUDA_LAUNCH(call, (take_index<K, uint64_t>), blocks, RECORD_THREADS, 0, sorted, n,
                    (uint64_t *)job->index);
    else
        CUDA_LAUNCH(call, (take_index<K, uint32_t>), blocks, RECORD_THREADS, 0, sorted, n,
                    (uint32_t *)job->index);
    return ORDO_OK;
}

static ordo_status sort_index(const compare_sorter *by, cuda_call *call,
                              const ordo_argsort_job *job)
{
    call->exec->algorithm = by->name;
    if (job->n == 0)
        return ORDO_OK;
    return with_key_code(job->type, job->descending, KEY_FOLDED, [&](auto code) -> ordo_status {
        typedef decltype(code) CODE;
        if (is_wide(job->type, job->n))
            return argsort_as<key_record>(by, call, job, code);
        if constexpr (sizeof(typename CODE::BITS) < 8)
            return argsort_as<uint64_t>(by, call, job, code);
        else
            return ORDO_E_ARG; /* 64-bit keys are wide */
    });
}

/* ---- Pairs ---- */

static size_t pairs_scratch(const compare_sorter *by, const ordo_pairs_job *job)
{
    size_t const n = job->keys.n;
    cuda_scratch scratch = {NULL, 0};
    (void)gather_layout(&scratch, job);
    (void)scratch_take<char>(&scratch, n * sizeof(uint64_t));
    return scratch.used + argsort_scratch(by, job->keys.type, n);
}

static ordo_status sort_pairs(const compare_sorter *by, cuda_call *call, const ordo_pairs_job *job)
{
    bool const             wide = is_wide(job->keys.type, job->keys.n);
    gather_buffers const   buffers = gather_layout(&call->scratch, job);
    void *const            index = scratch_take<uint64_t>(&call->scratch, job->keys.n);
    ordo_argsort_job const order = {job->keys.type,
                                    job->keys.keys,
                                    job->keys.n,
                                    job->keys.descending,
                                    job->keys.algorithm,
                                    0,
                                    wide ? ORDO_U64 : ORDO_U32,
                                    index};
    TRY(sort_index(by, call, &order));
    return dev_gather_pairs(call, job, index, wide, buffers);
}

/* ---- Entries ---- */

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
