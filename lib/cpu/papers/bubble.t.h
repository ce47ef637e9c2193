/* bubble.t.h - bubble sort of one kind of record; see sort_bubble.c. */

/* One pass over records[0 .. n), n > 0: returns the index of the last record that was exchanged
 * with the one before it, 0 if none was, or n if the call was cancelled. */
static size_t FN(bubble_pass)(RECORD *records, size_t n, double share, ordo_exec *exec)
{
    RECORD largest = records[0];
    size_t last = 0;
    for (size_t lo = 1; lo < n; lo += STRETCH) {
        size_t const hi = lo + ordo_min(STRETCH, n - lo);
        for (size_t i = lo; i < hi; i++) {
            RECORD const record = records[i];
            int const    falls = LESS(record, largest);
            records[i - 1] = PICK(falls, largest, record);
            largest = PICK(falls, record, largest);
            last = falls ? i : last;
        }
        if (ordo_poll(exec, share))
            return n;
    }
    records[n - 1] = largest;
    return last;
}

static bool FN(bubble_sort)(void *array, size_t n, ordo_exec *exec)
{
    RECORD *const records = array;
    for (size_t left = n; left > 1;) {
        size_t const last = FN(bubble_pass)(records, left, (double)(n - left) / (double)n, exec);
        if (last == left)
            return false;
        left = last;
    }
    return true;
}
