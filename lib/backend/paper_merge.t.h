/* paper_merge.t.h - the sequential merge of sorted sub-arrays: Algorithm 2 of B. Alyafi and F.
 * Khalid, "Median Element Parallelized Search", for the CPU and for the host side of a GPU.
 *
 * Every sub-array has a head, the index of its first record that is not merged yet. Each step
 * compares the records at all heads, one after the other, and takes the smallest. When only one
 * sub-array is left, its records are copied. n * n / part comparisons, by one thread.
 * The including file defines RECORD, LESS(a, b) and FN(name). */

typedef struct FN(paper_merge) {
    const RECORD *records; /* sub-arrays of `part` records; the last one may be shorter */
    size_t        n, part, parts;
    size_t       *heads;
} FN(paper_merge);

static size_t FN(part_end)(const FN(paper_merge) * m, size_t i)
{
    return i + 1 == m->parts ? m->n : (i + 1) * m->part;
}

/* The sub-array with the smallest head. At least one sub-array is left. */
static size_t FN(least_head)(const FN(paper_merge) * m)
{
    const RECORD *const records = m->records;
    const size_t *const heads = m->heads;
    size_t              least = 0;
    while (heads[least] == FN(part_end)(m, least))
        least++;
    RECORD smallest = records[heads[least]];
    size_t end = FN(part_end)(m, least);
    for (size_t i = least + 1; i < m->parts; i++) {
        end = ordo_min(end + m->part, m->n);
        if (heads[i] < end && LESS(records[heads[i]], smallest)) {
            least = i;
            smallest = records[heads[i]];
        }
    }
    return least;
}

/* Merges all sub-arrays to merged[0..n). `heads` has room for one index per sub-array. Returns
 * false if the call was cancelled. */
static bool FN(merge_sub_arrays)(const RECORD *records, size_t n, size_t part, size_t *heads,
                                 RECORD *merged, ordo_exec *exec)
{
    FN(paper_merge) const m = {records, n, part, ordo_div_up(n, part), heads};
    size_t const pause = ordo_max(((size_t)1 << 20) / m.parts, 1); /* about 1 ms */
    size_t       left = m.parts, count = 0;
    for (size_t i = 0; i < m.parts; i++)
        heads[i] = i * part;
    for (; left > 1; count++) {
        size_t const least = FN(least_head)(&m);
        merged[count] = records[heads[least]++];
        left -= heads[least] == FN(part_end)(&m, least) ? 1 : 0;
        if (count % pause == 0 && ordo_poll(exec, (double)count / (double)n))
            return false;
    }
    size_t const last = FN(least_head)(&m);
    memcpy(merged + count, records + heads[last], (n - count) * sizeof *merged);
    return true;
}
