/* csv_scan.h - finds the bytes of CSV that may end a field: separators, newlines and quotes.
 *
 * 64 bytes become a mask with a bit for each such byte, by SSE2 or by arithmetic on words of 8
 * bytes. */
#ifndef ORDO_CLI_CSV_CSV_SCAN_H
#define ORDO_CLI_CSV_CSV_SCAN_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
    CSV_BLOCK = 64 /* bytes of a mask */
};

/* Where bytes[0..CSV_BLOCK) are one of three bytes. Bit i stands for byte i. */
static inline uint64_t csv_mask(const char *bytes, char a, char b, char c)
{
    uint64_t mask = 0;

#if defined(__SSE2__)
    const __m128i all_a = _mm_set1_epi8(a), all_b = _mm_set1_epi8(b), all_c = _mm_set1_epi8(c);
    for (int i = 0; i < 4; i++) {
        const __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(bytes + 16 * i));
        const __m128i hit =
            _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, all_a), _mm_cmpeq_epi8(v, all_b)),
                         _mm_cmpeq_epi8(v, all_c));
        mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(hit) << 16 * i;
    }
#else
    const uint64_t ones = UINT64_C(0x0101010101010101), low = ones * 0x7f;
    const uint64_t wanted[3] = {ones * (unsigned char)a, ones * (unsigned char)b,
                                ones * (unsigned char)c};
    for (int i = 0; i < 8; i++) {
        uint64_t word, hit = 0;
        memcpy(&word, bytes + 8 * i, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        for (int k = 0; k < 3; k++) {
            const uint64_t x = word ^ wanted[k]; /* a byte is 0 where it is the wanted one */
            hit |= ~(((x & low) + low) | x | low);
        }
        mask |= ((hit >> 7) * UINT64_C(0x0102040810204080) >> 56) << 8 * i;
    }
#endif
    return mask;
}

#endif
