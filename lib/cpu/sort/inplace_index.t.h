/* inplace_index.t.h - argsort in place for one type of index; see sort_inplace_keys.c. */

static cpu_item_128 FN(index_item)(const index_work *work, INDEX i)
{
    return (cpu_item_128){work->order(work->keys, (size_t)i), i};
}

static cpu_item_128 FN(item_at)(const index_work *work, size_t at)
{
    return FN(index_item)(work, ((const INDEX *)work->index)[at]);
}

static void FN(index_insert)(const index_work *work, size_t lo, size_t hi)
{
    INDEX *const index = work->index;
    for (size_t i = lo + 1; i < hi; i++) {
        cpu_item_128 const item = FN(item_at)(work, i);
        size_t             at = i;
        for (; at > lo && cpu_less_128(item, FN(item_at)(work, at - 1)); at--)
            index[at] = index[at - 1];
        index[at] = (INDEX)item.index;
    }
}

/* ---- Heap sort ---- */

/* Puts item where it belongs below `root` of the heap of n indices. */
static void FN(sift)(const index_work *work, INDEX *heap, size_t root, size_t n, cpu_item_128 item)
{
    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        cpu_item_128 largest = FN(index_item)(work, heap[child]);
        if (child + 1 < n) {
            cpu_item_128 const right = FN(index_item)(work, heap[child + 1]);
            if (cpu_less_128(largest, right)) {
                largest = right;
                child++;
            }
        }
        if (!cpu_less_128(item, largest))
            break;
        heap[root] = heap[child];
    }
    heap[root] = (INDEX)item.index;
}

static void FN(index_heap)(const index_work *work, size_t lo, size_t hi)
{
    INDEX *const heap = (INDEX *)work->index + lo;
    size_t const n = hi - lo;
    for (size_t i = n / 2; i-- > 0;) {
        FN(sift)(work, heap, i, n, FN(index_item)(work, heap[i]));
        if (i % STRETCH == 0 && ordo_poll(work->exec, 0))
            return;
    }
    for (size_t i = n; i-- > 1;) {
        INDEX const last = heap[i];
        heap[i] = heap[0];
        FN(sift)(work, heap, 0, i, FN(index_item)(work, last));
        if (i % STRETCH == 0 && ordo_poll(work->exec, 0))
            return;
    }
}

/* ---- Quick sort ---- */

static cpu_item_128 FN(median)(cpu_item_128 a, cpu_item_128 b, cpu_item_128 c)
{
    if (cpu_less_128(b, a)) {
        cpu_item_128 const was = a;
        a = b;
        b = was;
    }
    return cpu_less_128(c, b) ? (cpu_less_128(c, a) ? a : c) : b;
}

static cpu_item_128 FN(pivot)(const index_work *work, size_t lo, size_t hi)
{
    size_t const step = (hi - lo) / 9, middle = lo + (hi - lo) / 2;
    cpu_item_128 of[3];
    if (hi - lo < MANY)
        return FN(median)(FN(item_at)(work, lo), FN(item_at)(work, middle),
                                                    FN(item_at)(work, hi - 1));
    for (size_t i = 0; i < 3; i++)
        of[i] = FN(median)(FN(item_at)(work, lo + (3 * i + 1) * step),
                              FN(item_at)(work, lo + (3 * i + 2) * step),
                                 FN(item_at)(work, lo + (3 * i + 3) * step - 1));
    return FN(median)(of[0], of[1], of[2]);
}

/* Cuts [lo, hi), three or more, into two parts that are not empty: the pivot is one of the items
 * and neither the least nor the largest. Returns where, or lo if the call was cancelled. */
static size_t FN(partition)(const index_work *work, size_t lo, size_t hi)
{
    INDEX *const       index = work->index;
    cpu_item_128 const pivot = FN(pivot)(work, lo, hi);
    size_t             steps = 0;
    for (size_t i = lo, j = hi - 1;; i++, j--) {
        for (; cpu_less_128(FN(item_at)(work, i), pivot); i++)
            if (++steps % STRETCH == 0 && ordo_poll(work->exec, 0))
                return lo;
        for (; cpu_less_128(pivot, FN(item_at)(work, j)); j--)
            if (++steps % STRETCH == 0 && ordo_poll(work->exec, 0))
                return lo;
        if (i >= j)
            return j + 1;
        if (++steps % STRETCH == 0 && ordo_poll(work->exec, 0))
            return lo;
        INDEX const was = index[i];
        index[i] = index[j];
        index[j] = was;
    }
}

/* Calls itself for the smaller part only: at most lg n deep. */
static void FN(index_quick)(const index_work *work, size_t lo, size_t hi, unsigned depth)
{
    for (; hi - lo > FEW; depth--) {
        if (depth == 0) {
            FN(index_heap)(work, lo, hi);
            return;
        }
        size_t const cut = FN(partition)(work, lo, hi);
        if (cut == lo)
            return;
        if (cut - lo < hi - cut) {
            FN(index_quick)(work, lo, cut, depth - 1);
            lo = cut;
        } else {
            FN(index_quick)(work, cut, hi, depth - 1);
            hi = cut;
        }
    }
    FN(index_insert)(work, lo, hi);
}

/* ---- All threads ---- */

static void FN(fill_piece)(void *arg, size_t lo, size_t hi)
{
    INDEX *const index = ((index_work *)arg)->index;
    for (size_t i = lo; i < hi; i++)
        index[i] = (INDEX)i;
}

static void FN(sort_part)(void *arg, size_t lo, size_t hi)
{
    const index_work *const work = arg;
    for (size_t part = lo; part < hi; part++) {
        size_t const n = work->bounds[part + 1] - work->bounds[part];
        unsigned     depth = 2;
        for (size_t left = n; left > 1; left /= 2)
            depth += 2;
        FN(index_quick)(work, work->bounds[part], work->bounds[part + 1], depth);
    }
}

/* Cuts the largest part again and again, until there are enough. Returns how many there are, or 0
 * if the call was cancelled. */
static size_t FN(make_parts)(index_work *work, size_t n, size_t wanted)
{
    size_t parts = 1;
    work->bounds[0] = 0;
    work->bounds[1] = n;
    for (; parts < wanted; parts++) {
        size_t *const bounds = work->bounds;
        size_t        at = 0;
        for (size_t p = 1; p < parts; p++)
            if (bounds[p + 1] - bounds[p] > bounds[at + 1] - bounds[at])
                at = p;
        if (bounds[at + 1] - bounds[at] <= ENOUGH)
            break;
        size_t const cut = FN(partition)(work, bounds[at], bounds[at + 1]);
        if (cut == bounds[at])
            return 0;
        memmove(bounds + at + 2, bounds + at + 1, (parts - at) * sizeof *bounds);
        bounds[at + 1] = cut;
    }
    return parts;
}

static bool FN(sort_index)(index_work *work, size_t n)
{
    ordo_exec *const exec = work->exec;
    exec->phase = 0;
    exec->phases = 3;
    if (!ordo_loop(exec, n, cpu_grain(n), FN(fill_piece), work))
        return false;
    exec->phase = 1;
    size_t const parts = FN(make_parts)(work, n, tasks_for(exec));
    exec->phase = 2;
    return parts != 0 && ordo_loop(exec, parts, 1, FN(sort_part), work) && !ordo_poll(exec, 1);
}
