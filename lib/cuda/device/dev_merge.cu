/* dev_merge.cu - merge sort by comparisons: tiles in shared memory, then merged two by two.
 *
 * A block sorts its tile by a bitonic network (block/block_bitonic.cuh); passes over the array then
 * merge stretches along the merge path until one is left (merge_runs.cuh). Records that tie
 * are equal bytes (dev_compare.cuh), so it is stable for every job.
 *
 * Cost: one read and one write of the records for the tiles and for each of lg(n / tile) passes.
 * No scratch beside the two arrays. Called through dev_compare.cu. */
#include "cuda/block/block_bitonic.cuh"
#include "cuda/device/dev_compare.cuh"
#include "cuda/device/merge_runs.cuh"

enum {
    TILE_THREADS = 512,
    TILE_BYTES = 16 << 10
};

template <typename K>
static __global__ void __launch_bounds__(TILE_THREADS) sort_tiles(K *records, size_t n)
{
    constexpr unsigned TILE = TILE_BYTES / sizeof(K);
    __shared__ __align__(16) unsigned char room[bitonic_room<K>(TILE) * sizeof(K)];
    K *const                               tile = (K *)room;
    size_t const                           first = (size_t)blockIdx.x * TILE;
    unsigned const                         count = (unsigned)(n - first < TILE ? n - first : TILE);
    for (unsigned i = threadIdx.x; i < TILE; i += TILE_THREADS)
        tile[bitonic_at<K>(i)] = i < count ? records[first + i] : last_record<K>();
    block_bitonic_sort(tile, TILE);
    for (unsigned i = threadIdx.x; i < count; i += TILE_THREADS)
        records[first + i] = tile[bitonic_at<K>(i)];
}

template <typename K>
static ordo_status merge_sort(cuda_call *call, K *a, K *b, size_t n, K **sorted)
{
    constexpr size_t TILE = TILE_BYTES / sizeof(K);
    CUDA_LAUNCH(call, (sort_tiles<K>), ordo_div_up(n, TILE), TILE_THREADS, 0, a, n);
    return merge_runs(call, a, b, n, TILE, sorted);
}

static size_t no_scratch(size_t n, size_t record_size)
{
    (void)n;
    (void)record_size;
    return 0;
}

const compare_sorter merge_sorter = {"merge", no_scratch, merge_sort<uint32_t>,
                                     merge_sort<uint64_t>, merge_sort<key_record>};
