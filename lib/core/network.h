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

/* A round of a merge: 1, 3, 7 ... blocks of d rows, each compared with the next d rows. Between two
 * blocks there are d rows. */
#define NETWORK_ROUND_1(o, d) NETWORK_##d((o) + (d), d)
#define NETWORK_ROUND_3(o, d)                                                                      \
    NETWORK_ROUND_1(o, d) NETWORK_ROUND_1((o) + 2 * (d), d) NETWORK_ROUND_1((o) + 4 * (d), d)
#define NETWORK_ROUND_7(o, d)                                                                      \
    NETWORK_ROUND_3(o, d) NETWORK_ROUND_1((o) + 6 * (d), d) NETWORK_ROUND_3((o) + 8 * (d), d)
#define NETWORK_ROUND_15(o, d)                                                                     \
    NETWORK_ROUND_7(o, d) NETWORK_ROUND_1((o) + 14 * (d), d) NETWORK_ROUND_7((o) + 16 * (d), d)
#define NETWORK_ROUND_31(o, d)                                                                     \
    NETWORK_ROUND_15(o, d) NETWORK_ROUND_1((o) + 30 * (d), d) NETWORK_ROUND_15((o) + 32 * (d), d)

#define NETWORK_MERGE_1(o) NETWORK_1(o, 1)
#define NETWORK_MERGE_2(o) NETWORK_2(o, 2) NETWORK_ROUND_1(o, 1)
#define NETWORK_MERGE_4(o) NETWORK_4(o, 4) NETWORK_ROUND_1(o, 2) NETWORK_ROUND_3(o, 1)
#define NETWORK_MERGE_8(o)                                                                         \
    NETWORK_8(o, 8) NETWORK_ROUND_1(o, 4) NETWORK_ROUND_3(o, 2) NETWORK_ROUND_7(o, 1)
#define NETWORK_MERGE_16(o)                                                                        \
    NETWORK_16(o, 16)                                                                              \
    NETWORK_ROUND_1(o, 8) NETWORK_ROUND_3(o, 4) NETWORK_ROUND_7(o, 2) NETWORK_ROUND_15(o, 1)
#define NETWORK_MERGE_32(o)                                                                        \
    NETWORK_32(o, 32)                                                                              \
    NETWORK_ROUND_1(o, 16)                                                                         \
    NETWORK_ROUND_3(o, 8) NETWORK_ROUND_7(o, 4) NETWORK_ROUND_15(o, 2) NETWORK_ROUND_31(o, 1)

#define NETWORK_SORT_2(o) NETWORK_MERGE_1(o)
#define NETWORK_SORT_4(o) NETWORK_SORT_2(o) NETWORK_SORT_2((o) + 2) NETWORK_MERGE_2(o)
#define NETWORK_SORT_8(o) NETWORK_SORT_4(o) NETWORK_SORT_4((o) + 4) NETWORK_MERGE_4(o)
#define NETWORK_SORT_16(o) NETWORK_SORT_8(o) NETWORK_SORT_8((o) + 8) NETWORK_MERGE_8(o)
#define NETWORK_SORT_32(o) NETWORK_SORT_16(o) NETWORK_SORT_16((o) + 16) NETWORK_MERGE_16(o)

#endif
