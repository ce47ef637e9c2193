/* lms_find.t.h - finds LMS positions in one pass over a string of SYMBOLs, as INDEX.
 *
 * A suffix is of type S if it is less than the next suffix, else of type L. An LMS position has
 * type S, and the position before it has type L. */

/* Where a pass over a piece stands. */
typedef struct FN(pass) {
    INDEX *out;
    size_t found;
    size_t plateau; /* the place of the last symbol that differs from the one before it */
    bool   falling; /* whether that symbol is less */
} FN(pass);

/* Passes over the symbols [lo, hi), lo > 0. Symbols that rise behind a plateau, which follows a
 * fall, make its begin an LMS position. */
static void FN(find_each)(FN(pass) * p, const SYMBOL *s, size_t lo, size_t hi)
{
    FN(pass) at = *p;
    for (size_t i = lo; i < hi; i++) {
        bool const rises = s[i] > s[i - 1], falls = s[i] < s[i - 1];
        at.out[at.found] = (INDEX)at.plateau;
        at.found += rises & at.falling;
        at.falling = falls | (at.falling & !rises);
        at.plateau = (rises | falls) ? i : at.plateau;
    }
    *p = at;
}

#if BYTES
/* The same for the 64 symbols from `lo` on, with a bit for each. */
static inline void FN(find_word)(FN(pass) * p, const SYMBOL *s, size_t lo)
{
    uint8_t rises[64], falls[64];
    for (size_t i = 0; i < 64; i++) {
        rises[i] = s[lo + i] > s[lo + i - 1];
        falls[i] = s[lo + i] < s[lo + i - 1];
    }
    uint64_t const rise = text_gather_bits(rises), fall = text_gather_bits(falls);
    uint64_t const change = rise | fall;
    /* A carry runs from each fall to the next change. */
    uint64_t hits = ((fall << 1 | p->falling) + ~change) & rise;
    for (; hits != 0; hits &= hits - 1) {
        uint64_t const before = fall & (hits ^ (hits - 1));
        p->out[p->found++] =
            (INDEX)(before != 0 ? lo + 63 - (size_t)__builtin_clzll(before) : p->plateau);
    }
    if (change != 0) {
        size_t const last = 63 - (size_t)__builtin_clzll(change);
        p->plateau = lo + last;
        p->falling = (fall >> last & 1) != 0;
    }
}
#endif

static void FN(find_range)(FN(pass) * p, const SYMBOL *s, size_t lo, size_t hi)
{
#if BYTES
    for (; lo + 64 <= hi; lo += 64)
        FN(find_word)(p, s, lo);
#endif
    FN(find_each)(p, s, lo, hi);
}

/* Lists the LMS positions of a circle of n symbols, of which not all are equal; s[n] is s[0]. There
 * are at most n / 2, but one more is written. Position n stands for 0, so every symbol is compared
 * with the one before it. The plateau that reaches or crosses the end is found first and belongs to
 * the end. Returns their number. */
static inline size_t FN(find_circle)(const SYMBOL *s, size_t n, INDEX *begins)
{
    size_t last = n;
    while (s[last] == s[last - 1])
        last--;
    FN(pass) p = {begins, 0, last, s[last] < s[last - 1]};
    FN(find_range)(&p, s, 1, n + 1);
    if (begins[0] == n) {
        begins[0] = 0;
    } else if (begins[0] == last) {
        memmove(begins, begins + 1, (p.found - 1) * sizeof *begins);
        begins[p.found - 1] = (INDEX)last;
    }
    return p.found;
}
