/* dense_values.t.h - the loops of dense_values.c for keys of one width (RECORD). */

enum {
    FN(TOGETHER) = 32 / sizeof(RECORD) /* keys that are written without a test */
};

/* A byte of the table overflows: 256 go to the word of the value. */
INLINE void FN(dense_add)(const dense_table *table, uint8_t *bytes, size_t i, size_t value)
{
    if (ORDO_UNLIKELY(++bytes[value + i % DENSE_COPIES * table->stride] == 0))
        atomic_fetch_add_explicit(&table->words[value], 256, memory_order_relaxed);
}

/* Counts at most DENSE_BLOCK keys. A key of the range counts in a byte, and 256 in a word when the
 * byte overflows, so that the table is small. Neighbouring keys use different copies of the table
 * if there are several, because the same byte twice in a row would wait for itself. The other keys
 * go to `strays`, which has room for as many. Returns their number. `indices` are the values of
 * floats; NULL: the keys are integers. */
static size_t FN(dense_count)(const dense_table *table, const void *array, size_t count,
                              const uint32_t *indices, uint8_t *bytes, void *other)
{
    const RECORD *const keys = array;
    RECORD *const       strays = other;
    RECORD const        low = (RECORD)table->low;
    size_t const        range = table->range;
    size_t              stray = 0;
    for (size_t i = 0; i < count && indices != NULL; i++) {
        if (ORDO_UNLIKELY(indices[i] >= range))
            strays[stray++] = keys[i];
        else
            FN(dense_add)(table, bytes, i, indices[i]);
    }
    for (size_t i = 0; i < count && indices == NULL; i++) {
        size_t const distance = (RECORD)(keys[i] - low);
        if (ORDO_UNLIKELY(distance >= range))
            strays[stray++] = keys[i];
        else
            FN(dense_add)(table, bytes, i, distance);
    }
    return stray;
}

/* A value as a key in memory. */
static inline RECORD FN(dense_key)(const dense_table *table, size_t value)
{
    RECORD key = (RECORD)((RECORD)table->low + (RECORD)value);
    if (table->scale != 0 && sizeof(RECORD) == sizeof(float)) {
        float const x = (float)(int32_t)(uint32_t)key / (float)table->scale;
        memcpy(&key, &x, sizeof x);
    } else if (table->scale != 0) {
        double const x = (double)(int32_t)(uint32_t)key / table->scale;
        memcpy(&key, &x, sizeof key);
    }
    return key;
}

/* Writes the keys [at, end) of the result. The first `skip` keys of value `from` are before `at`.
 * `step` is 1 or -1: from a value to the next. Most counts are small: some keys more than needed
 * are written, and the next value overwrites them. */
static void FN(dense_write)(const dense_table *table, void *array, size_t at, size_t end,
                            size_t from, size_t skip, size_t step, const uint32_t *counts)
{
    RECORD *const out = array;
    for (size_t value = from; at < end; value += step, skip = 0) {
        size_t const count = ordo_min(counts[value] - skip, end - at);
        RECORD const key = FN(dense_key)(table, value);
        size_t       written = 0;
        if (count >= DENSE_MANY) {
            table->loops->fill(out + at, key, count, table->bypass);
            written = count;
        } else if (at + FN(TOGETHER) <= end) {
            for (size_t j = 0; j < FN(TOGETHER); j++)
                out[at + j] = key;
            written = FN(TOGETHER);
        }
        for (; written < count; written++)
            out[at + written] = key;
        at += count;
    }
}
