/* moving_wish.cuh - the parameters of the kernels of moving windows, and how they write keys. */
#ifndef ORDO_CUDA_WINDOWS_MOVING_WISH_H
#define ORDO_CUDA_WINDOWS_MOVING_WISH_H

#include "cuda/segments/segment_codes.cuh"
#include "cuda/segments/segments.cuh"

struct moving_wish { /* a kernel argument */
    ordo_moving_op op;
    uint64_t       n, back, ahead, min_periods;
    ordo_nans      nans;
    double         q;
    ordo_method    method;
    ordo_ties      ties;
    const void    *in;
    void          *out;
    bool           out_is_key; /* `out` has the type of the keys, else f64 */
    segment_map    map;
    bool           has_segments;
};

static __host__ DEVICE bool is_bound(ordo_moving_op op)
{
    return op == ORDO_MOVING_MIN || op == ORDO_MOVING_MAX;
}

template <typename WORD>
static DEVICE void moving_write_nan(const moving_wish &wish, const segment_codes<WORD> &codes,
                                    uint64_t i)
{
    if (wish.out_is_key)
        codes.write_raw(wish.out, i, codes.nan());
    else
        ((double *)wish.out)[i] = __longlong_as_double(0x7ff8000000000000ll);
}

template <typename WORD>
static DEVICE void moving_write_key(const moving_wish &wish, const segment_codes<WORD> &codes,
                                    uint64_t i, WORD code)
{
    if (codes.is_float && code > codes.last_number())
        moving_write_nan(wish, codes, i);
    else if (wish.out_is_key)
        codes.write_raw(wish.out, i, codes.decode(code));
    else
        ((double *)wish.out)[i] = codes.value(codes.decode(code));
}

/* dev_moving_bounds.cu: minima and maxima of an array without segments. */
ordo_status moving_bounds(cuda_call *call, const moving_wish &wish, ordo_type type);

#endif
