/* shared_scan.cu - the split radix sort with the usual scan in shared memory, which the ballot
 * counting poster compares with: one scan and one stable scatter per bit. A block scans one bit
 * per thread in shared memory (M. Harris, S. Sengupta, J. Owens, "Parallel prefix sum with
 * CUDA", GPU Gems 3, 2007). The totals of the blocks are scanned in the same way, level by
 * level, and added. */
#include "peers.cuh"

namespace peers
{
namespace
{

constexpr unsigned BLOCK = 512;

struct key_bit {
    const uint32_t     *keys;
    unsigned            bit;
    __device__ uint32_t operator()(size_t i) const { return keys[i] >> bit & 1; }
};
struct plain {
    const uint32_t     *numbers;
    __device__ uint32_t operator()(size_t i) const { return numbers[i]; }
};

/* Inclusive sums within each block, and the total of the block. The distance of the added element
 * doubles in every step. The two halves of the memory alternate. */
template <typename INPUT>
__global__ void scan_blocks(INPUT input, size_t n, uint32_t *out, uint32_t *totals)
{
    __shared__ uint32_t sums[2][BLOCK];
    size_t const        i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    unsigned const      me = threadIdx.x;
    unsigned            from = 0;

    sums[from][me] = i < n ? input(i) : 0;
    __syncthreads();
    for (unsigned distance = 1; distance < BLOCK; distance *= 2) {
        sums[from ^ 1][me] = sums[from][me] + (me >= distance ? sums[from][me - distance] : 0);
        from ^= 1;
        __syncthreads();
    }
    if (i < n)
        out[i] = sums[from][me];
    if (me == BLOCK - 1)
        totals[blockIdx.x] = sums[from][me];
}

__global__ void add_before(uint32_t *sums, size_t n, const uint32_t *totals)
{
    size_t const i = (size_t)(blockIdx.x + 1) * BLOCK + threadIdx.x;
    if (i < n)
        sums[i] += totals[blockIdx.x];
}

/* totals has room for the totals of all levels: fewer than n / 256 + 2 numbers. */
template <typename INPUT> void scan(INPUT input, size_t n, uint32_t *out, uint32_t *totals)
{
    unsigned const blocks = blocks_for(n, BLOCK);

    scan_blocks<<<blocks, BLOCK, 0, stream>>>(input, n, out, totals);
    if (blocks == 1)
        return;
    scan(plain{totals}, blocks, totals, totals + blocks);
    add_before<<<blocks - 1, BLOCK, 0, stream>>>(out, n, totals);
}

uint32_t *totals_for(size_t n) { return kept<uint32_t>(SECOND, n / 256 + 16); }

__global__ void scatter(const uint32_t *keys, unsigned bit, size_t n, const uint32_t *ones,
                        uint32_t *out)
{
    size_t const i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    uint32_t const key = keys[i], set = key >> bit & 1;
    size_t const   zeros = n - ones[n - 1], before = ones[i] - set;
    out[set ? zeros + before : i - before] = key;
}

/* Even bits are scattered to the kept array, odd bits to out. */
void split_sort(const task &t)
{
    uint32_t *const other = kept<uint32_t>(FIRST, t.n), *const ones = kept<uint32_t>(THIRD, t.n);
    const uint32_t *from = keys_of<uint32_t>(t);

    for (unsigned bit = 0; bit < 32; bit++) {
        uint32_t *const to = bit % 2 == 0 ? other : out_of<uint32_t>(t);
        scan(key_bit{from, bit}, t.n, ones, totals_for(t.n));
        scatter<<<blocks_for(t.n, BLOCK), BLOCK, 0, stream>>>(from, bit, t.n, ones, to);
        from = to;
    }
}

bool const added =
    library("", 4, {entry<split_sort>("split, shared scan", BENCH_PEER_SORT, ORDO_U32)});

} // namespace
} // namespace peers
