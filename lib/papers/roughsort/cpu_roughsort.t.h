/* cpu_roughsort.t.h - halving, rough and bubble sort of one kind of record; see
 * cpu_roughsort.c. */
static inline void FN(halving_swap)(RECORD *a, size_t i, size_t j)
{
    RECORD const record = a[i];
    a[i] = a[j];
    a[j] = record;
}

/* Puts the median of the first, middle and last record first, and the largest of them last. */
static void FN(halving_pivot)(RECORD *a, size_t n)
{
    FN(halving_swap)(a, 0, n / 2);
    if (LESS(a[n - 1], a[0]))
        FN(halving_swap)(a, 0, n - 1);
    if (LESS(a[0], a[n / 2]))
        FN(halving_swap)(a, 0, n / 2);
    if (LESS(a[n - 1], a[0]))
        FN(halving_swap)(a, 0, n - 1);
}

/* Moves the k least records to a[0 .. k), in any order. Returns false if the call was cancelled. */
static bool FN(halving_select)(RECORD *a, size_t n, size_t k, ordo_exec *exec)
{
    unsigned patience = HALVING_PATIENCE * ordo_bit_length(n);
    while (n > HALVING_SMALL) {
        if (patience-- == 0) {
            FN(heap_sort)(a, n);
            return true;
        }
        if (n > HALVING_STRIDE && ordo_poll(exec, 0))
            return false;
        FN(halving_pivot)(a, n);
        RECORD const pivot = a[0];
        size_t       i = 0, j = n; /* a[1 .. i] <= pivot <= a[j .. n) */
        for (;;) {
            do
                i++;
            while (i < n && LESS(a[i], pivot));
            do
                j--;
            while (LESS(pivot, a[j]));
            if (i >= j)
                break;
            FN(halving_swap)(a, i, j);
        }
        FN(halving_swap)(a, 0, j); /* now the pivot is in its place */
        if (k == j || k == j + 1)
            return true;
        if (k < j) {
            n = j;
        } else {
            a += j + 1;
            n -= j + 1;
            k -= j + 1;
        }
    }
    FN(insertion_sort)(a, n);
    return true;
}

static void FN(halving_piece)(void *arg, size_t lo, size_t hi)
{
    halving_work *const work = arg;
    for (size_t i = lo; i < hi; i++) {
        size_t const begin = work->offset + i * work->block;
        size_t const count = ordo_min(work->block, work->n - begin), half = work->block / 2;
        if (count > half &&
            !FN(halving_select)((RECORD *)work->records + begin, count, half, work->exec))
            atomic_store_explicit(&work->stopped, true, memory_order_relaxed);
    }
}

/* One pass of bubble sort. `held` is the largest record so far. Returns whether all records are in
 * order now, which is the case if the radius was at most 1. */
static bool FN(halving_bubble)(void *records, size_t n, ordo_exec *exec, bool *stopped)
{
    RECORD *const a = records;
    RECORD        held = a[0];
    int           wrong = 0;
    for (size_t at = 1; at < n; at += HALVING_STRIDE) {
        size_t const end = ordo_min(n, at + HALVING_STRIDE);
        for (size_t i = at; i < end; i++) {
            RECORD const next = a[i];
            int const    before = LESS(next, held);
            a[i - 1] = before ? next : held;
            held = before ? held : next;
            wrong |= i > 1 && LESS(a[i - 1], a[i - 2]);
        }
        if (ordo_poll(exec, (double)end / (double)n))
            return *stopped = true, false;
    }
    a[n - 1] = held;
    return !(wrong || LESS(a[n - 1], a[n - 2]));
}

/* ---- Segments ---- */

/* Sorts a[0 .. n): selects the median, then sorts the left half by a call and the right half by the
 * loop. Returns false if the call was cancelled. */
static bool FN(segment_sort)(RECORD *a, size_t n, ordo_exec *exec)
{
    while (n > HALVING_SMALL) {
        size_t const half = n / 2;
        if (n > SEGMENT_STRIDE && ordo_poll(exec, 0))
            return false;
        if (!FN(halving_select)(a, n, half, exec) || !FN(segment_sort)(a, half, exec))
            return false;
        a += half;
        n -= half;
    }
    FN(insertion_sort)(a, n);
    return true;
}

static void FN(segment_piece)(void *arg, size_t lo, size_t hi)
{
    halving_work *const work = arg;
    for (size_t i = lo; i < hi; i++) {
        size_t const begin = work->offset + i * work->block;
        size_t const count = ordo_min(work->block, work->n - begin);
        if (!FN(segment_sort)((RECORD *)work->records + begin, count, work->exec))
            atomic_store_explicit(&work->stopped, true, memory_order_relaxed);
    }
}

/* Sets work->wrong if one of the records [lo, hi) is less than the record before it. */
static void FN(segment_check)(void *arg, size_t lo, size_t hi)
{
    halving_work *const work = arg;
    const RECORD *const a = work->records;
    int                 wrong = 0;
    for (size_t i = ordo_max(lo, 1); i < hi; i++)
        wrong |= LESS(a[i], a[i - 1]);
    if (wrong)
        atomic_store_explicit(&work->wrong, true, memory_order_relaxed);
}

/* ---- Bubble sort ---- */

/* One pass over records[0 .. n), n > 0. Returns the index of the last record that was exchanged
 * with the record before it, 0 if there was no exchange, or n if the call was cancelled. */
static size_t FN(bubble_pass)(RECORD *records, size_t n, double share, ordo_exec *exec)
{
    RECORD largest = records[0];
    size_t last = 0;
    for (size_t lo = 1; lo < n; lo += BUBBLE_STRETCH) {
        size_t const hi = lo + ordo_min(BUBBLE_STRETCH, n - lo);
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
