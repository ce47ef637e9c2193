/* segment_pool.cuh - the keys of one segment in the registers of a block, and the search for the
 * first keys among them.
 *
 * Item e of thread t is key e * THREADS + t of the segment; items past the end hold the largest
 * word. The k-th of the smallest keys of 32 parts is a bound of the k-th key. If at most 32 keys
 * are up to it, they are sorted. Otherwise a search narrows the bracket of words up to it. A round
 * sorts a sample of 32 keys, chooses a pivot near the wanted rank, above and below it in turn, and
 * counts the keys up to it; from the sixth round on every other pivot is the middle of the bracket:
 * at most 140 rounds for any input. After R. W. Floyd and R. L. Rivest, "Expected time bounds for
 * selection", CACM 18 (1975). */
#ifndef ORDO_CUDA_SEGMENTS_SELECT_SEGMENT_POOL_H
#define ORDO_CUDA_SEGMENTS_SELECT_SEGMENT_POOL_H

#include "cuda/segments/segment_codes.cuh"
#include "cuda/segments/segments.cuh"
#include "cuda/warp/warp_scan.cuh"

enum {
    POOL_FEW = 32,    /* keys that are sorted at the end, one in each lane */
    POOL_SAMPLES = 6, /* rounds without the middle of the bracket */
    POOL_BIAS = 2     /* places of the sample between the pivot and the wanted rank */
};

template <int WARPS, typename WORD> struct pool_shared { /* one for each pool */
    WORD     sample[WARP_LANES];
    WORD     few[POOL_FEW];
    uint64_t few_place[POOL_FEW];
    uint32_t are_there[WARPS];
    uint32_t totals[2][WARPS];
    uint32_t taken;
};

/* A key of a segment: its word, as order_each gives it, and its place. */
template <typename WORD> struct pool_record {
    WORD     code;
    uint64_t place;
};

/* Sorts one record of each lane, by code and then by place. */
template <typename WORD> static DEVICE pool_record<WORD> lanes_sort(pool_record<WORD> mine)
{
    unsigned const lane = lane_id();
#pragma unroll
    for (unsigned size = 2; size <= WARP_LANES; size *= 2)
#pragma unroll
        for (unsigned step = size / 2; step > 0; step /= 2) {
            WORD const     code = __shfl_xor_sync(WARP_ALL, mine.code, step);
            uint64_t const place = __shfl_xor_sync(WARP_ALL, mine.place, step);
            bool const     lower = ((lane & step) == 0) == ((lane & size) == 0);
            bool const     less = mine.code < code || (mine.code == code && mine.place < place);
            if (less != lower)
                mine = {code, place};
        }
    return mine;
}

/* Sorts one word of each lane. */
template <typename WORD> static DEVICE WORD lanes_sort(WORD mine)
{
    unsigned const lane = lane_id();
#pragma unroll
    for (unsigned size = 2; size <= WARP_LANES; size *= 2)
#pragma unroll
        for (unsigned step = size / 2; step > 0; step /= 2) {
            WORD const other = __shfl_xor_sync(WARP_ALL, mine, step);
            bool const lower = ((lane & step) == 0) == ((lane & size) == 0);
            mine = (mine < other) == lower ? mine : other;
        }
    return mine;
}

/* The segments that pools handle: a list, or all segments. */
struct pool_source {
    const uint64_t           *list;   /* NULL: all segments */
    const unsigned long long *listed; /* its entries */
    uint64_t                  room;   /* most entries of the list, or all segments */
};

/* List `list`; all segments if the layout is fixed or list < 0. */
static inline pool_source pool_source_of(const segment_classes &classes, int list)
{
    if (list < 0 || classes.map.offsets == NULL)
        return {NULL, NULL, classes.map.count};
    return {classes.lists.list[list], classes.lists.counts + list, classes.lists.room[list]};
}

static DEVICE uint64_t pool_source_count(const pool_source &source)
{
    return source.list == NULL ? source.room : min((uint64_t)*source.listed, source.room);
}
static DEVICE uint64_t pool_source_at(const pool_source &source, uint64_t at)
{
    return source.list == NULL ? at : source.list[at];
}

template <int WARPS_, int ITEMS_, typename WORD_> struct pool {
    typedef WORD_                     WORD;
    typedef pool_shared<WARPS_, WORD> SHARED;

    static constexpr int      WARPS = WARPS_, ITEMS = ITEMS_;
    static constexpr unsigned THREADS = WARPS * WARP_LANES;
    static constexpr unsigned MOST = THREADS * ITEMS; /* keys */

    WORD     x[ITEMS];
    unsigned n;
    unsigned thread; /* its number in the pool */
    unsigned parity; /* which totals are next */

    DEVICE void begin(void)
    {
        thread = threadIdx.x % THREADS;
        parity = 0;
    }
    DEVICE unsigned place(int e) const { return e * THREADS + thread; }

    DEVICE void load(const segment_codes<WORD> &codes, const void *keys, uint64_t start,
                     unsigned count)
    {
        WORD raw[ITEMS];
        n = count;
        read_items(
            keys, codes.bytes, [&](int e) { return start + place(e); },
            [&](int e) { return place(e) < n; }, raw);
        codes.order_each(raw, x);
#pragma unroll
        for (int e = 0; e < ITEMS; e++)
            x[e] = place(e) < n ? x[e] : (WORD) ~(WORD)0;
    }

    /* A word that at least k keys do not exceed, k at most 32 and n: the k-th of the smallest keys
     * of 32 parts, each of 16 lanes. If fewer parts have keys, the largest word. */
    DEVICE WORD bound(SHARED *s, unsigned k)
    {
        static_assert(2 * WARPS == (int)WARP_LANES, "two parts of each warp");
        WORD least = x[0];
#pragma unroll
        for (int e = 1; e < ITEMS; e++)
            least = min(least, x[e]);
#pragma unroll
        for (unsigned step = WARP_LANES / 4; step > 0; step /= 2)
            least = min(least, (WORD)__shfl_xor_sync(WARP_ALL, least, step));
        if (lane_id() % (WARP_LANES / 2) == 0)
            s->sample[thread / (WARP_LANES / 2)] = least;
        if (thread == 0)
            s->taken = 0;
        __syncthreads();
        return __shfl_sync(WARP_ALL, lanes_sort(s->sample[lane_id()]), k - 1);
    }

    /* Copies the keys up to a word to `few`, with their places, and returns their number; if that
     * is more than 32, some are left out. s->taken is 0 before. Ends with a barrier. */
    DEVICE unsigned gather_to(SHARED *s, WORD word)
    {
#pragma unroll
        for (int e = 0; e < ITEMS; e++)
            if (x[e] <= word && place(e) < n) {
                unsigned const at = atomicAdd(&s->taken, 1u);
                if (at < POOL_FEW) {
                    s->few[at] = x[e];
                    s->few_place[at] = place(e);
                }
            }
        __syncthreads();
        return s->taken;
    }

    /* The sum of one number of each thread. */
    DEVICE unsigned sum(SHARED *s, unsigned mine)
    {
        unsigned total = __reduce_add_sync(WARP_ALL, mine);
        if (lane_id() == 0)
            s->totals[parity][thread / WARP_LANES] = total;
        __syncthreads();
        total = lane_id() < WARPS ? s->totals[parity][lane_id()] : 0;
        total = __reduce_add_sync(WARP_ALL, total);
        parity ^= 1; /* slow threads may still read the totals of this call */
        return total;
    }

    /* The number of keys up to a word below the largest one. */
    DEVICE unsigned count_to(SHARED *s, WORD word)
    {
        unsigned mine = 0;
#pragma unroll
        for (int e = 0; e < ITEMS; e++)
            mine += x[e] <= word;
        return sum(s, mine);
    }

    /* Up to 32 keys of the bracket, sorted, one in each lane; returns their number. */
    DEVICE unsigned draw(SHARED *s, WORD lo, WORD hi, WORD *sorted)
    {
        WORD mine = (WORD) ~(WORD)0;
        bool has = false;
#pragma unroll
        for (int e = 0; e < ITEMS; e++) {
            bool const inside = x[e] >= lo && x[e] <= hi && place(e) < n;
            mine = inside ? x[e] : mine;
            has |= inside;
        }
        /* The keys of the first and the last such lane of each warp. */
        static_assert(2 * WARPS == (int)WARP_LANES, "two keys of each warp");
        unsigned const lanes = __ballot_sync(WARP_ALL, has), warp = thread / WARP_LANES;
        if (lanes != 0 && lane_id() == (unsigned)__ffs((int)lanes) - 1)
            s->sample[2 * warp] = mine;
        if (lanes != 0 && lane_id() == 31u - (unsigned)__clz((int)lanes))
            s->sample[2 * warp + 1] = mine;
        if (lane_id() == 0)
            s->are_there[warp] = lanes != 0;
        __syncthreads();
        has = s->are_there[lane_id() / 2] != 0;
        mine = has ? s->sample[lane_id()] : (WORD) ~(WORD)0;
        *sorted = lanes_sort(mine);
        return (unsigned)__popc(__ballot_sync(WARP_ALL, has));
    }

    /* Copies the `inside` keys of the bracket, at most 32, to the lanes of every warp, with their
     * places in the segment; not sorted. Other lanes get the largest word. */
    DEVICE WORD gather(SHARED *s, WORD lo, WORD hi, unsigned inside, uint64_t *its_place)
    {
        __syncthreads(); /* earlier reads of `few` are done */
        if (thread == 0)
            s->taken = 0;
        __syncthreads();
#pragma unroll
        for (int e = 0; e < ITEMS; e++)
            if (x[e] >= lo && x[e] <= hi && place(e) < n) {
                unsigned const at = atomicAdd(&s->taken, 1u);
                if (at < POOL_FEW) {
                    s->few[at] = x[e];
                    s->few_place[at] = place(e);
                }
            }
        __syncthreads();
        unsigned const lane = lane_id();
        *its_place = lane < inside ? s->few_place[lane] : ~(uint64_t)0;
        return lane < inside ? s->few[lane] : (WORD) ~(WORD)0;
    }

    /* Adds the first `wanted` keys that are equal to `word` to `few`, from `first` on. */
    DEVICE void gather_ties(SHARED *s, WORD word, unsigned first, unsigned wanted)
    {
        unsigned taken = 0; /* ties before this row of items */
#pragma unroll
        for (int e = 0; e < ITEMS; e++)
            if (taken < wanted) {
                bool const     mine = x[e] == word && place(e) < n;
                uint32_t const lanes = __ballot_sync(WARP_ALL, mine);
                unsigned const warp = thread / WARP_LANES;
                if (lane_id() == 0)
                    s->totals[parity][warp] = (unsigned)__popc(lanes);
                __syncthreads();
                unsigned const its = lane_id() < WARPS ? s->totals[parity][lane_id()] : 0;
                unsigned const before = __reduce_add_sync(WARP_ALL, lane_id() < warp ? its : 0);
                unsigned const total = __reduce_add_sync(WARP_ALL, its);
                parity ^= 1;
                unsigned const at = taken + before + (unsigned)__popc(lanes & lanes_before());
                if (mine && at < wanted) {
                    s->few[first + at] = word;
                    s->few_place[first + at] = place(e);
                }
                taken += total;
            }
        __syncthreads();
    }

    struct bracket {
        WORD     lo, hi;        /* words of the bracket */
        unsigned below, inside; /* keys before it, and in it */
    };

    /* Narrows the bracket of a rank below n to one word, or until at most 32 keys are in it and
     * before it. At first the bracket has the `inside` keys up to `hi`. */
    DEVICE bracket narrow_to(SHARED *s, unsigned rank, WORD hi, unsigned inside)
    {
        bracket b = {0, hi, 0, inside};
        for (unsigned round = 0; b.lo != b.hi && b.inside + b.below > POOL_FEW; round++) {
            WORD pivot = b.lo + (b.hi - b.lo) / 2;
            if (round < POOL_SAMPLES || round % 2 == 0) {
                WORD           sorted;
                unsigned const drawn = draw(s, b.lo, b.hi, &sorted);
                unsigned       at = (unsigned)((uint64_t)(rank - b.below) * drawn / b.inside);
                if (round % 2 == 0)
                    at = at + POOL_BIAS < drawn ? at + POOL_BIAS : drawn - 1;
                else
                    at = at > POOL_BIAS ? at - POOL_BIAS : 0;
                pivot = __shfl_sync(WARP_ALL, sorted, at);
                pivot = pivot < b.hi ? pivot : b.hi - 1;
            }
            unsigned const to = count_to(s, pivot);
            if (rank < to) {
                b.hi = pivot;
                b.inside = to - b.below;
            } else {
                b.lo = pivot + 1;
                b.inside = b.below + b.inside - to;
                b.below = to;
            }
        }
        return b;
    }

    /* The first k keys, k from 1 to 32 and at most n, by code and then by place: lane r of every
     * warp gets key r. */
    DEVICE pool_record<WORD> first_keys(SHARED *s, unsigned k)
    {
        unsigned const    lane = lane_id();
        WORD const        hi = bound(s, k);
        unsigned const    few = gather_to(s, hi);
        pool_record<WORD> mine;
        if (few <= POOL_FEW) {
            mine.code = lane < few ? s->few[lane] : (WORD) ~(WORD)0;
            mine.place = lane < few ? s->few_place[lane] : ~(uint64_t)0;
            __syncthreads(); /* `few` and `sample` may be written */
            return lanes_sort(mine);
        }
        __syncthreads();
        bracket const  b = narrow_to(s, k - 1, hi, few);
        unsigned const up_to = b.below + b.inside;
        if (up_to <= POOL_FEW) {
            mine.code = gather(s, 0, b.hi, up_to, &mine.place);
        } else { /* the bracket is one word, which more keys have than fit */
            if (b.below > 0)
                (void)gather(s, 0, b.lo - 1, b.below, &mine.place);
            __syncthreads(); /* earlier reads of `few` are done */
            gather_ties(s, b.lo, b.below, k - b.below);
            mine.code = lane < k ? s->few[lane] : (WORD) ~(WORD)0;
            mine.place = lane < k ? s->few_place[lane] : ~(uint64_t)0;
        }
        return lanes_sort(mine);
    }
};

/* Calls f(pool, shared, number, segment) for every segment of the source. Called by all threads of
 * blocks of BLOCK threads, which are whole pools. */
template <typename POOL, int BLOCK, typename F>
static DEVICE void pool_each(const segment_map &map, const pool_source &source, F &&f)
{
    constexpr unsigned               POOLS = BLOCK / POOL::THREADS;
    __shared__ typename POOL::SHARED shared[POOLS];
    unsigned const                   here = threadIdx.x / POOL::THREADS;
    uint64_t const                   given = pool_source_count(source);
    POOL                             mine;
    mine.begin();
    for (uint64_t at = (uint64_t)blockIdx.x * POOLS + here; at < given;
         at += (uint64_t)gridDim.x * POOLS) {
        uint64_t const number = pool_source_at(source, at);
        f(mine, &shared[here], number, segment_at(map, number));
    }
}

#endif
