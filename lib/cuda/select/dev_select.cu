/* dev_select.cu - the k-th keys of an array in device memory, several positions at once.
 *
 * AUTO: few keys by buckets in one block (dev_select_few.cuh); arrays that fit in L2 by digits,
 * each pass reading the array; larger arrays by a sample and one sweep (dev_select.cuh). RADIX: by
 * digits for any size. All end in the same kernel, whose grid does all passes (block_select.cuh).
 * BITONIC and MERGE are slots of papers/median. A launch handles up to 32 positions; up to
 * CUDA_TUNE_SELECT_MANY positions of large arrays are done in batches of 32. For more, a copy of
 * the array is sorted. Cost: AUTO one read and a few per cent; RADIX one read per 13 bits of the
 * key, and one more. Scratch: AUTO n/16 words (n/4 for more than 4 positions) and 2.2 million more;
 * RADIX 0.2 MB. */
#include "backend/papers.h"
#include "cuda/select/dev_select.cuh"
#include "cuda/select/dev_select_few.cuh"

/* Moves each target to the bucket of its position; one warp per target. Ends with a barrier. */
template <typename CODE, typename WORD, typename BITS = typename CODE::BITS>
static DEVICE void narrow_to_buckets(select_shared<WORD> &s, const CODE &code,
                                     const select_plan &plan, const select_positions &positions)
{
    typedef scan_add<uint64_t> ADD;
    select_mapper<CODE> const  mapper = mapper_of(plan.map, code);
    unsigned const             t = threadIdx.x / WARP_LANES;
    if (t < positions.count) {
        select_target<WORD> target = s.target[t];
        unsigned            at = mapper.place(code.decode((BITS)target.lo)).bucket;
        unsigned const      last = mapper.place(code.decode((BITS)target.hi)).bucket;
        for (; at <= last; at += WARP_LANES) {
            uint64_t const count = at + lane_id() <= last ? plan.buckets[at + lane_id()] : 0;
            uint64_t const scanned = target.below + warp_scan<ADD>(count);
            uint32_t const found = __ballot_sync(WARP_ALL, positions.k[t] < scanned);
            int const      who = found == 0 ? WARP_LANES - 1 : __ffs((int)found) - 1;
            target.inside = __shfl_sync(WARP_ALL, count, who);
            target.below = __shfl_sync(WARP_ALL, scanned, who);
            if (found != 0) {
                unsigned const rank = at + (unsigned)who + 1;
                target.below -= target.inside;
                words_of_ranks(code, mapper, rank, rank, target.lo, target.hi, target.lo, target.hi,
                               &target.lo, &target.hi);
                break;
            }
        }
        if (lane_id() == 0)
            s.target[t] = target;
    }
    __syncthreads();
}

template <typename BITS, typename WORD> union settle_shared {
    select_shared<WORD>     settle;
    select_few_shared<BITS> few;
};

/* Not inlined, to leave more registers to the passes over large arrays. */
template <typename CODE>
static __device__ __noinline__ bool
select_few(select_few_shared<typename CODE::BITS> *s, CODE code, const typename CODE::BITS *keys,
           unsigned n, const select_positions &positions, typename CODE::BITS *out)
{
    if (n <= SPREAD_FEW * SELECT_THREADS)
        return select_few_keys<SPREAD_FEW>(s, code, keys, n, positions, out);
    return select_few_keys<SPREAD_MANY>(s, code, keys, n, positions, out);
}

template <typename CODE, typename BITS = typename CODE::BITS>
static __global__ void __launch_bounds__(SELECT_THREADS, 1)
    settle_kernel(CODE given, const select_tiles<BITS> tiles, const select_work work,
                  const __grid_constant__ select_positions positions, bool is_few, BITS *const out)
{
    typedef typename select_word<BITS>::type WORD;
    __shared__ settle_shared<BITS, WORD> shared;
    select_shared<WORD>                 &s = shared.settle;
    CODE const                           code = code_with_ties<false>(given);
    unsigned                             round = 0;
    if (is_few && select_few(&shared.few, code, tiles.keys, (unsigned)tiles.n, positions, out))
        return;
    bool const     is_told = select_begin(s, work, positions, tiles.n, (WORD)(BITS) ~(BITS)0);
    unsigned const taken = is_told ? work.plan->taken : 0;
    if (is_told && work.plan->map.is_used)
        narrow_to_buckets(s, code, *work.plan, positions);
    select_settle(s, select_grid_of(work), positions, is_told, &round, [&](auto &&f) {
        if (is_told)
            each_kept<WORD>(work.kept, taken, f);
        else
            each_in_array(code, tiles, f);
    });
    if (blockIdx.x == 0 && threadIdx.x < positions.count)
        out[threadIdx.x] = code.decode((BITS)s.target[threadIdx.x].lo);
}

static bool is_swept(const ordo_select_job *job)
{
    return job->algorithm == ORDO_ALGORITHM_AUTO &&
           job->n * cuda_type_size(job->type) > CUDA_TUNE_SELECT_DIRECT;
}

/* Whether the keys fit in the registers of a block. */
static bool is_few(const ordo_select_job *job)
{
    return job->algorithm == ORDO_ALGORITHM_AUTO && job->n <= CUDA_TUNE_SPREAD_KEYS;
}

static select_input input_of(const ordo_select_job *job)
{
    select_input const input = {job->type, job->keys, job->n, job->descending, KEY_TOTAL};
    return input;
}

static select_work few_layout(cuda_scratch *scratch, const ordo_select_job *job)
{
    select_input const input = input_of(job);
    size_t const       share =
        job->count <= SELECT_FEW ? CUDA_TUNE_SELECT_ROOM_FEW : CUDA_TUNE_SELECT_ROOM_MANY;
    return select_layout(scratch, &input, is_swept(job), job->n / share, 1);
}

static ordo_status select_batch(cuda_call *call, const ordo_select_job *job,
                                const select_work *work, const select_positions *positions,
                                void *out)
{
    select_input const input = input_of(job);
    unsigned const     blocks = select_settle_blocks(call, &input);
    if (work->is_swept) {
        TRY(select_sample(call, work, &input, positions, false));
        TRY(select_sweep(call, work, &input, positions->count));
    }
    TRY(select_clear(call, work, blocks));
    return with_key_code(job->type, job->descending, KEY_TOTAL, [&](auto code) {
        typedef typename decltype(code)::BITS BITS;
        SELECT_LAUNCH_TOGETHER(call, settle_kernel<decltype(code)>, blocks, code,
                               select_tiles_of<BITS>(job->keys, job->n), *work, *positions,
                               is_few(job), (BITS *)out);
        return ORDO_OK;
    });
}

static ordo_status select_in_batches(cuda_call *call, const ordo_select_job *job)
{
    select_work const work = few_layout(&call->scratch, job);
    size_t const      size = cuda_type_size(job->type);
    for (size_t first = 0; first < job->count; first += SELECT_TARGETS) {
        select_positions positions = {};
        positions.count = (unsigned)ordo_min(job->count - first, SELECT_TARGETS);
        memcpy(positions.k, job->k + first, positions.count * sizeof *positions.k);
        TRY(select_batch(call, job, &work, &positions, (char *)job->out + first * size));
    }
    call->exec->algorithm = work.is_swept ? "sample" : "radix";
    call->exec->facts.strategy = work.is_swept ? ORDO_STRATEGY_SWEEP
                                 : is_few(job) ? ORDO_STRATEGY_BLOCK
                                               : ORDO_STRATEGY_DIGITS;
    return ORDO_OK;
}

struct many_work {
    void     *copy;
    uint64_t *k;
};

static many_work many_layout(cuda_scratch *scratch, const ordo_select_job *job)
{
    many_work work;
    work.copy = scratch_take<char>(scratch, job->n * cuda_type_size(job->type));
    work.k = scratch_take<uint64_t>(scratch, job->count);
    return work;
}

static ordo_sort_job sort_of(const ordo_select_job *job, void *copy)
{
    ordo_sort_job sort = {};
    sort.type = job->type;
    sort.keys = copy;
    sort.n = job->n;
    sort.descending = job->descending;
    sort.algorithm = ORDO_ALGORITHM_RADIX;
    return sort;
}

template <typename BITS>
static __global__ void pick_kernel(const BITS *sorted, const uint64_t *k, size_t count, BITS *out)
{
    size_t const i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = sorted[k[i]];
}

static ordo_status select_sorted(cuda_call *call, const ordo_select_job *job)
{
    constexpr int       THREADS = 256;
    many_work const     work = many_layout(&call->scratch, job);
    ordo_sort_job const sort = sort_of(job, work.copy);
    TRY(select_put_positions(call, job, work.k));
    CUDA_TRY(call->exec, cudaMemcpyAsync(work.copy, job->keys, job->n * cuda_type_size(job->type),
                                         cudaMemcpyDeviceToDevice, call->stream));
    TRY(dev_sort(call, &sort));
    size_t const blocks = ordo_div_up(job->count, THREADS);
    TRY(with_key_code(job->type, job->descending, KEY_TOTAL, [&](auto code) {
        typedef typename decltype(code)::BITS BITS;
        return CUDA_LAUNCH(call, pick_kernel<BITS>, blocks, THREADS, 0, (const BITS *)work.copy,
                           work.k, job->count, (BITS *)job->out);
    }));
    call->exec->algorithm = "radix";
    call->exec->facts.strategy = ORDO_STRATEGY_SORTED_COPY;
    return ORDO_OK;
}

static bool is_many(const ordo_select_job *job)
{
    size_t const most = /* most positions that are done in batches */
        job->n * cuda_type_size(job->type) > CUDA_TUNE_SELECT_DIRECT ? CUDA_TUNE_SELECT_MANY : 0;
    return job->count > ordo_max(most, (size_t)SELECT_TARGETS);
}

static bool has_sub_arrays(const ordo_select_job *job)
{
    return job->algorithm == ORDO_ALGORITHM_BITONIC || job->algorithm == ORDO_ALGORITHM_MERGE;
}

size_t dev_select_scratch(const ordo_select_job *job)
{
    cuda_scratch scratch = {};
    if (has_sub_arrays(job))
        return ordo_cuda_papers_table()->median.select_scratch(job);
    if (!is_many(job)) {
        (void)few_layout(&scratch, job);
        return scratch.used;
    }
    ordo_sort_job const sort = sort_of(job, NULL);
    (void)many_layout(&scratch, job);
    return scratch.used + dev_sort_scratch(&sort);
}

ordo_status dev_select(cuda_call *call, const ordo_select_job *job)
{
    if (job->count == 0)
        return ORDO_OK;
    if (has_sub_arrays(job))
        return ordo_cuda_papers_table()->median.select(call, job);
    return is_many(job) ? select_sorted(call, job) : select_in_batches(call, job);
}
