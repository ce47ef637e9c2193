/* dev_split_global.cuh - a radix sort with one stable partition of the whole array for every bit
 * that differs, lowest first. Not the poster's way: Whittaker, Skjellum and Bangalore split inside
 * a block (dev_split.cuh). Templates for dev_split.cu and the benchmark, which varies the block
 * scan.
 *
 * The place of a key with bit 0 is the number of 0 bits before it; with bit 1, the number of all 0
 * bits plus the number of 1 bits before it. A split is three kernels: a block scan counts the 0
 * bits of each tile; one block scans these totals; a block scan gives the places. Launches for bits
 * that do not differ return at once. Cost per bit: 3 reads and writes of keys, 2 of indices.
 * Scratch: two arrays of key bits; for pairs and argsort also two of indices. */
#ifndef ORDO_PAPERS_BALLOT_DEV_SPLIT_GLOBAL_H
#define ORDO_PAPERS_BALLOT_DEV_SPLIT_GLOBAL_H

#include "papers/ballot/block_paper_scan.cuh"
#include "cuda/runtime/cuda_rt.cuh"
#include "cuda/sort/dev_radix.cuh"
#include "cuda/sort/dev_radix_run.cuh"

enum {
    GLOBAL_THREADS = 256,
    GLOBAL_SCAN_THREADS = 1024
};

struct global_tables {
    unsigned long long *bits;   /* [2]: bits that are 1 in some key; bits that are 0 in some key */
    uint32_t           *counts; /* [tiles] 0 bits */
    uint64_t           *starts; /* [tiles + 1] 0 bits before each tile; the last is the total */
    void               *keys[2], *index[2];
};

/* rows: keys per thread. */
static inline global_tables global_layout(cuda_scratch *scratch, size_t n, size_t rows,
                                          size_t key_size, size_t index_size)
{
    size_t const  tiles = ordo_div_up(n, GLOBAL_THREADS * rows), bytes = ordo_max(key_size, 4);
    global_tables tables;
    tables.bits = scratch_take<unsigned long long>(scratch, 2);
    tables.counts = scratch_take<uint32_t>(scratch, tiles);
    tables.starts = scratch_take<uint64_t>(scratch, tiles + 1);
    for (int i = 0; i < 2; i++) {
        tables.keys[i] = scratch_take<char>(scratch, n * bytes);
        tables.index[i] = scratch_take<char>(scratch, n * index_size);
    }
    return tables;
}

/* The bit of a step: bit number `step`, from 0, of the bits that differ; -1 if there is none. */
static DEVICE int global_bit(const global_tables &tables, int step)
{
    unsigned long long differ = tables.bits[0] & tables.bits[1];
    if (step >= __popcll(differ))
        return -1;
    for (int s = 0; s < step; s++)
        differ &= differ - 1;
    return __ffsll((long long)differ) - 1;
}

template <typename CODE, typename INDEX, typename BITS = typename CODE::BITS>
static __global__ void global_encode(global_tables const tables, CODE const code,
                                     const void *source, unsigned key_size, size_t n)
{
    BITS set = 0, unset = 0;
    grid_each(n, [&](size_t i) {
        BITS const bits = code.fold(code.encode(load_sized<BITS>(source, i, key_size)));
        ((BITS *)tables.keys[0])[i] = bits;
        if constexpr (value_traits<INDEX>::exists)
            ((INDEX *)tables.index[0])[i] = (INDEX)i;
        set |= bits;
        unset |= ~bits;
    });
    for (unsigned step = 1; step < 32; step *= 2) {
        set |= __shfl_xor_sync(WARP_ALL, set, step);
        unset |= __shfl_xor_sync(WARP_ALL, unset, step);
    }
    if (threadIdx.x % 32 == 0) {
        atomicOr(tables.bits, (unsigned long long)set);
        atomicOr(tables.bits + 1, (unsigned long long)unset);
    }
}

template <paper_form FORM, int ROWS, typename BITS>
static __global__ void __launch_bounds__(GLOBAL_THREADS)
    global_count(global_tables const tables, size_t n, int step)
{
    __shared__ block_paper_shared<FORM, GLOBAL_THREADS, ROWS> shared;
    int const                                                 bit = global_bit(tables, step);
    if (bit < 0)
        return;
    const BITS *const keys = (const BITS *)tables.keys[step % 2];
    size_t const      base = (size_t)blockIdx.x * (GLOBAL_THREADS * ROWS) + threadIdx.x;
    unsigned          unset[ROWS];
#pragma unroll
    for (int row = 0; row < ROWS; row++) {
        size_t const i = base + row * GLOBAL_THREADS;
        unset[row] = i < n && (keys[i] >> bit & 1) == 0;
    }
    unsigned const total = block_paper_scan<FORM, 1>(unset, &shared);
    if (threadIdx.x == 0)
        tables.counts[blockIdx.x] = total;
}

/* Exclusive scan of the tiles' counts by one block. */
static __global__ void __launch_bounds__(GLOBAL_SCAN_THREADS)
    global_scan(global_tables const tables, size_t tiles, int step)
{
    __shared__ uint64_t sums[GLOBAL_SCAN_THREADS / 32];
    if (global_bit(tables, step) < 0)
        return;
    unsigned const warp = threadIdx.x / 32, lane = lane_id();
    uint64_t       base = 0;
    for (size_t first = 0; first < tiles; first += GLOBAL_SCAN_THREADS) {
        size_t const   tile = first + threadIdx.x;
        uint64_t const count = tile < tiles ? tables.counts[tile] : 0;
        uint64_t const scan = warp_scan<scan_add<uint64_t>>(count);
        if (lane == 31)
            sums[warp] = scan;
        __syncthreads();
        uint64_t before = base;
        for (unsigned w = 0; w < GLOBAL_SCAN_THREADS / 32; w++) {
            before += w < warp ? sums[w] : 0;
            base += sums[w];
        }
        if (tile < tiles)
            tables.starts[tile] = before + scan - count;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        tables.starts[tiles] = base;
}

template <paper_form FORM, int ROWS, typename BITS, typename INDEX>
static __global__ void __launch_bounds__(GLOBAL_THREADS)
    global_scatter(global_tables const tables, size_t n, int step)
{
    __shared__ block_paper_shared<FORM, GLOBAL_THREADS, ROWS> shared;
    int const                                                 bit = global_bit(tables, step);
    if (bit < 0)
        return;
    const BITS *const from = (const BITS *)tables.keys[step % 2];
    BITS *const       to = (BITS *)tables.keys[1 - step % 2];
    size_t const      base = (size_t)blockIdx.x * (GLOBAL_THREADS * ROWS) + threadIdx.x;
    BITS              key[ROWS];
    unsigned          unset[ROWS];
#pragma unroll
    for (int row = 0; row < ROWS; row++) {
        size_t const i = base + row * GLOBAL_THREADS;
        key[row] = i < n ? from[i] : 0;
        unset[row] = i < n && (key[row] >> bit & 1) == 0;
    }
    block_paper_scan<FORM, 1>(unset, &shared);
    uint64_t const before = tables.starts[blockIdx.x], all = tables.starts[gridDim.x];
#pragma unroll
    for (int row = 0; row < ROWS; row++) {
        size_t const i = base + row * GLOBAL_THREADS;
        if (i >= n)
            continue;
        bool const     is_unset = (key[row] >> bit & 1) == 0;
        uint64_t const unset_before = before + unset[row] - (is_unset ? 1 : 0);
        size_t const   place = is_unset ? unset_before : all + (i - unset_before);
        to[place] = key[row];
        if constexpr (value_traits<INDEX>::exists)
            ((INDEX *)tables.index[1 - step % 2])[place] =
                ((const INDEX *)tables.index[step % 2])[i];
    }
}

/* Writes the sorted keys or indices to the result. */
template <typename CODE, typename INDEX, typename BITS = typename CODE::BITS>
static __global__ void global_decode(global_tables const tables, CODE const code, void *result,
                                     unsigned size, size_t n)
{
    int const last = __popcll(tables.bits[0] & tables.bits[1]) % 2;
    grid_each(n, [&](size_t i) {
        char *const to = (char *)result + i * size;
        if constexpr (value_traits<INDEX>::exists)
            store_sized<uint64_t>(to, size, ((const INDEX *)tables.index[last])[i]);
        else
            store_sized<BITS>(to, size, code.decode(((const BITS *)tables.keys[last])[i]));
    });
}

/* Sorts `source`. `result` gets the keys, or the indices if INDEX is an integer, as elements of
 * `size` bytes. */
template <paper_form FORM, int ROWS, typename INDEX, typename CODE,
          typename BITS = typename CODE::BITS>
static ordo_status split_globally(cuda_call *call, const global_tables *tables, CODE code,
                                  const void *source, size_t key_size, size_t n, void *result,
                                  size_t size)
{
    size_t const tiles = ordo_div_up(n, GLOBAL_THREADS * ROWS);
    size_t const blocks = ordo_min(ordo_div_up(n, 256), (size_t)call->facts->sms * 8);
    CUDA_TRY(call->exec, cudaMemsetAsync(tables->bits, 0, 2 * sizeof *tables->bits, call->stream));
    TRY(CUDA_LAUNCH(call, (global_encode<CODE, INDEX>), blocks, 256, 0, *tables, code, source,
                    (unsigned)key_size, n));
    for (int step = 0; step < (int)(8 * key_size); step++) {
        TRY(CUDA_LAUNCH(call, (global_count<FORM, ROWS, BITS>), tiles, GLOBAL_THREADS, 0, *tables,
                        n, step));
        TRY(CUDA_LAUNCH(call, global_scan, 1, GLOBAL_SCAN_THREADS, 0, *tables, tiles, step));
        TRY(CUDA_LAUNCH(call, (global_scatter<FORM, ROWS, BITS, INDEX>), tiles, GLOBAL_THREADS, 0,
                        *tables, n, step));
    }
    return CUDA_LAUNCH(call, (global_decode<CODE, INDEX>), blocks, 256, 0, *tables, code, result,
                       (unsigned)size, n);
}

#endif
