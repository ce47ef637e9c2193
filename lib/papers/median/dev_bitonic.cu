/* dev_bitonic.cu - bitonic sort of any number of records, and the merge sort that begins with it.
 *
 * Bitonic sort: Batcher's network as in block_bitonic.cuh, without comparisons that reach past the
 * end. Tiles are sorted in shared memory; longer phases begin in device memory. n lg n (lg n + 1) /
 * 4 comparisons, about lg(n / tile)^2 / 6 passes. Merge sort: bitonic tiles, then lg(n / tile)
 * passes of merge_sorted.cuh. dev_compare.cu makes the records. */
#include "cuda/block/block_bitonic.cuh"
#include "papers/base/dev_compare.cuh"
#include "papers/median/median.h"

enum {
    BITONIC_TILE_BYTES = 16 << 10,
    TILE_THREADS = 512,
    STEP_THREADS = 256
};

/* Sorts each tile (lg == 0), or the bitonic sequences of 2^lg records in it. */
template <typename K>
static __global__ void __launch_bounds__(TILE_THREADS)
    bitonic_tiles_kernel(K *records, size_t n, unsigned lg)
{
    constexpr unsigned TILE = BITONIC_TILE_BYTES / sizeof(K);
    __shared__ __align__(16) unsigned char room[bitonic_room<K>(TILE) * sizeof(K)];
    K *const                               tile = (K *)room;
    size_t const                           first = (size_t)blockIdx.x * TILE;
    unsigned const                         count = (unsigned)(n - first < TILE ? n - first : TILE);
    for (unsigned i = threadIdx.x; i < TILE; i += TILE_THREADS)
        tile[bitonic_at<K>(i)] = i < count ? records[first + i] : last_record<K>();
    if (lg == 0)
        block_bitonic_sort(tile, TILE);
    else
        block_bitonic_merge(tile, TILE, lg);
    for (unsigned i = threadIdx.x; i < count; i += TILE_THREADS)
        records[first + i] = tile[bitonic_at<K>(i)];
}

template <typename K>
static ordo_status bitonic_tiles(cuda_call *call, K *records, size_t n, unsigned lg)
{
    return CUDA_LAUNCH(call, bitonic_tiles_kernel<K>,
                       ordo_div_up(n * sizeof(K), BITONIC_TILE_BYTES), TILE_THREADS, 0, records, n,
                       lg);
}

/* LG distances of a phase, in device memory: 2^(lg_size - 1) (or the mirror image in sequences
 * of 2^lg_size), then half of that, and so on. Like bitonic_step of block_bitonic.cuh, but for
 * any n. */
template <int LG, bool MIRROR, typename K>
static __global__ void __launch_bounds__(STEP_THREADS)
    bitonic_pass(K *records, size_t n, unsigned lg_size)
{
    constexpr int  KEYS = 1 << LG;
    unsigned const lg_gap = lg_size - LG;
    size_t const   gap = (size_t)1 << lg_gap;
    size_t const   t = (size_t)blockIdx.x * STEP_THREADS + threadIdx.x;
    size_t const   at = t & (gap - 1), start = (t >> lg_gap) << lg_size;
    size_t const   low = start + at, high = start + (MIRROR ? gap - 1 - at : at);
    if (start >= n)
        return;
    K e[KEYS];
#pragma unroll
    for (int i = 0; i < KEYS; i++) {
        size_t const place = (i < KEYS / 2 ? low : high) + ((size_t)i << lg_gap);
        e[i] = place < n ? records[place] : last_record<K>();
    }
    if constexpr (MIRROR) {
        bitonic_mirror<KEYS>(e);
        bitonic_halve<KEYS / 4>(e);
    } else {
        bitonic_halve<KEYS / 2>(e);
    }
#pragma unroll
    for (int i = 0; i < KEYS; i++) {
        size_t const place = (i < KEYS / 2 ? low : high) + ((size_t)i << lg_gap);
        if (place < n)
            records[place] = e[i];
    }
}

template <int LG, bool MIRROR, typename K>
static ordo_status pass(cuda_call *call, K *records, size_t n, unsigned lg_size)
{
    size_t const stretches = ordo_div_up(n, (size_t)1 << lg_size);
    size_t const threads = stretches << (lg_size - LG);
    return CUDA_LAUNCH(call, (bitonic_pass<LG, MIRROR, K>), ordo_div_up(threads, STEP_THREADS),
                       STEP_THREADS, 0, records, n, lg_size);
}

template <typename K>
static ordo_status bitonic_sort(cuda_call *call, K *a, K *b, size_t n, compare_known, K **sorted)
{
    constexpr size_t TILE = BITONIC_TILE_BYTES / sizeof(K);
    unsigned         lg_tile = 0;
    while ((size_t)1 << lg_tile < TILE)
        lg_tile++;
    (void)b;
    *sorted = a;
    TRY(bitonic_tiles(call, a, n, 0));
    for (unsigned lg_size = lg_tile + 1; (size_t)1 << (lg_size - 1) < n; lg_size++) {
        TRY((pass<3, true>(call, a, n, lg_size)));
        unsigned lg = lg_size - 3;
        for (; lg >= lg_tile + 3; lg -= 3)
            TRY((pass<3, false>(call, a, n, lg)));
        for (; lg > lg_tile; lg--)
            TRY((pass<1, false>(call, a, n, lg)));
        TRY(bitonic_tiles(call, a, n, lg));
    }
    return ORDO_OK;
}

static const compare_sorter bitonic_sorter = {"bitonic",
                                              NULL,
                                              false,
                                              bitonic_sort<uint32_t>,
                                              bitonic_sort<uint64_t>,
                                              bitonic_sort<key_record>};

template <typename K>
static ordo_status merge_sort(cuda_call *call, K *a, K *b, size_t n, compare_known, K **sorted)
{
    TRY(bitonic_tiles(call, a, n, 0));
    return merge_sorted(call, a, b, n, BITONIC_TILE_BYTES / sizeof(K), sorted);
}

static const compare_sorter merge_sorter = {
    "merge", NULL, false, merge_sort<uint32_t>, merge_sort<uint64_t>, merge_sort<key_record>};

const ordo_cuda_sorter dev_bitonic = compare_slots<bitonic_sorter>::slots;
const ordo_cuda_sorter dev_merge = compare_slots<merge_sorter>::slots;
