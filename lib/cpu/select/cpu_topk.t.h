/* cpu_topk.t.h - the loops of cpu_topk.c that read keys, for one key type. */

/* The band of words that tie with a key: its own word; for a zero also the word of the other zero,
 * which is adjacent; for a NaN the words of all NaNs. */
static void FN(tied_words)(const void *key, bool descending, uint64_t first_nan, cpu_band *band)
{
    KEY const  x = *(const KEY *)key;
    BITS const bits = FN(key_bits)(x), word = descending ? FN(key_turn)(bits) : bits;
    if (FN(key_is_nan)(x)) {
        band->lo = first_nan;
        band->hi = (BITS)-1;
        return;
    }
    band->lo = band->hi = word;
    for (int step = -1; step <= 1; step += 2) {
        BITS const neighbour = (BITS)(word + (BITS)step);
        BITS const other = descending ? FN(key_turn)(neighbour) : neighbour;
        bool const wraps = step < 0 ? word == 0 : word == (BITS)-1;
        if (wraps || FN(key_fold)(FN(key_of)(other)) != FN(key_fold)(x))
            continue;
        if (step < 0)
            band->lo = neighbour;
        else
            band->hi = neighbour;
    }
}

static inline void FN(put_record)(topk_piece *p, KEY x, size_t index, bool descending)
{
    BITS const key = descending ? FN(key_desc)(x) : FN(key_fold)(x);
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
        for (size_t i = at; i < end; i++) {
            BITS const bits = FN(key_bits)(a[i]);
            some = (BITS)(some | ((descending ? FN(key_turn)(bits) : bits) <= last));
        }
        for (size_t i = at; some != 0 && i < end; i++) {
            BITS const bits = FN(key_bits)(a[i]), word = descending ? FN(key_turn)(bits) : bits;
            if (word < before) {
                FN(put_record)(p, a[i], i, descending);
            } else if (word <= last && p->ties > 0) {
                p->ties--;
                FN(put_record)(p, a[i], i, descending);
            }
        }
    }
}
