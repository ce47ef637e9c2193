/* dev_select.cuh - shared by selection and top-k: sample, sweep, settling, and their scratch.
 *
 *     splitters   one block draws and sorts 2048 keys
 *     sample      more draws are counted between the splitters; the counts give each position a
 *                 bracket of words, which misses its key once in 16,000 times
 *     sweep       one read of the array counts the keys before and in each bracket and keeps the
 *                 keys in it, about 4 n / sqrt(draws) (dev_select_sweep.cu)
 *     settle      block_select.cuh on the kept keys; on the array if a bracket missed or was large
 * After R. W. Floyd and R. L. Rivest, "Expected time bounds for selection", CACM 18 (1975). Each
 * step reads the result of the step before from device memory, so the host does not wait. */
#ifndef ORDO_CUDA_SELECT_DEV_SELECT_H
#define ORDO_CUDA_SELECT_DEV_SELECT_H

#include "cuda/block/block_select.cuh"
#include "cuda/block/block_select_read.cuh"
#include "cuda/runtime/cuda_dev.cuh"

enum {
    SELECT_HEAVY = 2,                     /* frequent words of a bracket that may get their own
                                           * interval */
    SELECT_PIECES = 2 * SELECT_HEAVY + 1, /* most intervals of a bracket */
    SELECT_INTERVALS = SELECT_PIECES * SELECT_TARGETS,
    SELECT_SWEEP_THREADS = 256,
    SELECT_FEW = 4,     /* up to this many positions the fewest keys are drawn and kept */
    SELECT_MANY = 20,   /* above this many positions the most keys are drawn */
    SELECT_MAPPED = 3,  /* from this many positions on a map is made */
    SELECT_GIVEN = 256, /* positions passed as the argument of one launch */
    SELECT_ROUNDS =
        16 /* rounds of the search for a tie; each reads eight times as much, so 16 are enough for
            * any n */
};

/* In device memory. Intervals are disjoint and ascending. Cells 0, 2, 4, ... count the keys before,
 * between and after the intervals, cells 1, 3, ... the keys inside. A word that is frequent in the
 * sample gets its own interval, whose keys are only counted. */
struct select_plan {
    unsigned   intervals;
    unsigned   is_void; /* no sweep is done, because it would keep too many keys */
    unsigned   sampled; /* finished blocks of the sample */
    unsigned   taken;   /* chunks taken by the sweep */
    unsigned   arrived, gathered, gathered_ties, winners; /* counters of the grid that settles */
    uint64_t   word, below, ties, last;                   /* values that the blocks of a top-k
                                                           * exchange */
    uint64_t   tied[SELECT_ROUNDS]; /* ties in each round of block_select_ties.cuh */
    select_map map;                 /* if used, intervals are whole buckets of the map */
    uint64_t   lo[SELECT_INTERVALS], hi[SELECT_INTERVALS];
    uint64_t   cells[2 * SELECT_INTERVALS + 1];
    uint64_t   buckets[SELECT_BUCKETS]; /* counts of the buckets that are in an interval */
};

struct select_work {
    select_plan *plan;
    uint64_t    *bins;     /* directly after the plan: the first histogram of each settling */
    uint64_t    *more;     /* the second and third histograms of each settling */
    uint64_t    *gathered; /* SELECT_GATHER words for each settling */
    void        *sample;   /* scratch of dev_select_sample.cu */
    select_kept  kept;
    bool         is_swept;
    unsigned     grids; /* number of settlings: 1; 2 for top-k, whose kept keys have indices */
};

struct select_input {
    ordo_type   type;
    const void *keys;
    size_t      n;
    bool        descending;
    key_ties    ties;
};

/* dev_select_sample.cu: the bytes of work->sample; the kernels that draw splitters and sample and
 * fill work->plan. from_first: the interval of the only position starts at the first word. */
size_t      select_sample_bytes(void);
ordo_status select_sample(cuda_call *call, const select_work *work, const select_input *input,
                          const select_positions *positions, bool from_first);

/* dev_select_sweep.cu: one read of the array that counts and keeps keys by work->plan. `targets` is
 * the number of positions. */
ordo_status select_sweep(cuda_call *call, const select_work *work, const select_input *input,
                         unsigned targets);

struct positions_given { /* a kernel argument */
    size_t k[SELECT_GIVEN];
};

template <int GIVEN>
static __global__ void __launch_bounds__(GIVEN)
    positions_kernel(const __grid_constant__ positions_given given, unsigned count, uint64_t *k)
{
    if (threadIdx.x < count)
        k[threadIdx.x] = given.k[threadIdx.x];
}

/* Copies the positions of a job to device memory. Few positions are passed as kernel arguments,
 * which a captured graph keeps. More are copied from job->k, which must stay valid until the work
 * is done. */
static inline ordo_status select_put_positions(cuda_call *call, const ordo_select_job *job,
                                               uint64_t *k)
{
    if (job->count > 2 * SELECT_GIVEN) {
        CUDA_TRY(call->exec, cudaMemcpyAsync(k, job->k, job->count * sizeof *job->k,
                                             cudaMemcpyHostToDevice, call->stream));
        return ORDO_OK;
    }
    for (size_t first = 0; first < job->count; first += SELECT_GIVEN) {
        positions_given given = {};
        size_t const    count = ordo_min(job->count - first, SELECT_GIVEN);
        memcpy(given.k, job->k + first, count * sizeof *given.k);
        TRY(CUDA_LAUNCH(call, positions_kernel<SELECT_GIVEN>, 1, SELECT_GIVEN, 0, given,
                        (unsigned)count, k + first));
    }
    return ORDO_OK;
}

static inline size_t select_tile(ordo_type type)
{
    return WARP_LANES * (cuda_type_size(type) == 1 ? 32 : 64 / cuda_type_size(type));
}

/* The largest number of blocks of a sweep, for any device. */
static inline size_t select_sweep_blocks(const select_input *input)
{
    size_t const warps = SELECT_SWEEP_THREADS / WARP_LANES;
    return ordo_min(input->n / (select_tile(input->type) * warps) + 1, CUDA_TUNE_SELECT_BLOCKS);
}

/* Layout of a selection that sweeps with room for `keeps` keys, or reads the array in every pass.
 * Every warp may leave a chunk open, and a closed chunk has less than WARP_LANES free places. */
static inline select_work select_layout(cuda_scratch *scratch, const select_input *input,
                                        bool is_swept, size_t keeps, unsigned grids)
{
    size_t const chunk = CUDA_TUNE_SELECT_CHUNK;
    size_t const word = cuda_type_size(input->type) == 8 ? 8 : 4;
    select_work  work = {};
    work.is_swept = is_swept;
    work.grids = grids;
    work.plan = scratch_take<select_plan>(scratch, 1);
    work.bins = scratch_take<uint64_t>(scratch, SELECT_BINS * grids);
    work.more = scratch_take<uint64_t>(scratch, 2 * SELECT_BINS * grids);
    work.gathered = scratch_take<uint64_t>(scratch, SELECT_GATHER * grids);
    if (is_swept) {
        size_t const chunks = ordo_div_up(keeps, chunk - WARP_LANES) +
                              select_sweep_blocks(input) * (SELECT_SWEEP_THREADS / WARP_LANES);
        work.sample = scratch_take<char>(scratch, select_sample_bytes());
        work.kept.chunks = (unsigned)chunks;
        work.kept.counts = scratch_take<uint32_t>(scratch, chunks);
        work.kept.words = scratch_take<char>(scratch, chunks * chunk * word);
        if (grids > 1)
            work.kept.index = scratch_take<uint64_t>(scratch, chunks * chunk);
    }
    return work;
}

/* Initialises the targets. Returns true if every target got the interval of the sweep that holds
 * its position. Returns false if there was no sweep or a bracket missed: then every target has the
 * interval of all words. Called by all threads of a block. */
template <typename WORD>
static DEVICE bool select_begin(select_shared<WORD> &s, const select_work &work,
                                const select_positions &positions, size_t n, WORD last_word)
{
    const select_plan *const plan = work.plan;
    unsigned const           t = threadIdx.x;
    bool is_told = work.is_swept && !plan->is_void && plan->taken <= work.kept.chunks;
    if (is_told) {
        unsigned const intervals = plan->intervals;
        for (unsigned i = t; i < 2 * intervals + 1; i += SELECT_THREADS)
            s.before[i] = plan->cells[i];
        __syncthreads();
        if (t < positions.count) {
            uint64_t const k = positions.k[t];
            uint64_t       below = s.before[0];
            unsigned       v = 0;
            while (v + 1 < intervals && k >= below + s.before[2 * v + 1] + s.before[2 * v + 2]) {
                below += s.before[2 * v + 1] + s.before[2 * v + 2];
                v++;
            }
            s.target[t] = {(WORD)plan->lo[v], (WORD)plan->hi[v], below, s.before[2 * v + 1], 0, 0};
            is_told = k >= below && k < below + s.before[2 * v + 1];
        }
        is_told = __syncthreads_and(is_told) != 0;
    }
    if (!is_told && t < positions.count) {
        s.target[t] = {0, last_word, 0, n, 0, 0};
    }
    __syncthreads();
    return is_told;
}

/* The number of blocks of the settling grid: at most one per multiprocessor, so that a cooperative
 * launch is always possible; one for few keys. */
static inline unsigned select_settle_blocks(const cuda_call *call, const select_input *input)
{
    if (input->n <= CUDA_TUNE_SELECT_ALONE)
        return 1;
    size_t const tiles = input->n / select_tile(input->type) + 1;
    return (unsigned)ordo_min(ordo_div_up(tiles, 4), (size_t)call->facts->sms);
}

/* Zeroes the memory that the blocks of a grid share. Not needed for one block, or after a sample,
 * which zeroes it. */
static inline ordo_status select_clear(cuda_call *call, const select_work *work, unsigned blocks)
{
    if (blocks == 1 || work->is_swept)
        return ORDO_OK;
    char *const start = (char *)work->plan;
    char *const end = (char *)(work->bins + (size_t)SELECT_BINS * work->grids);
    CUDA_TRY(call->exec, cudaMemsetAsync(start, 0, (size_t)(end - start), call->stream));
    return ORDO_OK;
}

/* The shared memory of the grid that settles keys. */
static DEVICE select_grid select_grid_of(const select_work &work)
{
    return {work.bins, work.more, work.gathered, &work.plan->gathered, &work.plan->arrived};
}

/* Launches kernel<<<blocks, SELECT_THREADS>>> cooperatively. */
#define SELECT_LAUNCH_TOGETHER(call, kernel, blocks, ...)                                          \
    do {                                                                                           \
        cudaLaunchAttribute together_ = {};                                                        \
        together_.id = cudaLaunchAttributeCooperative;                                             \
        together_.val.cooperative = 1;                                                             \
        CUDA_TRY((call)->exec, cuda_launch_with(call, together_, (blocks) > 1, kernel, blocks,     \
                                                SELECT_THREADS, 0, __VA_ARGS__));                  \
    } while (0)

#endif
