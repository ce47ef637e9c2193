/* loops_avx512.c - the loops of loops.h for AVX-512. Words are merged by vectors. */
#include "dist/kernel/plain.h"

#include <immintrin.h>
#include <stddef.h>

/* ---- Vectors of 8 words ---- */

static inline __m512i least_64(__m512i a, __m512i b) { return _mm512_min_epu64(a, b); }
static inline __m512i largest_64(__m512i a, __m512i b) { return _mm512_max_epu64(a, b); }

static inline __m512i reversed_64(__m512i x)
{
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), x);
}

/* Orders words with their partners in `other`: the larger goes to the lanes of `upper`. */
static inline __m512i order_with_64(__m512i x, __m512i other, __mmask8 upper)
{
    return _mm512_mask_max_epu64(_mm512_min_epu64(x, other), upper, x, other);
}

/* Sorts a bitonic vector. */
static inline __m512i order_vector_64(__m512i x)
{
    x = order_with_64(x, _mm512_shuffle_i64x2(x, x, 0x4e), 0xf0);
    x = order_with_64(x, _mm512_shuffle_i64x2(x, x, 0xb1), 0xcc);
    return order_with_64(x, _mm512_shuffle_epi32(x, _MM_PERM_BADC), 0xaa);
}

/* ---- Vectors of 16 words ---- */

static inline __m512i least_32(__m512i a, __m512i b) { return _mm512_min_epu32(a, b); }
static inline __m512i largest_32(__m512i a, __m512i b) { return _mm512_max_epu32(a, b); }

static inline __m512i reversed_32(__m512i x)
{
    return _mm512_permutexvar_epi32(
        _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), x);
}

static inline __m512i order_with_32(__m512i x, __m512i other, __mmask16 upper)
{
    return _mm512_mask_max_epu32(_mm512_min_epu32(x, other), upper, x, other);
}

static inline __m512i order_vector_32(__m512i x)
{
    x = order_with_32(x, _mm512_shuffle_i64x2(x, x, 0x4e), 0xff00);
    x = order_with_32(x, _mm512_shuffle_i64x2(x, x, 0xb1), 0xf0f0);
    x = order_with_32(x, _mm512_shuffle_epi32(x, _MM_PERM_BADC), 0xcccc);
    return order_with_32(x, _mm512_shuffle_epi32(x, _MM_PERM_CDAB), 0xaaaa);
}

/* ---- Merges ---- */

#define ORDO_TEMPLATE "dist/kernel/merge_vectors.t.h"
#include "core/for_each_word.h"

const dist_loops dist_loops_avx512 = {"avx512", merge_vectors_32, merge_vectors_64};
