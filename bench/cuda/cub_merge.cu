/* cub_merge.cu - CUB's merge sort: by comparison, in place. */
#include "peers.cuh"

#include <cub/device/device_merge_sort.cuh>

#include <cuda/functional>

namespace peers
{
namespace
{

/* The benchmark copies the keys to the output before it starts the clock. */
template <typename T> void sort(const task &t)
{
    in_two_steps(t.n, [&](void *temporary, size_t &bytes) {
        return cub::DeviceMergeSort::SortKeys(temporary, bytes, out_of<T>(t), items(t),
                                              cuda::std::less<T>{}, stream);
    });
}

template <typename T> bench_peer sort_entry()
{
    return entry<sort<T>>("cub merge", BENCH_PEER_SORT, type_of<T>);
}

bool const added = library(
    "", 2,
    {sort_entry<uint32_t>(), sort_entry<uint64_t>(), sort_entry<float>(), sort_entry<double>()});

} // namespace
} // namespace peers
