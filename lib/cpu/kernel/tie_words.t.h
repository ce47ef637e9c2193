/* tie_words.t.h - keys of one type as words for a vector sort: the high bits of each key, and its
 * index (cpu_tie_words_fn in kernels.h). */

/* Both directions are constants in their calls. */
INLINE cpu_tie_shape FN(tie_words_of)(const KEY *keys, size_t n, int descending,
                                      unsigned index_bits, uint64_t *bits, uint64_t *words)
{
    BITS const first = FN(key_tie_bits)(keys[0], descending);
    BITS       least = first, most = first, differ = 0;
    for (size_t i = 0; i < n; i++) {
        BITS const key = FN(key_tie_bits)(keys[i], descending);
        least = key < least ? key : least;
        most = key > most ? key : most;
        differ = (BITS)(differ | (key ^ first));
    }
    unsigned const used = ordo_bit_length((uint64_t)(BITS)(most - least));
    unsigned const dropped = used + index_bits > 64 ? used + index_bits - 64 : 0;
    bool const     lossy = (differ & ((UINT64_C(1) << dropped) - 1)) != 0;
    for (size_t i = 0; i < n; i++) {
        BITS const key = FN(key_tie_bits)(keys[i], descending);
        words[i] = (uint64_t)(BITS)(key - least) >> dropped << index_bits | i;
    }
    for (size_t i = 0; lossy && i < n; i++)
        bits[i] = FN(key_tie_bits)(keys[i], descending);
    return (cpu_tie_shape){used - dropped + index_bits, lossy ? dropped : 0};
}

static cpu_tie_shape FN(tie_words)(const void *keys, size_t n, bool descending, unsigned index_bits,
                                   uint64_t *bits, uint64_t *words)
{
    return descending ? FN(tie_words_of)(keys, n, 1, index_bits, bits, words)
                      : FN(tie_words_of)(keys, n, 0, index_bits, bits, words);
}
