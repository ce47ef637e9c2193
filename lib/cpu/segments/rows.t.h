/* rows.t.h - sorts many rows of a few keys of one type, or finds their order: one row in each lane
 * of a vector.
 *
 * Rows of 2 to 4 keys stay in registers: a network sorts them, and the order of a row follows from
 * the comparisons of all pairs. The key bits of CPU_ROWS longer rows become the columns of a
 * matrix, padded with the largest number to a power of two. Batcher's network (core/network.h)
 * sorts all columns at once; the compiler turns the loops over columns into vector code. */

/* ---- 2 to 4 keys ---- */

INLINE void FN(few_order)(BITS *a, BITS *b)
{
    BITS const low = *a < *b ? *a : *b;
    *b = *a < *b ? *b : *a;
    *a = low;
}

/* n and `descending` are constants in all calls. */
INLINE void FN(rows_sort_few)(KEY *keys, size_t rows, size_t n, int descending)
{
    for (size_t r = 0; r < rows; r++) {
        KEY *const at = keys + r * n;
        BITS       x[4] = {0};
        for (size_t j = 0; j < n; j++)
            x[j] = FN(key_sort_bits)(at[j], descending);
        FN(few_order)(&x[0], &x[1]);
        if (n == 3) {
            FN(few_order)(&x[1], &x[2]);
            FN(few_order)(&x[0], &x[1]);
        } else if (n == 4) {
            FN(few_order)(&x[2], &x[3]);
            FN(few_order)(&x[0], &x[2]);
            FN(few_order)(&x[1], &x[3]);
            FN(few_order)(&x[1], &x[2]);
        }
        for (size_t j = 0; j < n; j++)
            at[j] = FN(key_of_sort_bits)(x[j], descending);
    }
}

INLINE void FN(rows_sort_by_size)(KEY *keys, size_t rows, size_t n, int descending)
{
    if (n == 2)
        FN(rows_sort_few)(keys, rows, 2, descending);
    else if (n == 3)
        FN(rows_sort_few)(keys, rows, 3, descending);
    else
        FN(rows_sort_few)(keys, rows, 4, descending);
}

/* The place of key j in its row is the number of keys that come before it. */
INLINE void FN(rows_order_few)(const KEY *keys, size_t rows, size_t n, int descending,
                               uint8_t *order, uint8_t *ties)
{
    for (size_t r = 0; r < rows; r++) {
        const KEY *const at = keys + r * n;
        uint8_t *const   to = order + r * n;
        BITS             x[4] = {0};
        unsigned         place[4] = {0, 0, 0, 0};
        for (size_t j = 0; j < n; j++)
            x[j] = FN(key_tie_bits)(at[j], descending);
        for (size_t j = 1; j < n; j++)
            for (size_t i = 0; i < j; i++) {
                unsigned const after = x[j] < x[i];
                place[i] += after;
                place[j] += 1 - after;
            }
        for (size_t j = 0; j < n; j++)
            to[place[j]] = (uint8_t)j;
        for (size_t j = 0; ties != NULL && j < n; j++)
            ties[r * n + j] = j > 0 && x[to[j]] == x[to[j - 1]];
    }
}

INLINE void FN(rows_order_by_size)(const KEY *keys, size_t rows, size_t n, int descending,
                                   uint8_t *order, uint8_t *ties)
{
    if (n == 2)
        FN(rows_order_few)(keys, rows, 2, descending, order, ties);
    else if (n == 3)
        FN(rows_order_few)(keys, rows, 3, descending, order, ties);
    else
        FN(rows_order_few)(keys, rows, 4, descending, order, ties);
}

/* ---- Up to ORDO_ROW_KEYS keys ---- */

INLINE void FN(rows_order)(BITS *a, BITS *b)
{
    for (size_t r = 0; r < CPU_ROWS; r++) {
        BITS const low = a[r] < b[r] ? a[r] : b[r];
        b[r] = a[r] < b[r] ? b[r] : a[r];
        a[r] = low;
    }
}

/* Sorts `padded` keys, 8 or 16, by NETWORK_ORDER. */
#define ROWS_NETWORK(padded)                                                                       \
    if ((padded) == 8) {                                                                           \
        NETWORK_SORT_8(0)                                                                          \
    } else {                                                                                       \
        NETWORK_SORT_16(0)                                                                         \
    }

#define NETWORK_ORDER(i, j) FN(rows_order)(x[i], x[j]);

static void FN(rows_network)(BITS x[][CPU_ROWS], size_t padded) { ROWS_NETWORK(padded) }

#undef NETWORK_ORDER

/* `descending` is a constant in both calls. */
INLINE void FN(rows_sort)(KEY *keys, size_t rows, size_t n, int descending)
{
    size_t const padded = n <= 8 ? 8 : ORDO_ROW_KEYS;
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
    if (n <= 1)
        return;
    if (n <= 4 && descending)
        FN(rows_sort_by_size)(keys, rows, n, 1);
    else if (n <= 4)
        FN(rows_sort_by_size)(keys, rows, n, 0);
    else if (descending)
        FN(rows_sort)(keys, rows, n, 1);
    else
        FN(rows_sort)(keys, rows, n, 0);
}

/* ---- Order ---- */

typedef struct FN(rows_line) { /* the j-th keys of all rows, and their indices in their rows */
    BITS key[CPU_ROWS], index[CPU_ROWS];
} FN(rows_line);

/* Keys that tie are compared by index, because the network is not stable. */
static __attribute__((noinline)) void FN(rows_order_index)(FN(rows_line) * a, FN(rows_line) * b)
{
    for (size_t r = 0; r < CPU_ROWS; r++) {
        BITS const x = a->key[r], y = b->key[r], i = a->index[r], j = b->index[r];
        bool const swap = (y < x) | ((y == x) & (j < i));
        a->key[r] = swap ? y : x;
        b->key[r] = swap ? x : y;
        a->index[r] = swap ? j : i;
        b->index[r] = swap ? i : j;
    }
}

#define NETWORK_ORDER(i, j) FN(rows_order_index)(&x[i], &x[j]);

static void FN(rows_index_network)(FN(rows_line) * x, size_t padded) { ROWS_NETWORK(padded) }

#undef NETWORK_ORDER
#undef ROWS_NETWORK

/* Both directions are constants in their calls. */
INLINE void FN(rows_find_order)(const KEY *keys, size_t rows, size_t n, int descending,
                                uint8_t *order, uint8_t *ties)
{
    size_t const padded = n <= 8 ? 8 : ORDO_ROW_KEYS;
    FN(rows_line) x[ORDO_ROW_KEYS];
    for (size_t first = 0; first < rows; first += CPU_ROWS) {
        size_t const count = rows - first < CPU_ROWS ? rows - first : CPU_ROWS, at = first * n;
        for (size_t j = 0; j < padded; j++) {
            memset(x[j].key, 0xff, sizeof x[j].key);
            for (size_t r = 0; r < CPU_ROWS; r++)
                x[j].index[r] = (BITS)j;
        }
        for (size_t r = 0; r < count; r++)
            for (size_t j = 0; j < n; j++)
                x[j].key[r] = FN(key_tie_bits)(keys[at + r * n + j], descending);
        FN(rows_index_network)(x, padded);
        for (size_t r = 0; r < count; r++)
            for (size_t j = 0; j < n; j++)
                order[at + r * n + j] = (uint8_t)x[j].index[r];
        if (ties == NULL)
            continue;
        for (size_t r = 0; r < count; r++)
            for (size_t j = 0; j < n; j++)
                ties[at + r * n + j] = j > 0 && x[j].key[r] == x[j - 1].key[r];
    }
}

static void FN(order_rows)(const void *keys, size_t rows, size_t n, bool descending, uint8_t *order,
                           uint8_t *ties)
{
    if (n == 1) {
        memset(order, 0, rows);
        if (ties != NULL)
            memset(ties, 0, rows);
    } else if (n <= 4 && descending)
        FN(rows_order_by_size)(keys, rows, n, 1, order, ties);
    else if (n <= 4)
        FN(rows_order_by_size)(keys, rows, n, 0, order, ties);
    else if (descending)
        FN(rows_find_order)(keys, rows, n, 1, order, ties);
    else
        FN(rows_find_order)(keys, rows, n, 0, order, ties);
}
