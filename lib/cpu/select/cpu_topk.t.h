/* cpu_topk.t.h - the loops of cpu_topk.c that read keys, for one key type. */

/* The band of words that tie with a key: its own word; for a zero also the word of the other zero,
 * which is adjacent; for a NaN the words of all NaNs. */
static void FN(tied_words)(const void *key, bool descending, uint64_t first_nan, cpu_band *band)
{
    KEY const  x = *(const KEY *)key;
    BITS const word = FN(key_sort_bits)(x, descending);
    if (FN(key_is_nan)(x)) {
        band->lo = first_nan;
        band->hi = (BITS)-1;
        return;
    }
    band->lo = band->hi = word;
    for (int step = -1; step <= 1; step += 2) {
        BITS const neighbour = (BITS)(word + (BITS)step);
        KEY const  other = FN(key_of_sort_bits)(neighbour, descending);
        bool const wraps = step < 0 ? word == 0 : word == (BITS)-1;
        if (wraps || FN(key_fold)(other) != FN(key_fold)(x))
            continue;
        if (step < 0)
            band->lo = neighbour;
        else
            band->hi = neighbour;
    }
}

static inline void FN(put_record)(topk_piece *p, KEY x, size_t index, bool descending)
{
    BITS const key = FN(key_tie_bits)(x, descending);
    if (p->is_wide)
        ((record_p64 *)p->records)[p->at++] = (record_p64){key, index};
    else
        ((uint64_t *)p->records)[p->at++] = (uint64_t)key << 32 | index;
}

/* Collects records of the keys before the band and of the first p->ties keys in it, in array order,
 * until p->end is reached. A kernel marks the keys up to the end of the band, so other keys cost no
 * branch. The last keys, fewer than 64, are all marked and tested one by one. */
static void FN(collect)(const void *keys, size_t lo, size_t hi, bool descending, topk_piece *p)
{
    const KEY *const a = keys;
    BITS const       before = (BITS)p->band.lo, last = (BITS)p->band.hi;
    bool const       marks_all = last == (BITS)-1; /* no pivot is above the last word */
    for (size_t at = lo, count; at < hi && p->at < p->end; at += count) {
        uint64_t marks[TOPK_MARKS] = {UINT64_MAX};
        count = ordo_min(hi - at, marks_all ? 64 : 64 * TOPK_MARKS);
        if (count >= 64)
            count -= count % 64;
        if (count >= 64 && !marks_all)
            p->below(a + at, count, (uint64_t)last + 1, marks);
        for (size_t w = 0; w < ordo_div_up(count, 64); w++) {
            for (uint64_t left = marks[w]; left != 0; left &= left - 1) {
                size_t const i = at + 64 * w + (size_t)__builtin_ctzll(left);
                if (i >= hi)
                    break;
                BITS const word = FN(key_sort_bits)(a[i], descending);
                bool const ties = word >= before && word <= last && p->ties > 0;
                p->ties -= ties;
                if (ties || word < before)
                    FN(put_record)(p, a[i], i, descending);
            }
        }
    }
}
