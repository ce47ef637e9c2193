/* cub_radix.cu - CUB's radix sort, and what one builds from it where CUB has nothing better: order
 * statistics (sort, then look), the k largest, argsort (pairs of key and index), ranks (argsort, a
 * scan over the heads of ties, a scatter). */
#include "peers.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cuda/functional>

namespace peers
{
namespace
{

constexpr unsigned THREADS = 256;

template <typename T> void sort_to(const T *keys, T *out, const task &t)
{
    in_two_steps(t.n, [&](void *temporary, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(temporary, bytes, keys, out, items(t), 0,
                                              8 * sizeof(T), stream);
    });
}

template <typename T> void sort(const task &t) { sort_to(keys_of<T>(t), out_of<T>(t), t); }

/* The sorted values lie behind the sorted keys. */
template <typename T> void pairs(const task &t)
{
    in_two_steps(t.n, [&](void *temporary, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(temporary, bytes, keys_of<T>(t), out_of<T>(t),
                                               static_cast<const T *>(t.values), out_of<T>(t) + t.n,
                                               items(t), 0, 8 * sizeof(T), stream);
    });
}

__global__ void count_up(uint32_t *index, uint32_t n)
{
    uint32_t const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        index[i] = i;
}

template <typename T> void argsort_to(const task &t, T *sorted, uint32_t *index)
{
    uint32_t *const places = kept<uint32_t>(SECOND, t.n);

    count_up<<<blocks_for(t.n, THREADS), THREADS, 0, stream>>>(places, items(t));
    in_two_steps(t.n, [&](void *temporary, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(temporary, bytes, keys_of<T>(t), sorted, places,
                                               index, items(t), 0, 8 * sizeof(T), stream);
    });
}

template <typename T> void argsort(const task &t)
{
    argsort_to<T>(t, kept<T>(FIRST, t.n), out_of<uint32_t>(t));
}

/* The place of the last head at or before each key is its least rank. */
template <typename T> struct head_place {
    const T                     *sorted;
    __host__ __device__ uint32_t operator()(uint32_t i) const
    {
        return i == 0 || sorted[i] != sorted[i - 1] ? i + 1 : 0;
    }
};

template <typename T> void rank_min(const task &t)
{
    T *const        sorted = kept<T>(FIRST, t.n);
    uint32_t *const index = kept<uint32_t>(THIRD, t.n);

    argsort_to<T>(t, sorted, index);
    auto const heads = thrust::make_transform_iterator(thrust::counting_iterator<uint32_t>(0),
                                                       head_place<T>{sorted});
    auto const to = thrust::make_permutation_iterator(out_of<uint32_t>(t), index);
    in_two_steps(t.n, [&](void *temporary, size_t &bytes) {
        return cub::DeviceScan::InclusiveScan(temporary, bytes, heads, to, cuda::maximum<>{},
                                              items(t), stream);
    });
}

constexpr size_t MOST_RANKS = 128;
struct positions {
    size_t at[MOST_RANKS];
};

template <typename T> __global__ void pick(const T *sorted, positions p, uint32_t count, T *out)
{
    if (threadIdx.x < count)
        out[threadIdx.x] = sorted[p.at[threadIdx.x]];
}

template <typename T> void select(const task &t)
{
    T *const  sorted = kept<T>(FIRST, t.n);
    positions p;

    if (t.count > MOST_RANKS)
        throw failure{cudaErrorNotSupported};
    for (size_t j = 0; j < t.count; j++)
        p.at[j] = t.ranks[j];
    sort_to(keys_of<T>(t), sorted, t);
    pick<<<1, MOST_RANKS, 0, stream>>>(sorted, p, static_cast<uint32_t>(t.count), out_of<T>(t));
}

template <typename T> void topk(const task &t)
{
    T *const sorted = kept<T>(FIRST, t.n);

    in_two_steps(t.n, [&](void *temporary, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeysDescending(temporary, bytes, keys_of<T>(t), sorted,
                                                        items(t), 0, 8 * sizeof(T), stream);
    });
    need(cudaMemcpyAsync(t.out, sorted, t.count * sizeof(T), cudaMemcpyDeviceToDevice, stream));
}

const char name[] = "cub radix";

template <typename T> bench_peer sort_entry()
{
    return entry<sort<T>>(name, BENCH_PEER_SORT, type_of<T>);
}
template <typename T> bench_peer select_entry()
{
    return entry<select<T>>(name, BENCH_PEER_SELECT, type_of<T>);
}
template <typename T> bench_peer argsort_entry()
{
    return entry<argsort<T>>(name, BENCH_PEER_ARGSORT, type_of<T>);
}

std::string version()
{
    return "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) +
           "." + std::to_string(CUB_SUBMINOR_VERSION);
}

bool const added = library(version(), 1,
                           {sort_entry<uint8_t>(),
                            sort_entry<uint16_t>(),
                            sort_entry<uint32_t>(),
                            sort_entry<uint64_t>(),
                            sort_entry<float>(),
                            sort_entry<double>(),
                            entry<pairs<uint32_t>>(name, BENCH_PEER_PAIRS, ORDO_U32),
                            entry<pairs<uint64_t>>(name, BENCH_PEER_PAIRS, ORDO_U64),
                            argsort_entry<uint32_t>(),
                            argsort_entry<uint64_t>(),
                            argsort_entry<float>(),
                            argsort_entry<double>(),
                            entry<rank_min<uint32_t>>(name, BENCH_PEER_RANK_MIN, ORDO_U32),
                            entry<rank_min<float>>(name, BENCH_PEER_RANK_MIN, ORDO_F32),
                            select_entry<uint8_t>(),
                            select_entry<uint16_t>(),
                            select_entry<uint32_t>(),
                            select_entry<uint64_t>(),
                            select_entry<float>(),
                            select_entry<double>(),
                            entry<topk<float>>(name, BENCH_PEER_TOPK, ORDO_F32),
                            entry<topk<double>>(name, BENCH_PEER_TOPK, ORDO_F64)});

} // namespace
} // namespace peers
