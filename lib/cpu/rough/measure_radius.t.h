/* measure_radius.t.h - the radius of items of one kind; see measure_radius.c. */

/* ---- The check: are items more than r places apart in order? ---- */

/* Whether an item of right[0 .. count) comes before one of the left ones up to its own place, or
 * before *largest, which becomes the largest of all these. */
static bool FN(any_wrong)(const ITEM *left, const ITEM *right, size_t count, size_t r,
                          ITEM *largest)
{
    if (r == 0)
        return FN(any_before)(left, right, count);
    if (r < RADIUS_FAR / sizeof(ITEM))
        return FN(any_before_all)(left, right, count, largest);
    return FN(any_before_far)(left, right, count, largest);
}

/* Whether every item of [from, hi) is at least as large as all those of [from, its place - r), r at
 * most RADIUS_NEAR. Items are made once: those that will be on the left later are kept. */
static bool FN(in_order)(const cpu_view *view, size_t from, size_t hi, size_t r)
{
    ITEM         items[RADIUS_ITEMS];
    ITEM         largest;
    size_t const apart = r + 1;
    bool const   made = view->map != NULL;
    if (hi - from <= apart)
        return true;
    memset(&largest, 0, sizeof largest);
    if (made)
        cpu_view_tile(view, from, apart, items);
    for (size_t at = from, count; at < hi - apart; at += count) {
        count = ordo_min(made ? RADIUS_ITEMS - apart : RADIUS_TILE, hi - apart - at);
        const ITEM *const right = cpu_view_tile(view, at + apart, count, items + apart);
        if (FN(any_wrong)(right - apart, right, count, r, &largest))
            return false;
        if (made)
            memmove(items, items + count, apart * sizeof *items);
    }
    return true;
}

/* The radius of the items [from, hi), which is known to be larger than r; above `limit` all
 * answers are limit + 1. */
static size_t FN(stretch_radius)(const cpu_view *view, size_t from, size_t hi, size_t r,
                                 size_t limit)
{
    if (r == limit || !FN(in_order)(view, from, hi, limit))
        return limit + 1;
    size_t too_small = r, enough = limit;
    while (enough - too_small > 1) {
        size_t const middle = too_small + (enough - too_small) / 2;
        if (FN(in_order)(view, from, hi, middle))
            enough = middle;
        else
            too_small = middle;
    }
    return enough;
}

/* ---- Small radii ---- */

/* A piece, and as much before it as the next radius may reach, is checked for the largest radius
 * seen so far; if that is not enough, its own is found and everyone told. */
static void FN(near_piece)(void *arg, size_t lo, size_t hi)
{
    radius_work *const work = arg;
    size_t *const      passed = &work->passed[lo / work->grain];
    for (unsigned round = 0; !atomic_load_explicit(&work->far, memory_order_relaxed); round++) {
        size_t const r = atomic_load_explicit(&work->radius, memory_order_relaxed);
        size_t const from = lo > 2 * r + 1 ? lo - 2 * r - 1 : 0;
        if (*passed == r + 1 || r > work->limit)
            return;
        if (FN(in_order)(work->view, from, hi, r)) {
            *passed = r + 1;
            return;
        }
        size_t const raised = FN(stretch_radius)(work->view, from, hi, r, work->limit);
        radius_raise(&work->radius, raised);
        if (raised > work->limit || round == RADIUS_ROUNDS ||
            atomic_fetch_add_explicit(&work->raises, 1, memory_order_relaxed) >= RADIUS_RAISES)
            atomic_store_explicit(&work->far, true, memory_order_relaxed);
    }
}

/* ---- Any radius ---- */

/* The largest and the least item of each block. */
static void FN(far_bounds)(void *arg, size_t lo, size_t hi)
{
    radius_work *const work = arg;
    ITEM *const high = work->high, *const low = work->low;
    ITEM buffer[RADIUS_BLOCK];
    for (size_t at = lo; at < hi; at += RADIUS_BLOCK) {
        size_t const      count = ordo_min(RADIUS_BLOCK, hi - at);
        const ITEM *const a = cpu_view_tile(work->view, at, count, buffer);
        FN(bounds)(a, count, &high[at / RADIUS_BLOCK], &low[at / RADIUS_BLOCK]);
    }
}

/* Makes high[b] the largest item up to the end of block b, and finds how many blocks apart two
 * blocks lie at most that hold items out of order: a radius not below the true one by more than
 * two blocks. */
static size_t FN(far_least)(const radius_work *work, size_t blocks)
{
    ITEM *const       high = work->high;
    const ITEM *const low = work->low;
    size_t            apart = 0;
    for (size_t b = 1; b < blocks; b++) {
        high[b] = LESS(high[b], high[b - 1]) ? high[b - 1] : high[b];
        while (apart < b && LESS(low[b], high[b - apart - 1]))
            apart++;
    }
    return apart == 0 ? 0 : (apart - 1) * RADIUS_BLOCK + 1;
}

/* The first item of all larger than x, which high[block] is, block being the last to look at. */
static size_t FN(first_above)(const radius_work *work, ITEM x, size_t block)
{
    const ITEM *const high = work->high;
    ITEM              buffer[RADIUS_BLOCK];
    size_t            begin = 0, end = block; /* the answer's block is in [begin, end] */
    while (begin < end) {
        size_t const middle = begin + (end - begin) / 2;
        if (LESS(x, high[middle]))
            end = middle;
        else
            begin = middle + 1;
    }
    size_t const      at = begin * RADIUS_BLOCK;
    size_t const      count = ordo_min(RADIUS_BLOCK, work->view->n - at);
    const ITEM *const a = cpu_view_tile(work->view, at, count, buffer);
    size_t            i = 0;
    while (!LESS(x, a[i]))
        i++;
    return at + i;
}

/* The largest item of [0, end). */
static ITEM FN(largest_before)(const radius_work *work, size_t end)
{
    size_t const      block = end / RADIUS_BLOCK, count = end % RADIUS_BLOCK;
    ITEM              buffer[RADIUS_BLOCK], largest;
    const ITEM *const a = cpu_view_tile(work->view, end - count, count, buffer);
    memset(&largest, 0, sizeof largest);
    if (block > 0)
        largest = ((const ITEM *)work->high)[block - 1];
    for (size_t i = 0; i < count; i++)
        largest = LESS(largest, a[i]) ? a[i] : largest;
    return largest;
}

/* The radius, knowing that it is at least r, of the pairs that end in block b. An item is replaced
 * by the least one from it to the end of its block: that changes no maximum, and then the first
 * larger item moves only to the right, so the distance grows by one at most from an item to the
 * next, and one comparison tells. */
static size_t FN(far_block)(const radius_work *work, size_t b, size_t r)
{
    const ITEM *const high = work->high;
    size_t const      lo = b * RADIUS_BLOCK, hi = ordo_min(lo + RADIUS_BLOCK, work->view->n);
    ITEM              least[RADIUS_BLOCK], left_buffer[RADIUS_BLOCK];
    if (r + 1 >= hi || !LESS(((const ITEM *)work->low)[b], high[(hi - r - 2) / RADIUS_BLOCK]))
        return r;

    const ITEM *const a = cpu_view_tile(work->view, lo, hi - lo, least);
    least[hi - lo - 1] = a[hi - lo - 1];
    for (size_t i = hi - lo - 1; i-- > 0;)
        least[i] = LESS(a[i], least[i + 1]) ? a[i] : least[i + 1];
    size_t const first = FN(first_above)(work, least[0], b);
    if (first < lo)
        r = ordo_max(r, lo - first);
    if (r + 1 >= hi)
        return r;

    size_t            at = ordo_max(lo, r + 1); /* whose partner is at - r - 1 */
    size_t const      left_from = at - r - 1;
    const ITEM *const left = cpu_view_tile(work->view, left_from, hi - at, left_buffer);
    ITEM              largest = FN(largest_before)(work, left_from);
    for (size_t i = 0; at < hi; at++) {
        ITEM const upto = LESS(largest, left[i]) ? left[i] : largest;
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
    for (size_t b = lo; b < hi; b++)
        r = FN(far_block)(work, b, r);
    radius_raise(&work->radius, r);
}

/* ---- As the paper has it ---- */

/* LR, RL and then DM, of which only the largest element is kept; in a row, so in one thread. */
static bool FN(by_sequences)(const cpu_view *view, ITEM *lr, ITEM *rl, size_t *radius,
                             ordo_exec *exec)
{
    size_t const n = view->n;
    size_t       j = 0, most = 0;
    if (n == 0)
        return *radius = 0, true;
    for (size_t at = 0; at < n; at += RADIUS_STRIDE) {
        size_t const      count = ordo_min(RADIUS_STRIDE, n - at);
        const ITEM *const a = cpu_view_tile(view, at, count, rl + at);
        if (a != rl + at)
            memcpy(rl + at, a, count * sizeof *a);
        for (size_t i = at; i < at + count; i++)
            lr[i] = i > 0 && LESS(rl[i], lr[i - 1]) ? lr[i - 1] : rl[i];
        if (ordo_poll(exec, (double)at / (double)n / 3))
            return false;
    }
    for (size_t i = n - 1; i-- > 0;) {
        rl[i] = LESS(rl[i + 1], rl[i]) ? rl[i + 1] : rl[i];
        if (i % RADIUS_STRIDE == 0 && ordo_poll(exec, (double)(n - i) / (double)n / 3 + 1.0 / 3))
            return false;
    }
    for (size_t i = 0; i < n; i++) {
        while (j < i && !LESS(rl[i], lr[j]))
            j++;
        most = ordo_max(most, i - j);
        if (i % RADIUS_STRIDE == 0 && ordo_poll(exec, (double)i / (double)n / 3 + 2.0 / 3))
            return false;
    }
    *radius = most;
    return true;
}

static bool FN(measure)(radius_work *work, ordo_exec *exec)
{
    size_t const n = work->view->n, pieces = ordo_div_up(n, work->grain);
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
    radius_raise(&work->radius, FN(far_least)(work, blocks));
    return ordo_loop(exec, blocks, ordo_max(work->grain / RADIUS_BLOCK, 1), FN(far_blocks), work);
}
