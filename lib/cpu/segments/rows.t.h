/* rows.t.h - sorts many rows of a few keys of one type: one row in each lane of a vector.
 *
 * The key bits of CPU_ROWS rows become the columns of a matrix, padded with the largest number to a
 * power of two. Batcher's network (core/network.h) sorts all columns at once; the compiler turns
 * the loops over columns into vector code of the ISA. */

INLINE void FN(rows_order)(BITS *a, BITS *b)
{
    for (size_t r = 0; r < CPU_ROWS; r++) {
        BITS const low = a[r] < b[r] ? a[r] : b[r];
        b[r] = a[r] < b[r] ? b[r] : a[r];
        a[r] = low;
    }
}

#define NETWORK_ORDER(i, j) FN(rows_order)(x[i], x[j]);

static void FN(rows_network)(BITS x[][CPU_ROWS], size_t padded)
{
    if (padded == 2) {
        NETWORK_SORT_2(0)
    } else if (padded == 4) {
        NETWORK_SORT_4(0)
    } else if (padded == 8) {
        NETWORK_SORT_8(0)
    } else {
        NETWORK_SORT_16(0)
    }
}

#undef NETWORK_ORDER

/* `descending` is a constant in both calls. */
INLINE void FN(rows_sort)(KEY *keys, size_t rows, size_t n, int descending)
{
    size_t const padded = n <= 2 ? 2 : n <= 4 ? 4 : n <= 8 ? 8 : ORDO_ROW_KEYS;
    BITS         x[ORDO_ROW_KEYS][CPU_ROWS];
    for (size_t first = 0; first < rows; first += CPU_ROWS) {
        size_t const count = rows - first < CPU_ROWS ? rows - first : CPU_ROWS;
        KEY *const   at = keys + first * n;
        memset(x, 0xff, padded * sizeof *x);
        for (size_t r = 0; r < count; r++)
            for (size_t j = 0; j < n; j++)
                x[j][r] = FN(key_sort_bits)(at[r * n + j], descending);
        FN(rows_network)(x, padded);
        for (size_t r = 0; r < count; r++)
            for (size_t j = 0; j < n; j++)
                at[r * n + j] = FN(key_of_sort_bits)(x[j][r], descending);
    }
}

static void FN(sort_rows)(void *keys, size_t rows, size_t n, bool descending)
{
    if (descending)
        FN(rows_sort)(keys, rows, n, 1);
    else
        FN(rows_sort)(keys, rows, n, 0);
}
