/* copy.c - a copy that is written past the cache: what is kept in case the device fails is not read
 * again, and an ordinary store would first read what it overwrites. One thread's work. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid.h"

#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>

void hybrid_copy_past(void *to, const void *from, size_t bytes)
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

void hybrid_past_done(void) { _mm_sfence(); }

#else

void hybrid_copy_past(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }

void hybrid_past_done(void) {}

#endif
