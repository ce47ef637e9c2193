/* scan_sum.h - sums and prefix sums of integers in portable C.
 *
 * SCAN_SUM(name, key, sum_type) makes sum_name and scan_sum_name for elements of type `key` and
 * sums modulo 2^width of the unsigned type `sum_type`. An element is read before its sum is
 * written, because the input and the output may be the same array. */
#define SCAN_SUM(name, key, sum_type)                                                              \
    static uint64_t sum_##name(const void *in, size_t n)                                           \
    {                                                                                              \
        const key *const a = in;                                                                   \
        sum_type         sum = 0;                                                                  \
        for (size_t i = 0; i < n; i++)                                                             \
            sum = (sum_type)(sum + (sum_type)a[i]);                                                \
        return sum;                                                                                \
    }                                                                                              \
    static uint64_t scan_sum_##name(const void *in, size_t n, uint64_t carry, void *out,           \
                                    bool exclusive, bool bypass)                                   \
    {                                                                                              \
        const key *const a = in;                                                                   \
        sum_type *const  r = out;                                                                  \
        sum_type         sum = (sum_type)carry;                                                    \
        (void)bypass;                                                                              \
        if (exclusive) {                                                                           \
            for (size_t i = 0; i < n; i++) {                                                       \
                sum_type const x = (sum_type)a[i];                                                 \
                r[i] = sum;                                                                        \
                sum = (sum_type)(sum + x);                                                         \
            }                                                                                      \
        } else {                                                                                   \
            for (size_t i = 0; i < n; i++) {                                                       \
                sum = (sum_type)(sum + (sum_type)a[i]);                                            \
                r[i] = sum;                                                                        \
            }                                                                                      \
        }                                                                                          \
        return (sum_type)(sum - (sum_type)carry);                                                  \
    }
