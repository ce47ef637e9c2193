/* first_step.t.h - finds the first step in an array of one key type (cpu_first_step_fn in
 * kernels.h): the inner loop of ordo_is_sorted, and of the check for sorted and reversed arrays
 * before a sort. */
enum {
    FN(STEP_FEW) = 64,     /* keys compared at first, because many arrays have a step soon */
    FN(STEP_BLOCK) = 1024, /* keys compared at a time */
    FN(STEP_EQUAL) = 16    /* times as many if they seem to be equal */
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

/* The bits of a float compare as the keys do if both are positive or zero, and the other way round
 * if both have the sign bit. */
INLINE BITS FN(plain_bits)(KEY x)
{
    BITS bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Compares integers by value and floats by their bits. */
INLINE BITS FN(is_below)(KEY x, KEY y, bool or_equal)
{
    bool const is_float = (KEY)0.5 != 0;
    if (!is_float)
        return or_equal ? (BITS)(x <= y) : (BITS)(x < y);
    BITS const a = FN(plain_bits)(x), b = FN(plain_bits)(y);
    return or_equal ? (BITS)(a <= b) : (BITS)(a < b);
}

/* Whether x[i] is below y[i] for any i < count. The quarters are independent of each other, so that
 * no vector waits for the one before. */
INLINE BITS FN(any_below)(const KEY *x, const KEY *y, size_t count, bool or_equal)
{
    size_t const quarter = count / 4;
    BITS         any = 0;
    for (size_t i = 0; i < quarter; i++) {
        size_t const j = quarter + i, k = 2 * quarter + i, l = 3 * quarter + i;
        any = (BITS)(any | FN(is_below)(x[i], y[i], or_equal) |
                              FN(is_below)(x[j], y[j], or_equal) |
                                 FN(is_below)(x[k], y[k], or_equal) |
                                    FN(is_below)(x[l], y[l], or_equal));
    }
    for (size_t i = 4 * quarter; i < count; i++)
        any = (BITS)(any | FN(is_below)(x[i], y[i], or_equal));
    return any;
}

/* Whether any of a[0 .. count) is a step, by key bits. */
INLINE bool FN(any_exact_step)(const KEY *a, size_t count, unsigned kind)
{
    BITS bits[FN(STEP_FEW) + 1], any = 0;
    for (size_t i = 0; i <= count; i++)
        bits[i] = FN(step_bits)(*(a + i - 1), kind);
    for (size_t i = 0; i < count; i++)
        any = (BITS)(any | FN(is_step)(bits[i], bits[i + 1], kind));
    return any != 0;
}

/* Whether any of a[0 .. count) is a step, without a branch on keys. If a[-1] and a[count - 1] are
 * floats of one sign and no NaNs, and the bits are in order, so are all keys between them. Other
 * floats, such as zeros of both signs, may be in order nevertheless: few of them are compared by
 * their key bits, and for more the result is true. */
INLINE bool FN(any_step)(const KEY *a, size_t count, unsigned kind)
{
    bool const is_float = (KEY)0.5 != 0, or_equal = kind & CPU_STEP_TIES && kind & CPU_STEP_RISE;
    bool       falls = !(kind & CPU_STEP_DOWN) != !(kind & CPU_STEP_RISE), is_known = true;
    if (is_float) {
        KEY const  first = *(a - 1), last = a[count - 1];
        BITS const sign = (BITS)1 << (8 * sizeof(BITS) - 1);
        BITS const is_negative = FN(plain_bits)(first) & sign;
        is_known = is_negative == (FN(plain_bits)(last) & sign) && !FN(key_is_nan)(first) &&
                                                                       !FN(key_is_nan)(last);
        falls = falls != (is_negative != 0);
    }
    if (is_known && !FN(any_below)(falls ? a - 1 : a, falls ? a : a - 1, count, or_equal))
        return false;
    return !is_float || count > FN(STEP_FEW) || FN(any_exact_step)(a, count, kind);
}

INLINE BITS FN(differ)(KEY x, KEY y)
{
    BITS a, b;
    memcpy(&a, &x, sizeof a);
    memcpy(&b, &y, sizeof b);
    return (BITS)(a ^ b);
}

INLINE BITS FN(any_differs)(const KEY *a, size_t count, KEY first)
{
    BITS any = 0;
    for (size_t i = 0; i < count; i++)
        any = (BITS)(any | FN(differ)(a[i], first));
    return any;
}

/* Whether a[-1 .. count) are the same bytes. If the first and the last key are, a block without a
 * step consists of equal keys, and this loop reads each key once. The quarters start at cache lines
 * and are independent of each other, so that no vector waits for the one before. */
INLINE bool FN(is_constant)(const KEY *a, size_t count)
{
    KEY const first = *(a - 1);
    BITS      any = FN(differ)(a[count - 1], first);
    if (any != 0)
        return false;
    size_t const line = ORDO_CACHE_LINE / sizeof *a;
    size_t const head = ordo_min((0 - (uintptr_t)a / sizeof *a) % line, count);
    size_t const quarter = (count - head) / 4 / line * line;
    const KEY   *from = a + head;
    for (size_t i = 0; i < quarter; i++)
        any = (BITS)(any | FN(differ)(from[i], first) |
                              FN(differ)(from[quarter + i], first) |
                                 FN(differ)(from[2 * quarter + i], first) |
                                    FN(differ)(from[3 * quarter + i], first));
    from += 4 * quarter;
    return (any | FN(any_differs)(a, head, first) |
                     FN(any_differs)(from, count - head - 4 * quarter, first)) == 0;
}

/* Blocks grow while they have no step. A large block that may have one is read again from its first
 * few keys on; few keys are compared one by one. All callers pass a constant kind. */
INLINE size_t FN(find_step)(const KEY *a, size_t lo, size_t hi, unsigned kind)
{
    bool const ties_are_steps = (kind & CPU_STEP_TIES) && (kind & CPU_STEP_RISE);
    size_t     block = FN(STEP_FEW);
    for (size_t at = lo; at < hi;) {
        size_t const count = ordo_min(block, hi - at);
        size_t const equal = ordo_min(FN(STEP_EQUAL) * block, hi - at);
        if (!ties_are_steps && FN(is_constant)(a + at, equal)) {
            at += equal;
            block = ordo_min(2 * block, FN(STEP_BLOCK));
        } else if (!FN(any_step)(a + at, count, kind)) {
            at += count;
            block = ordo_min(2 * block, FN(STEP_BLOCK));
        } else if (count > FN(STEP_FEW)) {
            block = FN(STEP_FEW);
        } else {
            while (!FN(is_step)(FN(step_bits)(a[at - 1], kind), FN(step_bits)(a[at], kind), kind))
                at++;
            return at;
        }
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
