/* count_avx512.c - count_band.h for AVX-512.
 *
 * Keys of 32 and 64 bits become words and are compared in vectors; the masks are counted, and the
 * words inside are compressed and stored whether there are any or not, so nothing branches on keys.
 * Keys of 8 and 16 bits, which are hardly ever selected by bands, are left to AVX2. */
#include "core/keybits.h"
#include "cpu/kernel/count_band.h"
#include "cpu/kernel/kernels.h"

#include <immintrin.h>

enum {
    AHEAD = 8192 /* bytes that are asked for before they are read: more than the processor does */
};

enum key_kind {
    KIND_UNSIGNED,
    KIND_SIGNED,
    KIND_FLOAT
};

/* Key bits as in keybits.h, turned around if descending. */
INLINE __m512i word_32(__m512i v, enum key_kind kind, bool descending)
{
    __m512i const top = _mm512_set1_epi32(INT32_MIN);
    if (kind == KIND_SIGNED)
        v = _mm512_xor_si512(v, top);
    if (kind == KIND_FLOAT)
        v = _mm512_sub_epi32(_mm512_xor_si512(v, _mm512_or_si512(_mm512_srai_epi32(v, 31), top)),
                             _mm512_set1_epi32(0x007fffff));
    if (!descending)
        return v;
    if (kind != KIND_FLOAT)
        return _mm512_xor_si512(v, _mm512_set1_epi32(-1));
    __m512i const inf = _mm512_set1_epi32((int32_t)KEY_INF_F32);
    return _mm512_mask_sub_epi32(v, _mm512_cmple_epu32_mask(v, inf), inf, v);
}

INLINE __m512i word_64(__m512i v, enum key_kind kind, bool descending)
{
    __m512i const top = _mm512_set1_epi64(INT64_MIN);
    if (kind == KIND_SIGNED)
        v = _mm512_xor_si512(v, top);
    if (kind == KIND_FLOAT)
        v = _mm512_sub_epi64(_mm512_xor_si512(v, _mm512_or_si512(_mm512_srai_epi64(v, 63), top)),
                             _mm512_set1_epi64(0x000fffffffffffff));
    if (!descending)
        return v;
    if (kind != KIND_FLOAT)
        return _mm512_xor_si512(v, _mm512_set1_epi64(-1));
    __m512i const inf = _mm512_set1_epi64((int64_t)KEY_INF_F64);
    return _mm512_mask_sub_epi64(v, _mm512_cmple_epu64_mask(v, inf), inf, v);
}

#define BAND(width, lanes, mask_type)                                                              \
    INLINE size_t band_##width(const uint##width##_t *keys, size_t n, cpu_band *band,              \
                               uint##width##_t *kept, enum key_kind kind, bool descending)         \
    {                                                                                              \
        __m512i const lo = _mm512_set1_epi##width((int##width##_t)band->lo);                       \
        __m512i const span = _mm512_set1_epi##width((int##width##_t)(band->hi - band->lo));        \
        size_t        below = 0, inside = 0;                                                       \
        for (size_t at = 0; at < n; at += (lanes)) {                                               \
            mask_type const here =                                                                 \
                (mask_type)_bzhi_u32(UINT32_MAX, (unsigned)ordo_min(n - at, lanes));               \
            _mm_prefetch((const char *)(keys + at) + AHEAD, _MM_HINT_T1);                          \
            __m512i const   v = _mm512_maskz_loadu_epi##width(here, keys + at);                    \
            __m512i const   word = word_##width(v, kind, descending);                              \
            mask_type const under = _mm512_mask_cmplt_epu##width##_mask(here, word, lo);           \
            mask_type const in =                                                                   \
                _mm512_mask_cmple_epu##width##_mask(here, _mm512_sub_epi##width(word, lo), span);  \
            if (kept != NULL && here == (mask_type)-1)                                             \
                _mm512_storeu_si512(kept + inside, _mm512_maskz_compress_epi##width(in, word));    \
            else if (kept != NULL)                                                                 \
                _mm512_mask_compressstoreu_epi##width(kept + inside, in, word);                    \
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
    INLINE void below_##width(const uint##width##_t *keys, size_t n, uint64_t pivot,               \
                              uint64_t *words, enum key_kind kind, bool descending)                \
    {                                                                                              \
        __m512i const limit = _mm512_set1_epi##width((int##width##_t)pivot);                       \
        for (size_t at = 0; at < n; at += 64) {                                                    \
            uint64_t word = 0;                                                                     \
            EACH (i, 64 / (lanes)) {                                                               \
                __m512i const v = _mm512_loadu_si512(keys + at + i * (lanes));                     \
                word |= (uint64_t)_mm512_cmplt_epu##width##_mask(                                  \
                            word_##width(v, kind, descending), limit)                              \
                        << (i * (lanes));                                                          \
            }                                                                                      \
            words[at / 64] = word;                                                                 \
        }                                                                                          \
    }
BELOW(32, 16u)
BELOW(64, 8u)

#define BAND_OF(tag, width, kind)                                                                  \
    static size_t vector_up_##tag(const void *keys, size_t n, cpu_band *band, void *kept)          \
    {                                                                                              \
        return band_##width(keys, n, band, kept, kind, false);                                     \
    }                                                                                              \
    static size_t vector_down_##tag(const void *keys, size_t n, cpu_band *band, void *kept)        \
    {                                                                                              \
        return band_##width(keys, n, band, kept, kind, true);                                      \
    }                                                                                              \
    static void below_up_##tag(const void *keys, size_t n, uint64_t pivot, uint64_t *words)        \
    {                                                                                              \
        below_##width(keys, n, pivot, words, kind, false);                                         \
    }                                                                                              \
    static void below_down_##tag(const void *keys, size_t n, uint64_t pivot, uint64_t *words)      \
    {                                                                                              \
        below_##width(keys, n, pivot, words, kind, true);                                          \
    }
BAND_OF(i32, 32, KIND_SIGNED)
BAND_OF(u32, 32, KIND_UNSIGNED)
BAND_OF(f32, 32, KIND_FLOAT)
BAND_OF(i64, 64, KIND_SIGNED)
BAND_OF(u64, 64, KIND_UNSIGNED)
BAND_OF(f64, 64, KIND_FLOAT)

const cpu_band_table cpu_band_avx512 = {
    [ORDO_I32] = {vector_up_i32, vector_down_i32}, [ORDO_U32] = {vector_up_u32, vector_down_u32},
    [ORDO_I64] = {vector_up_i64, vector_down_i64}, [ORDO_U64] = {vector_up_u64, vector_down_u64},
    [ORDO_F32] = {vector_up_f32, vector_down_f32}, [ORDO_F64] = {vector_up_f64, vector_down_f64},
};

const cpu_below_table cpu_below_avx512 = {
    [ORDO_I32] = {below_up_i32, below_down_i32}, [ORDO_U32] = {below_up_u32, below_down_u32},
    [ORDO_I64] = {below_up_i64, below_down_i64}, [ORDO_U64] = {below_up_u64, below_down_u64},
    [ORDO_F32] = {below_up_f32, below_down_f32}, [ORDO_F64] = {below_up_f64, below_down_f64},
};
