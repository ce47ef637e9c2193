/* count_band.t.h - counts the keys of one type below and in a band of key bits, and marks the keys
 * below a pivot (cpu_band_fn and cpu_below_fn in kernels.h): the inner loops of selection.
 *
 * A file that defines BAND_BY_VECTORS provides these loops with intrinsics for keys of 32 and 64
 * bits: vector_band_W and vector_below_W. A file that also defines AROUND_BY_VECTORS provides
 * vector_around_W, which has no version in plain C (cpu_around_fn). */
#if defined(BAND_BY_VECTORS)
static inline enum key_kind FN(band_kind)(void)
{
    return (KEY)0.5 != 0 ? KIND_FLOAT : (KEY)-1 < 1 ? KIND_SIGNED : KIND_UNSIGNED;
}
#endif

/* The keys of a chunk are counted without a branch. If one of them is in the band, which is rare
 * when the band is narrow, the chunk is read again to write the key bits: all are stored, but the
 * place advances only for bits in the band. */
static inline __attribute__((always_inline))
size_t FN(band)(const KEY *keys, size_t n, cpu_band *band, BITS *kept, bool descending)
{
    enum {
        CHUNK = 32
    };
#if defined(BAND_BY_VECTORS)
    if (sizeof(KEY) == 4)
        return vector_band_32(keys, n, band, kept, FN(band_kind)(), descending);
    if (sizeof(KEY) == 8)
        return vector_band_64(keys, n, band, kept, FN(band_kind)(), descending);
#endif
    BITS const lo = (BITS)band->lo, span = (BITS)(band->hi - band->lo);
    size_t     below = 0, inside = 0, at = 0;

    for (; n - at >= CHUNK; at += CHUNK) {
        const KEY *const chunk = keys + at;
        BITS             under = 0, in = 0;
        for (size_t i = 0; i < CHUNK; i++) {
            BITS const bits = FN(key_sort_bits)(chunk[i], descending);
            under = (BITS)(under + (bits < lo));
            in = (BITS)(in + ((BITS)(bits - lo) <= span));
        }
        below += under;
        if (in != 0 && kept != NULL) {
            size_t place = inside;
            for (size_t i = 0; i < CHUNK; i++) {
                BITS const bits = FN(key_sort_bits)(chunk[i], descending);
                kept[place] = bits;
                place += (BITS)(bits - lo) <= span;
            }
        }
        inside += in;
    }
    for (; at < n; at++) {
        BITS const bits = FN(key_sort_bits)(keys[at], descending);
        bool const in = (BITS)(bits - lo) <= span;
        below += bits < lo;
        if (in && kept != NULL)
            kept[inside] = bits;
        inside += in;
    }
    band->below += below;
    band->inside += inside;
    return inside;
}

static size_t FN(band_up)(const void *keys, size_t n, cpu_band *band, void *kept)
{
    return FN(band)(keys, n, band, kept, false);
}

static size_t FN(band_down)(const void *keys, size_t n, cpu_band *band, void *kept)
{
    return FN(band)(keys, n, band, kept, true);
}

/* Makes a byte for each key first, because compilers turn that loop into vectors. */
static inline __attribute__((always_inline)) void FN(below)(const KEY *keys, size_t n, BITS pivot,
                                                            uint64_t *words, bool descending)
{
#if defined(BAND_BY_VECTORS)
    if (sizeof(KEY) == 4) {
        vector_below_32(keys, n, pivot, words, FN(band_kind)(), descending);
        return;
    }
    if (sizeof(KEY) == 8) {
        vector_below_64(keys, n, pivot, words, FN(band_kind)(), descending);
        return;
    }
#endif
    for (size_t at = 0; at < n; at += 64) {
        uint8_t  flags[64];
        uint64_t word = 0;
        for (size_t i = 0; i < 64; i++)
            flags[i] = FN(key_sort_bits)(keys[at + i], descending) < pivot;
        for (size_t i = 0; i < 64; i += 8) { /* the low bits of eight flags become one byte */
            uint64_t eight;
            memcpy(&eight, flags + i, sizeof eight);
            word |= (eight * UINT64_C(0x0102040810204080) >> 56) << i;
        }
        words[at / 64] = word;
    }
}

static void FN(below_up)(const void *keys, size_t n, uint64_t pivot, uint64_t *words)
{
    FN(below)(keys, n, (BITS)pivot, words, false);
}

static void FN(below_down)(const void *keys, size_t n, uint64_t pivot, uint64_t *words)
{
    FN(below)(keys, n, (BITS)pivot, words, true);
}

#if defined(AROUND_BY_VECTORS)
static inline
    __attribute__((always_inline)) void FN(around)(const void *keys, size_t n, size_t first,
                                                   cpu_around *around, void *out, size_t index_size,
                                                   bool descending)
{
    if (sizeof(KEY) == 4)
        vector_around_32(keys, n, first, around, out, index_size, FN(band_kind)(), descending);
    if (sizeof(KEY) == 8)
        vector_around_64(keys, n, first, around, out, index_size, FN(band_kind)(), descending);
}

static void FN(around_up)(const void *keys, size_t n, size_t first, cpu_around *around, void *out,
                          size_t index_size)
{
    FN(around)(keys, n, first, around, out, index_size, false);
}

static void FN(around_down)(const void *keys, size_t n, size_t first, cpu_around *around, void *out,
                            size_t index_size)
{
    FN(around)(keys, n, first, around, out, index_size, true);
}
#endif
