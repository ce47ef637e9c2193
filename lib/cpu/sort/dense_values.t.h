/* dense_values.t.h - the loops of dense_values.c for keys of one width (RECORD). */

enum {
    FN(TOGETHER) = 32 / sizeof(RECORD) /* keys that are written without a test */
};

/* Counts key - low in a byte, and 256 in a word when the byte overflows: most of the table then
 * stays in the cache. A key outside the range cannot occur unless another thread changes the array
 * during the call; it must not be counted outside the table. */
static void FN(dense_count)(const void *array, size_t n, uint64_t low, size_t range, uint8_t *bytes,
                            uint32_t *words)
{
    const RECORD *const keys = array;
    for (size_t i = 0; i < n; i++) {
        size_t const distance = (RECORD)(keys[i] - (RECORD)low);
        size_t const value = distance < range ? distance : 0;
        if (ORDO_UNLIKELY(++bytes[value] == 0))
            words[value] += 256;
    }
}

/* Writes values [lo, hi), each as often as it was counted, to [at, end) of the result. Most counts
 * are small: some keys more than needed are written, and the next value overwrites them. */
static void FN(dense_write)(void *array, size_t at, size_t end, uint64_t low, size_t lo, size_t hi,
                            bool descending, const uint32_t *counts)
{
    RECORD *const out = array;
    for (size_t i = lo; i < hi; i++) {
        size_t const value = descending ? hi - 1 - (i - lo) : i;
        size_t const count = counts[value];
        RECORD const key = (RECORD)((RECORD)low + (RECORD)value);
        size_t       written = 0;
        if (at + FN(TOGETHER) <= end) {
            for (size_t j = 0; j < FN(TOGETHER); j++)
                out[at + j] = key;
            written = FN(TOGETHER);
        }
        for (; written < count; written++)
            out[at + written] = key;
        at += count;
    }
}
