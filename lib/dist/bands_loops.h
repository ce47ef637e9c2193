/* bands_loops.h - the loops of bands.h. A file that includes this defines BANDS_ISA and is compiled
 * with the options of that instruction set. */
#include "dist/bands.h"

static void count(const uint64_t *orders, size_t n, uint64_t boundary, uint64_t *below,
                  uint64_t *up_to)
{
    uint64_t less = 0, at_most = 0;
    for (size_t i = 0; i < n; i++) {
        less += orders[i] < boundary;
        at_most += orders[i] <= boundary;
    }
    *below += less;
    *up_to += at_most;
}

static size_t collect(const uint64_t *orders, size_t n, uint64_t first, uint64_t width,
                      uint64_t *out)
{
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        out[at] = orders[i];
        at += orders[i] - first < width;
    }
    return at;
}

#define BANDS_PASTE_(a, b) a##b
#define BANDS_PASTE(a, b) BANDS_PASTE_(a, b)
#define BANDS_TEXT_(a) #a
#define BANDS_TEXT(a) BANDS_TEXT_(a)
const bands_loops BANDS_PASTE(bands_, BANDS_ISA) = {BANDS_TEXT(BANDS_ISA), count, collect};
