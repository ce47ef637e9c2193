/* network.h - K. E. Batcher's odd-even merge sort as lists of comparisons, for vectors that stay in
 * registers ("Sorting networks and their applications", 1968). A comparison is
 * NETWORK_ORDER(i, j), defined where this is used: put the smaller of x[i] and x[j] at i.
 *
 *   NETWORK_SORT_M(o)    sorts x[o .. o + M)
 *   NETWORK_MERGE_M(o)   merges the sorted x[o .. o + M) and x[o + M .. o + 2M)
 *
 * 19 comparisons sort 8, 63 sort 16, 191 sort 32; 25 merge 8 and 8, 65 merge 16 and 16, 161 merge
 * 32 and 32. */
#ifndef ORDO_CPU_SORT_NETWORK_H
#define ORDO_CPU_SORT_NETWORK_H

/* Rows of comparisons of x[i] with x[i + d]. */
#define NETWORK_1(i, d) NETWORK_ORDER(i, (i) + (d))
#define NETWORK_2(i, d) NETWORK_1(i, d) NETWORK_1((i) + 1, d)
#define NETWORK_4(i, d) NETWORK_2(i, d) NETWORK_2((i) + 2, d)
#define NETWORK_8(i, d) NETWORK_4(i, d) NETWORK_4((i) + 4, d)
#define NETWORK_16(i, d) NETWORK_8(i, d) NETWORK_8((i) + 8, d)
#define NETWORK_32(i, d) NETWORK_16(i, d) NETWORK_16((i) + 16, d)

/* The last rounds of a merge: neighbours, pairs and fours that are one, two and four apart. */
#define NETWORK_ONES(o) NETWORK_1((o) + 1, 1) NETWORK_1((o) + 3, 1)
#define NETWORK_FOUR_ONES(o)                                                                       \
    NETWORK_ONES(o) NETWORK_ONES((o) + 4) NETWORK_ONES((o) + 8) NETWORK_ONES((o) + 12)
#define NETWORK_TWOS(o) NETWORK_2((o) + 2, 2) NETWORK_2((o) + 6, 2)

#define NETWORK_MERGE_1(o) NETWORK_1(o, 1)
#define NETWORK_MERGE_2(o) NETWORK_2(o, 2) NETWORK_1((o) + 1, 1)
#define NETWORK_MERGE_4(o)                                                                         \
    NETWORK_4(o, 4) NETWORK_2((o) + 2, 2) NETWORK_ONES(o) NETWORK_1((o) + 5, 1)
#define NETWORK_MERGE_8(o)                                                                         \
    NETWORK_8(o, 8)                                                                                \
    NETWORK_4((o) + 4, 4)                                                                          \
    NETWORK_TWOS(o)                                                                                \
    NETWORK_2((o) + 10, 2)                                                                         \
    NETWORK_ONES(o) NETWORK_ONES((o) + 4) NETWORK_ONES((o) + 8) NETWORK_1((o) + 13, 1)
#define NETWORK_MERGE_16(o)                                                                        \
    NETWORK_16(o, 16)                                                                              \
    NETWORK_8((o) + 8, 8)                                                                          \
    NETWORK_4((o) + 4, 4)                                                                          \
    NETWORK_4((o) + 12, 4)                                                                         \
    NETWORK_4((o) + 20, 4)                                                                         \
    NETWORK_TWOS(o)                                                                                \
    NETWORK_TWOS((o) + 8)                                                                          \
    NETWORK_TWOS((o) + 16)                                                                         \
    NETWORK_2((o) + 26, 2)                                                                         \
    NETWORK_FOUR_ONES(o)                                                                           \
    NETWORK_ONES((o) + 16)                                                                         \
    NETWORK_ONES((o) + 20)                                                                         \
    NETWORK_ONES((o) + 24)                                                                         \
    NETWORK_1((o) + 29, 1)

#define NETWORK_MERGE_32(o)                                                                        \
    NETWORK_32(o, 32)                                                                              \
    NETWORK_16((o) + 16, 16)                                                                       \
    NETWORK_8((o) + 8, 8)                                                                          \
    NETWORK_8((o) + 24, 8)                                                                         \
    NETWORK_8((o) + 40, 8)                                                                         \
    NETWORK_4((o) + 4, 4)                                                                          \
    NETWORK_4((o) + 12, 4)                                                                         \
    NETWORK_4((o) + 20, 4)                                                                         \
    NETWORK_4((o) + 28, 4)                                                                         \
    NETWORK_4((o) + 36, 4)                                                                         \
    NETWORK_4((o) + 44, 4)                                                                         \
    NETWORK_4((o) + 52, 4)                                                                         \
    NETWORK_TWOS(o)                                                                                \
    NETWORK_TWOS((o) + 8)                                                                          \
    NETWORK_TWOS((o) + 16)                                                                         \
    NETWORK_TWOS((o) + 24)                                                                         \
    NETWORK_TWOS((o) + 32)                                                                         \
    NETWORK_TWOS((o) + 40)                                                                         \
    NETWORK_TWOS((o) + 48)                                                                         \
    NETWORK_2((o) + 58, 2)                                                                         \
    NETWORK_FOUR_ONES(o)                                                                           \
    NETWORK_FOUR_ONES((o) + 16)                                                                    \
    NETWORK_FOUR_ONES((o) + 32)                                                                    \
    NETWORK_ONES((o) + 48)                                                                         \
    NETWORK_ONES((o) + 52)                                                                         \
    NETWORK_ONES((o) + 56)                                                                         \
    NETWORK_1((o) + 61, 1)

#define NETWORK_SORT_2(o) NETWORK_MERGE_1(o)
#define NETWORK_SORT_4(o) NETWORK_SORT_2(o) NETWORK_SORT_2((o) + 2) NETWORK_MERGE_2(o)
#define NETWORK_SORT_8(o) NETWORK_SORT_4(o) NETWORK_SORT_4((o) + 4) NETWORK_MERGE_4(o)
#define NETWORK_SORT_16(o) NETWORK_SORT_8(o) NETWORK_SORT_8((o) + 8) NETWORK_MERGE_8(o)
#define NETWORK_SORT_32(o) NETWORK_SORT_16(o) NETWORK_SORT_16((o) + 16) NETWORK_MERGE_16(o)

#endif
