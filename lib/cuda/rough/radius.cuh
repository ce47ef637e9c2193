/* radius.cuh - the radius within spans, and the table of patches for radius_far.cuh; see
 * dev_radius.cu.
 *
 * A block goes through its span step by step and keeps the prefix maxima of the last steps in a
 * ring in shared memory. r is the largest radius found so far. A key that is out of order with a
 * key more than r places to its left is less than the prefix maximum r + 1 places before it. That
 * is one comparison per key; one comparison is enough for all keys of a thread if their smallest
 * key is not less than the last of these maxima. A thread that finds a larger radius measures it
 * exactly. Once r is larger than the ring, the block only fills the table. */
#ifndef ORDO_CUDA_ROUGH_RADIUS_H
#define ORDO_CUDA_ROUGH_RADIUS_H

#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/runtime/cuda_tuning.cuh"
#include "cuda/warp/warp_scan.cuh"

template <typename BITS_> struct radius_shape {
    typedef BITS_        BITS;
    static constexpr int THREADS = CUDA_TUNE_RADIUS_THREADS;
    static constexpr int WARPS = THREADS / 32;
    /* Odd, to avoid bank conflicts between threads that read their own keys one after another. */
    static constexpr int ITEMS =
        sizeof(BITS) == 8 ? CUDA_TUNE_RADIUS_ITEMS_8 : CUDA_TUNE_RADIUS_ITEMS;
    static constexpr int SLOTS =
        CUDA_TUNE_RADIUS_SLOTS * (sizeof(BITS) < 4 ? 4 / (int)sizeof(BITS) : 1);
    static constexpr int AHEAD = CUDA_TUNE_RADIUS_AHEAD; /* steps that are being copied to the
                                                          * ring */
    static constexpr int STEP = THREADS * ITEMS;         /* keys that a block handles at a time */
    static constexpr int RING = SLOTS * STEP;
    static constexpr int SHARE = /* threads per table entry */
        sizeof(BITS) == 8 ? CUDA_TUNE_RADIUS_SHARE_8 : CUDA_TUNE_RADIUS_SHARE;
    static constexpr int PATCH = SHARE * ITEMS; /* keys per table entry */
    static constexpr int PATCHES = STEP / PATCH;
    /* Radii below this are found in the ring. AHEAD slots are being filled. */
    static constexpr unsigned REACH = (SLOTS - AHEAD - 1) * STEP - 1;
    static constexpr size_t   BYTES = RING * sizeof(BITS);

    static_assert(ITEMS % 2 == 1 && STEP * sizeof(BITS) % 16 == 0, "steps are whole vectors");
    static_assert(SLOTS > AHEAD + 1, "the ring has a past");
    static_assert(BYTES <= 98 << 10, "a block of compute capability 8.6 has as much");
};

/* i - j for the first j < i with is_after(j), or 0 if there is none. is_after is monotonic: true
 * from that j on. The search starts at i and doubles its steps. */
template <typename IS_AFTER>
static DEVICE uint64_t radius_displacement(uint64_t i, IS_AFTER &&is_after)
{
    if (i == 0 || !is_after(i - 1))
        return 0;
    uint64_t begin = 0, end = i - 1; /* j is in [begin, end] */
    for (uint64_t step = 1; begin < end; step *= 2) {
        uint64_t const at = end - (step < end ? step : end);
        if (!is_after(at)) {
            begin = at + 1;
            break;
        }
        end = at;
    }
    while (begin < end) {
        uint64_t const middle = begin + (end - begin) / 2;
        if (is_after(middle))
            end = middle;
        else
            begin = middle + 1;
    }
    return i - end;
}

/* The array, starting at the 16-byte boundary before it. The `pad` places before the array read as
 * the smallest key, places from `end` on as the largest, so they are in order with every key. */
template <typename CODE> struct radius_view {
    typedef typename CODE::BITS BITS;

    CODE        code;
    const BITS *base; /* keys - pad; not read below pad */
    size_t      pad, end;

    DEVICE BITS raw(size_t at) const
    {
        if (at >= pad && at < end)
            return base[at];
        return code.decode(at < pad ? (BITS)0 : (BITS) ~(BITS)0);
    }
    DEVICE BITS key(size_t at) const { return code.encode(raw(at)); }
};

/* high[p]: the largest key from the start of p's span to the end of patch p. low[p]: the smallest
 * key of patch p. before[s]: the largest key of all spans before s (after radius_settle). */
template <typename BITS_> struct radius_table {
    typedef BITS_ BITS;

    BITS     *high, *low, *before;
    uint32_t *patches; /* list of the patches that must be read again */
    uint64_t *radius;
    unsigned *listed, *within; /* length of the list; whether the radii inside spans are final */
    size_t    steps, span_steps;
    uint64_t  limit;

    DEVICE size_t count(void) const { return steps * radius_shape<BITS>::PATCHES; }
    DEVICE size_t span_patches(void) const { return span_steps * radius_shape<BITS>::PATCHES; }
    /* The largest key from the start of the array to the end of patch p. */
    DEVICE BITS upto(size_t p) const
    {
        BITS const earlier = before[p / span_patches()], here = high[p];
        return here > earlier ? here : earlier;
    }
    DEVICE uint64_t seen(void) const { return *(volatile uint64_t *)radius; }
};

static DEVICE void radius_grow(uint64_t *radius, uint64_t to)
{
    atomicMax((unsigned long long *)radius, (unsigned long long)to);
}

/* Starts to copy the keys [at, at + STEP) of the view to shared memory. Called by all threads. */
template <typename CODE, typename BITS = typename CODE::BITS>
static DEVICE void radius_copy(const radius_view<CODE> &view, size_t at, BITS *to)
{
    typedef radius_shape<BITS> SHAPE;
    constexpr int              VECTOR = 16 / sizeof(BITS), ROW = SHAPE::THREADS * VECTOR;
    int const                  mine = (int)threadIdx.x * VECTOR;
    if (at >= view.pad && at + SHAPE::STEP <= view.end) {
        const BITS *const from = view.base + at + mine;
        unsigned const    shared = (unsigned)__cvta_generic_to_shared(to + mine);
#pragma unroll
        for (int row = 0; row < SHAPE::STEP; row += ROW)
            if (row + ROW <= SHAPE::STEP || mine < SHAPE::STEP - row)
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                                 shared + row * (unsigned)sizeof(BITS)),
                             "l"(from + row)
                             : "memory");
    } else {
#pragma unroll 1
        for (int i = (int)threadIdx.x; i < SHAPE::STEP; i += SHAPE::THREADS)
            to[i] = view.raw(at + i);
    }
}
static DEVICE void radius_copy_commit(void) { asm volatile("cp.async.commit_group;" ::: "memory"); }
/* Waits until at most LEFT groups of this thread's copies are in progress. */
template <int LEFT> static DEVICE void radius_copy_wait(void)
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

template <typename BITS> struct radius_ring { /* a ring of prefix maxima */
    const BITS *upto;
    unsigned lo, oldest; /* places in the span of this thread's first key and of the oldest key in
                          * the ring */
    int      place;      /* place of this thread's first key in the ring */

    DEVICE BITS at(unsigned position) const
    {
        int const i = place - (int)(lo - position);
        return upto[i < 0 ? i + radius_shape<BITS>::RING : i];
    }
};

/* The radius of the pairs whose right key is one of this thread's keys; r if that is not larger.
 * least[j] is the smallest of the thread's keys from the j-th on. These suffix minima give the same
 * maximum, and for them the position of the first larger key never decreases. So the distance grows
 * by at most one from key to key, and one comparison per key is enough. */
template <typename BITS>
static __device__ __noinline__ unsigned radius_measure(radius_ring<BITS> ring, const BITS *least,
                                                       unsigned r)
{
    constexpr int ITEMS = radius_shape<BITS>::ITEMS;
    unsigned      begin = ring.oldest, end = ring.lo; /* the first larger key, if any, is in [begin,
                                                  * end) */
    if (begin > 0 && ring.at(begin) > least[0])
        return end - begin; /* or more; larger than the ring in any case */
    while (begin < end) {
        unsigned const middle = begin + (end - begin) / 2;
        if (ring.at(middle) > least[0])
            end = middle;
        else
            begin = middle + 1;
    }
    r = max(r, ring.lo - begin);
    for (unsigned at = max(ring.lo, r + 1); at < ring.lo + ITEMS; at++)
        r += ring.at(at - r - 1) > least[at - ring.lo];
    return r;
}

/* Whether one of this thread's keys x is out of order with a key more than r places before it; low
 * is the smallest of x. May be wrongly true at the start of a span. */
template <typename BITS>
static DEVICE bool radius_beyond(const radius_ring<BITS> &ring, const BITS *x, BITS low, unsigned r)
{
    constexpr int ITEMS = radius_shape<BITS>::ITEMS, RING = radius_shape<BITS>::RING;
    if (ring.lo + ITEMS < r + 2 || ring.at(ring.lo + ITEMS - r - 2) <= low)
        return false;
    int const from = ring.place - (int)(r + 1), start = from < 0 ? from + RING : from;
    if (ring.lo < r + 1)
        return true;
    bool beyond = false;
    if (start + ITEMS <= RING) {
#pragma unroll
        for (int j = 0; j < ITEMS; j++)
            beyond |= x[j] < ring.upto[start + j];
    } else {
#pragma unroll
        for (int j = 0; j < ITEMS; j++)
            beyond |= x[j] < ring.upto[start + j < RING ? start + j : start + j - RING];
    }
    return beyond;
}

/* One block per span. Fills the table and raises the radius to that of the span. */
template <typename CODE, typename BITS = typename CODE::BITS>
static __global__ void __launch_bounds__(CUDA_TUNE_RADIUS_THREADS, CUDA_TUNE_RADIUS_RESIDENT)
    radius_near(radius_view<CODE> view, radius_table<BITS> table)
{
    typedef radius_shape<BITS> SHAPE;
    typedef scan_max<BITS>     MAX;
    typedef scan_min<BITS>     MIN;
    constexpr int              ITEMS = SHAPE::ITEMS, STEP = SHAPE::STEP, AHEAD = SHAPE::AHEAD;
    constexpr int              PAST = SHAPE::SLOTS - AHEAD - 1; /* slots before the current one */
    extern __shared__ uint4    radius_memory[];
    __shared__ BITS            warp_high[SHAPE::WARPS];
    __shared__ unsigned        now, found;

    BITS *const    ring = (BITS *)radius_memory;
    unsigned const thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    size_t const   first = blockIdx.x * table.span_steps;
    unsigned const steps = (unsigned)min(table.span_steps, table.steps - first);
    unsigned const limit = (unsigned)min(table.limit, (uint64_t)0x7fffffff);
    size_t         ahead = first * STEP; /* the next place to copy */
    BITS          *high_to = table.high + first * SHAPE::PATCHES + thread / SHAPE::SHARE;
    BITS          *low_to = table.low + first * SHAPE::PATCHES + thread / SHAPE::SHARE;
    unsigned       others = 0; /* the radius that thread 0 read last */
    int            slot = 0;
    BITS           carry = 0;
    if (thread == 0)
        found = 0;
#pragma unroll
    for (int i = 0; i < AHEAD; i++, ahead += STEP) {
        if ((unsigned)i < steps)
            radius_copy(view, ahead, ring + i * STEP);
        radius_copy_commit();
    }
    for (unsigned step = 0; step < steps; step++) {
        int const place = slot * STEP + (int)thread * ITEMS;
        radius_copy_wait<AHEAD - 1>();
        __syncthreads();
        if (step + AHEAD < steps) {
            int const fill = slot + AHEAD - (slot + AHEAD >= SHAPE::SLOTS ? SHAPE::SLOTS : 0);
            radius_copy(view, ahead, ring + fill * STEP);
            ahead += STEP;
        }
        radius_copy_commit();
        if (thread == 0) {
            if (found > others)
                radius_grow(table.radius, found);
            now = max(found, others);
            others = (unsigned)min(table.seen(),
                                   (uint64_t)0x7fffffff); /* the load completes by the next step */
        }

        BITS x[ITEMS], high = 0, low = MIN::identity();
#pragma unroll
        for (int j = 0; j < ITEMS; j++) {
            x[j] = view.code.encode(ring[place + j]);
            high = MAX::add(high, x[j]);
            low = MIN::add(low, x[j]);
        }
        BITS const upto = warp_scan<MAX>(high);
        if (lane == 31)
            warp_high[warp] = upto;
        BITS patch_low = low;
#pragma unroll
        for (int apart = 1; apart < SHAPE::SHARE; apart *= 2)
            patch_low = MIN::add(patch_low, __shfl_xor_sync(WARP_ALL, patch_low, apart));
        __syncthreads();
        BITS before = warp_largest(lane < warp ? warp_high[lane] : (BITS)0);
        before = MAX::add(MAX::add(before, carry), warp_before<MAX>(upto));
#pragma unroll
        for (int j = 0; j < ITEMS; j++) {
            before = MAX::add(before, x[j]);
            ring[place + j] = before;
        }
        if (lane % SHAPE::SHARE == SHAPE::SHARE - 1) {
            *high_to = before;
            *low_to = patch_low;
        }
        high_to += SHAPE::PATCHES;
        low_to += SHAPE::PATCHES;
        __syncthreads();

        carry = ring[slot * STEP + STEP - 1];
        unsigned const r = now;
        if (r > limit)
            break;
        if (r < SHAPE::REACH) {
            radius_ring<BITS> const seen = {ring, step * STEP + thread * ITEMS,
                                            step > PAST ? (step - PAST) * STEP : 0, place};
            if (radius_beyond(seen, x, low, r)) {
                BITS least[ITEMS];
                low = MIN::identity();
#pragma unroll
                for (int j = ITEMS - 1; j >= 0; j--)
                    least[j] = low = MIN::add(low, x[j]);
                atomicMax(&found, radius_measure(seen, least, r));
            }
        }
        slot = slot + 1 == SHAPE::SLOTS ? 0 : slot + 1;
    }
    radius_copy_wait<0>();
    __syncthreads();
    if (thread == 0) {
        radius_grow(table.radius, found);
        table.before[blockIdx.x] = carry;
    }
}

#endif
