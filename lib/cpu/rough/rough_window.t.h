/* rough_window.t.h - a window of keys sorted through a buffer, and the border between two sorted
 * windows, for one type of keys (KEY, BITS) or for items that are both; see sort_rough.c. */

/* Sorts a[0 .. count) with a buffer of 2 * count, and as many counters behind it. False:
 * cancelled. */
static bool FN(rough_window)(void *keys, size_t count, bool descending, void *buffer,
                             rough_state *state)
{
    KEY *const  a = keys;
    BITS *const in = buffer;
    const BITS *seen = in;
    BITS        least, most;
    if (count == 0)
        return true;
    if (state->as_bits)
        seen = keys;
    else if (descending)
        for (size_t i = 0; i < count; i++)
            in[i] = FN(rough_map)(a[i], true);
    else
        for (size_t i = 0; i < count; i++)
            in[i] = FN(rough_map)(a[i], false);
    if (FN(rough_look)(seen, count, &least, &most) ||
           FN(rough_spread)(seen, in + count, count, least, most, a, descending, state))
        return true;
    if (seen != in)
        memcpy(in, seen, count * sizeof *in);
    return FN(rough_sort)(in, in + count, count, least, most, a, descending, state);
}

/* The keys [begin, middle) and [middle, end) are in order: merges up to `reach` keys on either side
 * of the middle, with a buffer of twice as many. Returns whether [begin, end) is in order now. */
static bool FN(rough_border)(void *keys, size_t begin, size_t middle, size_t end, size_t reach,
                             bool descending, void *buffer)
{
    KEY *const   a = keys;
    BITS *const  left = buffer;
    size_t const lo = middle - ordo_min(reach, middle - begin);
    size_t const hi = middle + ordo_min(reach, end - middle), count = middle - lo;
    BITS *const  right = left + count;
    size_t       i = 0, j = 0;
    if (!FN(rough_less)(FN(rough_map)(a[middle], descending),
                           FN(rough_map)(a[middle - 1], descending)))
        return true;
    for (size_t at = lo; at < hi; at++)
        left[at - lo] = FN(rough_map)(a[at], descending);
    for (size_t at = lo; at < hi; at++) {
        bool const from_right =
            i == count || (j < hi - middle && FN(rough_less)(right[j], left[i]));
        a[at] = FN(rough_unmap)(from_right ? right[j] : left[i], descending);
        j += from_right;
        i += !from_right;
    }
    return !((lo > begin && FN(rough_less)(FN(rough_map)(a[lo], descending),
                                              FN(rough_map)(a[lo - 1], descending))) ||
              (hi < end && FN(rough_less)(FN(rough_map)(a[hi], descending),
                                             FN(rough_map)(a[hi - 1], descending))));
}
