/* vector_sort.t.h - sorts unsigned integers of one width in vectors of LANES integers.
 *
 * Quicksort between two arrays: integers below the pivot go to the front of the array. The others
 * go to the end of the spare array if the result is one of the two arrays, otherwise to its front.
 * Parts beyond the cache are split in place. For evenly spread integers the range gives the pivot,
 * for others a sorted sample does. After a bad sample the range is measured and halved, so the
 * depth is bounded. Small parts of 64-bit integers are sorted as 32-bit ones (vector_packed.t.h).
 * A large leaf is 16 vectors: Batcher's odd-even network sorts each lane as a column, bitonic
 * merges join neighbouring columns, and a transposition turns columns into vectors. A small leaf is
 * two to eight vectors, which are sorted and then merged. */

#include "cpu/vector/vector_network.t.h"

/* ---- Leaves ---- */

INLINE VEC FN(mapped)(VEC v, const cpu_words_map *map)
{
    if (map == NULL)
        return v;
    VEC const sum = ADD(v, FILL(map->add));
    return sum ^ (~SIGNS(sum) & FILL(map->flip_low)) ^ FILL(map->flip);
}

/* The inverse of mapped: turns keys into integers. If flip_low is not 0, it lacks the top bit and
 * flip has it, so the top bit of the key tells the top bit of the sum. */
INLINE VEC FN(unmapped)(VEC v, const cpu_words_map *map)
{
    VEC const sum = v ^ (SIGNS(v) & FILL(map->flip_low)) ^ FILL(map->flip);
    return ADD(sum, FILL(0 - map->add));
}

/* Loads vector i of n integers; missing lanes get the largest integer. */
INLINE VEC FN(load_part)(const WORD *a, size_t n, unsigned i)
{
    size_t const at = (size_t)i * LANES;
    return ENTER(LOAD_FIRST(a + at, n > at ? n - at : 0));
}

INLINE void FN(store_part)(WORD *a, size_t n, unsigned i, VEC v, const cpu_words_map *map)
{
    size_t const at = (size_t)i * LANES;
    STORE_FIRST(a + at, n > at ? n - at : 0, FN(mapped)(LEAVE(v), map));
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
        v[i] = ENTER(LOAD(a + i * LANES));
    EACH (i, 8)
        v[8 + i] = FN(load_part)(a, n, 8 + i);
    FN(sort_block)(v);
    EACH (i, 8)
        STORE(to + i * LANES, FN(mapped)(LEAVE(v[i]), map));
    EACH (i, 8)
        FN(store_part)(to, n, 8 + i, v[8 + i], map);
}

/* Writes n equal integers. */
static void FN(store_equal)(const WORD *a, size_t n, WORD *to, const cpu_words_map *map)
{
    VEC const v = FN(mapped)(FILL(a[0]), map);
    for (size_t i = 0; i < n; i += LANES)
        STORE_FIRST(to + i, n - i, v);
}

/* ---- Pivots ---- */

enum {
    FN(BLOCK_WORDS) = 16 * LANES, /* the largest leaf */
    FN(GROUP) = 4 * LANES,        /* read at once by a split in place */
    FN(AHEAD) = 8 * FN(GROUP),    /* between a group and the one that is prefetched */
    FN(IN_CACHE) = ORDO_TUNE_WORDS_CACHE / sizeof(WORD),
    FN(SAMPLE) = 8 * LANES,           /* the largest sample; for MANY integers or more */
    FN(MANY) = 8192,                  /* fewer integers get a small sample */
    FN(UNSEEN) = 8 * FN(BLOCK_WORDS), /* fewer integers are treated as even until a split is bad */
    FN(SEEN) = W == 32 ? 6 * FN(BLOCK_WORDS) : FN(UNSEEN), /* the same for all bits of keys */
    FN(SEEN_FLOATS) = W == 32 ? 3 * FN(BLOCK_WORDS) : FN(UNSEEN)
};

typedef struct FN(range) {
    WORD low, high; /* both included */
} FN(range);

INLINE void FN(widen)(VEC v, VEC *low, VEC *high)
{
    *low = MIN(*low, v);
    *high = THE_OTHER(*high, v, MIN(*high, v));
}

/* The range of n integers; n >= LANES. */
static FN(range) FN(range_of)(const WORD *a, size_t n)
{
    VEC    low[4], high[4]; /* four of each, because the next minimum waits for the last one */
    size_t i = 0;
    EACH (k, 4)
        low[k] = high[k] = ENTER(LOAD(a + n - LANES));
    for (; i + 4 * LANES <= n; i += 4 * LANES)
        EACH (k, 4)
            FN(widen)(ENTER(LOAD(a + i + k * LANES)), &low[k], &high[k]);
    for (; i + LANES <= n; i += LANES)
        FN(widen)(ENTER(LOAD(a + i)), &low[0], &high[0]);
    EACH (k, 4) {
        FN(widen)(low[k], &low[0], &high[0]);
        FN(widen)(high[k], &low[0], &high[0]);
    }
    WORD lows[LANES], highs[LANES];
    STORE(lows, LEAVE(low[0]));
    STORE(highs, LEAVE(high[0]));
    FN(range) range = {lows[0], highs[0]};
    for (unsigned k = 1; k < LANES; k++) {
        range.low = lows[k] < range.low ? lows[k] : range.low;
        range.high = highs[k] > range.high ? highs[k] : range.high;
    }
    return range;
}

/* Takes one integer of each stride, at places without a period: keys with a period would otherwise
 * give a sample of a few of them. */
static void FN(draw)(const WORD *a, size_t n, WORD *sample, size_t count)
{
    size_t const stride = n / count;
    for (size_t i = 0; i < count; i++)
        sample[i] = a[i * stride + ((uint32_t)i * UINT32_C(0x9e3779b1) >> 16) * stride / 65536];
}

/* Draws a sorted sample of n integers. */
static __attribute__((noinline)) void FN(sample_of)(const WORD *a, size_t n, WORD *sample,
                                                    size_t count)
{
    FN(draw)(a, n, sample, count);
    FN(sort_few)(sample, count, sample, NULL);
}

static size_t FN(sample_size)(size_t n) { return n < FN(MANY) ? 32 : FN(SAMPLE); }

/* Whether the quarters of the range hold about a quarter of a sorted sample each. */
static bool FN(is_even)(const WORD *sample, size_t count, FN(range) range)
{
    size_t const slack = count * 15 / 64; /* normal distributions pass, floats of both signs do
                                           * not */
    WORD const   quarter = (WORD)((range.high - range.low) / 4);
    for (unsigned q = 1; q < 4; q++) {
        WORD const border = (WORD)(range.low + q * quarter);
        if (sample[q * count / 4 - slack] > border || sample[q * count / 4 + slack] < border)
            return false;
    }
    return true;
}

/* A pivot greater than range.low and not greater than range.high that splits n integers into whole
 * leaves. *even becomes true if a sample shows that the integers are evenly spread: the parts of
 * uneven integers often are, such as the floats between two powers of two. */
INLINE WORD FN(pivot_of)(const WORD *a, size_t n, FN(range) range, bool *even)
{
    WORD         sample[FN(SAMPLE)];
    size_t const count = FN(sample_size)(n);
    if (!*even) {
        FN(sample_of)(a, n, sample, count);
        *even = FN(is_even)(sample, count, range);
    }
    size_t const leaves = n / (*even ? LEAF : LEAF * 5 / 8) + 1;
    if (*even) {
        WORD const span = range.high - range.low;
        return range.low + 1 +
               (span / 2 < leaves ? span / 2 : (WORD)(span / leaves * (leaves / 2)));
    }
    WORD const pivot = sample[count * (leaves / 2) / leaves];
    return pivot <= range.low ? range.low + 1 : pivot > range.high ? range.high : pivot;
}

/* ---- Splits ---- */

/* Splits the whole vectors of a[0..n) as split does. The stores are of whole vectors: in a they end
 * within the part that has been read, and in spare they begin at or after its front. */
static size_t FN(split_vectors)(WORD *a, WORD *spare, size_t n, VEC middle)
{
    size_t below = 0, i = 0;
    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        VEC const v[2] = {LOAD(a + i), LOAD(a + i + LANES)};
        EACH (k, 2) {
            unsigned const low = BITS_BELOW(v[k], middle);
            STORE(a + below, LOW_SIDE(v[k], low));
            STORE(spare + (n - i - (k + 1) * LANES + below), HIGH_SIDE(v[k], low));
            below += COUNT(low);
        }
    }
    if (i + LANES <= n) {
        VEC const      v = LOAD(a + i);
        unsigned const low = BITS_BELOW(v, middle);
        STORE(a + below, LOW_SIDE(v, low));
        STORE(spare + (n - i - LANES + below), HIGH_SIDE(v, low));
        below += COUNT(low);
    }
    return below;
}

/* Copies the integers of a[0..n) below the pivot to the front of a and the others to the end of
 * spare[0..n). Returns the number of integers below the pivot. */
static size_t FN(split)(WORD *a, WORD *spare, size_t n, WORD pivot)
{
    VEC const    middle = FILL(pivot);
    size_t const below = FN(split_vectors)(a, spare, n, middle), rest = n % LANES;
    if (rest == 0)
        return below;
    unsigned const present = FIRST_BITS(rest);
    VEC const      v = LOAD_FIRST(a + n - rest, rest);
    unsigned const low = BITS_BELOW(v, middle) & present;
    size_t const   count = COUNT(low);
    STORE_FIRST(a + below, count, LOW_SIDE(v, low));
    STORE_LAST(spare + (below + rest) - LANES, rest - count,
               HIGH_SIDE(v, low | (ALL_BITS & ~present)));
    return below + count;
}

#ifdef HIGH_FIRST
/* As split, but the others go to the front of spare: one instruction less per vector. */
static size_t FN(split_to_fronts)(WORD *a, WORD *spare, size_t n, WORD pivot)
{
    VEC const middle = FILL(pivot);
    size_t    below = 0, i = 0;
    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        VEC const v[2] = {LOAD(a + i), LOAD(a + i + LANES)};
        EACH (k, 2) {
            unsigned const low = BITS_BELOW(v[k], middle);
            STORE(a + below, LOW_SIDE(v[k], low));
            STORE(spare + (i + k * LANES - below), HIGH_FIRST(v[k], low));
            below += COUNT(low);
        }
    }
    for (; i < n; i += LANES) {
        size_t const   count = n - i < LANES ? n - i : LANES;
        unsigned const present = FIRST_BITS(count);
        VEC const      v = LOAD_FIRST(a + i, count);
        unsigned const low = BITS_BELOW(v, middle) & present;
        size_t const   lows = COUNT(low);
        STORE_FIRST(a + below, lows, LOW_SIDE(v, low));
        STORE_FIRST(spare + (i - below), count - lows, HIGH_FIRST(v, low | (ALL_BITS & ~present)));
        below += lows;
    }
    return below;
}
#endif

/* Writes the integers of v below the pivot from *left on and the others before *right. Returns the
 * number below the pivot. */
INLINE size_t FN(part_to_ends)(VEC v, VEC middle, WORD **left, WORD **right)
{
    unsigned const low = BITS_BELOW(v, middle);
    size_t const   count = COUNT(low);
    *right -= LANES;
    STORE(*right, HIGH_SIDE(v, low));
    STORE(*left, LOW_SIDE(v, low));
    *left += count;
    *right += count;
    return count;
}

INLINE VEC FN(load_raw)(const WORD *a, const cpu_words_map *raw)
{
    return raw != NULL ? FN(unmapped)(LOAD(a), raw) : LOAD(a);
}

/* Turns keys into integers; to may be keys. */
static void FN(enter_keys)(const WORD *keys, size_t n, const cpu_words_map *map, WORD *to)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        STORE(to + i, FN(unmapped)(LOAD(keys + i), map));
    STORE_FIRST(to + i, n - i, FN(unmapped)(LOAD_FIRST(keys + i, n - i), map));
}

INLINE void FN(prefetch_group)(const WORD *group)
{
    EACH (k, 4)
        __builtin_prefetch(group + k * LANES, 1);
}

/* Moves the integers of a[0..n) below the pivot to the front of a and the others to its end.
 * Returns the number of integers below the pivot. Vectors are read in groups from the end that has
 * less free space, so that each end has room for a group; the first and the last group wait in
 * registers. n is at least two groups. raw not NULL: a holds keys, which become integers. */
INLINE size_t FN(split_in_place)(WORD *a, size_t n, WORD pivot, const cpu_words_map *raw)
{
    VEC const    middle = FILL(pivot);
    size_t const whole = n - n % FN(GROUP);
    WORD        *left = a, *right = a + whole;
    WORD        *from = a + FN(GROUP), *till = right - FN(GROUP); /* not read yet */
    VEC          waiting[8];
    EACH (k, 4) {
        waiting[k] = FN(load_raw)(a + k * LANES, raw);
        waiting[4 + k] = FN(load_raw)(till + k * LANES, raw);
    }
    while (from < till) {
        size_t const      forward = from - left <= FN(GROUP) ? FN(GROUP) : 0;
        const WORD *const group = forward != 0 ? from : till - FN(GROUP);
        VEC v[4];
        from += forward;
        till -= FN(GROUP) - forward;
        size_t const ahead = ordo_min(FN(AHEAD), (size_t)(till - from)); /* inside the array */
        FN(prefetch_group)(forward != 0 ? from + ahead : till - FN(GROUP) - ahead);
        EACH (k, 4)
            v[k] = FN(load_raw)(group + k * LANES, raw);
        EACH (k, 4)
            FN(part_to_ends)(v[k], middle, &left, &right);
    }
    EACH (k, 7)
        FN(part_to_ends)(waiting[k], middle, &left, &right);
    /* One vector of space is left: its upper part must not overwrite the lower part. */
    unsigned const low = BITS_BELOW(waiting[7], middle);
    STORE(left, HIGH_SIDE(waiting[7], low));
    STORE_FIRST(left, COUNT(low), LOW_SIDE(waiting[7], low));
    size_t below = (size_t)(left - a) + COUNT(low);
    if (raw != NULL)
        FN(enter_keys)(a + whole, n - whole, raw, a + whole);
    for (size_t i = whole; i < n; i++) {
        WORD const word = a[i];
        if (word < pivot) {
            a[i] = a[below];
            a[below++] = word;
        }
    }
    return below;
}

typedef struct FN(part) {
    WORD  *a, *spare, *to; /* to: a, spare or neither */
    size_t n;
    FN(range) range;
    bool even;  /* the integers seem to be evenly spread over the range */
    bool apart; /* `to` is neither a nor spare, so parts need not keep their places */
} FN(part);

/* A part of few integers is treated as even until a split is bad. Its range is measured if no pivot
 * set one of its ends. */
static void FN(assume_even)(FN(part) * part)
{
    if (part->even || part->n >= FN(UNSEEN) || part->n <= FN(BLOCK_WORDS))
        return;
    part->even = true;
    if (part->range.low == 0 || part->range.high == (WORD)-1)
        part->range = FN(range_of)(part->a, part->n);
}

/* Splits a part into two. */
static void FN(split_part)(const FN(part) * part, FN(part) * lower, FN(part) * upper)
{
    size_t const n = part->n;
    bool         even = part->even;
    WORD const   pivot = FN(pivot_of)(part->a, n, part->range, &even);
    bool const   in_place = n > FN(IN_CACHE); /* uses less memory than two arrays */
    bool         to_fronts = false;
    size_t       below;
#ifdef HIGH_FIRST
    to_fronts = part->apart && !in_place;
    if (to_fronts)
        below = FN(split_to_fronts)(part->a, part->spare, n, pivot);
    else
#endif
        below = in_place ? FN(split_in_place)(part->a, n, pivot, NULL)
                         : FN(split)(part->a, part->spare, n, pivot);
    *lower = *part;
    lower->even = even;
    lower->n = below;
    lower->range.high = pivot - 1;
    lower->spare += to_fronts ? n - below : 0;
    *upper = *part;
    upper->even = even;
    upper->a = in_place ? part->a + below : part->spare + (to_fronts ? 0 : below);
    /* If the spare array is not the result, the upper part reuses the one of the lower part. */
    bool const is_target = part->to == part->spare;
    upper->spare = in_place ? part->spare + (is_target ? below : 0) : part->a + below;
    upper->to += below;
    upper->n = n - below;
    upper->range.low = pivot;
    FN(part) *const larger = below > n / 2 ? lower : upper;
    if (larger->n <= n - n / 8) {
        if (n >= FN(UNSEEN)) {
            FN(assume_even)(lower);
            FN(assume_even)(upper);
        }
        return;
    }
    lower->even = upper->even = false;
    if (larger->range.low != larger->range.high) {
        larger->range = FN(range_of)(larger->a, larger->n); /* often of equal integers */
        larger->even = !part->even;
    }
}

#if W == 64
#include "cpu/vector/vector_packed.t.h"
#endif

static void FN(sort_part)(FN(part) part, const cpu_words_map *map)
{
    while (part.n > FN(BLOCK_WORDS) && part.range.low != part.range.high) {
        FN(part) lower, upper;
#if W == 64
        if (part.n >= PACKED_LEAST && part.n <= PACKED_MOST && sort_packed(&part, map))
            return;
#endif
        FN(split_part)(&part, &lower, &upper);
        bool const is_lower = lower.n < upper.n;
        FN(sort_part)(is_lower ? lower : upper, map); /* the smaller part, so at most lg n calls
                                                       * deep */
        part = is_lower ? upper : lower;
    }
    if (part.n == 0)
        return;
    if (part.range.low == part.range.high)
        FN(store_equal)(part.a, part.n, part.to, map);
    else if (part.n > 8 * LANES)
        FN(sort_more)(part.a, part.n, part.to, map);
    else
        FN(sort_few)(part.a, part.n, part.to, map);
}

/* Whether the integers seem to be evenly spread over their range, which is measured if it seems to
 * be narrower than *range. It is not measured beyond the cache, where the pivots of a few splits
 * give the ranges of nearly all parts and no more memory is read. */
static bool FN(look_even)(const WORD *a, size_t n, FN(range) * range, bool measured)
{
    WORD         sample[FN(SAMPLE)];
    size_t const count = FN(sample_size)(n);
    FN(sample_of)(a, n, sample, count);
    if (FN(is_even)(sample, count, *range))
        return true;
    if (measured || n > FN(IN_CACHE) ||
                           !FN(is_even)(sample, count, (FN(range)){sample[0], sample[count - 1]}))
        return false;
    *range = FN(range_of)(a, n);
    return FN(is_even)(sample, count, *range);
}

void SORT_WORDS(void *words, void *spare, size_t n, void *to, unsigned bits,
                const cpu_words_map *map)
{
    const WORD *const first = words;
    if (n <= 8 * LANES) {
        FN(sort_few)(words, n, to, map);
        return;
    }
    if (n <= FN(BLOCK_WORDS)) {
        FN(sort_more)(words, n, to, map);
        return;
    }
    WORD const differ = bits < W ? (WORD)(((WORD)1 << bits) - 1) : (WORD)-1;
    FN(part)
    part = {.a = words, .spare = spare, .to = to, .n = n, .even = true};
    part.range = (FN(range)){first[0] & (WORD)~differ, first[0] | differ};
    part.apart = to != words && to != spare;
    bool const measured = bits > W && n <= FN(IN_CACHE);
    if (measured)
        part.range = FN(range_of)(words, n);
    bool const is_float = map != NULL && map->flip_low != 0;
    if (n >= (bits != W ? FN(UNSEEN) : is_float ? FN(SEEN_FLOATS) : FN(SEEN)))
        part.even = FN(look_even)(words, n, &part.range, measured);
    FN(sort_part)(part, map);
}

/* The first split of many keys turns them into integers, so that memory is read once less. */
void SORT_KEYS(void *keys, void *spare, size_t n, const cpu_words_map *map)
{
    if (map == NULL) {
        SORT_WORDS(keys, spare, n, keys, W, NULL);
        return;
    }
    if (n <= FN(IN_CACHE)) {
        FN(enter_keys)(keys, n, map, spare);
        SORT_WORDS(spare, keys, n, keys, W, map);
        return;
    }
    WORD *const words = keys;
    WORD        sample[FN(SAMPLE)];
    FN(draw)(words, n, sample, FN(SAMPLE));
    FN(enter_keys)(sample, FN(SAMPLE), map, sample);
    FN(sort_few)(sample, FN(SAMPLE), sample, NULL);
    size_t const below = FN(split_in_place)(words, n, sample[FN(SAMPLE) / 2], map);
    SORT_WORDS(words, spare, below, words, W, map);
    SORT_WORDS(words + below, spare, n - below, words + below, W, map);
}

#include "cpu/vector/vector_nth.t.h"
#undef EXCHANGE
#undef STEP
