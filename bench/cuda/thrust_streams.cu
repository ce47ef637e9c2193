/* thrust_streams.cu - the first attempt of Pfaff and Treadwell, "Parallel Sorting of Roughly-Sorted
 * Sequences", section 7: the halving sort with one call of thrust::sort for each segment, where the
 * sequential sort selects the median. The calls go round robin to a fixed number of streams, and
 * all streams finish before the next step. */
#include "peers.cuh"

#include <thrust/execution_policy.h>
#include <thrust/sort.h>

namespace peers
{
namespace
{

constexpr size_t STREAMS = 16;

/* Streams that exist as long as the module. */
cudaStream_t *all_streams()
{
    static cudaStream_t list[STREAMS];

    for (cudaStream_t &one : list)
        if (one == nullptr)
            need(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    return list;
}

/* Sorts each segment of `length` keys from `offset` on. */
void sort_segments(uint32_t *keys, size_t n, size_t offset, size_t length)
{
    cudaStream_t *const list = all_streams();
    size_t              turn = 0;

    for (size_t begin = offset; begin < n; begin += length) {
        size_t const end = n - begin < length ? n : begin + length;
        thrust::sort(thrust::cuda::par.on(list[turn++ % STREAMS]), keys + begin, keys + end);
    }
    for (size_t i = 0; i < STREAMS; i++)
        need(cudaStreamSynchronize(list[i]));
}

/* t.count is the radius. */
void sort(const task &t)
{
    uint32_t *const keys = out_of<uint32_t>(t);
    size_t          radius = t.count;

    need(cudaMemcpyAsync(keys, t.keys, t.n * sizeof *keys, cudaMemcpyDeviceToDevice, stream));
    need(cudaStreamSynchronize(stream));
    while (radius > 1) {
        size_t const half = radius / 2 + radius % 2;
        for (int step = 0; step < 3; step++)
            sort_segments(keys, t.n, step == 1 ? half : 0, 2 * half);
        radius = half - 1;
    }
    for (size_t offset = 0; radius == 1 && offset < 2; offset++)
        sort_segments(keys, t.n, offset, 2);
}

bool const added =
    library("", 3, {entry<sort>("thrust streams", BENCH_PEER_STREAM_SORT, ORDO_U32)});

} // namespace
} // namespace peers
