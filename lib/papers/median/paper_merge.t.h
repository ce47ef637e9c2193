/* paper_merge.t.h - the sequential merge of sorted sub-arrays: Algorithm 2 of B. Alyafi and F.
 * Khalid, "Median Element Parallelized Search", for the CPU and for the host side of a GPU.
 *
 * Every sub-array has a head, the index of its first record that is not merged yet. Each step
 * compares the records at all heads, one after the other, and takes the smallest. When only one
 * sub-array is left, its records are copied. n * n / part comparisons, by one thread. The records
 * at the heads are kept in an array, so that a step reads memory in order; sub-arrays without
 * records leave the array.
 * The including file defines RECORD, LESS(a, b) and FN(name). */

typedef struct FN(paper_merge) {
    const RECORD *records; /* sub-arrays of `part` records; the last one may be shorter */
    size_t        n, part;
    size_t        left;  /* sub-arrays that have records */
    RECORD       *front; /* [left] the record at the head of each; ties: the first sub-array */
    size_t       *heads; /* [left] */
} FN(paper_merge);

/* The first of the sub-arrays with the smallest head. */
static size_t FN(least_head)(const FN(paper_merge) * m)
{
    RECORD smallest = m->front[0];
    size_t least = 0;
    for (size_t i = 1; i < m->left; i++)
        smallest = LESS(m->front[i], smallest) ? m->front[i] : smallest;
    while (LESS(smallest, m->front[least]))
        least++;
    return least;
}

/* Moves a head on. A sub-array that ends leaves; the others keep their order. */
static void FN(pass_head)(FN(paper_merge) * m, size_t i)
{
    size_t const next = ++m->heads[i];
    if (next < m->n && next % m->part != 0) {
        m->front[i] = m->records[next];
        return;
    }
    m->left--;
    memmove(m->heads + i, m->heads + i + 1, (m->left - i) * sizeof *m->heads);
    memmove(m->front + i, m->front + i + 1, (m->left - i) * sizeof *m->front);
}

/* Merges all sub-arrays, at least one, to merged[0..n). `room` has 16 bytes for each sub-array.
 * Returns false if the call was cancelled. */
static bool FN(merge_sub_arrays)(const RECORD *records, size_t n, size_t part, void *room,
                                 RECORD *merged, ordo_exec *exec)
{
    size_t const parts = ordo_div_up(n, part);
    FN(paper_merge) m = {records, n, part, parts, NULL, (size_t *)room};
    size_t const pause = ordo_max(((size_t)1 << 20) / parts, 1); /* less than 1 ms */
    size_t       count = 0;
    m.front = (RECORD *)(void *)(m.heads + parts);
    for (size_t i = 0; i < parts; i++) {
        m.heads[i] = i * part;
        m.front[i] = records[i * part];
    }
    for (; m.left > 1; count++) {
        size_t const least = FN(least_head)(&m);
        merged[count] = m.front[least];
        FN(pass_head)(&m, least);
        if (count % pause == 0 && ordo_poll(exec, (double)count / (double)n))
            return false;
    }
    memcpy(merged + count, records + m.heads[0], (n - count) * sizeof *merged);
    return true;
}
