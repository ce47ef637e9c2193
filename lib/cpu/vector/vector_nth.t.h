/* vector_nth.t.h - the k-th of n unsigned integers in order (vector_sort.t.h), in place.
 *
 * Splits in place around pivots of the vector sort and goes on with the side that holds place k,
 * until a leaf is left, which is sorted. About 2 n integers are moved. After a bad sample the range
 * is measured and halved, as in the sort, so the number of splits is bounded. */
uint64_t NTH_WORD(void *words, size_t n, size_t k)
{
    WORD *a = words, leaf[FN(BLOCK_WORDS)];
    FN(range) range = {0, (WORD)-1};
    bool even = false;
    while (n > FN(BLOCK_WORDS) && range.low != range.high) {
        bool         is_spread = even;
        WORD const   pivot = FN(pivot_of)(a, n, range, &is_spread);
        size_t const below = FN(split_in_place)(a, n, pivot, NULL);
        bool const   is_lower = k < below;
        size_t const left = is_lower ? below : n - below;
        bool const   is_bad = left > n - n / 8;
        range.low = is_lower ? range.low : pivot;
        range.high = is_lower ? pivot - 1 : range.high;
        a += is_lower ? 0 : below;
        k -= is_lower ? 0 : below;
        n = left;
        even = is_bad && !even;
        if (is_bad)
            range = FN(range_of)(a, n);
    }
    if (range.low == range.high)
        return range.low;
    /* The words may end at the end of a page, and qemu 7 reads the lanes that a mask excludes. */
    memcpy(leaf, a, n * sizeof *a);
    if (n > 8 * LANES)
        FN(sort_more)(leaf, n, leaf, NULL);
    else
        FN(sort_few)(leaf, n, leaf, NULL);
    memcpy(a, leaf, n * sizeof *a);
    return leaf[k];
}
