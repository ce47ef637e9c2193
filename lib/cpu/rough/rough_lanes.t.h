/* rough_lanes.t.h - sorts k-sorted items, k <= M, in registers: W is 32 or 64, M 8, 16 or 32; see
 * rough_networks.c.
 *
 * As many stretches as a vector has lanes are sorted side by side, each in a lane of its own. M
 * items of each are taken, sorted by a network and merged with the M held back before; the lower
 * half of that is final, the upper half is held back. */
static inline void FN(take)(WIDTH(lanes) * x, const RECORD *a, size_t length)
{
    enum {
        LANES = 16 / sizeof(RECORD)
    };
    for (size_t i = 0; i < M; i += LANES) {
        for (size_t lane = 0; lane < LANES; lane++)
            x[i + lane] = WIDTH(lanes_load)(a + lane * length + i);
        WIDTH(lanes_turn)(x + i);
    }
}

static inline void FN(give)(const WIDTH(lanes) * x, RECORD *a, size_t length)
{
    enum {
        LANES = 16 / sizeof(RECORD)
    };
    for (size_t i = 0; i < M; i += LANES) {
        WIDTH(lanes) y[LANES];
        memcpy(y, x + i, sizeof y);
        WIDTH(lanes_turn)(y);
        for (size_t lane = 0; lane < LANES; lane++)
            WIDTH(lanes_store)(a + lane * length + i, y[lane]);
    }
}

/* Sorts the stretches a[0 .. length), a[length .. 2 length) ... in place; length is a multiple of
 * M. Returns whether each is in order now, which it is if its radius was at most M. */
static bool FN(stream)(void *items, size_t length)
{
    RECORD *const a = items;
    WIDTH(lanes) x[2 * M], last = {0}, wrong = {0};
    FN(take)(x, a, length);
    SORT(0)
    for (size_t at = M; at < length; at += M) {
        FN(take)(x + M, a + at, length);
        SORT(M)
        MERGE(0)
        wrong |= (WIDTH(lanes))(last > x[0]);
        last = x[M - 1];
        FN(give)(x, a + at - M, length);
        for (size_t i = 0; i < M; i++)
            x[i] = x[M + i];
    }
    wrong |= (WIDTH(lanes))(last > x[0]);
    FN(give)(x, a + length - M, length);
    return !WIDTH(lanes_any)(wrong);
}
