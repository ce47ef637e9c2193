/* dev_order.cu - is_sorted, runs and count_nans: results that need one read of the array.
 *
 * Warps read chunks of 1024 keys and compare every key with its left neighbour (warp_heads.cuh).
 * The results are a minimum and integer sums, so the order of the warps does not matter. For
 * is_sorted a warp stops when a key before its next chunk is known to be out of order. For few
 * keys, one block does all the work and writes the result to host memory. Memory moved: the keys
 * once. Scratch: one number. The calls wait for the result. */
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/runtime/cuda_tuning.cuh"
#include "cuda/warp/warp_heads.cuh"

enum {
    ORDER_WARPS = 8,
    ORDER_THREADS = ORDER_WARPS * WARP_LANES,
    ORDER_ALONE_THREADS = 1024 /* 32 warps, so that one warp can combine their results */
};

enum order_question {
    ORDER_FIRST_FALL, /* the first key that is less than its left neighbour */
    ORDER_FALLS,      /* the number of such keys */
    ORDER_NANS        /* the number of NaNs */
};

/* The position in the chunk of the first of a lane's flags; HEADS_CHUNK if there is none. */
template <int V> static DEVICE unsigned first_flag(uint32_t flags)
{
    unsigned const bit = lowest_bit(flags);
    return flags != 0 ? bit / V * 32 * V + lane_id() * V + bit % V : HEADS_CHUNK;
}

/* *answer becomes the minimum for ORDER_FIRST_FALL, otherwise the sum. */
template <order_question QUESTION, int V, typename CODE, typename BITS = typename CODE::BITS>
static __global__ void __launch_bounds__(ORDER_THREADS, CUDA_TUNE_ORDER_RESIDENT)
    look_through(const BITS *keys, size_t n, CODE code, unsigned long long *answer)
{
    __shared__ unsigned long long of_warp[ORDER_WARPS];

    auto const test = [&](BITS left, BITS key) {
        if constexpr (QUESTION == ORDER_NANS)
            return key_is_nan<CODE>(key);
        else
            return code.encode(key) < code.encode(left);
    };
    unsigned const     warp = threadIdx.x / WARP_LANES;
    size_t const       warps = (size_t)gridDim.x * ORDER_WARPS;
    unsigned long long count = 0;
    for (size_t chunk = (size_t)blockIdx.x * ORDER_WARPS + warp; chunk * HEADS_CHUNK < n;
         chunk += warps) {
        size_t const             base = chunk * HEADS_CHUNK;
        unsigned long long const found =
            QUESTION == ORDER_FIRST_FALL ? *(volatile unsigned long long *)answer : 0;
        BITS const before = keys[base > 0 ? base - 1 : 0];
        uint32_t   flags;
        unsigned   first;
        if (n - base >= HEADS_CHUNK) {
            flags = warp_flags<V, ACCESS_ONCE>(keys + base, before, test);
            first = first_flag<V>(flags);
        } else {
            flags = warp_flags_tail(keys + base, (unsigned)(n - base), before, test);
            first = first_flag<1>(flags);
        }
        if constexpr (QUESTION == ORDER_FIRST_FALL) {
            first = __reduce_min_sync(WARP_ALL, first);
            if (first != HEADS_CHUNK && lane_id() == 0)
                atomicMin(answer, (unsigned long long)(base + first));
            if (first != HEADS_CHUNK || found < base)
                return; /* the next chunk of this warp lies after the key found */
        } else
            count += __popc(flags);
    }
    if constexpr (QUESTION != ORDER_FIRST_FALL) {
        count = warp_reduce<scan_add<unsigned long long>>(count);
        if (lane_id() == 0)
            of_warp[warp] = count;
        __syncthreads();
        for (int w = 1; threadIdx.x == 0 && w < ORDER_WARPS; w++)
            count += of_warp[w];
        if (threadIdx.x == 0 && count != 0)
            atomicAdd(answer, count);
    }
}

/* The same by one block, which writes the result to host memory. For few keys latency dominates;
 * this saves the memset and the copy of the result. */
template <order_question QUESTION, typename CODE>
static __global__ void __launch_bounds__(ORDER_ALONE_THREADS, 1)
    look_alone(const typename CODE::BITS *keys, unsigned n, CODE code,
               volatile unsigned long long *answer)
{
    __shared__ unsigned of_warp[ORDER_ALONE_THREADS / WARP_LANES];
    constexpr bool      LEAST = QUESTION == ORDER_FIRST_FALL;
    constexpr unsigned  FROM = QUESTION == ORDER_NANS ? 0 : 1; /* the first key that is tested */

    unsigned mine = LEAST ? UINT32_MAX : 0;
#pragma unroll 4
    for (unsigned i = FROM + threadIdx.x; i < n; i += ORDER_ALONE_THREADS) {
        bool is_found;
        if constexpr (QUESTION == ORDER_NANS)
            is_found = key_is_nan<CODE>(keys[i]);
        else
            is_found = code.encode(keys[i]) < code.encode(keys[i - 1]);
        mine = LEAST ? min(mine, is_found ? i : UINT32_MAX) : mine + is_found;
    }
    mine = LEAST ? __reduce_min_sync(WARP_ALL, mine) : __reduce_add_sync(WARP_ALL, mine);
    if (lane_id() == 0)
        of_warp[threadIdx.x / WARP_LANES] = mine;
    __syncthreads();
    if (threadIdx.x >= WARP_LANES)
        return;
    mine = of_warp[threadIdx.x];
    mine = LEAST ? __reduce_min_sync(WARP_ALL, mine) : __reduce_add_sync(WARP_ALL, mine);
    if (threadIdx.x == 0)
        *answer = mine;
}

template <order_question QUESTION>
static ordo_status ask(cuda_call *call, ordo_type type, const void *keys, size_t n, bool descending,
                       uint64_t *answer)
{
    bool const                alone = n <= CUDA_TUNE_ORDER_ALONE;
    unsigned long long *const device =
        alone ? NULL : scratch_take<unsigned long long>(&call->scratch, 1);
    size_t const wanted = ordo_div_up(n, ORDER_WARPS * HEADS_CHUNK);
    size_t const blocks = ordo_min(wanted, (size_t)call->facts->sms * CUDA_TUNE_ORDER_RESIDENT);

    if (alone)
        TRY(call_may_answer(call));
    else
        CUDA_TRY(call->exec, cudaMemsetAsync(device, QUESTION == ORDER_FIRST_FALL ? 0xff : 0,
                                             sizeof *device, call->stream));
    TRY(with_key_code(type, descending, KEY_FOLDED, [&](auto code) {
        typedef decltype(code)      CODE;
        typedef typename CODE::BITS BITS;
        constexpr int               V = 16 / (int)sizeof(BITS);
        if constexpr (QUESTION != ORDER_NANS || CODE::is_float) {
            if (alone)
                return CUDA_LAUNCH(call, (look_alone<QUESTION, CODE>), 1, ORDER_ALONE_THREADS, 0,
                                   (const BITS *)keys, (unsigned)n, code,
                                   (volatile unsigned long long *)call->fetch);
            auto *const kernel = (uintptr_t)keys % 16 == 0 ? look_through<QUESTION, V, CODE>
                                                           : look_through<QUESTION, 1, CODE>;
            return CUDA_LAUNCH(call, kernel, blocks, ORDER_THREADS, 0, (const BITS *)keys, n, code,
                               device);
        }
        return ORDO_OK;
    }));
    return alone ? call_answer(call, answer, sizeof *answer)
                 : call_fetch(call, answer, device, sizeof *answer);
}

size_t dev_is_sorted_scratch(const ordo_order_job *) { return CUDA_SCRATCH_ALIGN; }
size_t dev_runs_scratch(const ordo_runs_job *) { return CUDA_SCRATCH_ALIGN; }
size_t dev_count_nans_scratch(const ordo_count_job *) { return CUDA_SCRATCH_ALIGN; }

ordo_status dev_is_sorted(cuda_call *call, const ordo_order_job *job)
{
    uint64_t fall = UINT64_MAX;
    call->exec->algorithm = "compare";
    if (job->n > 1)
        TRY(ask<ORDER_FIRST_FALL>(call, job->type, job->keys, job->n, job->descending, &fall));
    *job->where = ordo_min(fall, job->n);
    return ORDO_OK;
}

ordo_status dev_runs(cuda_call *call, const ordo_runs_job *job)
{
    uint64_t falls = 0;
    call->exec->algorithm = "compare";
    if (job->n > 1)
        TRY(ask<ORDER_FALLS>(call, job->type, job->keys, job->n, job->descending, &falls));
    *job->runs = job->n == 0 ? 0 : (size_t)falls + 1;
    return ORDO_OK;
}

ordo_status dev_count_nans(cuda_call *call, const ordo_count_job *job)
{
    uint64_t nans = 0;
    call->exec->algorithm = "compare";
    if (job->n > 0 && (job->type == ORDO_F32 || job->type == ORDO_F64))
        TRY(ask<ORDER_NANS>(call, job->type, job->keys, job->n, false, &nans));
    *job->nans = (size_t)nans;
    return ORDO_OK;
}
