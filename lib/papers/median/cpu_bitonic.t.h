/* cpu_bitonic.t.h - the exchanges of cpu_bitonic.c for one kind of record. Pairs are numbered over
 * all spans: pair q is pair q % (span / 2) of span q / (span / 2). */

INLINE void FN(exchange)(RECORD *low, RECORD *high)
{
    RECORD const x = *low, y = *high;
    int const    swap = LESS(y, x);
    *low = PICK(swap, x, y);
    *high = PICK(swap, y, x);
}

/* For pairs [lo, hi): exchanges record i of each span with record span - 1 - i, its mirror
 * image. */
static void FN(mirror)(RECORD *records, size_t n, size_t span, size_t lo, size_t hi)
{
    size_t const half = span / 2;
    for (size_t q = lo, to; q < hi; q = to) {
        size_t const start = q / half * span, skip = q / half * half;
        to = ordo_min(hi, skip + half);
        if (start >= n)
            return;
        size_t const  beyond = span > n - start ? span - (n - start) : 0; /* mirror images after the
                                                                           * end */
        RECORD *const last = records + start + (span - 1);
        for (size_t i = ordo_max(q - skip, beyond); i < to - skip; i++)
            FN(exchange)(records + start + i, last - i);
    }
}

/* For pairs [lo, hi): exchanges record i of each span with record i + span / 2. */
static void FN(apart)(RECORD *records, size_t n, size_t span, size_t lo, size_t hi)
{
    size_t const half = span / 2;
    for (size_t q = lo, to; q < hi; q = to) {
        size_t const start = q / half * span, skip = q / half * half;
        to = ordo_min(hi, skip + half);
        if (n - ordo_min(n, start) <= half)
            return;
        RECORD *const low = records + start, *const high = low + half;
        size_t const end = ordo_min(to - skip, n - start - half);
        for (size_t i = q - skip; i < end; i++)
            FN(exchange)(low + i, high + i);
    }
}

/* The same for all pairs of short spans; span is a constant, so the inner loop is unrolled. */
INLINE void FN(apart_short)(RECORD *records, size_t n, size_t span)
{
    size_t start = 0;
    for (; n - start >= span; start += span)
        EACH (i, span / 2)
            FN(exchange)(records + start + i, records + start + span / 2 + i);
    FN(apart)(records + start, n - start, span, 0, span / 2);
}

/* All exchanges at a distance of span / 2, span / 4, ..., 1. */
static void FN(finish)(RECORD *records, size_t n, size_t span)
{
    for (; span > 8; span /= 2)
        FN(apart)(records, n, span, 0, ordo_div_up(n, span) * (span / 2));
    if (span == 8)
        FN(apart_short)(records, n, 8);
    if (span >= 4)
        FN(apart_short)(records, n, 4);
    if (span >= 2)
        FN(apart_short)(records, n, 2);
}

/* ---- Pieces of the passes ---- */

static void FN(sort_block)(void *arg, size_t lo, size_t hi)
{
    bitonic_work *const work = arg;
    RECORD *const       records = (RECORD *)work->records + lo;
    size_t const        n = hi - lo;
    for (size_t span = 2; span / 2 < n; span *= 2) {
        FN(mirror)(records, n, span, 0, ordo_div_up(n, span) * (span / 2));
        FN(finish)(records, n, span / 2);
    }
}

/* ---- Sub-arrays, as in the median paper ---- */

/* Algorithm 1: orders the two halves of a box, record by record. */
static void FN(order_halves)(RECORD *box, size_t length, bool up)
{
    RECORD *const top = up ? box : box + length / 2, *const bottom = up ? box + length / 2 : box;
    for (size_t i = 0; i < length / 2; i++)
        FN(exchange)(top + i, bottom + i);
}

/* Phase `size` makes sorted sequences of `size` records, every second one descending; its
 * sub-phases halve the length of the boxes. `part` is a power of two. */
static void FN(sort_part)(RECORD *records, size_t part)
{
    for (size_t size = 2; size <= part; size *= 2)
        for (size_t length = size; length > 1; length /= 2)
            for (size_t start = 0; start < part; start += length)
                FN(order_halves)(records + start, length, (start & size) == 0);
}

/* Sorts sub-arrays of work->span records; lo is the start of one. Only the last one of the array
 * may be shorter; infinite records fill it up. */
static void FN(sort_parts)(void *arg, size_t lo, size_t hi)
{
    bitonic_work *const work = arg;
    RECORD *const records = work->records, *const padded = work->padded;
    size_t const part = work->span;
    for (; hi - lo >= part; lo += part)
        FN(sort_part)(records + lo, part);
    if (lo < hi) {
        memcpy(padded, records + lo, (hi - lo) * sizeof *padded);
        memset(padded + (hi - lo), 0xff, (part - (hi - lo)) * sizeof *padded);
        FN(sort_part)(padded, part);
        memcpy(records + lo, padded, (hi - lo) * sizeof *padded);
    }
}

static void FN(finish_block)(void *arg, size_t lo, size_t hi)
{
    bitonic_work *const work = arg;
    FN(finish)((RECORD *)work->records + lo, hi - lo, BLOCK);
}

static void FN(mirror_pairs)(void *arg, size_t lo, size_t hi)
{
    bitonic_work *const work = arg;
    FN(mirror)(work->records, work->n, work->span, lo, hi);
}

static void FN(apart_pairs)(void *arg, size_t lo, size_t hi)
{
    bitonic_work *const work = arg;
    FN(apart)(work->records, work->n, work->span, lo, hi);
}
