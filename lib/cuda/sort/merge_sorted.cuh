/* merge_sorted.cuh - merges sorted parts of an array in pairs, and two sorted parts of pairs.
 *
 * Every block writes one tile of at most 2048 results. Two warps find where the tile begins and
 * ends in the two parts on the merge path (O. Green, R. McColl and D. A. Bader, "GPU merge
 * path", ICS 2012). A warp tries 32 places of a diagonal at once, so few steps are needed. Then
 * the keys of the tile are in shared memory, and each thread finds its part of the path there.
 * Equal keys keep the order of their parts. Cost: lg(n / part) passes that read and write every
 * record once. */
#ifndef ORDO_CUDA_SORT_MERGE_SORTED_H
#define ORDO_CUDA_SORT_MERGE_SORTED_H

#include "cuda/runtime/cuda_rt.cuh"
#include "cuda/warp/warp_scan.cuh"

enum {
    MERGE_THREADS = 256,
    MERGE_ITEMS = 8,
    MERGE_TILE = MERGE_THREADS * MERGE_ITEMS
};

struct alignas(16) key_record { /* 64 key bits and the index of the key */
    uint64_t key, index;
};

static __host__ DEVICE bool operator<(const key_record &a, const key_record &b)
{
    return a.key < b.key || (a.key == b.key && a.index < b.index);
}

template <typename K> static __host__ DEVICE K last_record(void) { return (K) ~(K)0; }
template <> __host__ DEVICE key_record         last_record<key_record>(void)
{
    return {UINT64_MAX, UINT64_MAX};
}

/* A 64-bit record holds 32 key bits above an index. */
static DEVICE uint64_t record_index(uint64_t record) { return (uint32_t)record; }
static DEVICE uint64_t record_index(const key_record &record) { return record.index; }

/* How many of the first `diagonal` results come from a. takes(i, j) returns whether a[i] comes
 * before b[j]. Called by a whole warp. */
template <typename TAKES>
static DEVICE size_t warp_merge_path(size_t a_count, size_t b_count, size_t diagonal, TAKES &&takes)
{
    size_t lo = diagonal > b_count ? diagonal - b_count : 0;
    size_t hi = diagonal < a_count ? diagonal : a_count;
    while (lo < hi) {
        size_t const   at = lo + (hi - lo) * lane_id() / WARP_LANES;
        bool const     is_taken = takes(at, diagonal - 1 - at);
        unsigned const taken = (unsigned)__popc(__ballot_sync(WARP_ALL, is_taken));
        size_t const   last = __shfl_sync(WARP_ALL, at, taken == 0 ? 0 : (int)taken - 1);
        size_t const   next = __shfl_sync(WARP_ALL, at, taken == WARP_LANES ? 0 : (int)taken);
        lo = taken == 0 ? lo : last + 1;
        hi = taken == 0 ? lo : taken == WARP_LANES ? hi : next;
    }
    return lo;
}

/* splits[0] becomes the number of a's keys before result `first`, splits[1] before result first +
 * count. Called by all threads; contains the barrier that makes the splits visible. */
template <typename TAKES>
static DEVICE void merge_splits(size_t a_count, size_t b_count, size_t first, unsigned count,
                                size_t *splits, TAKES &&takes)
{
    unsigned const warp = threadIdx.x / WARP_LANES;
    if (warp < 2) {
        size_t const at = warp_merge_path(a_count, b_count, first + (warp == 0 ? 0 : count), takes);
        if (lane_id() == 0)
            splits[warp] = at;
    }
    __syncthreads();
}

/* Merges keys[0, a_here) and keys[a_here, count) in shared memory. This thread's results are
 * start, ..., start + items - 1; put(r, i) is called for result start + r, which is keys[i]. */
template <typename K, typename PUT>
static DEVICE void merge_part(const K *keys, unsigned a_here, unsigned count, unsigned start,
                              unsigned items, PUT &&put)
{
    unsigned const b_here = count - a_here;
    unsigned       lo = start > b_here ? start - b_here : 0, hi = start < a_here ? start : a_here;
    while (lo < hi) {
        unsigned const middle = (lo + hi) / 2;
        bool const     is_taken = !(keys[a_here + start - 1 - middle] < keys[middle]);
        lo = is_taken ? middle + 1 : lo;
        hi = is_taken ? hi : middle;
    }
    unsigned i = lo, j = a_here + start - lo;
#pragma unroll
    for (unsigned r = 0; r < MERGE_ITEMS; r++)
        if (r < items && start + r < count) {
            bool const is_a = j >= count || (i < a_here && !(keys[j] < keys[i]));
            put(r, is_a ? i : j);
            i += is_a ? 1 : 0;
            j += is_a ? 0 : 1;
        }
}

template <typename K> struct merge_shared {
    K      keys[MERGE_TILE];
    size_t splits[2];
};

/* Merges parts of `part` keys, the last of which may be shorter: writes the `tile` results from
 * `first` on, which come from one pair of parts. Called by all threads of a block of MERGE_THREADS;
 * a barrier must precede the next use of the shared memory. If another block changes `from`,
 * results are unspecified and up to MERGE_TILE keys after the array are read. */
template <typename K>
static DEVICE void merge_tile(const K *from, K *to, size_t n, size_t part, unsigned tile,
                              size_t first, merge_shared<K> *shared)
{
    K *const       keys = shared->keys;
    size_t *const  splits = shared->splits;
    size_t const   pair = first / (2 * part) * (2 * part);
    size_t const   a_count = n - pair < part ? n - pair : part;
    size_t const   rest = n - pair - a_count;
    size_t const   b_count = rest < part ? rest : part;
    const K *const a = from + pair, *const b = a + a_count;
    unsigned const count = (unsigned)(n - first < tile ? n - first : tile);
    merge_splits(a_count, b_count, first - pair, count, splits,
                 [&](size_t i, size_t j) { return !(b[j] < a[i]); });
    size_t const   a_first = splits[0], b_first = first - pair - a_first;
    unsigned const a_here = (unsigned)min(splits[1] - a_first, (size_t)count);
    for (unsigned i = threadIdx.x; i < count; i += MERGE_THREADS)
        keys[i] = i < a_here ? a[a_first + i] : b[b_first + i - a_here];
    __syncthreads();

    unsigned const items = (tile + MERGE_THREADS - 1) / MERGE_THREADS;
    unsigned const start = threadIdx.x * items < count ? threadIdx.x * items : count;
    K              merged[MERGE_ITEMS];
    merge_part(keys, a_here, count, start, items,
               [&](unsigned r, unsigned i) { merged[r] = keys[i]; });
    __syncthreads();
#pragma unroll
    for (unsigned r = 0; r < MERGE_ITEMS; r++)
        if (r < items && start + r < count)
            keys[start + r] = merged[r];
    __syncthreads();
    for (unsigned r = threadIdx.x; r < count; r += MERGE_THREADS)
        to[first + r] = keys[r];
}

template <typename K>
static __global__ void __launch_bounds__(MERGE_THREADS)
    merge_pass_kernel(const K *from, K *to, size_t n, size_t part, unsigned tile)
{
    __shared__ __align__(16) unsigned char room[sizeof(merge_shared<K>)];
    merge_tile(from, to, n, part, tile, (size_t)blockIdx.x * tile, (merge_shared<K> *)room);
}

/* Merges until one part is left, between two arrays of n keys; *sorted becomes the array with the
 * result. */
template <typename K>
static inline ordo_status merge_sorted(cuda_call *call, K *from, K *to, size_t n, size_t part,
                                       K **sorted)
{
    for (; part < n; part *= 2) {
        size_t const tile = ordo_min(2 * part, MERGE_TILE);
        TRY(CUDA_LAUNCH(call, merge_pass_kernel<K>, ordo_div_up(n, tile), MERGE_THREADS, 0, from,
                        to, n, part, (unsigned)tile));
        K *const merged = to;
        to = from;
        from = merged;
    }
    *sorted = from;
    return ORDO_OK;
}

template <typename BITS, typename NUM> struct pairs_array {
    BITS *keys;
    NUM  *index;
};

/* Merges [0, split) and [split, n). */
template <typename CODE, typename NUM, typename BITS = typename CODE::BITS>
static __global__ void __launch_bounds__(MERGE_THREADS)
    merge_pairs(pairs_array<const BITS, const NUM> const from, size_t split, size_t n, CODE code,
                pairs_array<BITS, NUM> const to)
{
    __shared__ BITS     bits[MERGE_TILE];
    __shared__ uint16_t source[MERGE_TILE]; /* the place in bits of each result */
    __shared__ size_t   splits[2];

    size_t const      first = (size_t)blockIdx.x * MERGE_TILE;
    unsigned const    count = (unsigned)(n - first < MERGE_TILE ? n - first : MERGE_TILE);
    const BITS *const a = from.keys, *const b = from.keys + split;
    merge_splits(split, n - split, first, count, splits,
                 [&](size_t i, size_t j) { return !(code.encode(b[j]) < code.encode(a[i])); });
    size_t const   a_first = splits[0], b_first = split + first - a_first;
    unsigned const a_here = (unsigned)(splits[1] - a_first);
    for (unsigned i = threadIdx.x; i < count; i += MERGE_THREADS)
        bits[i] = code.encode(from.keys[i < a_here ? a_first + i : b_first + (i - a_here)]);
    __syncthreads();
    unsigned const start = threadIdx.x * MERGE_ITEMS < count ? threadIdx.x * MERGE_ITEMS : count;
    merge_part(bits, a_here, count, start, MERGE_ITEMS,
               [&](unsigned r, unsigned i) { source[start + r] = (uint16_t)i; });
    __syncthreads();
    /* The key bits have folded ties, so the keys themselves are read again, from L1 or L2. */
    for (unsigned r = threadIdx.x; r < count; r += MERGE_THREADS) {
        unsigned const at = source[r];
        size_t const   place = at < a_here ? a_first + at : b_first + (at - a_here);
        to.keys[first + r] = from.keys[place];
        to.index[first + r] = from.index[place];
    }
}

#endif
