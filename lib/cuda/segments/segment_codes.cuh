/* segment_codes.cuh - key bits of any type in words of 4 or 8 bytes, chosen at run time by branches
 * that all threads take alike: for kernels that do much more with a key than encode it. */
#ifndef ORDO_CUDA_SEGMENTS_SEGMENT_CODES_H
#define ORDO_CUDA_SEGMENTS_SEGMENT_CODES_H

#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/segments/segments.cuh"

template <typename WORD> struct segment_codes {
    unsigned             bytes; /* of a key, at most those of WORD */
    bool                 is_float;
    WORD                 flip; /* integers */
    key_code<WORD, true> real;
    ordo_type            type;

    DEVICE WORD raw(const void *keys, uint64_t i) const
    {
        if constexpr (sizeof(WORD) == 8)
            return ((const uint64_t *)keys)[i];
        else
            return bytes == 4   ? ((const uint32_t *)keys)[i]
                   : bytes == 2 ? ((const uint16_t *)keys)[i]
                                : ((const uint8_t *)keys)[i];
    }
    DEVICE WORD encode(WORD raw) const { return is_float ? real.encode(raw) : raw ^ flip; }
    /* The same for N keys, with few branches. */
    template <int N> DEVICE void encode_each(const WORD (&raw)[N], WORD (&code)[N]) const
    {
        if (!is_float) {
#pragma unroll
            for (int e = 0; e < N; e++)
                code[e] = raw[e] ^ flip;
            return;
        }
#pragma unroll
        for (int e = 0; e < N; e++)
            code[e] = key_float<WORD>::bits(raw[e]);
        if (real.folded) {
#pragma unroll
            for (int e = 0; e < N; e++)
                code[e] = sizeof(WORD) == 8 ? (WORD)key_tie_f64(code[e])
                                            : (WORD)key_tie_f32((uint32_t)code[e]);
        }
        if (real.descending) {
#pragma unroll
            for (int e = 0; e < N; e++)
                code[e] = key_float<WORD>::turn(code[e]);
        }
    }
    /* Words that have the order and the ties of the codes, for N keys. They cost less than the
     * codes for folded f32: a sum with +0 gives +0 for -0, and one NaN, which is above +inf, for
     * every NaN. These sums do not depend on a rounding mode. */
    template <int N> DEVICE void order_each(const WORD (&raw)[N], WORD (&word)[N]) const
    {
        if constexpr (sizeof(WORD) == 4)
            if (is_float && real.folded) {
#pragma unroll
                for (int e = 0; e < N; e++) {
                    float const x = __uint_as_float(real.descending ? raw[e] ^ 1u << 31 : raw[e]);
                    uint32_t const u = __float_as_uint(__fadd_rn(x, 0.0f));
                    word[e] = u ^ ((0u - (u >> 31)) | 1u << 31);
                }
                return;
            }
        encode_each(raw, word);
    }
    DEVICE WORD decode(WORD code) const { return is_float ? real.decode(code) : code ^ flip; }
    DEVICE WORD read(const void *keys, uint64_t i) const { return encode(raw(keys, i)); }

    DEVICE void write_raw(void *keys, uint64_t i, WORD raw) const
    {
        if constexpr (sizeof(WORD) == 8)
            ((uint64_t *)keys)[i] = raw;
        else if (bytes == 4)
            ((uint32_t *)keys)[i] = raw;
        else if (bytes == 2)
            ((uint16_t *)keys)[i] = (uint16_t)raw;
        else
            ((uint8_t *)keys)[i] = (uint8_t)raw;
    }

    /* The largest code that is not a NaN. */
    DEVICE WORD last_number(void) const
    {
        return !is_float           ? (WORD) ~(WORD)0
               : sizeof(WORD) == 8 ? (WORD)KEY_INF_F64
                                   : (WORD)KEY_INF_F32;
    }
    DEVICE WORD nan(void) const
    {
        return sizeof(WORD) == 8 ? (WORD)0x7ff8000000000000ull : (WORD)0x7fc00000u;
    }

    /* The value of a key as in memory. */
    DEVICE double value(WORD raw) const
    {
        switch (type) {
        case ORDO_I8:
            return (double)(int8_t)raw;
        case ORDO_I16:
            return (double)(int16_t)raw;
        case ORDO_I32:
            return (double)(int32_t)raw;
        case ORDO_I64:
            return (double)(int64_t)raw;
        case ORDO_F32:
            return (double)__uint_as_float((uint32_t)raw);
        case ORDO_F64:
            return __longlong_as_double((long long)raw);
        default:
            return (double)raw;
        }
    }
};

/* N codes of a thread: x[e] is the code of element at(e) of the array, or `padding` if
 * !is_there(e). */
template <int N, typename WORD, typename AT, typename IS_THERE>
static DEVICE void segment_read_items(const segment_codes<WORD> &codes, const void *keys, AT &&at,
                                      IS_THERE &&is_there, WORD padding, WORD (&x)[N])
{
    WORD raw[N];
    read_items(keys, codes.bytes, at, is_there, raw);
    codes.encode_each(raw, x);
#pragma unroll
    for (int e = 0; e < N; e++)
        x[e] = is_there(e) ? x[e] : padding;
}

/* Results of a selection: keys, and their places in their segments. A kernel argument. */
struct segment_found {
    void *keys, *index; /* NULL: not wanted */
    bool  index_is_wide;
};

/* Writes result `at`: a key as it is in memory, and its place. */
template <typename WORD>
static DEVICE void segment_put(const segment_codes<WORD> &codes, const segment_found &to,
                               uint64_t at, uint64_t place, WORD raw)
{
    if (to.keys != NULL)
        codes.write_raw(to.keys, at, raw);
    if (to.index != NULL && to.index_is_wide)
        ((uint64_t *)to.index)[at] = place;
    else if (to.index != NULL)
        ((uint32_t *)to.index)[at] = (uint32_t)place;
}

/* Calls f with the codes of a type. */
template <typename F>
static inline ordo_status with_segment_codes(ordo_type type, bool descending, key_ties ties, F &&f)
{
    return with_word(cuda_type_size(type) == 8, [&](auto zero) {
        typedef decltype(zero) WORD;
        segment_codes<WORD>    codes = {};
        codes.bytes = (unsigned)cuda_type_size(type);
        codes.type = type;
        (void)with_key_code(type, descending, ties, [&](auto code) {
            typedef decltype(code) CODE;
            codes.is_float = CODE::is_float;
            if constexpr (!CODE::is_float)
                codes.flip = (WORD)code.flip;
            return ORDO_OK;
        });
        codes.real = {descending, ties == KEY_FOLDED};
        return f(codes);
    });
}

#endif
