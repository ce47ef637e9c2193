/* rank_operator.h - the operator of the parallel prefix in J. Liang, J. Bisnett, A. Hylton, J. Sang
 * and C. Yu, "Parallel Computation of Standard Competition Rankings over a Sorted Array", for the
 * host and for kernels.
 *
 * An element is a datum and a rank. The operator joins two elements of a sorted array, i < j: the
 * datum is d_j, the rank is r_i if d_i and d_j tie, else r_j. It is associative (Table I). In the
 * words of the shuffle scan the highest bit is a flag "no tie with the element before", and the
 * other bits are the rank. */
#ifndef ORDO_PAPERS_RANKING_RANK_OPERATOR_H
#define ORDO_PAPERS_RANKING_RANK_OPERATOR_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define RANK_OPERATOR static __host__ __device__ __forceinline__
#else
#define RANK_OPERATOR static inline
#endif

RANK_OPERATOR uint64_t rank_joined(bool ties, uint64_t left, uint64_t right)
{
    return ties ? left : right;
}

/* Two words; the flag of the right one decides. */
RANK_OPERATOR uint32_t rank_words_joined_32(uint32_t left, uint32_t right)
{
    return (uint32_t)rank_joined(right >> 31 == 0, left, right);
}

RANK_OPERATOR uint64_t rank_words_joined_64(uint64_t left, uint64_t right)
{
    return rank_joined(right >> 63 == 0, left, right);
}

#endif
