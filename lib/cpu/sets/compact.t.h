/* compact.t.h - keeps the first of tied keys of a sorted array, for one key type. */

static uint64_t FN(fold)(const void *keys, size_t i)
{
    return FN(key_fold)(((const KEY *)keys)[i]);
}

/* The first NaN of sorted keys[lo..hi); hi if there is none. */
static size_t FN(first_nan)(const KEY *keys, size_t lo, size_t hi)
{
    if (lo == hi || !FN(key_is_nan)(keys[hi - 1]))
        return hi;
    while (lo < hi) {
        size_t const middle = lo + (hi - lo) / 2;
        if (FN(key_is_nan)(keys[middle]))
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

/* Whether any of keys[0..count) ties with the key before it. None is a NaN. */
static inline bool FN(any_tie)(const KEY *keys, size_t count)
{
    int any = 0;
    for (size_t i = 0; i < count; i++)
        any |= FN(key_same)(keys[i], *(keys + i - 1));
    return any != 0;
}

/* Moves the first of tied keys of sorted[lo..hi) together at lo. `before` are the folded bits of the
 * key before lo, and `first` says that there is none. Returns the end of the keys that are kept.
 * A key is overwritten only after the key behind it was compared with it. */
static size_t FN(compact)(void *sorted, size_t lo, size_t hi, uint64_t before, bool first)
{
    KEY *const   keys = sorted;
    size_t const nans = FN(first_nan)(keys, lo, hi);
    size_t       end = lo;
    if (lo < nans)
        end += first || FN(key_fold)(keys[lo]) != before;
    for (size_t at = lo + 1, count; at < nans; at += count) {
        count = ordo_min(COMPACT_BLOCK, nans - at);
        if (!FN(any_tie)(keys + at, count)) {
            if (end < at)
                memmove(keys + end, keys + at, count * sizeof *keys);
            end += count;
            continue;
        }
        KEY last = keys[at - 1];
        for (size_t i = at; i < at + count; i++) {
            KEY const here = keys[i];
            keys[end] = here;
            end += !FN(key_same)(here, last);
            last = here;
        }
    }
    if (nans < hi && (lo < nans || first || FN(key_fold)(keys[nans]) != before))
        keys[end++] = keys[nans];
    return end;
}
