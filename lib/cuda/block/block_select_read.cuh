/* block_select_read.cuh - how the selection kernels read keys: an array by tiles, or the keys that
 * a sweep kept by chunks.
 *
 * A tile is what one warp reads at once: 64 bytes per lane (32 for 1-byte keys, so that a mask of
 * 32 bits covers the keys of a lane), by loads of 16 bytes. The keys before the first multiple of
 * 16 bytes and the keys after the last full tile are two short tiles, read key by key. Keys are
 * encoded when they are read: to a word of 64 bits for 8-byte keys, else of 32 bits. Called by
 * whole warps. */
#ifndef ORDO_CUDA_BLOCK_BLOCK_SELECT_READ_H
#define ORDO_CUDA_BLOCK_BLOCK_SELECT_READ_H

#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/runtime/cuda_tuning.cuh"
#include "cuda/warp/warp_scan.cuh"

template <typename BITS> struct select_word {
    typedef uint32_t type;
};
template <> struct select_word<uint64_t> {
    typedef uint64_t type;
};

/* The same code with `folded` fixed at compile time, which saves the branch. */
template <bool FOLDED, typename BITS>
static DEVICE key_code<BITS, false> code_with_ties(key_code<BITS, false> code)
{
    return code;
}
template <bool FOLDED, typename BITS>
static DEVICE key_code<BITS, true> code_with_ties(key_code<BITS, true> code)
{
    code.folded = FOLDED;
    return code;
}

/* ---- An array ---- */

template <typename BITS_> struct select_tiles {
    typedef BITS_ BITS;
    enum {
        VECTOR = 16 / sizeof(BITS),
        LANE_BYTES = sizeof(BITS) == 1 ? 32 : 64,
        KEYS = LANE_BYTES / sizeof(BITS), /* keys of one lane */
        TILE = KEYS * WARP_LANES
    };

    const BITS *keys;
    size_t      n;
    size_t      head; /* keys before the first full tile */
    size_t      full; /* number of full tiles */
};

template <typename BITS>
static inline select_tiles<BITS> select_tiles_of(const void *keys, size_t n)
{
    typedef select_tiles<BITS> T;
    size_t const               past = (uintptr_t)keys % 16 / sizeof(BITS);
    size_t const               head = ordo_min(past == 0 ? 0 : T::VECTOR - past, n);
    return {(const BITS *)keys, n, head, (n - head) / T::TILE};
}

/* Tiles are numbered: full tiles, then the tail, then the head. */
template <typename BITS> static __host__ DEVICE size_t tiles_count(const select_tiles<BITS> &tiles)
{
    return tiles.full + 2;
}

/* The index of the first key of a short tile; *length is the number of its keys. */
template <typename BITS>
static DEVICE size_t short_tile(const select_tiles<BITS> &tiles, size_t tile, unsigned *length)
{
    bool const   is_tail = tile == tiles.full;
    size_t const start = is_tail ? tiles.head + tiles.full * select_tiles<BITS>::TILE : 0;
    *length = (unsigned)(is_tail ? tiles.n - start : tiles.head);
    return start;
}

/* The index in the array of key j of a lane. */
template <typename BITS>
static DEVICE size_t tile_index(const select_tiles<BITS> &tiles, size_t tile, unsigned lane,
                                unsigned j)
{
    typedef select_tiles<BITS> T;
    if (tile < tiles.full)
        return tiles.head + tile * T::TILE + (j / T::VECTOR * WARP_LANES + lane) * T::VECTOR +
               j % T::VECTOR;
    size_t const start = tile == tiles.full ? tiles.head + tiles.full * T::TILE : 0;
    return start + j * WARP_LANES + lane;
}

/* Reads and encodes the keys of one lane. Returns a mask of the keys that exist; the others are set
 * to all ones. */
template <typename CODE, typename WORD, int KEYS, typename BITS = typename CODE::BITS>
static DEVICE uint32_t tile_read(const CODE &code, const select_tiles<BITS> &tiles, size_t tile,
                                 unsigned lane, WORD (&key)[KEYS])
{
    typedef select_tiles<BITS> T;
    static_assert(KEYS == T::KEYS, "one lane's keys of one tile");
    if (tile < tiles.full) {
        const uint4 *const from = (const uint4 *)(tiles.keys + tiles.head + tile * T::TILE) + lane;
        uint4              raw[T::LANE_BYTES / 16];
#pragma unroll
        for (int i = 0; i < T::LANE_BYTES / 16; i++)
            raw[i] = __ldg(from + i * WARP_LANES);
#pragma unroll
        for (int i = 0; i < T::LANE_BYTES / 16; i++) {
            BITS one[T::VECTOR];
            memcpy(one, &raw[i], sizeof one);
#pragma unroll
            for (int j = 0; j < T::VECTOR; j++)
                key[i * T::VECTOR + j] = (WORD)code.encode(one[j]);
        }
        return KEYS == 32 ? WARP_ALL : (1u << KEYS % 32) - 1;
    }
    unsigned     length;
    size_t const start = short_tile(tiles, tile, &length);
    uint32_t     valid = 0;
#pragma unroll
    for (int j = 0; j < KEYS; j++) {
        unsigned const at = (unsigned)j * WARP_LANES + lane;
        bool const     is_there = at < length;
        key[j] = is_there ? (WORD)code.encode(__ldg(tiles.keys + start + at)) : (WORD) ~(WORD)0;
        valid |= (uint32_t)is_there << j;
    }
    return valid;
}

/* ---- Kept keys ---- */

/* Every warp of a sweep fills its own chunks: keys have no order, no barrier is needed, and each
 * chunk costs one atomic. */
struct select_kept {
    void     *words;  /* chunks * CUDA_TUNE_SELECT_CHUNK words */
    uint64_t *index;  /* the index of each key; NULL if not needed */
    uint32_t *counts; /* keys in each chunk */
    unsigned  chunks; /* number of chunks */
};

struct select_pen { /* the chunk that one warp fills; the same values in every lane */
    unsigned chunk;
    unsigned used;
    bool     is_open;
    bool     is_out; /* no chunks left: keys are dropped, and the sweep is void */
};

static DEVICE void pen_close(const select_kept &kept, const select_pen &pen)
{
    if (pen.is_open && lane_id() == 0)
        kept.counts[pen.chunk] = pen.used;
}

/* Makes room in the open chunk for one key of every lane, or opens the next chunk. */
static DEVICE void pen_make_room(const select_kept &kept, select_pen *pen, unsigned *taken)
{
    if (pen->is_out || (pen->is_open && pen->used + WARP_LANES <= CUDA_TUNE_SELECT_CHUNK))
        return;
    pen_close(kept, *pen);
    unsigned chunk = 0;
    if (lane_id() == 0)
        chunk = atomicAdd(taken, 1u);
    pen->chunk = __shfl_sync(WARP_ALL, chunk, 0);
    pen->used = 0;
    pen->is_out = pen->chunk >= kept.chunks;
    pen->is_open = !pen->is_out;
}

/* The place of this lane's next key, if the lanes of `holders` append one key each. */
static DEVICE size_t pen_slot(const select_pen &pen, uint32_t holders)
{
    return (size_t)pen.chunk * CUDA_TUNE_SELECT_CHUNK + pen.used +
           (unsigned)__popc(holders & lanes_before());
}

/* Keeps the keys of `mask`: bit j stands for key j of this lane, whose index is at(j). The key is
 * read again, because that is faster than indexing registers. */
template <typename CODE, typename AT>
static DEVICE void pen_keep(const CODE &code, const select_tiles<typename CODE::BITS> &tiles,
                            const select_kept &kept, select_pen *pen, unsigned *taken,
                            uint32_t mask, AT at)
{
    typedef typename select_word<typename CODE::BITS>::type WORD;
    for (uint32_t holders; (holders = __ballot_sync(WARP_ALL, mask != 0)) != 0;) {
        pen_make_room(kept, pen, taken);
        if (mask != 0 && pen->is_open) {
            size_t const index = at((unsigned)__ffs((int)mask) - 1);
            size_t const slot = pen_slot(*pen, holders);
            ((WORD *)kept.words)[slot] = (WORD)code.encode(__ldg(tiles.keys + index));
            if (kept.index != NULL)
                kept.index[slot] = index;
        }
        mask &= mask - 1;
        pen->used += (unsigned)__popc(holders);
    }
}

/* ---- Loops over all keys ---- */

/* The number of this warp in the grid. Consecutive numbers are in different blocks, so that few
 * tiles spread over many multiprocessors. */
static DEVICE size_t grid_warp(void)
{
    return (size_t)(threadIdx.x / WARP_LANES) * gridDim.x + blockIdx.x;
}
static DEVICE size_t grid_warps(void) { return (size_t)(blockDim.x / WARP_LANES) * gridDim.x; }

/* Calls f(word, index) for this thread's keys of the array; index() computes the index. */
template <typename CODE, typename F>
static DEVICE void each_in_array(const CODE &code, const select_tiles<typename CODE::BITS> &tiles,
                                 F &&f)
{
    typedef select_tiles<typename CODE::BITS> T;
    unsigned const                            lane = lane_id();
    for (size_t tile = grid_warp(); tile < tiles_count(tiles); tile += grid_warps()) {
        typename select_word<typename CODE::BITS>::type key[T::KEYS];
        uint32_t const valid = tile_read(code, tiles, tile, lane, key);
#pragma unroll
        for (int j = 0; j < T::KEYS; j++)
            if (valid >> j & 1)
                f(key[j], [&] { return tile_index(tiles, tile, lane, (unsigned)j); });
    }
}

/* Reads this lane's words of a chunk, including those after the last one: waiting for the count
 * first would double the latency. */
static constexpr int CHUNK_ROWS = CUDA_TUNE_SELECT_CHUNK / 32;
template <typename WORD>
static DEVICE void chunk_read(const select_kept &kept, size_t chunk, WORD (&words)[CHUNK_ROWS])
{
    const WORD *const from = (const WORD *)kept.words + chunk * CUDA_TUNE_SELECT_CHUNK + lane_id();
#pragma unroll
    for (unsigned i = 0; i < CHUNK_ROWS; i++)
        words[i] = from[i * WARP_LANES];
}

/* Calls f(word, index) for this thread's kept keys; index() reads the index. `taken` is the number
 * of opened chunks. */
template <typename WORD, typename F>
static DEVICE void each_kept(const select_kept &kept, unsigned taken, F &&f)
{
    unsigned const lane = lane_id();
    for (size_t chunk = grid_warp(); chunk < taken; chunk += grid_warps()) {
        unsigned const count = kept.counts[chunk];
        WORD           words[CHUNK_ROWS];
        chunk_read(kept, chunk, words);
#pragma unroll
        for (unsigned i = 0; i < CHUNK_ROWS; i++)
            if (i * WARP_LANES + lane < count)
                f(words[i], [&] {
                    return kept.index[chunk * CUDA_TUNE_SELECT_CHUNK + i * WARP_LANES + lane];
                });
    }
}

/* ---- A monotonic map from keys to buckets, six instructions per key ----
 *
 * The range from the first to the last word of interest is divided into
 * 2^CUDA_TUNE_SELECT_LG_BUCKETS buckets of equal width, measured in words for integers and in
 * values for floats. The bucket of an integer is a difference and a shift. The bucket of a float is
 * scale * key + offset, rounded once. The offset is so large that the unit of rounding is one, so
 * the low bits of the result are the bucket. Rounding keeps the order, so larger words never have
 * smaller buckets. NaNs come after all buckets. Rounding or infinities can push words out of the
 * map; make_map in dev_select_sample.cu, which makes the map, checks for that. */

static constexpr int SELECT_BUCKETS = 1 << CUDA_TUNE_SELECT_LG_BUCKETS;

struct select_map { /* in device memory */
    unsigned is_used;
    unsigned shift;         /* integers */
    uint64_t base, width;   /* first word; last word - first word */
    double   scale, offset; /* floats */
};

struct select_place { /* if neither is_before nor is_in: after all buckets */
    unsigned bucket;
    bool     is_before, is_in;
};

/* ---- The map for one kind of code, in registers ---- */

template <typename CODE> struct select_mapper;

template <typename BITS> struct select_mapper<key_code<BITS, false>> {
    typedef typename select_word<BITS>::type WORD;

    key_code<BITS, false> code;
    WORD                  base, width;
    unsigned              shift;

    DEVICE select_place place(BITS raw) const
    {
        WORD const word = (WORD)code.encode(raw);
        WORD const distance = (WORD)(word - base);
        return {(unsigned)(distance >> shift), word < base, distance <= width};
    }
};

template <> struct select_mapper<key_code<uint32_t, true>> {
    float scale, offset;

    DEVICE select_place place(uint32_t raw) const
    {
        float const    y = __fmaf_rn(scale, __uint_as_float(raw), offset);
        unsigned const bucket = __float_as_uint(y) - UINT32_C(0x4b000000); /* 2^23 */
        return {bucket, y < 8388608.0f, bucket < SELECT_BUCKETS};
    }
};

template <> struct select_mapper<key_code<uint64_t, true>> {
    double scale, offset;

    DEVICE select_place place(uint64_t raw) const
    {
        double const   y = __fma_rn(scale, __longlong_as_double((long long)raw), offset);
        uint64_t const bucket =
            (uint64_t)__double_as_longlong(y) - UINT64_C(0x4330000000000000); /* 2^52 */
        return {(unsigned)bucket, y < 4503599627370496.0, bucket < SELECT_BUCKETS};
    }
};

template <typename BITS>
static DEVICE select_mapper<key_code<BITS, false>> mapper_of(const select_map            &map,
                                                             const key_code<BITS, false> &code)
{
    typedef typename select_word<BITS>::type WORD;
    return {code, (WORD)map.base, (WORD)map.width, map.shift};
}
template <typename BITS>
static DEVICE select_mapper<key_code<BITS, true>> mapper_of(const select_map &map,
                                                            const key_code<BITS, true> &)
{
    typedef typename key_float<BITS>::type FLOAT;
    return {(FLOAT)map.scale, (FLOAT)map.offset};
}

/* ---- Making a map ---- */

/* The value of the float whose word is given. */
template <typename BITS>
static DEVICE double value_of_word(const key_code<BITS, true> &code, BITS word)
{
    return (double)key_float<BITS>::value(code.decode(word));
}

/* A map whose buckets cover the words from first to last; first < last. */
template <typename BITS, typename WORD>
static DEVICE select_map map_over(const key_code<BITS, false> &, WORD first, WORD last)
{
    select_map map = {1, 0, first, (WORD)(last - first), 0, 0};
    while (map.width >> map.shift >= SELECT_BUCKETS)
        map.shift++;
    return map;
}
template <typename BITS>
static DEVICE select_map map_over(const key_code<BITS, true> &code, BITS first, BITS last)
{
    double const unit = sizeof(BITS) == 8 ? 4503599627370496.0 : 8388608.0;
    double const from = value_of_word(code, first), to = value_of_word(code, last);
    double const scale = (SELECT_BUCKETS - 4) / (to - from); /* leaves room for rounding */
    return {1, 0, first, 0, scale, unit + 2 - from * scale};
}

/* Maps a word to 0 (before all buckets), bucket + 1, or SELECT_BUCKETS + 1 (after all buckets).
 * Monotonic in the word. */
template <typename CODE, typename WORD>
static DEVICE unsigned bucket_rank(const CODE &code, const select_mapper<CODE> &mapper, WORD word)
{
    select_place const at = mapper.place(code.decode((typename CODE::BITS)word));
    return at.is_before ? 0 : at.is_in ? at.bucket + 1 : SELECT_BUCKETS + 1;
}

/* Sets *lo to the smallest word in [low, low_end] with rank at least `first`, and *hi to the
 * largest word in [high_begin, high] with rank at most `last`. Both must exist. */
template <typename CODE, typename WORD>
static DEVICE void words_of_ranks(const CODE &code, const select_mapper<CODE> &mapper,
                                  unsigned first, unsigned last, WORD low, WORD low_end,
                                  WORD high_begin, WORD high, WORD *lo, WORD *hi)
{
    while (low < low_end || high_begin < high) {
        WORD const left = (WORD)(low + (low_end - low) / 2);
        WORD const right = (WORD)(high_begin + (high - high_begin) / 2 + (high - high_begin) % 2);
        if (bucket_rank(code, mapper, left) >= first)
            low_end = left;
        else
            low = (WORD)(left + 1);
        if (bucket_rank(code, mapper, right) <= last)
            high_begin = right;
        else
            high = (WORD)(right - 1);
    }
    *lo = low;
    *hi = high;
}

#endif
