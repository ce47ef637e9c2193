/* sort_avx512.c - vector_sort.t.h for 32-bit and 64-bit unsigned integers in AVX-512.
 *
 * 32-bit integers on either side of the pivot are compressed; eight 64-bit integers are permuted by
 * a table (part_orders.h). */
#include "cpu/base/kernels.h"
#include "cpu/base/tuning.h"
#include "cpu/vector/part_orders.h"

#include <immintrin.h>
#include <string.h>

#define VEC __m512i
#define LOAD(p) _mm512_loadu_si512(p)
#define STORE(p, v) _mm512_storeu_si512(p, v)
#define ENTER(v) (v)
#define LEAVE(v) (v)
/* Selects 128-bit quarters: two bits of `order` for each quarter of the result. */
#define QUARTERS(a, b, order) _mm512_shuffle_i64x2(a, b, order)
#define SWAP_QUARTERS(v) QUARTERS(v, v, 0xb1)
#define SWAP_HALVES(v) QUARTERS(v, v, 0x4e)

/* W is the width of an integer in bits. */
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define FN(name) PASTE(name##_, W)
#define SORT_WORDS PASTE(PASTE(cpu_sort_words_, W), _avx512)
#define SORT_KEYS PASTE(PASTE(cpu_sort_keys_, W), _avx512)
#define NTH_WORD PASTE(PASTE(cpu_nth_word_, W), _avx512)
#define WORD PASTE(PASTE(uint, W), _t)
#define MASK PASTE(__mmask, LANES)
#define FILL(x) PASTE(_mm512_set1_epi, W)((PASTE(PASTE(int, W), _t))(x))
#define ADD(a, b) PASTE(_mm512_add_epi, W)(a, b)
#define SIGNS(v) PASTE(_mm512_srai_epi, W)(v, W - 1)
#define MIN(a, b) PASTE(_mm512_min_epu, W)(a, b)
/* The maximum is a ^ b ^ minimum: the exclusive or runs on an execution port that the minimum
 * cannot use. */
#define THE_OTHER(a, b, low) PASTE(_mm512_ternarylogic_epi, W)(a, b, low, 0x96)
#define KEEP(x, a, b) PASTE(_mm512_mask_ternarylogic_epi, W)(MIN(a, b), UPPER(x), a, b, 0x96)

#define ALL_BITS ((1u << LANES) - 1)
#define FIRST_BITS(n) _bzhi_u32(ALL_BITS, (n) < LANES ? (unsigned)(n) : LANES)
#define LOAD_FIRST(p, n)                                                                           \
    PASTE(_mm512_mask_loadu_epi, W)(_mm512_set1_epi64(-1), (MASK)FIRST_BITS(n), p)
#define STORE_FIRST(p, n, v) PASTE(_mm512_mask_storeu_epi, W)(p, (MASK)FIRST_BITS(n), v)
#define STORE_LAST(p, n, v)                                                                        \
    PASTE(_mm512_mask_storeu_epi, W)(p, (MASK)(ALL_BITS ^ FIRST_BITS(LANES - (n))), v)

#define BITS_BELOW(v, pivot) ((unsigned)_mm512_cmplt_epu32_mask(v, pivot))
#define COUNT(bits) ((size_t)__builtin_popcount(bits))
/* ---- 32 bits ---- */

/* The permutation that begins at up + 16 - k moves lane i - k to lane i. */
static const uint32_t up[32] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0,  0,  0,  0,  0,
                                0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

#define COMPRESS(v, bits) _mm512_maskz_compress_epi32((__mmask16)(bits), v)
#define LOW_SIDE(v, low) COMPRESS(v, low)
#define HIGH_FIRST(v, low) COMPRESS(v, ~(low)) /* the high side in the first lanes */
/* Compresses the high side, then moves it to the last lanes. */
#define HIGH_SIDE(v, low)                                                                          \
    _mm512_permutexvar_epi32(LOAD(up + LANES - COUNT(low)), HIGH_FIRST(v, low))

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
#define LEAF 222 /* expected integers of a leaf; less than 256, so that few leaves are too large */

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
    EACH (c, 4) /* quarters 0 and 2 of two vectors; quarters 1 and 3 of two vectors */
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

#include "cpu/vector/vector_sort.t.h"
#undef LEAF
#undef LANES
#undef W
#undef UPPER
#undef SWAP
#undef HIGH_SIDE
#undef HIGH_FIRST
#undef LOW_SIDE
#undef COMPRESS
#undef BITS_BELOW

/* ---- 64 bits ---- */

/* The bits of a mask. gcc 12 may store the byte of a mask on the stack and read four bytes there as
 * an unsigned, so it must not see a conversion. */
INLINE unsigned mask_bits(__mmask8 mask)
{
    unsigned bits;
    __asm__("kmovb %1, %0" : "=r"(bits) : "k"(mask));
    return bits;
}

#define BITS_BELOW(v, pivot) mask_bits(_mm512_cmplt_epu64_mask(v, pivot))

/* One permutation for both sides: two compressions would take twice as many instructions of the
 * one port that moves lanes. */
INLINE __m512i parted(__m512i v, unsigned low)
{
    __m128i const order = _mm_loadl_epi64((const __m128i *)(const void *)(part_orders + low));
    return _mm512_permutexvar_epi64(_mm512_cvtepu8_epi64(order), v);
}

#define LOW_SIDE(v, low) parted(v, low)
#define HIGH_SIDE(v, low) parted(v, low)

INLINE __m512i gathered(const uint64_t *from, const uint32_t *index, uint32_t mask)
{
    __m256i const at = _mm256_loadu_si256((const __m256i *)(const void *)index);
    return _mm512_i32gather_epi64(at & _mm256_set1_epi32((int)mask), from, 8);
}

#define GATHER(from, index, mask) gathered(from, index, mask)
#define AFTER(last, v) _mm512_alignr_epi64(v, last, 7) /* lane i - 1 of v in lane i */

#define SWAP(x, v)                                                                                 \
    ((x) == 1   ? _mm512_permutex_epi64(v, 0xb1)                                                   \
     : (x) == 2 ? _mm512_permutex_epi64(v, 0x4e)                                                   \
     : (x) == 3 ? _mm512_permutex_epi64(v, 0x1b)                                                   \
     : (x) == 4 ? SWAP_HALVES(v)                                                                   \
                : _mm512_permutex_epi64(SWAP_HALVES(v), 0x1b))
#define UPPER(x) ((__mmask8)((x) == 1 ? 0xaa : (x) == 2 || (x) == 3 ? 0xcc : 0xf0))
#define W 64
#define LANES 8
#define LEAF 108 /* of at most 128 */

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

#include "cpu/vector/vector_sort.t.h"
