/* moving_tile.cuh - a tile of a moving window in shared memory: the sorted keys, and a wavelet
 * matrix of the elements' sorted places.
 *
 * Level 0 has the highest bit of the place of each element, in array order. For level 1 the
 * elements are split stably by that bit, zeros first; level 1 has their next bit, and so on. The
 * places are a permutation, so every level has as many zeros as ones. All threads of a block call
 * load and make_X together; each thread calls the queries alone. */
#ifndef ORDO_CUDA_WINDOWS_MOVING_TILE_H
#define ORDO_CUDA_WINDOWS_MOVING_TILE_H

#include "core/quantile.h"
#include "cuda/block/block_bitonic.cuh"
#include "cuda/segments/segment_codes.cuh"
#include "cuda/segments/segment_records.cuh"
#include "cuda/warp/first_where.cuh"
#include "cuda/warp/warp_scan.cuh"

enum {
    MOVING_LEVELS = 11,
    MOVING_TILE = 1 << MOVING_LEVELS,
    MOVING_WINDOW = 1024, /* at most; a tile has MOVING_TILE + 1 - window outputs */
    MOVING_THREADS = 512,
    MOVING_ITEMS = MOVING_TILE / MOVING_THREADS,
    MOVING_WORDS = MOVING_TILE / 32 /* words of a level */
};

template <typename WORD> struct moving_shared {
    typedef typename records_indexed<WORD>::K K;

    K        records[bitonic_room<K>(MOVING_TILE)]; /* keys and places of elements, sorted */
    uint16_t order[MOVING_TILE]; /* sorted places of the elements; make_levels reorders them */
    union {
        struct {
            uint32_t bits[MOVING_LEVELS][MOVING_WORDS];
            uint16_t ones[MOVING_LEVELS][MOVING_WORDS + 1]; /* ones in the words before this one */
        };
        uint16_t previous[MOVING_TILE]; /* 1 + the previous element with the same key, or 0 */
    };
};

template <typename WORD> struct moving_tile {
    typedef records_indexed<WORD> RECORD;
    typedef typename RECORD::K    K;

    moving_shared<WORD> *shared;
    bool                 dense; /* supports distinct_below; there are no levels, so kth must not be
                                 * called */

    DEVICE K    record(unsigned place) const { return shared->records[bitonic_at<K>(place)]; }
    DEVICE WORD key(unsigned place) const { return RECORD::bits(record(place)); }

    /* The element at a sorted place. */
    DEVICE unsigned element(unsigned place) const { return (unsigned)RECORD::index(record(place)); }

    /* Reads and sorts the tile. read(i) returns the code of element i. */
    template <typename READ> DEVICE void load(READ &&read) const
    {
        for (unsigned i = threadIdx.x; i < MOVING_TILE; i += MOVING_THREADS)
            shared->records[bitonic_at<K>(i)] = RECORD::make(read(i), i);
        block_bitonic_sort(shared->records, (unsigned)MOVING_TILE);
        for (unsigned p = threadIdx.x; p < MOVING_TILE; p += MOVING_THREADS)
            shared->order[element(p)] = (uint16_t)p;
        __syncthreads();
    }

    /* For dense tiles; replaces make_levels. */
    DEVICE void make_previous(void) const
    {
        for (unsigned p = threadIdx.x; p < MOVING_TILE; p += MOVING_THREADS) {
            bool const same = p > 0 && key(p - 1) == key(p);
            shared->previous[element(p)] = (uint16_t)(same ? element(p - 1) + 1 : 0);
        }
        __syncthreads();
    }

    /* Computes the number of ones of a level before each word; called by the first warp. */
    DEVICE void sum_level(int level) const
    {
        unsigned const lane = lane_id();
        unsigned       low = (unsigned)__popc(shared->bits[level][2 * lane]);
        unsigned const high = (unsigned)__popc(shared->bits[level][2 * lane + 1]);
        unsigned       sum = low + high;
        for (unsigned d = 1; d < WARP_LANES; d *= 2) {
            unsigned const other = __shfl_up_sync(WARP_ALL, sum, d);
            sum += lane >= d ? other : 0;
        }
        shared->ones[level][2 * lane] = (uint16_t)(sum - high - low);
        shared->ones[level][2 * lane + 1] = (uint16_t)(sum - high);
        if (lane == WARP_LANES - 1)
            shared->ones[level][MOVING_WORDS] = (uint16_t)sum;
    }

    DEVICE void make_levels(void) const
    {
        static_assert(MOVING_WORDS == 2 * WARP_LANES, "sum_level sums two words in each lane");
        for (int level = 0; level < MOVING_LEVELS; level++) {
            unsigned place[MOVING_ITEMS];
            for (int j = 0; j < MOVING_ITEMS; j++) {
                unsigned const i = j * MOVING_THREADS + threadIdx.x;
                place[j] = shared->order[i];
                uint32_t const word =
                    __ballot_sync(WARP_ALL, (place[j] >> (MOVING_LEVELS - 1 - level) & 1) != 0);
                if (lane_id() == 0)
                    shared->bits[level][i / 32] = word;
            }
            __syncthreads();
            if (threadIdx.x < WARP_LANES)
                sum_level(level);
            __syncthreads();
            for (int j = 0; j < MOVING_ITEMS; j++) {
                unsigned const i = j * MOVING_THREADS + threadIdx.x, ones = ones_before(level, i);
                bool const     bit = (shared->bits[level][i / 32] >> i % 32 & 1) != 0;
                shared->order[bit ? MOVING_TILE / 2 + ones : i - ones] = (uint16_t)place[j];
            }
            __syncthreads();
        }
    }

    /* The number of ones of a level before position i <= MOVING_TILE. */
    DEVICE unsigned ones_before(int level, unsigned i) const
    {
        unsigned const word = i / 32, bit = i % 32;
        unsigned const ones = shared->ones[level][word];
        return bit == 0 ? ones
                        : ones + (unsigned)__popc(shared->bits[level][word] & ((1u << bit) - 1));
    }

    /* The k-th sorted place, from 0, among elements [first, end). */
    DEVICE unsigned kth(unsigned first, unsigned end, unsigned k) const
    {
        unsigned place = 0;
        for (int level = 0; level < MOVING_LEVELS; level++) {
            unsigned const lo = ones_before(level, first), hi = ones_before(level, end);
            unsigned const zeros = end - first - (hi - lo);
            bool const     one = k >= zeros;
            place = 2 * place + one;
            k -= one ? zeros : 0;
            first = one ? MOVING_TILE / 2 + lo : first - lo;
            end = one ? MOVING_TILE / 2 + hi : end - hi;
        }
        return place;
    }

    /* How many of the elements [first, end) have a sorted place below `place`. */
    DEVICE unsigned count_below(unsigned first, unsigned end, unsigned place) const
    {
        unsigned below = 0;
        if (place >= MOVING_TILE)
            return end - first;
        if (dense) {
            for (unsigned i = first; i < end; i++)
                below += shared->order[i] < place;
            return below;
        }
        for (int level = 0; level < MOVING_LEVELS; level++) {
            unsigned const lo = ones_before(level, first), hi = ones_before(level, end);
            bool const     one = (place >> (MOVING_LEVELS - 1 - level) & 1) != 0;
            below += one ? end - first - (hi - lo) : 0;
            first = one ? MOVING_TILE / 2 + lo : first - lo;
            end = one ? MOVING_TILE / 2 + hi : end - hi;
        }
        return below;
    }

    /* The first sorted place whose key is not below `code`, and the first whose key is above. */
    DEVICE unsigned lower(WORD code) const
    {
        return first_where(0u, (unsigned)MOVING_TILE,
                           [&](unsigned place) { return key(place) >= code; });
    }
    DEVICE unsigned upper(WORD code) const
    {
        return code == (WORD) ~(WORD)0 ? (unsigned)MOVING_TILE : lower((WORD)(code + 1));
    }

    /* The number of distinct keys among the elements [first, end) with sorted places below `place`.
     * An element counts if no earlier element of the window has the same key. */
    DEVICE unsigned distinct_below(unsigned first, unsigned end, unsigned place) const
    {
        unsigned count = 0;
        for (unsigned i = first; i < end; i++)
            count += shared->previous[i] <= first && shared->order[i] < place;
        return count;
    }
};

#endif
