/* block_splitters.cuh - the search tree of sample sort: which of 511 buckets a record belongs to.
 *
 * As in the hybrid sample sort paper (and before it N. Leischner, V. Osipov and P. Sanders, "GPU
 * sample sort", 2010): 255 splitters lie in shared memory as a complete binary tree, the children
 * of node j being 2j and 2j + 1, so that eight steps without a branch lead every record to its
 * leaf. Records equal to a splitter have buckets of their own, which need no more sorting: bucket
 * 2b holds what lies below splitter b, bucket 2b + 1 what equals it.
 *
 * Called by all threads of a block; used by device/dev_sample.cu. */
#ifndef ORDO_CUDA_BLOCK_BLOCK_SPLITTERS_H
#define ORDO_CUDA_BLOCK_BLOCK_SPLITTERS_H

#include "cuda/runtime/cuda_rt.cuh"

enum {
    SPLIT_LG = 8,
    SPLIT_LEAVES = 1 << SPLIT_LG,
    SPLITTERS = SPLIT_LEAVES - 1,
    BUCKETS = 2 * SPLIT_LEAVES /* the last is always empty */
};

template <typename K> struct splitter_tree {
    K tree[SPLIT_LEAVES];   /* from 1 on */
    K sorted[SPLIT_LEAVES]; /* from 0 on */
};

/* Node j at depth d with `left` nodes of its depth before it is the middle of its subtree. */
static __device__ __forceinline__ unsigned sorted_place(unsigned node)
{
    unsigned const depth = 31 - (unsigned)__clz((int)node);
    unsigned const left = node - (1u << depth), span = SPLIT_LEAVES >> depth;
    return left * span + span / 2 - 1;
}

/* Builds the tree from 255 sorted splitters in device memory; ends with a barrier. */
template <typename K>
static __device__ __forceinline__ void load_splitters(splitter_tree<K> *at, const K *splitters)
{
    for (unsigned i = threadIdx.x; i < SPLITTERS; i += blockDim.x) {
        at->sorted[i] = splitters[i];
        at->tree[i + 1] = splitters[sorted_place(i + 1)];
    }
    __syncthreads();
}

template <typename K>
static __device__ __forceinline__ unsigned bucket_of(const splitter_tree<K> &at, const K &record)
{
    unsigned node = 1;
#pragma unroll
    for (int step = 0; step < SPLIT_LG; step++)
        node = 2 * node + (at.tree[node] < record ? 1 : 0);
    unsigned const below = node - SPLIT_LEAVES; /* splitters less than the record */
    bool const     equal = below < SPLITTERS && !(record < at.sorted[below]);
    return 2 * below + (equal ? 1 : 0);
}

#endif
