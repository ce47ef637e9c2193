/* dev_radix_grid.cuh - the codes of dev_radix_grid.cu.
 *
 * A line gives each key a place in its range, 0 to 2^GRID_LG_PLACES - 1. It is linear in the key,
 * or, if such places would crowd, in the logarithm of an integer or the bits of a float, which is
 * close to its logarithm. The places are divided into GRID_PARTS equal parts, each with codes in
 * proportion to its keys. A code is monotone in the key. */
#ifndef ORDO_CUDA_SORT_DEV_RADIX_GRID_H
#define ORDO_CUDA_SORT_DEV_RADIX_GRID_H

#include "cuda/sort/dev_radix_even_map.cuh"

enum {
    GRID_THREADS = CUDA_TUNE_LEAF_THREADS,
    GRID_WARPS = GRID_THREADS / 32,
    GRID_ITEMS = 16, /* most keys per thread */
    GRID_TILE = GRID_THREADS * GRID_ITEMS,
    GRID_MOST_ITEMS = 14, /* most keys per thread of a code that one block sorts */
    GRID_MOST = GRID_THREADS * GRID_MOST_ITEMS,
    GRID_PARTS = GRID_THREADS,
    GRID_LG_CODES = 11,
    GRID_CODES = 1 << GRID_LG_CODES, /* most codes; a thread has four of them */
    GRID_LG_PLACES = 22,
    GRID_LG_PART = 13, /* lg of the places of a part */
    GRID_FRACTION = 8, /* bits of a part of a code in the table */
    GRID_EACH = 4,     /* sample keys per thread */
    GRID_DRAWN = GRID_THREADS * GRID_EACH,
    GRID_LG_MARKS = 18, /* lg of the bits of a table of sample keys */
    GRID_REPEATED = 1,  /* most of the marks that sample keys set twice, / GRID_EACH^2: different
                         * keys set about half as many */
    GRID_CROWDED = 16,  /* a part may have 1 / GRID_CROWDED of the sample keys */
    GRID_MARGIN = 256,  /* the range exceeds the sample by this part of it */
    /* Frequent values: */
    GRID_LG_SLOTS = 12,
    GRID_SLOTS = 1 << GRID_LG_SLOTS, /* of a table of the values of the sample */
    GRID_FREQUENT = 256,             /* most frequent values */
    GRID_OFTEN = 3,                  /* least sample keys of one */
    GRID_SHARE = 2000,               /* pairs: least keys of each of its codes, on average */
    GRID_TIMES = 20                  /* pairs: how often other values may occur */
};

static_assert(GRID_PARTS << GRID_LG_PART == 1 << GRID_LG_PLACES, "parts fill the range");
static_assert(GRID_CODES == 4 * GRID_THREADS && GRID_TILE <= 1 << (32 - GRID_LG_CODES),
              "four codes for each thread; a rank and a code share a word");
static_assert(GRID_SLOTS >= 2 * GRID_DRAWN && GRID_FREQUENT < GRID_THREADS,
              "a table that is at most half full; a value for each thread");
static_assert(GRID_PARTS <= EVEN_MOST && GRID_CODES <= 4 * EVEN_MOST,
              "even_counts has room for the parts, and even_groups for the codes");
static_assert(CUDA_TUNE_GRID_TO < CUDA_TUNE_EVEN_FROM && CUDA_TUNE_GRID_PAIRS <= CUDA_TUNE_GRID_TO,
              "the tables of dev_radix_even.cu are not in use");

template <typename CODE, bool FLOAT = CODE::is_float> struct grid_line {
    bool     curved;
    uint32_t low, high, shift, factor;
    float    scale, offset; /* of floats that are not curved */

    /* An integer that grows with the key. */
    DEVICE uint32_t height(CODE const &code, uint32_t bits) const
    {
        uint32_t const mine = code.fold(bits);
        return curved && !FLOAT ? __float_as_uint(__uint2float_rz(mine)) : mine;
    }
    /* Fits the line to the smallest and largest key bits of a sample; false if there are too few
     * values. */
    DEVICE bool fit(CODE const &code, uint32_t first, uint32_t last, bool curve)
    {
        curved = curve;
        if (FLOAT && !curve)
            return fit_values(code, first, last);
        low = height(code, first);
        high = height(code, last);
        uint32_t const margin = (high - low) / GRID_MARGIN;
        low -= min(low, margin);
        high += min(~high, margin);
        shift = (unsigned)__clz((int)(high - low));
        /* a little less than places / distances, so that no place is past the last */
        float const most = (float)((high - low) << shift) + 1;
        factor = __float2uint_rz((float)(1 << GRID_LG_PLACES) * 4294967296.0f * 0.99999f / most);
        return low < high;
    }
    DEVICE bool fit_values(CODE const &code, uint32_t first, uint32_t last)
    {
        float const from = key_float<uint32_t>::value(code.decode(first));
        float const range = key_float<uint32_t>::value(code.decode(last)) - from;
        float const places = (float)(1 << GRID_LG_PLACES);
        scale = places * (1 - 2.0f / GRID_MARGIN) / range;
        offset = 8388608.0f + places / GRID_MARGIN - from * scale;
        /* A range that is not finite makes the scale 0, and 0 times an infinity a NaN. */
        return range != 0 && scale != 0 && isfinite(scale) && isfinite(offset);
    }
    /* The place of a key that is not encoded. The same rounding in every use of a key. */
    DEVICE uint32_t of(CODE const &code, uint32_t raw) const
    {
        if (FLOAT && !curved) { /* 2^23 + place, so that the place is in the lowest bits */
            float const x = __fmaf_rn(key_float<uint32_t>::value(raw), scale, offset);
            float const least = 8388608.0f, most = least + (float)((1 << GRID_LG_PLACES) - 1);
            return __float_as_uint(x < least ? least : x <= most ? x : most) & 0x7fffff;
        }
        uint32_t const inside = min(max(height(code, code.encode(raw)), low), high) - low;
        return __umulhi(inside << shift, factor);
    }
};

struct grid_bend {  /* the codes of a part, in units of 2^-GRID_FRACTION codes */
    uint32_t first; /* its first code */
    uint32_t codes; /* the number of its codes */
};

static DEVICE uint32_t grid_code(const grid_bend *bend, uint32_t place)
{
    grid_bend const here = bend[place >> GRID_LG_PART];
    uint32_t const  inside = place % (1u << GRID_LG_PART);
    return (here.first + (inside * here.codes >> GRID_LG_PART)) >> GRID_FRACTION;
}

#endif
