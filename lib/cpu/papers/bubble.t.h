/* bubble.t.h - bubble sort of one kind of item; see sort_bubble.c. */

/* One pass over items[0..n), n > 0: returns the index of the last item that was exchanged with the
 * one before it, 0 if none was, or n if the call was cancelled. */
static size_t FN(bubble_pass)(ITEM *items, size_t n, double share, ordo_exec *exec)
{
    ITEM   largest = items[0];
    size_t last = 0;
    for (size_t lo = 1; lo < n; lo += STRETCH) {
        size_t const hi = lo + ordo_min(STRETCH, n - lo);
        for (size_t i = lo; i < hi; i++) {
            ITEM const item = items[i];
            int const  falls = LESS(item, largest);
            items[i - 1] = FN(cpu_pick)(falls, largest, item);
            largest = FN(cpu_pick)(falls, item, largest);
            last = falls ? i : last;
        }
        if (ordo_poll(exec, share))
            return n;
    }
    items[n - 1] = largest;
    return last;
}

static bool FN(bubble_sort)(ITEM *items, size_t n, ordo_exec *exec)
{
    for (size_t left = n; left > 1;) {
        size_t const last = FN(bubble_pass)(items, left, (double)(n - left) / (double)n, exec);
        if (last == left)
            return false;
        left = last;
    }
    return true;
}
