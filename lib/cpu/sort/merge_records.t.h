/* merge_records.t.h - the pieces of the passes of merge_records.c, for one kind of record. */

/* Sorts one block into the array that the first pass reads. */
static void FN(sort_block)(void *arg, size_t lo, size_t hi)
{
    merge_work *const work = arg;
    FN(merge_sort)((RECORD *)work->records + lo, (RECORD *)work->buffer + lo, hi - lo, work->back);
}

/* Merges records [lo, hi) of the output, which may be parts of several pairs of runs. */
static void FN(merge_piece)(void *arg, size_t lo, size_t hi)
{
    merge_work *const   work = arg;
    const RECORD *const in = work->back ? work->buffer : work->records;
    RECORD *const       out = work->back ? work->records : work->buffer;

    for (size_t pair = pair_of(work, lo), at = lo; at < hi; pair++) {
        size_t const        start = run_start(work, 2 * pair);
        size_t const        middle = run_start(work, 2 * pair + 1);
        size_t const        end = run_start(work, 2 * pair + 2);
        size_t const        to = ordo_min(hi, end);
        const RECORD *const a = in + start, *const b = in + middle;
        size_t const na = middle - start, nb = end - middle;
        size_t const a_from = FN(co_rank)(a, na, b, nb, at - start);
        size_t const a_to = FN(co_rank)(a, na, b, nb, to - start);
        size_t const b_from = at - start - a_from, b_to = to - start - a_to;
        FN(merge)(a + a_from, a_to - a_from, b + b_from, b_to - b_from, out + at);
        at = to;
    }
}
