/* search.t.h - the edges of runs of equal keys in a sorted array. Host and device.
 *
 * Equality is all they use, so they serve ascending and descending arrays alike. Both searches
 * step away from i in doubling strides before they halve: most runs are short, and their edge is
 * then near and in the cache. At most 2 lg(length of the run) keys are read. */
ORDO_HD int FN(same_run)(const KEY *a, size_t i, size_t j)
{
    return FN(key_fold)(a[i]) == FN(key_fold)(a[j]);
}

/* The first index of the run that key i belongs to. */
ORDO_HD size_t FN(run_start)(const KEY *a, size_t i)
{
    size_t high = i, step = 1; /* a[high] is in the run */
    while (step <= high && FN(same_run)(a, high - step, i)) {
        high -= step;
        step *= 2;
    }
    size_t low = step <= high ? high - step + 1 : 0; /* what lies before low is not */
    while (low < high) {
        size_t const middle = low + (high - low) / 2;
        if (FN(same_run)(a, middle, i))
            high = middle;
        else
            low = middle + 1;
    }
    return high;
}

/* One past the last index of the run that key i belongs to, in an array of n keys. */
ORDO_HD size_t FN(run_end)(const KEY *a, size_t n, size_t i)
{
    size_t low = i, step = 1; /* a[low] is in the run */
    while (step < n - low && FN(same_run)(a, low + step, i)) {
        low += step;
        step *= 2;
    }
    size_t high = step < n - low ? low + step : n; /* a[high] is not, or it is the end */
    while (high - low > 1) {
        size_t const middle = low + (high - low) / 2;
        if (FN(same_run)(a, middle, i))
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Where the NaNs at the end of a sorted array begin; n if there are none. */
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
