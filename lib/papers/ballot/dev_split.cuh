/* dev_split.cuh - the radix sort of D. Whittaker, A. Skjellum and P. Bangalore, "Ballot Counting
 * for Optimal Binary Prefix Sum", one key per thread. Templates for dev_split.cu and the benchmark,
 * which varies the block scan.
 *
 * A split sorts the keys of a block by one bit. A binary prefix sum of the block counts the set
 * bits before each key; the index of the thread less that number is the number of unset bits before
 * it; the last thread broadcasts the number of all unset bits; so each thread knows the place of
 * its key, and the keys are exchanged in shared memory. Arrays larger than a block are sorted as in
 * the CUDPP library, with which the authors compare, in passes of 4 bits from the lowest on: four
 * splits sort each tile, the tile's keys of each of the 16 digits are counted, a scan of all counts
 * gives the first place of each digit of each tile, and the keys move there. All bits are sorted
 * by, whether they differ or not. Cost per pass: 2 reads and writes of keys and indices. Scratch:
 * two arrays of key bits; for pairs and argsort also two of indices; 14 bytes for each digit of
 * each tile. */
#ifndef ORDO_PAPERS_BALLOT_DEV_SPLIT_H
#define ORDO_PAPERS_BALLOT_DEV_SPLIT_H

#include "papers/ballot/block_paper_scan.cuh"
#include "papers/ballot/dev_scan_paper.cuh"
#include "cuda/runtime/cuda_rt.cuh"
#include "cuda/sort/dev_radix.cuh"
#include "cuda/sort/dev_radix_run.cuh"

enum {
    SPLIT_TILE = 256, /* keys, and threads, of a block */
    SPLIT_BITS = 4,   /* of a digit */
    SPLIT_DIGITS = 1 << SPLIT_BITS
};

struct split_tables {
    uint32_t *counts; /* [digit][tile] keys */
    uint64_t *places; /* [digit][tile] of the first key */
    uint16_t *begins; /* [tile][digit] of the first key in the sorted tile */
    void     *keys[2], *index[2];
    size_t    tiles;
};

static inline split_tables split_layout(cuda_scratch *scratch, size_t n, size_t key_size,
                                        size_t index_size)
{
    size_t const bytes = ordo_max(key_size, 4);
    split_tables tables;
    tables.tiles = ordo_div_up(n, SPLIT_TILE);
    tables.counts = scratch_take<uint32_t>(scratch, SPLIT_DIGITS * tables.tiles);
    tables.places = scratch_take<uint64_t>(scratch, SPLIT_DIGITS * tables.tiles);
    tables.begins = scratch_take<uint16_t>(scratch, SPLIT_DIGITS * tables.tiles);
    for (int i = 0; i < 2; i++) {
        tables.keys[i] = scratch_take<char>(scratch, n * bytes);
        tables.index[i] = scratch_take<char>(scratch, n * index_size);
    }
    return tables;
}

/* Bytes of scratch, with those of the scan of the counts. */
static inline size_t split_scratch(size_t n, size_t key_size, size_t index_size)
{
    cuda_scratch       scratch = {};
    split_tables const tables = split_layout(&scratch, n, key_size, index_size);
    (void)paper_layout(&scratch, SPLIT_DIGITS * tables.tiles);
    return scratch.used;
}

template <typename CODE, typename INDEX, typename BITS = typename CODE::BITS>
static __global__ void split_encode(split_tables const tables, CODE const code, const void *source,
                                    unsigned key_size, size_t n)
{
    grid_each(n, [&](size_t i) {
        ((BITS *)tables.keys[0])[i] = code.fold(code.encode(load_sized<BITS>(source, i, key_size)));
        if constexpr (value_traits<INDEX>::exists)
            ((INDEX *)tables.index[0])[i] = (INDEX)i;
    });
}

/* The key and the index of one thread, and their room in shared memory. */
template <typename BITS, typename INDEX> struct split_item {
    BITS  key;
    INDEX index;

    struct shared {
        BITS  keys[SPLIT_TILE];
        INDEX index[value_traits<INDEX>::exists ? SPLIT_TILE : 1];
    };

    /* Gives the item to thread `place` and takes the item for this thread. */
    DEVICE void exchange(shared *room, unsigned place)
    {
        room->keys[place] = key;
        if constexpr (value_traits<INDEX>::exists)
            room->index[place] = index;
        __syncthreads();
        key = room->keys[threadIdx.x];
        if constexpr (value_traits<INDEX>::exists)
            index = room->index[threadIdx.x];
    }
};

/* The place in the block, sorted by one bit, of the key of this thread. `set`: the bit. Called by
 * all threads; a barrier must precede the next call. */
template <paper_form FORM>
static DEVICE unsigned split_place(unsigned set, block_paper_shared<FORM, SPLIT_TILE, 1> *scan,
                                   unsigned *all_unset)
{
    unsigned sums[1] = {set};
    (void)block_paper_scan<FORM, 1>(sums, scan);
    unsigned const set_before = sums[0] - set;
    if (threadIdx.x == SPLIT_TILE - 1)
        *all_unset = SPLIT_TILE - sums[0];
    __syncthreads();
    return set != 0 ? *all_unset + set_before : threadIdx.x - set_before;
}

/* Sorts each tile by one digit, from keys[0] to keys[1], and counts its digits. Threads after the
 * end of the array have keys of set bits, which stay behind all others. */
template <paper_form FORM, typename BITS, typename INDEX>
static __global__ void __launch_bounds__(SPLIT_TILE)
    split_tiles(split_tables const tables, size_t n, unsigned shift)
{
    typedef split_item<BITS, INDEX> ITEM;
    __shared__ block_paper_shared<FORM, SPLIT_TILE, 1> scan;
    __shared__ __align__(16) unsigned char bytes[sizeof(typename ITEM::shared)];
    __shared__ unsigned                    all_unset;
    __shared__ unsigned                    begins[SPLIT_DIGITS], ends[SPLIT_DIGITS];
    typename ITEM::shared *const           room = (typename ITEM::shared *)bytes;
    size_t const                           first = (size_t)blockIdx.x * SPLIT_TILE;
    unsigned const                         t = threadIdx.x;
    unsigned const count = (unsigned)(n - first < SPLIT_TILE ? n - first : SPLIT_TILE);
    ITEM           item = {};
    item.key = t < count ? ((const BITS *)tables.keys[0])[first + t] : (BITS) ~(BITS)0;
    if constexpr (value_traits<INDEX>::exists)
        item.index = t < count ? ((const INDEX *)tables.index[0])[first + t] : (INDEX)0;
    if (t < SPLIT_DIGITS)
        begins[t] = ends[t] = 0;
#pragma unroll
    for (unsigned bit = 0; bit < SPLIT_BITS; bit++) {
        unsigned const set = (unsigned)(item.key >> (shift + bit)) & 1;
        item.exchange(room, split_place<FORM>(set, &scan, &all_unset));
    }
    unsigned const digit = (unsigned)(item.key >> shift) & (SPLIT_DIGITS - 1);
    if (t < count) {
        if (t == 0 || ((unsigned)(room->keys[t - 1] >> shift) & (SPLIT_DIGITS - 1)) != digit)
            begins[digit] = t;
        if (t == count - 1 ||
            ((unsigned)(room->keys[t + 1] >> shift) & (SPLIT_DIGITS - 1)) != digit)
            ends[digit] = t + 1;
        ((BITS *)tables.keys[1])[first + t] = item.key;
        if constexpr (value_traits<INDEX>::exists)
            ((INDEX *)tables.index[1])[first + t] = item.index;
    }
    __syncthreads();
    if (t < SPLIT_DIGITS) {
        tables.counts[t * tables.tiles + blockIdx.x] = ends[t] - begins[t];
        tables.begins[(size_t)blockIdx.x * SPLIT_DIGITS + t] = (uint16_t)begins[t];
    }
}

/* Moves the keys of the sorted tiles from keys[1] to their places in keys[0]. */
template <typename BITS, typename INDEX>
static __global__ void __launch_bounds__(SPLIT_TILE)
    split_move(split_tables const tables, size_t n, unsigned shift)
{
    size_t const tile = blockIdx.x, i = tile * SPLIT_TILE + threadIdx.x;
    if (i >= n)
        return;
    BITS const     key = ((const BITS *)tables.keys[1])[i];
    unsigned const digit = (unsigned)(key >> shift) & (SPLIT_DIGITS - 1);
    size_t const   place = tables.places[digit * tables.tiles + tile] +
                         (threadIdx.x - tables.begins[tile * SPLIT_DIGITS + digit]);
    ((BITS *)tables.keys[0])[place] = key;
    if constexpr (value_traits<INDEX>::exists)
        ((INDEX *)tables.index[0])[place] = ((const INDEX *)tables.index[1])[i];
}

/* Writes the sorted keys or indices to the result. */
template <typename CODE, typename INDEX, typename BITS = typename CODE::BITS>
static __global__ void split_decode(split_tables const tables, CODE const code, void *result,
                                    unsigned size, size_t n)
{
    grid_each(n, [&](size_t i) {
        char *const to = (char *)result + i * size;
        if constexpr (value_traits<INDEX>::exists)
            store_sized<uint64_t>(to, size, ((const INDEX *)tables.index[0])[i]);
        else
            store_sized<BITS>(to, size, code.decode(((const BITS *)tables.keys[0])[i]));
    });
}

/* Sorts `source`, of n > 0 keys. `result` gets the keys, or the indices if INDEX is an integer, as
 * elements of `size` bytes. The scan of the counts is the same for every FORM. */
template <paper_form FORM, typename INDEX, typename CODE, typename BITS = typename CODE::BITS>
static ordo_status split(cuda_call *call, const split_tables *tables, CODE code, const void *source,
                         size_t key_size, size_t n, void *result, size_t size)
{
    size_t const blocks = ordo_min(ordo_div_up(n, 256), (size_t)call->facts->sms * 8);
    size_t const used = call->scratch.used;
    TRY(CUDA_LAUNCH(call, (split_encode<CODE, INDEX>), blocks, 256, 0, *tables, code, source,
                    (unsigned)key_size, n));
    for (unsigned shift = 0; shift < 8 * key_size; shift += SPLIT_BITS) {
        word_source const counts = {tables->counts};
        TRY(CUDA_LAUNCH(call, (split_tiles<FORM, BITS, INDEX>), tables->tiles, SPLIT_TILE, 0,
                        *tables, n, shift));
        TRY(paper_scan<PAPER_SHUFFLE>(call, counts, SPLIT_DIGITS * tables->tiles, tables->places,
                                      true, static_cast<uint64_t *>(nullptr)));
        call->scratch.used = used; /* the next scan runs after this one on the stream */
        TRY(CUDA_LAUNCH(call, (split_move<BITS, INDEX>), tables->tiles, SPLIT_TILE, 0, *tables, n,
                        shift));
    }
    return CUDA_LAUNCH(call, (split_decode<CODE, INDEX>), blocks, 256, 0, *tables, code, result,
                       (unsigned)size, n);
}

#endif
