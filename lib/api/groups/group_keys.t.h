/* group_keys.t.h - the loops of api_find_groups.c over group keys of one type. */

/* Counts keys[lo], keys[lo + step], ... below hi. Returns false if the table is full. */
static bool FN(count_keys)(const void *x, size_t lo, size_t hi, size_t step, few_table *table)
{
    const KEY *const keys = x;
    for (size_t i = lo; i < hi; i += step)
        if (!add(table, FN(key_fold)(keys[i]), 1))
            return false;
    return true;
}

/* unique[i] = the key with these folded bits: +0 for zeros, the default NaN for NaNs. */
static void FN(put_unique)(void *unique, size_t i, uint64_t folded)
{
    KEY const key = FN(key_of)((BITS)folded);
    ((KEY *)unique)[i] = FN(key_is_nan)(key) ? (KEY)default_nan() : key;
}

static void FN(copy_unique)(void *unique, size_t i, const void *keys, size_t row)
{
    FN(put_unique)(unique, i, FN(key_fold)(((const KEY *)keys)[row]));
}

/* Writes to `starts`, if it is not NULL, where groups begin in [lo, hi) of sorted keys. Returns
 * their number. */
static size_t FN(find_starts)(const void *sorted, size_t lo, size_t hi, uint64_t *starts)
{
    const KEY *const keys = sorted;
    size_t           count = 0;
    for (size_t i = lo; i < hi; i++)
        if (i == 0 || FN(key_fold)(keys[i]) != FN(key_fold)(keys[i - 1])) {
            if (starts != NULL)
                starts[count] = i;
            count++;
        }
    return count;
}
