/* tie_words.t.h - a few keys of one type as words for a vector sort: the high bits of each key, and
 * its index (cpu_tie_words_fn in kernels.h). */

/* Both directions are constants in their calls. */
INLINE unsigned FN(tie_words_of)(const KEY *keys, size_t n, int descending, unsigned index_bits,
                                 uint64_t *bits, uint64_t *words)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t const key = FN(key_tie_bits)(keys[i], descending);
        bits[i] = key;
        least = key < least ? key : least;
        most = key > most ? key : most;
    }
    unsigned const used = 64 - (unsigned)__builtin_clzll((most - least) | 1);
    unsigned const dropped = used + index_bits > 64 ? used + index_bits - 64 : 0;
    for (size_t i = 0; i < n; i++)
        words[i] = (bits[i] - least) >> dropped << index_bits | i;
    return dropped;
}

static unsigned FN(tie_words)(const void *keys, size_t n, bool descending, unsigned index_bits,
                              uint64_t *bits, uint64_t *words)
{
    return descending ? FN(tie_words_of)(keys, n, 1, index_bits, bits, words)
                      : FN(tie_words_of)(keys, n, 0, index_bits, bits, words);
}
