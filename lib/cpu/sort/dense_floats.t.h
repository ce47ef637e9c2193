/* dense_floats.t.h - the values of floats in a narrow range of multiples (dense_values.c), for one
 * type: REAL is the float, RECORD the integer of its size, and MAGIC + x rounds x to an integer in
 * the low bits of the sum. Plain C that compilers turn into vectors. */

/* The number of the multiple of 1 / scale that is nearest to x, if that number is small. */
static inline int32_t FN(dense_multiple)(REAL x, REAL scale)
{
    REAL const magic = MAGIC, sum = x * scale + magic;
    RECORD     bits, zero;
    memcpy(&bits, &sum, sizeof bits);
    memcpy(&zero, &magic, sizeof zero);
    return (int32_t)(uint32_t)(bits - zero);
}

/* Whether x is the float nearest to multiple / scale, bit by bit: -0.0 and NaNs are not. */
static inline bool FN(dense_equals)(REAL x, int32_t multiple, REAL scale)
{
    REAL const back = (REAL)multiple / scale;
    RECORD     a, b;
    memcpy(&a, &x, sizeof a);
    memcpy(&b, &back, sizeof b);
    return a == b;
}

/* Sets indices[i] to the value of keys[i], or to the range if the key is not a value. Returns false
 * if a key that is not a value lies between two values, because such a key cannot be written before
 * or after the range. */
static bool FN(dense_indices)(const dense_table *table, const void *array, size_t count,
                              uint32_t *indices)
{
    const REAL *const keys = array;
    REAL const        scale = (REAL)table->scale;
    uint32_t const    low = (uint32_t)table->low, range = (uint32_t)table->range;
    REAL const        least = (REAL)(int32_t)low / scale;
    REAL const        most = (REAL)(int32_t)(low + range - 1) / scale;
    uint32_t          between = 0;
    for (size_t i = 0; i < count; i++) {
        REAL const     x = keys[i];
        int32_t const  multiple = FN(dense_multiple)(x, scale);
        uint32_t const distance = (uint32_t)multiple - low;
        bool const     equal = FN(dense_equals)(x, multiple, scale);
        between |= (uint32_t)!equal & (uint32_t)(x >= least) & (uint32_t)(x <= most);
        indices[i] = equal && distance < range ? distance : range;
    }
    return between == 0;
}
