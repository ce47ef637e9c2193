/* small_n_key.t.h - a few keys of one type as records, and back; see small_n.c. */

typedef __typeof__((BITS)0 + 0u) FN(small_word); /* at least 32 bits */

static void FN(small_sort)(const ordo_sort_job *job)
{
    KEY *const   keys = job->keys;
    size_t const n = job->n, padded = small_padded(n, sizeof(FN(small_word)));
    _Alignas(16) FN(small_word) words[sizeof(KEY) == 8 ? MOST_64 : MOST_32];
    if (job->descending)
        for (size_t i = 0; i < n; i++)
            words[i] = FN(key_sort_bits)(keys[i], true);
    else
        for (size_t i = 0; i < n; i++)
            words[i] = FN(key_sort_bits)(keys[i], false);
    memset(words + n, 0xff, (padded - n) * sizeof *words);
    small_network(words, padded, sizeof *words);
    if (job->descending)
        for (size_t i = 0; i < n; i++)
            keys[i] = FN(key_of_sort_bits)((BITS)words[i], true);
    else
        for (size_t i = 0; i < n; i++)
            keys[i] = FN(key_of_sort_bits)((BITS)words[i], false);
}

/* order[i] = the index of the i-th key in order, ties by index. Keys of up to 32 bits share a word
 * with their index. For each 64-bit key, comparisons with all others count the keys before it. */
static void FN(small_order)(const void *array, size_t n, bool descending, uint32_t *order)
{
    const KEY *const      keys = array;
    _Alignas(16) uint64_t words[MOST_64];
    bool const            shared = sizeof(KEY) < sizeof *words;
    for (size_t i = 0; i < n; i++) {
        uint64_t const key = FN(key_tie_bits)(keys[i], descending);
        words[i] = shared ? key << 32 % (8 * sizeof key) | i : key;
    }
    if (shared) {
        size_t const padded = small_padded(n, sizeof *words);
        memset(words + n, 0xff, (padded - n) * sizeof *words);
        small_network(words, padded, sizeof *words);
        for (size_t i = 0; i < n; i++)
            order[i] = (uint32_t)words[i];
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t const key = words[i];
        uint64_t       place = 0;
        for (size_t j = 0; j < i; j++)
            place += words[j] <= key;
        for (size_t j = i + 1; j < n; j++)
            place += words[j] < key;
        order[place] = (uint32_t)i;
    }
}
