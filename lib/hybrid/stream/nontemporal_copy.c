/* nontemporal_copy.c - a copy that bypasses the cache. The copied data is not read soon, and an
 * ordinary store would first read the line that it overwrites. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid_call.h"

#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>

void hybrid_copy_nontemporal(void *to, const void *from, size_t bytes)
{
    enum {
        LINE = 64,
        LANE = 16
    };
    char        *out = to;
    const char  *in = from;
    size_t const head = ordo_min(bytes, (size_t)(-(uintptr_t)out % LANE));
    memcpy(out, in, head);
    for (bytes -= head, out += head, in += head; bytes >= LINE;
         bytes -= LINE, out += LINE, in += LINE)
        for (int i = 0; i < LINE; i += LANE)
            _mm_stream_si128((__m128i *)(void *)(out + i),
                             _mm_loadu_si128((const __m128i *)(const void *)(in + i)));
    memcpy(out, in, bytes);
}

void hybrid_fence_nontemporal(void) { _mm_sfence(); }

#else

void hybrid_copy_nontemporal(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }

void hybrid_fence_nontemporal(void) {}

#endif
