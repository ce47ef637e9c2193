/* dense_values.t.h - the loops of dense_values.c for keys of one width (RECORD). */

enum {
    FN(TOGETHER) = 32 / sizeof(RECORD) /* keys written together, without a test of the count */
};

/* Counts at most DENSE_BLOCK keys in 32-bit words. Keys outside the range go to `strays`, which has
 * room for all keys, and are counted in words[range]: without a branch, which many strays would
 * make costly. Returns the number of strays. `indices` are the values of floats, `range` for a
 * stray; NULL: the keys are integers. */
INLINE size_t FN(dense_tally)(const dense_table *table, const RECORD *keys, size_t count,
                              const uint32_t *indices, uint32_t *words, RECORD *strays)
{
    RECORD const low = (RECORD)table->low;
    size_t const range = table->range;
    size_t       stray = 0;
    for (size_t i = 0; i < count; i++) {
        RECORD const key = keys[i];
        size_t const value = indices != NULL ? indices[i] : (RECORD)(key - low);
        bool const   outside = value >= range;
        strays[stray] = key;
        stray += outside;
        words[outside ? range : value]++;
    }
    return stray;
}

/* The same for rare strays. `bytes`: the table is of bytes, so that a wide one is small; when a
 * byte overflows, 256 is added to a word that all threads share. NULL: it is of `words`. */
INLINE size_t FN(dense_tally_rare)(const dense_table *table, const RECORD *keys, size_t count,
                                   const uint32_t *indices, uint8_t *bytes, uint32_t *words,
                                   RECORD *strays)
{
    _Atomic uint32_t *const overflows = table->words;
    RECORD const            low = (RECORD)table->low;
    size_t const            range = table->range;
    size_t                  stray = 0;
    for (size_t i = 0; i < count; i++) {
        size_t const value = indices != NULL ? indices[i] : (RECORD)(keys[i] - low);
        if (ORDO_UNLIKELY(value >= range))
            strays[stray++] = keys[i];
        else if (bytes == NULL)
            words[value]++;
        else if (ORDO_UNLIKELY(++bytes[value] == 0))
            atomic_fetch_add_explicit(&overflows[value], 256, memory_order_relaxed);
    }
    return stray;
}

INLINE size_t FN(dense_count_as)(const dense_table *table, const RECORD *keys, size_t count,
                                 const uint32_t *indices, void *counts, RECORD *strays)
{
    return table->in_bytes ? FN(dense_tally_rare)(table, keys, count, indices, counts, NULL, strays)
                           : table->rare
        ? FN(dense_tally_rare)(table, keys, count, indices, NULL, counts, strays)
        : FN(dense_tally)(table, keys, count, indices, counts, strays);
}

static size_t FN(dense_count)(const dense_table *table, const void *keys, size_t count,
                              const uint32_t *indices, void *counts, void *strays)
{
    return indices != NULL ? FN(dense_count_as)(table, keys, count, indices, counts, strays)
                           : FN(dense_count_as)(table, keys, count, NULL, counts, strays);
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
