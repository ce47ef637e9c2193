/* radix_steps.h - the inner steps of the radix sort as a table for one ISA (kernel/plain_loops.h).
 * The loops are plain C that is faster with the ISA's shifts and vectors. */
#include "core/random.h"
#include "cpu/radix/lines.h"
#include "cpu/radix/radix_work.h"

#include <string.h>

/* Prefetches memory that is read soon. CPUs do this by themselves, but not across pages. */
static inline void radix_prefetch(const void *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += LINE)
        __builtin_prefetch((const char *)at + i, 0, 2);
}

#if defined(__AVX512F__) && defined(__AVX512CD__)
/* radix_log of 8 keys of 64 bits, and of 16 keys of 32 bits. */
static inline __m512i radix_log_64(__m512i key, uint64_t from)
{
    __m512i const  anchor = _mm512_set1_epi64((long long)from), ones = _mm512_set1_epi64(-1);
    __mmask8 const below = _mm512_cmplt_epu64_mask(key, anchor);
    __m512i const  difference = _mm512_sub_epi64(key, anchor);
    __m512i const  distance = _mm512_mask_xor_epi64(difference, below, difference, ones);
    __m512i const  most = _mm512_set1_epi64(-2);
    __m512i const  above_0 = _mm512_sub_epi64(_mm512_min_epu64(distance, most), ones);
    __m512i const  zeros = _mm512_lzcnt_epi64(above_0);
    __m512i const  scaled = _mm512_srli_epi64(_mm512_sllv_epi64(above_0, zeros), 6);
    __m512i const  exponent = _mm512_sub_epi64(_mm512_set1_epi64(62), zeros);
    __m512i const  result = _mm512_xor_epi64(
         _mm512_add_epi64(_mm512_slli_epi64(exponent, 57), scaled), _mm512_set1_epi64(INT64_MIN));
    return _mm512_mask_xor_epi64(result, below, result, ones);
}

static inline __m512i radix_log_32(__m512i key, uint32_t from)
{
    __m512i const   anchor = _mm512_set1_epi32((int)from), ones = _mm512_set1_epi32(-1);
    __mmask16 const below = _mm512_cmplt_epu32_mask(key, anchor);
    __m512i const   difference = _mm512_sub_epi32(key, anchor);
    __m512i const   distance = _mm512_mask_xor_epi32(difference, below, difference, ones);
    __m512i const   most = _mm512_set1_epi32(-2);
    __m512i const   above_0 = _mm512_sub_epi32(_mm512_min_epu32(distance, most), ones);
    __m512i const   zeros = _mm512_lzcnt_epi32(above_0);
    __m512i const   scaled = _mm512_srli_epi32(_mm512_sllv_epi32(above_0, zeros), 5);
    __m512i const   exponent = _mm512_sub_epi32(_mm512_set1_epi32(30), zeros);
    __m512i const   result = _mm512_xor_epi32(
          _mm512_add_epi32(_mm512_slli_epi32(exponent, 26), scaled), _mm512_set1_epi32(INT32_MIN));
    return _mm512_mask_xor_epi32(result, below, result, ones);
}

/* radix_bucket of 8 keys of 64 bits, and of 16 keys of 32 bits. */
INLINE void radix_label_64(const radix_cut *cut, const void *keys, uint16_t *labels, bool logs)
{
    __m512i const kept =
        _mm512_and_si512(_mm512_loadu_si512(keys), _mm512_set1_epi64((long long)cut->keep));
    __m512i const place = logs ? radix_log_64(kept, cut->anchor) : kept;
    __m512i const base = _mm512_set1_epi64((long long)cut->base);
    __m512i const above = _mm512_sub_epi64(_mm512_max_epu64(place, base), base);
    __m512i const cell =
        _mm512_min_epu64(_mm512_srl_epi64(above, _mm_cvtsi32_si128((int)cut->shift)),
                         _mm512_set1_epi64((long long)cut->last));
    __m512i const first = _mm512_i64gather_epi64(cell, cut->cells->bases, 8);
    __m512i const word = _mm512_cvtepu32_epi64(_mm512_i64gather_epi32(cell, cut->cells->words, 4));
    __m512i const mask = _mm512_set1_epi64(CELL_MASK);
    __m512i const number =
        _mm512_srlv_epi64(_mm512_sub_epi64(_mm512_max_epu64(place, first), first),
                          _mm512_srli_epi64(word, CELL_SHIFT));
    __m512i const last = _mm512_and_si512(_mm512_srli_epi64(word, CELL_LAST), mask);
    __m512i const bucket =
        _mm512_add_epi64(_mm512_and_si512(word, mask), _mm512_min_epu64(number, last));
    _mm_storeu_si128((__m128i *)(void *)labels, _mm512_cvtepi64_epi16(bucket));
}

INLINE void radix_label_32(const radix_cut *cut, const void *keys, uint16_t *labels, bool logs)
{
    __m512i const kept =
        _mm512_and_si512(_mm512_loadu_si512(keys), _mm512_set1_epi32((int)cut->keep));
    __m512i const place = logs ? radix_log_32(kept, (uint32_t)cut->anchor) : kept;
    __m512i const base = _mm512_set1_epi32((int)cut->base);
    __m512i const above = _mm512_sub_epi32(_mm512_max_epu32(place, base), base);
    __m512i const cell =
        _mm512_min_epu32(_mm512_srl_epi32(above, _mm_cvtsi32_si128((int)cut->shift)),
                         _mm512_set1_epi32((int)cut->last));
    __m512i const first = _mm512_i32gather_epi32(cell, cut->cells->bases, 8); /* the low half */
    __m512i const word = _mm512_i32gather_epi32(cell, cut->cells->words, 4);
    __m512i const mask = _mm512_set1_epi32(CELL_MASK);
    __m512i const number =
        _mm512_srlv_epi32(_mm512_sub_epi32(_mm512_max_epu32(place, first), first),
                          _mm512_srli_epi32(word, CELL_SHIFT));
    __m512i const last = _mm512_and_si512(_mm512_srli_epi32(word, CELL_LAST), mask);
    __m512i const bucket =
        _mm512_add_epi32(_mm512_and_si512(word, mask), _mm512_min_epu32(number, last));
    _mm256_storeu_si256((__m256i *)(void *)labels, _mm512_cvtepi32_epi16(bucket));
}
#endif

/* Counts labels in two tables, as tally in radix.t.h counts keys. */
static inline void radix_tally(const uint16_t *labels, size_t count, uint32_t tally[2][BUCKETS])
{
    size_t i = 0;
    for (; i + 2 <= count; i += 2) {
        tally[0][labels[i]]++;
        tally[1][labels[i + 1]]++;
    }
    if (i < count)
        tally[0][labels[i]]++;
}

#define ORDO_TEMPLATE "core/small_sort.t.h"
#include "cpu/radix/for_each_record.h"
#define ORDO_TEMPLATE "core/merge.t.h"
#include "cpu/radix/for_each_record.h"
#define ORDO_TEMPLATE "cpu/radix/radix_local.t.h"
#include "cpu/radix/for_each_record.h"
#define ORDO_TEMPLATE "cpu/radix/radix.t.h"
#include "cpu/radix/for_each_record.h"
#define ORDO_TEMPLATE "cpu/radix/radix_blocks.t.h"
#include "cpu/radix/for_each_record.h"

#define RADIX_STEPS_OF(kind)                                                                       \
    {                                                                                              \
        sample_##kind, count_##kind, scatter_##kind, finish_bucket_##kind, scatter_blocks_##kind,  \
            finish_blocks_##kind, alone_##kind, differ_##kind                                      \
    }
#define RADIX_STEPS                                                                                \
    {                                                                                              \
        RADIX_STEPS_OF(k32), RADIX_STEPS_OF(k64), RADIX_STEPS_OF(p32), RADIX_STEPS_OF(p64)         \
    }
