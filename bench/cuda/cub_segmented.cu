/* cub_segmented.cu - CUB's sorts of many rows of one length, and its scan by key, whose keys are
 * the numbers of the rows. Offsets and keys are computed where they are read, so they take no
 * memory. */
#include "peers.cuh"

#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cuda/std/functional>

namespace peers
{
namespace
{

struct row_start {
    int                     length;
    __host__ __device__ int operator()(int row) const { return row * length; }
};

/* The scratch depends on the number of rows too. */
size_t size_key(const task &t) { return t.n * 31 + t.count; }

auto starts(const task &t)
{
    return thrust::make_transform_iterator(thrust::make_counting_iterator(0),
                                           row_start{static_cast<int>(t.count)});
}

template <typename T> void segmented(const task &t)
{
    auto const first = starts(t);
    in_two_steps(size_key(t), [&](void *temporary, size_t &bytes) {
        return cub::DeviceSegmentedSort::SortKeys(
            temporary, bytes, keys_of<T>(t), out_of<T>(t), static_cast<int>(t.n),
            static_cast<int>(t.n / t.count), first, first + 1, stream);
    });
}

template <typename T> void segmented_radix(const task &t)
{
    auto const first = starts(t);
    in_two_steps(size_key(t), [&](void *temporary, size_t &bytes) {
        return cub::DeviceSegmentedRadixSort::SortKeys(
            temporary, bytes, keys_of<T>(t), out_of<T>(t), static_cast<int>(t.n),
            static_cast<int>(t.n / t.count), first, first + 1, 0, 8 * static_cast<int>(sizeof(T)),
            stream);
    });
}

struct row_of {
    uint32_t                     length;
    __host__ __device__ uint32_t operator()(uint32_t i) const { return i / length; }
};

template <typename T> void sum_by_key(const task &t)
{
    auto const rows = thrust::make_transform_iterator(thrust::make_counting_iterator(uint32_t{0}),
                                                      row_of{static_cast<uint32_t>(t.count)});
    in_two_steps(size_key(t), [&](void *temporary, size_t &bytes) {
        return cub::DeviceScan::InclusiveSumByKey(temporary, bytes, rows, keys_of<T>(t),
                                                  out_of<T>(t), items(t), cuda::std::equal_to<>{},
                                                  stream);
    });
}

bool const added =
    library("", 3,
            {entry<segmented<float>>("cub segmented", BENCH_PEER_SORT_ROWS, ORDO_F32),
             entry<segmented_radix<float>>("cub segmented radix", BENCH_PEER_SORT_ROWS, ORDO_F32),
             entry<sum_by_key<float>>("cub by key", BENCH_PEER_SUM_ROWS, ORDO_F32)});

} // namespace
} // namespace peers
