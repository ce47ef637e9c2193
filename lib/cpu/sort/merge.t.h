/* merge.t.h - merging and merge sort of items, on one thread. Needs core/base.h, string.h and
 * kernel/kernels.h (INLINE).
 *
 * A merge has no branch on data, so it is bound by the chain load, compare, advance: seven or so
 * cycles an item. The chain is broken up: two runs are merged from both ends at once, and longer
 * ones are cut in the middle of the output (co-rank) and both halves merged from both ends, which
 * makes four independent chains. Only the last few items of an uneven pair take a plain loop.
 *
 * Items that compare equal are the same bits, so nobody can tell whether these are stable; they
 * are. */

/* How many of the first `rank` items of the merged order come from a. */
static inline size_t FN(co_rank)(const ITEM *a, size_t na, const ITEM *b, size_t nb, size_t rank)
{
    size_t low = rank > nb ? rank - nb : 0, high = ordo_min(rank, na);
    while (low < high) {
        size_t const middle = low + (high - low) / 2;
        if (LESS(b[rank - 1 - middle], a[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Two runs that are being merged from both ends; what is left of them, and where it goes. */
typedef struct FN(merge_pair) {
    const ITEM *a, *b;
    size_t      na, nb;
    ITEM       *out;
} FN(merge_pair);

/* One step at either end: i and p count what was taken from a in front and behind. */
INLINE size_t FN(step_front)(const FN(merge_pair) * m, size_t step, size_t i)
{
    ITEM const x = m->a[i], y = m->b[step - i];
    int const  take = LESS(y, x);
    m->out[step] = FN(cpu_pick)(take, x, y);
    return i + (size_t)!take;
}

INLINE size_t FN(step_back)(const FN(merge_pair) * m, size_t step, size_t p)
{
    ITEM const x = m->a[m->na - 1 - p], y = m->b[m->nb - 1 - (step - p)];
    int const  take = LESS(y, x);
    m->out[m->na + m->nb - 1 - step] = FN(cpu_pick)(take, y, x);
    return p + (size_t)take;
}

/* After `steps` at both ends. */
INLINE void FN(shrink)(FN(merge_pair) * m, size_t steps, size_t i, size_t p)
{
    m->a += i;
    m->b += steps - i;
    m->na -= i + p;
    m->nb -= 2 * steps - i - p;
    m->out += steps;
}

/* min(na, nb) steps at each end read neither run past its ends and write nothing twice. */
static inline void FN(merge_rest)(FN(merge_pair) m)
{
    enum {
        WORTH = 4
    };
    for (size_t steps; (steps = ordo_min(m.na, m.nb)) >= WORTH;) {
        FN(merge_pair) const now = m;
        size_t i = 0, p = 0;
        for (size_t step = 0; step < steps; step++) {
            i = FN(step_front)(&now, step, i);
            p = FN(step_back)(&now, step, p);
        }
        FN(shrink)(&m, steps, i, p);
    }
    while (m.na > 0 && m.nb > 0) {
        int const take = LESS(*m.b, *m.a);
        *m.out++ = FN(cpu_pick)(take, *m.a, *m.b);
        m.a += !take;
        m.na -= (size_t)!take;
        m.b += take;
        m.nb -= (size_t)take;
    }
    memcpy(m.out, m.a, m.na * sizeof *m.out);
    memcpy(m.out + m.na, m.b, m.nb * sizeof *m.out);
}

static inline void FN(merge_halves)(const ITEM *a, size_t na, const ITEM *b, size_t nb, ITEM *out)
{
    size_t const half = (na + nb) / 2, from_a = FN(co_rank)(a, na, b, nb, half);
    FN(merge_pair) low = {a, b, from_a, half - from_a, out};
    FN(merge_pair)
    high = {a + from_a, b + (half - from_a), na - from_a, nb - (half - from_a), out + half};
    FN(merge_pair) const low_now = low, high_now = high;
    size_t const steps = ordo_min(ordo_min(low.na, low.nb), ordo_min(high.na, high.nb));
    size_t       i = 0, p = 0, j = 0, q = 0;
    for (size_t step = 0; step < steps; step++) {
        i = FN(step_front)(&low_now, step, i);
        p = FN(step_back)(&low_now, step, p);
        j = FN(step_front)(&high_now, step, j);
        q = FN(step_back)(&high_now, step, q);
    }
    FN(shrink)(&low, steps, i, p);
    FN(shrink)(&high, steps, j, q);
    FN(merge_rest)(low);
    FN(merge_rest)(high);
}

/* out[0 .. na + nb) = the runs a and b merged; out overlaps neither. */
static inline void FN(merge)(const ITEM *a, size_t na, const ITEM *b, size_t nb, ITEM *out)
{
    enum {
        LONG = 128 /* items from which the search for the middle is worth it */
    };
    if (na == 0 || nb == 0 || !LESS(b[0], a[na - 1])) {
        memcpy(out, a, na * sizeof *out);
        memcpy(out + na, b, nb * sizeof *out);
    } else if (na + nb >= LONG) {
        FN(merge_halves)(a, na, b, nb, out);
    } else {
        FN(merge_rest)((FN(merge_pair)){a, b, na, nb, out});
    }
}

/* ---- Sort ---- */

/* src[0..n) in order into dst, which may be src; for few items. */
static inline void FN(insert_sort)(const ITEM *src, ITEM *dst, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ITEM const item = src[i];
        size_t     at = i;
        for (; at > 0 && LESS(item, dst[at - 1]); at--)
            dst[at] = dst[at - 1];
        dst[at] = item;
    }
}

INLINE void FN(exchange)(ITEM *a, ITEM *b)
{
    ITEM const x = *a, y = *b;
    int const  swap = LESS(y, x);
    *a = FN(cpu_pick)(swap, x, y);
    *b = FN(cpu_pick)(swap, y, x);
}

/* Eight items by the network of 19 exchanges in six layers. */
static inline void FN(sort_eight)(const ITEM *src, ITEM *dst)
{
    ITEM a = src[0], b = src[1], c = src[2], d = src[3];
    ITEM e = src[4], f = src[5], g = src[6], h = src[7];
    FN(exchange)(&a, &c), FN(exchange)(&b, &d), FN(exchange)(&e, &g), FN(exchange)(&f, &h);
    FN(exchange)(&a, &e), FN(exchange)(&b, &f), FN(exchange)(&c, &g), FN(exchange)(&d, &h);
    FN(exchange)(&a, &b), FN(exchange)(&c, &d), FN(exchange)(&e, &f), FN(exchange)(&g, &h);
    FN(exchange)(&c, &e), FN(exchange)(&d, &f);
    FN(exchange)(&b, &e), FN(exchange)(&d, &g);
    FN(exchange)(&b, &c), FN(exchange)(&d, &e), FN(exchange)(&f, &g);
    dst[0] = a, dst[1] = b, dst[2] = c, dst[3] = d;
    dst[4] = e, dst[5] = f, dst[6] = g, dst[7] = h;
}

/* Sorts data[0..n) with other[0..n) as scratch; the result is in other if to_other is set. Halves
 * until eight are left, so lg n calls deep and as close to the caches as can be. */
static inline void FN(merge_sort)(ITEM *data, ITEM *other, size_t n, bool to_other)
{
    enum {
        LEAF = 8
    };
    ITEM *const out = to_other ? other : data;
    if (n < LEAF) {
        FN(insert_sort)(data, out, n);
        return;
    }
    if (n == LEAF) {
        FN(sort_eight)(data, out);
        return;
    }
    size_t const      half = ordo_round_up(n / 2, LEAF); /* below n; leaves are full but the last */
    const ITEM *const in = to_other ? data : other;
    FN(merge_sort)(data, other, half, !to_other);
    FN(merge_sort)(data + half, other + half, n - half, !to_other);
    FN(merge)(in, half, in + half, n - half, out);
}
