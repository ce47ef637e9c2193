/* small_n_network.t.h - sorts records of one width in registers: LANES of them in a vector VEC; see
 * small_n.c. */

/* For 4, 8, 16 or 32 rows, a constant in every call. */
INLINE void FN(small_rows)(char *a, unsigned rows)
{
    VEC x[32];
    EACH (r, rows)
        memcpy(&x[r], a + sizeof *x * r, sizeof *x);
    BY_ROWS(NETWORK_SORT)
    EACH (r, rows / 2)
        FN(small_cross)(&x[r], &x[rows - 1 - r], false);
    BY_ROWS(SMALL_CLEAN)
#if LANES == 4
    EACH (r, rows / 2)
        FN(small_cross)(&x[r], &x[rows - 1 - r], true);
    EACH (r, rows)
        FN(small_step)(&x[r]);
    BY_ROWS(SMALL_CLEAN)
#endif
    EACH (i, rows / LANES) {
        FN(lanes_transpose)(x + LANES * i);
        EACH (lane, LANES)
            memcpy(a + sizeof *x / LANES * (lane * rows + LANES * i), &x[LANES * i + lane],
                   sizeof *x);
    }
}

static void FN(small_network)(void *numbers, size_t rows)
{
    if (rows == 4)
        FN(small_rows)(numbers, 4);
    else if (rows == 8)
        FN(small_rows)(numbers, 8);
    else if (rows == 16)
        FN(small_rows)(numbers, 16);
    else
        FN(small_rows)(numbers, 32);
}
