/* groups.cuh - the sorted rows of groups and the options of a call, for kernels. */
#ifndef ORDO_CUDA_COLUMNS_GROUPS_H
#define ORDO_CUDA_COLUMNS_GROUPS_H

#include "core/quantile.h"
#include "cuda/columns/row_tiles.cuh"
#include "cuda/segments/segment_codes.cuh"

struct group_facts { /* on the device */
    uint64_t groups; /* number of groups, without the group of the omitted rows */
    uint64_t ranked; /* number of rows in these groups */
};

struct group_read { /* a kernel argument */
    const void        *keys, *index, *number;
    const uint64_t    *starts;
    const group_facts *facts;
    uint64_t           capacity, each;
    ordo_nans          nans;
    const uint64_t    *q;
    ordo_method        method;
};

static DEVICE uint64_t groups_with_room(const group_read &in)
{
    return in.facts->groups < in.capacity ? in.facts->groups : in.capacity;
}

template <typename WORD>
static DEVICE bool is_nan(const segment_codes<WORD> &codes, const void *keys, uint64_t row)
{
    return codes.is_float && codes.read(keys, row) > codes.last_number();
}

/* The key of sorted row i as f64. */
template <typename WORD, typename INDEX>
static DEVICE double value_at(const segment_codes<WORD> &codes, const group_read &in, uint64_t i)
{
    return codes.value(codes.raw(in.keys, ((const INDEX *)in.index)[i]));
}

/* The wanted quantile of result t. */
static DEVICE double group_q(const group_read &in, uint64_t t)
{
    return __longlong_as_double((long long)in.q[t % in.each]);
}

static DEVICE double group_no_value(void) { return __longlong_as_double(0x7ff8000000000000ll); }

#endif
