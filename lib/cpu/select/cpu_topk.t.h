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
 * until p->end is reached. A loop without branches skips chunks that have none. */
static void FN(collect)(const void *keys, size_t lo, size_t hi, bool descending, topk_piece *p)
{
    enum {
        CHUNK = 32
    };
    const KEY *const a = keys;
    BITS const       before = (BITS)p->band.lo, last = (BITS)p->band.hi;
    for (size_t at = lo; at < hi && p->at < p->end; at += CHUNK) {
        size_t const end = hi - at > CHUNK ? at + CHUNK : hi;
        BITS         some = 0;
        for (size_t i = at; i < end; i++)
            some = (BITS)(some | (FN(key_sort_bits)(a[i], descending) <= last));
        for (size_t i = at; some != 0 && i < end; i++) {
            BITS const word = FN(key_sort_bits)(a[i], descending);
            if (word < before) {
                FN(put_record)(p, a[i], i, descending);
            } else if (word <= last && p->ties > 0) {
                p->ties--;
                FN(put_record)(p, a[i], i, descending);
            }
        }
    }
}
