/* block_scans.cu - the block scans of Whittaker, Skjellum and Bangalore, "Ballot Counting for
 * Optimal Binary Prefix Sum", alone: each block scans values in registers many times, and the input
 * of each scan depends on the one before, so no scan waits for device memory. The scans are those
 * of lib/papers/ballot. */
#include "papers/ballot/dev_scan_paper.cuh"
#include "peers.cuh"

#include <algorithm>

namespace peers
{
namespace
{

template <paper_form FORM, int BITS>
__global__ void __launch_bounds__(PAPER_THREADS)
    repeat_scans(const uint32_t *values, size_t repeats, uint32_t *out, long long *cycles)
{
    __shared__ block_paper_shared<FORM, PAPER_THREADS, 1> shared;
    size_t const   i = (size_t)blockIdx.x * PAPER_THREADS + threadIdx.x;
    unsigned const value = values[i];
    unsigned       sum = 0;

    __syncthreads();
    long long const start = clock64();
    for (size_t r = 0; r < repeats; r++) {
        unsigned sums[1] = {BITS == 1 ? (value ^ sum) & 1 : value ^ sum};
        (void)block_paper_scan<FORM, BITS>(sums, &shared);
        sum = sums[0];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - start;
    out[i] = sum;
}

/* t.n is a multiple of PAPER_THREADS, t.count the number of scans. t.values: NULL, or a double on
 * the host that becomes the most cycles that a scan took in a block; then the call waits. */
template <paper_form FORM, int BITS> void scans(const task &t)
{
    size_t const     blocks = t.n / PAPER_THREADS;
    long long *const cycles = kept<long long>(SECOND, blocks);

    repeat_scans<FORM, BITS><<<static_cast<unsigned>(blocks), PAPER_THREADS, 0, stream>>>(
        keys_of<uint32_t>(t), t.count, out_of<uint32_t>(t), cycles);
    need(cudaGetLastError());
    if (t.values == nullptr)
        return;
    std::vector<long long> found(blocks);
    need(cudaMemcpyAsync(found.data(), cycles, blocks * sizeof *cycles, cudaMemcpyDeviceToHost,
                         stream));
    need(cudaStreamSynchronize(stream));
    *static_cast<double *>(t.values) =
        static_cast<double>(*std::max_element(found.begin(), found.end())) /
        static_cast<double>(t.count);
}

bool const added =
    library("", 5,
            {entry<scans<PAPER_SHARED, 1>>("shared", BENCH_PEER_BLOCK_FLAGS, ORDO_U32),
             entry<scans<PAPER_BALLOT, 1>>("ballot", BENCH_PEER_BLOCK_FLAGS, ORDO_U32),
             entry<scans<PAPER_SHUFFLE, 1>>("shuffle", BENCH_PEER_BLOCK_FLAGS, ORDO_U32),
             entry<scans<PAPER_SHARED, 32>>("shared", BENCH_PEER_BLOCK_WORDS, ORDO_U32),
             entry<scans<PAPER_BALLOT, 32>>("ballot", BENCH_PEER_BLOCK_WORDS, ORDO_U32),
             entry<scans<PAPER_SHUFFLE, 32>>("shuffle", BENCH_PEER_BLOCK_WORDS, ORDO_U32)});

} // namespace
} // namespace peers
