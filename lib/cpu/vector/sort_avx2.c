/* sort_avx2.c - vector_sort.t.h for 32-bit and 64-bit unsigned integers in AVX2.
 *
 * AVX2 cannot compress a vector: a table of 256 permutations moves the integers below the pivot to
 * the first lanes and the others to the last lanes. In the table a 64-bit integer is two lanes of
 * 32 bits. AVX2 compares 64-bit integers as signed ones, so a leaf flips their top bits. */
#include "cpu/base/kernels.h"
#include "cpu/base/tuning.h"
#include "cpu/vector/part_orders.h"

#include <immintrin.h>
#include <string.h>

#define VEC __m256i
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define STORE(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define SWAP_HALVES(v) _mm256_permute2x128_si256(v, v, 1)

/* W is the width of an integer in bits. */
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define FN(name) PASTE(name##_, W)
#define SORT_WORDS PASTE(PASTE(cpu_sort_words_, W), _avx2)
#define SORT_KEYS PASTE(PASTE(cpu_sort_keys_, W), _avx2)
#define NTH_WORD PASTE(PASTE(cpu_nth_word_, W), _avx2)
#define WORD PASTE(PASTE(uint, W), _t)

/* ---- Some lanes ---- */

/* A mask of the first k lanes of 32 bits begins at window + 8 - k; a mask of all other lanes begins
 * at window + 16 - k. */
static const int32_t window[24] = {-1, -1, -1, -1, -1, -1, -1, -1, 0,  0,  0,  0,
                                   0,  0,  0,  0,  -1, -1, -1, -1, -1, -1, -1, -1};

#define PER_WORD (W / 32) /* lanes of 32 bits */
#define FIRST_LANES(n) LOAD(window + 8 - PER_WORD * ((n) < LANES ? (n) : LANES))
#define LAST_LANES(n) LOAD(window + 8 + PER_WORD * (n))

INLINE __m256i load_lanes(const void *p, __m256i lanes)
{
    return _mm256_maskload_epi32((const int *)p, lanes) | ~lanes;
}

#define LOAD_FIRST(p, n) load_lanes(p, FIRST_LANES(n))
#define STORE_FIRST(p, n, v) _mm256_maskstore_epi32((int *)(void *)(p), FIRST_LANES(n), v)
#define STORE_LAST(p, n, v) _mm256_maskstore_epi32((int *)(void *)(p), LAST_LANES(n), v)

/* ---- Permutations ---- */

INLINE __m256i parted(__m256i v, unsigned low)
{
    __m128i const order = _mm_loadl_epi64((const __m128i *)(const void *)(part_orders + low));
    return _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(order));
}

/* Masks have one bit for each lane of 32 bits. */
#define ALL_BITS 255u
#define FIRST_BITS(n) ((1u << PER_WORD * (n)) - 1)
#define LANE_BITS(v) ((unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(v)))
#define COUNT(bits) ((size_t)__builtin_popcount(bits) / PER_WORD)
#define LOW_SIDE(v, low) parted(v, low)
#define HIGH_SIDE(v, low) parted(v, low)

/* ---- 32 bits ---- */

#define W 32
#define LANES 8
#define LEAF 108 /* expected integers of a leaf; less than 128, so that few leaves are too large */
#define ENTER(v) (v)
#define LEAVE(v) (v)
#define FILL(x) _mm256_set1_epi32((int)(x))
#define ADD(a, b) _mm256_add_epi32(a, b)
#define SIGNS(v) _mm256_srai_epi32(v, 31)
#define MIN(a, b) _mm256_min_epu32(a, b)
#define THE_OTHER(a, b, low) _mm256_max_epu32(a, b)
#define UPPER_LANES(a, b, lanes) _mm256_blend_epi32(MIN(a, b), _mm256_max_epu32(a, b), lanes)
#define KEEP(x, a, b)                                                                              \
    ((x) == 1               ? UPPER_LANES(a, b, 0xaa)                                              \
     : (x) == 2 || (x) == 3 ? UPPER_LANES(a, b, 0xcc)                                              \
                            : UPPER_LANES(a, b, 0xf0))
#define SWAP(x, v)                                                                                 \
    ((x) == 1   ? _mm256_shuffle_epi32(v, 0xb1)                                                    \
     : (x) == 2 ? _mm256_shuffle_epi32(v, 0x4e)                                                    \
     : (x) == 3 ? _mm256_shuffle_epi32(v, 0x1b)                                                    \
     : (x) == 4 ? SWAP_HALVES(v)                                                                   \
                : _mm256_shuffle_epi32(SWAP_HALVES(v), 0x1b))
/* v < pivot */
#define BITS_BELOW(v, pivot) LANE_BITS(~_mm256_cmpeq_epi32(_mm256_max_epu32(v, pivot), v))

/* Transposes 8 vectors of 8 into the even (odd = 0) or the odd vectors of to. */
INLINE void transpose_half_32(const __m256i *v, __m256i *to, unsigned odd)
{
    __m256i two[8], four[8];
    EACH (i, 4) { /* 2 x 2 integers within a half */
        two[2 * i] = _mm256_unpacklo_epi32(v[2 * i], v[2 * i + 1]);
        two[2 * i + 1] = _mm256_unpackhi_epi32(v[2 * i], v[2 * i + 1]);
    }
    EACH (i, 2) /* four[4i + c] half h: integer 4h + c of vectors 4i to 4i + 3 */
        EACH (c, 2) {
            four[4 * i + 2 * c] = _mm256_unpacklo_epi64(two[4 * i + c], two[4 * i + 2 + c]);
            four[4 * i + 2 * c + 1] = _mm256_unpackhi_epi64(two[4 * i + c], two[4 * i + 2 + c]);
        }
    EACH (c, 4) {
        to[2 * c + odd] = _mm256_permute2x128_si256(four[c], four[4 + c], 0x20);
        to[8 + 2 * c + odd] = _mm256_permute2x128_si256(four[c], four[4 + c], 0x31);
    }
}

/* 16 vectors of 8: integer r of vector l goes to place 16r + l. */
INLINE void transpose_32(__m256i *v)
{
    __m256i to[16];
    transpose_half_32(v, to, 0);
    transpose_half_32(v + 8, to, 1);
    EACH (i, 16)
        v[i] = to[i];
}

#include "cpu/vector/vector_sort.t.h"
#undef BITS_BELOW
#undef SWAP
#undef KEEP
#undef UPPER_LANES
#undef THE_OTHER
#undef MIN
#undef SIGNS
#undef ADD
#undef FILL
#undef LEAVE
#undef ENTER
#undef LEAF
#undef LANES
#undef W

/* ---- 64 bits ---- */

#define W 64
#define LANES 4
#define LEAF 52 /* of at most 64 */
#define TOP_BITS _mm256_set1_epi64x(INT64_MIN)
#define ENTER(v) ((v) ^ TOP_BITS)
#define LEAVE(v) ((v) ^ TOP_BITS)
#define FILL(x) _mm256_set1_epi64x((long long)(x))
#define ADD(a, b) _mm256_add_epi64(a, b)
#define SIGNS(v) _mm256_cmpgt_epi64(_mm256_setzero_si256(), v)
#define MIN(a, b) ((a) ^ (((a) ^ (b)) & _mm256_cmpgt_epi64(a, b)))
#define THE_OTHER(a, b, low) ((a) ^ (b) ^ (low))
/* The lower lane of a pair takes the other integer if that is smaller; the upper lane takes it if
 * it is not. */
#define KEEP(x, a, b) ((a) ^ (((a) ^ (b)) & (_mm256_cmpgt_epi64(a, b) ^ UPPER(x))))
#define UPPER(x) ((x) == 1 ? _mm256_setr_epi64x(0, -1, 0, -1) : _mm256_setr_epi64x(0, 0, -1, -1))
#define SWAP(x, v)                                                                                 \
    ((x) == 1   ? _mm256_shuffle_epi32(v, 0x4e)                                                    \
     : (x) == 2 ? SWAP_HALVES(v)                                                                   \
                : _mm256_permute4x64_epi64(v, 0x1b))
#define BITS_BELOW(v, pivot) LANE_BITS(_mm256_cmpgt_epi64((pivot) ^ TOP_BITS, (v) ^ TOP_BITS))

INLINE __m256i gathered(const uint64_t *from, const uint32_t *index, uint32_t mask)
{
    __m128i const at = _mm_loadu_si128((const __m128i *)(const void *)index);
    return _mm256_i32gather_epi64((const long long *)(const void *)from,
                                  at & _mm_set1_epi32((int)mask), 8);
}

/* Lane i - 1 of v in lane i. */
INLINE __m256i after(__m256i last, __m256i v)
{
    return _mm256_alignr_epi8(v, _mm256_permute2x128_si256(last, v, 0x21), 8);
}

#define GATHER(from, index, mask) gathered(from, index, mask)
#define AFTER(last, v) after(last, v)

/* 16 vectors of 4: integer r of vector l goes to place 16r + l. */
INLINE void transpose_64(__m256i *v)
{
    __m256i to[16];
    EACH (i, 4) {
        __m256i two[4]; /* two[2i + c] half h: integer 2h + c of vectors 2i and 2i + 1 */
        EACH (k, 2) {
            two[2 * k] = _mm256_unpacklo_epi64(v[4 * i + 2 * k], v[4 * i + 2 * k + 1]);
            two[2 * k + 1] = _mm256_unpackhi_epi64(v[4 * i + 2 * k], v[4 * i + 2 * k + 1]);
        }
        EACH (c, 2) {
            to[4 * c + i] = _mm256_permute2x128_si256(two[c], two[2 + c], 0x20);
            to[8 + 4 * c + i] = _mm256_permute2x128_si256(two[c], two[2 + c], 0x31);
        }
    }
    EACH (i, 16)
        v[i] = to[i];
}

#include "cpu/vector/vector_sort.t.h"
