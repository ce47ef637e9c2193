/* dev_rank.cuh - what the files that rank share: where runs of equal keys begin, as bits and as a
 * table (block/block_heads.cuh), made by one launch in dev_rank.cu for the next one to use. */
#ifndef ORDO_CUDA_RANK_DEV_RANK_H
#define ORDO_CUDA_RANK_DEV_RANK_H

#include "cuda/block/block_heads.cuh"
#include "cuda/runtime/cuda_dev.cuh"

/* Takes the table of n keys from scratch: n / 8 bytes, n / 128 more where `both` is set (mean
 * ranks), and the entries of the blocks. */
heads_table heads_take(cuda_scratch *scratch, size_t n, bool both);

/* Enqueues the launch that fills the table, for keys of a type. Reads each key once. */
ordo_status dev_heads(cuda_call *call, const heads_table *table, ordo_type type, const void *keys);

/* Enqueues the launch that writes the ranks; with ordinal ranks the table is not looked at. */
ordo_status dev_ranks_of_heads(cuda_call *call, const heads_table *table, ordo_ties ties,
                               ordo_type rank_type, void *ranks);

/* dev_rank_pass.cu: the same for most jobs in one launch and without scratch. n > 0. */
bool        rank_pass_fits(const ordo_rank_sorted_job *job);
ordo_status dev_rank_pass(cuda_call *call, const ordo_rank_sorted_job *job);

/* dev_rank_paper.cu: the named algorithms. */
size_t      dev_rank_paper_scratch(const ordo_rank_sorted_job *job);
ordo_status dev_rank_paper(cuda_call *call, const ordo_rank_sorted_job *job);

/* Calls f with a value of the element type of ranks: f is a generic lambda. */
template <typename F> static inline ordo_status with_rank_type(ordo_type type, F &&f)
{
    switch (type) {
    case ORDO_U32:
        return f((uint32_t)0);
    case ORDO_U64:
        return f((uint64_t)0);
    default:
        return f((double)0);
    }
}

/* The unsigned integer that ranks are counted in. */
template <typename RANK> struct rank_number {
    typedef uint64_t type;
};
template <> struct rank_number<uint32_t> {
    typedef uint32_t type;
};

#endif
