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

static size_t collect_vectors(const uint64_t *orders, size_t n, uint64_t first, uint64_t width,
                              uint64_t *out)
{
    __m512i const from = _mm512_set1_epi64((long long)first);
    __m512i const room = _mm512_set1_epi64((long long)width);
    size_t        at = 0, i = 0;
    for (; i + 8 <= n; i += 8) {
        __m512i const  words = _mm512_loadu_si512((const void *)(orders + i));
        __mmask8 const inside = _mm512_cmplt_epu64_mask(_mm512_sub_epi64(words, from), room);
        _mm512_storeu_si512((void *)(out + at), _mm512_maskz_compress_epi64(inside, words));
        at += (size_t)__builtin_popcount(inside);
    }
    return at + collect(orders + i, n - i, first, width, out + at);
}

/* ---- Merges ---- */

#define ORDO_TEMPLATE "dist/kernel/merge_vectors.t.h"
#include "core/for_each_word.h"

const dist_loops dist_loops_avx512 = {"avx512", count, collect_vectors, merge_vectors_32,
                                      merge_vectors_64};
