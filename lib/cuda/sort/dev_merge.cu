/* dev_merge.cu - merge sort by comparisons: tiles in shared memory, then merged two by two.
 *
 * A block sorts its tile by a bitonic network (dev_bitonic.cu); passes over the array then
 * merge stretches along the merge path until one is left (merge_runs.cuh). Records that tie
 * are equal bytes (dev_compare.cuh), so it is stable for every job.
 *
 * Cost: one read and one write of the records for the tiles and for each of lg(n / tile) passes.
 * No scratch beside the two arrays. Called through dev_compare.cu. */
#include "cuda/sort/dev_compare.cuh"
#include "cuda/sort/merge_runs.cuh"

template <typename K>
static ordo_status merge_sort(cuda_call *call, K *a, K *b, size_t n, K **sorted)
{
    TRY(bitonic_tiles(call, a, n, 0));
    return merge_runs(call, a, b, n, BITONIC_TILE_BYTES / sizeof(K), sorted);
}

const compare_sorter merge_sorter = {"merge", compare_no_scratch, merge_sort<uint32_t>,
                                     merge_sort<uint64_t>, merge_sort<key_record>};
