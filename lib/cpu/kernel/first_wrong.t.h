/* first_wrong.t.h - finds the first key of one type that comes before its left neighbour
 * (cpu_first_wrong_fn in kernels.h). The inner loop of ordo_is_sorted. */
enum {
    FN(WRONG_BLOCK) = 1024 /* keys compared at a time */
};

/* Whether any of a[0 .. count) comes before its left neighbour, without a branch. The bits of
 * floats are computed once and kept, because each is compared twice; those of integers cost nearly
 * nothing. */
static inline
    __attribute__((always_inline)) bool FN(any_wrong)(const KEY *a, size_t count, bool descending)
{
    bool const is_float = (KEY)0.5 != 0;
    BITS       bits[FN(WRONG_BLOCK) + 1], wrong = 0;
    if (is_float) {
        for (size_t i = 0; i <= count; i++)
            bits[i] = FN(key_tie_bits)(*(a + i - 1), descending);
        for (size_t i = 0; i < count; i++)
            wrong = (BITS)(wrong | (BITS)(bits[i + 1] < bits[i]));
    } else {
        for (size_t i = 0; i < count; i++)
            wrong = (BITS)(wrong | (BITS)(FN(key_tie_bits)(a[i], descending) <
                                             FN(key_tie_bits)(*(a + i - 1), descending)));
    }
    return wrong != 0;
}

/* Only a block with a key out of order is searched again. */
static inline __attribute__((always_inline))
size_t FN(first_wrong)(const KEY *a, size_t lo, size_t hi, bool descending)
{
    for (size_t at = lo; at < hi; at += FN(WRONG_BLOCK)) {
        size_t const end = hi - at > FN(WRONG_BLOCK) ? at + FN(WRONG_BLOCK) : hi;
        bool const   wrong = FN(any_wrong)(a + at, end - at, descending);
        for (size_t i = at; wrong && i < end; i++)
            if (FN(key_tie_bits)(a[i], descending) < FN(key_tie_bits)(a[i - 1], descending))
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
