/* measure_check.t.h - the comparisons of order_loops.h for key bits of W bits, 32 or 64. */
static bool FN(any_before)(const RECORD *left, const RECORD *right, size_t count)
{
    RECORD before = 0;
    for (size_t i = 0; i < count; i++)
        before |= (RECORD)(right[i] < left[i]);
    return before != 0;
}

/* Four vectors per step. The prefix maxima within a vector do not depend on other vectors; only one
 * maximum per vector depends on the previous vector. */
static bool FN(any_before_all)(const RECORD *left, const RECORD *right, size_t count,
                               RECORD *largest)
{
    enum {
        LANES = 16 / sizeof(RECORD)
    };
    FN(lanes) before = {0}, carry = before + *largest;
    size_t i = 0;
    for (; i + 4 * LANES <= count; i += 4 * LANES) {
        for (size_t part = 0; part < 4; part++) {
            size_t const at = i + part * LANES;
            FN(lanes) const rising = FN(lanes_rising)(FN(lanes_load)(left + at));
            FN(lanes) const upto = FN(lanes_max)(rising, carry);
            before |= (FN(lanes))(upto > FN(lanes_load)(right + at));
            carry = FN(lanes_max)(carry, FN(lanes_last)(rising));
        }
    }
    RECORD most = carry[0], rest = 0;
    for (; i < count; i++) {
        most = left[i] > most ? left[i] : most;
        rest |= (RECORD)(right[i] < most);
    }
    *largest = most;
    return FN(lanes_any)(before) || rest != 0;
}

/* The maximum of all lanes, in all lanes. */
static inline FN(lanes) FN(lanes_most)(FN(lanes) v)
{
#if W == 32
    v = FN(lanes_max)(v, __builtin_shufflevector(v, v, 2, 3, 0, 1));
    return FN(lanes_max)(v, __builtin_shufflevector(v, v, 1, 0, 3, 2));
#else
    return FN(lanes_max)(v, __builtin_shufflevector(v, v, 1, 0));
#endif
}

/* As any_before_all, but tests whole groups first: a group is compared key by key only if its
 * minimum on the right is less than the maximum on the left up to the end of the group. */
static bool FN(any_before_far)(const RECORD *left, const RECORD *right, size_t count,
                               RECORD *largest)
{
    enum {
        LANES = 16 / sizeof(RECORD),
        SIDE = 4, /* independent maxima */
        GROUP = ORDER_GROUP / sizeof(RECORD)
    };
    FN(lanes) const none = {0};
    FN(lanes) carry = none + *largest;
    size_t at = 0;
    for (; at + GROUP <= count; at += GROUP) {
        FN(lanes) high[SIDE], low[SIDE];
        for (size_t j = 0; j < SIDE; j++) {
            high[j] = FN(lanes_load)(left + at + j * LANES);
            low[j] = FN(lanes_load)(right + at + j * LANES);
        }
        for (size_t i = at + SIDE * LANES; i < at + GROUP; i += SIDE * LANES)
            for (size_t j = 0; j < SIDE; j++) {
                FN(lanes) other = FN(lanes_load)(right + i + j * LANES);
                high[j] = FN(lanes_max)(high[j], FN(lanes_load)(left + i + j * LANES));
                FN(lanes_order)(&low[j], &other);
            }
        FN(lanes_order)(&low[0], &low[1]);
        FN(lanes_order)(&low[2], &low[3]);
        FN(lanes_order)(&low[0], &low[2]);
        high[0] = FN(lanes_max)(FN(lanes_max)(high[0], high[1]), FN(lanes_max)(high[2], high[3]));
        FN(lanes) const upto = FN(lanes_max)(carry, FN(lanes_most)(high[0]));
        if (FN(lanes_any)((FN(lanes))(upto > low[0]))) {
            RECORD before_block = carry[0];
            if (FN(any_before_all)(left + at, right + at, GROUP, &before_block))
                return true;
        }
        carry = upto;
    }
    *largest = carry[0];
    return FN(any_before_all)(left + at, right + at, count - at, largest);
}

/* The maximum and the minimum of a[0 .. count). */
static void FN(bounds)(const RECORD *a, size_t count, RECORD *most, RECORD *least)
{
    enum {
        LANES = 16 / sizeof(RECORD)
    };
    FN(lanes) const first = (FN(lanes)){0} + a[0];
    FN(lanes) high[2] = {first, first}, low[2] = {first, first};
    size_t i = 0;
    for (; i + 2 * LANES <= count; i += 2 * LANES)
        for (size_t j = 0; j < 2; j++) { /* two independent chains */
            FN(lanes) const x = FN(lanes_load)(a + i + j * LANES);
            FN(lanes) other = x;
            high[j] = FN(lanes_max)(high[j], x);
            FN(lanes_order)(&low[j], &other);
        }
    FN(lanes_order)(&low[0], &low[1]);
    high[0] = FN(lanes_max)(high[0], high[1]);
    *most = high[0][0];
    *least = low[0][0];
    for (size_t lane = 1; lane < LANES; lane++) {
        *most = high[0][lane] > *most ? high[0][lane] : *most;
        *least = low[0][lane] < *least ? low[0][lane] : *least;
    }
    for (; i < count; i++) {
        *most = a[i] > *most ? a[i] : *most;
        *least = a[i] < *least ? a[i] : *least;
    }
}
