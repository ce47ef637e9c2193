/* cub_merge_copied.cu - CUB's merge sort of keys or pairs in pageable host memory, with the copies
 * both ways: the merge sort of Figure 3.15 of "Hybrid Comparison Sorting".
 *
 * Host threads claim chunks and move them through pinned memory, each on a stream of its own, so
 * that the link is busy while other threads fill or empty their chunks. As in ordo, half of the
 * threads do so, at most eight. */
#include "peers.cuh"

#include <cub/device/device_merge_sort.cuh>

#include <cuda/functional>

#include <algorithm>
#include <atomic>
#include <thread>

namespace peers
{
namespace
{

constexpr size_t CHUNK = size_t(1) << 20;
constexpr size_t MOST_MOVERS = 8;

struct array {
    char  *host, *pinned, *device;
    size_t bytes;

    size_t chunks() const { return (bytes + CHUNK - 1) / CHUNK; }
};

cudaStream_t streams[MOST_MOVERS];

/* Moves one chunk. On the way in the stream may be behind; on the way out it is not. */
cudaError_t move_chunk(const array &a, size_t chunk, bool in, cudaStream_t on)
{
    size_t const at = chunk * CHUNK, bytes = std::min(CHUNK, a.bytes - at);

    if (in) {
        std::copy_n(a.host + at, bytes, a.pinned + at);
        return cudaMemcpyAsync(a.device + at, a.pinned + at, bytes, cudaMemcpyHostToDevice, on);
    }
    cudaError_t error =
        cudaMemcpyAsync(a.pinned + at, a.device + at, bytes, cudaMemcpyDeviceToHost, on);
    error = error == cudaSuccess ? cudaStreamSynchronize(on) : error;
    if (error == cudaSuccess)
        std::copy_n(a.pinned + at, bytes, a.host + at);
    return error;
}

/* Moves both arrays and waits for the copies. */
void move(const array (&arrays)[2], bool in, size_t threads)
{
    size_t const        first = arrays[0].chunks(), all = first + arrays[1].chunks();
    size_t const        movers = std::clamp<size_t>(threads / 2, 1, std::min(MOST_MOVERS, all));
    std::atomic<size_t> next{0};
    cudaError_t         errors[MOST_MOVERS] = {};
    std::thread         others[MOST_MOVERS];

    auto const work = [&](size_t me) {
        for (size_t i; errors[me] == cudaSuccess && (i = next.fetch_add(1)) < all;)
            errors[me] = i < first ? move_chunk(arrays[0], i, in, streams[me])
                                   : move_chunk(arrays[1], i - first, in, streams[me]);
        cudaError_t const end = cudaStreamSynchronize(streams[me]);
        errors[me] = errors[me] == cudaSuccess ? end : errors[me];
    };
    for (size_t i = 1; i < movers; i++)
        others[i] = std::thread(work, i);
    work(0);
    for (size_t i = 1; i < movers; i++)
        others[i].join();
    for (cudaError_t error : errors)
        need(error);
}

/* Pinned memory that is kept between calls. */
char *kept_pinned(size_t bytes)
{
    static void  *memory;
    static size_t size;

    if (size < bytes) {
        need(cudaFreeHost(memory));
        memory = nullptr;
        size = 0;
        need(cudaMallocHost(&memory, bytes));
        size = bytes;
    }
    return static_cast<char *>(memory);
}

template <typename T> void sort(const task &t)
{
    size_t const bytes = t.n * sizeof(T), value_bytes = t.values != nullptr ? bytes : 0;
    char *const  pinned = kept_pinned(bytes + value_bytes);
    T *const     keys = kept<T>(FIRST, t.n);
    T *const     values = kept<T>(SECOND, value_bytes / sizeof(T));
    array const  arrays[2] = {
         {static_cast<char *>(t.keys), pinned, reinterpret_cast<char *>(keys), bytes},
         {static_cast<char *>(t.values), pinned + bytes, reinterpret_cast<char *>(values),
          value_bytes}};

    for (cudaStream_t &each : streams)
        if (each == nullptr)
            need(cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking));
    move(arrays, true, t.threads);
    if (value_bytes > 0)
        in_two_steps(t.n, [&](void *temporary, size_t &size) {
            return cub::DeviceMergeSort::SortPairs(temporary, size, keys, values, items(t),
                                                   cuda::std::less<T>{}, stream);
        });
    else
        in_two_steps(t.n, [&](void *temporary, size_t &size) {
            return cub::DeviceMergeSort::SortKeys(temporary, size, keys, items(t),
                                                  cuda::std::less<T>{}, stream);
        });
    need(cudaStreamSynchronize(stream));
    move(arrays, false, t.threads);
}

/* For one thread and for several. */
template <typename T> bench_peer sort_entry(uint32_t threaded)
{
    bench_peer found = entry<sort<T>>("cub merge, with copies", BENCH_PEER_COPIED_SORT, type_of<T>);
    found.threaded = threaded;
    return found;
}

bool const added = library("", 2,
                           {sort_entry<uint32_t>(0), sort_entry<uint32_t>(1),
                            sort_entry<uint64_t>(0), sort_entry<uint64_t>(1)});

} // namespace
} // namespace peers
