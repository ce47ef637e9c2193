/* columns.t.h - the loops over one key column of lexsort.c, for one key type. */

/* The key bits of a row: with ties folded, or in the order of a keys-only sort. */
static inline BITS FN(column_bits)(const ordo_key_column *column, size_t row)
{
    KEY const key = ((const KEY *)column->keys)[row];
    return column->folded ? FN(key_tie_bits)(key, column->descending)
                          : FN(key_sort_bits)(key, column->descending);
}

static void FN(column_extent)(const ordo_key_column *column, size_t lo, size_t hi, uint64_t *least,
                              uint64_t *most)
{
    BITS low = FN(column_bits)(column, lo), high = low;
    for (size_t i = lo + 1; i < hi; i++) {
        BITS const bits = FN(column_bits)(column, i);
        low = bits < low ? bits : low;
        high = bits > high ? bits : high;
    }
    *least = low;
    *most = high;
}

/* words[i] |= the bits that *part selects from row first + i. */
static void FN(pack_rows)(const ordo_key_column *column, const column_part *part, size_t first,
                          size_t count, uint64_t *words)
{
    ordo_key_column const c = *column;
    column_part const     p = *part;
    for (size_t i = 0; i < count; i++)
        words[i] |= (((uint64_t)FN(column_bits)(&c, first + i) - p.base) >> p.right & p.mask)
                     << p.left;
}

/* The same for the rows that an index lists. */
static void FN(pack_u32)(const ordo_key_column *column, const column_part *part,
                         const uint32_t *rows, size_t count, uint64_t *words)
{
    for (size_t i = 0; i < count; i++)
        words[i] |=
            (((uint64_t)FN(column_bits)(column, rows[i]) - part->base) >> part->right & part->mask)
             << part->left;
}

static void FN(pack_u64)(const ordo_key_column *column, const column_part *part,
                         const uint64_t *rows, size_t count, uint64_t *words)
{
    for (size_t i = 0; i < count; i++)
        words[i] |=
            (((uint64_t)FN(column_bits)(column, (size_t)rows[i]) - part->base) >> part->right &
              part->mask)
             << part->left;
}

static int FN(compare_rows)(const ordo_key_column *column, size_t a, size_t b)
{
    BITS const x = FN(column_bits)(column, a), y = FN(column_bits)(column, b);
    return (x > y) - (x < y);
}
