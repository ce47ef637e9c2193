/* random.h - random numbers by counting: draw i of a stream is a function of (stream, i).
 *
 * A stream is a 64-bit number made of the caller's seed and a purpose. Draw i is the stream's
 * number plus i steps of an odd constant, put through a mixer in which every input bit reaches
 * every output bit (the scheme known as SplitMix64). Nothing is carried from one draw to the
 * next, so threads, blocks and machines cannot change a result. Good for test data, not for
 * secrets. Two multiplications a draw. */
#ifndef ORDO_CORE_RANDOM_H
#define ORDO_CORE_RANDOM_H

#include <stdint.h>

__extension__ typedef unsigned __int128 ordo_u128;

#define ORDO_RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t ordo_random_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static inline uint64_t ordo_random_at(uint64_t stream, uint64_t index)
{
    return ordo_random_mix(stream + index * ORDO_RANDOM_STEP);
}

/* Mixed twice: neighbouring seeds and purposes must not give shifted copies of one stream. */
static inline uint64_t ordo_random_stream(uint64_t seed, uint64_t purpose)
{
    return ordo_random_mix(ordo_random_mix(seed + ORDO_RANDOM_STEP) ^ (purpose << 32));
}

/* The high half of a product: turns a draw into a number in [0, n) without a division. No value
 * is likelier than another by more than n / 2^64. */
static inline uint64_t ordo_random_below(uint64_t draw, uint64_t n)
{
    return (uint64_t)(((ordo_u128)draw * n) >> 64);
}

#endif
