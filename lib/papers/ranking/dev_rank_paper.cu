/* dev_rank_paper.cu - ranks of a sorted array as in Liang, Bisnett, Hylton, Sang and Yu, "Parallel
 * Computation of Standard Competition Rankings over a Sorted Array".
 *   naive     in step j a key that ties with the key 2^j to its left takes that key's rank. lg n
 *             launches; each reads the keys twice and moves all ranks. Scratch: n ranks
 *   shuffle   a scan of words of a rank and a flag "a group of tied keys begins here"; a word
 *             without the flag takes the word to its left. Blocks of 256 by shuffles, then their
 *             last words the same way, then back down
 *   hybrid    a warp ranks 1024 keys, 32 at a time by ballot, brev and ffs; a binary search finds
 *             the start of its first group if that is not in the 32 keys before. One launch
 * The paper computes minimum ranks. For other tie rules a second phase ranks the ranks. */
#include "cuda/rank/dev_rank.cuh"
#include "papers/ranking/rank_operator.h"
#include "papers/ranking/ranking.h"

enum {
    PAPER_BLOCK = 256,      /* threads; with shuffle also the keys that one block scans */
    PAPER_WARP_KEYS = 1024, /* keys that one warp ranks in hybrid */
    PAPER_LEVELS = 8        /* levels of the sums of shuffle: enough for 256^8 keys */
};

static DEVICE size_t thread_index(void) { return (size_t)blockIdx.x * PAPER_BLOCK + threadIdx.x; }

template <typename NUM>
static __global__ void __launch_bounds__(PAPER_BLOCK) naive_start(NUM *ranks, size_t n)
{
    size_t const i = thread_index();
    if (i < n)
        ranks[i] = (NUM)(i + 1);
}

template <typename CODE, typename NUM>
static __global__ void __launch_bounds__(PAPER_BLOCK)
    naive_step(const typename CODE::BITS *keys, const NUM *from, NUM *to, size_t n, size_t distance)
{
    size_t const i = thread_index();
    if (i >= n)
        return;
    to[i] = i < distance ? from[i]
                         : (NUM)rank_joined(keys_tie<CODE>(keys[i], keys[i - distance]),
                                            from[i - distance], from[i]);
}

static __global__ void __launch_bounds__(PAPER_BLOCK) numbers_to_doubles(uint64_t *ranks, size_t n)
{
    size_t const i = thread_index();
    if (i < n)
        ranks[i] = (uint64_t)__double_as_longlong((double)ranks[i]);
}

/* The two arrays alternate; the caller chooses the first so that the last step writes to `out`. */
template <typename CODE, typename NUM, typename BITS = typename CODE::BITS>
static ordo_status rank_naive(cuda_call *call, const ordo_rank_sorted_job *job, NUM *from, NUM *to)
{
    size_t const      n = job->n, blocks = ordo_div_up(n, PAPER_BLOCK);
    const BITS *const keys = (const BITS *)job->sorted;

    TRY(CUDA_LAUNCH(call, naive_start<NUM>, blocks, PAPER_BLOCK, 0, from, n));
    for (size_t distance = 1; distance < n; distance *= 2) {
        TRY(CUDA_LAUNCH(call, (naive_step<CODE, NUM>), blocks, PAPER_BLOCK, 0, keys, from, to, n,
                        distance));
        NUM *const written = to;
        to = from;
        from = written;
    }
    if (job->rank_type == ORDO_F64)
        TRY(CUDA_LAUNCH(call, numbers_to_doubles, blocks, PAPER_BLOCK, 0, (uint64_t *)job->ranks,
                        n));
    return ORDO_OK;
}

template <typename NUM> static __host__ __device__ constexpr NUM begins_flag(void)
{
    return (NUM)1 << (8 * sizeof(NUM) - 1);
}

/* The word of the right neighbour after the step. */
template <typename NUM> static DEVICE NUM taken_over(NUM left, NUM right)
{
    if constexpr (sizeof(NUM) == sizeof(uint32_t))
        return rank_words_joined_32(left, right);
    else
        return rank_words_joined_64(left, right);
}

template <typename NUM> static DEVICE NUM warp_taken_over(NUM word)
{
#pragma unroll
    for (int distance = 1; distance < WARP_LANES; distance *= 2) {
        NUM const left = __shfl_up_sync(WARP_ALL, word, distance);
        if (lane_id() >= (unsigned)distance)
            word = taken_over(left, word);
    }
    return word;
}

/* Scans the words of a block, one per thread; also stores the last word in `sums`. */
template <typename NUM> static DEVICE NUM block_taken_over(NUM word, NUM *sums)
{
    __shared__ NUM of_warp[PAPER_BLOCK / WARP_LANES];

    unsigned const warp = threadIdx.x / WARP_LANES;
    word = warp_taken_over(word);
    if (lane_id() == WARP_LANES - 1)
        of_warp[warp] = word;
    __syncthreads();
    if (warp == 0) {
        bool const there = lane_id() < PAPER_BLOCK / WARP_LANES;
        NUM const  scanned = warp_taken_over(there ? of_warp[lane_id()] : (NUM)0);
        if (there)
            of_warp[lane_id()] = scanned;
    }
    __syncthreads();
    if (warp > 0)
        word = taken_over(of_warp[warp - 1], word);
    if (threadIdx.x == PAPER_BLOCK - 1)
        sums[blockIdx.x] = word;
    return word;
}

template <typename CODE, typename NUM>
static __global__ void __launch_bounds__(PAPER_BLOCK)
    shuffle_keys(const typename CODE::BITS *keys, size_t n, NUM *words, NUM *sums)
{
    size_t const i = thread_index();
    NUM          word = 0;
    if (i < n) {
        bool const begins = i == 0 || !keys_tie<CODE>(keys[i - 1], keys[i]);
        word = (NUM)(i + 1) | (begins ? begins_flag<NUM>() : 0);
    }
    word = block_taken_over(word, sums);
    if (i < n)
        words[i] = word;
}

template <typename NUM>
static __global__ void __launch_bounds__(PAPER_BLOCK) shuffle_sums(NUM *words, size_t n, NUM *sums)
{
    size_t const i = thread_index();
    NUM const    word = block_taken_over(i < n ? words[i] : (NUM)0, sums);
    if (i < n)
        words[i] = word;
}

/* A word without a flag takes the last word of the block before. */
template <typename NUM> static DEVICE NUM word_settled(const NUM *words, const NUM *sums)
{
    NUM const word = words[thread_index()];
    return blockIdx.x > 0 ? taken_over(sums[blockIdx.x - 1], word) : word;
}

template <typename NUM>
static __global__ void __launch_bounds__(PAPER_BLOCK)
    shuffle_settle(NUM *words, size_t n, const NUM *sums)
{
    if (thread_index() < n)
        words[thread_index()] = word_settled(words, sums);
}

/* `words` and `ranks` may be the same array. */
template <typename RANK, typename NUM>
static __global__ void __launch_bounds__(PAPER_BLOCK)
    shuffle_ranks(const NUM *words, size_t n, const NUM *sums, RANK *ranks)
{
    if (thread_index() < n)
        ranks[thread_index()] = (RANK)(word_settled(words, sums) & ~begins_flag<NUM>());
}

/* sums[l] has one word for each block of level l; the last level has one block. */
template <typename NUM> struct shuffle_levels {
    NUM   *sums[PAPER_LEVELS];
    size_t count[PAPER_LEVELS];
    int    levels;
};

template <typename NUM> static shuffle_levels<NUM> take_levels(cuda_scratch *scratch, size_t n)
{
    shuffle_levels<NUM> levels = {};
    size_t              count = n;
    do {
        count = ordo_div_up(count, PAPER_BLOCK);
        levels.count[levels.levels] = count;
        levels.sums[levels.levels++] = scratch_take<NUM>(scratch, count);
    } while (count > 1);
    return levels;
}

template <typename CODE, typename NUM, typename BITS = typename CODE::BITS>
static ordo_status rank_shuffle(cuda_call *call, const ordo_rank_sorted_job *job, NUM *words)
{
    shuffle_levels<NUM> const at = take_levels<NUM>(&call->scratch, job->n);
    const BITS *const         keys = (const BITS *)job->sorted;
    size_t const              n = job->n;

    TRY(CUDA_LAUNCH(call, (shuffle_keys<CODE, NUM>), at.count[0], PAPER_BLOCK, 0, keys, n, words,
                    at.sums[0]));
    for (int level = 1; level < at.levels; level++)
        TRY(CUDA_LAUNCH(call, shuffle_sums<NUM>, at.count[level], PAPER_BLOCK, 0,
                        at.sums[level - 1], at.count[level - 1], at.sums[level]));
    for (int level = at.levels - 1; level >= 1; level--)
        TRY(CUDA_LAUNCH(call, shuffle_settle<NUM>, at.count[level], PAPER_BLOCK, 0,
                        at.sums[level - 1], at.count[level - 1], at.sums[level]));
    return with_rank_type(job->rank_type, [&](auto zero) {
        typedef decltype(zero) RANK;
        return CUDA_LAUNCH(call, (shuffle_ranks<RANK, NUM>), at.count[0], PAPER_BLOCK, 0, words, n,
                           at.sums[0], (RANK *)job->ranks);
    });
}

/* The first key of the group of key `of`, by binary search. */
template <typename CODE>
static DEVICE size_t modified_search(const typename CODE::BITS *keys, size_t of)
{
    size_t low = 0, high = of, begin = of; /* keys [high, of] are in the group */
    while (low < high) {
        size_t const middle = low + (high - low) / 2;
        if (keys_tie<CODE>(keys[middle], keys[of]))
            begin = high = middle;
        else
            low = middle + 1;
    }
    return begin;
}

/* The rank, from 0, of the key before `base`; `base` is a multiple of 32 above 0. */
template <typename CODE, typename BITS = typename CODE::BITS>
static DEVICE size_t rank_before(const BITS *keys, size_t base)
{
    BITS const     key = keys[base - WARP_LANES + lane_id()];
    BITS const     left = (BITS)__shfl_up_sync(WARP_ALL, key, 1); /* lane 0 gets its own key */
    uint32_t const votes = __ballot_sync(WARP_ALL, !keys_tie<CODE>(key, left));
    size_t const   group = base - WARP_LANES;
    return votes != 0 ? group + (WARP_LANES - __ffs(__brev(votes)))
                      : modified_search<CODE>(keys, group);
}

template <typename CODE, typename RANK, typename BITS = typename CODE::BITS>
static __global__ void __launch_bounds__(PAPER_BLOCK)
    hybrid_ranks(const BITS *keys, size_t n, RANK *ranks)
{
    unsigned const lane = lane_id();
    size_t const   base = thread_index() / WARP_LANES * PAPER_WARP_KEYS;
    size_t const   end = n - base < PAPER_WARP_KEYS ? n : base + PAPER_WARP_KEYS;
    if (base >= n)
        return;
    size_t begin = base > 0 ? rank_before<CODE>(keys, base) : 0; /* first key of the current
                                                                  * group */
    BITS   before = keys[base > 0 ? base - 1 : 0];
    for (size_t group = base; group < end; group += WARP_LANES) {
        size_t const   i = group + lane;
        BITS const     key = i < n ? keys[i] : before;
        BITS const     up = (BITS)__shfl_up_sync(WARP_ALL, key, 1);
        BITS const     left = lane == 0 ? before : up;
        uint32_t const votes = __ballot_sync(WARP_ALL, i < n && !keys_tie<CODE>(key, left));
        uint32_t const reversed = __brev(votes & (0xffffffffu >> (WARP_LANES - 1 - lane)));
        size_t const   mine = reversed != 0 ? group + (WARP_LANES - __ffs(reversed)) : begin;
        if (i < n)
            ranks[i] = (RANK)(mine + 1);
        begin = __shfl_sync(WARP_ALL, mine, WARP_LANES - 1);
        before = (BITS)__shfl_sync(WARP_ALL, key, WARP_LANES - 1);
    }
}

template <typename CODE, typename BITS = typename CODE::BITS>
static ordo_status rank_hybrid(cuda_call *call, const ordo_rank_sorted_job *job)
{
    size_t const warps = ordo_div_up(job->n, PAPER_WARP_KEYS);
    size_t const blocks = ordo_div_up(warps, PAPER_BLOCK / WARP_LANES);
    return with_rank_type(job->rank_type, [&](auto zero) {
        typedef decltype(zero) RANK;
        return CUDA_LAUNCH(call, (hybrid_ranks<CODE, RANK>), blocks, PAPER_BLOCK, 0,
                           (const BITS *)job->sorted, job->n, (RANK *)job->ranks);
    });
}

/* Whether ranks are computed in 64 bits. */
static bool is_wide(const ordo_rank_sorted_job *job)
{
    bool const flagged = job->algorithm == ORDO_ALGORITHM_SHUFFLE;
    return job->rank_type != ORDO_U32 || (flagged && job->n >= (size_t)1 << 31);
}

static bool has_second_phase(const ordo_rank_sorted_job *job)
{
    return job->ties != ORDO_TIES_MIN && job->ties != ORDO_TIES_ORDINAL;
}

/* Number of words besides the ranks: the second array of naive, or the words of shuffle if the
 * ranks cannot hold them. */
static size_t words_beside(const ordo_rank_sorted_job *job)
{
    bool const naive = job->algorithm == ORDO_ALGORITHM_NAIVE;
    return naive || (is_wide(job) && job->rank_type == ORDO_U32) ? job->n : 0;
}

size_t dev_rank_paper_scratch(const ordo_rank_sorted_job *job)
{
    cuda_scratch counted = {};
    if (job->n == 0 || job->ties == ORDO_TIES_ORDINAL)
        return 0;
    if (is_wide(job))
        scratch_take<uint64_t>(&counted, words_beside(job));
    else
        scratch_take<uint32_t>(&counted, words_beside(job));
    if (job->algorithm == ORDO_ALGORITHM_SHUFFLE && is_wide(job))
        take_levels<uint64_t>(&counted, job->n);
    else if (job->algorithm == ORDO_ALGORITHM_SHUFFLE)
        take_levels<uint32_t>(&counted, job->n);
    if (has_second_phase(job))
        heads_take(&counted, job->n, job->ties == ORDO_TIES_AVERAGE);
    return counted.used;
}

template <typename CODE, typename NUM>
static ordo_status rank_least(cuda_call *call, const ordo_rank_sorted_job *job)
{
    NUM *const beside = scratch_take<NUM>(&call->scratch, words_beside(job));
    NUM *const out = (NUM *)job->ranks;
    bool       swapped = false; /* naive starts in scratch if the number of its steps is odd */
    if (job->algorithm == ORDO_ALGORITHM_SHUFFLE)
        return rank_shuffle<CODE, NUM>(call, job, words_beside(job) > 0 ? beside : out);
    for (size_t distance = 1; distance < job->n; distance *= 2)
        swapped = !swapped;
    return rank_naive<CODE, NUM>(call, job, swapped ? beside : out, swapped ? out : beside);
}

static ordo_status rank_by_rule(cuda_call *call, const ordo_rank_sorted_job *job)
{
    ordo_type const   as_keys = job->rank_type == ORDO_U32 ? ORDO_U32 : ORDO_U64;
    heads_table const table = heads_take(&call->scratch, job->n, job->ties == ORDO_TIES_AVERAGE);
    TRY(dev_heads(call, &table, as_keys, job->ranks));
    return dev_ranks_of_heads(call, &table, job->ties, job->rank_type, job->ranks);
}

ordo_status dev_rank_paper(cuda_call *call, const ordo_rank_sorted_job *job)
{
    ordo_algorithm const algorithm = job->algorithm;
    call->exec->algorithm = algorithm == ORDO_ALGORITHM_NAIVE     ? "naive"
                            : algorithm == ORDO_ALGORITHM_SHUFFLE ? "shuffle"
                                                                  : "hybrid";
    if (job->n == 0)
        return ORDO_OK;
    if (job->ties == ORDO_TIES_ORDINAL) {
        cuda_scratch      none = {};
        heads_table const table = heads_take(&none, job->n, false);
        return dev_ranks_of_heads(call, &table, job->ties, job->rank_type, job->ranks);
    }
    TRY(with_key_code(job->type, false, KEY_FOLDED, [&](auto code) {
        typedef decltype(code) CODE;
        if (algorithm == ORDO_ALGORITHM_HYBRID)
            return rank_hybrid<CODE>(call, job);
        return is_wide(job) ? rank_least<CODE, uint64_t>(call, job)
                            : rank_least<CODE, uint32_t>(call, job);
    }));
    return has_second_phase(job) ? rank_by_rule(call, job) : ORDO_OK;
}
