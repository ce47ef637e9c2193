/* kernels_avx512.c - the kernels for AVX-512 (F BW DQ VL CD VPOPCNTDQ: Ice Lake, Zen 4 and later).
 *
 * A comparison leaves its result in a mask register. Sixteen bits at a time are copied to all of
 * sixteen lanes, and each lane keeps the bits at or before it (or after it). The result of the lane
 * is a count of leading zeros or of ones; no tables are needed. Stores of large results bypass the
 * cache, because an ordinary store would first read the cache line. */
#include "core/keybits.h"
#include "cpu/base/kernels.h"

#include <immintrin.h>

/* ---- Bands of key bits, for keys of 32 and 64 bits (count_band.t.h) ---- */

enum {
    BAND_AHEAD = 8192 /* bytes to prefetch ahead; the CPU prefetches fewer by itself */
};

enum key_kind {
    KIND_UNSIGNED,
    KIND_SIGNED,
    KIND_FLOAT
};

/* Key bits as in keybits.h, reversed for a descending order. `below` is the number of NaN bit
 * patterns of one sign. */
#define KEY_BITS(width, below, INF)                                                                \
    INLINE __m512i bits_##width(__m512i v, enum key_kind kind, bool descending)                    \
    {                                                                                              \
        __m512i const top = _mm512_set1_epi##width(INT##width##_MIN);                              \
        __m512i const inf = _mm512_set1_epi##width((int##width##_t)(INF));                         \
        if (kind == KIND_SIGNED)                                                                   \
            v = _mm512_xor_si512(v, top);                                                          \
        if (kind == KIND_FLOAT)                                                                    \
            v = _mm512_sub_epi##width(                                                             \
                _mm512_xor_si512(v, _mm512_or_si512(_mm512_srai_epi##width(v, (width)-1), top)),   \
                _mm512_set1_epi##width(below));                                                    \
        if (!descending)                                                                           \
            return v;                                                                              \
        if (kind != KIND_FLOAT)                                                                    \
            return _mm512_xor_si512(v, _mm512_set1_epi##width(-1));                                \
        return _mm512_mask_sub_epi##width(v, _mm512_cmple_epu##width##_mask(v, inf), inf, v);      \
    }
KEY_BITS(32, 0x007fffff, KEY_INF_F32)
KEY_BITS(64, 0x000fffffffffffff, KEY_INF_F64)

/* The loop counts the bits of the masks, and compresses and stores the key bits in the band even if
 * there are none. So no branch depends on the keys. */
#define BAND(width, lanes, mask_type)                                                              \
    INLINE size_t vector_band_##width(const void *array, size_t n, cpu_band *band, void *kept,     \
                                      enum key_kind kind, bool descending)                         \
    {                                                                                              \
        const uint##width##_t *const keys = array;                                                 \
        uint##width##_t *const       to = kept;                                                    \
        __m512i const                lo = _mm512_set1_epi##width((int##width##_t)band->lo);        \
        __m512i const span = _mm512_set1_epi##width((int##width##_t)(band->hi - band->lo));        \
        size_t        below = 0, inside = 0;                                                       \
        size_t        at = 0;                                                                      \
        for (; n - at >= (lanes); at += (lanes)) {                                                 \
            _mm_prefetch((const char *)(keys + at) + BAND_AHEAD, _MM_HINT_T1);                     \
            __m512i const   v = _mm512_loadu_si512(keys + at);                                     \
            __m512i const   bits = bits_##width(v, kind, descending);                              \
            mask_type const under = _mm512_cmplt_epu##width##_mask(bits, lo);                      \
            mask_type const in =                                                                   \
                _mm512_cmple_epu##width##_mask(_mm512_sub_epi##width(bits, lo), span);             \
            if (to != NULL)                                                                        \
                _mm512_storeu_si512(to + inside, _mm512_maskz_compress_epi##width(in, bits));      \
            below += (size_t)__builtin_popcount(under);                                            \
            inside += (size_t)__builtin_popcount(in);                                              \
        }                                                                                          \
        if (at < n) {                                                                              \
            mask_type const here = (mask_type)_bzhi_u32(UINT32_MAX, (unsigned)(n - at));           \
            __m512i const   v = _mm512_maskz_loadu_epi##width(here, keys + at);                    \
            __m512i const   bits = bits_##width(v, kind, descending);                              \
            mask_type const under = _mm512_mask_cmplt_epu##width##_mask(here, bits, lo);           \
            mask_type const in =                                                                   \
                _mm512_mask_cmple_epu##width##_mask(here, _mm512_sub_epi##width(bits, lo), span);  \
            if (to != NULL)                                                                        \
                _mm512_mask_compressstoreu_epi##width(to + inside, in, bits);                      \
            below += (size_t)__builtin_popcount(under);                                            \
            inside += (size_t)__builtin_popcount(in);                                              \
        }                                                                                          \
        band->below += below;                                                                      \
        band->inside += inside;                                                                    \
        return inside;                                                                             \
    }
BAND(32, 16u, __mmask16)
BAND(64, 8u, __mmask8)

#define BELOW(width, lanes)                                                                        \
    INLINE void vector_below_##width(const void *array, size_t n, uint64_t pivot, uint64_t *words, \
                                     enum key_kind kind, bool descending)                          \
    {                                                                                              \
        const uint##width##_t *const keys = array;                                                 \
        __m512i const                limit = _mm512_set1_epi##width((int##width##_t)pivot);        \
        for (size_t at = 0; at < n; at += 64) {                                                    \
            uint64_t word = 0;                                                                     \
            EACH (i, 64 / (lanes)) {                                                               \
                __m512i const v = _mm512_loadu_si512(keys + at + i * (lanes));                     \
                word |= (uint64_t)_mm512_cmplt_epu##width##_mask(                                  \
                            bits_##width(v, kind, descending), limit)                              \
                        << (i * (lanes));                                                          \
            }                                                                                      \
            words[at / 64] = word;                                                                 \
        }                                                                                          \
    }
BELOW(32, 16u)
BELOW(64, 8u)

#include "cpu/kernel/around_avx512.h"

#define BAND_BY_VECTORS
#define AROUND_BY_VECTORS
#define CPU_ISA avx512
#include "cpu/kernel/plain_loops.h"

#define NEAR_MAX (UINT64_C(1) << 29) /* twice this and a word fit 32-bit lanes */

/* ---- Keys to bits: which keys differ from the previous key ---- */

INLINE __m512i load(const void *p) { return _mm512_loadu_si512(p); }

INLINE uint64_t heads64_u8(const uint8_t *k)
{
    return _mm512_cmpneq_epi8_mask(load(k), load(k - 1));
}

INLINE uint64_t unequal_u16(const uint16_t *k)
{
    return _mm512_cmpneq_epi16_mask(load(k), load(k - 1));
}

INLINE uint64_t unequal_u32(const uint32_t *k)
{
    return _mm512_cmpneq_epi32_mask(load(k), load(k - 1));
}

INLINE uint64_t unequal_u64(const uint64_t *k)
{
    return _mm512_cmpneq_epi64_mask(load(k), load(k - 1));
}

/* Both zeros are 0 without the sign bit. */
INLINE uint64_t zeros64_f32(const float *k)
{
    __m512i const rest = _mm512_set1_epi32(INT32_MAX);
    uint64_t      word = 0;
    EACH (i, 4)
        word |= (uint64_t)_mm512_testn_epi32_mask(load(k + 16 * i), rest) << 16 * i;
    return word;
}

INLINE uint64_t zeros64_f64(const double *k)
{
    __m512i const rest = _mm512_set1_epi64(INT64_MAX);
    uint64_t      word = 0;
    EACH (i, 8)
        word |= (uint64_t)_mm512_testn_epi64_mask(load(k + 8 * i), rest) << 8 * i;
    return word;
}

#define HEADS64(C, key, step)                                                                      \
    INLINE uint64_t heads64_##C(const key *k)                                                      \
    {                                                                                              \
        uint64_t word = 0;                                                                         \
        EACH (i, 64 / (step))                                                                      \
            word |= unequal_##C(k + i * (step)) << i * (step);                                     \
        return word;                                                                               \
    }
HEADS64(u16, uint16_t, 32)
HEADS64(u32, uint32_t, 16)
HEADS64(u64, uint64_t, 8)

INLINE uint64_t flags64(const uint8_t *f) { return _mm512_test_epi8_mask(load(f), load(f)); }

/* ---- Bits to positions: sixteen lanes for bits 16k to 16k + 15, counted from bit 16k ---- */

INLINE __m512i lanes(void)
{
    return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* Lane l has bits 0 to l set. */
INLINE __m512i up_to_lane(void)
{
    return _mm512_sub_epi32(_mm512_sllv_epi32(_mm512_set1_epi32(2), lanes()), _mm512_set1_epi32(1));
}

INLINE __m512i spread(uint64_t word, unsigned k)
{
    return _mm512_set1_epi32((int32_t)(word >> 16 * k & 0xffff));
}

INLINE __m512i last_at(uint64_t word, unsigned k, uint64_t near)
{
    uint64_t const  below = k == 0 ? 0 : word << (64 - 16 * k);
    uint64_t const  back = below != 0 ? (uint64_t)__builtin_clzll(below) : near + 16 * k;
    __m512i const   bits = _mm512_and_si512(spread(word, k), up_to_lane());
    __mmask16 const found = _mm512_test_epi32_mask(bits, bits);
    return _mm512_mask_sub_epi32(_mm512_set1_epi32(-(int32_t)back), found, _mm512_set1_epi32(32),
                                 _mm512_lzcnt_epi32(bits));
}

INLINE __m512i next_at(uint64_t word, unsigned k, uint64_t near)
{
    uint64_t const  above = (word >> 16 * k) >> 16;
    uint64_t const  ahead = above != 0 ? 16 + (uint64_t)__builtin_ctzll(above) : near - 16 * k;
    __m512i const   bits = _mm512_andnot_si512(up_to_lane(), spread(word, k));
    __m512i const   lowest = _mm512_and_si512(bits, _mm512_sub_epi32(_mm512_setzero_si512(), bits));
    __mmask16 const found = _mm512_test_epi32_mask(bits, bits);
    return _mm512_mask_sub_epi32(_mm512_set1_epi32((int32_t)ahead), found, _mm512_set1_epi32(31),
                                 _mm512_lzcnt_epi32(lowest));
}

INLINE __m512i count_at(uint64_t word, unsigned k)
{
    uint64_t const below = k == 0 ? 0 : word << (64 - 16 * k);
    __m512i const  bits = _mm512_and_si512(spread(word, k), up_to_lane());
    return _mm512_add_epi32(_mm512_popcnt_epi32(bits),
                            _mm512_set1_epi32(__builtin_popcountll(below)));
}

/* ---- Positions to output: base + x ---- */

INLINE void put(void *out, __m512i x, bool bypass)
{
    if (bypass)
        _mm512_stream_si512(out, x);
    else
        _mm512_storeu_si512(out, x);
}

INLINE void put_u32(uint32_t *out, __m512i x, uint64_t base, bool bypass)
{
    put(out, _mm512_add_epi32(x, _mm512_set1_epi32((int32_t)(uint32_t)base)), bypass);
}

INLINE __m512i low_64(__m512i x) { return _mm512_cvtepi32_epi64(_mm512_castsi512_si256(x)); }
INLINE __m512i high_64(__m512i x) { return _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(x, 1)); }

INLINE void put_u64(uint64_t *out, __m512i x, uint64_t base, bool bypass)
{
    __m512i const b = _mm512_set1_epi64((int64_t)base);
    put(out, _mm512_add_epi64(low_64(x), b), bypass);
    put(out + 8, _mm512_add_epi64(high_64(x), b), bypass);
}

/* (base + x) * scale, exact below 2^53. */
INLINE void put8_f64(double *out, __m512i x, uint64_t base, double scale, bool bypass)
{
    __m512d const value = _mm512_cvtepi64_pd(_mm512_add_epi64(x, _mm512_set1_epi64((int64_t)base)));
    put(out, _mm512_castpd_si512(_mm512_mul_pd(value, _mm512_set1_pd(scale))), bypass);
}

INLINE void put_f64(double *out, __m512i x, uint64_t base, bool bypass)
{
    put8_f64(out, low_64(x), base, 1, bypass);
    put8_f64(out + 8, high_64(x), base, 1, bypass);
}

INLINE void mean64(double *out, uint64_t word, uint64_t base, uint64_t near_last,
                   uint64_t near_next, bool bypass)
{
    EACH (k, 4) {
        __m512i const sum =
            _mm512_add_epi32(last_at(word, k, near_last), next_at(word, k, near_next));
        uint64_t const twice = 2 * (base + 16 * k);
        put8_f64(out + 16 * k, low_64(sum), twice, 0.5, bypass);
        put8_f64(out + 16 * k + 8, high_64(sum), twice, 0.5, bypass);
    }
}

/* ---- Split by bits ---- */

#define SPLIT(width, lanes, mask_type)                                                             \
    static size_t split_##width(const void *in, size_t n, const uint64_t *words, void *first,      \
                                void *second)                                                      \
    {                                                                                              \
        const uint##width##_t *const from = in;                                                    \
        uint##width##_t *const set = first, *const unset = second;                                 \
        size_t kept = 0;                                                                           \
        for (size_t i = 0; i < n; i += (lanes)) {                                                  \
            mask_type const here =                                                                 \
                (mask_type)_bzhi_u32(UINT32_MAX, (unsigned)ordo_min(n - i, lanes));                \
            mask_type const bits = (mask_type)(words[i / 64] >> i % 64) & here;                    \
            __m512i const   v = _mm512_maskz_loadu_epi##width(here, from + i);                     \
            _mm512_storeu_si512(set + kept, _mm512_maskz_compress_epi##width(bits, v));            \
            _mm512_storeu_si512(unset + (i - kept),                                                \
                                _mm512_maskz_compress_epi##width((mask_type)(here & ~bits), v));   \
            kept += (size_t)__builtin_popcount(bits);                                              \
        }                                                                                          \
        return kept;                                                                               \
    }
SPLIT(32, 16u, __mmask16)
SPLIT(64, 8u, __mmask8)

#define POSITIONS 16
#include "cpu/kernel/kernels_avx.h"
#include "cpu/kernel/word_rank.h"

const cpu_kernels cpu_kernels_avx512 = {
    .isa = "avx512",
    WORD_RANK_KERNELS,
    .sum = CPU_PER_WIDTH(sum),
    .scan_sum = CPU_PER_WIDTH(scan_sum),
    .sort_words = {cpu_sort_words_32_avx512, cpu_sort_words_64_avx512},
    .sort_keys = {cpu_sort_keys_32_avx512, cpu_sort_keys_64_avx512},
    .nth_word = {cpu_nth_word_32_avx512, cpu_nth_word_64_avx512},
    .most_words = {ORDO_TUNE_WORDS_32, ORDO_TUNE_WORDS_64},
    .split = {[CPU_WIDTH_32] = split_32, [CPU_WIDTH_64] = split_64},
    .loops = &cpu_loops_avx512,
    .sets = &set_loops_avx512,
};
