/* scan_bound.t.h - minima and maxima, and prefix minima and maxima, of the key bits of one type. */
#define BOUND(name, first, before)                                                                 \
    static uint64_t FN(name##_reduce)(const void *in, size_t n)                                    \
    {                                                                                              \
        const KEY *const a = in;                                                                   \
        BITS             bound = (BITS)(first);                                                    \
        for (size_t i = 0; i < n; i++) {                                                           \
            BITS const x = FN(key_bits)(a[i]);                                                     \
            bound = x before bound ? x : bound;                                                    \
        }                                                                                          \
        return bound;                                                                              \
    }                                                                                              \
    static uint64_t FN(name##_scan)(const void *in, size_t n, uint64_t carry, void *out,           \
                                    bool exclusive, bool bypass)                                   \
    {                                                                                              \
        const KEY *const a = in;                                                                   \
        KEY *const       r = out;                                                                  \
        BITS             bound = (BITS)carry;                                                      \
        (void)bypass;                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            BITS const x = FN(key_bits)(a[i]), last = bound;                                       \
            bound = x before bound ? x : bound;                                                    \
            r[i] = FN(key_of)(exclusive ? last : bound);                                           \
        }                                                                                          \
        return bound;                                                                              \
    }
BOUND(min, UINT64_MAX, <)
BOUND(max, 0, >)
#undef BOUND
