/* dev_streamed.cu - device work that only streamed arrays need (lib/hybrid): packing of sorted
 * keys, search in a sorted array, and arrays of consecutive numbers.
 *
 * Packing writes differences of neighbouring keys, which need fewer bytes on the link: n sorted
 * 32-bit keys are 2^32 / n apart on average. backend/pack.h describes the layout. The largest
 * difference of a chunk sets the bytes of all its differences; a chunk is not packed if that saves
 * nothing. Two kernels read the keys once each; no scratch. A search is a binary search by one
 * thread; 512 searches in 2^26 keys are 26 dependent reads, about 20 us on an H200. Called by
 * cuda_link.cu. */
#include "backend/pack.h"
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/warp/first_where.cuh"
#include "cuda/warp/warp_scan.cuh"

enum {
    THREADS = 256,
    TILE = 4096, /* keys per block: a multiple of 4, so that a tile begins at a whole word */
    SEARCH_THREADS = 128
};

/* The keys of a block, all from one chunk. A chunk has fewer than 2^32 keys. */
struct pack_tile {
    size_t   piece;
    unsigned first, count; /* position in the chunk, and number of keys */
    unsigned chain;        /* keys per chain */
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

static DEVICE bool begins_chain(const pack_tile &tile, unsigned at)
{
    static_assert(ORDO_PACK_CHAINS == 4, "compared with each");
    return at == 0 || at == tile.chain || at == 2 * tile.chain || at == 3 * tile.chain;
}

/* The difference between a key and the key before it; 0 at the start of a chain. */
template <typename CODE>
static DEVICE typename CODE::BITS difference(const typename CODE::BITS *keys, CODE code,
                                             const pack_tile &tile, unsigned at)
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
    mine = warp_reduce<scan_max<uint64_t>>(mine);
    if (threadIdx.x % 32 == 0)
        atomicMax(&most, mine);
    __syncthreads();
    if (threadIdx.x == 0 && most != 0)
        atomicMax((unsigned long long *)&widest[tile.piece], most);
}

template <typename CODE, typename BITS = typename CODE::BITS>
static __global__ void __launch_bounds__(THREADS)
    pack_kernel(const BITS *keys, size_t n, size_t piece, unsigned tiles, CODE code,
                const uint64_t *widest, char *packed)
{
    __shared__ uint32_t words[TILE * (sizeof(BITS) - 1) / 4];
    pack_tile const     tile = tile_of(n, piece, tiles);
    unsigned const      width = ordo_pack_width(widest[tile.piece]);
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
    /* The last word of a chunk may hold bytes that belong to no key; there is room for them. */
    uint32_t *const out =
        (uint32_t *)(to + ORDO_PACK_CHAINS * sizeof(BITS) + (size_t)tile.first * width);
    for (unsigned i = threadIdx.x; i < (tile.count * width + 3) / 4; i += THREADS)
        out[i] = words[i];
}

template <typename CODE, typename BITS = typename CODE::BITS>
static ordo_status pack_code(cuda_call *call, const ordo_pack_job *job, CODE code)
{
    unsigned const    tiles = (unsigned)ordo_div_up(job->piece, (size_t)TILE);
    size_t const      blocks = ordo_div_up(job->n, job->piece) * tiles;
    const BITS *const keys = (const BITS *)job->keys;
    TRY(CUDA_LAUNCH(call, (widest_kernel<CODE>), blocks, THREADS, 0, keys, job->n, job->piece,
                    tiles, code, job->widest));
    return CUDA_LAUNCH(call, (pack_kernel<CODE>), blocks, THREADS, 0, keys, job->n, job->piece,
                       tiles, code, job->widest, (char *)job->packed);
}

ordo_status dev_pack(cuda_call *call, const ordo_pack_job *job)
{
    size_t const pieces = ordo_div_up(job->n, job->piece);
    if (job->n == 0)
        return ORDO_OK;
    CUDA_TRY(call->exec, cudaMemsetAsync(job->widest, 0, pieces * sizeof(uint64_t), call->stream));
    return with_key_code(job->type, job->descending, KEY_TOTAL, [&](auto code) -> ordo_status {
        if constexpr (sizeof(typename decltype(code)::BITS) >= 4)
            return pack_code(call, job, code);
        else
            return ordo_fail(call->exec, ORDO_E_UNSUPPORTED,
                             "only keys of 4 and 8 bytes can be packed");
    });
}

struct search_codes { /* a kernel argument; arguments are limited to 4 KB */
    uint64_t at[256];
};

template <typename CODE>
static __global__ void search_kernel(const typename CODE::BITS *sorted, size_t n, CODE code,
                                     search_codes codes, unsigned count, uint64_t *positions)
{
    unsigned const i = blockIdx.x * SEARCH_THREADS + threadIdx.x;
    if (i >= count)
        return;
    uint64_t const wanted = codes.at[i];
    positions[i] = first_where(
        (size_t)0, n, [&](size_t at) { return (uint64_t)code.encode(sorted[at]) >= wanted; });
}

size_t dev_search_scratch(const ordo_search_job *job)
{
    return ordo_round_up(job->count * sizeof(uint64_t), CUDA_SCRATCH_ALIGN);
}

ordo_status dev_search(cuda_call *call, const ordo_search_job *job)
{
    uint64_t *const positions = scratch_take<uint64_t>(&call->scratch, job->count);
    size_t const    most = sizeof(search_codes) / sizeof(uint64_t);
    for (size_t first = 0; first < job->count; first += most) {
        unsigned const count = (unsigned)ordo_min(most, job->count - first);
        search_codes   codes;
        memcpy(codes.at, job->codes + first, count * sizeof *codes.at);
        TRY(with_key_code(
            job->type, job->descending, job->folded ? KEY_FOLDED : KEY_TOTAL, [&](auto code) {
                typedef decltype(code) CODE;
                return CUDA_LAUNCH(call, (search_kernel<CODE>), ordo_div_up(count, SEARCH_THREADS),
                                   SEARCH_THREADS, 0, (const typename CODE::BITS *)job->sorted,
                                   job->n, code, codes, count, positions + first);
            }));
    }
    return call_fetch(call, job->positions, positions, job->count * sizeof(size_t));
}

template <typename T> static __global__ void iota_kernel(T *out, size_t n, uint64_t first)
{
    grid_each(n, [&](size_t i) { out[i] = (T)(first + i); });
}

ordo_status dev_iota(cuda_call *call, void *out, size_t n, ordo_type type, uint64_t first)
{
    enum {
        WIDE = 512,
        RESIDENT = 4
    };
    size_t const blocks = ordo_min(ordo_div_up(n, WIDE), (size_t)call->facts->sms * RESIDENT);
    if (n == 0)
        return ORDO_OK;
    if (type == ORDO_U32)
        return CUDA_LAUNCH(call, (iota_kernel<uint32_t>), blocks, WIDE, 0, (uint32_t *)out, n,
                           first);
    return CUDA_LAUNCH(call, (iota_kernel<uint64_t>), blocks, WIDE, 0, (uint64_t *)out, n, first);
}
