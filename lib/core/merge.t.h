/* merge.t.h - stable merge and merge sort of one type of record, on one thread. Needs core/base.h,
 * string.h, INLINE and small_sort.t.h; the includer defines RECORD, LESS(a, b), PICK(take_b, a, b)
 * and FN(name).
 *
 * A merge has no branch on data, so its time is the chain load, compare, advance: about seven
 * cycles a record. Therefore two ranges are merged from both ends at once, and long ones are also
 * cut in the middle of the output (co_rank), which makes four independent chains. Only the last
 * few records of an uneven pair take a plain loop. A leaf of the sort has 8 records, and no branch
 * on data either. */

/* How many of the first `rank` records of the merged order come from a. */
static inline size_t FN(co_rank)(const RECORD *a, size_t na, const RECORD *b, size_t nb,
                                 size_t rank)
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

/* What is left of two ranges that are being merged from both ends, and where it goes. */
typedef struct FN(merge_pair) {
    const RECORD *a, *b;
    size_t        na, nb;
    RECORD       *out;
} FN(merge_pair);

/* One step at the front or at the back: i and p count what was taken from a there. */
INLINE size_t FN(step_front)(const FN(merge_pair) * m, size_t step, size_t i)
{
    RECORD const x = m->a[i], y = m->b[step - i];
    int const    take = LESS(y, x);
    m->out[step] = PICK(take, x, y);
    return i + (size_t)!take;
}

INLINE size_t FN(step_back)(const FN(merge_pair) * m, size_t step, size_t p)
{
    RECORD const x = m->a[m->na - 1 - p], y = m->b[m->nb - 1 - (step - p)];
    int const    take = LESS(y, x);
    m->out[m->na + m->nb - 1 - step] = PICK(take, y, x);
    return p + (size_t)take;
}

/* Takes away what `steps` at both ends have merged. */
INLINE void FN(shrink)(FN(merge_pair) * m, size_t steps, size_t i, size_t p)
{
    m->a += i;
    m->b += steps - i;
    m->na -= i + p;
    m->nb -= 2 * steps - i - p;
    m->out += steps;
}

/* min(na, nb) steps at each end read neither range past its ends and write nothing twice. */
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
        *m.out++ = PICK(take, *m.a, *m.b);
        m.a += !take;
        m.na -= (size_t)!take;
        m.b += take;
        m.nb -= (size_t)take;
    }
    memcpy(m.out, m.a, m.na * sizeof *m.out);
    memcpy(m.out + m.na, m.b, m.nb * sizeof *m.out);
}

static inline void FN(merge_halves)(const RECORD *a, size_t na, const RECORD *b, size_t nb,
                                    RECORD *out)
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

/* Merges the records that overlap: what is left of a before b[0], and of b after the last of a, is
 * copied. The steps double, so up to twice as many are merged as overlap. */
static inline void FN(merge_overlap)(const RECORD *a, size_t na, const RECORD *b, size_t nb,
                                     RECORD *out)
{
    size_t tail = 1, head = 1;
    while (tail < na && LESS(b[0], a[na - 1 - tail]))
        tail *= 2;
    while (head < nb && LESS(b[head], a[na - 1]))
        head *= 2;
    size_t const low = na - ordo_min(tail, na), from_b = ordo_min(head, nb);
    memcpy(out, a, low * sizeof *out);
    FN(merge_halves)(a + low, na - low, b, from_b, out + low);
    memcpy(out + na + from_b, b + from_b, (nb - from_b) * sizeof *out);
}

/* out[0 .. na + nb) = the sorted a and b merged; out overlaps neither. */
static inline void FN(merge)(const RECORD *a, size_t na, const RECORD *b, size_t nb, RECORD *out)
{
    enum {
        LONG = 128 /* records from which searches in both ranges pay */
    };
    if (na == 0 || nb == 0 || !LESS(b[0], a[na - 1])) {
        memcpy(out, a, na * sizeof *out);
        memcpy(out + na, b, nb * sizeof *out);
    } else if (na + nb >= LONG) {
        FN(merge_overlap)(a, na, b, nb, out);
    } else {
        FN(merge_rest)((FN(merge_pair)){a, b, na, nb, out});
    }
}

/* ---- Sort ---- */

enum {
    FN(LEAF) = 8
};

#ifdef ORDO_WHOLE_RECORDS /* records that tie are identical, so a network is stable */
INLINE void FN(order_two)(RECORD *a, RECORD *b)
{
    RECORD const x = *a, y = *b;
    int const    swap = LESS(y, x);
    *a = PICK(swap, x, y);
    *b = PICK(swap, y, x);
}

/* The network of 19 exchanges in six layers. */
static inline void FN(sort_leaf)(const RECORD *in, RECORD *out)
{
    RECORD a = in[0], b = in[1], c = in[2], d = in[3];
    RECORD e = in[4], f = in[5], g = in[6], h = in[7];
    FN(order_two)(&a, &c), FN(order_two)(&b, &d), FN(order_two)(&e, &g), FN(order_two)(&f, &h);
    FN(order_two)(&a, &e), FN(order_two)(&b, &f), FN(order_two)(&c, &g), FN(order_two)(&d, &h);
    FN(order_two)(&a, &b), FN(order_two)(&c, &d), FN(order_two)(&e, &f), FN(order_two)(&g, &h);
    FN(order_two)(&c, &e), FN(order_two)(&d, &f);
    FN(order_two)(&b, &e), FN(order_two)(&d, &g);
    FN(order_two)(&b, &c), FN(order_two)(&d, &e), FN(order_two)(&f, &g);
    out[0] = a, out[1] = b, out[2] = c, out[3] = d;
    out[4] = e, out[5] = f, out[6] = g, out[7] = h;
}
#else
/* The place of a record is the number of records before it. */
static inline void FN(sort_leaf)(const RECORD *from, RECORD *out)
{
    RECORD   in[FN(LEAF)];
    unsigned place[FN(LEAF)] = {0};
    memcpy(in, from, sizeof in);
    for (unsigned i = 1; i < FN(LEAF); i++)
        for (unsigned j = 0; j < i; j++) {
            unsigned const after = !LESS(in[i], in[j]);
            place[i] += after;
            place[j] += 1 - after;
        }
    for (unsigned i = 0; i < FN(LEAF); i++)
        out[place[i]] = in[i];
}
#endif

/* Sorts data[0 .. n) through other[0 .. n); the result is in other if to_other is set. It halves
 * down to leaves, which are full but for the last: lg n calls deep, and as close to the caches as
 * possible. */
static inline void FN(merge_sort)(RECORD *data, RECORD *other, size_t n, bool to_other)
{
    RECORD *const out = to_other ? other : data;
    if (n < FN(LEAF)) {
        if (to_other)
            memcpy(other, data, n * sizeof *data);
        FN(insertion_sort)(out, n);
        return;
    }
    if (n == FN(LEAF)) {
        FN(sort_leaf)(data, out);
        return;
    }
    size_t const        half = ordo_round_up(n / 2, FN(LEAF)); /* below n */
    const RECORD *const in = to_other ? data : other;
    FN(merge_sort)(data, other, half, !to_other);
    FN(merge_sort)(data + half, other + half, n - half, !to_other);
    FN(merge)(in, half, in + half, n - half, out);
}
