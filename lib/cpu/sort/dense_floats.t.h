/* dense_floats.t.h - the values of keys of W bits (RECORD) in a table of a narrow range: integers,
 * or multiples of a step among the floats of that size. MAGIC + x rounds x to an integer in the low
 * bits of the sum. */
#if W == 32
#define REAL float
#define MAGIC 0x1.8p23f
#else
#define REAL double
#define MAGIC 0x1.8p52
#endif

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

/* The key of a value, as in memory. */
static inline RECORD FN(dense_key)(const dense_table *table, size_t value)
{
    RECORD key = (RECORD)((RECORD)table->low + (RECORD)value);
    if (table->scale != 0) {
        REAL const x = (REAL)(int32_t)(uint32_t)key / (REAL)table->scale;
        memcpy(&key, &x, sizeof key);
    }
    return key;
}

#undef REAL
#undef MAGIC
