/* search.t.h - the places of needles in a sorted array, for one key type and one ISA.
 *
 * A branch-free binary search runs for LANES needles at once, so that the reads of different
 * needles overlap. Needles in order are searched between the places of the first and the last one
 * of a block; other needles first in the table of every stride-th key. */

/* The sort bits (key_sort_bits) with which the keys are compared that tie with a needle: those of
 * the first of them, or with `after` of the last. So the bits of keys need no folding of ties. */
INLINE BITS FN(bound_of)(KEY needle, bool descending, bool after)
{
    BITS const zero = FN(key_sort_bits)((KEY)0, descending);
    if (FN(key_is_nan)(needle))
        return after ? (BITS)-1 : (BITS)(FN(key_bits)((KEY)INFINITY) + 1);
    if ((KEY)0.5 == 0 || FN(key_fold)(needle) != FN(key_fold)((KEY)0))
        return FN(key_sort_bits)(needle, descending);
    /* -0 is just below +0, in descending order just above it */
    return (BITS)(descending ? zero + after : zero - !after);
}

INLINE size_t FN(comes_before)(BITS key, BITS bound, bool after)
{
    return after ? key <= bound : key < bound;
}

/* Adds to at[j] how many of keys[at[j] .. at[j] + length) come before bound j. */
INLINE void FN(search_keys)(const KEY *keys, size_t length, const BITS *bounds, bool descending,
                            bool after, size_t *at)
{
    for (; length > 1; length -= length / 2) {
        size_t const half = length / 2;
        for (size_t j = 0; j < LANES; j++) {
            BITS const key = FN(key_sort_bits)(keys[at[j] + half - 1], descending);
            at[j] += (0 - FN(comes_before)(key, bounds[j], after)) & half;
        }
    }
    if (length == 1)
        for (size_t j = 0; j < LANES; j++)
            at[j] += FN(comes_before)(FN(key_sort_bits)(keys[at[j]], descending), bounds[j], after);
}

/* at[j] = the number of words that come before bound j; length > 0. */
INLINE void FN(search_words)(const BITS *words, size_t length, const BITS *bounds, bool after,
                             size_t *at)
{
    for (size_t j = 0; j < LANES; j++)
        at[j] = 0;
    for (; length > 1; length -= length / 2) {
        size_t const half = length / 2;
        for (size_t j = 0; j < LANES; j++)
            at[j] += (0 - FN(comes_before)(words[at[j] + half - 1], bounds[j], after)) & half;
    }
    for (size_t j = 0; j < LANES; j++)
        at[j] += FN(comes_before)(words[at[j]], bounds[j], after);
}

/* LANES bounds in any order. The table says between which of its keys a bound belongs; a window
 * that would end after the array begins earlier, where all keys come before the bound. */
INLINE void FN(places_any)(const set_search *search, const BITS *bounds, bool descending,
                           bool after, size_t *at)
{
    size_t const n = search->n, stride = search->stride;
    size_t const length = search->top_count == 0 ? n : stride - 1;
    if (search->top_count == 0) {
        for (size_t j = 0; j < LANES; j++)
            at[j] = 0;
    } else {
        FN(search_words)(search->top, search->top_count, bounds, after, at);
        for (size_t j = 0; j < LANES; j++)
            at[j] = at[j] == 0 ? 0 : ordo_min((at[j] - 1) * stride + 1, n - length);
    }
    FN(search_keys)(search->sorted, length, bounds, descending, after, at);
}

/* Bounds in order, between the places of the first and the last one; count is a multiple of
 * LANES. The bits of the keys of a short window are computed once. */
INLINE void FN(places_between)(const set_search *search, const BITS *bounds, size_t count,
                               bool descending, bool after, size_t *places)
{
    BITS             ends[LANES], words[WINDOW];
    size_t           at[LANES];
    const KEY *const keys = search->sorted;
    for (size_t j = 0; j < LANES; j++)
        ends[j] = bounds[j == 0 ? 0 : count - 1];
    FN(places_any)(search, ends, descending, after, at);
    size_t const first = at[0];
    size_t const length = at[1] > first ? at[1] - first : 0; /* at[1] < first: keys not sorted */
    bool const   copies = length > 0 && length <= WINDOW;
    for (size_t i = 0; copies && i < length; i++)
        words[i] = FN(key_sort_bits)(keys[first + i], descending);
    for (size_t i = 0; i < count; i += LANES) {
        for (size_t j = 0; j < LANES; j++)
            places[i + j] = first;
        if (copies) {
            FN(search_words)(words, length, bounds + i, after, at);
            for (size_t j = 0; j < LANES; j++)
                places[i + j] += at[j];
        } else {
            FN(search_keys)(keys, length, bounds + i, descending, after, places + i);
        }
    }
}

INLINE void FN(places_block)(const set_search *search, const KEY *keys, size_t count,
                             bool descending, bool after, size_t *places)
{
    BITS         bounds[SEARCH_BLOCK + LANES];
    size_t const whole = (count + LANES - 1) / LANES * LANES;
    BITS const   last = FN(bound_of)(keys[count - 1], descending, after);
    BITS         falls = 0;
    for (size_t i = 0; i < count; i++)
        bounds[i] = FN(bound_of)(keys[i], descending, after);
    for (size_t j = 0; j < LANES; j++)
        bounds[count + j] = last;
    for (size_t i = 1; i < count; i++)
        falls = (BITS)(falls | (bounds[i] < bounds[i - 1]));
    if (falls == 0 && count > LANES)
        FN(places_between)(search, bounds, whole, descending, after, places);
    else
        for (size_t i = 0; i < whole; i += LANES)
            FN(places_any)(search, bounds + i, descending, after, places + i);
}

static void FN(places)(const set_search *search, const void *needles, size_t count, size_t *places)
{
    if (search->descending)
        (search->after ? FN(places_block)(search, needles, count, true, true, places)
                       : FN(places_block)(search, needles, count, true, false, places));
    else
        (search->after ? FN(places_block)(search, needles, count, false, true, places)
                       : FN(places_block)(search, needles, count, false, false, places));
}

static void FN(take_top)(const set_search *search, void *top)
{
    const KEY *const keys = search->sorted;
    for (size_t i = 0; i < search->top_count; i++)
        ((BITS *)top)[i] = FN(key_sort_bits)(keys[i * search->stride], search->descending);
}
