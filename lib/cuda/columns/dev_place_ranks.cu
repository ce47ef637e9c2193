/* dev_place_ranks.cu - writes the ranks of rows whose order is known to the places of the rows; and
 * dev_lexrank.
 *
 * The tie and the group of every row come from the heads (row_tiles.cuh). Ranks of many rows go to
 * their places by two partitions (dev_rank_parts.cuh), others by a scatter. Memory moved: one byte
 * per row twice, the index, 32 bytes per row for the partitions, and the ranks. Scratch: 48 bytes
 * for 8192 rows, and 16 bytes per row for the partitions. */
#include "core/ties.h"
#include "cuda/columns/row_tiles.cuh"
#include "cuda/rank/dev_rank_parts.cuh"

static_assert((int)ROWS_THREADS == (int)HEADS_THREADS && ROWS_TILE % TILE == 0,
              "a tile of rows is partitioned in whole tiles of ranks");

struct place_work {
    row_tiles  rows;
    rank_parts parts;
};

static bool is_direct(const place_job &job)
{
    size_t const most = (size_t)1 << 31; /* of the partitions: twice a rank is a u32 */
    return job.n * cuda_type_size(job.rank_type) <= CUDA_TUNE_RANK_DIRECT || job.n >= most;
}

static place_work place_layout(cuda_scratch *scratch, const place_job &job)
{
    place_work work = {};
    work.rows = row_tiles_layout(scratch, job.heads, job.n, job.grouped);
    if (!is_direct(job))
        work.parts = parts_layout(scratch, job.n, sizeof(uint32_t), 1);
    return work;
}

size_t place_ranks_scratch(const place_job &job) { return scratch_of(place_layout, job); }

/* Twice the rank of row i, because an average rank can end in one half. */
static DEVICE uint64_t twice_rank(ordo_ties ties, uint64_t i, const row_place &place)
{
    uint64_t const rank = ordo_tie_rank(ties, place.begin - place.group, place.end - place.group,
                                        place.dense, i - place.group);
    return ties == ORDO_TIES_AVERAGE ? rank : 2 * rank;
}

template <typename INDEX>
static __global__ void __launch_bounds__(ROWS_THREADS)
    put_ranks(const __grid_constant__ place_job job, const __grid_constant__ row_tiles rows)
{
    uint64_t const ranked = job.ranked == NULL ? job.n : *job.ranked;
    each_sorted_row(rows, [&](uint64_t i, const row_place &place) {
        uint64_t const row = ((const INDEX *)job.index)[i];
        bool const     has_rank = i < ranked;
        uint64_t const twice = has_rank ? twice_rank(job.ties, i, place) : 0;
        if (job.rank_type == ORDO_U32)
            ((uint32_t *)job.ranks)[row] = (uint32_t)(twice / 2);
        else if (job.rank_type == ORDO_U64)
            ((uint64_t *)job.ranks)[row] = twice / 2;
        else
            ((double *)job.ranks)[row] =
                has_rank ? (double)twice / 2 : __longlong_as_double(0x7ff8000000000000ll);
    });
}

/* ---- By partitions ---- */

/* The first partition computes twice the ranks; rows without a rank get 0. */
static __global__ void __launch_bounds__(ROWS_THREADS, 3)
    part_rows(const __grid_constant__ place_job job, const __grid_constant__ row_tiles rows,
              part_plan<uint32_t> plan)
{
    extern __shared__ __align__(16) char shared_bytes[];
    __shared__ row_shared                shared;
    uint64_t const                       ranked = job.ranked == NULL ? job.n : *job.ranked;
    unsigned const                       in_tile = threadIdx.x / WARP_LANES * (TILE_ROWS * 32);
    part_shared<uint32_t> *const         part = part_start<uint32_t>(shared_bytes);
    for (uint64_t t = blockIdx.x; t < rows.count; t += gridDim.x) {
        row_tile_load(rows, t, &shared);
        for (unsigned first = 0; first < ROWS_TILE; first += TILE) {
            unsigned const from = first + in_tile;
            uint64_t const at = min(t * ROWS_TILE + from, (uint64_t)job.n);
            unsigned const keys = (unsigned)min(job.n - at, (uint64_t)TILE_ROWS * 32);
            uint32_t       of[TILE_ROWS];
#pragma unroll
            for (int row = 0; row < TILE_ROWS; row++)
                of[row] = row * 32 + lane_id() < keys
                              ? ((const uint32_t *)job.index)[at + row * 32 + lane_id()]
                              : 0;
            part_tile(part, plan, 0, of, keys, [&](int row) -> uint32_t {
                uint64_t const i = at + row * 32 + lane_id();
                if (i >= ranked)
                    return 0;
                return (uint32_t)twice_rank(job.ties, i,
                                            row_place_of(shared, t, from + row * 32 + lane_id()));
            });
            __syncthreads();
        }
    }
}

/* Rows without a rank get NaN. */
static __global__ void clear_ranks(const uint32_t *index, const uint64_t *ranked, double *ranks,
                                   size_t n)
{
    uint64_t const first = *ranked;
    grid_each(n - (size_t)first, [&](size_t i) {
        ranks[index[first + i]] = __longlong_as_double(0x7ff8000000000000ll);
    });
}

static ordo_status place_by_parts(cuda_call *call, const place_job &job, const place_work &work)
{
    const rank_parts         &parts = work.parts;
    part_plan<uint32_t> const plan = {(rank_record<uint32_t> *)parts.records[0], parts.taken[0],
                                      parts.shift[0], BUCKETS};
    size_t const grid = ordo_min(row_tiles_grid(call, work.rows), (size_t)call->facts->sms * 3);
    TRY(parts_clear(call, &parts));
    TRY(cuda_allow_shared(call, part_rows, sizeof(part_shared<uint32_t>)));
    TRY(CUDA_LAUNCH(call, part_rows, grid, ROWS_THREADS, sizeof(part_shared<uint32_t>), job,
                    work.rows, plan));
    TRY(with_rank_type(job.rank_type, [&](auto zero) {
        return parts_return<uint32_t>(call, &parts, 0, true, (decltype(zero) *)job.ranks);
    }));
    if (job.ranked == NULL || job.rank_type != ORDO_F64)
        return ORDO_OK;
    return CUDA_LAUNCH(call, clear_ranks, column_grid(call, job.n), COLUMN_THREADS, 0,
                       (const uint32_t *)job.index, job.ranked, (double *)job.ranks, job.n);
}

ordo_status place_ranks(cuda_call *call, const place_job &job)
{
    place_work const work = place_layout(&call->scratch, job);
    row_tiles const  rows = work.rows;
    size_t const     grid = row_tiles_grid(call, rows);
    TRY(row_tiles_fill(call, rows));
    if (!is_direct(job) && job.index_type == ORDO_U32)
        return place_by_parts(call, job, work);
    return job.index_type == ORDO_U32
               ? CUDA_LAUNCH(call, put_ranks<uint32_t>, grid, ROWS_THREADS, 0, job, rows)
               : CUDA_LAUNCH(call, put_ranks<uint64_t>, grid, ROWS_THREADS, 0, job, rows);
}

/* ---- Ranks of rows by several columns ---- */

struct lexrank_work {
    void    *index;
    uint8_t *heads;
};

static ordo_type index_type_of(size_t n) { return n <= UINT32_MAX ? ORDO_U32 : ORDO_U64; }

static lexrank_work lexrank_layout(cuda_scratch *scratch, const ordo_lexrank_job *job)
{
    lexrank_work work;
    work.index = scratch_take<char>(scratch, job->n * cuda_type_size(index_type_of(job->n)));
    work.heads = scratch_take<uint8_t>(scratch, job->n);
    return work;
}

static ordo_lexsort_job order_of(const ordo_lexrank_job *job, const lexrank_work &work)
{
    return {job->columns, job->count, job->n, index_type_of(job->n), work.index, work.heads};
}

static place_job place_of(const ordo_lexrank_job *job, const lexrank_work &work)
{
    return {job->n,    index_type_of(job->n), work.index, work.heads, false, NULL,
            job->ties, job->rank_type,        job->ranks};
}

size_t dev_lexrank_scratch(const ordo_lexrank_job *job)
{
    ordo_lexsort_job const order = order_of(job, {});
    return scratch_of(lexrank_layout, job) +
           ordo_max(dev_lexsort_scratch(&order), place_ranks_scratch(place_of(job, {})));
}

ordo_status dev_lexrank(cuda_call *call, const ordo_lexrank_job *job)
{
    lexrank_work const     work = lexrank_layout(&call->scratch, job);
    size_t const           used = call->scratch.used;
    ordo_lexsort_job const order = order_of(job, work);
    TRY(dev_lexsort(call, &order));
    call->scratch.used = used;
    TRY(place_ranks(call, place_of(job, work)));
    call->exec->algorithm = "words";
    return ORDO_OK;
}
