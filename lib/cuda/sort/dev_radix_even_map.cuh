/* dev_radix_even_map.cuh - the codes of evenly spread keys, and the tables of their partitions.
 *
 * A code is linear in the key between the ends of a sample: in the key bits of integers, in the
 * value of floats. If the sample is uneven, its range is divided into EVEN_PARTS equal parts, each
 * with a number of codes in proportion to its keys (even_bent). Every map is monotone. */
#ifndef ORDO_CUDA_SORT_DEV_RADIX_EVEN_MAP_H
#define ORDO_CUDA_SORT_DEV_RADIX_EVEN_MAP_H

#include "cuda/block/block_scan.cuh"
#include "cuda/sort/dev_radix_plan.cuh"

enum {
    EVEN_THREADS = EVEN_MOST,
    EVEN_WARPS = EVEN_THREADS / 32,
    EVEN_SAMPLE_THREADS = 1024,
    EVEN_SAMPLE_EACH = 16, /* sample keys per thread */
    EVEN_SAMPLE = EVEN_SAMPLE_THREADS * EVEN_SAMPLE_EACH,
    EVEN_LG_FINE = 22,   /* bent map: lg of the places of its range */
    EVEN_LG_PART = 14,   /* lg of the places of a part */
    EVEN_MARGIN = 43,    /* parts on each side of the sample */
    EVEN_LG_WIDE = 13,   /* bits of the number of codes of a part */
    EVEN_LG_MARKS = 20,  /* lg of the bits of a table of sample keys */
    EVEN_REPEATED = 170, /* most marks that sample keys of different values set twice */
    EVEN_SIGMAS = 6      /* standard deviations by which a region exceeds its estimate */
};

static_assert(EVEN_PARTS << EVEN_LG_PART == 1 << EVEN_LG_FINE, "parts fill the range");

/* ---- codes ---------------------------------------------------------------------------------- */

/* The range of a bent map for a sample from `first` to `last`: EVEN_MARGIN more parts on both sides
 * if there are so many numbers. The sample begins and ends with a part, because keys that end
 * inside a part are dense there. */
template <typename BITS> static DEVICE void even_widen(BITS first, BITS last, BITS *low, BITS *high)
{
    BITS const     end = (BITS) ~(BITS)0;
    unsigned const inner = EVEN_PARTS - 2 * EVEN_MARGIN, rest = EVEN_PARTS - EVEN_MARGIN;
    BITS const     part = (last - first) / inner + 1, margin = part * EVEN_MARGIN;
    if (first < margin) {
        BITS const wide = last / rest + 1;
        *low = 0;
        *high = last < end - wide * EVEN_MARGIN ? wide * EVEN_PARTS : end;
    } else if (last > end - margin) {
        BITS const wide = (end - first) / rest + 1;
        *low = first > wide * EVEN_MARGIN ? first - wide * EVEN_MARGIN : 0;
        *high = end;
    } else {
        *low = first - margin;
        *high = first + part * rest;
    }
}

/* The code of a key that is not encoded: 0 to codes - 1, in the order of the keys. */
template <typename CODE, bool FLOAT = CODE::is_float> struct even_map;

template <typename CODE> struct even_map<CODE, false> {
    typedef typename CODE::BITS BITS;
    BITS                        low, high;
    uint32_t                    shift, factor;

    /* Makes the map for keys with these ends of a sample; false if there are too few values. `far`:
     * keys are expected far outside the ends, because they are uneven. */
    DEVICE bool fit(CODE const &, BITS first, BITS last, uint32_t codes, bool far)
    {
        BITS const margin = (last - first) / (EVEN_SAMPLE / 16);
        low = first > margin ? first - margin : 0;
        high = last < (BITS) ~(BITS)0 - margin ? last + margin : (BITS) ~(BITS)0;
        if (far)
            even_widen(first, last, &low, &high);
        BITS const     range = high - low;
        unsigned const length = 64 - (unsigned)__clzll((long long)range);
        shift = length > 32 ? length - 32 : 0;
        float const most = (float)(uint32_t)(range >> shift) + 1;
        /* a little less than codes / distances, so that no code is past the last */
        factor = __float2uint_rz((float)codes * 4294967296.0f * 0.99999f / most);
        /* With up to four digits, keys of eight bytes are sorted by digits faster. */
        return range / 2 > codes && (sizeof(BITS) == 4 || length > 32);
    }
    DEVICE uint32_t of(CODE const &code, BITS raw) const
    {
        BITS const inside = min(max(code.encode(raw), low), high) - low;
        return __umulhi((uint32_t)(sizeof(BITS) > 4 ? inside >> shift : inside), factor);
    }
};

/* Codes are computed as 2^23 + code or 2^52 + code, so that the code is in the lowest bits. */
template <typename CODE> struct even_map<CODE, true> {
    typedef typename CODE::BITS            BITS;
    typedef typename key_float<BITS>::type REAL;
    static constexpr REAL                  ONE = sizeof(BITS) == 4 ? 8388608.0 : 4503599627370496.0;
    REAL                                   scale, offset, least, most;

    DEVICE bool fit(CODE const &code, BITS first, BITS last, uint32_t codes, bool far)
    {
        REAL const from = value(code.decode(first)), to = value(code.decode(last));
        REAL const range = to - from;
        REAL const margin = far ? (REAL)EVEN_MARGIN / EVEN_PARTS : (REAL)16 / EVEN_SAMPLE;
        REAL const used = (REAL)codes * (1 - 2 * margin);
        scale = used / range;
        offset = ONE + ((REAL)codes - used) / 2 - from * scale;
        least = ONE;
        most = ONE + (REAL)(codes - 1);
        return range != 0 && isfinite(scale) && isfinite(offset);
    }
    static DEVICE REAL value(BITS raw) { return key_float<BITS>::value(raw); }
    DEVICE uint32_t    of(CODE const &, BITS raw) const
    {
        REAL const x = multiply_add(value(raw), scale, offset);
        return low_bits(x < least ? least : x <= most ? x : most); /* NaN: most */
    }
    /* The same rounding in every kernel, so that a key always has the same code. */
    static DEVICE float    multiply_add(float x, float y, float z) { return __fmaf_rn(x, y, z); }
    static DEVICE double   multiply_add(double x, double y, double z) { return __fma_rn(x, y, z); }
    static DEVICE uint32_t low_bits(float x) { return __float_as_uint(x) & 0x7fffff; }
    static DEVICE uint32_t low_bits(double x) { return (uint32_t)__double2loint(x); }
};

/* A map for uneven keys: EVEN_PARTS equal parts of the range, each with its number of codes. */
template <typename CODE> struct even_bent {
    even_map<CODE>  line;
    const uint32_t *bend; /* [EVEN_PARTS] first code of a part above the number of its codes */

    DEVICE uint32_t of(CODE const &code, typename CODE::BITS raw) const
    {
        uint32_t const at = line.of(code, raw), here = bend[at >> EVEN_LG_PART];
        uint32_t const inside = at % (1u << EVEN_LG_PART), codes = here % (1u << EVEN_LG_WIDE);
        return (here >> EVEN_LG_WIDE) + (inside * codes >> EVEN_LG_PART);
    }
};

/* Makes the table of a bent map from the number of sample keys in each part. Returns false, in all
 * threads, if a part has too many keys. `sums` has a word for each of the WARPS warps. Ends with a
 * barrier. */
template <int WARPS>
static DEVICE bool even_make_bend(const uint32_t *count, uint32_t codes, uint32_t *bend,
                                  uint32_t *sums)
{
    typedef scan_add<uint32_t> ADD;
    /* A part may have few sample keys by chance, but no code may get too many keys. So a part gets
     * codes for more keys, by two to three standard deviations. */
    bool const     mine = threadIdx.x < EVEN_PARTS;
    float const    found = mine ? (float)count[threadIdx.x] : 0;
    uint32_t const share = mine ? (uint32_t)(4 * (found + 2.5f * sqrtf(found + 1) + 2)) : 0;
    auto const     sum = block_scan_threads<ADD, WARPS>(share, sums);
    uint32_t const after = sum.before + share;
    auto const     first_code = [&](uint32_t shares) {
        return (uint32_t)((uint64_t)shares * codes / sum.total);
    };
    uint32_t const from = first_code(after - share), own = first_code(after) - from;
    if (mine)
        bend[threadIdx.x] = min(from, codes - 1) << EVEN_LG_WIDE | own;
    return __syncthreads_or(own >= 1u << EVEN_LG_WIDE) == 0;
}

/* Whether a key counts for the ends of the sample: not NaN, not infinite. */
template <typename CODE>
static DEVICE bool even_is_finite(CODE const &code, typename CODE::BITS bits)
{
    return !CODE::is_float || (bits > 0 && bits < code.inf);
}

/* The smallest and largest key bits of the sample, without NaNs and infinities; *low > *high if
 * there are no others. Called by all threads; `ends` is in shared memory. Contains one barrier. */
template <int EACH, typename CODE, typename BITS = typename CODE::BITS>
static DEVICE void even_find_ends(CODE const &code, BITS const (&raw)[EACH], BITS (*ends)[32],
                                  BITS *low, BITS *high)
{
    typedef scan_max<BITS> MAX;
    BITS                   least = 0, most = 0; /* least: complement of the smallest key bits */
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        BITS const bits = code.encode(raw[i]);
        if (even_is_finite(code, bits)) {
            least = max(least, (BITS)~bits);
            most = max(most, bits);
        }
    }
    least = warp_reduce<MAX>(least);
    most = warp_reduce<MAX>(most);
    if (lane_id() == 0) {
        ends[0][threadIdx.x / 32] = least;
        ends[1][threadIdx.x / 32] = most;
    }
    __syncthreads();
    *low = (BITS)~warp_reduce<MAX>(ends[0][lane_id()]);
    *high = warp_reduce<MAX>(ends[1][lane_id()]);
}

struct even_shape {      /* known to the host */
    uint32_t codes;      /* each for about CUDA_TUNE_EVEN_GROUP or _LARGE keys */
    unsigned parts;      /* buckets of the first partition */
    unsigned below;      /* buckets of the second partition of a bucket */
    unsigned most;       /* the larger of both numbers, a multiple of 4 */
    uint32_t reciprocal; /* 2^32 / below, rounded up */
    uint32_t drawn;      /* keys of the sample that gives the regions of the first partition */

    DEVICE unsigned part(uint32_t code) const { return __umulhi(code, reciprocal); }
};

static inline even_shape even_shape_of(size_t n)
{
    size_t const group =
        n > CUDA_TUNE_EVEN_LARGE ? CUDA_TUNE_EVEN_GROUP_LARGE : CUDA_TUNE_EVEN_GROUP;
    even_shape shape = {(uint32_t)(n / group + 1), 0, 2, 0, 0, 1};
    while (shape.drawn < CUDA_TUNE_EVEN_DRAWN && shape.drawn < n / 32)
        shape.drawn *= 2;
    while ((size_t)shape.below * shape.below < shape.codes)
        shape.below++;
    shape.parts = (unsigned)ordo_div_up(shape.codes, shape.below);
    shape.most = (unsigned)ordo_div_up(ordo_max(shape.parts, shape.below), 4) * 4;
    shape.reciprocal = UINT32_MAX / shape.below + 1;
    return shape;
}

/* In device scratch. counts and groups are zeroed before use. */
struct even_tables {
    even_state *state;
    uint32_t   *counts;  /* [EVEN_MOST] sample keys of the buckets of the first partition; then
                          * chunks taken */
    uint32_t   *starts;  /* [EVEN_MOST + 1] first places of the buckets in the sorted array */
    uint32_t   *regions; /* [EVEN_MOST + 1] first places where the first partition puts them */
    uint32_t   *tiles;   /* [EVEN_MOST + 1] the first tiles of the second partition */
    uint32_t   *groups;  /* [codes] keys of each code; then chunks taken, and above them single
                         * places */
    uint64_t   *bounds;  /* [codes + 1] first places of the codes */
    even_shape  shape;
};

/* Reads a map without its table. */
template <typename MAP, int WORDS> static DEVICE MAP even_line_at(const uint32_t (&words)[WORDS])
{
    static_assert(sizeof(MAP) <= sizeof words, "room for the map");
    MAP line;
#pragma unroll
    for (int i = 0; i < sizeof line / 4; i++)
        ((uint32_t *)&line)[i] = words[i];
    return line;
}

template <typename CODE> static DEVICE even_map<CODE> even_line(const even_state *state)
{
    return even_line_at<even_map<CODE>>(state->map);
}

/* Calls f with the map of the keys. Called by all threads of a block; `bend` is in shared memory
 * and has EVEN_PARTS words. */
template <typename CODE, typename F>
static DEVICE void with_even_map(const even_state *state, uint32_t *bend, F &&f)
{
    even_map<CODE> const line = even_line<CODE>(state);
    if (state->bent == 0) {
        f(line);
        return;
    }
    if (threadIdx.x < EVEN_PARTS)
        bend[threadIdx.x] = state->bend[threadIdx.x];
    __syncthreads();
    f(even_bent<CODE>{line, bend});
}

#endif
