/* cuda_keys.cuh - keys as unsigned integers whose order is the order of keys (core/keybits.h), for
 * kernels that know a key only by its width.
 *
 * A kernel is compiled for a width and for integers or floats, six combinations for the ten
 * types; direction and ties are settled at run time by two uniform branches:
 *     key_code<uint32_t, true> code   f32
 *     code.encode(raw)                the pattern as read from memory -> order bits
 *     code.decode(bits)               back; only where ties are not folded
 * Folded codes give tied keys (-0 and +0; all NaNs) one value: stable sorts, ranks, searches.
 * Codes that are not folded are one-to-one: sorts of keys alone, selection. */
#ifndef ORDO_CUDA_RUNTIME_CUDA_KEYS_H
#define ORDO_CUDA_RUNTIME_CUDA_KEYS_H

#include "core/keybits.h"
#include "cuda/runtime/cuda_rt.cuh"

template <typename BITS> struct key_float;
template <> struct key_float<uint32_t> {
    typedef float                              type;
    static __device__ __forceinline__ uint32_t bits(uint32_t raw)
    {
        return key_bits_f32(__uint_as_float(raw));
    }
    static __device__ __forceinline__ uint32_t fold(uint32_t raw)
    {
        return key_fold_f32(__uint_as_float(raw));
    }
    static __device__ __forceinline__ uint32_t desc(uint32_t raw)
    {
        return key_desc_f32(__uint_as_float(raw));
    }
    static __device__ __forceinline__ uint32_t turn(uint32_t bits) { return key_turn_f32(bits); }
    static __device__ __forceinline__ uint32_t raw(uint32_t bits)
    {
        return __float_as_uint(key_of_f32(bits));
    }
};
template <> struct key_float<uint64_t> {
    typedef double                             type;
    static __device__ __forceinline__ uint64_t bits(uint64_t raw)
    {
        return key_bits_f64(__longlong_as_double((long long)raw));
    }
    static __device__ __forceinline__ uint64_t fold(uint64_t raw)
    {
        return key_fold_f64(__longlong_as_double((long long)raw));
    }
    static __device__ __forceinline__ uint64_t desc(uint64_t raw)
    {
        return key_desc_f64(__longlong_as_double((long long)raw));
    }
    static __device__ __forceinline__ uint64_t turn(uint64_t bits) { return key_turn_f64(bits); }
    static __device__ __forceinline__ uint64_t raw(uint64_t bits)
    {
        return (uint64_t)__double_as_longlong(key_of_f64(bits));
    }
};

template <typename BITS, bool FLOAT> struct key_code;

/* Integers: one xor, which turns signed keys and descending order into ascending unsigned. */
template <typename BITS_> struct key_code<BITS_, false> {
    typedef BITS_         BITS;
    static constexpr bool is_float = false;

    BITS flip;

    __device__ __forceinline__ BITS encode(BITS raw) const { return (BITS)(raw ^ flip); }
    __device__ __forceinline__ BITS decode(BITS bits) const { return (BITS)(bits ^ flip); }
};

template <typename BITS_> struct key_code<BITS_, true> {
    typedef BITS_         BITS;
    static constexpr bool is_float = true;

    bool descending, folded;

    __device__ __forceinline__ BITS encode(BITS raw) const
    {
        typedef key_float<BITS> F;
        if (folded)
            return descending ? F::desc(raw) : F::fold(raw);
        BITS const bits = F::bits(raw);
        return descending ? F::turn(bits) : bits;
    }
    __device__ __forceinline__ BITS decode(BITS bits) const
    {
        typedef key_float<BITS> F;
        return F::raw(descending ? F::turn(bits) : bits);
    }
};

enum key_ties {
    KEY_TOTAL, /* one-to-one */
    KEY_FOLDED /* tied keys are one value */
};

template <typename BITS> static inline key_code<BITS, false> integer_code(bool is_signed, bool desc)
{
    BITS const                  sign = (BITS)((BITS)1 << (8 * sizeof(BITS) - 1));
    key_code<BITS, false> const code = {
        (BITS)((is_signed ? sign : (BITS)0) ^ (desc ? (BITS) ~(BITS)0 : (BITS)0))};
    return code;
}

/* Calls f with the code of a type: f is a generic lambda, [&](auto code) { ... }, and returns an
 * ordo_status. Inside, decltype(code)::BITS is the width. */
template <typename F>
static inline ordo_status with_key_code(ordo_type type, bool descending, key_ties ties, F &&f)
{
    switch (type) {
    case ORDO_I8:
    case ORDO_U8:
        return f(integer_code<uint8_t>(type == ORDO_I8, descending));
    case ORDO_I16:
    case ORDO_U16:
        return f(integer_code<uint16_t>(type == ORDO_I16, descending));
    case ORDO_I32:
    case ORDO_U32:
        return f(integer_code<uint32_t>(type == ORDO_I32, descending));
    case ORDO_I64:
    case ORDO_U64:
        return f(integer_code<uint64_t>(type == ORDO_I64, descending));
    case ORDO_F32: {
        key_code<uint32_t, true> const code = {descending, ties == KEY_FOLDED};
        return f(code);
    }
    case ORDO_F64: {
        key_code<uint64_t, true> const code = {descending, ties == KEY_FOLDED};
        return f(code);
    }
    }
    return ORDO_E_ARG;
}

#endif
