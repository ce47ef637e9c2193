/* rough_networks.t.h - sorts k-sorted items, k <= 32, with sorting networks in registers. It is
 * included by kernel/plain_loops.h once for each width: RECORD, LANES of them in a vector VEC.
 *
 * The items are cut into as many stretches as a vector has lanes. Each lane sorts one stretch.
 * Insertion sorts the items after the last stretch, and up to k items after each border between two
 * stretches. O(n lg^2 k) comparisons, LANES at a time; no scratch. sort_rough.c calls this for
 * small radii, and for windows whose keys are already near their places. */
#define NETWORK_ORDER(i, j) FN(wide_order)(&x[i], &x[j]);
#define BY_SIZE(network, at)                                                                       \
    if (m == 8) {                                                                                  \
        network##_8(at)                                                                            \
    } else if (m == 16) {                                                                          \
        network##_16(at)                                                                           \
    } else {                                                                                       \
        network##_32(at)                                                                           \
    }

/* take loads m items of each stretch, with one stretch in each lane; give stores them. */
INLINE void FN(take)(VEC *x, const RECORD *a, size_t length, unsigned m)
{
    EACH (i, m / LANES) {
        EACH (lane, LANES)
            memcpy(&x[LANES * i + lane], a + lane * length + LANES * i, sizeof *x);
        FN(wide_transpose)(x + LANES * i);
    }
}

INLINE void FN(give)(const VEC *x, RECORD *a, size_t length, unsigned m)
{
    EACH (i, m / LANES) {
        VEC y[LANES];
        memcpy(y, x + LANES * i, sizeof y);
        FN(wide_transpose)(y);
        EACH (lane, LANES)
            memcpy(a + lane * length + LANES * i, &y[lane], sizeof *y);
    }
}

/* Sorts the stretches a[0 .. length), a[length .. 2 length) ... in place, all at once; length is a
 * multiple of m, which is 8, 16 or 32. Each step loads m items of each stretch, sorts them by a
 * network and merges them with the m items kept from the step before. The lower half is final; the
 * upper half is kept. Returns whether each stretch is in order now, which is the case if its radius
 * was at most m. */
INLINE bool FN(stream)(RECORD *a, size_t length, unsigned m)
{
    VEC x[2 * ROUGH_NETWORK_REACH], last = {0}, wrong = {0};
    FN(take)(x, a, length, m);
    BY_SIZE(NETWORK_SORT, 0)
    for (size_t at = m; at < length; at += m) {
        FN(take)(x + m, a + at, length, m);
        BY_SIZE(NETWORK_SORT, m)
        BY_SIZE(NETWORK_MERGE, 0)
        wrong |= (VEC)(last > x[0]);
        last = x[m - 1];
        FN(give)(x, a + at - m, length, m);
        EACH (i, m)
            x[i] = x[m + i];
    }
    wrong |= (VEC)(last > x[0]);
    FN(give)(x, a + length - m, length, m);
    return !FN(wide_any)(wrong);
}

/* Insertion sort of a[from .. count), where a[0 .. from) is in order and every item is at most
 * `reach` places from its sorted place. Returns false at an item that is further away. */
static bool FN(insert)(RECORD *a, size_t from, size_t count, size_t reach)
{
    for (size_t i = from; i < count; i++) {
        RECORD const x = a[i];
        size_t const last = i > reach ? i - reach : 0;
        size_t       j = i;
        for (; j > last && x < a[j - 1]; j--)
            a[j] = a[j - 1];
        a[j] = x;
        if (j == last && j > 0 && x < a[j - 1])
            return false;
    }
    return true;
}

/* The same if a[from .. count) is in order too: the loop ends at the first item that is not
 * moved. */
static bool FN(mend)(RECORD *a, size_t from, size_t count, size_t reach)
{
    size_t i = from;
    while (i < count && a[i] < a[i - 1] && i - from < reach) {
        if (!FN(insert)(a, i, i + 1, reach))
            return false;
        i++;
    }
    return i == count || !(a[i] < a[i - 1]);
}

static bool FN(networks)(RECORD *a, size_t count, size_t radius)
{
    enum {
        SHORTEST = 3 * ROUGH_NETWORK_REACH /* two borders and as many items between them */
    };
    size_t const all = count / LANES / ROUGH_NETWORK_REACH * ROUGH_NETWORK_REACH;
    size_t const length = all < SHORTEST ? 0 : all;
    bool         sorted = true;
    if (length > 0)
        sorted = radius <= 8 ? FN(stream)(a, length, 8)
                             : radius <= 16
            ? FN(stream)(a, length, 16)
            : FN(stream)(a, length, 32);
    for (size_t lane = 1; lane < LANES && length > 0 && sorted; lane++)
        sorted = FN(mend)(a, lane * length, (lane + 1) * length, radius);
    return sorted && FN(insert)(a, LANES * length, count, radius);
}
#undef BY_SIZE
#undef NETWORK_ORDER
