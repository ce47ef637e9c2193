/* kernels_avx2.c - the kernels for AVX2.
 *
 * Positions come as rows of eight lanes from tables indexed by a byte of the word. The start of a
 * group of ties in an earlier byte is found by counting zeros in a general register, and a maximum
 * or minimum combines both. Stores of large results bypass the cache, because an ordinary store
 * would first read the cache line. */
#include "cpu/base/kernels.h"
#include "cpu/kernel/byte_rows.h"

#include <immintrin.h>

#define CPU_ISA avx2
#include "cpu/kernel/plain_loops.h"

#define NEAR_MAX (UINT64_C(1) << 29) /* twice this and a word fit 32-bit lanes */

/* Eight lanes for each byte: 24 KB; one loop reads 8 KB. */
#define LAST_OR_LEAST(b, l) LAST(b, l, INT32_MIN)
#define NEXT_OR_MOST(b, l) NEXT(b, l, INT32_MAX)
static const int32_t last_rows[256][8] = {ROWS256(LAST_OR_LEAST, 0)};
static const int32_t next_rows[256][8] = {ROWS256(NEXT_OR_MOST, 0)};
static const int32_t count_rows[256][8] = {ROWS256(COUNT, 0)};

/* ---- Keys to bits: which keys equal the previous key ---- */

INLINE __m256i load(const void *p) { return _mm256_loadu_si256(p); }

INLINE uint64_t same32_u8(const uint8_t *k)
{
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(load(k), load(k - 1)));
}

/* The pack instruction works within 128-bit halves; the permutation puts the quarters in order. */
INLINE uint64_t same32_u16(const uint16_t *k)
{
    __m256i const a = _mm256_cmpeq_epi16(load(k), load(k - 1));
    __m256i const b = _mm256_cmpeq_epi16(load(k + 16), load(k + 15));
    __m256i const packed = _mm256_permute4x64_epi64(_mm256_packs_epi16(a, b), 0xd8);
    return (uint32_t)_mm256_movemask_epi8(packed);
}

INLINE uint64_t same8_u32(const uint32_t *k)
{
    __m256i const same = _mm256_cmpeq_epi32(load(k), load(k - 1));
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(same));
}

INLINE uint64_t same4_u64(const uint64_t *k)
{
    __m256i const same = _mm256_cmpeq_epi64(load(k), load(k - 1));
    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(same));
}

/* Twice the bits of either zero is 0, because the addition drops the sign bit. */
INLINE uint64_t zeros64_f32(const float *k)
{
    uint64_t word = 0;
    EACH (i, 8) {
        __m256i const twice = _mm256_add_epi32(load(k + 8 * i), load(k + 8 * i));
        __m256i const zero = _mm256_cmpeq_epi32(twice, _mm256_setzero_si256());
        word |= (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(zero)) << 8 * i;
    }
    return word;
}

INLINE uint64_t zeros64_f64(const double *k)
{
    uint64_t word = 0;
    EACH (i, 16) {
        __m256i const twice = _mm256_add_epi64(load(k + 4 * i), load(k + 4 * i));
        __m256i const zero = _mm256_cmpeq_epi64(twice, _mm256_setzero_si256());
        word |= (uint64_t)(uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(zero)) << 4 * i;
    }
    return word;
}

#define HEADS64(C, key, step, same)                                                                \
    INLINE uint64_t heads64_##C(const key *k)                                                      \
    {                                                                                              \
        uint64_t word = 0;                                                                         \
        EACH (i, 64 / (step))                                                                      \
            word |= same(k + i * (step)) << i * (step);                                            \
        return ~word;                                                                              \
    }
HEADS64(u8, uint8_t, 32, same32_u8)
HEADS64(u16, uint16_t, 32, same32_u16)
HEADS64(u32, uint32_t, 8, same8_u32)
HEADS64(u64, uint64_t, 4, same4_u64)

INLINE uint64_t unset32(const uint8_t *f)
{
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(load(f), _mm256_setzero_si256()));
}

INLINE uint64_t flags64(const uint8_t *f) { return ~(unset32(f) | unset32(f + 32) << 32); }

/* ---- Bits to positions: eight lanes for byte k of the word, counted from its start ---- */

INLINE __m256i last_at(uint64_t word, unsigned k, uint64_t near)
{
    uint64_t const below = k == 0 ? 0 : word << (64 - 8 * k);
    uint64_t const back = below != 0 ? (uint64_t)__builtin_clzll(below) : near + 8 * k;
    return _mm256_max_epi32(load(last_rows[word >> 8 * k & 0xff]),
                            _mm256_set1_epi32(-(int32_t)back));
}

INLINE __m256i next_at(uint64_t word, unsigned k, uint64_t near)
{
    uint64_t const above = (word >> 8 * k) >> 8;
    uint64_t const ahead = above != 0 ? 8 + (uint64_t)__builtin_ctzll(above) : near - 8 * k;
    return _mm256_min_epi32(load(next_rows[word >> 8 * k & 0xff]),
                            _mm256_set1_epi32((int32_t)ahead));
}

INLINE __m256i count_at(uint64_t word, unsigned k)
{
    uint64_t const below = k == 0 ? 0 : word << (64 - 8 * k);
    return _mm256_add_epi32(load(count_rows[word >> 8 * k & 0xff]),
                            _mm256_set1_epi32(__builtin_popcountll(below)));
}

/* ---- Positions to output: base + x ---- */

INLINE void put(void *out, __m256i x, bool bypass)
{
    if (bypass)
        _mm256_stream_si256(out, x);
    else
        _mm256_storeu_si256(out, x);
}

INLINE void put_u32(uint32_t *out, __m256i x, uint64_t base, bool bypass)
{
    put(out, _mm256_add_epi32(x, _mm256_set1_epi32((int32_t)(uint32_t)base)), bypass);
}

INLINE __m256i low_64(__m256i x) { return _mm256_cvtepi32_epi64(_mm256_castsi256_si128(x)); }
INLINE __m256i high_64(__m256i x) { return _mm256_cvtepi32_epi64(_mm256_extracti128_si256(x, 1)); }

INLINE void put_u64(uint64_t *out, __m256i x, uint64_t base, bool bypass)
{
    __m256i const b = _mm256_set1_epi64x((int64_t)base);
    put(out, _mm256_add_epi64(low_64(x), b), bypass);
    put(out + 4, _mm256_add_epi64(high_64(x), b), bypass);
}

/* Doubles: adding an integer to the bits of 2^52 adds the integer to the value, and subtracting
 * 2^52 is exact. In the bits of 2^51 the lowest bit has the value one half. */
#define TWO_52_BITS UINT64_C(0x4330000000000000)
#define TWO_51_BITS UINT64_C(0x4320000000000000)

INLINE void put4_f64(double *out, __m256i x, uint64_t bits, double bias, bool bypass)
{
    __m256i const sum = _mm256_add_epi64(x, _mm256_set1_epi64x((int64_t)bits));
    __m256d const value = _mm256_sub_pd(_mm256_castsi256_pd(sum), _mm256_set1_pd(bias));
    put(out, _mm256_castpd_si256(value), bypass);
}

INLINE void put_f64(double *out, __m256i x, uint64_t base, bool bypass)
{
    put4_f64(out, low_64(x), TWO_52_BITS + base, 0x1p52, bypass);
    put4_f64(out + 4, high_64(x), TWO_52_BITS + base, 0x1p52, bypass);
}

INLINE void mean64(double *out, uint64_t word, uint64_t base, uint64_t near_last,
                   uint64_t near_next, bool bypass)
{
    EACH (k, 8) {
        __m256i const sum =
            _mm256_add_epi32(last_at(word, k, near_last), next_at(word, k, near_next));
        uint64_t const twice = TWO_51_BITS + 2 * (base + 8 * k);
        put4_f64(out + 8 * k, low_64(sum), twice, 0x1p51, bypass);
        put4_f64(out + 8 * k + 4, high_64(sum), twice, 0x1p51, bypass);
    }
}

#define POSITIONS 8
#include "cpu/kernel/kernels_avx.h"
#include "cpu/kernel/word_rank.h"

const cpu_kernels cpu_kernels_avx2 = {
    .isa = "avx2",
    WORD_RANK_KERNELS,
    .sum = CPU_PER_WIDTH(sum),
    .scan_sum = CPU_PER_WIDTH(scan_sum),
    .sort_words = {cpu_sort_words_32_avx2, cpu_sort_words_64_avx2},
    .sort_keys = {cpu_sort_keys_32_avx2, cpu_sort_keys_64_avx2},
    .nth_word = {cpu_nth_word_32_avx2, cpu_nth_word_64_avx2},
    .most_words = {ORDO_TUNE_WORDS_32, ORDO_L2_WORDS},
    .loops = &cpu_loops_avx2,
    .sets = &set_loops_avx2,
};
