/* moving_options.cuh - the parameters of the kernels of moving windows, the segments of the outputs
 * of a block, and how results are written. */
#ifndef ORDO_CUDA_WINDOWS_MOVING_OPTIONS_H
#define ORDO_CUDA_WINDOWS_MOVING_OPTIONS_H

#include "cuda/segments/segment_codes.cuh"
#include "cuda/segments/segments.cuh"
#include "cuda/warp/first_where.cuh"
#include "cuda/warp/warp_scan.cuh"

struct moving_options { /* a kernel argument */
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

/* ---- Segments ---- */

/* How far a segment reaches from one of its elements; numbers above MOVING_FAR are MOVING_FAR. */
struct moving_reach {
    unsigned before; /* elements before it */
    unsigned after;  /* elements from it on; 0: it is in no segment */
};
enum {
    MOVING_FAR = 1 << 30
};

static DEVICE moving_reach moving_reach_of(segment where, uint64_t i)
{
    if (i < where.start || i - where.start >= where.length)
        return {0, 0};
    return {(unsigned)min(i - where.start, (uint64_t)MOVING_FAR),
            (unsigned)min(where.start + where.length - i, (uint64_t)MOVING_FAR)};
}

/* The segments of the outputs of a block, in shared memory. */
struct moving_near {
    moving_reach reach;       /* of the first output */
    unsigned     length;      /* of the next segments if lengths are fixed; 0: no more segments */
    bool         are_several; /* whether the outputs have several segments by offsets */
    uint64_t     first, last; /* their numbers */
};

/* The last of segments [lo, hi) that begins at element i or before; lo if there is none. Called by
 * a whole warp, which reads 32 offsets at a time. */
static DEVICE uint64_t moving_search(const segment_map &map, uint64_t lo, uint64_t hi, uint64_t i)
{
    while (lo + 1 < hi) {
        uint64_t const width = (hi - lo + WARP_LANES) / (WARP_LANES + 1);
        uint64_t const probe = lo + (lane_id() + 1) * width;
        bool const     below = probe < hi && map.offsets[probe] <= i;
        lo += (unsigned)__popc(__ballot_sync(WARP_ALL, below)) * width;
        hi = min(hi, lo + width);
    }
    return lo;
}

/* Finds the segments of outputs [begin, begin + outputs). Called by the first warp of a block; a
 * barrier must come after. */
static DEVICE void moving_find_near(const moving_options &options, uint64_t begin, unsigned outputs,
                                    moving_near *near)
{
    moving_near found = {};
    segment     where = {0, options.n};
    if (options.has_segments && options.map.offsets == NULL) {
        where = {begin - begin % options.map.length, options.map.length};
        found.length = (unsigned)min(options.map.length, (uint64_t)MOVING_FAR);
    }
    if (options.has_segments && options.map.offsets != NULL) {
        found.first = moving_search(options.map, 0, options.map.count, begin);
        found.last =
            moving_search(options.map, found.first, options.map.count, begin + outputs - 1);
        where = segment_at(options.map, found.first);
        found.are_several = found.first != found.last || where.start > begin;
    }
    found.reach = moving_reach_of(where, begin);
    if (lane_id() == 0)
        *near = found;
}

/* The reach of output begin + o of the block. */
static DEVICE moving_reach moving_reach_at(const moving_options &options, const moving_near &near,
                                           uint64_t begin, unsigned o)
{
    if (near.are_several) {
        uint64_t const after = first_where(near.first + 1, near.last + 1, [&](uint64_t s) {
            return options.map.offsets[s] > begin + o;
        });
        return moving_reach_of(segment_at(options.map, after - 1), begin + o);
    }
    if (o < near.reach.after)
        return {near.reach.before + o, near.reach.after - o};
    if (near.length == 0)
        return {0, 0};
    unsigned const from = o - near.reach.after;
    unsigned const place = from < near.length ? from : from % near.length;
    return {place, near.length - place};
}

/* ---- Results ---- */

template <typename WORD>
static DEVICE void moving_write_nan(const moving_options &options, const segment_codes<WORD> &codes,
                                    uint64_t i)
{
    if (options.out_is_key)
        codes.write_raw(options.out, i, codes.nan());
    else
        ((double *)options.out)[i] = __longlong_as_double(0x7ff8000000000000ll);
}

template <typename WORD>
static DEVICE void moving_write_key(const moving_options &options, const segment_codes<WORD> &codes,
                                    uint64_t i, WORD code)
{
    if (codes.is_float && code > codes.last_number())
        moving_write_nan(options, codes, i);
    else if (options.out_is_key)
        codes.write_raw(options.out, i, codes.decode(code));
    else
        ((double *)options.out)[i] = codes.value(codes.decode(code));
}

/* dev_moving_bounds.cu: minima and maxima. */
ordo_status moving_bounds(cuda_call *call, const moving_options &options, ordo_type type);

#endif
