/* vector_sort.t.h - sort of unsigned numbers of one width within the cache, by vectors of LANES.
 *
 * Numbers are split about the middle of the range they span, the lower ones compressed to the
 * front and the others into spare, until a part fits eight vectors; those are sorted by a bitonic
 * network. Both halves of a split are never empty and their exact ranges are known, so the depth
 * is at most the number of bits, whatever the numbers; equal ones end a part at once. */

/* Lane i meets lane i ^ x; the higher lane of each two keeps the larger number. */
#define STEP(v, x)                                                                                 \
    do {                                                                                           \
        VEC const other_ = PERMUTE(SWAP_ROW(x), v);                                                \
        v = BLEND(MIN(v, other_), UPPER(x), MAX(v, other_));                                       \
    } while (0)

#define EXCHANGE(a, b)                                                                             \
    do {                                                                                           \
        VEC const low_ = MIN(a, b);                                                                \
        b = MAX(a, b);                                                                             \
        a = low_;                                                                                  \
    } while (0)

INLINE VEC FN(clean)(VEC v) /* sorts a vector that is bitonic */
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

INLINE VEC FN(turn)(VEC v) { return PERMUTE(SWAP_ROW(LANES - 1), v); }

/* Merge two sorted halves: the upper one is turned around, which makes the whole bitonic. */
INLINE void FN(merge_2)(VEC *v)
{
    v[1] = FN(turn)(v[1]);
    EXCHANGE(v[0], v[1]);
    EACH (i, 2)
        v[i] = FN(clean)(v[i]);
}

INLINE void FN(merge_4)(VEC *v)
{
    VEC const second = FN(turn)(v[3]);
    v[3] = FN(turn)(v[2]);
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
        VEC const early = FN(turn)(v[7 - i]);
        v[7 - i] = FN(turn)(v[4 + i]);
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

INLINE MASK FN(first_lanes)(size_t n)
{
    return (MASK)_bzhi_u32(UINT32_MAX, n < LANES ? (unsigned)n : LANES);
}

/* Vector i of n numbers, the largest number standing for those that are not there. */
INLINE VEC FN(load_part)(const WORD *a, size_t n, unsigned i)
{
    size_t const at = (size_t)i * LANES;
    return LOAD_SOME(ALL_ONES, FN(first_lanes)(n > at ? n - at : 0), a + at);
}

INLINE void FN(store_part)(WORD *a, size_t n, unsigned i, VEC v)
{
    size_t const at = (size_t)i * LANES;
    STORE_SOME(a + at, FN(first_lanes)(n > at ? n - at : 0), v);
}

/* Sorts n numbers, at most those of 8 vectors. */
static void FN(sort_few)(WORD *a, size_t n)
{
    VEC v[8];
    if (n <= 2 * LANES) {
        EACH (i, 2)
            v[i] = FN(sort_one)(FN(load_part)(a, n, i));
        FN(merge_2)(v);
        EACH (i, 2)
            FN(store_part)(a, n, i, v[i]);
    } else if (n <= 4 * LANES) {
        EACH (i, 4)
            v[i] = FN(sort_one)(FN(load_part)(a, n, i));
        EACH (i, 2)
            FN(merge_2)(v + 2 * i);
        FN(merge_4)(v);
        EACH (i, 4)
            FN(store_part)(a, n, i, v[i]);
    } else {
        EACH (i, 8)
            v[i] = FN(sort_one)(FN(load_part)(a, n, i));
        EACH (i, 4)
            FN(merge_2)(v + 2 * i);
        EACH (i, 2)
            FN(merge_4)(v + 4 * i);
        FN(merge_8)(v);
        EACH (i, 8)
            FN(store_part)(a, n, i, v[i]);
    }
}

typedef struct FN(range) {
    WORD low, high; /* both occur */
} FN(range);

/* Splits a[0..n) into those below pivot, in place, and the others, in spare and then behind them;
 * returns how many are below. */
static size_t FN(split)(WORD *a, WORD *spare, size_t n, WORD pivot, WORD *below_high,
                        WORD *above_low)
{
    VEC const middle = FILL(pivot);
    VEC       high = FILL(0), low = ALL_ONES;
    size_t    below = 0, i = 0;
    for (; i + LANES <= n; i += LANES) {
        VEC const  v = LOAD(a + i);
        MASK const left = LESS_MASK(v, middle), right = (MASK)~left;
        high = MAX_SOME(high, left, v);
        low = MIN_SOME(low, right, v);
        /* Whole vectors: at a they end within what has been read; in spare the last ones might
         * pass its end, and wait for the masks below. */
        if (ORDO_UNLIKELY(i - below + LANES > n))
            break;
        STORE(a + below, COMPRESS(left, v));
        STORE(spare + (i - below), COMPRESS(right, v));
        below += (size_t)__builtin_popcount(left);
    }
    for (; i < n; i += LANES) {
        MASK const lanes = FN(first_lanes)(n - i);
        VEC const  v = LOAD_SOME(ALL_ONES, lanes, a + i);
        MASK const left = (MASK)(LESS_MASK(v, middle) & lanes), right = (MASK)(~left & lanes);
        high = MAX_SOME(high, left, v);
        low = MIN_SOME(low, right, v);
        size_t const n_left = (size_t)__builtin_popcount(left);
        STORE_SOME(a + below, FN(first_lanes)(n_left), COMPRESS(left, v));
        STORE_SOME(spare + (i - below), FN(first_lanes)((size_t)__builtin_popcount(right)),
                                           COMPRESS(right, v));
        below += n_left;
    }
    memcpy(a + below, spare, (n - below) * sizeof *a);
    *below_high = REDUCE_MAX(high);
    *above_low = REDUCE_MIN(low);
    return below;
}

static void FN(sort_range)(WORD *a, WORD *spare, size_t n, FN(range) range)
{
    while (n > 8 * LANES && range.low != range.high) {
        WORD const pivot = range.low + (range.high - range.low) / 2 + 1;
        FN(range) left = range, right = range;
        size_t const below = FN(split)(a, spare, n, pivot, &left.high, &right.low);
        if (below <= n - below) { /* recur into the smaller part */
            FN(sort_range)(a, spare, below, left);
            a += below;
            n -= below;
            range = right;
        } else {
            FN(sort_range)(a + below, spare, n - below, right);
            n = below;
            range = left;
        }
    }
    if (n > 1 && range.low != range.high)
        FN(sort_few)(a, n);
}

static void FN(vector_sort)(void *words, void *spare, size_t n)
{
    WORD *const a = words;
    VEC         high = FILL(0), low = ALL_ONES;
    if (n <= 8 * LANES) {
        FN(sort_few)(a, n);
        return;
    }
    for (size_t i = 0; i + LANES <= n; i += LANES) {
        VEC const v = LOAD(a + i);
        high = MAX(high, v);
        low = MIN(low, v);
    }
    VEC const last = LOAD(a + n - LANES);
    high = MAX(high, last);
    low = MIN(low, last);
    FN(sort_range)(a, spare, n, (FN(range)){REDUCE_MIN(low), REDUCE_MAX(high)});
}
#undef EXCHANGE
#undef STEP
