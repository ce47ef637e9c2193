/* vector_network.t.h - sorting networks over vectors of LANES integers, for vector_sort.t.h: vectors
 * that are sorted and merged, and a block of 16 vectors that is sorted by columns. The macros STEP
 * and EXCHANGE stay defined for the rest of the sort. */

/* Compares lane i with lane i ^ x; the higher lane of each pair keeps the larger integer. */
#define STEP(v, x)                                                                                 \
    do {                                                                                           \
        VEC const other_ = SWAP(x, v);                                                             \
        v = KEEP(x, v, other_);                                                                    \
    } while (0)

#define EXCHANGE(a, b) FN(exchange)(&(a), &(b))

INLINE void FN(exchange)(VEC *a, VEC *b)
{
    VEC const low = MIN(*a, *b);
    *b = THE_OTHER(*a, *b, low);
    *a = low;
}

INLINE VEC FN(clean)(VEC v) /* sorts the lanes of a bitonic vector */
{
#if LANES >= 16
    STEP(v, 8);
#endif
#if LANES >= 8
    STEP(v, 4);
#endif
    STEP(v, 2);
    STEP(v, 1);
    return v;
}

INLINE VEC FN(sort_one)(VEC v)
{
    STEP(v, 1);
    STEP(v, 3);
    STEP(v, 1);
#if LANES >= 8
    STEP(v, 7);
    STEP(v, 2);
    STEP(v, 1);
#endif
#if LANES >= 16
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
        v[r] = KEEP(x, a, to_a);
        v[15 - r] = KEEP(x, b, to_b);
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
#if LANES >= 8
    FN(merge_columns)(v, 7);
#endif
#if LANES >= 16
    FN(merge_columns)(v, 15);
#endif
    FN(transpose)(v);
}
