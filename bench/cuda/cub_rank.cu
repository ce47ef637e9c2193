/* cub_rank.cu - ranks from CUB's scans: of sorted keys and, after its radix sort of pairs of key
 * and index, of unsorted keys; and argsort. The min rank of a key is one more than the position
 * of the first key of its group of ties, which is a maximum scan over positions. The max rank is
 * a minimum scan backwards over the ends of groups. The average rank is their mean. */
#include "peers.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cuda/functional>

namespace peers
{
namespace
{

constexpr unsigned THREADS = 256;
using number = thrust::counting_iterator<uint32_t>;

template <typename T> struct head_place {
    const T                     *sorted;
    __host__ __device__ uint32_t operator()(uint32_t i) const
    {
        return i == 0 || sorted[i] != sorted[i - 1] ? i + 1 : 0;
    }
};

template <typename T> struct tail_place {
    const T                     *sorted;
    uint32_t                     n;
    __host__ __device__ uint32_t operator()(uint32_t i) const
    {
        return i == n - 1 || sorted[i] != sorted[i + 1] ? i + 1 : n;
    }
};

template <typename T, typename OUT> void least_ranks(const T *sorted, const task &t, OUT out)
{
    auto const heads = thrust::make_transform_iterator(number(0), head_place<T>{sorted});
    in_two_steps(t.n, [&](void *temporary, size_t &bytes) {
        return cub::DeviceScan::InclusiveScan(temporary, bytes, heads, out, cuda::maximum<>{},
                                              items(t), stream);
    });
}

template <typename T> void greatest_ranks(const T *sorted, const task &t, uint32_t *out)
{
    auto const tails =
        thrust::make_transform_iterator(number(0), tail_place<T>{sorted, items(t)}) + t.n;
    auto const from = thrust::make_reverse_iterator(tails);
    auto const to = thrust::make_reverse_iterator(out + t.n);
    in_two_steps(t.n, [&](void *temporary, size_t &bytes) {
        return cub::DeviceScan::InclusiveScan(temporary, bytes, from, to, cuda::minimum<>{},
                                              items(t), stream);
    });
}

/* index: input position of the i-th sorted key; NULL: the input was sorted. */
__global__ void write_averages(const uint32_t *least, const uint32_t *greatest,
                               const uint32_t *index, uint32_t n, double *out)
{
    uint32_t const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[index != nullptr ? index[i] : i] = ((double)least[i] + greatest[i]) / 2;
}

template <typename T> void average(const T *sorted, const uint32_t *index, const task &t)
{
    uint32_t *const least = kept<uint32_t>(SECOND, t.n), *const greatest =
                                                             kept<uint32_t>(FOURTH, t.n);

    least_ranks(sorted, t, least);
    greatest_ranks(sorted, t, greatest);
    write_averages<<<blocks_for(t.n, THREADS), THREADS, 0, stream>>>(least, greatest, index,
                                                                     items(t), out_of<double>(t));
}

template <typename T> void rank_sorted(const task &t)
{
    least_ranks(keys_of<T>(t), t, out_of<uint32_t>(t));
}

template <typename T> void average_sorted(const task &t) { average(keys_of<T>(t), nullptr, t); }

__global__ void count_up(uint32_t *index, uint32_t n)
{
    uint32_t const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        index[i] = i;
}

/* Sorted keys and their input positions. */
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

template <typename T> void rank_min(const task &t)
{
    T *const        sorted = kept<T>(FIRST, t.n);
    uint32_t *const index = kept<uint32_t>(THIRD, t.n);

    argsort_to<T>(t, sorted, index);
    least_ranks(sorted, t, thrust::make_permutation_iterator(out_of<uint32_t>(t), index));
}

template <typename T> void rank_average(const task &t)
{
    T *const        sorted = kept<T>(FIRST, t.n);
    uint32_t *const index = kept<uint32_t>(THIRD, t.n);

    argsort_to<T>(t, sorted, index);
    average(sorted, index, t);
}

const char by_scan[] = "cub max scan", by_radix[] = "cub radix";

template <typename T> bench_peer sorted_entry()
{
    return entry<rank_sorted<T>>(by_scan, BENCH_PEER_RANK_SORTED, type_of<T>);
}
template <typename T> bench_peer argsort_entry()
{
    return entry<argsort<T>>(by_radix, BENCH_PEER_ARGSORT, type_of<T>);
}

bool const added = library(
    "", 2,
    {sorted_entry<float>(), sorted_entry<uint32_t>(), sorted_entry<double>(),
     entry<average_sorted<float>>("cub scans", BENCH_PEER_AVERAGE_SORTED, ORDO_F32),
     argsort_entry<uint32_t>(), argsort_entry<uint64_t>(), argsort_entry<float>(),
     argsort_entry<double>(), entry<rank_min<uint32_t>>(by_radix, BENCH_PEER_RANK_MIN, ORDO_U32),
     entry<rank_min<float>>(by_radix, BENCH_PEER_RANK_MIN, ORDO_F32),
     entry<rank_average<float>>(by_radix, BENCH_PEER_RANK_AVERAGE, ORDO_F32),
     entry<rank_average<double>>(by_radix, BENCH_PEER_RANK_AVERAGE, ORDO_F64)});

} // namespace
} // namespace peers
