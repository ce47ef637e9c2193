/* dev_pack.cu - sorted keys as differences, which need fewer bytes on the link than keys do: n keys
 * of 32 bits lie 2^32 / n apart on the average.
 *
 * The array is packed piece by piece (backend/pack.h has the layout): the largest difference of a piece
 * gives the bytes of each of them; where that saves nothing the piece is left alone. Differences of
 * one-to-one codes are taken modulo 2^bits, so keys of any order could be packed; sorted ones are
 * worth it. Two kernels, which read the keys once each; a block packs TILE keys in shared memory
 * and writes whole words. Scratch: none. Called by cuda_backend.cu for lib/hybrid; job->widest is
 * valid behind the call's stream. */
#include "backend/pack.h"
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/runtime/cuda_keys.cuh"

enum {
    THREADS = 256,
    TILE = 4096 /* keys of one block: a multiple of 4, so that it begins with a whole word */
};

/* The keys of a block, which are all of one piece; 32 bits count a piece. */
struct pack_tile {
    size_t   piece;
    unsigned first, count; /* in the piece */
    unsigned chain;        /* keys of a chain */
};

static __device__ pack_tile tile_of(size_t n, size_t piece, unsigned tiles)
{
    pack_tile      tile;
    unsigned const first = blockIdx.x % tiles * TILE;
    tile.piece = blockIdx.x / tiles;
    unsigned const keys = (unsigned)min(piece, n - tile.piece * piece);
    tile.first = first;
    tile.count = first < keys ? min((unsigned)TILE, keys - first) : 0;
    tile.chain = (unsigned)ordo_pack_chain(keys);
    return tile;
}

static __device__ __forceinline__ bool begins_chain(const pack_tile &tile, unsigned at)
{
    static_assert(ORDO_PACK_CHAINS == 4, "compared with each");
    return at == 0 || at == tile.chain || at == 2 * tile.chain || at == 3 * tile.chain;
}

/* The difference of a key to the one before it, 0 at the beginning of a chain. */
template <typename CODE>
static __device__ __forceinline__ typename CODE::BITS
difference(const typename CODE::BITS *keys, CODE code, const pack_tile &tile, unsigned at)
{
    if (begins_chain(tile, at))
        return 0;
    return (typename CODE::BITS)(code.encode(keys[at]) - code.encode(keys[at - 1]));
}

template <typename CODE>
static __global__ void __launch_bounds__(THREADS)
    widest_kernel(const typename CODE::BITS *keys, size_t n, size_t piece, unsigned tiles,
                  CODE code, uint64_t *widest)
{
    __shared__ unsigned long long most;
    pack_tile const               tile = tile_of(n, piece, tiles);
    if (threadIdx.x == 0)
        most = 0;
    __syncthreads();
    uint64_t mine = 0;
    for (unsigned i = threadIdx.x; i < tile.count; i += THREADS) {
        uint64_t const d = difference(keys + tile.piece * piece, code, tile, tile.first + i);
        mine = mine > d ? mine : d;
    }
    for (int step = 16; step > 0; step /= 2) {
        uint64_t const other = __shfl_xor_sync(~0u, mine, step);
        mine = mine > other ? mine : other;
    }
    if (threadIdx.x % 32 == 0)
        atomicMax(&most, mine);
    __syncthreads();
    if (threadIdx.x == 0 && most != 0)
        atomicMax((unsigned long long *)&widest[tile.piece], most);
}

template <typename CODE>
static __global__ void __launch_bounds__(THREADS)
    pack_kernel(const typename CODE::BITS *keys, size_t n, size_t piece, unsigned tiles, CODE code,
                const uint64_t *widest, char *packed)
{
    typedef typename CODE::BITS BITS;
    __shared__ uint32_t         words[TILE * (sizeof(BITS) - 1) / 4];
    pack_tile const             tile = tile_of(n, piece, tiles);
    unsigned const              width = ordo_pack_width(widest[tile.piece]);
    if (width >= sizeof(BITS) || tile.count == 0)
        return;
    const BITS *const from = keys + tile.piece * piece;
    char *const       to = packed + tile.piece * ordo_pack_stride(piece, sizeof(BITS));
    unsigned char    *bytes = (unsigned char *)words;
    for (unsigned i = threadIdx.x; i < tile.count; i += THREADS) {
        unsigned const at = tile.first + i;
        BITS           d = difference(from, code, tile, at);
        if (begins_chain(tile, at))
            ((BITS *)to)[at / tile.chain] = code.encode(from[at]);
        for (unsigned b = 0; b < width; b++, d = (BITS)(d >> 8))
            bytes[i * width + b] = (unsigned char)d;
    }
    __syncthreads();
    /* The last word of a piece may hold bytes of no key: there is room for them. */
    uint32_t *const out =
        (uint32_t *)(to + ORDO_PACK_CHAINS * sizeof(BITS) + (size_t)tile.first * width);
    for (unsigned i = threadIdx.x; i < (tile.count * width + 3) / 4; i += THREADS)
        out[i] = words[i];
}

template <typename CODE>
static ordo_status pack_code(cuda_call *call, const ordo_pack_job *job, CODE code)
{
    typedef typename CODE::BITS BITS;
    unsigned const              tiles = (unsigned)ordo_div_up(job->piece, (size_t)TILE);
    size_t const                blocks = ordo_div_up(job->n, job->piece) * tiles;
    const BITS *const           keys = (const BITS *)job->keys;
    CUDA_LAUNCH(call, (widest_kernel<CODE>), blocks, THREADS, 0, keys, job->n, job->piece, tiles,
                code, job->widest);
    CUDA_LAUNCH(call, (pack_kernel<CODE>), blocks, THREADS, 0, keys, job->n, job->piece, tiles,
                code, job->widest, (char *)job->packed);
    return ORDO_OK;
}

ordo_status dev_pack(cuda_call *call, const ordo_pack_job *job)
{
    size_t const pieces = ordo_div_up(job->n, job->piece);
    if (job->n == 0)
        return ORDO_OK;
    CUDA_TRY(call->exec, cudaMemsetAsync(job->widest, 0, pieces * sizeof(uint64_t), call->stream));
    switch (job->type) {
    case ORDO_I32:
    case ORDO_U32:
        return pack_code(call, job, integer_code<uint32_t>(job->type == ORDO_I32, job->descending));
    case ORDO_I64:
    case ORDO_U64:
        return pack_code(call, job, integer_code<uint64_t>(job->type == ORDO_I64, job->descending));
    case ORDO_F32: {
        key_code<uint32_t, true> const code = {job->descending, false};
        return pack_code(call, job, code);
    }
    case ORDO_F64: {
        key_code<uint64_t, true> const code = {job->descending, false};
        return pack_code(call, job, code);
    }
    default:
        return ordo_fail(call->exec, ORDO_E_UNSUPPORTED, "keys of 1 or 2 bytes are not packed");
    }
}
