/* block_select.cuh - finds several k-th keys of one multiset by radix selection.
 *
 * A target is a wanted position, the interval of words that holds its key, and the number of keys
 * before and inside the interval. A pass counts the keys of every interval by the next digit of
 * their distance from its start. The intervals share a histogram of 2^13 bins (one interval: 13
 * bits per pass; 32: 8 bits); each target continues in the bin of its position. When the intervals
 * hold at most SELECT_GATHER keys, a last pass gathers the keys and one block sorts them. At most
 * ceil(bits / 13) + 1 passes for one target. All blocks of a cooperative grid call together, with
 * one grid barrier per pass; a single block needs no device memory. Blocks have 1024 threads and 43
 * KB of shared memory. Device memory: three histograms of 64 KB. */
#ifndef ORDO_CUDA_BLOCK_BLOCK_SELECT_H
#define ORDO_CUDA_BLOCK_BLOCK_SELECT_H

#include "cuda/block/block_bitonic.cuh"
#include "cuda/block/block_scan.cuh"
#include "cuda/runtime/cuda_tuning.cuh"

enum {
    SELECT_TARGETS = 32, /* at most; one per lane */
    SELECT_THREADS = 1024,
    SELECT_WARPS = SELECT_THREADS / 32,
    SELECT_LG_BINS = 13,
    SELECT_LG_LEAST = 8, /* smallest lg of bins: 32 intervals get the bins of one thread each */
    SELECT_BINS = 1 << SELECT_LG_BINS,
    SELECT_SHARE = SELECT_BINS / SELECT_THREADS, /* bins of one thread */
    SELECT_GATHER = CUDA_TUNE_SELECT_GATHER
};

struct select_positions { /* of the targets, ascending */
    size_t   k[SELECT_TARGETS];
    unsigned count;
};

template <typename WORD> struct select_target {
    WORD     lo, hi;   /* the key is in [lo, hi] */
    uint64_t below;    /* keys before lo */
    uint64_t inside;   /* keys from lo to hi */
    uint64_t gathered; /* keys of the open intervals before this one */
    unsigned interval; /* index of its interval in select_open, if lo != hi */
};

template <typename WORD>
struct select_open { /* the intervals that are not settled (lo != hi),
                                               * ascending */
    unsigned count;
    unsigned lg;    /* lg of count, rounded up */
    unsigned digit; /* bits that one pass resolves */
    uint64_t inside;
    WORD     lo[SELECT_TARGETS], hi[SELECT_TARGETS], width[SELECT_TARGETS];
    unsigned shift[SELECT_TARGETS];
};

template <typename WORD> struct select_shared {
    union {
        uint32_t bins[SELECT_BINS];
        WORD     sorted[bitonic_room<WORD>(SELECT_GATHER)];
    };
    uint64_t            before[SELECT_THREADS]; /* keys in the bins before the bins of each
                                                 * thread */
    uint64_t            totals[SELECT_WARPS];
    uint64_t            wanted[SELECT_TARGETS];
    unsigned            gathered;
    select_open<WORD>   open;
    select_target<WORD> target[SELECT_TARGETS];
};

struct select_grid {              /* device memory that the blocks of a grid share */
    uint64_t *bins;               /* SELECT_BINS, zero at the start */
    uint64_t *more;               /* 2 * SELECT_BINS */
    void     *words;              /* SELECT_GATHER words */
    unsigned *gathered, *arrived; /* both zero at the start */
};

/* A barrier of all blocks of a cooperative grid; *round counts the barriers passed. */
static DEVICE void grid_barrier(unsigned *const arrived, unsigned *const round)
{
    ++*round;
    __syncthreads();
    if (gridDim.x == 1)
        return;
    if (threadIdx.x == 0) {
        unsigned seen;
        __threadfence();
        atomicAdd(arrived, 1u);
        do
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                         : "=r"(seen)
                         : "l"(arrived)
                         : "memory");
        while (seen < *round * gridDim.x);
        __threadfence();
    }
    __syncthreads();
}

template <typename WORD> static DEVICE unsigned word_length(WORD x)
{
    return 64u - (unsigned)__clzll((long long)(uint64_t)x);
}

/* Lists the open intervals: those with lo != hi. If the keys are spread evenly (is_even), uses just
 * enough bins to leave few keys in each bin; otherwise all bins. Called by one warp; lane t handles
 * target t. */
template <typename WORD>
static DEVICE void select_list(select_target<WORD> *const targets, unsigned count, bool is_even,
                               select_open<WORD> *const open)
{
    unsigned const      lane = lane_id();
    select_target<WORD> t = targets[lane < count ? lane : 0];
    WORD const          left = __shfl_up_sync(WARP_ALL, t.lo, 1);
    bool const          is_open = lane < count && t.lo != t.hi;
    bool const          is_first = is_open && (lane == 0 || t.lo != left);
    uint32_t const      firsts = __ballot_sync(WARP_ALL, is_first);
    uint64_t const      inside = warp_scan<scan_add<uint64_t>>(is_first ? t.inside : 0);
    unsigned const      intervals = (unsigned)__popc(firsts);
    unsigned const      lg = intervals < 2 ? 0 : word_length(intervals - 1);
    uint64_t const      total = __shfl_sync(WARP_ALL, inside, WARP_LANES - 1);
    unsigned const      enough = word_length(total / SELECT_GATHER) + 2 + lg;
    unsigned const      least = SELECT_LG_LEAST, most = SELECT_LG_BINS;
    unsigned const lg_bins = !is_even || enough > most ? most : enough < least ? least : enough;
    unsigned const digit = lg_bins - lg;

    /* The search in finder_find reaches entries after the last interval only for words above all
     * intervals; no word is inside these entries. */
    if (lane >= intervals) {
        open->hi[lane] = (WORD) ~(WORD)0;
        open->lo[lane] = open->width[lane] = 0;
        open->shift[lane] = 0;
    }
    __syncwarp();
    if (is_open) {
        unsigned const at = (unsigned)__popc(firsts & lanes_to_here()) - 1;
        WORD const     width = (WORD)(t.hi - t.lo);
        unsigned const length = word_length(width);
        targets[lane].interval = at;
        targets[lane].gathered = inside - t.inside;
        if (is_first) {
            open->lo[at] = t.lo;
            open->hi[at] = t.hi;
            open->width[at] = width;
            open->shift[at] = length > digit ? length - digit : 0;
        }
    }
    if (lane == 0) {
        open->count = intervals;
        open->lg = lg;
        open->digit = digit;
        open->inside = total;
    }
}

/* Finds the interval of a word. Values that do not change during a pass are in registers. */
template <typename WORD> struct select_finder {
    const select_open<WORD> *open;
    unsigned                 lg, digit, shift;
    WORD                     lo, width;
};

/* Whether a word is in an open interval; *bin is the bin that counts it. */
template <typename WORD>
static DEVICE bool finder_find(const select_finder<WORD> &finder, WORD word, unsigned *bin)
{
    if (finder.lg == 0) {
        WORD const distance = (WORD)(word - finder.lo);
        *bin = (unsigned)(distance >> finder.shift);
        return distance <= finder.width;
    }
    const select_open<WORD> &open = *finder.open;
    unsigned                 at = 0;
    for (unsigned half = 1u << finder.lg >> 1; half > 0; half /= 2)
        at += open.hi[at + half - 1] < word ? half : 0;
    WORD const distance = (WORD)(word - open.lo[at]);
    *bin = (at << finder.digit) + (unsigned)(distance >> open.shift[at]);
    return distance <= open.width[at];
}

/* Moves each target to the bin of its position. `histogram` is in device memory; NULL means s.bins.
 * A thread holds its bins in registers and updates the targets that fall into them. Not inlined, to
 * compile it once. */
template <typename WORD>
static __device__ __noinline__ void select_narrow(select_shared<WORD>    *shared,
                                                  const select_positions &positions,
                                                  const uint64_t *const   histogram)
{
    select_shared<WORD>       &s = *as_shared(shared);
    typedef scan_add<uint64_t> ADD;
    unsigned const             used = s.open.count << s.open.digit;
    unsigned const             mine = threadIdx.x * SELECT_SHARE;
    uint64_t                   counts[SELECT_SHARE], sum = 0;
#pragma unroll
    for (unsigned i = 0; i < SELECT_SHARE; i++) {
        counts[i] = mine >= used        ? 0
                    : histogram != NULL ? __ldcg(histogram + mine + i)
                                        : s.bins[mine + i];
        sum += counts[i];
    }
    uint64_t const scanned = warp_scan<ADD>(sum);
    uint64_t const warp_sum = __shfl_sync(WARP_ALL, scanned, WARP_LANES - 1);
    uint64_t const warps_before = block_scan_warps<ADD, SELECT_WARPS>(warp_sum, s.totals).before;
    uint64_t const first = warps_before + scanned - sum;
    s.before[threadIdx.x] = first;
    __syncthreads();
    if (threadIdx.x < positions.count) {
        select_target<WORD> const &target = s.target[threadIdx.x];
        unsigned const             start = (target.interval << s.open.digit) / SELECT_SHARE;
        s.wanted[threadIdx.x] = target.lo == target.hi
                                    ? UINT64_MAX
                                    : s.before[start] + positions.k[threadIdx.x] - target.below;
    }
    __syncthreads();
    for (unsigned t = 0; t < positions.count; t++) {
        uint64_t const wanted = s.wanted[t];
        if (wanted < first || wanted >= first + sum)
            continue;
        unsigned at = 0;
        uint64_t before = first, count = 0;
#pragma unroll
        for (unsigned i = 0; i < SELECT_SHARE; i++) {
            bool const is_here = count == 0 && wanted < before + counts[i];
            at = is_here ? i : at;
            count = is_here ? counts[i] : count;
            before += count == 0 ? counts[i] : 0;
        }
        select_target<WORD> *const target = &s.target[t];
        unsigned const             bin = target->interval << s.open.digit;
        unsigned const             shift = s.open.shift[target->interval];
        WORD const                 rest = (WORD)(((WORD)1 << shift) - 1);
        target->lo = (WORD)(target->lo + ((WORD)(mine + at - bin) << shift));
        if ((WORD)(target->hi - target->lo) > rest)
            target->hi = (WORD)(target->lo + rest);
        target->below += before - s.before[bin / SELECT_SHARE];
        target->inside = count;
    }
}

/* Appends a word to the gathered words: in shared memory if the grid has one block, else in
 * grid.words. */
template <typename WORD>
static DEVICE void select_gather(select_shared<WORD> &s, const select_grid &grid, WORD word)
{
    unsigned const together = __activemask(), leader = (unsigned)__ffs((int)together) - 1;
    unsigned       at = 0;
    if (lane_id() == leader)
        at = atomicAdd(gridDim.x == 1 ? &s.gathered : grid.gathered, (unsigned)__popc(together));
    at = __shfl_sync(together, at, (int)leader) + (unsigned)__popc(together & lanes_before());
    if (gridDim.x == 1)
        s.sorted[bitonic_at<WORD>(at)] = word;
    else
        ((WORD *)grid.words)[at] = word;
}

/* Sorts the s.open.inside gathered words and settles all targets. Not inlined, to compile it
 * once. */
template <typename WORD>
static __device__ __noinline__ void select_look(select_shared<WORD> *shared, const void *gathered,
                                                const select_positions &positions)
{
    select_shared<WORD> &s = *as_shared(shared);
    unsigned const       n = (unsigned)s.open.inside, tile = bitonic_tile(n);
    for (unsigned i = threadIdx.x; i < tile; i += SELECT_THREADS)
        if (i >= n)
            s.sorted[bitonic_at<WORD>(i)] = (WORD) ~(WORD)0;
        else if (gridDim.x > 1)
            s.sorted[bitonic_at<WORD>(i)] = __ldcg((const WORD *)gathered + i);
    block_bitonic_sort(s.sorted, tile);

    unsigned const t = threadIdx.x;
    if (t < positions.count && s.target[t].lo != s.target[t].hi) {
        select_target<WORD> *const target = &s.target[t];
        unsigned const             start = (unsigned)target->gathered;
        unsigned const             end = start + (unsigned)target->inside;
        WORD const                 word =
            s.sorted[bitonic_at<WORD>(start + (unsigned)(positions.k[t] - target->below))];
        unsigned bounds[2]; /* range of the words equal to `word` */
        for (int side = 0; side < 2; side++) {
            unsigned from = start, to = end;
            while (from < to) {
                unsigned const middle = (from + to) / 2;
                WORD const     other = s.sorted[bitonic_at<WORD>(middle)];
                bool const     is_before = side == 0 ? other < word : !(word < other);
                from = is_before ? middle + 1 : from;
                to = is_before ? to : middle;
            }
            bounds[side] = from;
        }
        target->lo = target->hi = word;
        target->below += bounds[0] - start;
        target->inside = bounds[1] - bounds[0];
    }
}

/* The histogram of a pass. The blocks count in this one and zero the next one, while a slow block
 * may still read the previous one; hence three histograms. */
static DEVICE uint64_t *select_bins(const select_grid &grid, unsigned pass)
{
    unsigned const turn = pass % 3;
    return turn == 0 ? grid.bins : grid.more + (turn - 1) * SELECT_BINS;
}

/* Settles s.target, whose intervals and counts are set. Afterwards, in block 0, lo == hi is the
 * key, `below` is the number of smaller keys and `inside` the number of equal keys. is_even: keys
 * are probably spread evenly over the intervals. each(f) calls f(word, ...) for this thread's part
 * of the multiset. Ends with a barrier of the block. */
template <typename WORD, typename EACH>
static DEVICE void select_settle(select_shared<WORD> &s, const select_grid &grid,
                                 const select_positions &positions, bool is_even, unsigned *round,
                                 EACH each)
{
    for (unsigned pass = 0;; pass++) {
        uint64_t *const counts = select_bins(grid, pass);
        uint64_t *const next = select_bins(grid, pass + 1);
        __syncthreads();
        if (threadIdx.x < WARP_LANES)
            select_list(s.target, positions.count, is_even, &s.open);
        if (threadIdx.x == 0)
            s.gathered = 0;
        __syncthreads();
        if (s.open.inside == 0)
            return;
        bool const     is_last = s.open.inside <= SELECT_GATHER;
        unsigned const used = s.open.count << s.open.digit;
        for (unsigned i = threadIdx.x; i < used && !is_last; i += SELECT_THREADS)
            s.bins[i] = 0;
        if (gridDim.x > 1)
            for (unsigned i = blockIdx.x * SELECT_THREADS + threadIdx.x; i < SELECT_BINS;
                 i += gridDim.x * SELECT_THREADS)
                next[i] = 0;
        __syncthreads();

        select_finder<WORD> const finder = {&s.open,         s.open.lg,    s.open.digit,
                                            s.open.shift[0], s.open.lo[0], s.open.width[0]};
        each([&](WORD word, auto &&) {
            unsigned bin;
            if (!finder_find(finder, word, &bin))
                return;
            if (is_last)
                select_gather(s, grid, word);
            else
                atomicAdd(&s.bins[bin], 1u);
        });
        __syncthreads();
        if (gridDim.x > 1 && !is_last)
            for (unsigned i = threadIdx.x; i < used; i += SELECT_THREADS)
                if (s.bins[i] != 0)
                    atomicAdd((unsigned long long *)&counts[i], (unsigned long long)s.bins[i]);
        grid_barrier(grid.arrived, round);
        if (is_last) {
            if (blockIdx.x == 0)
                select_look(&s, grid.words, positions);
            __syncthreads();
            return;
        }
        select_narrow(&s, positions, gridDim.x == 1 ? NULL : counts);
    }
}

#endif
