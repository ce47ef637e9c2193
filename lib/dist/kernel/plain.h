/* plain.h - the loops of loops.h in portable C. Each file that includes this is compiled with the
 * options of its instruction set. */
#include "dist/kernel/loops.h"

#include <string.h>

#define INLINE static inline __attribute__((unused))
#define PICK(take_b, a, b) ((take_b) ? (b) : (a))
#define ORDO_TEMPLATE "core/small_sort.t.h"
#include "core/for_each_word.h"
#define ORDO_TEMPLATE "core/merge.t.h"
#include "core/for_each_word.h"
#undef PICK

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
