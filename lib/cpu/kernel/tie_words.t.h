/* tie_words.t.h - keys of one type as words for a vector sort: the high bits of each key, and its
 * index (cpu_tie_map in kernels.h). Words of 64 bits are made by load_short (radix/records.t.h). */

/* Each direction is a constant in its call. */
INLINE void FN(tie_extent_of)(const KEY *keys, size_t n, int descending, cpu_tie_extent *extent)
{
    BITS const first = FN(key_tie_bits)(keys[0], descending);
    BITS       least = first, most = first, differ = 0;
    for (size_t i = 1; i < n; i++) {
        BITS const key = FN(key_tie_bits)(keys[i], descending);
        least = key < least ? key : least;
        most = key > most ? key : most;
        differ = (BITS)(differ | (key ^ first));
    }
    *extent = (cpu_tie_extent){least, most, differ};
}

static void FN(tie_extent)(const void *keys, size_t n, bool descending, cpu_tie_extent *extent)
{
    if (descending)
        FN(tie_extent_of)(keys, n, 1, extent);
    else
        FN(tie_extent_of)(keys, n, 0, extent);
}

INLINE void FN(tie_words_of)(const KEY *keys, size_t n, int descending, const cpu_tie_map *map,
                             uint32_t *restrict words)
{
    BITS const     least = (BITS)map->least;
    unsigned const shift = map->shift, index_bits = map->index_bits;
    for (size_t i = 0; i < n; i++) {
        BITS const key = FN(key_tie_bits)(keys[i], descending);
        words[i] = (uint32_t)((uint64_t)(BITS)(key - least) >> shift) << index_bits | (uint32_t)i;
    }
}

static void FN(tie_words)(const void *keys, size_t n, bool descending, const cpu_tie_map *map,
                          uint32_t *words)
{
    if (descending)
        FN(tie_words_of)(keys, n, 1, map, words);
    else
        FN(tie_words_of)(keys, n, 0, map, words);
}
