/* scan_bound.t.h - minima and maxima, and prefix minima and maxima, of the key bits of one type. */
static uint64_t FN(min_reduce)(const void *in, size_t n)
{
    const KEY *const a = in;
    BITS             least = (BITS)UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        BITS const x = FN(key_bits)(a[i]);
        least = x < least ? x : least;
    }
    return least;
}

static uint64_t FN(max_reduce)(const void *in, size_t n)
{
    const KEY *const a = in;
    BITS             most = 0;
    for (size_t i = 0; i < n; i++) {
        BITS const x = FN(key_bits)(a[i]);
        most = x > most ? x : most;
    }
    return most;
}

static uint64_t FN(min_scan)(const void *in, size_t n, uint64_t carry, void *out, bool exclusive,
                             bool bypass)
{
    const KEY *const a = in;
    KEY *const       r = out;
    (void)bypass;
    BITS least = (BITS)carry;
    for (size_t i = 0; i < n; i++) {
        BITS const x = FN(key_bits)(a[i]), before = least;
        least = x < least ? x : least;
        r[i] = FN(key_of)(exclusive ? before : least);
    }
    return least;
}

static uint64_t FN(max_scan)(const void *in, size_t n, uint64_t carry, void *out, bool exclusive,
                             bool bypass)
{
    const KEY *const a = in;
    KEY *const       r = out;
    (void)bypass;
    BITS most = (BITS)carry;
    for (size_t i = 0; i < n; i++) {
        BITS const x = FN(key_bits)(a[i]), before = most;
        most = x > most ? x : most;
        r[i] = FN(key_of)(exclusive ? before : most);
    }
    return most;
}
