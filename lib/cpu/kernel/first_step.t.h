/* first_step.t.h - finds the first step in an array of one key type (cpu_first_step_fn in
 * kernels.h): the inner loop of ordo_is_sorted, and of the check for sorted and reversed arrays
 * before a sort. */
enum {
    FN(STEP_BLOCK) = 1024 /* keys compared at a time */
};

INLINE BITS FN(step_bits)(KEY x, unsigned kind)
{
    return kind & CPU_STEP_TIES ? FN(key_tie_bits)(x, kind & CPU_STEP_DOWN)
                                : FN(key_sort_bits)(x, kind & CPU_STEP_DOWN);
}

INLINE BITS FN(is_step)(BITS left, BITS here, unsigned kind)
{
    if (!(kind & CPU_STEP_RISE))
        return (BITS)(here < left);
    return kind & CPU_STEP_TIES ? (BITS)(here >= left) : (BITS)(here > left);
}

/* Whether any of a[0 .. count) is a step, without a branch on keys. Each key is compared twice.
 * The key bits of floats are therefore computed once and kept; those of integers cost nearly
 * nothing. */
INLINE bool FN(any_step)(const KEY *a, size_t count, unsigned kind)
{
    bool const is_float = (KEY)0.5 != 0;
    BITS       bits[FN(STEP_BLOCK) + 1], any = 0;
    if (is_float) {
        for (size_t i = 0; i <= count; i++)
            bits[i] = FN(step_bits)(*(a + i - 1), kind);
        for (size_t i = 0; i < count; i++)
            any = (BITS)(any | FN(is_step)(bits[i], bits[i + 1], kind));
    } else {
        for (size_t i = 0; i < count; i++)
            any = (BITS)(any | FN(is_step)(FN(step_bits)(*(a + i - 1), kind),
                                              FN(step_bits)(a[i], kind), kind));
    }
    return any != 0;
}

/* Only a block with a step is searched again. All callers pass a constant kind. */
INLINE size_t FN(find_step)(const KEY *a, size_t lo, size_t hi, unsigned kind)
{
    for (size_t at = lo; at < hi; at += FN(STEP_BLOCK)) {
        size_t const end = hi - at > FN(STEP_BLOCK) ? at + FN(STEP_BLOCK) : hi;
        bool const   any = FN(any_step)(a + at, end - at, kind);
        for (size_t i = at; any && i < end; i++)
            if (FN(is_step)(FN(step_bits)(a[i - 1], kind), FN(step_bits)(a[i], kind), kind))
                return i;
    }
    return hi;
}

static size_t FN(first_step)(const void *keys, size_t lo, size_t hi, unsigned kind)
{
    return kind == 0 ? FN(find_step)(keys, lo, hi, 0)
                     : kind == 1
        ? FN(find_step)(keys, lo, hi, 1)
        : kind == 2
        ? FN(find_step)(keys, lo, hi, 2)
        : kind == 3
        ? FN(find_step)(keys, lo, hi, 3)
        : kind == 4
        ? FN(find_step)(keys, lo, hi, 4)
        : kind == 5
        ? FN(find_step)(keys, lo, hi, 5)
        : kind == 6
        ? FN(find_step)(keys, lo, hi, 6)
        : FN(find_step)(keys, lo, hi, 7);
}
