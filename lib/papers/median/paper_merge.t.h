/* paper_merge.t.h - the sequential merge of sorted sub-arrays: Algorithm 2 of B. Alyafi and F.
 * Khalid, "Median Element Parallelized Search", for the CPU and for the host side of a GPU.
 *
 * Every sub-array has an index, its head: the place of its first record that is not merged yet.
 * Each step searches the heads of all sub-arrays that are not merged for the smallest record,
 * copies it to the result and advances its head. When one sub-array is left, its records are
 * copied. About n * n / part comparisons, by one thread.
 * The including file defines RECORD, LESS(a, b) and FN(name). */

typedef struct FN(paper_merge) {
    const RECORD *records; /* sub-arrays of `part` records; the last one may be shorter */
    size_t        n, part, parts;
    size_t       *heads; /* [parts] */
} FN(paper_merge);

static bool FN(is_merged)(const FN(paper_merge) * m, size_t i)
{
    return m->heads[i] == ordo_min((i + 1) * m->part, m->n);
}

static size_t FN(first_unmerged)(const FN(paper_merge) * m)
{
    size_t i = 0;
    while (FN(is_merged)(m, i))
        i++;
    return i;
}

/* The sub-array with the smallest head; ties: the first of them. */
static size_t FN(smallest_head)(const FN(paper_merge) * m)
{
    size_t least = FN(first_unmerged)(m);
    for (size_t i = least + 1; i < m->parts; i++)
        if (!FN(is_merged)(m, i) && LESS(m->records[m->heads[i]], m->records[m->heads[least]]))
            least = i;
    return least;
}

/* Merges all sub-arrays, at least one, to merged[0..n). `heads` has room for an index of each
 * sub-array. Returns false if the call was cancelled. */
static bool FN(merge_sub_arrays)(const RECORD *records, size_t n, size_t part, size_t *heads,
                                 RECORD *merged, ordo_exec *exec)
{
    size_t const parts = ordo_div_up(n, part);
    FN(paper_merge) const m = {records, n, part, parts, heads};
    size_t const pause = ordo_max(((size_t)1 << 18) / parts, 1); /* less than 1 ms */
    size_t       count = 0;
    for (size_t i = 0; i < parts; i++)
        heads[i] = i * part;
    for (size_t left = parts; left > 1; count++) {
        size_t const least = FN(smallest_head)(&m);
        merged[count] = records[heads[least]++];
        left -= FN(is_merged)(&m, least) ? 1 : 0;
        if (count % pause == 0 && ordo_poll(exec, (double)count / (double)n))
            return false;
    }
    memcpy(merged + count, records + heads[FN(first_unmerged)(&m)], (n - count) * sizeof *merged);
    return true;
}
