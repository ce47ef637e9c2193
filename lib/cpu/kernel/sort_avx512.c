/* sort_avx512.c - sort of 32- and 64-bit numbers within the cache, 512 bits at a time. The method
 * is in vector_sort.t.h. */
#include "cpu/kernel/sort_avx512.h"
#include "cpu/kernel/kernels.h"

#include <immintrin.h>
#include <string.h>

/* ---- 32 bits ---- */

#define ROW32(x)                                                                                   \
    {                                                                                              \
        0 ^ (x), 1 ^ (x), 2 ^ (x), 3 ^ (x), 4 ^ (x), 5 ^ (x), 6 ^ (x), 7 ^ (x), 8 ^ (x), 9 ^ (x),  \
            10 ^ (x), 11 ^ (x), 12 ^ (x), 13 ^ (x), 14 ^ (x), 15 ^ (x)                             \
    }
static const union {
    int32_t lane[16];
    __m512i all;
} swap_rows_32[16] = {[1] = {ROW32(1)}, [2] = {ROW32(2)}, [3] = {ROW32(3)},  [4] = {ROW32(4)},
                      [7] = {ROW32(7)}, [8] = {ROW32(8)}, [15] = {ROW32(15)}};
static const uint16_t upper_32[16] = {[1] = 0xaaaa, [2] = 0xcccc, [3] = 0xcccc, [4] = 0xf0f0,
                                      [7] = 0xf0f0, [8] = 0xff00, [15] = 0xff00};

#define SWAP_ROW(x) swap_rows_32[x].all
#define UPPER(x) upper_32[x]
#define FN(name) name##_32
#define WORD uint32_t
#define VEC __m512i
#define MASK __mmask16
#define LANES 16
#define ALL_ONES _mm512_set1_epi32(-1)
#define FILL(x) _mm512_set1_epi32((int)(x))
#define LOAD(p) _mm512_loadu_si512(p)
#define LOAD_SOME(rest, mask, p) _mm512_mask_loadu_epi32(rest, mask, p)
#define STORE(p, v) _mm512_storeu_si512(p, v)
#define STORE_SOME(p, mask, v) _mm512_mask_storeu_epi32(p, mask, v)
#define MIN(a, b) _mm512_min_epu32(a, b)
#define MAX(a, b) _mm512_max_epu32(a, b)
#define MIN_SOME(a, mask, b) _mm512_mask_min_epu32(a, mask, a, b)
#define MAX_SOME(a, mask, b) _mm512_mask_max_epu32(a, mask, a, b)
#define BLEND(a, mask, b) _mm512_mask_mov_epi32(a, mask, b)
#define LESS_MASK(a, b) _mm512_cmplt_epu32_mask(a, b)
#define COMPRESS(mask, v) _mm512_maskz_compress_epi32(mask, v)
#define PERMUTE(rows, v) _mm512_permutexvar_epi32(rows, v)
#define REDUCE_MIN(v) ((uint32_t)_mm512_reduce_min_epu32(v))
#define REDUCE_MAX(v) ((uint32_t)_mm512_reduce_max_epu32(v))
#include "cpu/kernel/vector_sort.t.h"
#undef REDUCE_MAX
#undef REDUCE_MIN
#undef PERMUTE
#undef COMPRESS
#undef LESS_MASK
#undef BLEND
#undef MAX_SOME
#undef MIN_SOME
#undef MAX
#undef MIN
#undef STORE_SOME
#undef STORE
#undef LOAD_SOME
#undef LOAD
#undef FILL
#undef ALL_ONES
#undef LANES
#undef MASK
#undef WORD
#undef FN
#undef UPPER
#undef SWAP_ROW

/* ---- 64 bits ---- */

#define ROW64(x)                                                                                   \
    {                                                                                              \
        0 ^ (x), 1 ^ (x), 2 ^ (x), 3 ^ (x), 4 ^ (x), 5 ^ (x), 6 ^ (x), 7 ^ (x)                     \
    }
static const union {
    int64_t lane[8];
    __m512i all;
} swap_rows_64[8] = {
    [1] = {ROW64(1)}, [2] = {ROW64(2)}, [3] = {ROW64(3)}, [4] = {ROW64(4)}, [7] = {ROW64(7)}};
static const uint8_t upper_64[8] = {[1] = 0xaa, [2] = 0xcc, [3] = 0xcc, [4] = 0xf0, [7] = 0xf0};

#define SWAP_ROW(x) swap_rows_64[x].all
#define UPPER(x) upper_64[x]
#define FN(name) name##_64
#define WORD uint64_t
#define MASK __mmask8
#define LANES 8
#define ALL_ONES _mm512_set1_epi64(-1)
#define FILL(x) _mm512_set1_epi64((long long)(x))
#define LOAD(p) _mm512_loadu_si512(p)
#define LOAD_SOME(rest, mask, p) _mm512_mask_loadu_epi64(rest, mask, p)
#define STORE(p, v) _mm512_storeu_si512(p, v)
#define STORE_SOME(p, mask, v) _mm512_mask_storeu_epi64(p, mask, v)
#define MIN(a, b) _mm512_min_epu64(a, b)
#define MAX(a, b) _mm512_max_epu64(a, b)
#define MIN_SOME(a, mask, b) _mm512_mask_min_epu64(a, mask, a, b)
#define MAX_SOME(a, mask, b) _mm512_mask_max_epu64(a, mask, a, b)
#define BLEND(a, mask, b) _mm512_mask_mov_epi64(a, mask, b)
#define LESS_MASK(a, b) _mm512_cmplt_epu64_mask(a, b)
#define COMPRESS(mask, v) _mm512_maskz_compress_epi64(mask, v)
#define PERMUTE(rows, v) _mm512_permutexvar_epi64(rows, v)
#define REDUCE_MIN(v) ((uint64_t)_mm512_reduce_min_epu64(v))
#define REDUCE_MAX(v) ((uint64_t)_mm512_reduce_max_epu64(v))
#include "cpu/kernel/vector_sort.t.h"

void cpu_sort_words_32_avx512(void *words, void *spare, size_t n)
{
    vector_sort_32(words, spare, n);
}

void cpu_sort_words_64_avx512(void *words, void *spare, size_t n)
{
    vector_sort_64(words, spare, n);
}
