/* first_wrong.t.h - first_wrong.h for one key type. */
static inline BITS FN(order_word)(KEY x, bool descending)
{
    return descending ? FN(key_desc)(x) : FN(key_fold)(x);
}

/* Whether any of a[0 .. count) comes before its left neighbour, without a branch. Words of floats
 * are made once and kept, because each is compared twice; those of integers cost nearly nothing. */
static inline
    __attribute__((always_inline)) bool FN(any_wrong)(const KEY *a, size_t count, bool descending)
{
    bool const is_float = (KEY)0.5 != 0;
    BITS       words[FIRST_WRONG_BLOCK + 1], wrong = 0;
    if (is_float) {
        for (size_t i = 0; i <= count; i++)
            words[i] = FN(order_word)(*(a + i - 1), descending);
        for (size_t i = 0; i < count; i++)
            wrong = (BITS)(wrong | (BITS)(words[i + 1] < words[i]));
    } else {
        for (size_t i = 0; i < count; i++)
            wrong = (BITS)(wrong | (BITS)(FN(order_word)(a[i], descending) <
                                             FN(order_word)(*(a + i - 1), descending)));
    }
    return wrong != 0;
}

/* Only a block with a key out of order is searched again. */
static inline __attribute__((always_inline))
size_t FN(first_wrong)(const KEY *a, size_t lo, size_t hi, bool descending)
{
    for (size_t at = lo; at < hi; at += FIRST_WRONG_BLOCK) {
        size_t const end = hi - at > FIRST_WRONG_BLOCK ? at + FIRST_WRONG_BLOCK : hi;
        bool const   wrong = FN(any_wrong)(a + at, end - at, descending);
        for (size_t i = at; wrong && i < end; i++)
            if (FN(order_word)(a[i], descending) < FN(order_word)(a[i - 1], descending))
                return i;
    }
    return hi;
}

static size_t FN(first_wrong_up)(const void *keys, size_t lo, size_t hi)
{
    return FN(first_wrong)(keys, lo, hi, false);
}

static size_t FN(first_wrong_down)(const void *keys, size_t lo, size_t hi)
{
    return FN(first_wrong)(keys, lo, hi, true);
}
