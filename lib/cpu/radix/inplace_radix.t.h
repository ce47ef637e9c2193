/* inplace_radix.t.h - in-place radix sort of one kind of record; see inplace_radix.c. */

static __attribute__((noinline)) void FN(small_sort)(void *records, size_t n)
{
    RECORD buffer[SMALL];
    FN(merge_sort)(records, buffer, n, false);
}

/* Swaps every record into its bucket; bucket b ends at ends[b] and begins where the one before
 * ends. Passes over the rest of each bucket until nothing is left. Each swap moves at least one
 * record to its bucket. Swaps do not depend on each other, as they would along one cycle. Returns
 * false if the call was cancelled. */
static __attribute__((noinline)) bool FN(deal)(RECORD *records, const size_t ends[BUCKETS],
                                               unsigned shift, ordo_exec *exec)
{
    size_t next[BUCKETS]; /* the first record of each bucket that may be out of place */
    for (size_t b = 0, at = 0; b < BUCKETS; at = ends[b++])
        next[b] = at;
    for (bool left = true; left;) {
        left = false;
        for (size_t b = 0; b < BUCKETS; b++)
            for (size_t i = next[b], to; i < ends[b]; i = to) {
                left = true;
                to = ends[b] - i > STRETCH ? i + STRETCH : ends[b];
                for (size_t j = i; j < to; j++) {
                    RECORD const record = records[j];
                    size_t const place = next[FN(digit)(record, shift)]++;
                    records[j] = records[place];
                    records[place] = record;
                }
                if (to - i == STRETCH && ordo_poll(exec, (double)b / BUCKETS))
                    return false;
            }
    }
    return true;
}

static void FN(count_digits)(const RECORD *records, size_t n, unsigned shift,
                             size_t counts[BUCKETS])
{
    memset(counts, 0, BUCKETS * sizeof *counts);
    for (size_t i = 0; i < n; i++)
        counts[FN(digit)(records[i], shift)]++;
}

/* Sorts records that are equal in all bits from shift + DIGIT on. Calls itself at most 16 deep. */
static void FN(flag_sort)(RECORD *records, size_t n, unsigned shift, ordo_exec *exec)
{
    size_t ends[BUCKETS];
    for (;; shift -= DIGIT) {
        if (n <= SMALL) {
            FN(small_sort)(records, n);
            return;
        }
        if (ordo_poll(exec, 0))
            return;
        FN(count_digits)(records, n, shift, ends);
        if (ends[FN(digit)(records[0], shift)] != n)
            break;
        if (shift == 0)
            return;
        if (shift < DIGIT)
            shift = DIGIT; /* the last digit; its upper bits are equal in all records */
    }
    for (size_t b = 1; b < BUCKETS; b++)
        ends[b] += ends[b - 1];
    if (!FN(deal)(records, ends, shift, exec) || shift == 0)
        return;
    for (size_t b = 0, at = 0; b < BUCKETS; at = ends[b++])
        FN(flag_sort)(records + at, ends[b] - at, shift < DIGIT ? 0 : shift - DIGIT, exec);
}

/* ---- The first digit ---- */

static void FN(survey_piece)(void *arg, size_t lo, size_t hi)
{
    flag_work *const    work = arg;
    const RECORD *const records = work->records;
    record_p64 const    first = FN(wide)(records[0]);
    record_p64          differ = {0, 0};
    for (size_t i = lo; i < hi; i++) {
        record_p64 const record = FN(wide)(records[i]);
        differ.key |= record.key ^ first.key;
        differ.index |= record.index ^ first.index;
    }
    atomic_fetch_or_explicit(&work->differ_key, differ.key, memory_order_relaxed);
    atomic_fetch_or_explicit(&work->differ_index, differ.index, memory_order_relaxed);
}

static void FN(count_piece)(void *arg, size_t lo, size_t hi)
{
    flag_work *const work = arg;
    size_t           counts[BUCKETS];
    FN(count_digits)((const RECORD *)work->records + lo, hi - lo, work->shift, counts);
    for (size_t b = 0; b < BUCKETS; b++)
        if (counts[b] != 0)
            atomic_fetch_add_explicit(&work->counts[b], counts[b], memory_order_relaxed);
}

static bool FN(deal_all)(flag_work *work)
{
    return FN(deal)(work->records, work->ends, work->shift, work->exec);
}

static void FN(finish_bucket)(void *arg, size_t lo, size_t hi)
{
    flag_work *const work = arg;
    unsigned const   shift = work->shift < DIGIT ? 0 : work->shift - DIGIT;
    for (size_t b = lo; b < hi && work->shift > 0; b++) {
        size_t const at = b > 0 ? work->ends[b - 1] : 0;
        FN(flag_sort)((RECORD *)work->records + at, work->ends[b] - at, shift, work->exec);
    }
}
