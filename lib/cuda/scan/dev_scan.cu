/* dev_scan.cu - prefix sums, products, minima and maxima, in one pass over memory.
 *
 * Persistent blocks scan large arrays (dev_scan_stream.cuh). For small arrays, and 1-byte keys, a
 * block takes a tile: a warp reads ROWS rows of 32 vectors, each lane sums its vectors, the warps
 * and then the block scan the sums, and the sum before the tile comes from the other blocks
 * (tile_links in lookback.cuh). Then each lane sums its vectors again from its start and writes
 * them. Integers, minima and maxima equal the CPU's results. The order of float sums depends only
 * on n: every result is within (64 + n / 2^19) u of the exact one, times the sum of absolute values
 * (u = 2^-24 for f32, 2^-53 for f64). Reads and writes each element once. Scratch: 8 or 16 bytes
 * per tile. Products of floats are in dev_product.cu, the algorithm BALLOT is in papers/ballot. */
#include "cuda/block/block_scan.cuh"
#include "cuda/block/lookback.cuh"
#include "backend/papers.h"
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/runtime/cuda_tuning.cuh"
#include "cuda/scan/dev_scan_ops.cuh"
#include "cuda/scan/dev_scan_stream.cuh"

/* Starts an asynchronous copy of a vector to shared memory. Vectors below 4 bytes are copied at
 * once. copies_wait waits for this thread's copies. */
template <typename VECTOR> static DEVICE void copy_start(VECTOR *shared, const VECTOR *from)
{
    if constexpr (sizeof(VECTOR) == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                         (unsigned)__cvta_generic_to_shared(shared)),
                     "l"(from)
                     : "memory");
    else if constexpr (sizeof(VECTOR) >= 4)
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                         (unsigned)__cvta_generic_to_shared(shared)),
                     "l"(from), "n"(sizeof(VECTOR))
                     : "memory");
    else
        *shared = *from;
}

static DEVICE void copies_wait(void) { asm volatile("cp.async.wait_all;" ::: "memory"); }

template <typename OP> struct scan_shape {
    enum {
        THREADS = CUDA_TUNE_SCAN_THREADS,
        ROWS = CUDA_TUNE_SCAN_ROWS,
        WARPS = THREADS / 32,
        WIDER = sizeof(typename OP::RAW) > sizeof(typename OP::OUT) ? sizeof(typename OP::RAW)
                                                                    : sizeof(typename OP::OUT),
        VECTOR = 16 / WIDER, /* elements of a lane in a row */
        ROW = 32 * VECTOR,
        TILE = WARPS * ROWS * ROW
    };
};

template <typename OP>
static __global__ void __launch_bounds__(CUDA_TUNE_SCAN_THREADS, CUDA_TUNE_SCAN_RESIDENT)
    scan_tiles(tile_links links, lookback<typename OP::ACC> state,
               const __grid_constant__ scan_work<OP> work)
{
    typedef scan_shape<OP>         SHAPE;
    typedef typename OP::RAW       RAW;
    typedef typename OP::OUT       OUT;
    typedef typename OP::ACC       ACC;
    constexpr unsigned             ROWS = SHAPE::ROWS, ROW = SHAPE::ROW, VECTOR = SHAPE::VECTOR;
    typedef vector_of<RAW, VECTOR> IN_VECTOR;
    typedef vector_of<OUT, VECTOR> OUT_VECTOR;

    __shared__ ACC totals[SHAPE::WARPS];
    __shared__ ACC looked[SHAPE::WARPS + 1];
    __shared__ __align__(16) RAW tile_of[SHAPE::TILE];
    unsigned const               warp = threadIdx.x / WARP_LANES, lane = lane_id();
    size_t const                 tile = links == TILES_LOOKBACK ? take_tile(state) : blockIdx.x;
    size_t const                 first = tile * SHAPE::TILE;
    size_t const                 left = first < work.n ? work.n - first : 0;
    unsigned const               count = left < SHAPE::TILE ? (unsigned)left : SHAPE::TILE;
    unsigned const mine = warp * (ROWS * ROW) + lane * VECTOR; /* index of the thread's first
                                                                * element in the tile */
    bool const     whole = work.wide_in && work.wide_out && count == SHAPE::TILE;

    if (whole) { /* each thread reads only what it copied itself, so no barrier is needed */
#pragma unroll
        for (unsigned row = 0; row < ROWS; row++)
            copy_start((IN_VECTOR *)(tile_of + mine + row * ROW),
                       (const IN_VECTOR *)(work.in + first + mine + row * ROW));
        copies_wait();
    } else {
        for (unsigned i = threadIdx.x; i < SHAPE::TILE; i += SHAPE::THREADS)
            tile_of[i] = i < count ? work.in[first + i] : work.op.blank();
        __syncthreads();
    }

    ACC before[ROWS], of_warp = OP::identity(); /* sums before each of the lane's vectors */
#pragma unroll
    for (unsigned row = 0; row < ROWS; row++) {
        IN_VECTOR const raw = *(const IN_VECTOR *)(tile_of + mine + row * ROW);
        ACC const       scanned = warp_scan<OP>(vector_sum<OP, VECTOR>(work.op, raw));
        before[row] = OP::add(of_warp, warp_before<OP>(scanned));
        of_warp = OP::add(of_warp, __shfl_sync(WARP_ALL, scanned, WARP_LANES - 1));
    }
    block_sums<ACC> const block = block_scan_warps<OP, SHAPE::WARPS>(of_warp, totals);
    ACC                   tile_start = work.start;
    if (links == TILES_CLUSTER)
        tile_start = OP::add(work.start, cluster_scan<OP>(block.total, looked).before);
    else if (links == TILES_LOOKBACK)
        tile_start = look_back<OP, SHAPE::WARPS>(state, tile, block.total, work.start, looked);
    ACC const warp_start = OP::add(tile_start, block.before);

#pragma unroll
    for (unsigned row = 0; row < ROWS; row++) {
        unsigned const   at = mine + row * ROW;
        IN_VECTOR const  raw = *(const IN_VECTOR *)(tile_of + at);
        OUT_VECTOR const result =
            vector_scan<OP, VECTOR>(work.op, raw, OP::add(warp_start, before[row]), work.exclusive);
        if (whole) {
            *(OUT_VECTOR *)(work.out + first + at) = result;
        } else if constexpr (sizeof(RAW) == sizeof(OUT)) {
            *(OUT_VECTOR *)(tile_of + at) = result;
        } else {
#pragma unroll
            for (unsigned i = 0; i < VECTOR; i++)
                if (at + i < count)
                    work.out[first + at + i] = result.at[i];
        }
    }
    if (!whole && sizeof(RAW) == sizeof(OUT)) {
        __syncthreads();
        for (unsigned i = threadIdx.x; i < count; i += SHAPE::THREADS)
            work.out[first + i] = ((const OUT *)tile_of)[i];
    }
    if (work.first_given && tile == 0 && threadIdx.x == 0)
        work.out[0] = work.first_result;
    if (links == TILES_CLUSTER)
        cluster_leave();
}

struct scan_plan { /* arguments of one call; if call is NULL, only scratch is counted */
    cuda_call           *call;
    const ordo_scan_job *job;
    cuda_scratch        *scratch;
};

template <typename OP>
static ordo_status scan_by(const scan_plan *plan, OP op, bool first_given, typename OP::OUT first)
{
    const ordo_scan_job *const    job = plan->job;
    cuda_call *const              call = plan->call;
    const typename OP::RAW *const in = (const typename OP::RAW *)job->in;
    typename OP::OUT *const       out = (typename OP::OUT *)job->out;
    size_t const                  vector = scan_shape<OP>::VECTOR;
    scan_work<OP> const           work = {in,
                                          out,
                                          job->n,
                                          op,
                                          OP::start(job->exclusive),
                                          job->exclusive,
                                          (uintptr_t)in % (vector * sizeof *in) == 0,
                                          (uintptr_t)out % (vector * sizeof *out) == 0,
                                          first_given && job->exclusive,
                                          first};
    bool const                    streams =
        !by_bytes<OP> && job->n >= CUDA_TUNE_STREAM_FROM * (size_t)stream_shape<OP>::TILE;
    size_t const               tiles = ordo_div_up(job->n, streams ? (size_t)stream_shape<OP>::TILE
                                                                   : (size_t)scan_shape<OP>::TILE);
    lookback<typename OP::ACC> state = {NULL, NULL, NULL};
    size_t const               state_bytes =
        tiles > 1 ? lookback_layout(plan->scratch, tiles, scan_shape<OP>::THREADS, &state) : 0;

    if (call == NULL || tiles == 0)
        return ORDO_OK;
    if constexpr (!by_bytes<OP>)
        if (streams) {
            call->exec->algorithm = "stream";
            CUDA_TRY(call->exec, cudaMemsetAsync(state.ticket, 0, state_bytes, call->stream));
            return stream_launch(call, work, state);
        }
    return launch_tiles(call, scan_tiles<OP>, tiles, scan_shape<OP>::THREADS, state, state_bytes,
                        work);
}

static ordo_status scan(const scan_plan *plan)
{
    return with_scan_op(plan->job, [&](auto op, bool first_given, auto first) {
        return scan_by(plan, op, first_given, first);
    });
}

size_t dev_scan_scratch(const ordo_scan_job *job)
{
    if (job->algorithm == ORDO_ALGORITHM_BALLOT)
        return ordo_cuda_papers_table()->ballot.scan_scratch(job);
    if (is_float_product(job))
        return 0;
    cuda_scratch    counting = {NULL, 0};
    scan_plan const plan = {NULL, job, &counting};
    (void)scan(&plan);
    return counting.used;
}

ordo_status dev_scan(cuda_call *call, const ordo_scan_job *job)
{
    if (job->algorithm == ORDO_ALGORITHM_BALLOT)
        return ordo_cuda_papers_table()->ballot.scan(call, job);
    if (is_float_product(job))
        return dev_product(call, job);
    scan_plan const plan = {call, job, &call->scratch};
    call->exec->algorithm = "lookback";
    return scan(&plan);
}
