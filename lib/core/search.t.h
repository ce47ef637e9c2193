/* search.t.h - the first and the last key of a group of ties in a sorted array. Host and device.
 *
 * The searches only test for ties, so they work in ascending and descending arrays. They first step
 * away from i in doubling strides, then halve: most groups are short, so their ends are near and in
 * the cache. They read at most 2 lg(size of the group) keys. */
ORDO_HD int FN(tied)(const KEY *a, size_t i, size_t j)
{
    return FN(key_fold)(a[i]) == FN(key_fold)(a[j]);
}

/* The first index of the group of ties that contains key i. */
ORDO_HD size_t FN(tie_start)(const KEY *a, size_t i)
{
    size_t high = i, step = 1; /* a[high] is in the group */
    while (step <= high && FN(tied)(a, high - step, i)) {
        high -= step;
        step *= 2;
    }
    size_t low = step <= high ? high - step + 1 : 0; /* keys before low are not */
    while (low < high) {
        size_t const middle = low + (high - low) / 2;
        if (FN(tied)(a, middle, i))
            high = middle;
        else
            low = middle + 1;
    }
    return high;
}

/* One past the last index of the group of ties that contains key i, in an array of n keys. */
ORDO_HD size_t FN(tie_end)(const KEY *a, size_t n, size_t i)
{
    size_t low = i, step = 1; /* a[low] is in the group */
    while (step < n - low && FN(tied)(a, low + step, i)) {
        low += step;
        step *= 2;
    }
    size_t high = step < n - low ? low + step : n; /* a[high] is not, or high is n */
    while (high - low > 1) {
        size_t const middle = low + (high - low) / 2;
        if (FN(tied)(a, middle, i))
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The index of the first NaN of a sorted array; n if there is none. */
ORDO_HD size_t FN(nan_start)(const KEY *a, size_t n)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t const middle = low + (high - low) / 2;
        if (FN(key_is_nan)(a[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
