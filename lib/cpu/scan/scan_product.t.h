/* scan_product.t.h - products and prefix products of integers, modulo 2^width of RESULT.
 *
 * KEY is the type of the elements, RESULT the unsigned type of the products. SFN(name) names the
 * stamp. All three are undefined at the end. */
static inline RESULT SFN(times)(RESULT a, RESULT b) { return (RESULT)((uint64_t)a * (uint64_t)b); }

static uint64_t SFN(product)(const void *in, size_t n)
{
    const KEY *const a = in;
    RESULT           here = 1;
    for (size_t i = 0; i < n; i++)
        here = SFN(times)(here, (RESULT)a[i]);
    return here;
}

static uint64_t SFN(scan_product)(const void *in, size_t n, uint64_t carry, void *out,
                                  bool exclusive, bool bypass)
{
    const KEY *const a = in;
    RESULT *const    r = out;
    RESULT const     before = (RESULT)carry;
    RESULT           here = 1;
    (void)bypass;
    for (size_t i = 0; i < n; i++) {
        RESULT const last = here;
        here = SFN(times)(here, (RESULT)a[i]);
        r[i] = SFN(times)(before, exclusive ? last : here);
    }
    return here;
}
#undef SFN
#undef RESULT
#undef KEY
