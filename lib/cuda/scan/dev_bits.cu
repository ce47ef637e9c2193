/* dev_bits.cu - the binary prefix sum: counts of set flags.
 *
 * A block takes a tile of flags, in rows of 1024 flags per warp; a lane holds one word of 32 flags
 * of each row. Population counts, a warp scan and a block scan give the number of set flags before
 * each word in the tile. The number before the tile comes from the other blocks (tile_links in
 * lookback.cuh). A lane then writes 16 bytes of counts at a time. Reads n bytes or n/8, writes n
 * counts. If only the total is wanted, dev_flags.cu counts spans and one block adds them. Scratch:
 * 16 bytes per tile or 4 per span, and 8. The call waits for the total if the job wants it. The
 * algorithms BALLOT and SHARED are slots of papers/ballot. */
#include "cuda/block/lookback.cuh"
#include "backend/papers.h"
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/scan/dev_flags.cuh"

/* The counts that a lane writes at a time: 16 bytes. */
template <typename COUNT> struct alignas(16) count_vector {
    static constexpr unsigned per = 16 / sizeof(COUNT);
    COUNT                     at[per];
};

/* Writes the counts of 1024 flags: lane i holds word i and the number of set flags before it. A
 * lane writes the counts of `per` consecutive flags at a time. */
template <typename COUNT>
static DEVICE void write_counts(COUNT *out, uint32_t word, COUNT before, bool exclusive)
{
    typedef count_vector<COUNT> VECTOR;
    unsigned const              lane = lane_id(), per = VECTOR::per;
    unsigned const              lanes_of_word = FLAGS_OF_WORD / per;
    unsigned const              bit = lane % lanes_of_word * per;
    uint32_t const              below = (1u << bit) - 1;
#pragma unroll
    for (unsigned row = 0; row < lanes_of_word; row++) {
        unsigned const from = row * per + lane / lanes_of_word;
        uint32_t const its_word = __shfl_sync(WARP_ALL, word, from);
        COUNT          count = __shfl_sync(WARP_ALL, before, from);
        VECTOR         counts;
        count += (COUNT)__popc(its_word & below);
#pragma unroll
        for (unsigned i = 0; i < per; i++) {
            COUNT const next = count + (its_word >> (bit + i) & 1);
            counts.at[i] = exclusive ? count : next;
            count = next;
        }
        *((VECTOR *)out + row * WARP_LANES + lane) = counts;
    }
}

/* The same for `n` flags and any address, one flag per lane, as in Whittaker, Skjellum and
 * Bangalore, "Ballot Counting for Optimal Binary Prefix Sum". */
template <typename COUNT>
static DEVICE void write_counts_singly(COUNT *out, size_t n, uint32_t word, COUNT before,
                                       bool exclusive)
{
    unsigned const lane = lane_id();
    uint32_t const counted = exclusive ? lanes_before() : lanes_to_here();
#pragma unroll 4
    for (unsigned row = 0; row < WARP_LANES; row++) {
        unsigned const at = row * WARP_LANES + lane;
        COUNT const    count = __shfl_sync(WARP_ALL, before, row);
        uint32_t const its_word = __shfl_sync(WARP_ALL, word, row);
        if (at < n)
            out[at] = count + (COUNT)__popc(its_word & counted);
    }
}

struct bits_wishes {
    bool exclusive;
    bool aligned; /* flags may be read 16 bytes at a time */
    bool wide;    /* counts may be written 16 bytes at a time */
};

/* ROWS > 1 is only for large arrays, which have more tiles than a cluster has blocks. */
template <ordo_flags_kind KIND, typename COUNT, int ROWS>
static __global__ void __launch_bounds__(FLAGS_THREADS)
    scan_flags(tile_links links, lookback<uint64_t> state, const uint8_t *flags, size_t n,
               COUNT *counts, bits_wishes wishes, uint64_t *total)
{
    __shared__ uint32_t totals[FLAGS_WARPS];
    __shared__ uint64_t looked[FLAGS_WARPS + 1];
    bool const          is_cluster = ROWS == 1 && links == TILES_CLUSTER;
    size_t const        tile = links == TILES_LOOKBACK ? take_tile(state) : blockIdx.x;
    unsigned const      warp = threadIdx.x / WARP_LANES;
    size_t const        at = (tile * FLAGS_WARPS + warp) * (ROWS * FLAGS_OF_WARP);
    uint32_t            word[ROWS], before[ROWS], of_warp = 0;

    if (wishes.aligned && at + ROWS * FLAGS_OF_WARP <= n) {
#pragma unroll
        for (int row = 0; row < ROWS; row++)
            word[row] = warp_read_flags_whole<KIND>(flags, at + row * FLAGS_OF_WARP);
    } else {
#pragma unroll
        for (int row = 0; row < ROWS; row++)
            word[row] = warp_read_flags<KIND>(flags, at + row * FLAGS_OF_WARP, n, wishes.aligned);
    }
#pragma unroll
    for (int row = 0; row < ROWS; row++) {
        uint32_t const here = (uint32_t)__popc(word[row]);
        uint32_t const to_here = warp_scan<scan_add<uint32_t>>(here);
        before[row] = of_warp + to_here - here;
        of_warp += __shfl_sync(WARP_ALL, to_here, WARP_LANES - 1);
    }
    block_sums<uint32_t> const block =
        block_scan_warps<scan_add<uint32_t>, FLAGS_WARPS>(of_warp, totals);
    uint64_t start = 0;
    if (is_cluster)
        start = cluster_scan<scan_add<uint64_t>>(block.total, looked).before;
    else if (links == TILES_LOOKBACK)
        start = look_back<scan_add<uint64_t>, FLAGS_WARPS>(state, tile, block.total, 0, looked);
    if (tile == gridDim.x - 1 && threadIdx.x == 0)
        *total = start + block.total;
    COUNT const warp_start = (COUNT)(start + block.before);
#pragma unroll
    for (int row = 0; row < ROWS; row++) {
        size_t const row_at = at + row * FLAGS_OF_WARP;
        COUNT const  row_start = warp_start + before[row];
        if (wishes.wide && row_at + FLAGS_OF_WARP <= n)
            write_counts<COUNT>(counts + row_at, word[row], row_start, wishes.exclusive);
        else if (row_at < n)
            write_counts_singly<COUNT>(counts + row_at, n - row_at, word[row], row_start,
                                       wishes.exclusive);
    }
    if (is_cluster)
        cluster_leave();
}

static __global__ void __launch_bounds__(FLAGS_THREADS)
    add_counts(flag_spans spans, uint64_t *total)
{
    flag_sums const sums = flags_sum(spans);
    if (threadIdx.x == 0)
        *total = sums.total;
}

struct bits_work {
    uint64_t          *total;
    bool               large; /* tiles of CUDA_TUNE_BITS_ROWS rows instead of one */
    size_t             tiles;
    lookback<uint64_t> state;
    size_t             state_bytes;
};

static void layout(cuda_scratch *scratch, const ordo_bits_job *job, bits_work *work)
{
    work->large = job->n >= CUDA_TUNE_BITS_LARGE;
    work->tiles = ordo_div_up(job->n, (work->large ? CUDA_TUNE_BITS_ROWS : 1) * FLAGS_TILE);
    work->total = scratch_take<uint64_t>(scratch, 1);
    work->state_bytes = lookback_layout(scratch, work->tiles, FLAGS_THREADS, &work->state);
}

struct span_work { /* used if only the total is wanted */
    uint64_t  *total;
    flag_spans spans;
};

static void span_layout(cuda_scratch *scratch, const ordo_bits_job *job, span_work *work)
{
    work->total = scratch_take<uint64_t>(scratch, 1);
    flags_layout(scratch, job->kind, job->flags, job->n, false, &work->spans);
}

size_t dev_scan_bits_scratch(const ordo_bits_job *job)
{
    if (job->algorithm != ORDO_ALGORITHM_AUTO)
        return ordo_cuda_papers_table()->ballot.scan_bits_scratch(job);
    cuda_scratch by_tiles = {NULL, 0}, by_spans = {NULL, 0};
    bits_work    tiles;
    span_work    spans;
    layout(&by_tiles, job, &tiles);
    span_layout(&by_spans, job, &spans);
    return ordo_max(by_tiles.used, by_spans.used);
}

template <ordo_flags_kind KIND, typename COUNT>
static ordo_status scan_by(cuda_call *call, const ordo_bits_job *job, const bits_work *work)
{
    const uint8_t *const flags = (const uint8_t *)job->flags;
    COUNT *const         counts = (COUNT *)job->counts;
    bits_wishes const    wishes = {job->exclusive, flags_aligned(flags),
                                   (uintptr_t)counts % sizeof(count_vector<COUNT>) == 0};
    return launch_tiles(call,
                        work->large ? scan_flags<KIND, COUNT, CUDA_TUNE_BITS_ROWS>
                                    : scan_flags<KIND, COUNT, 1>,
                        work->tiles, FLAGS_THREADS, work->state, work->state_bytes, flags, job->n,
                        counts, wishes, work->total);
}

template <typename COUNT>
static ordo_status scan_as(cuda_call *call, const ordo_bits_job *job, const bits_work *work)
{
    return job->kind == ORDO_FLAG_BITS ? scan_by<ORDO_FLAG_BITS, COUNT>(call, job, work)
                                       : scan_by<ORDO_FLAG_BYTES, COUNT>(call, job, work);
}

static ordo_status bring_total(cuda_call *call, const ordo_bits_job *job, const uint64_t *total)
{
    return job->total == NULL ? ORDO_OK : call_fetch(call, job->total, total, sizeof *total);
}

static ordo_status count_all(cuda_call *call, const ordo_bits_job *job)
{
    span_work work;
    span_layout(&call->scratch, job, &work);
    TRY(flags_count(call, job->kind, job->flags, &work.spans));
    TRY(CUDA_LAUNCH(call, add_counts, 1, FLAGS_THREADS, 0, work.spans, work.total));
    return bring_total(call, job, work.total);
}

ordo_status dev_scan_bits(cuda_call *call, const ordo_bits_job *job)
{
    bits_work work;
    call->exec->algorithm = "lookback";
    if (job->n == 0) {
        if (job->total != NULL)
            *job->total = 0;
        return ORDO_OK;
    }
    if (job->algorithm != ORDO_ALGORITHM_AUTO)
        return ordo_cuda_papers_table()->ballot.scan_bits(call, job);
    if (job->counts == NULL)
        return count_all(call, job);
    layout(&call->scratch, job, &work);
    if (job->count_type == ORDO_U32)
        TRY(scan_as<uint32_t>(call, job, &work));
    else
        TRY(scan_as<uint64_t>(call, job, &work));
    return bring_total(call, job, work.total);
}
