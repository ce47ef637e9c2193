/* cub_scan.cu - CUB's scans, selections and reductions, and operations built from them: binary
 * prefix sums (a scan over flags as numbers), stable partition (two selections), the radius
 * (prefix maxima, a binary search for each key, a maximum); and Thrust's is_sorted. */
#include "peers.cuh"

#include <cub/device/device_partition.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/sort.h>

#include <cuda/functional>

namespace peers
{
namespace
{

using number = thrust::counting_iterator<uint32_t>;

template <typename T, typename OUT> void sum(const task &t)
{
    in_two_steps(t.n, [&](void *temporary, size_t &bytes) {
        return cub::DeviceScan::InclusiveScanInit(temporary, bytes, keys_of<T>(t), out_of<OUT>(t),
                                                  cuda::std::plus<OUT>{}, OUT{0}, items(t), stream);
    });
}

template <typename T> void maximum(const task &t)
{
    in_two_steps(t.n, [&](void *temporary, size_t &bytes) {
        return cub::DeviceScan::InclusiveScan(temporary, bytes, keys_of<T>(t), out_of<T>(t),
                                              cuda::maximum<>{}, items(t), stream);
    });
}

template <typename ITERATOR> void count_flags(const task &t, ITERATOR flags)
{
    in_two_steps(t.n, [&](void *temporary, size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(temporary, bytes, flags, out_of<uint32_t>(t), items(t),
                                             stream);
    });
}

struct is_set {
    __host__ __device__ uint32_t operator()(unsigned char flag) const { return flag != 0; }
};
struct bit_at {
    const unsigned char         *bits;
    __host__ __device__ uint32_t operator()(uint32_t i) const { return bits[i / 8] >> i % 8 & 1; }
};
struct is_unset {
    __host__ __device__ bool operator()(uint32_t flag) const { return flag == 0; }
};

void bytes_scan(const task &t)
{
    count_flags(t, thrust::make_transform_iterator(keys_of<unsigned char>(t), is_set{}));
}

void bits_scan(const task &t)
{
    count_flags(t, thrust::make_transform_iterator(number(0), bit_at{keys_of<unsigned char>(t)}));
}

/* CUB's partition: rejected elements come last, in reverse order. */
template <typename T> void partition(const task &t)
{
    uint32_t *const count = kept<uint32_t>(FIRST, 1);
    in_two_steps(t.n, [&](void *temporary, size_t &bytes) {
        return cub::DevicePartition::Flagged(temporary, bytes, keys_of<T>(t),
                                             static_cast<const unsigned char *>(t.values),
                                             out_of<T>(t), count, items(t), stream);
    });
}

/* Stable. The host reads where the first selection ended, and the second one starts there. */
template <typename T, typename FLAGS> void select_both(const task &t, FLAGS flags)
{
    auto const      unset = thrust::make_transform_iterator(flags, is_unset{});
    uint32_t *const count = kept<uint32_t>(FIRST, 1);
    uint32_t        first = 0;

    in_two_steps(t.n, [&](void *temporary, size_t &bytes) {
        return cub::DeviceSelect::Flagged(temporary, bytes, keys_of<T>(t), flags, out_of<T>(t),
                                          count, items(t), stream);
    });
    need(cudaMemcpyAsync(&first, count, sizeof first, cudaMemcpyDeviceToHost, stream));
    need(cudaStreamSynchronize(stream));
    in_two_steps(t.n, [&](void *temporary, size_t &bytes) {
        return cub::DeviceSelect::Flagged(temporary, bytes, keys_of<T>(t), unset,
                                          out_of<T>(t) + first, count, items(t), stream);
    });
}

template <typename T> void select_twice(const task &t)
{
    select_both<T>(t, static_cast<const unsigned char *>(t.values));
}

template <typename T> void select_twice_bits(const task &t)
{
    auto const *const bits = static_cast<const unsigned char *>(t.values);
    select_both<T>(t, thrust::make_transform_iterator(number(0), bit_at{bits}));
}

/* Gives Thrust scratch that is kept between calls. */
struct kept_allocator {
    using value_type = char;
    char *allocate(std::ptrdiff_t bytes)
    {
        return kept<char>(TEMPORARY, static_cast<size_t>(bytes));
    }
    void deallocate(char *, size_t) {}
};

template <typename T> void is_sorted(const task &t)
{
    kept_allocator allocator;
    const T *const keys = keys_of<T>(t);
    const T *const end =
        thrust::is_sorted_until(thrust::cuda::par(allocator).on(stream), keys, keys + t.n);
    uint64_t const where = static_cast<uint64_t>(end - keys);
    *static_cast<uint64_t *>(t.out) = 2 * where + (where == t.n);
}

/* The distance from j to the first greater key before it, by binary search in the prefix maxima. */
template <typename T> struct distance_back {
    const T                     *keys, *maxima;
    __host__ __device__ uint32_t operator()(uint32_t j) const
    {
        T const  key = keys[j];
        uint32_t low = 0, high = j;
        while (low < high) {
            uint32_t const middle = low + (high - low) / 2;
            if (maxima[middle] > key)
                high = middle;
            else
                low = middle + 1;
        }
        return j - low;
    }
};

template <typename T> void radius(const task &t)
{
    T *const        maxima = kept<T>(FIRST, t.n);
    uint32_t *const farthest = kept<uint32_t>(SECOND, 1);
    uint32_t        answer = 0;

    in_two_steps(t.n, [&](void *temporary, size_t &bytes) {
        return cub::DeviceScan::InclusiveScan(temporary, bytes, keys_of<T>(t), maxima,
                                              cuda::maximum<>{}, items(t), stream);
    });
    auto const distances =
        thrust::make_transform_iterator(number(0), distance_back<T>{keys_of<T>(t), maxima});
    in_two_steps(t.n, [&](void *temporary, size_t &bytes) {
        return cub::DeviceReduce::Max(temporary, bytes, distances, farthest, items(t), stream);
    });
    need(cudaMemcpyAsync(&answer, farthest, sizeof answer, cudaMemcpyDeviceToHost, stream));
    need(cudaStreamSynchronize(stream));
    *static_cast<uint64_t *>(t.out) = answer;
}

template <typename T> bench_peer sum_entry()
{
    return entry<sum<T, T>>("cub scan", BENCH_PEER_SUM, type_of<T>);
}
template <typename T, typename WIDE> bench_peer wide_entry()
{
    return entry<sum<T, WIDE>>("cub scan", BENCH_PEER_SUM_WIDE, type_of<T>);
}
template <typename T> bench_peer max_entry()
{
    return entry<maximum<T>>("cub scan", BENCH_PEER_MAX, type_of<T>);
}
template <typename T> bench_peer radius_entry()
{
    return entry<radius<T>>("cub scan, search", BENCH_PEER_RADIUS, type_of<T>);
}
template <typename T> bench_peer sorted_entry()
{
    return entry<is_sorted<T>>("thrust", BENCH_PEER_IS_SORTED, type_of<T>);
}

const char twice[] = "cub select, twice";

bool const added =
    library("Thrust", 3,
            {sum_entry<uint8_t>(),
             sum_entry<uint16_t>(),
             sum_entry<uint32_t>(),
             sum_entry<uint64_t>(),
             sum_entry<float>(),
             sum_entry<double>(),
             wide_entry<uint8_t, uint64_t>(),
             wide_entry<uint16_t, uint64_t>(),
             wide_entry<uint32_t, uint64_t>(),
             wide_entry<float, double>(),
             max_entry<uint8_t>(),
             max_entry<uint16_t>(),
             max_entry<uint32_t>(),
             max_entry<uint64_t>(),
             max_entry<float>(),
             max_entry<double>(),
             entry<bytes_scan>("cub scan", BENCH_PEER_BYTES, 0),
             entry<bits_scan>("cub scan", BENCH_PEER_BITS, 0),
             entry<select_twice<uint32_t>>(twice, BENCH_PEER_PARTITION, ORDO_U32),
             entry<select_twice<uint64_t>>(twice, BENCH_PEER_PARTITION, ORDO_U64),
             entry<select_twice_bits<uint32_t>>(twice, BENCH_PEER_PARTITION_BITS, ORDO_U32),
             entry<select_twice_bits<uint64_t>>(twice, BENCH_PEER_PARTITION_BITS, ORDO_U64),
             entry<partition<uint32_t>>("cub partition", BENCH_PEER_PARTITION, ORDO_U32),
             entry<partition<uint64_t>>("cub partition", BENCH_PEER_PARTITION, ORDO_U64),
             sorted_entry<uint32_t>(),
             sorted_entry<uint64_t>(),
             sorted_entry<float>(),
             sorted_entry<double>(),
             radius_entry<uint32_t>(),
             radius_entry<uint64_t>(),
             radius_entry<float>(),
             radius_entry<double>()});

} // namespace
} // namespace peers
