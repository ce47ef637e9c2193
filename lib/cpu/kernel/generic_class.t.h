/* generic_class.t.h - the kernels of one key class in portable C. */
#define ORDO_OUT_TEMPLATE "cpu/kernel/generic_pair.t.h"
#include "cpu/kernel/for_each_out.h"
#undef ORDO_OUT_TEMPLATE

static void CFN(mean)(const cpu_span *span, void *out)
{
    const CKEY *const k = span->keys;
    double *const     r = out;
    uint64_t          last = span->before;
    CPU_JOIN(CFN(next), f64)(span, out);
    for (size_t i = 0; i < span->n; i++) {
        last = !CSAME(k[i], *(k + i - 1)) ? span->base + i + 1 : last;
        r[i] = (r[i] + (double)last) * 0.5;
    }
}

static size_t CFN(heads)(const void *keys, size_t n, uint64_t *words)
{
    const CKEY *const k = keys;
    size_t            total = 0;
    for (size_t i = 0; i < n; i += 64) {
        size_t const count = ordo_min(64, n - i);
        uint64_t     word = 0;
        for (size_t j = 0; j < count; j++)
            word |= (uint64_t)(!CSAME(k[i + j], *(k + i + j - 1))) << j;
        words[i / 64] = word;
        total += (size_t)__builtin_popcountll(word);
    }
    return total;
}
