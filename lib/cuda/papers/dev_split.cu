/* dev_split.cu - the split radix sort: one stable partition for every bit that differs.
 *
 * The sort of the poster on binary prefix sums (Skjellum, Whittaker and Bangalore): from the least
 * significant bit on, keys whose bit is 0 go first. A key's place is the number of 0 bits before
 * it, or, if its own bit is 1, the number of all 0 bits plus the 1 bits before it; ballots count
 * inside a warp. A split is three kernels: 0 bits of every tile, their scan by one block, the
 * scatter. The device finds which bits differ; launches for the other bits return at once. Cost for
 * each bit that differs: 3 key reads and writes (with indices also 2 of indices). Scratch: two
 * arrays of key bits; for pairs and argsort also two of indices. */
#include "cuda/papers/papers.cuh"
#include "cuda/sort/dev_radix.cuh"
#include "cuda/sort/dev_radix_run.cuh"

enum {
    SPLIT_THREADS = 256,
    SPLIT_ROWS = 16, /* rows of 32 keys of a warp */
    SPLIT_TILE = SPLIT_THREADS * SPLIT_ROWS,
    SPLIT_SCAN_THREADS = 1024
};

struct split_tables {
    unsigned long long *bits;   /* [2]: bits that are 1 in some key; bits that are 0 in some key */
    uint32_t           *counts; /* [tiles] 0 bits */
    uint64_t           *starts; /* [tiles + 1] 0 bits before each tile; the last is the total */
    void               *keys[2], *index[2];
};

static split_tables split_layout(cuda_scratch *scratch, size_t n, size_t key_size,
                                 size_t index_size)
{
    size_t const tiles = ordo_div_up(n, SPLIT_TILE), bytes = ordo_max(key_size, 4);
    split_tables tables;
    tables.bits = scratch_take<unsigned long long>(scratch, 2);
    tables.counts = scratch_take<uint32_t>(scratch, tiles);
    tables.starts = scratch_take<uint64_t>(scratch, tiles + 1);
    for (int i = 0; i < 2; i++) {
        tables.keys[i] = scratch_take<char>(scratch, n * bytes);
        tables.index[i] = scratch_take<char>(scratch, n * index_size);
    }
    return tables;
}

/* The bit of this step, counted from 0 among those that differ; -1 if there is none. */
static DEVICE int split_bit(const split_tables &tables, int step)
{
    unsigned long long differ = tables.bits[0] & tables.bits[1];
    if (step >= __popcll(differ))
        return -1;
    for (int s = 0; s < step; s++)
        differ &= differ - 1;
    return __ffsll((long long)differ) - 1;
}

template <typename CODE, typename INDEX, typename BITS = typename CODE::BITS>
static __global__ void split_encode(split_tables const tables, CODE const code, const void *source,
                                    unsigned key_size, size_t n)
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

template <typename BITS>
static __global__ void __launch_bounds__(SPLIT_THREADS)
    split_count(split_tables const tables, size_t n, int step)
{
    __shared__ uint32_t sum;
    int const           bit = split_bit(tables, step);
    if (bit < 0)
        return;
    const BITS *const keys = (const BITS *)tables.keys[step % 2];
    size_t const      tile = blockIdx.x, base = tile * SPLIT_TILE;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    unsigned mine = 0;
    for (unsigned row = 0; row < SPLIT_ROWS; row++) {
        size_t const i = base + row * SPLIT_THREADS + threadIdx.x;
        mine += __popc(__ballot_sync(WARP_ALL, i < n && (keys[i] >> bit & 1) == 0));
    }
    if (lane_id() == 0)
        atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        tables.counts[tile] = sum;
}

/* Exclusive scan of the tiles' counts by one block. */
static __global__ void __launch_bounds__(SPLIT_SCAN_THREADS)
    split_scan(split_tables const tables, size_t tiles, int step)
{
    __shared__ uint64_t sums[SPLIT_SCAN_THREADS / 32];
    if (split_bit(tables, step) < 0)
        return;
    unsigned const warp = threadIdx.x / 32, lane = lane_id();
    uint64_t       base = 0;
    for (size_t first = 0; first < tiles; first += SPLIT_SCAN_THREADS) {
        size_t const   tile = first + threadIdx.x;
        uint64_t const count = tile < tiles ? tables.counts[tile] : 0;
        uint64_t const scan = warp_scan<scan_add<uint64_t>>(count);
        if (lane == 31)
            sums[warp] = scan;
        __syncthreads();
        uint64_t before = base;
        for (unsigned w = 0; w < SPLIT_SCAN_THREADS / 32; w++) {
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

template <typename BITS, typename INDEX>
static __global__ void __launch_bounds__(SPLIT_THREADS)
    split_scatter(split_tables const tables, size_t n, int step)
{
    __shared__ uint32_t sums[SPLIT_THREADS / 32];
    int const           bit = split_bit(tables, step);
    if (bit < 0)
        return;
    const BITS *const from = (const BITS *)tables.keys[step % 2];
    BITS *const       to = (BITS *)tables.keys[1 - step % 2];
    unsigned const    warp = threadIdx.x / 32, lane = lane_id();
    size_t const      base = (size_t)blockIdx.x * SPLIT_TILE + warp * SPLIT_ROWS * 32;

    BITS     key[SPLIT_ROWS];
    uint32_t unset[SPLIT_ROWS], total = 0;
#pragma unroll
    for (unsigned row = 0; row < SPLIT_ROWS; row++) {
        size_t const i = base + row * 32 + lane;
        key[row] = i < n ? from[i] : 0;
        unset[row] = __ballot_sync(WARP_ALL, i < n && (key[row] >> bit & 1) == 0);
        total += __popc(unset[row]);
    }
    if (lane == 0)
        sums[warp] = total;
    __syncthreads();
    uint64_t before = tables.starts[blockIdx.x], all = tables.starts[gridDim.x];
    for (unsigned w = 0; w < warp; w++)
        before += sums[w];
#pragma unroll
    for (unsigned row = 0; row < SPLIT_ROWS; row++) {
        size_t const   i = base + row * 32 + lane;
        uint64_t const unset_before = before + __popc(unset[row] & lanes_before());
        bool const     is_unset = (unset[row] >> lane & 1) != 0;
        size_t const   place = is_unset ? unset_before : all + (i - unset_before);
        before += __popc(unset[row]);
        if (i >= n)
            continue;
        to[place] = key[row];
        if constexpr (value_traits<INDEX>::exists)
            ((INDEX *)tables.index[1 - step % 2])[place] =
                ((const INDEX *)tables.index[step % 2])[i];
    }
}

/* Writes the sorted keys or indices to the result. */
template <typename CODE, typename INDEX, typename BITS = typename CODE::BITS>
static __global__ void split_decode(split_tables const tables, CODE const code, void *result,
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

/* Sorts `source`. `result` gets the keys, or the indices if INDEX is an integer, with `size` bytes
 * each. */
template <typename INDEX, typename CODE, typename BITS = typename CODE::BITS>
static ordo_status split(cuda_call *call, const split_tables *tables, CODE code, const void *source,
                         size_t key_size, size_t n, void *result, size_t size)
{
    size_t const tiles = ordo_div_up(n, SPLIT_TILE);
    size_t const blocks = ordo_min(ordo_div_up(n, 256), (size_t)call->facts->sms * 8);
    call->exec->algorithm = "split";
    CUDA_TRY(call->exec, cudaMemsetAsync(tables->bits, 0, 2 * sizeof *tables->bits, call->stream));
    TRY(CUDA_LAUNCH(call, (split_encode<CODE, INDEX>), blocks, 256, 0, *tables, code, source,
                    (unsigned)key_size, n));
    for (int step = 0; step < (int)(8 * key_size); step++) {
        TRY(CUDA_LAUNCH(call, split_count<BITS>, tiles, SPLIT_THREADS, 0, *tables, n, step));
        TRY(CUDA_LAUNCH(call, split_scan, 1, SPLIT_SCAN_THREADS, 0, *tables, tiles, step));
        TRY(CUDA_LAUNCH(call, (split_scatter<BITS, INDEX>), tiles, SPLIT_THREADS, 0, *tables, n,
                        step));
    }
    return CUDA_LAUNCH(call, (split_decode<CODE, INDEX>), blocks, 256, 0, *tables, code, result,
                       (unsigned)size, n);
}

size_t dev_split_keys_scratch(const ordo_sort_job *job)
{
    cuda_scratch scratch = {};
    split_layout(&scratch, job->n, cuda_type_size(job->type), 0);
    return scratch.used;
}

ordo_status dev_split_keys(cuda_call *call, const ordo_sort_job *job)
{
    size_t const size = cuda_type_size(job->type);
    call->exec->algorithm = "split";
    if (job->n < 2)
        return ORDO_OK;
    call->exec->changed = true;
    split_tables const tables = split_layout(&call->scratch, job->n, size, 0);
    return with_radix_code<false>(job->type, job->descending, KEY_TOTAL, [&](auto code) {
        return split<radix_no_value>(call, &tables, code, job->keys, size, job->n, job->keys, size);
    });
}

static size_t index_bytes(size_t n) { return n <= UINT32_MAX ? 4 : 8; }

size_t dev_split_argsort_scratch(const ordo_argsort_job *job)
{
    cuda_scratch scratch = {};
    split_layout(&scratch, job->n, cuda_type_size(job->type), index_bytes(job->n));
    return scratch.used;
}

ordo_status dev_split_argsort(cuda_call *call, const ordo_argsort_job *job)
{
    size_t const n = job->n, size = cuda_type_size(job->type);
    size_t const index_size = cuda_type_size(job->index_type);
    call->exec->algorithm = "split";
    if (n == 0)
        return ORDO_OK;
    split_tables const tables = split_layout(&call->scratch, n, size, index_bytes(n));
    return with_radix_code<true>(job->type, job->descending, KEY_TOTAL, [&](auto code) {
        return index_bytes(n) == 4 ? split<uint32_t>(call, &tables, code, job->keys, size, n,
                                                     job->index, index_size)
                                   : split<uint64_t>(call, &tables, code, job->keys, size, n,
                                                     job->index, index_size);
    });
}

/* The argsort that the gather needs, with its index in scratch. */
static ordo_argsort_job split_pairs_order(cuda_scratch *scratch, const ordo_pairs_job *job)
{
    const ordo_sort_job *const keys = &job->keys;
    size_t const               bytes = index_bytes(keys->n);
    return {keys->type,
            keys->keys,
            keys->n,
            keys->descending,
            ORDO_ALGORITHM_AUTO,
            0,
            bytes == 4 ? ORDO_U32 : ORDO_U64,
            scratch_take<char>(scratch, keys->n * bytes)};
}

size_t dev_split_pairs_scratch(const ordo_pairs_job *job)
{
    cuda_scratch           scratch = {};
    ordo_argsort_job const order = split_pairs_order(&scratch, job);
    gather_layout(&scratch, job);
    return scratch.used + dev_split_argsort_scratch(&order);
}

ordo_status dev_split_pairs(cuda_call *call, const ordo_pairs_job *job)
{
    ordo_argsort_job const order = split_pairs_order(&call->scratch, job);
    gather_buffers const   buffers = gather_layout(&call->scratch, job);
    call->exec->changed = true;
    TRY(dev_split_argsort(call, &order));
    return dev_gather_pairs(call, job, order.index, index_bytes(order.n) == 8, buffers);
}
