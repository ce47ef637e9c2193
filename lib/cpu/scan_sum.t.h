/* scan_sum.t.h - prefix sums of integers: KEY added up and written as SUM, an unsigned type that
 * wraps; SFN(name) names the stamp. */
static scan_carry SFN(reduce)(const void *in, size_t n)
{
    const KEY *const a = in;
    SUM              sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = (SUM)(sum + (SUM)a[i]);
    return (scan_carry){.bits = sum};
}

static scan_carry SFN(scan)(const void *in, size_t n, scan_carry carry, void *out, bool exclusive)
{
    const KEY *const a = in;
    SUM *const       r = out;
    SUM const        start = (SUM)carry.bits;
    SUM              sum = start;
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
    return (scan_carry){.bits = (SUM)(sum - start)};
}
