/* dev_radix_look.cuh - the look-back of a step of the radix sort: one thread per digit sums the
 * counts of earlier tiles.
 *
 * A published word has a count below 2^30 and two bits: nothing, partial, whole. Their meaning
 * changes with every step, so words are zeroed only once. */
#ifndef ORDO_CUDA_SORT_DEV_RADIX_LOOK_H
#define ORDO_CUDA_SORT_DEV_RADIX_LOOK_H

#include "cuda/block/block_radix.cuh"
#include "cuda/sort/dev_radix_memory.cuh"

static constexpr int LOOK_COUNT_BITS = 30;

struct look_codes { /* the upper two bits, by step */
    uint32_t nothing, partial, whole;
};

static DEVICE look_codes look_codes_of(unsigned step)
{
    return {2 * step % 3, (2 * step + 1) % 3, (2 * step + 2) % 3};
}

static DEVICE void look_publish(uint32_t *word, uint32_t code, uint32_t count)
{
    store_relaxed(word, code << LOOK_COUNT_BITS | count);
}

/* The sum of the counts of the `before` tiles before the tile of `word`; AHEAD words are read at
 * once. */
template <int AHEAD>
static DEVICE uint32_t look_back_counts(const uint32_t *word, unsigned before, look_codes codes)
{
    uint32_t sum = 0;
    while (before > 0) {
        uint32_t read[AHEAD];
#pragma unroll
        for (unsigned k = 0; k < AHEAD; k++)
            read[k] = load_relaxed(word - (size_t)(k < before ? k + 1 : before) * RADIX_BINS);
        unsigned used = 0;
#pragma unroll
        for (unsigned k = 0; k < AHEAD; k++) {
            uint32_t const code = read[k] >> LOOK_COUNT_BITS;
            bool const     take = used == k && k < before && code != codes.nothing;
            if (take) {
                sum += read[k] & ((1u << LOOK_COUNT_BITS) - 1);
                used = code == codes.whole ? before : k + 1;
            }
            if (used == before)
                break;
        }
        word -= (size_t)used * RADIX_BINS;
        before -= used;
    }
    return sum;
}

#endif
