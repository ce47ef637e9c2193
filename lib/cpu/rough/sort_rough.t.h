/* sort_rough.t.h - sorts a window of one kind of record in a buffer, and merges the records on both
 * sides of the border between two sorted windows; see sort_rough.c. */

/* The digit of a record: (digits - 1) is the mask of the bits above `shift`. */
#define ROUGH_DIGIT_OF(record, shift)                                                              \
    ((size_t)((DIGITS)(KEY_OF(record) - least) >> (shift)) & (digits - 1))

/* Returns whether a[0 .. count) is in order, and sets the least and the largest key bits. Eight
 * independent chains, so that no comparison waits for the one before. */
static bool FN(rough_look)(const RECORD *a, size_t count, DIGITS *least, DIGITS *most)
{
    DIGITS low[8], high[8], falls[8] = {0}, fall = 0;
    size_t i = 1;
    for (size_t j = 0; j < 8; j++)
        low[j] = high[j] = KEY_OF(a[0]);
    for (; i + 8 <= count; i += 8)
        for (size_t j = 0; j < 8; j++) {
            DIGITS const x = KEY_OF(a[i + j]);
            falls[j] |= (DIGITS)LESS(a[i + j], a[i + j - 1]);
            low[j] = x < low[j] ? x : low[j];
            high[j] = x > high[j] ? x : high[j];
        }
    for (; i < count; i++) {
        DIGITS const x = KEY_OF(a[i]);
        fall |= (DIGITS)LESS(a[i], a[i - 1]);
        low[0] = x < low[0] ? x : low[0];
        high[0] = x > high[0] ? x : high[0];
    }
    *least = low[0];
    *most = high[0];
    for (size_t j = 0; j < 8; j++) {
        fall |= falls[j];
        *least = low[j] < *least ? low[j] : *least;
        *most = high[j] > *most ? high[j] : *most;
    }
    return fall == 0;
}

/* Sorts a[0 .. count) into b: one digit, whose values have few keys each, then networks. Evenly
 * spread keys are near their places after the digit. The counters are after b[0 .. count). Returns
 * false, and changes nothing in a, if keys are unevenly spread, if one digit holds all bits, and
 * always for P64 records, which have no networks. */
static bool FN(rough_spread)(const RECORD *a, RECORD *b, size_t count, DIGITS least, DIGITS most,
                             rough_work *work)
{
    unsigned bits = 0;
    if (sizeof(RECORD) > sizeof(DIGITS) || count < ROUGH_SPREAD || count > ROUGH_STRIDE ||
        atomic_load_explicit(&work->uneven, memory_order_relaxed) >= ROUGH_UNEVEN)
        return false;
    unsigned const span = ordo_bit_length((DIGITS)(most - least));
    if (span <= ROUGH_DIGIT)
        return false;
    uint32_t *restrict const start = (uint32_t *)(void *)(b + count);
    RECORD *restrict const to = b;
    bool const narrow = sizeof(DIGITS) == 4;
    while (bits < span && count >> bits > (size_t)2 << (narrow ? ROUGH_LOAD_32 : ROUGH_LOAD_64))
        bits++;
    unsigned const shift = span - bits;
    size_t const   digits = (size_t)1 << bits;
    memset(start, 0, digits * sizeof *start);
    for (size_t i = 0; i < count; i++)
        start[(DIGITS)(KEY_OF(a[i]) - least) >> shift]++;
    (void)ordo_sums_before_32(start, digits);
    for (size_t i = 0; i < count; i++) {
        RECORD const x = a[i];
        to[start[(DIGITS)(KEY_OF(x) - least) >> shift]++] = x;
    }
    if (!networks(work->io, b, count, sizeof *b, narrow ? ROUGH_LEFT_32 : ROUGH_LEFT_64)) {
        atomic_fetch_add_explicit(&work->uneven, 1, memory_order_relaxed);
        return false;
    }
    return true;
}

/* Sorts a[0 .. count), which is not in order, by digits; b has room for as many records. A pass
 * also counts the digits of the next pass. The last pass writes to out, or to a or b if out is
 * NULL. Returns the array that has the result, or NULL if the call was cancelled. */
static const RECORD *FN(rough_radix)(RECORD *a, RECORD *b, size_t count, DIGITS least, DIGITS most,
                                     RECORD *out, ordo_exec *exec)
{
    size_t         tables[2][1 << ROUGH_DIGIT];
    unsigned const span = ordo_bit_length((DIGITS)(most - least));
    /* A digit has at most a quarter as many values as there are records. */
    unsigned const limit = (unsigned)ordo_min(ROUGH_DIGIT, ordo_bit_length(count / 4 | 1));
    unsigned const passes = (span - 1) / limit + 1, bits = (span - 1) / passes + 1;
    size_t const   digits = (size_t)1 << bits;
    RECORD        *to = NULL;
    memset(tables[0], 0, digits * sizeof tables[0][0]);
    for (size_t i = 0; i < count; i++)
        tables[0][ROUGH_DIGIT_OF(a[i], 0)]++;
    for (unsigned pass = 0, shift = 0; pass < passes; pass++, shift += bits) {
        size_t *const start = tables[pass % 2], *const next = tables[(pass + 1) % 2];
        const RECORD *const from = pass % 2 ? b : a;
        bool const          last = pass + 1 == passes;
        size_t              sum = 0;
        to = last && out != NULL ? out : pass % 2 ? a : b;
        memset(next, 0, digits * sizeof *next);
        for (size_t digit = 0; digit < digits; digit++) {
            size_t const here = start[digit];
            start[digit] = sum;
            sum += here;
        }
        for (size_t at = 0; at < count; at += ROUGH_STRIDE) {
            size_t const end = ordo_min(count, at + ROUGH_STRIDE);
            if (last)
                for (size_t i = at; i < end; i++)
                    to[start[ROUGH_DIGIT_OF(from[i], shift)]++] = from[i];
            else
                for (size_t i = at; i < end; i++) {
                    RECORD const x = from[i];
                    to[start[ROUGH_DIGIT_OF(x, shift)]++] = x;
                    next[ROUGH_DIGIT_OF(x, shift + bits)]++;
                }
            if (count > ROUGH_STRIDE && ordo_poll(exec, 0))
                return NULL;
        }
    }
    return to;
}
#undef ROUGH_DIGIT_OF

/* Sorts a[0 .. count) of P64 records: short ranges by insertion, which is cheap for records near
 * their places, then merges from the bottom up. */
static const RECORD *FN(rough_merge)(RECORD *a, RECORD *b, size_t count, ordo_exec *exec)
{
    for (size_t at = 0; at < count; at += ROUGH_INSERTION)
        FN(insertion_sort)(a + at, ordo_min(ROUGH_INSERTION, count - at));
    for (size_t sorted = ROUGH_INSERTION; sorted < count; sorted *= 2) {
        RECORD *const swap = a;
        for (size_t at = 0; at < count; at += 2 * sorted) {
            size_t const left = ordo_min(sorted, count - at);
            size_t const right = ordo_min(sorted, count - at - left);
            FN(merge)(a + at, left, a + at + left, right, b + at);
            if (sorted >= ROUGH_STRIDE && ordo_poll(exec, 0))
                return NULL;
        }
        a = b;
        b = swap;
        if (count > ROUGH_STRIDE && ordo_poll(exec, 0))
            return NULL;
    }
    return a;
}

/* Sorts records [lo, lo + count) in a buffer with room for 2 * count and as many counters. Returns
 * false if the call was cancelled. */
static bool FN(rough_window)(rough_work *work, size_t lo, size_t count, void *buffer)
{
    const radix_io *const io = work->io;
    RECORD *const in = buffer, *const other = in + count;
    RECORD *const own = io->store == NULL ? (RECORD *)io->out + lo : NULL;
    const RECORD *seen = own != NULL ? own : in, *sorted = other;
    DIGITS        least, most;
    if (own == NULL)
        io->load(io, lo, count, in);
    if (FN(rough_look)(seen, count, &least, &most))
        return true;
    if (!FN(rough_spread)(seen, other, count, least, most, work)) {
        if (own != NULL)
            memcpy(in, own, count * sizeof *in);
        sorted = sizeof(RECORD) > sizeof(DIGITS)
            ? FN(rough_merge)(in, other, count, work->exec)
            : FN(rough_radix)(in, other, count, least, most, own, work->exec);
    }
    if (sorted != NULL && own == NULL)
        io->store(io, lo, count, sorted);
    else if (sorted != NULL && sorted != own)
        memcpy(own, sorted, count * sizeof *own);
    return sorted != NULL;
}

/* Merges up to `reach` records on either side of `middle`, in a buffer with room for 4 * reach + 4.
 * Records [begin, middle) and [middle, end) are in order. Returns whether [begin, end) is in order
 * now. */
static bool FN(rough_border)(const radix_io *io, size_t begin, size_t middle, size_t end,
                             size_t reach, void *buffer)
{
    size_t const  lo = middle - ordo_min(reach, middle - begin);
    size_t const  hi = middle + ordo_min(reach, end - middle), n_left = middle - lo;
    size_t const  first = lo - (lo > begin), last = hi + (hi < end); /* one more record on either
                                                                      * side */
    RECORD       *left = buffer, *merged;
    RECORD const *all = buffer;
    if (io->store == NULL) {
        const RECORD *const own = (const RECORD *)io->out + first;
        if (!LESS(own[middle - first], own[middle - first - 1]))
            return true;
        memcpy(left, own, (last - first) * sizeof *own);
        merged = (RECORD *)io->out + lo;
    } else {
        io->load(io, middle - 1, 2, left);
        if (!LESS(left[1], left[0]))
            return true;
        io->load(io, first, last - first, left);
        merged = left + (last - first);
    }
    left += lo - first;
    FN(merge)(left, n_left, left + n_left, hi - middle, merged);
    bool const wrong = (first < lo && LESS(merged[0], all[0])) ||
                       (hi < last && LESS(all[last - first - 1], merged[hi - lo - 1]));
    if (io->store != NULL)
        io->store(io, lo, hi - lo, merged);
    return !wrong;
}
