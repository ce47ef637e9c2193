/* cut.h - how the radix sort divides key bits into buckets: by the top bits or, where a sample
 * shows that these are uneven, by cells.
 *
 * Cells of one width cover the range of the sample. A cell with few sampled keys is a part of one
 * bucket. A cell with many is cut into buckets of one width over the sampled keys of that cell,
 * which fits clusters and outliers; if one value is most of the cell, the value has its own bucket.
 * So finding a bucket costs two loads for any distribution. If the keys become denser towards one
 * point (integers of all magnitudes), the cells cover the logarithm of the distance from that point
 * instead of the key bits. Buckets are in the order of the key bits. */
#ifndef ORDO_CPU_RADIX_CUT_H
#define ORDO_CPU_RADIX_CUT_H

#include "core/base.h"
#include "cpu/base/tuning.h"

enum {
    TOP_BITS = ORDO_TUNE_RADIX_TOP,
    BUCKETS = 1 << TOP_BITS,
    CELL_BITS = ORDO_TUNE_RADIX_TOP,
    /* A cell's word holds its first bucket, the number of its last bucket counted from there, and
     * the shift that gives the number of a bucket. */
    CELL_LAST = 12,
    CELL_SHIFT = 24,
    CELL_MASK = (1 << CELL_LAST) - 1
};

typedef struct radix_cells {
    uint64_t bases[1 << CELL_BITS]; /* where the first bucket of a cell begins */
    uint32_t words[1 << CELL_BITS];
} radix_cells;

/* The division of keys into buckets. */
typedef struct radix_cut {
    bool               even;   /* the bucket is (key >> shift) & mask; otherwise cells are used */
    bool               logs;   /* the cells cover radix_log of the keys */
    bool               single; /* the sample has one value: cells cannot divide more */
    unsigned           shift;
    unsigned           mask;
    uint64_t           keep;   /* the bits of the key that are used: keys equal in these share a
                                * bucket */
    uint64_t           anchor; /* anchor of radix_log */
    uint64_t           base;   /* where cell 0 begins; smaller keys also go to cell 0 */
    uint64_t           last;   /* the last cell; larger keys also go there */
    size_t             buckets;
    const radix_cells *cells;
} radix_cut;

/* Chooses cells. On entry *cut is the even cut. cut.c */
void radix_cut_uneven(const uint64_t *sample, uint64_t *scratch, size_t count, unsigned width,
                      size_t buckets, radix_cut *cut, radix_cells *cells);

/* Chooses the cut from the key bits, `width` each, of a sorted sample: about `buckets` buckets, a
 * power of two. Keys that are equal above the low `whole_bits` bits share a bucket. `scratch` holds
 * `count` words. */
static inline void radix_choose_cut(const uint64_t *sample, uint64_t *scratch, size_t count,
                                    unsigned width, size_t buckets, unsigned whole_bits,
                                    radix_cut *cut, radix_cells *cells)
{
    unsigned const shift = width - (unsigned)__builtin_ctzll(buckets);
    size_t const   most = 6 * (count / buckets) + 8; /* sampled keys of a bucket by the top bits */
    bool           even = true;
    for (size_t i = most; i < count && even; i++)
        even = sample[i] >> shift != sample[i - most] >> shift;
    *cut = (radix_cut){.even = true,
                       .shift = shift,
                       .mask = (unsigned)buckets - 1,
                       .keep = UINT64_MAX << whole_bits,
                       .buckets = buckets};
    if (!even)
        radix_cut_uneven(sample, scratch, count, width, buckets, cut, cells);
}

/* A number of `width` bits made of the side of the anchor, and the exponent and the fraction of the
 * distance to it. It grows with the key. No branch. */
static inline uint64_t radix_log(uint64_t key, uint64_t anchor, unsigned width)
{
    uint64_t const ones = UINT64_MAX >> (64 - width);
    unsigned const exponent_bits = width == 64 ? 6 : 5;
    uint64_t const flip = (0 - (uint64_t)(key < anchor)) & ones; /* all ones below the anchor */
    uint64_t const distance = ((key - anchor) & ones) ^ flip;
    uint64_t const above_0 = distance + (distance < ones);
    unsigned const zeros = (unsigned)__builtin_clzll(above_0) - (64 - width);
    uint64_t const fraction = (above_0 << zeros & (ones >> 1)) >> exponent_bits;
    uint64_t const exponent = (uint64_t)(width - 1 - zeros) << (width - 1 - exponent_bits);
    return ((ones ^ (ones >> 1)) | exponent | fraction) ^ flip;
}

/* The number that the cells cover: the key bits or their logarithm. */
static inline uint64_t radix_place(const radix_cut *cut, uint64_t key, unsigned width, bool logs)
{
    uint64_t const kept = key & cut->keep;
    return logs ? radix_log(kept, cut->anchor, width) : kept;
}

static inline size_t radix_cell_of(const radix_cut *cut, uint64_t place)
{
    uint64_t const cell = (ordo_max(place, cut->base) - cut->base) >> cut->shift;
    return (size_t)ordo_min(cell, cut->last);
}

/* The bucket of a key of `width` bits where the cut is not even. `logs` is cut->logs. */
static inline size_t radix_bucket(const radix_cut *cut, uint64_t key, unsigned width, bool logs)
{
    uint64_t const place = radix_place(cut, key, width, logs);
    size_t const   cell = radix_cell_of(cut, place);
    uint64_t const base = cut->cells->bases[cell];
    uint32_t const word = cut->cells->words[cell];
    uint64_t const number = (ordo_max(place, base) - base) >> (word >> CELL_SHIFT);
    return (word & CELL_MASK) + (size_t)ordo_min(number, word >> CELL_LAST & CELL_MASK);
}

#endif
