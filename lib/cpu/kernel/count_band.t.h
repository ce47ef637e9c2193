/* count_band.t.h - count_band.h for one key type.
 *
 * A chunk of keys is counted without a branch. Only if one of them is inside, which is rare when
 * the band is narrow, it is gone through again to write the words: each is stored, and the place
 * moves on if it was inside. */
static inline BITS FN(band_word)(KEY x, bool descending)
{
    BITS const bits = FN(key_bits)(x);
    return descending ? FN(key_turn)(bits) : bits;
}

static inline __attribute__((always_inline))
size_t FN(band)(const KEY *keys, size_t n, cpu_band *band, BITS *kept, bool descending)
{
    enum {
        CHUNK = 32
    };
    BITS const lo = (BITS)band->lo, span = (BITS)(band->hi - band->lo);
    size_t     below = 0, inside = 0, at = 0;

    for (; n - at >= CHUNK; at += CHUNK) {
        const KEY *const chunk = keys + at;
        BITS             under = 0, in = 0;
        for (size_t i = 0; i < CHUNK; i++) {
            BITS const word = FN(band_word)(chunk[i], descending);
            under = (BITS)(under + (word < lo));
            in = (BITS)(in + ((BITS)(word - lo) <= span));
        }
        below += under;
        if (in != 0 && kept != NULL) {
            size_t place = inside;
            for (size_t i = 0; i < CHUNK; i++) {
                BITS const word = FN(band_word)(chunk[i], descending);
                kept[place] = word;
                place += (BITS)(word - lo) <= span;
            }
        }
        inside += in;
    }
    for (; at < n; at++) {
        BITS const word = FN(band_word)(keys[at], descending);
        bool const in = (BITS)(word - lo) <= span;
        below += word < lo;
        if (in && kept != NULL)
            kept[inside] = word;
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
