/* scan_sum.t.h - sums and prefix sums of integers in portable C.
 *
 * KEY is the type of the elements, SUM the unsigned type of the sums, which wrap. SFN(name) names
 * the stamp. All three are undefined at the end. */
static uint64_t SFN(sum)(const void *in, size_t n)
{
    const KEY *const a = in;
    SUM              sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = (SUM)(sum + (SUM)a[i]);
    return sum;
}

static uint64_t SFN(scan_sum)(const void *in, size_t n, uint64_t carry, void *out, bool exclusive,
                              bool bypass)
{
    const KEY *const a = in;
    SUM *const       r = out;
    SUM              sum = (SUM)carry;
    (void)bypass;
    if (exclusive) {
        for (size_t i = 0; i < n; i++) {
            SUM const x = (SUM)a[i]; /* before r[i], which may be a[i] */
            r[i] = sum;
            sum = (SUM)(sum + x);
        }
    } else {
        for (size_t i = 0; i < n; i++) {
            sum = (SUM)(sum + (SUM)a[i]);
            r[i] = sum;
        }
    }
    return (SUM)(sum - (SUM)carry);
}
#undef SFN
#undef SUM
#undef KEY
