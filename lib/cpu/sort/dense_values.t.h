/* dense_values.t.h - the loops of dense_values.c for keys of one width (RECORD). */

enum {
    FN(TOGETHER) = 32 / sizeof(RECORD) /* keys written together, without a test of the count */
};

/* Counts a value in a byte, so that the table is small. When the byte overflows, adds 256 to a
 * word. */
INLINE void FN(dense_add)(_Atomic uint32_t *words, uint8_t *bytes, size_t value)
{
    if (ORDO_UNLIKELY(++bytes[value] == 0))
        atomic_fetch_add_explicit(&words[value], 256, memory_order_relaxed);
}

/* Counts at most DENSE_BLOCK keys. Neighbouring keys use different copies of the table, if there
 * are several, because a second increment of the same byte would wait for the first. Keys outside
 * the range go to `strays`, which has room for all keys. Returns the number of strays. `indices`
 * are the values of floats; NULL: the keys are integers. */
INLINE size_t FN(dense_tally)(const dense_table *table, const RECORD *keys, size_t count,
                              const uint32_t *indices, uint8_t *bytes, RECORD *strays)
{
    _Atomic uint32_t *const words = table->words;
    RECORD const            low = (RECORD)table->low;
    size_t const            range = table->range, stride = table->stride;
    size_t                  stray = 0, i = 0;
    for (; i + DENSE_COPIES <= count; i += DENSE_COPIES) {
        uint8_t *copy = bytes;
        for (size_t j = 0; j < DENSE_COPIES; j++, copy += stride) {
            RECORD const key = keys[i + j];
            size_t const value = indices != NULL ? indices[i + j] : (RECORD)(key - low);
            if (ORDO_UNLIKELY(value >= range))
                strays[stray++] = key;
            else
                FN(dense_add)(words, copy, value);
        }
    }
    for (; i < count; i++) {
        size_t const value = indices != NULL ? indices[i] : (RECORD)(keys[i] - low);
        if (value >= range)
            strays[stray++] = keys[i];
        else
            FN(dense_add)(words, bytes, value);
    }
    return stray;
}

static size_t FN(dense_count)(const dense_table *table, const void *keys, size_t count,
                              const uint32_t *indices, uint8_t *bytes, void *strays)
{
    return indices != NULL ? FN(dense_tally)(table, keys, count, indices, bytes, strays)
                           : FN(dense_tally)(table, keys, count, NULL, bytes, strays);
}

/* The key of a value, as in memory. */
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
 * `step` is 1 or -1: from a value to the next. Most counts are small, so a few keys more than
 * needed are written; the next value overwrites them. */
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
