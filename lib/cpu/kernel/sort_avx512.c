/* sort_avx512.c - vector_sort.t.h for 32-bit and 64-bit unsigned integers in AVX-512. */
#include "cpu/kernel/kernels.h"

#include <immintrin.h>

#define VEC __m512i
#define LOAD(p) _mm512_loadu_si512(p)
#define STORE(p, v) _mm512_storeu_si512(p, v)
#define ALL_ONES _mm512_set1_epi64(-1)
/* Selects 128-bit quarters: two bits of `order` for each quarter of the result. */
#define QUARTERS(a, b, order) _mm512_shuffle_i64x2(a, b, order)
#define SWAP_QUARTERS(v) QUARTERS(v, v, 0xb1)
#define SWAP_HALVES(v) QUARTERS(v, v, 0x4e)

/* W is the width of an integer in bits. */
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define FN(name) PASTE(name##_, W)
#define WORD PASTE(PASTE(uint, W), _t)
#define MASK PASTE(__mmask, LANES)
#define FILL(x) PASTE(_mm512_set1_epi, W)((PASTE(PASTE(int, W), _t))(x))
#define LOAD_SOME(rest, mask, p) PASTE(_mm512_mask_loadu_epi, W)(rest, mask, p)
#define STORE_SOME(p, mask, v) PASTE(_mm512_mask_storeu_epi, W)(p, mask, v)
#define MIN(a, b) PASTE(_mm512_min_epu, W)(a, b)
#define MAX(a, b) PASTE(_mm512_max_epu, W)(a, b)
#define MIN_SOME(a, mask, b) PASTE(_mm512_mask_min_epu, W)(a, mask, a, b)
#define MAX_SOME(a, mask, b) PASTE(_mm512_mask_max_epu, W)(a, mask, a, b)
#define BLEND(a, mask, b) PASTE(_mm512_mask_mov_epi, W)(a, mask, b)
#define LESS_MASK(a, b) PASTE(PASTE(_mm512_cmplt_epu, W), _mask)(a, b)
#define COMPRESS(mask, v) PASTE(_mm512_maskz_compress_epi, W)(mask, v)
#define REDUCE_MIN(v) ((WORD)PASTE(_mm512_reduce_min_epu, W)(v))
#define REDUCE_MAX(v) ((WORD)PASTE(_mm512_reduce_max_epu, W)(v))
#define MAPPED(v, map) ((map) == NULL ? (v) : FN(mapped)(v, map))

/* ---- 32 bits ---- */

INLINE __m512i backwards_32(void)
{
    return _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

#define SWAP(x, v)                                                                                 \
    ((x) == 1   ? _mm512_shuffle_epi32(v, 0xb1)                                                    \
     : (x) == 2 ? _mm512_shuffle_epi32(v, 0x4e)                                                    \
     : (x) == 3 ? _mm512_shuffle_epi32(v, 0x1b)                                                    \
     : (x) == 4 ? SWAP_QUARTERS(v)                                                                 \
     : (x) == 7 ? _mm512_shuffle_epi32(SWAP_QUARTERS(v), 0x1b)                                     \
     : (x) == 8 ? SWAP_HALVES(v)                                                                   \
                : _mm512_permutexvar_epi32(backwards_32(), v))
#define UPPER(x)                                                                                   \
    ((__mmask16)((x) == 1               ? 0xaaaa                                                   \
                 : (x) == 2 || (x) == 3 ? 0xcccc                                                   \
                 : (x) == 4 || (x) == 7 ? 0xf0f0                                                   \
                                        : 0xff00))
#define W 32
#define LANES 16
#define LEAF 222 /* of 256: leaves of evenly spread integers are seldom too large */

INLINE void exchange_32(__m512i *a, __m512i *b)
{
    __m512i const low = MIN(*a, *b);
    *b = MAX(*a, *b);
    *a = low;
}

INLINE __m512i mapped_32(__m512i v, const cpu_words_map *map)
{
    __m512i const sum = _mm512_add_epi32(v, FILL(map->add));
    __m512i const flips = _mm512_andnot_si512(_mm512_srai_epi32(sum, 31), FILL(map->flip_low));
    return _mm512_xor_si512(sum, _mm512_or_si512(flips, FILL(map->flip)));
}

/* 16 vectors of 16: integer r of vector l becomes integer l of vector r. */
INLINE void transpose_32(__m512i *v)
{
    __m512i two[16], four[16], half[16];
    EACH (i, 8) { /* 2 x 2 integers within a quarter */
        two[2 * i] = _mm512_unpacklo_epi32(v[2 * i], v[2 * i + 1]);
        two[2 * i + 1] = _mm512_unpackhi_epi32(v[2 * i], v[2 * i + 1]);
    }
    EACH (i, 4) /* four[4i + c] quarter q: integer 4q + c of vectors 4i to 4i + 3 */
        EACH (c, 2) {
            four[4 * i + 2 * c] = _mm512_unpacklo_epi64(two[4 * i + c], two[4 * i + 2 + c]);
            four[4 * i + 2 * c + 1] = _mm512_unpackhi_epi64(two[4 * i + c], two[4 * i + 2 + c]);
        }
    EACH (c, 4) /* quarters: [0 2] of two of them, [1 3] of two of them */
        EACH (i, 2) {
            half[4 * c + 2 * i] = QUARTERS(four[8 * i + c], four[8 * i + 4 + c], 0x88);
            half[4 * c + 2 * i + 1] = QUARTERS(four[8 * i + c], four[8 * i + 4 + c], 0xdd);
        }
    EACH (c, 4) {
        v[c] = QUARTERS(half[4 * c], half[4 * c + 2], 0x88);
        v[4 + c] = QUARTERS(half[4 * c + 1], half[4 * c + 3], 0x88);
        v[8 + c] = QUARTERS(half[4 * c], half[4 * c + 2], 0xdd);
        v[12 + c] = QUARTERS(half[4 * c + 1], half[4 * c + 3], 0xdd);
    }
}

#include "cpu/kernel/vector_sort.t.h"
#undef LEAF
#undef LANES
#undef W
#undef UPPER
#undef SWAP

/* ---- 64 bits ---- */

#define SWAP(x, v)                                                                                 \
    ((x) == 1   ? _mm512_permutex_epi64(v, 0xb1)                                                   \
     : (x) == 2 ? _mm512_permutex_epi64(v, 0x4e)                                                   \
     : (x) == 3 ? _mm512_permutex_epi64(v, 0x1b)                                                   \
     : (x) == 4 ? SWAP_HALVES(v)                                                                   \
                : _mm512_permutex_epi64(SWAP_HALVES(v), 0x1b))
#define UPPER(x) ((__mmask8)((x) == 1 ? 0xaa : (x) == 2 || (x) == 3 ? 0xcc : 0xf0))
#define W 64
#define LANES 8
#define LEAF 108 /* of 128 */

/* The 64-bit minimum and maximum use one execution port; a comparison and two blends use two. */
INLINE void exchange_64(__m512i *a, __m512i *b)
{
    __mmask8 const less = LESS_MASK(*a, *b);
    __m512i const  low = BLEND(*b, less, *a);
    *b = BLEND(*a, less, *b);
    *a = low;
}

INLINE __m512i mapped_64(__m512i v, const cpu_words_map *map)
{
    __m512i const sum = _mm512_add_epi64(v, FILL(map->add));
    __m512i const flips = _mm512_andnot_si512(_mm512_srai_epi64(sum, 63), FILL(map->flip_low));
    return _mm512_xor_si512(sum, _mm512_or_si512(flips, FILL(map->flip)));
}

/* Transposes 8 vectors of 8 into the even (odd = 0) or the odd vectors of to. */
INLINE void transpose_half_64(const __m512i *v, __m512i *to, unsigned odd)
{
    __m512i two[8], half[8];
    EACH (i, 4) { /* two[2i + c] quarter q: integer 2q + c of vectors 2i and 2i + 1 */
        two[2 * i] = _mm512_unpacklo_epi64(v[2 * i], v[2 * i + 1]);
        two[2 * i + 1] = _mm512_unpackhi_epi64(v[2 * i], v[2 * i + 1]);
    }
    EACH (c, 2)
        EACH (i, 2) {
            half[4 * c + 2 * i] = QUARTERS(two[4 * i + c], two[4 * i + 2 + c], 0x88);
            half[4 * c + 2 * i + 1] = QUARTERS(two[4 * i + c], two[4 * i + 2 + c], 0xdd);
        }
    EACH (c, 2) {
        to[2 * c + odd] = QUARTERS(half[4 * c], half[4 * c + 2], 0x88);
        to[4 + 2 * c + odd] = QUARTERS(half[4 * c + 1], half[4 * c + 3], 0x88);
        to[8 + 2 * c + odd] = QUARTERS(half[4 * c], half[4 * c + 2], 0xdd);
        to[12 + 2 * c + odd] = QUARTERS(half[4 * c + 1], half[4 * c + 3], 0xdd);
    }
}

/* 16 vectors of 8: integer r of vector l goes to place 16r + l. */
INLINE void transpose_64(__m512i *v)
{
    __m512i to[16];
    transpose_half_64(v, to, 0);
    transpose_half_64(v + 8, to, 1);
    EACH (i, 16)
        v[i] = to[i];
}

#include "cpu/kernel/vector_sort.t.h"
