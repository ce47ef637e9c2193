/* segment_pivot_row.cuh - the search for the keys of one rank, or of two neighbouring ranks, in a
 * row of up to 64 << M finite floats in the registers of 2^M lanes of a warp.
 *
 * Each lane counts its keys below two pivots (pivot_steps.h): a fused multiplication and addition
 * that is cut to 0 and 1 is the number to add. The first pivots come from a mean and a variance. If
 * these lose a row of at least 8 lanes, a sorted sample gives pivots, whatever the distribution.
 * Keys between the pivots, at most 64, go to shared memory and are sorted by a network; ties need
 * no sort. Instructions for each key: 3 for the mean, 4 for each count, 4 for the move. */
#ifndef ORDO_CUDA_SEGMENTS_SELECT_SEGMENT_PIVOT_ROW_H
#define ORDO_CUDA_SEGMENTS_SELECT_SEGMENT_PIVOT_ROW_H

#include "cuda/segments/select/pivot_steps.h"
#include "cuda/segments/select/segment_targets.cuh"
#include "cuda/warp/warp_scan.cuh"
#include "cuda/warp/warp_sort.cuh"

enum {
    PIVOT_ITEMS = 64,    /* keys of a lane */
    PIVOT_SAMPLED_M = 3, /* the least M of rows from which samples are taken */
    PIVOT_LOSSES = 8,    /* lanes whose searches from means are lost, so that samples are taken */
    PIVOT_LATE = 3,      /* counts of a search from a sample after which it ends for few lanes */
    PIVOT_STRAGGLERS = 4 /* such lanes */
};

/* The compiler would turn a choice by the number of a lane into an array in local memory. */
static DEVICE float pivot_choose(bool first, float a, float b)
{
    float chosen;
    asm("{ .reg .pred p;\n"
        "setp.ne.u32 p, %1, 0;\n"
        "selp.f32 %0, %2, %3, p; }"
        : "=f"(chosen)
        : "r"((unsigned)first), "f"(a), "f"(b));
    return chosen;
}

/* Sorts EACH words of each of 2^M lanes: word i of a lane is at place lane * EACH + i. All groups
 * of lanes of a warp do this. */
template <int M, int LEVEL = 0, int EACH> static DEVICE void pivot_sort(int32_t (&x)[EACH])
{
    if constexpr (LEVEL == 0) {
        if constexpr (EACH > 1)
            lane_sort<1, EACH>(x);
    } else {
        int32_t y[EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++)
            y[i] = __shfl_xor_sync(WARP_ALL, x[EACH - 1 - i], (1 << LEVEL) - 1);
#pragma unroll
        for (int i = 0; i < EACH; i++)
            x[i] = sort_keep(x[i], y[i], lane_id() >> (LEVEL - 1) & 1);
#pragma unroll
        for (int bit = LEVEL - 2; bit >= 0; bit--)
#pragma unroll
            for (int i = 0; i < EACH; i++)
                x[i] = sort_keep(x[i], __shfl_xor_sync(WARP_ALL, x[i], 1 << bit),
                                 lane_id() >> bit & 1);
#pragma unroll
        for (int step = EACH / 2; step > 0; step /= 2)
#pragma unroll
            for (int i = 0; i < EACH; i++)
                if ((i & step) == 0)
                    sort_two(x[i], x[i + step]);
    }
    if constexpr (LEVEL < M)
        pivot_sort<M, LEVEL + 1>(x);
}

/* Signed integers in the order of floats that are not NaNs. The map is its own inverse. */
static DEVICE int32_t pivot_order(int32_t bits)
{
    return bits ^ (int32_t)((uint32_t)(bits >> 31) >> 1);
}

/* FULL: the row has 64 keys for each lane. Otherwise its length is a multiple of 4. */
template <int M, bool FULL> struct pivot_row {
    static constexpr unsigned LANES = 1u << M, VECTORS = PIVOT_ITEMS / 4;
    static constexpr unsigned FEW = M <= 2 ? 32 : 64; /* most keys that are sorted */
    static constexpr int EACH = FEW >> M;
    static constexpr unsigned ROOM = FEW + LANES; /* words of shared memory; the groups of a
                                                         * warp read different banks */

    /* Whether samples are taken. The steps of a search from a sample diverge if a warp has many
     * rows. */
    static constexpr bool SAMPLED = M >= PIVOT_SAMPLED_M;

    float    x[PIVOT_ITEMS]; /* vector e of the row is in lane e % LANES; +inf past the end */
    unsigned n, lane;        /* lane: its number in the group */
    unsigned mine;           /* keys of this lane between the pivots */

    DEVICE bool has(unsigned e) const { return FULL || e * LANES + lane < n / 4; }

    DEVICE void load(const float *keys, unsigned length)
    {
        const float4 *const vectors = (const float4 *)keys;
        n = length;
        lane = lane_id() % LANES;
        mine = 0;
#pragma unroll
        for (unsigned e = 0; e < VECTORS; e++) {
            float4 vector = make_float4(INFINITY, INFINITY, INFINITY, INFINITY);
            if (has(e))
                vector = vectors[e * LANES + lane];
            x[4 * e] = vector.x;
            x[4 * e + 1] = vector.y;
            x[4 * e + 2] = vector.z;
            x[4 * e + 3] = vector.w;
        }
    }

    /* The same from shared memory. The order of the vectors avoids bank conflicts of short rows. */
    DEVICE void load_staged(const float *row, unsigned length)
    {
        constexpr unsigned TURNS =
            FULL && M < 3 ? 8 >> M : 1; /* rows whose banks would be the same */
        unsigned const turn = (lane_id() >> M) % TURNS;
        n = length;
        lane = lane_id() % LANES;
        mine = 0;
        const float4 *from[TURNS];
#pragma unroll
        for (unsigned t = 0; t < TURNS; t++)
            from[t] = (const float4 *)row + (t ^ turn) * LANES + lane;
#pragma unroll
        for (unsigned e = 0; e < VECTORS; e++) {
            float4 vector = make_float4(INFINITY, INFINITY, INFINITY, INFINITY);
            if (has(e))
                vector = from[e % TURNS][e / TURNS * TURNS * LANES];
            x[4 * e] = vector.x;
            x[4 * e + 1] = vector.y;
            x[4 * e + 2] = vector.z;
            x[4 * e + 3] = vector.w;
        }
    }

    /* The sum of one number of each lane of the group. */
    template <typename T> static DEVICE T total(T number)
    {
#pragma unroll
        for (unsigned step = LANES / 2; step > 0; step /= 2)
            number += __shfl_xor_sync(WARP_ALL, number, step);
        return number;
    }

    DEVICE pivot_verdict begin(pivot_search *s, const pivot_shape *shape, unsigned first,
                               unsigned last) const
    {
        float const base = __shfl_sync(WARP_ALL, x[0], 0, LANES);
        float       sum = 0, squares = 0;
#pragma unroll
        for (unsigned e = 0; e < VECTORS; e++)
            if (has(e))
#pragma unroll
                for (unsigned j = 0; j < 4; j++) {
                    float const apart = x[4 * e + j] - base;
                    sum += apart;
                    squares = __fmaf_rn(apart, apart, squares);
                }
        return pivot_begin(s, shape, base, total(sum), total(squares), first, last);
    }

    /* Vector t of a lane's part of the sample. Neighbouring lanes take different ones, so that the
     * sample of a row in order is spread. */
    static constexpr unsigned SKIP = VECTORS / EACH;
    DEVICE bool               samples(unsigned t) const { return has(t * SKIP + lane % SKIP); }

    /* The number of keys in the sample of a row. */
    static DEVICE unsigned sample_size(unsigned length)
    {
        pivot_row row;
        row.n = length;
        row.lane = lane_id() % LANES;
        unsigned size = 0;
#pragma unroll
        for (unsigned t = 0; t < EACH; t++)
            size += row.samples(t) ? 1u : 0u;
        return total(size);
    }

    /* Whether all keys are finite. */
    DEVICE bool is_finite(void) const
    {
        float nothing = 0;
#pragma unroll
        for (unsigned e = 0; e < VECTORS; e++)
            if (has(e))
#pragma unroll
                for (unsigned j = 0; j < 4; j++)
                    nothing = __fmaf_rn(x[4 * e + j], 0, nothing);
        return total(nothing) == 0;
    }

    /* Writes the sorted sample to `few`, which is of the group. Called by all lanes. */
    DEVICE void take_sample(float *few) const
    {
        int32_t y[EACH];
#pragma unroll
        for (unsigned t = 0; t < EACH; t++) {
            float key = x[4 * t * SKIP];
#pragma unroll
            for (unsigned skip = 1; skip < SKIP; skip++)
                key = pivot_choose(lane % SKIP == skip, x[4 * (t * SKIP + skip)], key);
            y[t] = samples(t) ? pivot_order(__float_as_int(key)) : INT32_MAX;
        }
        pivot_sort<M>(y);
        __syncwarp(); /* all lanes have read the keys of the last search */
#pragma unroll
        for (unsigned t = 0; t < EACH; t++)
            few[lane * EACH + t] = __int_as_float(pivot_order(y[t]));
        __syncwarp();
    }

    /* Counts the keys below the pivots. */
    DEVICE pivot_verdict count(pivot_search *s, const pivot_shape *shape, const float *sample)
    {
        pivot_compare const to_low = pivot_compare_of(s->low), to_high = pivot_compare_of(s->high);
        float               low = 0, high = 0;
#pragma unroll
        for (unsigned i = 0; i < PIVOT_ITEMS; i++) {
            low += pivot_below(to_low, x[i]);
            high += pivot_below(to_high, x[i]);
        }
        mine = (unsigned)(high - low);
        unsigned const all = (unsigned)total(low + high * 4096); /* exact: below 2^24 */
        if constexpr (SAMPLED)
            return pivot_judge_any(s, shape, sample, all % 4096, all / 4096);
        return pivot_judge(s, shape, all % 4096, all / 4096);
    }

    /* Searches from the mean, unless *by_sample, and then from a sample if that loses a row, which
     * sets *by_sample; rows of fewer than 2^PIVOT_SAMPLED_M lanes have no sample. Ends when all
     * groups of the warp are done or lost, or few are left. */
    DEVICE pivot_verdict search(pivot_search *s, const pivot_shape *shape, float *few,
                                unsigned first, unsigned last, bool *by_sample)
    {
        pivot_verdict verdict = PIVOT_LOST;
        bool          sampled = false;
        unsigned      counts = 0;
        if (!*by_sample)
            verdict = begin(s, shape, first, last);
#pragma unroll 1
        for (;;) {
            int const  again = __popc(__ballot_sync(WARP_ALL, verdict == PIVOT_AGAIN));
            bool const ends = again == 0 ||
                              counts >= (unsigned)(sampled ? PIVOT_SAMPLE_COUNTS : PIVOT_COUNTS) ||
                              (sampled && counts >= PIVOT_LATE && again <= PIVOT_STRAGGLERS);
            if (ends) {
                bool const is_lost = verdict == PIVOT_AGAIN || verdict == PIVOT_LOST;
                if (!SAMPLED || sampled || __popc(__ballot_sync(WARP_ALL, is_lost)) < PIVOT_LOSSES)
                    return verdict;
                *by_sample = sampled = true;
                counts = 0;
                take_sample(few);
                bool const finite = is_finite();
                if (is_lost) {
                    verdict = pivot_begin_sample(s, shape, few, first, last);
                    verdict = finite ? verdict : PIVOT_LOST;
                }
                continue;
            }
            pivot_verdict const now = count(s, shape, few);
            verdict = verdict == PIVOT_LOST ? PIVOT_LOST : now;
            counts++;
        }
    }

    /* The number of zeros, and of negative ones in the upper half. */
    DEVICE unsigned count_zeros(void) const
    {
        unsigned zeros = 0;
#pragma unroll
        for (unsigned i = 0; i < PIVOT_ITEMS; i++) /* the compiler would count for every row */
            asm volatile("{ .reg .pred is;\n"
                         "setp.eq.f32 is, %1, 0f00000000;\n"
                         "@is add.u32 %0, %0, 1;\n"
                         "setp.eq.b32 is, %2, 0x80000000;\n"
                         "@is add.u32 %0, %0, 65536; }"
                         : "+r"(zeros)
                         : "f"(x[i]), "r"(__float_as_uint(x[i])));
        return total(zeros);
    }

    /* Writes the keys between the pivots to `few`, which is of the group. Called by all lanes. */
    DEVICE void gather(const pivot_search &s, float *few) const
    {
        unsigned before = mine;
#pragma unroll
        for (unsigned step = 1; step < LANES; step *= 2) {
            unsigned const left = __shfl_up_sync(WARP_ALL, before, step, LANES);
            before += lane >= step ? left : 0;
        }
        unsigned to = (unsigned)__cvta_generic_to_shared(few + (before - mine));
#pragma unroll
        for (unsigned i = 0; i < PIVOT_ITEMS; i++) /* a branch would cost more */
            asm volatile("{ .reg .pred in;\n"
                         "setp.ge.f32 in, %1, %2;\n"
                         "setp.lt.and.f32 in, %1, %3, in;\n"
                         "@in st.shared.f32 [%0], %1;\n"
                         "@in add.u32 %0, %0, 4; }"
                         : "+r"(to)
                         : "f"(x[i]), "f"(s.low), "f"(s.high)
                         : "memory");
    }
};

/* What a search has found: keys in shared memory, or ties. */
struct pivot_found {
    bool     is_found, is_tied;
    int32_t  tie;   /* order of the tied keys, or of +0 */
    unsigned minus; /* negative zeros among them */
};

/* Settles ties: if zeros tie, the negative ones are counted. Called by all lanes. */
template <int M, bool FULL>
static DEVICE pivot_found pivot_settle(const pivot_row<M, FULL> &row, const pivot_search &s,
                                       pivot_verdict verdict)
{
    pivot_found found = {verdict == PIVOT_FOUND, verdict == PIVOT_TIED, 0, 0};
    bool const  is_zero = found.is_tied && s.high == PIVOT_LEAST;
    if (__any_sync(WARP_ALL, is_zero)) {
        unsigned const zeros = row.count_zeros();
        found.minus = is_zero ? zeros >> 16 : 0;
        if (is_zero && (zeros & 0xffff) != s.inside)
            found.is_tied = false;
    }
    found.tie = is_zero ? 0 : pivot_order(__float_as_int(s.low));
    return found;
}

/* The patterns of the keys of two ranks, which are equal or neighbours; *is_found becomes false if
 * the search is lost. Called by all lanes; `few` is of the group. */
template <int M, bool FULL>
static DEVICE uint2 pivot_pick(pivot_row<M, FULL> &row, const pivot_shape *shape, float *few,
                               unsigned first, unsigned second, bool *is_found, bool *by_sample)
{
    typedef pivot_row<M, FULL> ROW;
    constexpr int EACH = ROW::EACH;
    pivot_search        s;
    pivot_verdict const verdict =
        row.search(&s, shape, few, min(first, second), max(first, second), by_sample);
    pivot_found const found = pivot_settle(row, s, verdict);
    int32_t           x[EACH];
    if (!found.is_found)
        s.high = s.low; /* no key is between them */
    __syncwarp();       /* all lanes have read the keys of the last search */
    row.gather(s, few);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        unsigned const at = i * ROW::LANES + row.lane;
        int32_t const  key = pivot_order(__float_as_int(few[at]));
        x[i] = at < s.inside ? key : INT32_MAX;
    }
    pivot_sort<M>(x);
    auto const key_of = [&](unsigned rank) {
        unsigned const here = rank - s.below, at = found.is_found ? here : 0;
        int32_t const  key = __shfl_sync(WARP_ALL, sorted_item(x, at), at / EACH, ROW::LANES);
        int32_t const  tie = here < found.minus ? pivot_order(INT32_MIN) : found.tie;
        return (uint32_t)pivot_order(found.is_tied ? tie : key);
    };
    *is_found &= found.is_found || found.is_tied;
    uint32_t const key = key_of(first);
    return make_uint2(key, second != first ? key_of(second) : key);
}

#endif
