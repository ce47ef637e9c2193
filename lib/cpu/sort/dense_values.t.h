/* dense_values.t.h - the loops of dense_values.c for keys of one width (RECORD). */

enum {
    FN(TOGETHER) = 32 / sizeof(RECORD) /* keys that are written without a test */
};

/* Counts at most DENSE_BLOCK keys. A key of the range counts in a byte, and 256 in a word when the
 * byte overflows, so that the table is small. Neighbouring keys use different copies of the table
 * if there are several, because the same byte twice in a row would wait for itself. The other keys
 * go to `strays`, which has room for as many. Returns their number. */
static size_t FN(dense_count)(const dense_table *table, const void *array, size_t count,
                              uint8_t *bytes, void *other)
{
    const RECORD *const keys = array;
    RECORD *const       strays = other;
    RECORD const        low = (RECORD)table->low;
    size_t const        range = table->range, stride = table->stride;
    size_t              stray = 0;
    for (size_t i = 0; i < count; i++) {
        RECORD const key = keys[i];
        size_t const distance = (RECORD)(key - low);
        if (ORDO_UNLIKELY(distance >= range))
            strays[stray++] = key;
        else if (ORDO_UNLIKELY(++bytes[distance + i % DENSE_COPIES * stride] == 0))
            atomic_fetch_add_explicit(&table->words[distance], 256, memory_order_relaxed);
    }
    return stray;
}

/* Writes the keys [at, end) of the result. The first `skip` keys of value `from` are before `at`.
 * `step` is 1 or -1: from a value to the next. Most counts are small: some keys more than needed
 * are written, and the next value overwrites them. */
static void FN(dense_write)(void *array, size_t at, size_t end, uint64_t low, size_t from,
                            size_t skip, size_t step, const uint32_t *counts)
{
    RECORD *const out = array;
    for (size_t value = from; at < end; value += step, skip = 0) {
        size_t const count = ordo_min(counts[value] - skip, end - at);
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
