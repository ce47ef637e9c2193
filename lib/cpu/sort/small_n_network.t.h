/* small_n_network.t.h - sorts ROWS vectors of W-bit records in registers; see small_n.c. */
static void FN(small_network)(void *numbers)
{
    enum {
        LANES = 128 / W
    };
    char *const a = numbers;
    WIDTH(lanes) x[ROWS];
    EACH (r, ROWS)
        x[r] = WIDTH(lanes_load)(a + sizeof *x * r);
    SORT(0)
    EACH (r, ROWS / 2)
        WIDTH(small_cross)(&x[r], &x[ROWS - 1 - r], false);
    CLEAN(0)
#if W == 32
    EACH (r, ROWS / 2)
        WIDTH(small_cross)(&x[r], &x[ROWS - 1 - r], true);
    EACH (r, ROWS)
        WIDTH(small_step)(&x[r]);
    CLEAN(0)
#endif
    EACH (i, ROWS / LANES) {
        WIDTH(lanes_turn)(x + LANES * i);
        EACH (lane, LANES)
            WIDTH(lanes_store)(a + W / 8 * (lane * ROWS + LANES * i), x[LANES * i + lane]);
    }
}
