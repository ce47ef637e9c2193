/* sorted_row.t.h - which of many short rows of keys of one type are sorted. */
static bool FN(row_is_sorted)(const KEY *keys, size_t n, bool descending)
{
    BITS last = FN(key_tie_bits)(keys[0], descending);
    for (size_t j = 1; j < n; j++) {
        BITS const here = FN(key_tie_bits)(keys[j], descending);
        if (here < last)
            return false;
        last = here;
    }
    return true;
}

/* sorted[r] = whether row r is sorted, 1 or 0. A row of a few keys is read without branches. */
static void FN(rows_are_sorted)(const void *rows, size_t count, size_t n, bool descending,
                                int *sorted)
{
    const KEY *keys = rows;
    for (size_t r = 0; r < count; r++, keys += n) {
        if (n > FEW_KEYS) {
            sorted[r] = FN(row_is_sorted)(keys, n, descending);
            continue;
        }
        BITS     last = FN(key_tie_bits)(keys[0], descending);
        unsigned steps_down = 0;
        for (size_t j = 1; j < n; j++) {
            BITS const here = FN(key_tie_bits)(keys[j], descending);
            steps_down |= here < last;
            last = here;
        }
        sorted[r] = steps_down == 0;
    }
}
