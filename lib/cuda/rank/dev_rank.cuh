/* dev_rank.cuh - what the ranking files share: the table of heads (block_heads.cuh), which one
 * launch fills for the next. */
#ifndef ORDO_CUDA_RANK_DEV_RANK_H
#define ORDO_CUDA_RANK_DEV_RANK_H

#include "cuda/block/block_heads.cuh"
#include "cuda/runtime/cuda_dev.cuh"

/* Takes the table of n keys from scratch: n / 8 bytes, n / 128 more if `both` (average ranks), and
 * the entries of the blocks. */
heads_table heads_take(cuda_scratch *scratch, size_t n, bool both);

/* Enqueues the launch that fills the table. Reads each key once. */
ordo_status dev_heads(cuda_call *call, const heads_table *table, ordo_type type, const void *keys);

/* Enqueues the launch that writes the ranks. Ordinal ranks do not read the table. */
ordo_status dev_ranks_of_heads(cuda_call *call, const heads_table *table, ordo_ties ties,
                               ordo_type rank_type, void *ranks);

/* dev_rank_pass.cu: most jobs in one launch and without scratch. n > 0. */
bool        rank_pass_fits(const ordo_rank_sorted_job *job);
ordo_status dev_rank_pass(cuda_call *call, const ordo_rank_sorted_job *job);

/* Calls f with a zero of the type of the ranks; f is a generic lambda. */
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

/* Calls f with a rank_rule of the rule for ties. */
template <rank_kind KIND_> struct rank_rule {
    static constexpr rank_kind KIND = KIND_;
};
template <typename F> static inline ordo_status with_rank_rule(ordo_ties ties, F &&f)
{
    switch (ties) {
    case ORDO_TIES_MIN:
        return f(rank_rule<RANK_LAST>());
    case ORDO_TIES_MAX:
        return f(rank_rule<RANK_NEXT>());
    case ORDO_TIES_DENSE:
        return f(rank_rule<RANK_COUNT>());
    case ORDO_TIES_AVERAGE:
        return f(rank_rule<RANK_BOTH>());
    default:
        return f(rank_rule<RANK_INDEX>());
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
