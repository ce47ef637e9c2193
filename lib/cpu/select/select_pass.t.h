/* select_pass.t.h - the loops of select_pass.c that read keys, for one key type. */
/* Words in memory have 4 or 8 bytes. */
static inline void FN(put_word)(void *words, size_t i, BITS word)
{
    if (sizeof(BITS) > sizeof(uint32_t))
        ((uint64_t *)words)[i] = word;
    else
        ((uint32_t *)words)[i] = (uint32_t)word;
}

static void FN(copy_words)(const void *keys, size_t lo, size_t hi, bool descending, void *words)
{
    const KEY *const a = keys;
    for (size_t i = lo; i < hi; i++)
        FN(put_word)(words, i, FN(key_sort_bits)(a[i], descending));
}

static void FN(gather)(const void *keys, size_t n, size_t lo, size_t hi, bool descending,
                       uint64_t stream, void *words)
{
    const KEY *const a = keys;
    for (size_t i = lo; i < hi; i++)
        FN(put_word)(
            words, i,
            FN(key_sort_bits)(a[ordo_random_below(ordo_random_at(stream, i), n)], descending));
}

static void FN(put)(void *out, size_t j, uint64_t word, bool descending)
{
    ((KEY *)out)[j] = FN(key_of_sort_bits)((BITS)word, descending);
}

/* Adjacent keys are counted in two tables, because equal keys would wait for the same counter.
 * Words outside the range are counted behind the last digit. Words of 16 bits take at most two
 * digits, so their minimum and maximum are not computed. */
static void FN(digits)(const void *keys, size_t lo, size_t hi, bool descending, digit_piece *p)
{
    const KEY *const a = keys;
    BITS const       from = (BITS)p->lo, span = (BITS)(p->hi - p->lo);
    unsigned const   shift = p->shift;
    BITS             least = (BITS)-1, most = 0;
    for (size_t i = lo; i < hi; i++) {
        BITS const offset = (BITS)(FN(key_sort_bits)(a[i], descending) - from);
        bool const inside = offset <= span;
        if (sizeof(BITS) > 2) {
            BITS const low = inside ? offset : (BITS)-1;
            BITS const high = inside ? offset : 0;
            least = low < least ? low : least;
            most = high > most ? high : most;
        }
        p->count[i % 2][inside ? (size_t)(offset >> shift) : SELECT_DIGITS]++;
    }
    p->least = sizeof(BITS) > 2 ? least : 0;
    p->most = sizeof(BITS) > 2 ? most : span;
}
