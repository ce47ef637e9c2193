/* dev_cells.cu - counts the keys in cells between boundaries, and keeps the orders of some cells.
 *
 * A warp reads 512 keys at a time. Up to FEW boundaries are compared with every key, and the counts
 * stay in registers until the end; more boundaries are searched, and the counts are in shared
 * memory, or in device memory if there are too many. The kept orders of a warp get their places by
 * one addition to a global counter. One read of the keys. */
#include "cuda/dist/dist.cuh"
#include "cuda/warp/first_where.cuh"
#include "cuda/warp/warp_scan.cuh"

enum {
    ITEMS = 16, /* keys of a lane at a time */
    TILE = ITEMS * WARP_LANES,
    FEW = 8,
    MOST_SHARED = 8192 /* cells that are counted in shared memory */
};

struct cells_work {
    size_t    n, boundary_count, capacity;
    uint64_t *boundaries, *counts, *kept, *kept_count;
    uint8_t  *keep; /* NULL: none */
    bool      shared;
};

struct few_boundaries { /* a kernel argument */
    uint64_t at[FEW];
    unsigned keep; /* a bit for each cell */
};

/* Keeps the orders whose bit of `mine` is set. Called by whole warps. */
static DEVICE void keep_orders(const cells_work &work, const uint64_t *orders, unsigned mine)
{
    unsigned const count = (unsigned)__popc(mine);
    unsigned const scanned = warp_scan<scan_add<unsigned>>(count);
    unsigned const all = __shfl_sync(WARP_ALL, scanned, WARP_LANES - 1);
    if (all == 0)
        return;
    unsigned long long at = 0;
    if (lane_id() == 0)
        at = atomicAdd((unsigned long long *)work.kept_count, (unsigned long long)all);
    at = __shfl_sync(WARP_ALL, at, 0) + scanned - count;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if ((mine >> i & 1) != 0 && at < work.capacity)
            work.kept[at++] = orders[i];
}

/* Calls f(orders, count) for the keys of this lane in every tile of its warp. */
template <typename CODE, typename F>
static DEVICE void each_tile(const cells_work &work, const typename CODE::BITS *keys, CODE code,
                             F &&f)
{
    size_t const warps = (size_t)gridDim.x * (DIST_THREADS / WARP_LANES);
    size_t const warp = (size_t)blockIdx.x * (DIST_THREADS / WARP_LANES) + threadIdx.x / 32;
    for (size_t tile = warp * TILE; tile < work.n; tile += warps * TILE) {
        uint64_t orders[ITEMS];
        unsigned present = 0;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            size_t const at = tile + (size_t)i * WARP_LANES + lane_id();
            if (at < work.n) {
                orders[i] = (uint64_t)code.encode(keys[at]);
                present |= 1u << i;
            }
        }
        f(orders, present);
    }
}

template <typename CODE>
static __global__ void __launch_bounds__(DIST_THREADS)
    few_kernel(const typename CODE::BITS *keys, CODE code, cells_work work, few_boundaries few)
{
    unsigned long long below[FEW] = {}, up_to[FEW] = {};
    each_tile<CODE>(work, keys, code, [&](const uint64_t *orders, unsigned present) {
        unsigned mine = 0;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            unsigned cell = 0;
            if ((present >> i & 1) == 0)
                continue;
#pragma unroll
            for (int b = 0; b < FEW; b++)
                if (b < (int)work.boundary_count) {
                    bool const less = orders[i] < few.at[b], tied = orders[i] == few.at[b];
                    below[b] += less;
                    up_to[b] += less || tied;
                    cell += less ? 0 : tied ? 1 : 2;
                }
            mine |= (few.keep >> cell & 1) << i;
        }
        keep_orders(work, orders, mine);
    });
#pragma unroll
    for (int b = 0; b < FEW; b++)
        if (b < (int)work.boundary_count) { /* counts[2 b] and [2 b + 1] get these sums first */
            unsigned long long const less = warp_reduce<scan_add<unsigned long long>>(below[b]);
            unsigned long long const most = warp_reduce<scan_add<unsigned long long>>(up_to[b]);
            if (lane_id() == 0) {
                atomicAdd((unsigned long long *)&work.counts[2 * b], less);
                atomicAdd((unsigned long long *)&work.counts[2 * b + 1], most);
            }
        }
}

static DEVICE size_t cell_of(const cells_work &work, uint64_t order)
{
    size_t const lo = first_where((size_t)0, (size_t)work.boundary_count,
                                  [&](size_t b) { return work.boundaries[b] >= order; });
    return 2 * lo + (lo < work.boundary_count && work.boundaries[lo] == order);
}

template <typename CODE>
static __global__ void __launch_bounds__(DIST_THREADS)
    many_kernel(const typename CODE::BITS *keys, CODE code, cells_work work)
{
    __shared__ unsigned counted[MOST_SHARED];
    size_t const        cells = 2 * work.boundary_count + 1;
    for (size_t i = threadIdx.x; work.shared && i < cells; i += DIST_THREADS)
        counted[i] = 0;
    __syncthreads();
    each_tile<CODE>(work, keys, code, [&](const uint64_t *orders, unsigned present) {
        unsigned mine = 0;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            if ((present >> i & 1) == 0)
                continue;
            size_t const cell = cell_of(work, orders[i]);
            if (work.shared)
                atomicAdd(&counted[cell], 1u);
            else
                atomicAdd((unsigned long long *)&work.counts[cell], 1ull);
            mine |= (work.keep != NULL && work.keep[cell] != 0 ? 1u : 0u) << i;
        }
        keep_orders(work, orders, mine);
    });
    __syncthreads();
    for (size_t i = threadIdx.x; work.shared && i < cells; i += DIST_THREADS)
        if (counted[i] != 0)
            atomicAdd((unsigned long long *)&work.counts[i], (unsigned long long)counted[i]);
}

static cells_work layout(cuda_scratch *scratch, const ordo_cells_job *job)
{
    size_t const cells = 2 * job->boundary_count + 1;
    cells_work   work = {};
    work.n = job->n;
    work.boundary_count = job->boundary_count;
    work.capacity = job->capacity;
    work.kept = job->kept;
    work.boundaries = scratch_take<uint64_t>(scratch, job->boundary_count);
    work.counts = scratch_take<uint64_t>(scratch, cells + 1);
    work.kept_count = work.counts + cells;
    work.keep = scratch_take<uint8_t>(scratch, cells);
    work.shared = cells <= MOST_SHARED;
    return work;
}

size_t dev_cells_scratch(const ordo_cells_job *job) { return scratch_of(layout, job); }

static bool is_few(const ordo_cells_job *job)
{
    return job->boundary_count >= 1 && job->boundary_count <= FEW;
}

static ordo_status launch(cuda_call *call, const ordo_cells_job *job, const cells_work &work)
{
    size_t const   grid = dist_grid(call, ordo_div_up(job->n, (size_t)ITEMS));
    few_boundaries few = {};
    if (is_few(job))
        memcpy(few.at, job->boundaries, job->boundary_count * sizeof *few.at);
    for (size_t cell = 0; is_few(job) && job->keep != NULL && cell <= 2 * job->boundary_count;
         cell++)
        few.keep |= (job->keep[cell] != 0 ? 1u : 0u) << cell;
    return with_order(&job->order, job->keys, [&](auto code, auto *keys) {
        typedef decltype(code) CODE;
        return is_few(job)
                   ? CUDA_LAUNCH(call, few_kernel<CODE>, grid, DIST_THREADS, 0, keys, code, work,
                                 few)
                   : CUDA_LAUNCH(call, many_kernel<CODE>, grid, DIST_THREADS, 0, keys, code, work);
    });
}

/* Turns the sums of few_kernel into counts of cells. */
static void difference(const ordo_cells_job *job)
{
    uint64_t up_to = 0;
    for (size_t b = 0; b < job->boundary_count; b++) {
        uint64_t const less = job->counts[2 * b], most = job->counts[2 * b + 1];
        job->counts[2 * b] = less - up_to;
        job->counts[2 * b + 1] = most - less;
        up_to = most;
    }
    job->counts[2 * job->boundary_count] = job->n - up_to;
}

ordo_status dev_cells(cuda_call *call, const ordo_cells_job *job)
{
    size_t const cells = 2 * job->boundary_count + 1;
    cells_work   work = layout(&call->scratch, job);
    TRY(list_in(call, job->boundaries, job->boundary_count, work.boundaries));
    if (job->keep == NULL)
        work.keep = NULL;
    else
        TRY(list_in(call, job->keep, cells, work.keep));
    CUDA_TRY(call->exec,
             cudaMemsetAsync(work.counts, 0, (cells + 1) * sizeof(uint64_t), call->stream));
    TRY(launch(call, job, work));
    TRY(list_out(call, job->counts, work.counts, cells));
    TRY(list_out(call, job->kept_count, work.kept_count, 1));
    if (is_few(job))
        difference(job);
    return ORDO_OK;
}
