/* columns.t.h - single rows of a key column of lexsort.c, for one key type. */

/* The key bits of a row: with ties folded, or in the order of a keys-only sort. */
static inline BITS FN(column_bits)(const ordo_key_column *column, size_t row)
{
    KEY const key = ((const KEY *)column->keys)[row];
    return column->folded ? FN(key_tie_bits)(key, column->descending)
                          : FN(key_sort_bits)(key, column->descending);
}

/* bits[i] = the key bits of row rows[i]. */
static void FN(bits_of_rows)(const ordo_key_column *column, const uint64_t *rows, size_t count,
                             uint64_t *bits)
{
    for (size_t i = 0; i < count; i++)
        bits[i] = FN(column_bits)(column, (size_t)rows[i]);
}

static int FN(compare_rows)(const ordo_key_column *column, size_t a, size_t b)
{
    BITS const x = FN(column_bits)(column, a), y = FN(column_bits)(column, b);
    return (x > y) - (x < y);
}
