/* block_select_map.cuh - a monotonic map from keys to buckets, six instructions a key.
 *
 * Between the first and the last word of interest lie 2^CUDA_TUNE_SELECT_LG_BUCKETS buckets of
 * equal width: of words for integers, of values for floats. An integer's bucket is a difference and
 * a shift. A float's is scale * key + offset, rounded once, with an offset so large that the unit
 * of rounding is one: the low bits of the result are the bucket. Rounding keeps the order, so
 * larger words never have smaller buckets. NaNs come last and lie after all buckets. Rounding or
 * infinities can push words out of the map; make_map in dev_select_sample.cu, which makes it,
 * checks that. */
#ifndef ORDO_CUDA_BLOCK_BLOCK_SELECT_MAP_H
#define ORDO_CUDA_BLOCK_BLOCK_SELECT_MAP_H

#include "cuda/block/block_select_read.cuh"

static constexpr int SELECT_BUCKETS = 1 << CUDA_TUNE_SELECT_LG_BUCKETS;

struct select_map { /* in device memory */
    unsigned is_used;
    unsigned shift;         /* integers */
    uint64_t base, width;   /* first word; last word - first word */
    double   scale, offset; /* floats */
};

struct select_place { /* if neither is_before nor is_in, the key is after all buckets */
    unsigned bucket;
    bool     is_before, is_in;
};

/* ---- The map of a code, in registers ---- */

template <typename CODE> struct select_mapper;

template <typename BITS> struct select_mapper<key_code<BITS, false>> {
    typedef typename select_word<BITS>::type WORD;

    key_code<BITS, false> code;
    WORD                  base, width;
    unsigned              shift;

    __device__ __forceinline__ select_place place(BITS raw) const
    {
        WORD const         word = (WORD)code.encode(raw);
        WORD const         distance = (WORD)(word - base);
        select_place const at = {(unsigned)(distance >> shift), word < base, distance <= width};
        return at;
    }
};

template <> struct select_mapper<key_code<uint32_t, true>> {
    float scale, offset;

    __device__ __forceinline__ select_place place(uint32_t raw) const
    {
        float const        y = __fmaf_rn(scale, __uint_as_float(raw), offset);
        unsigned const     bucket = __float_as_uint(y) - UINT32_C(0x4b000000); /* 2^23 */
        select_place const at = {bucket, y < 8388608.0f, bucket < SELECT_BUCKETS};
        return at;
    }
};

template <> struct select_mapper<key_code<uint64_t, true>> {
    double scale, offset;

    __device__ __forceinline__ select_place place(uint64_t raw) const
    {
        double const   y = __fma_rn(scale, __longlong_as_double((long long)raw), offset);
        uint64_t const bucket =
            (uint64_t)__double_as_longlong(y) - UINT64_C(0x4330000000000000); /* 2^52 */
        select_place const at = {(unsigned)bucket, y < 4503599627370496.0, bucket < SELECT_BUCKETS};
        return at;
    }
};

template <typename BITS>
static __device__ __forceinline__ select_mapper<key_code<BITS, false>>
mapper_of(const select_map &map, const key_code<BITS, false> &code)
{
    typedef typename select_word<BITS>::type   WORD;
    select_mapper<key_code<BITS, false>> const mapper = {code, (WORD)map.base, (WORD)map.width,
                                                         map.shift};
    return mapper;
}
template <typename BITS>
static __device__ __forceinline__ select_mapper<key_code<BITS, true>>
                                  mapper_of(const select_map &map, const key_code<BITS, true> &)
{
    typedef typename key_float<BITS>::type    FLOAT;
    select_mapper<key_code<BITS, true>> const mapper = {(FLOAT)map.scale, (FLOAT)map.offset};
    return mapper;
}

/* ---- Making one ---- */

/* The value of a float's word. */
template <typename BITS>
static __device__ __forceinline__ double value_of_word(const key_code<BITS, true> &code, BITS word)
{
    return (double)key_float<BITS>::value(code.decode(word));
}

/* A map with buckets from word first to word last, first < last. */
template <typename BITS, typename WORD>
static __device__ __forceinline__ select_map map_over(const key_code<BITS, false> &, WORD first,
                                                      WORD last)
{
    select_map map = {1, 0, first, (WORD)(last - first), 0, 0};
    while (map.width >> map.shift >= SELECT_BUCKETS)
        map.shift++;
    return map;
}
template <typename BITS>
static __device__ __forceinline__ select_map map_over(const key_code<BITS, true> &code, BITS first,
                                                      BITS last)
{
    double const     unit = sizeof(BITS) == 8 ? 4503599627370496.0 : 8388608.0;
    double const     from = value_of_word(code, first), to = value_of_word(code, last);
    double const     scale = (SELECT_BUCKETS - 4) / (to - from); /* leaves room for rounding */
    select_map const map = {1, 0, first, 0, scale, unit + 2 - from * scale};
    return map;
}

/* 0 for words before all buckets, bucket + 1, or SELECT_BUCKETS + 1: monotonic in the word. */
template <typename CODE, typename WORD>
static __device__ __forceinline__ unsigned bucket_rank(const CODE                &code,
                                                       const select_mapper<CODE> &mapper, WORD word)
{
    select_place const at = mapper.place(code.decode((typename CODE::BITS)word));
    return at.is_before ? 0 : at.is_in ? at.bucket + 1 : SELECT_BUCKETS + 1;
}

/* The smallest word in [low, low_end] of rank `first` or more, and the largest in [high_begin,
 * high] of rank `last` or less. Both exist. */
template <typename CODE, typename WORD>
static __device__ __forceinline__ void
words_of_ranks(const CODE &code, const select_mapper<CODE> &mapper, unsigned first, unsigned last,
               WORD low, WORD low_end, WORD high_begin, WORD high, WORD *lo, WORD *hi)
{
    while (low < low_end || high_begin < high) {
        WORD const left = (WORD)(low + (low_end - low) / 2);
        WORD const right = (WORD)(high_begin + (high - high_begin) / 2 + (high - high_begin) % 2);
        if (bucket_rank(code, mapper, left) >= first)
            low_end = left;
        else
            low = (WORD)(left + 1);
        if (bucket_rank(code, mapper, right) <= last)
            high_begin = right;
        else
            high = (WORD)(right - 1);
    }
    *lo = low;
    *hi = high;
}

#endif
