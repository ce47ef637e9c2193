/* segment_even.cuh - the maps of segments of evenly spread keys: from keys of 4 bytes to codes.
 *
 * One key of each of 1024 parts of a segment shows whether the keys are spread evenly between the
 * smallest and the largest, by bits if they are integers and by value if they are floats. Then the
 * map is linear. Otherwise a larger sample makes the table of a bent map
 * (dev_radix_even_map.cuh), of values or of the key bits of floats. There is no map if keys repeat,
 * because leaves would be slow, or if a code would have too many keys. Cost: 1024 or 5120 random
 * reads per segment. */
#ifndef ORDO_CUDA_SEGMENTS_SEGMENT_EVEN_H
#define ORDO_CUDA_SEGMENTS_SEGMENT_EVEN_H

#include "cuda/segments/segment_split.cuh"
#include "cuda/sort/dev_radix_even_map.cuh"

typedef records_alone<uint32_t> EVEN_KIND;

enum {
    FIT_THREADS = 1024, /* one sample key of each decides whether the keys are spread evenly */
    FIT_EACH = 4,       /* sample keys per thread for a map with a table */
    FIT_LG_MARKS = 17,  /* lg of the bits of a table of sample keys */
    FIT_CHANCE = 24,    /* most marks that keys of different values set twice */
    FIT_REPEATS = 32,   /* mean number of equal keys that leaves sort fast */
    FIT_RANGES = 16,    /* equal ranges between the ends of the sample */
    FIT_CROWDED = 104,  /* most sample keys in a range if the map is linear: 64 and five standard
                         * deviations */
    ROW_TILE = tile_records<EVEN_KIND>(),
    ROW_ITEMS = ROW_TILE / EVEN_THREADS,
    FULL_KEYS = 8192 /* most keys of a leaf that a network sorts */
};

enum even_kind { /* of the map of a segment */
    EVEN_LINEAR,
    EVEN_BENT, /* with a table */
    EVEN_BITS  /* with a table, of the key bits of floats, which grow with their logarithms */
};

static_assert(2 * ROW_TILE / EVEN_ROW_GROUP + 5 <= SEGMENT_EVEN_EACH,
              "the table has room for all bounds and an unused entry");

/* ---- Codes ---- */

/* Another code as a code of integers. */
template <typename CODE> struct even_bits_code {
    typedef uint32_t      BITS;
    static constexpr bool is_float = false;

    CODE     code;
    uint32_t inf; /* unused */

    DEVICE uint32_t encode(uint32_t raw) const { return code.encode(raw); }
};

/* A bent map of key bits. */
template <typename CODE> struct even_bent_bits {
    even_bent<even_bits_code<CODE>> bent;

    DEVICE uint32_t of(CODE const &code, uint32_t raw) const
    {
        return bent.of(even_bits_code<CODE>{code, 0}, raw);
    }
};

typedef radix_code<uint32_t, true, false>  even_real_code;
typedef radix_code<uint32_t, false, false> even_integer_code;

/* ---- Maps ---- */

/* The number of codes of a segment; 0: it is too long. */
static DEVICE uint32_t fit_codes(uint64_t length)
{
    return length <= SEGMENT_EVEN_LONGEST ? (uint32_t)(length / EVEN_ROW_GROUP + 1) : 0;
}

struct fit_shared {
    uint32_t marks[(1u << FIT_LG_MARKS) / 32];
    uint32_t ends[2][32], count[EVEN_MOST], bend[EVEN_PARTS], sums[32], twice;
    alignas(8) uint32_t line[8]; /* an even_map */
    bool fits;
};

/* Whether the sample of one key per thread repeats more keys than leaves can sort fast. The marks
 * are zeroed. Ends with a barrier. */
static DEVICE bool fit_repeats(fit_shared *shared, uint32_t raw, uint64_t length)
{
    unsigned const mark = raw * 0x9e3779b1u >> (32 - FIT_LG_MARKS);
    uint32_t const bit = 1u << mark % 32;
    bool const     again = (atomicOr(shared->marks + mark / 32, bit) & bit) != 0;
    int const      twice = __syncthreads_count(again);
    /* the repeats of a sample of so many different keys */
    float const different = (float)length / FIT_REPEATS;
    float const tied = FIT_THREADS - different * (1 - expf(-(float)FIT_THREADS / different));
    return (float)twice > FIT_CHANCE + tied;
}

/* Counts the sample keys with each number number(raw), below EVEN_MOST. Ends with a barrier. */
template <int EACH, typename F>
static DEVICE void fit_count(fit_shared *shared, const uint32_t (&raw)[EACH], F &&number)
{
    if (threadIdx.x < EVEN_MOST)
        shared->count[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll
    for (int e = 0; e < EACH; e++)
        atomicAdd(shared->count + number(raw[e]), 1u);
    __syncthreads();
}

/* Makes shared->line for keys with these ends. Returns false, in all threads, if there are too few
 * values. Ends with a barrier. */
template <typename CODE>
static DEVICE bool fit_line(fit_shared *shared, CODE const &code, uint32_t low, uint32_t high,
                            uint32_t codes, bool far)
{
    __syncthreads();
    if (threadIdx.x == 0)
        shared->fits =
            low < high && ((even_map<CODE> *)shared->line)->fit(code, low, high, codes, far);
    __syncthreads();
    return shared->fits;
}

/* Whether the keys are spread evenly enough for a linear map, which is then shared->line. */
template <typename CODE>
static DEVICE bool fit_linear(fit_shared *shared, CODE const &code, uint32_t raw, uint32_t low,
                              uint32_t high, uint32_t codes)
{
    uint32_t const        keys[1] = {raw};
    const even_map<CODE> *line = (const even_map<CODE> *)shared->line;
    if (!fit_line(shared, code, low, high, FIT_RANGES, false))
        return false;
    fit_count(shared, keys, [&](uint32_t key) { return line->of(code, key); });
    bool const crowded = threadIdx.x < FIT_RANGES && shared->count[threadIdx.x] > FIT_CROWDED;
    return __syncthreads_or(crowded) == 0 && fit_line(shared, code, low, high, codes, false);
}

/* Makes shared->line and shared->bend. Returns false, in all threads, if a code has too many keys
 * of the sample. */
template <typename CODE>
static DEVICE bool fit_bent(fit_shared *shared, CODE const &code, const uint32_t (&raw)[FIT_EACH],
                            uint32_t low, uint32_t high, uint32_t codes)
{
    if (!fit_line(shared, code, low, high, 1u << EVEN_LG_FINE, true))
        return false;
    even_bent<CODE> const bent = {*(const even_map<CODE> *)shared->line, shared->bend};
    fit_count(shared, raw, [&](uint32_t key) { return bent.line.of(code, key) >> EVEN_LG_PART; });
    if (!even_make_bend<FIT_THREADS / 32>(shared->count, codes, shared->bend, shared->sums))
        return false;
    fit_count(shared, raw, [&](uint32_t key) { return bent.of(code, key); });
    float const mean = (float)(FIT_THREADS * FIT_EACH) / (float)codes;
    float const most = 3 * mean + 4 * sqrtf(mean) + 2;
    return __syncthreads_or(threadIdx.x < codes && (float)shared->count[threadIdx.x] > most) == 0;
}

/* Makes the map of a segment in shared memory; *kind is an even_kind. Returns the number of codes,
 * the same in all threads, or 0 if the keys are not even. Maps with a table have twice as many
 * codes, because the numbers of their keys vary more. */
template <typename CODE>
static DEVICE uint32_t fit_map(fit_shared *shared, CODE const &code, const uint32_t *keys,
                               uint64_t length, uint32_t codes, even_kind *kind)
{
    uint32_t const place = (uint32_t)split_sample_place(threadIdx.x, FIT_THREADS, length);
    uint32_t const one[1] = {keys[place]}, more = 2 * codes;
    uint32_t       low, high, raw[FIT_EACH];
    __syncthreads(); /* the shared memory may be written again */
    for (unsigned m = threadIdx.x; m < (1u << FIT_LG_MARKS) / 32; m += FIT_THREADS)
        shared->marks[m] = 0;
    even_find_ends(code, one, shared->ends, &low, &high);
    if (fit_repeats(shared, one[0], length))
        return 0;
    *kind = EVEN_LINEAR;
    if (fit_linear(shared, code, one[0], low, high, codes))
        return codes;
    if (more > EVEN_MOST)
        return 0;
#pragma unroll
    for (int e = 0; e < FIT_EACH; e++)
        raw[e] =
            keys[split_sample_place(e * FIT_THREADS + threadIdx.x, FIT_THREADS * FIT_EACH, length)];
    __syncthreads(); /* the ends may be written again */
    even_find_ends(code, raw, shared->ends, &low, &high);
    *kind = EVEN_BENT;
    if (fit_bent(shared, code, raw, low, high, more))
        return more;
    *kind = EVEN_BITS;
    bool const fits =
        CODE::is_float && fit_bent(shared, even_bits_code<CODE>{code, 0}, raw, low, high, more);
    return fits ? more : 0;
}

#endif
