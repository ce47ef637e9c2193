/* dev_elements.cu - gather and scatter of elements of any size, and the sort of structs.
 *
 * Several lanes of a warp move one element together, in the widest unit that the size and the
 * addresses allow, because a random access of a few bytes moves 32 bytes anyway. Structs: the key
 * bits of all elements are sorted with an index; the elements are gathered into scratch by the
 * index and copied back. Scratch of the sort of structs: a copy of the array, a word and an index
 * per element, and the scratch of the sort of pairs. */
#include "cuda/columns/columns.cuh"
#include "cuda/warp/warp_scan.cuh"

struct move_shape {
    size_t   count, n; /* number of moves; number of elements that the index may refer to */
    unsigned units;    /* units of an element */
    unsigned lanes;    /* lanes that move one element together; a power of 2 */
    bool     scatters;
};

/* An index of n or more moves nothing and sets *bad. */
template <typename UNIT, typename INDEX>
static __global__ void move_elements(const UNIT *in, const INDEX *index, UNIT *out,
                                     move_shape shape, unsigned *bad)
{
    size_t const   threads = (size_t)gridDim.x * blockDim.x;
    size_t const   thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned const lane = (unsigned)(thread & (shape.lanes - 1));
    for (size_t i = thread / shape.lanes; i < shape.count; i += threads / shape.lanes) {
        size_t const other = (size_t)index[i];
        if (other >= shape.n) {
            *bad = 1;
            continue;
        }
        size_t const from = shape.scatters ? i : other, to = shape.scatters ? other : i;
        for (unsigned u = lane; u < shape.units; u += shape.lanes)
            out[to * shape.units + u] = in[from * shape.units + u];
    }
}

template <typename UNIT>
static ordo_status move_units(cuda_call *call, const ordo_move_job *job, unsigned *bad)
{
    move_shape shape = {job->count, job->n, (unsigned)(job->size / sizeof(UNIT)), 1, job->scatters};
    while (shape.lanes < shape.units && shape.lanes < WARP_LANES)
        shape.lanes *= 2;
    size_t const grid = column_grid(call, job->count * shape.lanes);
    return with_word(job->index_type == ORDO_U64, [&](auto zero) {
        typedef decltype(zero) INDEX;
        return CUDA_LAUNCH(call, (move_elements<UNIT, INDEX>), grid, COLUMN_THREADS, 0,
                           (const UNIT *)job->in, (const INDEX *)job->index, (UNIT *)job->out,
                           shape, bad);
    });
}

static ordo_status move_all(cuda_call *call, const ordo_move_job *job, unsigned *bad)
{
    uintptr_t const unit = (uintptr_t)job->in | (uintptr_t)job->out | job->size;
    return unit % 16 == 0  ? move_units<uint4>(call, job, bad)
           : unit % 8 == 0 ? move_units<uint64_t>(call, job, bad)
           : unit % 4 == 0 ? move_units<uint32_t>(call, job, bad)
           : unit % 2 == 0 ? move_units<uint16_t>(call, job, bad)
                           : move_units<uint8_t>(call, job, bad);
}

static unsigned *bad_layout(cuda_scratch *scratch) { return scratch_take<unsigned>(scratch, 1); }

size_t dev_move_scratch(const ordo_move_job *) { return scratch_of(bad_layout); }

ordo_status dev_move(cuda_call *call, const ordo_move_job *job)
{
    unsigned *const bad = bad_layout(&call->scratch);
    unsigned        found = 0;
    call->exec->algorithm = job->scatters ? "scatter" : "gather";
    if (job->size > UINT32_MAX)
        return ordo_fail(call->exec, ORDO_E_UNSUPPORTED,
                         "a GPU moves elements of at most 2^32 - 1 bytes; the size is %zu",
                         job->size);
    CUDA_TRY(call->exec, cudaMemsetAsync(bad, 0, sizeof *bad, call->stream));
    TRY(move_all(call, job, bad));
    if (call->exec->on_device)
        return ORDO_OK;
    TRY(call_fetch(call, &found, bad, sizeof found));
    if (found != 0)
        return ordo_fail(call->exec, ORDO_E_ARG,
                         "an index is not below %zu, the number of elements", job->n);
    return ORDO_OK;
}

/* ---- Structs ---- */

struct records_work {
    void     *words, *index, *copy;
    ordo_type index_type;
    unsigned *bad;
};

static bool has_wide_key(const ordo_records_job *job) { return cuda_type_size(job->type) == 8; }

static records_work records_layout(cuda_scratch *scratch, const ordo_records_job *job)
{
    records_work work;
    work.index_type = job->n <= UINT32_MAX ? ORDO_U32 : ORDO_U64;
    work.words = scratch_take<char>(scratch, job->n * (has_wide_key(job) ? 8 : 4));
    work.index = scratch_take<char>(scratch, job->n * cuda_type_size(work.index_type));
    work.copy = scratch_take<char>(scratch, job->n * job->size);
    work.bad = bad_layout(scratch);
    return work;
}

static ordo_pairs_job pairs_of(const ordo_records_job *job, const records_work &work)
{
    ordo_pairs_job pairs = {};
    pairs.keys.type = has_wide_key(job) ? ORDO_U64 : ORDO_U32;
    pairs.keys.keys = work.words;
    pairs.keys.n = job->n;
    pairs.keys.algorithm = ORDO_ALGORITHM_AUTO;
    pairs.values = work.index;
    pairs.value_size = cuda_type_size(work.index_type);
    return pairs;
}

/* Keys need no alignment, so their bytes are read one by one. */
template <typename WORD, typename INDEX>
static __global__ void read_records(const __grid_constant__ key_column code, const uint8_t *keys,
                                    size_t size, WORD *words, INDEX *index, size_t n)
{
    grid_each(n, [&](size_t i) {
        uint64_t raw = 0;
        for (unsigned b = 0; b < code.bytes; b++)
            raw |= (uint64_t)keys[i * size + b] << 8 * b;
        words[i] = (WORD)column_encode(code, raw);
        index[i] = (INDEX)i;
    });
}

size_t dev_sort_records_scratch(const ordo_records_job *job)
{
    cuda_scratch         counted = {};
    records_work const   work = records_layout(&counted, job);
    ordo_pairs_job const pairs = pairs_of(job, work);
    return counted.used + dev_sort_pairs_scratch(&pairs);
}

ordo_status dev_sort_records(cuda_call *call, const ordo_records_job *job)
{
    if (job->size > UINT32_MAX)
        return ordo_fail(call->exec, ORDO_E_UNSUPPORTED,
                         "a GPU sorts structs of at most 2^32 - 1 bytes; the size is %zu",
                         job->size);
    records_work const   work = records_layout(&call->scratch, job);
    ordo_pairs_job const pairs = pairs_of(job, work);
    key_column const     code = key_column_of({NULL, job->type, job->descending, true});
    const uint8_t *const keys = (const uint8_t *)job->base + job->key_offset;
    TRY(with_word(has_wide_key(job), [&](auto word) {
        return with_word(work.index_type == ORDO_U64, [&](auto zero) {
            typedef decltype(word) WORD;
            typedef decltype(zero) INDEX;
            return CUDA_LAUNCH(call, (read_records<WORD, INDEX>), column_grid(call, job->n),
                               COLUMN_THREADS, 0, code, keys, job->size, (WORD *)work.words,
                               (INDEX *)work.index, job->n);
        });
    }));
    TRY(dev_sort_pairs(call, &pairs));
    ordo_move_job const gather = {job->base,  job->n, job->size, work.index_type,
                                  work.index, job->n, work.copy, false};
    TRY(move_all(call, &gather, work.bad));
    call->exec->changed = true;
    CUDA_TRY(call->exec, cudaMemcpyAsync(job->base, work.copy, job->n * job->size,
                                         cudaMemcpyDeviceToDevice, call->stream));
    call->exec->algorithm = "radix";
    return ORDO_OK;
}
