/* lines.h - writes of whole cache lines that bypass the cache, for the ISA of the including
 * file. */
#ifndef ORDO_CPU_RADIX_LINES_H
#define ORDO_CPU_RADIX_LINES_H

#include <stddef.h>
#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Whether the ISA has stores that bypass the cache. */
#if defined(__SSE2__)
#define LINES_BYPASS 1
#else
#define LINES_BYPASS 0
#endif

/* Writes whole cache lines with stores that bypass the cache, if the ISA has them. */
static inline void lines_stream(void *to, const void *lines, size_t bytes)
{
#if defined(__AVX512F__)
    for (size_t i = 0; i < bytes / 64; i++)
        _mm512_stream_si512((__m512i *)to + i, _mm512_load_si512((const __m512i *)lines + i));
#elif defined(__AVX2__)
    for (size_t i = 0; i < bytes / 32; i++)
        _mm256_stream_si256((__m256i *)to + i, _mm256_load_si256((const __m256i *)lines + i));
#elif defined(__SSE2__)
    for (size_t i = 0; i < bytes / 16; i++)
        _mm_stream_si128((__m128i *)to + i, _mm_load_si128((const __m128i *)lines + i));
#else
    memcpy(to, lines, bytes);
#endif
}

static inline void lines_fence(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

#endif
