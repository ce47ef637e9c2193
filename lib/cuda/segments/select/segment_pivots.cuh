/* segment_pivots.cuh - the keys of any rank in rows of 65 to 1024 f32, by pivots.
 *
 * 2^M lanes of a warp hold a row, 64 keys each, as they are in memory. Each lane counts its keys
 * below two pivots that a mean and a variance give (pivot_steps.h): the sign of a difference is the
 * bit that is added. Keys between the pivots, at most 64, go to shared memory and are sorted by a
 * network. Rows that need more than PIVOT_COUNTS counts, because of ties, outliers or NaNs, go to a
 * list for segment_planes.cuh. A warp that lists most rows does so without a search for a
 * while. Cost: one read; instructions for each key: 3 for the mean, 4 for each count, 4 for
 * the move. The first and half of the second are additions of floats, which have another pipe. */
#ifndef ORDO_CUDA_SEGMENTS_SELECT_SEGMENT_PIVOTS_H
#define ORDO_CUDA_SEGMENTS_SELECT_SEGMENT_PIVOTS_H

#include "cuda/segments/select/pivot_steps.h"
#include "cuda/segments/select/segment_planes.cuh"
#include "cuda/segments/select/segment_targets.cuh"

enum {
    PIVOT_THREADS = 128,
    PIVOT_WARPS = PIVOT_THREADS / 32,
    PIVOT_RESIDENT = 5, /* blocks of a multiprocessor, which the registers allow */
    PIVOT_ITEMS = 64,   /* keys of a lane */
    PIVOT_FIRST_M = 1,
    PIVOT_LAST_M = 4,
    PIVOT_TRUST = 4, /* turns with mostly lost searches that a warp accepts */
    PIVOT_REST = 60  /* turns without a search after that */
};

/* Rows that planes search; in device scratch. */
struct pivot_left {
    unsigned long long *count;
    uint64_t           *rows; /* NULL: the search by pivots is not used */
};

/* Whether rows of this length and type are searched by pivots, if they are aligned. */
static inline bool pivots_fit(const ordo_segment_view *view, ordo_type type)
{
    return type == ORDO_F32 && view->offsets == NULL &&
           view->length > (size_t)PIVOT_ITEMS << (PIVOT_FIRST_M - 1) &&
           view->length <= (size_t)PIVOT_ITEMS << PIVOT_LAST_M;
}

static inline pivot_left pivot_left_layout(cuda_scratch *scratch, const ordo_segment_view *view,
                                           ordo_type type)
{
    pivot_left left = {};
    if (!pivots_fit(view, type))
        return left;
    left.count = scratch_take<unsigned long long>(scratch, 1);
    left.rows = scratch_take<uint64_t>(scratch, view->count);
    return left;
}

/* ---- One row in 2^M lanes ---- */

/* FULL: the row has 64 keys for each lane. Otherwise its length is a multiple of 4. */
template <int M, bool FULL> struct pivot_row {
    static constexpr unsigned LANES = 1u << M, VECTORS = PIVOT_ITEMS / 4;
    static constexpr unsigned FEW = M <= 2 ? 32 : 64; /* most keys that are sorted */
    static constexpr int EACH = FEW >> M;
    static constexpr unsigned ROOM = FEW + LANES; /* words of shared memory; the groups of a
                                                         * warp read different banks */

    float    x[PIVOT_ITEMS]; /* vector e of the row is in lane e % LANES; +inf past the end */
    unsigned n, lane;        /* lane: its number in the group */
    unsigned mine;           /* keys of this lane between the pivots */

    DEVICE bool has(unsigned e) const { return FULL || e * LANES + lane < n / 4; }

    DEVICE void load(const float *keys, unsigned length)
    {
        const float4 *const vectors = (const float4 *)keys;
        n = length;
        lane = lane_id() % LANES;
        mine = 0;
#pragma unroll
        for (unsigned e = 0; e < VECTORS; e++) {
            float4 vector = make_float4(INFINITY, INFINITY, INFINITY, INFINITY);
            if (has(e))
                vector = vectors[e * LANES + lane];
            x[4 * e] = vector.x;
            x[4 * e + 1] = vector.y;
            x[4 * e + 2] = vector.z;
            x[4 * e + 3] = vector.w;
        }
    }

    /* The sum of one number of each lane of the group. */
    template <typename T> static DEVICE T total(T number)
    {
#pragma unroll
        for (unsigned step = LANES / 2; step > 0; step /= 2)
            number += __shfl_xor_sync(WARP_ALL, number, step);
        return number;
    }

    DEVICE pivot_verdict begin(pivot_search *s, pivot_shape shape, unsigned first,
                               unsigned last) const
    {
        float const base = __shfl_sync(WARP_ALL, x[0], 0, LANES);
        float       sum = 0, squares = 0;
#pragma unroll
        for (unsigned e = 0; e < VECTORS; e++)
            if (has(e))
#pragma unroll
                for (unsigned j = 0; j < 4; j++) {
                    float const apart = x[4 * e + j] - base;
                    sum += apart;
                    squares = __fmaf_rn(apart, apart, squares);
                }
        return pivot_begin(s, shape, base, total(sum), total(squares), first, last);
    }

    /* Counts the keys below the pivots. */
    DEVICE pivot_verdict count(pivot_search *s, pivot_shape shape)
    {
        unsigned low = 0, high = 0;
#pragma unroll
        for (unsigned i = 0; i < PIVOT_ITEMS; i++) {
            low += __float_as_uint(__fsub_rn(x[i], s->low)) >> 31;
            high += __float_as_uint(__fsub_rn(x[i], s->high)) >> 31;
        }
        mine = high - low;
        unsigned const all = total(low | high << 16);
        return pivot_judge(s, shape, all & 0xffff, all >> 16);
    }

    /* Searches until all groups of the warp have found their keys or are lost. */
    DEVICE bool search(pivot_search *s, pivot_shape shape, unsigned first, unsigned last)
    {
        pivot_verdict verdict = begin(s, shape, first, last);
#pragma unroll 1
        for (unsigned i = 0; i < PIVOT_COUNTS && __any_sync(WARP_ALL, verdict == PIVOT_AGAIN);
             i++) {
            pivot_verdict const now = count(s, shape);
            verdict = verdict == PIVOT_LOST ? PIVOT_LOST : now;
        }
        return verdict == PIVOT_FOUND;
    }

    /* Writes the keys between the pivots to `few`, which is of the group. Called by all lanes. */
    DEVICE void gather(const pivot_search &s, float *few) const
    {
        unsigned before = mine;
#pragma unroll
        for (unsigned step = 1; step < LANES; step *= 2) {
            unsigned const left = __shfl_up_sync(WARP_ALL, before, step, LANES);
            before += lane >= step ? left : 0;
        }
        unsigned to = (unsigned)__cvta_generic_to_shared(few + (before - mine));
#pragma unroll
        for (unsigned i = 0; i < PIVOT_ITEMS; i++) /* a branch would cost more */
            asm volatile("{ .reg .pred in;\n"
                         "setp.ge.f32 in, %1, %2;\n"
                         "setp.lt.and.f32 in, %1, %3, in;\n"
                         "@in st.shared.f32 [%0], %1;\n"
                         "@in add.u32 %0, %0, 4; }"
                         : "+r"(to)
                         : "f"(x[i]), "f"(s.low), "f"(s.high)
                         : "memory");
    }
};

/* Sorts EACH words of each of 2^M lanes: word i of a lane is at place lane * EACH + i. All groups
 * of lanes of a warp do this. */
template <int M, int LEVEL = 0, int EACH> static DEVICE void pivot_sort(int32_t (&x)[EACH])
{
    if constexpr (LEVEL == 0) {
        if constexpr (EACH > 1)
            lane_sort<1, EACH>(x);
    } else {
        int32_t y[EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++)
            y[i] = __shfl_xor_sync(WARP_ALL, x[EACH - 1 - i], (1 << LEVEL) - 1);
#pragma unroll
        for (int i = 0; i < EACH; i++)
            x[i] = sort_keep(x[i], y[i], lane_id() >> (LEVEL - 1) & 1);
#pragma unroll
        for (int bit = LEVEL - 2; bit >= 0; bit--)
#pragma unroll
            for (int i = 0; i < EACH; i++)
                x[i] = sort_keep(x[i], __shfl_xor_sync(WARP_ALL, x[i], 1 << bit),
                                 lane_id() >> bit & 1);
#pragma unroll
        for (int step = EACH / 2; step > 0; step /= 2)
#pragma unroll
            for (int i = 0; i < EACH; i++)
                if ((i & step) == 0)
                    sort_two(x[i], x[i + step]);
    }
    if constexpr (LEVEL < M)
        pivot_sort<M, LEVEL + 1>(x);
}

/* Signed integers in the order of floats that are not NaNs. The map is its own inverse. */
static DEVICE int32_t pivot_order(int32_t bits)
{
    return bits ^ (int32_t)((uint32_t)(bits >> 31) >> 1);
}

/* The code of a rank below n, and of the next rank if that is wanted; *is_found becomes false if
 * the search is lost. Called by all lanes; `few` is of the group. */
template <int M, bool FULL>
static DEVICE uint32_t pivot_pick(pivot_row<M, FULL> &row, const segment_codes<uint32_t> &codes,
                                  pivot_shape shape, float *few, unsigned rank, bool wants_next,
                                  uint32_t *next, bool *is_found)
{
    typedef pivot_row<M, FULL> ROW;
    constexpr int EACH = ROW::EACH;
    unsigned const last = rank + (wants_next ? 1 : 0);
    auto const   ascending = [&](unsigned r) { return codes.real.descending ? row.n - 1 - r : r; };
    pivot_search s;
    bool const   found = row.search(&s, shape, min(ascending(rank), ascending(last)),
                                    max(ascending(rank), ascending(last)));
    int32_t      x[EACH];
    if (!found)
        s.high = s.low; /* no key is between them */
    __syncwarp();       /* all lanes have read the keys of the last search */
    row.gather(s, few);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        unsigned const place = i * ROW::LANES + row.lane;
        int32_t const  key = pivot_order(__float_as_int(few[place]));
        x[i] = place < s.inside ? key : INT32_MAX;
    }
    pivot_sort<M>(x);
    auto const code_of = [&](unsigned r) {
        unsigned const place = found ? ascending(r) - s.below : 0;
        int32_t const  key = __shfl_sync(WARP_ALL, sorted_item(x, place), place / EACH, ROW::LANES);
        return codes.encode((uint32_t)pivot_order(key));
    };
    *is_found &= found;
    *next = code_of(last);
    return code_of(rank);
}

/* ---- All rows ---- */

/* Whether a warp searches its rows, from the searches before. */
struct pivot_trust {
    int balance = PIVOT_TRUST, rest = 0;

    DEVICE bool searches(void)
    {
        if (rest == 0)
            return true;
        rest--;
        return false;
    }
    DEVICE void note(bool found)
    {
        balance = found ? min(balance + 1, (int)PIVOT_TRUST) : balance - 1;
        if (balance > 0)
            return;
        rest = PIVOT_REST;
        balance = 1;
    }
};

/* Appends the rows of the groups with `wants` in their first lane to the list. By all lanes. */
static DEVICE void pivot_list(const pivot_left &left, bool wants, uint64_t number)
{
    unsigned const     listed = __ballot_sync(WARP_ALL, wants);
    unsigned long long at = 0;
    if (listed == 0)
        return;
    if (lane_id() == 0)
        at = atomicAdd(left.count, (unsigned long long)__popc(listed));
    at = __shfl_sync(WARP_ALL, at, 0);
    if (wants)
        left.rows[at + (unsigned)__popc(listed & lanes_before())] = number;
}

template <int M, bool FULL>
static __global__ void __launch_bounds__(PIVOT_THREADS, PIVOT_RESIDENT)
    select_by_pivots(const __grid_constant__ segment_codes<uint32_t> codes, const float *keys,
                     const __grid_constant__ segment_map     map,
                     const __grid_constant__ segment_targets targets, pivot_left const left)
{
    constexpr unsigned         GROUPS = WARP_LANES >> M;
    typedef pivot_row<M, FULL> ROW;
    __shared__ float           few[PIVOT_WARPS][GROUPS][ROW::ROOM];
    unsigned const             group = lane_id() >> M, warp = threadIdx.x / WARP_LANES;
    uint64_t const             step = (uint64_t)gridDim.x * PIVOT_WARPS * GROUPS;
    uint64_t                   first = ((uint64_t)blockIdx.x * PIVOT_WARPS + warp) * GROUPS;
    segment_target_memo        memo = {};
    pivot_trust                trust;
    segment_map                rows = map;
    unsigned const             n = (unsigned)map.length;
    pivot_shape const          shape = pivot_shape_of(n, ROW::FEW);
    rows.offsets = NULL; /* known to the compiler */
    for (; first < map.count; first += step) {
        bool const     there = first + group < map.count;
        uint64_t const number = there ? first + group : map.count - 1;
        bool const     leads = there && lane_id() % (1u << M) == 0;
        bool           is_found = trust.searches(); /* the same in all lanes */
        if (is_found) {
            ROW row;
            row.load(keys + segment_at(rows, number).start, n);
            segment_targets_settle(targets, codes, number, n, 0, leads, memo,
                                   [&](unsigned rank, bool wants_next, uint32_t *next) {
                                       return pivot_pick(row, codes, shape, few[warp][group], rank,
                                                         wants_next, next, &is_found);
                                   });
            trust.note(__popc(__ballot_sync(WARP_ALL, is_found)) * 2 >= (int)WARP_LANES);
        }
        pivot_list(left, leads && !is_found, number);
    }
}

/* Searches rows that pivots_fit and planes_are_vectors hold for, and lists the rows that are left.
 * The results of these are overwritten later. */
template <int M = PIVOT_FIRST_M>
static ordo_status launch_pivots(cuda_call *call, const segment_codes<uint32_t> &codes,
                                 const void *keys, const segment_map &map,
                                 const segment_targets &targets, const pivot_left &left)
{
    constexpr uint64_t MOST = (uint64_t)PIVOT_ITEMS << M;
    if constexpr (M < PIVOT_LAST_M)
        if (map.length > MOST)
            return launch_pivots<M + 1>(call, codes, keys, map, targets, left);
    size_t const rows = (size_t)PIVOT_WARPS * WARP_LANES >> M;
    size_t const grid = segment_grid(call, map.count, rows, PIVOT_RESIDENT);
    CUDA_TRY(call->exec, cudaMemsetAsync(left.count, 0, sizeof *left.count, call->stream));
    if (map.length == MOST)
        return CUDA_LAUNCH(call, (select_by_pivots<M, true>), grid, PIVOT_THREADS, 0, codes,
                           (const float *)keys, map, targets, left);
    return CUDA_LAUNCH(call, (select_by_pivots<M, false>), grid, PIVOT_THREADS, 0, codes,
                       (const float *)keys, map, targets, left);
}

#endif
