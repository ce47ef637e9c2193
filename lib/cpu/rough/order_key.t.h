/* order_key.t.h - does a key come before the one to its left, for one key type. NaN comes last
 * both ways, so it is never out of place behind anything, and nothing but NaN may follow it. */
static inline int FN(out_of_place)(KEY left, KEY right, bool descending)
{
    int const wrong = descending ? right > left : right < left;
    return wrong | (FN(key_is_nan)(left) & !FN(key_is_nan)(right));
}

/* The least i in [lo, hi), lo > 0, with a[i] out of place, or hi. Blocks are looked through
 * without a branch; only one that holds an offender is looked through again. */
static size_t FN(first_wrong)(const void *keys, size_t lo, size_t hi, bool descending)
{
    const KEY *const a = keys;
    enum {
        BLOCK = 1024
    };
    for (size_t at = lo; at < hi; at += BLOCK) {
        size_t const end = hi - at > BLOCK ? at + BLOCK : hi;
        BITS         wrong = 0;
        if (descending)
            for (size_t i = at; i < end; i++)
                wrong = (BITS)(wrong | (BITS)FN(out_of_place)(a[i - 1], a[i], true));
        else
            for (size_t i = at; i < end; i++)
                wrong = (BITS)(wrong | (BITS)FN(out_of_place)(a[i - 1], a[i], false));
        for (size_t i = at; wrong != 0 && i < end; i++)
            if (FN(out_of_place)(a[i - 1], a[i], descending))
                return i;
    }
    return hi;
}
