/* measure.t.h - the radius and the number of runs of one kind of record; see measure.c. */

/* ---- The check: are keys more than r places apart in order? ---- */

/* Whether any right[i] is less than one of left[0 .. i] or than *largest. *largest becomes the
 * maximum of itself and left. */
static bool FN(any_wrong)(const order_view *view, const RECORD *left, const RECORD *right,
                          size_t count, size_t r, RECORD *largest)
{
    if (r == 0)
        return FN(any_before)(view, left, right, count);
    if (r < RADIUS_FAR / sizeof(RECORD))
        return FN(any_before_all)(view, left, right, count, largest);
    return FN(any_before_far)(view, left, right, count, largest);
}

/* Compares each key i of [from + r + 1, hi) with all keys of [from, i - r), r at most RADIUS_NEAR.
 * Returns the start of the first tile of RADIUS_TILE keys that has a key less than one of them, or
 * hi. The key bits of a tile are computed once and kept for the left side. */
static size_t FN(first_wrong)(const order_view *view, size_t from, size_t hi, size_t r)
{
    RECORD       items[RADIUS_ITEMS];
    RECORD       largest;
    size_t const apart = r + 1;
    bool const   made = view->io.load_digits != NULL;
    size_t       longest = RADIUS_TILE; /* short at first, because a key may be out of order
                                         * early */
    if (hi - from <= apart)
        return hi;
    memset(&largest, 0, sizeof largest);
    if (made)
        records_tile(&view->io, from, apart, items);
    for (size_t at = from, count; at < hi - apart; at += count) {
        count = ordo_min(ordo_min(longest, RADIUS_ITEMS - apart), hi - apart - at);
        longest = ordo_min(2 * longest, RADIUS_ITEMS);
        const RECORD *const right = records_tile(&view->io, at + apart, count, items + apart);
        for (size_t i = 0, part; i < count; i += part) {
            part = ordo_min(RADIUS_TILE, count - i);
            if (FN(any_wrong)(view, right + i - apart, right + i, part, r, &largest))
                return at + apart + i;
        }
        if (made)
            memmove(items, items + count, apart * sizeof *items);
    }
    return hi;
}

/* The radius of the pairs that end in [at, hi), at most RADIUS_TILE keys. This radius is larger
 * than r, and pairs that end before `at` are at most r apart. Returns limit + 1 if the radius is
 * larger than limit. The walk begins some keys before `at`. The radius grows while the maximum of
 * the keys at least radius + 1 places before a key is larger than the key. If the radius needs more
 * keys on the left, the walk begins again further back. */
static size_t FN(tile_radius)(const order_view *view, size_t at, size_t hi, size_t r, size_t limit,
                              size_t *read)
{
    RECORD items[RADIUS_ITEMS + 1 + RADIUS_TILE];
    size_t found = r, back = 2 * r + 1;
    for (;;) {
        size_t const  from = at - ordo_min(back, at), count = hi - from;
        const RECORD *a = records_tile(&view->io, from, count, items);
        if (a != items)
            memcpy(items, a, count * sizeof *items);
        *read += count;
        for (size_t i = 1; i < at - from; i++)
            items[i] = LESS(items[i], items[i - 1]) ? items[i - 1] : items[i];
        for (size_t i = ordo_max(at - from, 1); i < count; i++) { /* items before i are prefix
                                                                   * maxima */
            RECORD const x = items[i];
            while (found < i && LESS(x, items[i - found - 1]))
                found++;
            items[i] = LESS(x, items[i - 1]) ? items[i - 1] : x;
        }
        if (found > limit)
            return limit + 1;
        if (from == 0 || 2 * found + 1 <= back)
            return found;
        back = ordo_min(ordo_max(2 * back, 2 * found + 1), 2 * limit + 1);
    }
}

/* ---- Small radii ---- */

/* Whether a sample of pairs proves that the radius is larger than limit: two keys of [at - 1, n) at
 * least limit + 1 places apart are out of order. This is one comparison of vectors, whereas the
 * walk of tile_radius compares key by key. */
static bool FN(surely_far)(const order_view *view, size_t at, size_t limit)
{
    RECORD       left_buffer[RADIUS_TILE], right_buffer[RADIUS_TILE], largest;
    size_t const from = ordo_max(at, 1) - 1, after = view->io.n - from;
    if (after <= limit + 1)
        return false;
    size_t const        count = ordo_min(RADIUS_TILE, after - limit - 1);
    const RECORD *const left = records_tile(&view->io, from, count, left_buffer);
    const RECORD *const right = records_tile(&view->io, from + limit + 1, count, right_buffer);
    memset(&largest, 0, sizeof largest);
    return FN(any_before_far)(view, left, right, count, &largest);
}

/* Checks a piece, with as many keys before it as needed, for the largest radius found so far. If
 * the check fails, the function raises the radius and continues the check. */
static void FN(near_piece)(void *arg, size_t lo, size_t hi)
{
    radius_work *const  work = arg;
    radius_piece *const piece = &work->pieces[lo / work->grain];
    size_t              r = atomic_load_explicit(&work->radius, memory_order_relaxed);
    size_t              from = lo > 2 * r + 1 ? lo - 2 * r - 1 : 0;
    if (r > work->limit || (piece->passed && !piece->again))
        return;
    piece->first = r;
    for (;;) {
        if (atomic_load_explicit(&work->far, memory_order_relaxed))
            return;
        size_t const at = FN(first_wrong)(work->view, from, hi, r);
        if (at == hi)
            break;
        size_t const end = ordo_min(at + RADIUS_TILE, hi);
        size_t       read = 0;
        r = r == 0 && FN(surely_far)(work->view, at, work->limit)
                         ? work->limit + 1
                         : FN(tile_radius)(work->view, at, end, r, work->limit, &read);
        cpu_keep_most(&work->radius, r);
        if (r > work->limit || radius_spend(work, read)) {
            atomic_store_explicit(&work->far, true, memory_order_relaxed);
            return;
        }
        from = end > 2 * r + 1 ? end - 2 * r - 1 : 0;
    }
    piece->last = r;
    piece->passed = true;
}

/* ---- Any radius ---- */

/* Finds the maximum and the minimum of each block. */
static void FN(far_bounds)(void *arg, size_t lo, size_t hi)
{
    radius_work *const work = arg;
    RECORD *const high = work->high, *const low = work->low;
    RECORD buffer[RADIUS_BLOCK];
    for (size_t at = lo; at < hi; at += RADIUS_BLOCK) {
        size_t const        count = ordo_min(RADIUS_BLOCK, hi - at);
        const RECORD *const a = records_tile(&work->view->io, at, count, buffer);
        FN(bounds)(work->view, a, count, &high[at / RADIUS_BLOCK], &low[at / RADIUS_BLOCK]);
    }
}

/* Makes high[b] the maximum up to the end of block b, and finds the largest distance between two
 * blocks that hold keys out of order. Returns a radius that is at most two blocks less than the
 * true radius. */
static size_t FN(far_least)(const radius_work *work, size_t blocks)
{
    RECORD *const       high = work->high;
    const RECORD *const low = work->low;
    size_t              apart = 0;
    for (size_t b = 1; b < blocks; b++) {
        high[b] = LESS(high[b], high[b - 1]) ? high[b - 1] : high[b];
        while (apart < b && LESS(low[b], high[b - apart - 1]))
            apart++;
    }
    return apart == 0 ? 0 : (apart - 1) * RADIUS_BLOCK + 1;
}

/* The index of the first key larger than x. The key is in blocks [0, block]; high[block] is larger
 * than x. */
static size_t FN(first_above)(const radius_work *work, RECORD x, size_t block)
{
    const RECORD *const high = work->high;
    RECORD              buffer[RADIUS_BLOCK];
    size_t              begin = 0, end = block; /* the block of the result is in [begin, end] */
    ORDO_BISECT(middle, begin, end, !LESS(x, high[middle]));
    size_t const        at = begin * RADIUS_BLOCK;
    size_t const        count = ordo_min(RADIUS_BLOCK, work->view->io.n - at);
    const RECORD *const a = records_tile(&work->view->io, at, count, buffer);
    size_t              i = 0;
    while (!LESS(x, a[i]))
        i++;
    return at + i;
}

/* Sets *left to the key bits of [at, at + count), at most a block. Returns the maximum before `at`,
 * 0 if there is none. The buffer has room for two blocks. */
static RECORD FN(far_left)(const radius_work *work, size_t at, size_t count, RECORD *buffer,
                           const RECORD **left)
{
    size_t const        block = at / RADIUS_BLOCK, more = at % RADIUS_BLOCK;
    const RECORD *const a = records_tile(&work->view->io, at - more, more + count, buffer);
    RECORD              largest, least, here;
    memset(&largest, 0, sizeof largest);
    *left = a + more;
    if (block > 0)
        largest = ((const RECORD *)work->high)[block - 1];
    if (more == 0)
        return largest;
    FN(bounds)(work->view, a, more, &here, &least);
    return LESS(largest, here) ? here : largest;
}

/* Whether any two keys that are out of order and more than r places apart end in [lo, hi), at most
 * a block; r + 1 < hi. */
static bool FN(far_wrong)(const radius_work *work, size_t lo, size_t hi, size_t r)
{
    RECORD              left_buffer[2 * RADIUS_BLOCK], right_buffer[RADIUS_BLOCK];
    const RECORD       *left;
    size_t const        at = ordo_max(lo, r + 1), count = hi - at;
    const RECORD *const right = records_tile(&work->view->io, at, count, right_buffer);
    RECORD              largest = FN(far_left)(work, at - r - 1, count, left_buffer, &left);
    return FN(any_before_far)(work->view, left, right, count, &largest);
}

/* The maximum of r and the radius of the pairs that end in block b. For most blocks one comparison
 * of vectors is enough. For the others the minimum and the last key of the block raise r. Then each
 * key that can still end a longer pair is replaced by the minimum from the key to the end of its
 * block, which does not change the radius. Now the first larger key only moves right, so the
 * distance grows by at most one per key, and one comparison per key is enough. */
static size_t FN(far_block)(const radius_work *work, size_t b, size_t r)
{
    const RECORD *const high = work->high;
    const RECORD        low = ((const RECORD *)work->low)[b];
    size_t const        lo = b * RADIUS_BLOCK, hi = ordo_min(lo + RADIUS_BLOCK, work->view->io.n);
    RECORD              buffer[RADIUS_BLOCK], left_buffer[2 * RADIUS_BLOCK];
    if (r + 1 >= hi || !LESS(low, high[(hi - r - 2) / RADIUS_BLOCK]) ||
        !FN(far_wrong)(work, lo, hi, r))
        return r;

    const RECORD *const a = records_tile(&work->view->io, lo, hi - lo, buffer);
    size_t const        first = FN(first_above)(work, low, b);
    if (first < lo)
        r = ordo_max(r, lo - first);
    if (LESS(a[hi - lo - 1], high[b]))
        r = ordo_max(r, hi - 1 - FN(first_above)(work, a[hi - lo - 1], b));
    if (r + 1 >= hi)
        return r;

    const RECORD *left;
    RECORD       *least = buffer;
    size_t        at = ordo_max(lo, r + 1); /* compared with key at - r - 1 */
    RECORD        largest = FN(far_left)(work, at - r - 1, hi - at, left_buffer, &left);
    least[hi - lo - 1] = a[hi - lo - 1];
    for (size_t i = hi - lo - 1; i-- > at - lo;)
        least[i] = LESS(a[i], least[i + 1]) ? a[i] : least[i + 1];
    for (size_t i = 0; at < hi; at++) {
        RECORD const upto = LESS(largest, left[i]) ? left[i] : largest;
        if (LESS(least[at - lo], upto)) {
            r++;
        } else {
            largest = upto;
            i++;
        }
    }
    return r;
}

static void FN(far_blocks)(void *arg, size_t lo, size_t hi)
{
    radius_work *const work = arg;
    size_t             r = atomic_load_explicit(&work->radius, memory_order_relaxed);
    for (size_t b = hi; b-- > lo;) /* the longest pairs end in the last blocks */
        r = FN(far_block)(work, b, r);
    cpu_keep_most(&work->radius, r);
}

static bool FN(measure)(radius_work *work, ordo_exec *exec)
{
    size_t const n = work->view->io.n, pieces = ordo_div_up(n, work->grain);
    size_t const blocks = ordo_div_up(n, RADIUS_BLOCK);
    for (unsigned sweep = 0; sweep < 2; sweep++, exec->phase++) {
        if (!ordo_loop(exec, n, work->grain, FN(near_piece), work))
            return false;
        if (radius_agreed(work, pieces))
            return true;
    }
    if (!ordo_loop(exec, n, work->grain, FN(far_bounds), work))
        return false;
    exec->phase++;
    cpu_keep_most(&work->radius, FN(far_least)(work, blocks));
    return ordo_loop(exec, blocks, ordo_div_up(work->grain, RADIUS_BLOCK), FN(far_blocks), work);
}

/* ---- Runs ---- */

/* The number of records of [lo, hi) less than their left neighbour; no branch on keys. */
static size_t FN(falls)(const radix_io *keys, size_t lo, size_t hi)
{
    enum {
        TILE = 1024
    };
    RECORD buffer[TILE + 1];
    size_t falls = 0;
    for (size_t at = ordo_max(lo, 1); at < hi; at += TILE) {
        size_t const        count = ordo_min(TILE, hi - at);
        const RECORD *const left = records_tile(keys, at - 1, count + 1, buffer);
        uint32_t            here = 0; /* not wider than the key bits, so that all lanes are used */
        for (size_t i = 0; i < count; i++)
            here += (uint32_t)LESS(left[i + 1], left[i]);
        falls += here;
    }
    return falls;
}
