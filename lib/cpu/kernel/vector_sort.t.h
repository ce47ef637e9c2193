/* vector_sort.t.h - sorts unsigned integers of one width that fit the cache, with vectors of LANES.
 *
 * Quicksort with compressed stores: the lower integers go to the front of the array, the others to
 * the spare array, where they are sorted with the two arrays exchanged. The pivot is where evenly
 * spread integers would make nearly full leaves. Each side keeps at most two thirds of the range,
 * so the depth is at most twice the number of bits; after a lopsided split the range of the larger
 * side is measured, which finds clusters and equal integers. A leaf is 16 vectors: Batcher's
 * odd-even network sorts each lane as a column, bitonic merges join neighbouring columns, and a
 * transposition turns columns into vectors. Small leaves take two to eight vectors, each sorted
 * and then merged. */

/* Compares lane i with lane i ^ x; the higher lane of each pair keeps the larger integer. */
#define STEP(v, x)                                                                                 \
    do {                                                                                           \
        VEC const other_ = SWAP(x, v);                                                             \
        v = BLEND(MIN(v, other_), UPPER(x), MAX(v, other_));                                       \
    } while (0)

#define EXCHANGE(a, b) FN(exchange)(&(a), &(b))

INLINE VEC FN(clean)(VEC v) /* sorts a bitonic vector */
{
#if LANES == 16
    STEP(v, 8);
#endif
    STEP(v, 4);
    STEP(v, 2);
    STEP(v, 1);
    return v;
}

INLINE VEC FN(sort_one)(VEC v)
{
    STEP(v, 1);
    STEP(v, 3);
    STEP(v, 1);
    STEP(v, 7);
    STEP(v, 2);
    STEP(v, 1);
#if LANES == 16
    STEP(v, 15);
    STEP(v, 4);
    STEP(v, 2);
    STEP(v, 1);
#endif
    return v;
}

INLINE VEC FN(reversed)(VEC v) { return SWAP(LANES - 1, v); }

/* Merge two sorted halves: reversing the upper half makes the whole bitonic. */
INLINE void FN(merge_2)(VEC *v)
{
    v[1] = FN(reversed)(v[1]);
    EXCHANGE(v[0], v[1]);
    EACH (i, 2)
        v[i] = FN(clean)(v[i]);
}

INLINE void FN(merge_4)(VEC *v)
{
    VEC const second = FN(reversed)(v[3]);
    v[3] = FN(reversed)(v[2]);
    v[2] = second;
    EACH (i, 2)
        EXCHANGE(v[i], v[i + 2]);
    EACH (i, 2)
        EXCHANGE(v[2 * i], v[2 * i + 1]);
    EACH (i, 4)
        v[i] = FN(clean)(v[i]);
}

INLINE void FN(merge_8)(VEC *v)
{
    EACH (i, 2) {
        VEC const early = FN(reversed)(v[7 - i]);
        v[7 - i] = FN(reversed)(v[4 + i]);
        v[4 + i] = early;
    }
    EACH (i, 4)
        EXCHANGE(v[i], v[i + 4]);
    EACH (i, 2)
        EXCHANGE(v[i], v[i + 2]);
    EACH (i, 2)
        EXCHANGE(v[4 + i], v[6 + i]);
    EACH (i, 4)
        EXCHANGE(v[2 * i], v[2 * i + 1]);
    EACH (i, 8)
        v[i] = FN(clean)(v[i]);
}

/* ---- A block of 16 rows ---- */

/* The round of Batcher's network that merges sorted blocks of `block` rows and compares rows that
 * are `apart` rows away from each other. */
INLINE void FN(column_round)(VEC *v, unsigned block, unsigned apart)
{
    EACH (i, 16)
        if (i + apart < 16 && i >= apart % block && (i - apart % block) / apart % 2 == 0 &&
            i / (2 * block) == (i + apart) / (2 * block))
            EXCHANGE(v[i], v[i + apart]);
}

INLINE void FN(sort_columns)(VEC *v)
{
    FN(column_round)(v, 1, 1);
    FN(column_round)(v, 2, 2);
    FN(column_round)(v, 2, 1);
    FN(column_round)(v, 4, 4);
    FN(column_round)(v, 4, 2);
    FN(column_round)(v, 4, 1);
    FN(column_round)(v, 8, 8);
    FN(column_round)(v, 8, 4);
    FN(column_round)(v, 8, 2);
    FN(column_round)(v, 8, 1);
}

/* Merges sorted blocks of (x + 1) / 2 columns into blocks of x + 1 columns. The first step compares
 * each integer with the one at the mirrored place of the other block. */
INLINE void FN(merge_columns)(VEC *v, unsigned x)
{
    EACH (r, 8) {
        VEC const a = v[r], b = v[15 - r];
        VEC const to_a = SWAP(x, b), to_b = SWAP(x, a);
        v[r] = BLEND(MIN(a, to_a), UPPER(x), MAX(a, to_a));
        v[15 - r] = BLEND(MIN(b, to_b), UPPER(x), MAX(b, to_b));
    }
    if (x >= 15)
        EACH (r, 16)
            STEP(v[r], 4);
    if (x >= 7)
        EACH (r, 16)
            STEP(v[r], 2);
    if (x >= 3)
        EACH (r, 16)
            STEP(v[r], 1);
    EACH (r, 8)
        EXCHANGE(v[r], v[r + 8]);
    EACH (r, 16)
        if (r / 4 % 2 == 0)
            EXCHANGE(v[r], v[r + 4]);
    EACH (r, 16)
        if (r / 2 % 2 == 0)
            EXCHANGE(v[r], v[r + 2]);
    EACH (r, 16)
        if (r % 2 == 0)
            EXCHANGE(v[r], v[r + 1]);
}

INLINE void FN(sort_block)(VEC *v)
{
    FN(sort_columns)(v);
    FN(merge_columns)(v, 1);
    FN(merge_columns)(v, 3);
    FN(merge_columns)(v, 7);
#if LANES == 16
    FN(merge_columns)(v, 15);
#endif
    FN(transpose)(v);
}

/* ---- Leaves ---- */

INLINE MASK FN(first_lanes)(size_t n)
{
    return (MASK)_bzhi_u32(UINT32_MAX, n < LANES ? (unsigned)n : LANES);
}

/* Vector i of n integers; missing integers are the largest one. */
INLINE VEC FN(load_part)(const WORD *a, size_t n, unsigned i)
{
    size_t const at = (size_t)i * LANES;
    return LOAD_SOME(ALL_ONES, FN(first_lanes)(n > at ? n - at : 0), a + at);
}

INLINE void FN(store_part)(WORD *a, size_t n, unsigned i, VEC v, const cpu_words_map *map)
{
    size_t const at = (size_t)i * LANES;
    STORE_SOME(a + at, FN(first_lanes)(n > at ? n - at : 0), MAPPED(v, map));
}

/* Sorts n integers, at most 8 vectors. */
static void FN(sort_few)(const WORD *a, size_t n, WORD *to, const cpu_words_map *map)
{
    VEC v[8];
    if (n <= 2 * LANES) {
        EACH (i, 2)
            v[i] = FN(sort_one)(FN(load_part)(a, n, i));
        FN(merge_2)(v);
        EACH (i, 2)
            FN(store_part)(to, n, i, v[i], map);
    } else if (n <= 4 * LANES) {
        EACH (i, 4)
            v[i] = FN(sort_one)(FN(load_part)(a, n, i));
        EACH (i, 2)
            FN(merge_2)(v + 2 * i);
        FN(merge_4)(v);
        EACH (i, 4)
            FN(store_part)(to, n, i, v[i], map);
    } else {
        EACH (i, 8)
            v[i] = FN(sort_one)(FN(load_part)(a, n, i));
        EACH (i, 4)
            FN(merge_2)(v + 2 * i);
        EACH (i, 2)
            FN(merge_4)(v + 4 * i);
        FN(merge_8)(v);
        EACH (i, 8)
            FN(store_part)(to, n, i, v[i], map);
    }
}

/* Sorts n integers, more than 8 vectors and at most 16. */
static void FN(sort_more)(const WORD *a, size_t n, WORD *to, const cpu_words_map *map)
{
    VEC v[16];
    EACH (i, 8)
        v[i] = LOAD(a + i * LANES);
    EACH (i, 8)
        v[8 + i] = FN(load_part)(a, n, 8 + i);
    FN(sort_block)(v);
    EACH (i, 8)
        STORE(to + i * LANES, MAPPED(v[i], map));
    EACH (i, 8)
        FN(store_part)(to, n, 8 + i, v[8 + i], map);
}

/* Writes n equal integers. */
static void FN(store_equal)(const WORD *a, size_t n, WORD *to, const cpu_words_map *map)
{
    VEC const v = MAPPED(FILL(a[0]), map);
    for (size_t i = 0; i < n; i += LANES)
        STORE_SOME(to + i, FN(first_lanes)(n - i), v);
}

/* ---- Splits ---- */

typedef struct FN(range) {
    WORD low, high; /* both inside */
} FN(range);

/* The range of n integers, at least one vector. */
static FN(range) FN(range_of)(const WORD *a, size_t n)
{
    VEC const last = LOAD(a + n - LANES);
    VEC       low = last, high = last;
    for (size_t i = 0; i + LANES <= n; i += LANES) {
        VEC const v = LOAD(a + i);
        low = MIN(low, v);
        high = MAX(high, v);
    }
    return (FN(range)){REDUCE_MIN(low), REDUCE_MAX(high)};
}

/* Splits a[0..n) by the pivot. One side is compressed to the front of a, the other to spare:
 * keep_low says whether the lower side stays in a. Returns the number of integers below the
 * pivot. */
INLINE size_t FN(split)(WORD *a, WORD *spare, size_t n, WORD pivot, bool keep_low)
{
    VEC const middle = FILL(pivot);
    size_t    kept = 0, i = 0;
    /* Stores of whole vectors: in a they end within the part that has been read; in spare the last
     * ones could pass the end, so the masked loop below does them. */
    for (; i + LANES <= n && i - kept + LANES <= n; i += LANES) {
        VEC const  v = LOAD(a + i);
        MASK const left = LESS_MASK(v, middle), right = (MASK)~left;
        STORE(a + kept, COMPRESS(keep_low ? left : right, v));
        STORE(spare + (i - kept), COMPRESS(keep_low ? right : left, v));
        kept += (size_t)__builtin_popcount(keep_low ? left : right);
    }
    for (; i < n; i += LANES) {
        MASK const lanes = FN(first_lanes)(n - i);
        VEC const  v = LOAD_SOME(ALL_ONES, lanes, a + i);
        MASK const left = (MASK)(LESS_MASK(v, middle) & lanes), right = (MASK)(~left & lanes);
        MASK const stays = keep_low ? left : right, goes = keep_low ? right : left;
        STORE_SOME(a + kept, FN(first_lanes)((size_t)__builtin_popcount(stays)),
                                COMPRESS(stays, v));
        STORE_SOME(spare + (i - kept), FN(first_lanes)((size_t)__builtin_popcount(goes)),
                                          COMPRESS(goes, v));
        kept += (size_t)__builtin_popcount(stays);
    }
    return keep_low ? kept : n - kept;
}

/* A pivot above range.low and not above range.high that splits n evenly spread integers into whole
 * leaves. */
static WORD FN(pivot_of)(FN(range) range, size_t n)
{
    WORD const span = range.high - range.low, leaves = (WORD)(n / LEAF + 1);
    return range.low + 1 + (span / 2 < leaves ? span / 2 : span / leaves * (leaves / 2));
}

/* Sorts a[0..n) into to, which is a, spare or neither. The sorted lower side must not overwrite the
 * waiting upper side: if the result goes to spare, the upper side stays in a. */
static void FN(sort_range)(WORD *a, WORD *spare, size_t n, WORD *to,
                           FN(range) range, const cpu_words_map *map)
{
    while (n > 16 * LANES && range.low != range.high) {
        WORD const   pivot = FN(pivot_of)(range, n);
        bool const   keep_low = to != spare;
        size_t const below =
            keep_low ? FN(split)(a, spare, n, pivot, true) : FN(split)(a, spare, n, pivot, false);
        size_t const above = n - below;
        WORD *const lower = keep_low ? a : spare, *const upper = keep_low ? spare : a;
        FN(range) left = {range.low, (WORD)(pivot - 1)};
        if (below > n - n / 8)
            left = FN(range_of)(lower, below);
        if (below > 0)
            FN(sort_range)(lower, upper + above, below, to, left, map);
        a = upper;
        spare = lower + below;
        to += below;
        range.low = pivot;
        if (above > n - n / 8)
            range = FN(range_of)(upper, above);
        n = above;
    }
    if (range.low == range.high && n > 0)
        FN(store_equal)(a, n, to, map);
    else if (n > 8 * LANES)
        FN(sort_more)(a, n, to, map);
    else if (n > 0)
        FN(sort_few)(a, n, to, map);
}

void PASTE(FN(cpu_sort_words), _avx512)(void *words, void *spare, size_t n, void *to,
                                        const cpu_words_map *map)
{
    if (n <= 8 * LANES)
        FN(sort_few)(words, n, to, map);
    else if (n <= 16 * LANES)
        FN(sort_more)(words, n, to, map);
    else
        FN(sort_range)(words, spare, n, to, FN(range_of)(words, n), map);
}
#undef EXCHANGE
#undef STEP
