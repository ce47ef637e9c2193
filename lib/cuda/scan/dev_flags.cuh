/* dev_flags.cuh - divides an array of flags into spans and counts the set flags of each span.
 *
 * For work that needs all counts before it writes (the split), or only the total. Flags are read
 * once; byte flags can be packed into scratch in the same pass. There are at most CUDA_TUNE_SPANS
 * spans, so a block sums the counts before its span with a few loads, and no block waits for
 * another. Scratch: 4 bytes per span, and n/8 bytes for packed flags. */
#ifndef ORDO_CUDA_SCAN_DEV_FLAGS_H
#define ORDO_CUDA_SCAN_DEV_FLAGS_H

#include "cuda/block/block_scan.cuh"
#include "cuda/runtime/cuda_rt.cuh"
#include "cuda/runtime/cuda_tuning.cuh"
#include "cuda/warp/warp_scan.cuh"
#include "ordo.h"

enum {
    FLAGS_OF_WORD = 32,
    FLAGS_OF_WARP = 1024 /* flags that a warp reads at a time */
};

/* Whether flags at this address may be read 16 bytes at a time. */
static inline bool flags_aligned(const void *flags) { return (uintptr_t)flags % 16 == 0; }

/* Sets the top bit of each byte that is not 0 in x. */
static DEVICE uint32_t bytes_set(uint32_t x)
{
    return (x | ((x & 0x7f7f7f7fu) + 0x7f7f7f7fu)) & 0x80808080u;
}

/* Packs 16 byte flags into the low bits of a word. The weights of the dot product move the top bits
 * (128) to 8 consecutive bits, 7 places too high. */
static DEVICE uint32_t flags_pack16(uint4 x)
{
    uint32_t const low =
        __dp4a(bytes_set(x.y), 0x80402010u, __dp4a(bytes_set(x.x), 0x08040201u, 0u));
    uint32_t const high =
        __dp4a(bytes_set(x.w), 0x80402010u, __dp4a(bytes_set(x.z), 0x08040201u, 0u));
    return low >> 7 | high << 1;
}

/* A warp reads 1024 flags; lane i gets the 32 flags from first + 32 i on as the bits of a word. The
 * array must be aligned and have at least 1024 flags from `first` on. */
template <ordo_flags_kind KIND>
static DEVICE uint32_t warp_read_flags_whole(const uint8_t *flags, size_t first)
{
    if constexpr (KIND == ORDO_FLAG_BITS)
        return *((const uint32_t *)(flags + first / 8) + lane_id());
    const uint4 *const at = (const uint4 *)(flags + first) + 2 * lane_id();
    uint4 const        low = __ldcs(at), high = __ldcs(at + 1);
    return flags_pack16(low) | flags_pack16(high) << 16;
}

/* The same for any `first` and alignment; flags from `end` on count as 0. */
template <ordo_flags_kind KIND>
static DEVICE uint32_t warp_read_flags(const uint8_t *flags, size_t first, size_t end, bool aligned)
{
    if (aligned && first + FLAGS_OF_WARP <= end)
        return warp_read_flags_whole<KIND>(flags, first);
    unsigned const lane = lane_id();
    uint32_t       mine = 0;
    if constexpr (KIND == ORDO_FLAG_BITS) {
        size_t const at = first + FLAGS_OF_WORD * lane;
        if (aligned && at + FLAGS_OF_WORD <= end)
            return *(const uint32_t *)(flags + at / 8);
        for (unsigned b = 0; b < FLAGS_OF_WORD && at + b < end; b += 8)
            mine |= (uint32_t)flags[(at + b) / 8] << b;
        if (at < end && end - at < FLAGS_OF_WORD)
            mine &= (1u << (end - at)) - 1;
    } else {
#pragma unroll 8
        for (unsigned row = 0; row < WARP_LANES; row++) {
            size_t const   at = first + FLAGS_OF_WORD * row + lane;
            uint32_t const word = __ballot_sync(WARP_ALL, at < end && flags[at] != 0);
            mine = lane == row ? word : mine;
        }
    }
    return mine;
}

enum {
    FLAGS_THREADS = 256,
    FLAGS_WARPS = FLAGS_THREADS / 32,
    FLAGS_TILE = FLAGS_WARPS * FLAGS_OF_WARP /* flags that a block reads at a time */
};

struct flag_spans {
    const uint8_t *bits;    /* the caller's packed flags, or flags packed here, or NULL */
    bool           aligned; /* whether `bits` can be read in words */
    uint32_t      *counts;  /* set flags of each span */
    size_t         n;
    size_t         span; /* flags of each span except the last: a multiple of FLAGS_TILE */
    unsigned       spans;
};

/* Takes the scratch for n flags; `pack`: also for the packed form of byte flags. */
void flags_layout(cuda_scratch *scratch, ordo_flags_kind kind, const void *flags, size_t n,
                  bool pack, flag_spans *spans);

/* Enqueues the count and the packing. n > 0. */
ordo_status flags_count(cuda_call *call, ordo_flags_kind kind, const void *flags,
                        const flag_spans *spans);

struct flag_sums {
    uint64_t before; /* set flags in the spans before this block's span */
    uint64_t total;  /* set flags in all spans */
};

/* Called by all threads of a block of FLAGS_THREADS that handles span blockIdx.x. */
static DEVICE flag_sums flags_sum(const flag_spans &spans)
{
    __shared__ uint64_t before_of[FLAGS_WARPS], total_of[FLAGS_WARPS];
    uint64_t            before = 0, total = 0;
    for (unsigned i = threadIdx.x; i < spans.spans; i += FLAGS_THREADS) {
        uint32_t const count = spans.counts[i];
        total += count;
        before += i < blockIdx.x ? count : 0;
    }
    return {block_reduce<scan_add<uint64_t>, FLAGS_WARPS>(before, before_of),
            block_reduce<scan_add<uint64_t>, FLAGS_WARPS>(total, total_of)};
}

#endif
