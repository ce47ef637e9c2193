/* random.h - counter-based random numbers: draw i of a sequence is a function of (sequence, i).
 *
 * A sequence is a 64-bit number computed from the caller's seed and a purpose. Draw i is that
 * number plus i times an odd constant, put through a mixer in which every input bit affects every
 * output bit (the scheme known as SplitMix64). Draws do not depend on each other, so results are
 * the same for any number of threads and on any machine. Good for test data, not for secrets. Cost:
 * two multiplications per draw. */
#ifndef ORDO_CORE_RANDOM_H
#define ORDO_CORE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 ordo_u128;

#define ORDO_RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t ordo_random_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static inline uint64_t ordo_random_at(uint64_t sequence, uint64_t index)
{
    return ordo_random_mix(sequence + index * ORDO_RANDOM_STEP);
}

/* Mixed twice: neighbouring seeds and purposes must not give shifted copies of one sequence. */
static inline uint64_t ordo_random_sequence(uint64_t seed, uint64_t purpose)
{
    return ordo_random_mix(ordo_random_mix(seed + ORDO_RANDOM_STEP) ^ (purpose << 32));
}

/* Maps a draw to a number in [0, n) without a division. The probabilities of two values differ by
 * at most n / 2^64. */
static inline uint64_t ordo_random_below(uint64_t draw, uint64_t n)
{
    return (uint64_t)(((ordo_u128)draw * n) >> 64);
}

/* The index of sampled element i where one is drawn from each `stride` elements. */
static inline size_t ordo_random_in_stride(uint64_t seed, size_t i, size_t stride)
{
    return i * stride + (size_t)ordo_random_below(ordo_random_at(seed, i), stride);
}

#endif
