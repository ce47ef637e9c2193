/* radius_far.cuh - the radius across spans and beyond the ring, from the table of patches.
 *
 * The largest key up to each patch and the smallest key of each patch give the distance of two keys
 * out of order to within two patches. radius_settle combines the spans in the table; radius_bound
 * raises the radius to the distance that the table proves; radius_list finds the patches that may
 * hold a larger radius; radius_open reads these patches and the keys to their left. See
 * dev_radius.cu. */
#ifndef ORDO_CUDA_ROUGH_RADIUS_FAR_H
#define ORDO_CUDA_ROUGH_RADIUS_FAR_H

#include "cuda/rough/radius.cuh"
#include "cuda/warp/first_where.cuh"

enum {
    RADIUS_SPANS = 1024 /* largest number of spans: one for each thread of a block */
};

/* Whether pairs more than r places apart that were not measured yet may end in patch p. */
template <typename BITS>
static DEVICE bool radius_doubtful(const radius_table<BITS> &table, size_t p, BITS low, uint64_t r)
{
    constexpr uint64_t PATCH = radius_shape<BITS>::PATCH;
    uint64_t           end = (p + 1) * PATCH; /* end of the places of the left keys of such pairs */
    if (end < r + 2)
        return false;
    end = end - r - 1;
    if (*table.within) /* then only left keys in earlier spans count */
        end = min(end, (uint64_t)(p - p % table.span_patches()) * PATCH);
    return end > 0 && table.upto((end - 1) / PATCH) > low;
}

/* The first patch p in [0, last] with upto(p) larger than low; it must exist. */
template <typename BITS>
static DEVICE size_t radius_first(const radius_table<BITS> &table, BITS low, size_t last)
{
    return first_where((size_t)0, last, [&](size_t p) { return table.upto(p) > low; });
}

/* The radius that the table proves for patch p; r if that is not larger. */
template <typename BITS>
static DEVICE uint64_t radius_proved(const radius_table<BITS> &table, size_t p, uint64_t r)
{
    constexpr uint64_t PATCH = radius_shape<BITS>::PATCH;
    BITS const         low = table.low[p];
    uint64_t const     apart =
        1 + (r + PATCH - 1) / PATCH; /* distance in patches that proves a radius above r */
    if (p < apart || table.upto(p - apart) <= low)
        return r;
    return (p - radius_first(table, low, p - apart) - 1) * PATCH + 1;
}

/* Computes the largest key before each span, and the radius that a sample of patches proves. One
 * block of RADIUS_SPANS threads. */
template <typename BITS>
static __global__ void radius_settle(radius_table<BITS> table, unsigned spans)
{
    typedef scan_max<BITS> MAX;
    __shared__ BITS        warp_high[32];
    unsigned const         lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint64_t const         r = table.seen();
    bool const             within = r < radius_shape<BITS>::REACH;
    BITS const             mine = threadIdx.x < spans ? table.before[threadIdx.x] : (BITS)0;
    BITS const             upto = warp_scan<MAX>(mine);
    if (lane == 31)
        warp_high[warp] = upto;
    __syncthreads();
    BITS const left = warp_largest(lane < warp ? warp_high[lane] : (BITS)0);
    BITS const before = MAX::add(left, warp_before<MAX>(upto));
    __syncthreads();
    if (threadIdx.x < spans)
        table.before[threadIdx.x] = before;
    if (threadIdx.x == 0) {
        *table.within = within;
        *table.listed = 0;
    }
    __syncthreads();
    if (r > table.limit)
        return;
    size_t const   sample = table.count() - 1 - threadIdx.x * table.count() / blockDim.x;
    uint64_t const proved = radius_proved(table, sample, r);
    uint64_t const most = warp_reduce<scan_max<uint64_t>>(proved);
    if (lane == 0)
        radius_grow(table.radius, most);
}

/* Raises the radius to the largest that the patches prove. Not needed if the radii inside spans are
 * final: then only patches near the start of spans are doubtful. */
template <typename BITS> static __global__ void radius_bound(radius_table<BITS> table)
{
    if (*table.within)
        return;
    size_t const   p = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t const r = table.seen();
    uint64_t       proved = 0;
    if (p < table.count() && r <= table.limit && radius_doubtful(table, p, table.low[p], r))
        proved = radius_proved(table, p, r);
    uint64_t const most = warp_reduce<scan_max<uint64_t>>(proved);
    if (lane_id() == 0 && most > r)
        radius_grow(table.radius, most);
}

template <typename BITS> static __global__ void radius_list(radius_table<BITS> table)
{
    size_t const   p = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t const r = table.seen();
    bool const     open =
        p < table.count() && r <= table.limit && radius_doubtful(table, p, table.low[p], r);
    unsigned const opens = __ballot_sync(WARP_ALL, open);
    unsigned       at = 0;
    if (opens == 0)
        return;
    if (lane_id() == 0)
        at = atomicAdd(table.listed, __popc(opens));
    at = __shfl_sync(WARP_ALL, at, 0) + __popc(opens & ((1u << lane_id()) - 1));
    if (open)
        table.patches[at] = (uint32_t)p;
}

static constexpr int RADIUS_OPEN_WARPS = 4;

/* Memory of one warp. right: the smallest key from each place to the end of the patch. left: the
 * largest key from the start of the array to each place. */
template <typename BITS> struct radius_open_memory {
    BITS right[radius_shape<BITS>::PATCH];
    BITS left[2 * radius_shape<BITS>::PATCH];
};

/* out[i] = the scan of `before` and the COUNT keys from place `first` on, up to key i; BACK: of the
 * keys from the last one back to key i. Called by a warp. */
template <typename OP, int COUNT, bool BACK, typename CODE, typename BITS = typename CODE::BITS>
static DEVICE void radius_open_scan(const radius_view<CODE> &view, BITS *out, size_t first,
                                    BITS before)
{
    constexpr int EACH = (COUNT + 31) / 32;
    int const  lane = (int)lane_id(), end = min((lane + 1) * EACH, COUNT);
    auto const at = [](int i) { return BACK ? COUNT - 1 - i : i; };
    __syncwarp();
#pragma unroll
    for (int i = lane; i < COUNT; i += 32)
        out[i] = view.key(first + i);
    __syncwarp();
    BITS sum = OP::identity();
    for (int i = lane * EACH; i < end; i++)
        out[at(i)] = sum = OP::add(sum, out[at(i)]);
    before = OP::add(warp_before<OP>(warp_scan<OP>(sum)), before);
    for (int i = lane * EACH; i < end; i++)
        out[at(i)] = OP::add(before, out[at(i)]);
    __syncwarp();
}

/* left[i] = the largest key up to place from * PATCH + i, for PATCHES patches. */
template <int PATCHES, typename CODE, typename BITS = typename CODE::BITS>
static DEVICE void radius_open_left(const radius_view<CODE> &view, const radius_table<BITS> &table,
                                    BITS *left, size_t from)
{
    constexpr int PATCH = radius_shape<BITS>::PATCH;
    radius_open_scan<scan_max<BITS>, PATCHES * PATCH, false>(
        view, left, from * PATCH, from > 0 ? table.upto(from - 1) : (BITS)0);
}

/* The first place with a key larger than low, which is in patch p. */
template <typename CODE>
static DEVICE size_t radius_open_first(const radius_view<CODE> &view, typename CODE::BITS low,
                                       size_t p)
{
    constexpr int PATCH = radius_shape<typename CODE::BITS>::PATCH;
    for (int i = 0; i < PATCH; i += 32) { /* may read past the patch, but finds the key before
                                           * that */
        unsigned const larger = __ballot_sync(WARP_ALL, view.key(p * PATCH + i + lane_id()) > low);
        if (larger != 0)
            return p * PATCH + i + __ffs(larger) - 1;
    }
    return (p + 1) * PATCH;
}

/* A mask of the patches `from` (bit 0) and from + 1 (bit 1) that may hold a larger key r + 1 places
 * to the left of a key of the patch. The table has the largest key up to the end of each patch. */
template <typename BITS>
static DEVICE unsigned radius_open_parts(const radius_table<BITS> &table, const BITS *right,
                                         size_t lo, size_t from, uint64_t r)
{
    constexpr int PATCH = radius_shape<BITS>::PATCH;
    BITS const    upto[2] = {table.upto(from), table.upto(from + 1)};
    bool          may[2] = {false, false};
    for (int i = lane_id(); i < PATCH; i += 32)
        if (lo + i >= r + 1) {
            bool const next = lo + i - r - 1 >= (from + 1) * PATCH;
            may[0] |= !next && upto[0] > right[i];
            may[1] |= next && upto[1] > right[i];
        }
    return __any_sync(WARP_ALL, may[0]) | __any_sync(WARP_ALL, may[1]) << 1;
}

/* Whether a pair that ends in the patch is more than r places apart. Most patches on the list have
 * no such pair, and at most one patch to their left must be read. */
template <typename CODE>
static DEVICE bool radius_open_beyond(const radius_view<CODE>                 &view,
                                      const radius_table<typename CODE::BITS> &table,
                                      radius_open_memory<typename CODE::BITS> *memory, size_t lo,
                                      size_t from, uint64_t r)
{
    constexpr int  PATCH = radius_shape<typename CODE::BITS>::PATCH;
    unsigned const parts = radius_open_parts(table, memory->right, lo, from, r);
    bool           beyond = false;
    if (parts == 0)
        return false;
    if (parts == 3)
        radius_open_left<2>(view, table, memory->left, from);
    else
        radius_open_left<1>(view, table, memory->left + parts / 2 * PATCH, from + parts / 2);
    for (int i = lane_id(); i < PATCH; i += 32)
        if (lo + i >= r + 1) {
            size_t const at = lo + i - r - 1 - from * PATCH;
            beyond |= (parts >> at / PATCH & 1) != 0 && memory->left[at] > memory->right[i];
        }
    return __any_sync(WARP_ALL, beyond);
}

/* The radius of the pairs that end in the patch; r if that is not larger. The right keys are suffix
 * minima (see radius_measure), so the first partner of the patch's first key bounds the others. */
template <typename CODE, typename BITS = typename CODE::BITS>
static __device__ uint64_t radius_open_patch(const radius_view<CODE>  &view,
                                             const radius_table<BITS> &table,
                                             radius_open_memory<BITS> *memory, size_t patch,
                                             uint64_t r)
{
    constexpr int PATCH = radius_shape<BITS>::PATCH;
    size_t const  lo = patch * PATCH;
    BITS const    low = table.low[patch];
    radius_open_scan<scan_min<BITS>, PATCH, true>(view, memory->right, lo,
                                                  scan_min<BITS>::identity());
    if (!radius_open_beyond(view, table, memory, lo, lo > r + 1 ? (lo - r - 1) / PATCH : 0, r))
        return r;
    size_t const first = radius_open_first(view, low, radius_first(table, low, patch));
    if (first < lo)
        r = max(r, (uint64_t)(lo - first));
    size_t const from = lo > r + 1 ? (lo - r - 1) / PATCH : 0;
    uint64_t     farthest = r;
    radius_open_left<2>(view, table, memory->left, from);
    for (int i = lane_id(); i < PATCH; i += 32) {
        size_t const place = lo + i;
        BITS const   key = memory->right[i];
        if (place < r + 1 || memory->left[place - r - 1 - from * PATCH] <= key)
            continue;
        int const first = first_where(0, (int)(place - r - 1 - from * PATCH),
                                      [&](int at) { return memory->left[at] > key; });
        farthest = max(farthest, place - (from * PATCH + first));
    }
    return warp_reduce<scan_max<uint64_t>>(farthest);
}

template <typename CODE, typename BITS = typename CODE::BITS>
static __global__ void __launch_bounds__(RADIUS_OPEN_WARPS * 32)
    radius_open(radius_view<CODE> view, radius_table<BITS> table)
{
    __shared__ radius_open_memory<BITS> memory[RADIUS_OPEN_WARPS];
    unsigned const warp = threadIdx.x / 32, warps = gridDim.x * RADIUS_OPEN_WARPS;
    unsigned const listed = *table.listed;
    for (unsigned i = blockIdx.x * RADIUS_OPEN_WARPS + warp; i < listed; i += warps) {
        size_t const   patch = table.patches[i];
        uint64_t const r = __shfl_sync(WARP_ALL, table.seen(), 0);
        if (!radius_doubtful(table, patch, table.low[patch], r))
            continue;
        uint64_t const farthest = radius_open_patch(view, table, memory + warp, patch, r);
        if (farthest > r && lane_id() == 0)
            radius_grow(table.radius, farthest);
    }
}

#endif
