/* warp_flags.cuh - flags as words: a warp reads 1024 flags, and lane i gets flags 32i to 32i+31 as
 * bits 0 to 31 of a word.
 *
 * Packed flags are such words already. For byte flags a lane loads 32 bytes and packs four at a
 * time: a carry into the top bit of every byte that is not 0, and a dot product that gathers the
 * top bits. Byte flags at odd addresses and at the end of the array are read one byte a lane and
 * gathered by ballots. Reads no byte outside the array. Called by whole warps. */
#ifndef ORDO_CUDA_WARP_WARP_FLAGS_H
#define ORDO_CUDA_WARP_WARP_FLAGS_H

#include "cuda/warp/warp_ballot.cuh"
#include "ordo.h"

enum {
    FLAGS_OF_WORD = 32,
    FLAGS_OF_WARP = 1024 /* read by a warp at a time */
};

/* Whether flags at this address may be read 16 bytes at a time. */
static inline bool flags_aligned(const void *flags) { return (uintptr_t)flags % 16 == 0; }

/* The top bits of the bytes of x that are not 0. */
static __device__ __forceinline__ uint32_t bytes_set(uint32_t x)
{
    return (x | ((x & 0x7f7f7f7fu) + 0x7f7f7f7fu)) & 0x80808080u;
}

/* 16 byte flags as the low bits of a word. The weights of the dot product move the top bits (128)
 * to 8 neighbouring bits, 7 places too high. */
static __device__ __forceinline__ uint32_t flags_pack16(uint4 x)
{
    uint32_t const low =
        __dp4a(bytes_set(x.y), 0x80402010u, __dp4a(bytes_set(x.x), 0x08040201u, 0u));
    uint32_t const high =
        __dp4a(bytes_set(x.w), 0x80402010u, __dp4a(bytes_set(x.z), 0x08040201u, 0u));
    return low >> 7 | high << 1;
}

/* Flags first + 32 lane, ..., of an aligned array with at least 1024 flags from `first` on. */
template <ordo_flags_kind KIND>
static __device__ __forceinline__ uint32_t warp_flags_whole(const uint8_t *flags, size_t first)
{
    if constexpr (KIND == ORDO_FLAG_BITS)
        return *((const uint32_t *)(flags + first / 8) + lane_id());
    const uint4 *const at = (const uint4 *)(flags + first) + 2 * lane_id();
    uint4 const        low = __ldcs(at), high = __ldcs(at + 1);
    return flags_pack16(low) | flags_pack16(high) << 16;
}

/* The same for any `first` and alignment; flags from `end` on are 0. */
template <ordo_flags_kind KIND>
static __device__ __forceinline__ uint32_t warp_flags(const uint8_t *flags, size_t first,
                                                      size_t end, bool aligned)
{
    if (aligned && first + FLAGS_OF_WARP <= end)
        return warp_flags_whole<KIND>(flags, first);
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

#endif
