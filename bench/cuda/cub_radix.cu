/* cub_radix.cu - CUB's radix sort, and operations built from it because CUB has no better one:
 * order statistics and the k largest keys. Indices and ranks are in cub_rank.cu. */
#include "peers.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/version.cuh>

namespace peers
{
namespace
{

/* CUB sorts some inputs faster with 64-bit counts: COUNT is the type of the number of items. */
template <typename T, typename COUNT> void sort_to(const T *keys, T *out, const task &t)
{
    in_two_steps(t.n, [&](void *temporary, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(temporary, bytes, keys, out, static_cast<COUNT>(t.n),
                                              0, 8 * sizeof(T), stream);
    });
}

template <typename T, typename COUNT> void sort(const task &t)
{
    sort_to<T, COUNT>(keys_of<T>(t), out_of<T>(t), t);
}

/* The sorted values follow the sorted keys. */
template <typename T, typename COUNT> void pairs(const task &t)
{
    in_two_steps(t.n, [&](void *temporary, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(temporary, bytes, keys_of<T>(t), out_of<T>(t),
                                               static_cast<const T *>(t.values), out_of<T>(t) + t.n,
                                               static_cast<COUNT>(t.n), 0, 8 * sizeof(T), stream);
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
    sort_to<T, uint32_t>(keys_of<T>(t), sorted, t);
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
const char name_64[] = "cub radix 64";

template <typename T> bench_peer sort_entry()
{
    return entry<sort<T, uint32_t>>(name, BENCH_PEER_SORT, type_of<T>);
}
template <typename T> bench_peer sort_entry_64()
{
    return entry<sort<T, uint64_t>>(name_64, BENCH_PEER_SORT, type_of<T>);
}
template <typename T> bench_peer pairs_entry()
{
    return entry<pairs<T, uint32_t>>(name, BENCH_PEER_PAIRS, type_of<T>);
}
template <typename T> bench_peer pairs_entry_64()
{
    return entry<pairs<T, uint64_t>>(name_64, BENCH_PEER_PAIRS, type_of<T>);
}
template <typename T> bench_peer select_entry()
{
    return entry<select<T>>(name, BENCH_PEER_SELECT, type_of<T>);
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
                            sort_entry_64<uint32_t>(),
                            sort_entry_64<uint64_t>(),
                            sort_entry_64<float>(),
                            sort_entry_64<double>(),
                            pairs_entry<uint32_t>(),
                            pairs_entry<uint64_t>(),
                            pairs_entry_64<uint32_t>(),
                            pairs_entry_64<uint64_t>(),
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
