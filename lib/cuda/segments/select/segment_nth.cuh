/* segment_nth.cuh - splits segments of up to 8192 keys (8-byte keys: 4096) around the k-th key,
 * each by one group of lanes or one block, which also finds the key (segment_planes.cuh).
 *
 * The search leaves masks of the keys before the k-th one and of those that tie with it. Lanes then
 * take neighbouring keys and find their places by votes; a block counts the votes of its warps.
 * Cost: one read, a second one from the cache, and one write. */
#ifndef ORDO_CUDA_SEGMENTS_SELECT_SEGMENT_NTH_H
#define ORDO_CUDA_SEGMENTS_SELECT_SEGMENT_NTH_H

#include "cuda/block/block_scan.cuh"
#include "cuda/segments/segment_codes.cuh"
#include "cuda/segments/segments.cuh"
#include "cuda/segments/select/segment_planes.cuh"

enum nth_part { /* of a split segment */
    NTH_LESS,
    NTH_TIED,
    NTH_MORE
};

struct nth_options { /* a kernel argument */
    const void   *keys;
    const void   *pivots; /* the k-th keys of long segments */
    uint64_t      k;
    segment_found out;
};

/* The parts of the keys of one thread as masks: bit e is item e. */
struct nth_masks {
    uint32_t less, tied;

    DEVICE nth_part part(unsigned item) const
    {
        return (less >> item & 1) != 0 ? NTH_LESS : (tied >> item & 1) != 0 ? NTH_TIED : NTH_MORE;
    }
};

/* The numbers of two sets in one word: those that are less, and the tied ones above 16 bits. */
static DEVICE uint32_t nth_both(uint32_t less, uint32_t tied)
{
    return (uint32_t)__popc(less) | (uint32_t)__popc(tied) << 16;
}

/* The places of the items of a block of 32 WARPS threads; item e of thread t is key 32 WARPS e + t.
 * put(e, part, both) gets the keys before it: those that are less, and the tied ones above 16 bits.
 * `rows` has ITEMS * WARPS words, `sums` WARPS. Ends with a barrier. */
template <int ITEMS, int WARPS, typename PUT>
static DEVICE void nth_place(const nth_masks &masks, uint32_t *rows, uint32_t *sums, PUT &&put)
{
    static_assert(ITEMS <= (int)WARP_LANES, "one thread for each row of items");
    unsigned const warp = threadIdx.x / WARP_LANES;
    uint32_t       in_row[ITEMS]; /* of the lanes before */
#pragma unroll
    for (int e = 0; e < ITEMS; e++) {
        uint32_t const less = __ballot_sync(WARP_ALL, (masks.less >> e & 1) != 0);
        uint32_t const tied = __ballot_sync(WARP_ALL, (masks.tied >> e & 1) != 0);
        in_row[e] = nth_both(less & lanes_before(), tied & lanes_before());
        if (lane_id() == 0)
            rows[e * WARPS + warp] = nth_both(less, tied);
    }
    __syncthreads();
    bool const     has_row = threadIdx.x < ITEMS * WARPS;
    uint32_t const scanned =
        block_scan_threads<scan_add<uint32_t>, WARPS>(has_row ? rows[threadIdx.x] : 0, sums).before;
    if (has_row)
        rows[threadIdx.x] = scanned;
    __syncthreads();
#pragma unroll
    for (int e = 0; e < ITEMS; e++)
        put(e, masks.part((unsigned)e), rows[e * WARPS + warp] + in_row[e]);
    __syncthreads();
}

/* The place of key j of a segment in its part, after `less` and `tied` keys of the other parts;
 * all_less and all_tied are those of the segment. */
template <typename COUNT>
static DEVICE COUNT nth_to(nth_part part, COUNT j, COUNT less, COUNT tied, COUNT all_less,
                           COUNT all_tied)
{
    return part == NTH_LESS   ? less
           : part == NTH_TIED ? all_less + tied
                              : all_less + all_tied + j - less - tied;
}

/* ---- Segments in planes ---- */

/* What a group finds in its segment. */
struct nth_found {
    nth_masks masks;
    unsigned  less, tied; /* of the segment */
};

template <typename WORD, int M>
static DEVICE nth_found nth_find(planes<WORD, M> &mine, const segment_codes<WORD> &codes,
                                 uint64_t k)
{
    bool const          is_there = k < mine.n;
    unsigned const      rank = is_there ? (unsigned)k : 0;
    planes_search const s =
        mine.search(codes, rank, [](const planes_search &now) { return now.inside <= 1; });
    if (!is_there) /* all keys keep their places */
        return {{mine.there, 0}, mine.n, 0};
    return {{s.below, s.alive}, rank + 1 - s.wanted, s.inside};
}

/* Writes the segments of the groups of a warp, 32 >> lg at a time by 2^lg lanes each; lg >= M. */
template <typename WORD, int M>
static DEVICE void nth_write_groups(const segment_codes<WORD> &codes, const nth_options &options,
                                    segment here, const nth_found &found, unsigned lg)
{
    constexpr unsigned LANES = 1u << M, GROUPS = WARP_LANES >> M;
    unsigned const     lanes = 1u << lg, j = lane_id() & (lanes - 1);
    uint32_t const     own = (lg == 5 ? WARP_ALL : (1u << lanes) - 1) << (lane_id() - j);
    uint32_t const     ahead = own & lanes_before();
    for (unsigned first = 0; first < GROUPS; first += WARP_LANES >> lg) {
        unsigned const group = first + (lane_id() >> lg), from = group % GROUPS << M;
        unsigned const given = __shfl_sync(WARP_ALL, (unsigned)here.length, from);
        uint64_t const start = __shfl_sync(WARP_ALL, here.start, from);
        unsigned const length = group < GROUPS ? given : 0;
        unsigned const longest = __reduce_max_sync(WARP_ALL, length);
        unsigned const all_less = __shfl_sync(WARP_ALL, found.less, from);
        unsigned const all_tied = __shfl_sync(WARP_ALL, found.tied, from);
        unsigned const lane = from + j % LANES; /* it holds key p as its item p >> M */
        nth_masks      its = {__shfl_sync(WARP_ALL, found.masks.less, lane) >> (j >> M),
                              __shfl_sync(WARP_ALL, found.masks.tied, lane) >> (j >> M)};
        unsigned       less = 0, tied = 0; /* before these lanes */
        for (unsigned p = j; p - j < longest; p += lanes) {
            bool const     there = p < length;
            WORD const     raw = there ? codes.raw(options.keys, start + p) : (WORD)0;
            nth_part const part = there ? its.part(0) : NTH_MORE;
            uint32_t const votes = __ballot_sync(WARP_ALL, part == NTH_LESS) & own;
            uint32_t const ties = __ballot_sync(WARP_ALL, part == NTH_TIED) & own;
            unsigned const to = nth_to(part, p, less + (unsigned)__popc(votes & ahead),
                                       tied + (unsigned)__popc(ties & ahead), all_less, all_tied);
            if (there)
                segment_put(codes, options.out, start + to, p, raw);
            less += (unsigned)__popc(votes);
            tied += (unsigned)__popc(ties);
            its = {its.less >> (lanes / LANES - 1) >> 1, its.tied >> (lanes / LANES - 1) >> 1};
        }
    }
}

/* The segments of a class. */
template <typename WORD, int M>
static __global__ void __launch_bounds__(planes_threads(M), planes_resident(M))
    nth_plane_segments(const __grid_constant__ segment_codes<WORD> codes,
                       const __grid_constant__ segment_map         map,
                       const __grid_constant__ nth_options options, planes_class const group,
                       unsigned lg)
{
    typedef planes<WORD, M> PLANES;
    constexpr int           WARPS = M > 5 ? (int)PLANES::WARPS : 1;
    __shared__ uint32_t     totals[2 * PLANES::WARPS + 1];
    __shared__ uint32_t     rows[PLANES_ITEMS * WARPS], sums[WARPS];
    planes_each<M>(map, group, [&](segment here, uint64_t) {
        PLANES mine;
        mine.load(codes, options.keys, here, false, totals);
        nth_found const found = nth_find(mine, codes, options.k);
        if constexpr (M <= 5) {
            nth_write_groups<WORD, M>(codes, options, here, found, lg);
        } else {
            nth_place<PLANES_ITEMS, WARPS>(
                found.masks, rows, sums, [&](int e, nth_part part, uint32_t both) {
                    unsigned const p = mine.place((unsigned)e);
                    unsigned const to =
                        nth_to(part, p, both & 0xffff, both >> 16, found.less, found.tied);
                    if (p < mine.n)
                        segment_put(codes, options.out, here.start + to, p,
                                    codes.raw(options.keys, here.start + p));
                });
        }
    });
}

/* Segments of 1 to planes_most<WORD>() keys. */
template <typename WORD>
static ordo_status nth_short(cuda_call *call, const segment_codes<WORD> &codes,
                             const segment_classes &classes, const nth_options &options,
                             unsigned lg)
{
    const segment_map &map = classes.map;
    return planes_classes<WORD>(classes, 0, [&](auto m, const planes_class &here) -> ordo_status {
        constexpr int M = decltype(m)::M;
        return CUDA_LAUNCH(call, (nth_plane_segments<WORD, M>),
                           planes_grid(call, map, here.source, M), planes_threads(M), 0, codes, map,
                           options, here, lg > (unsigned)M ? lg : (unsigned)M);
    });
}

#endif
