/* cuda_keys.cuh - key bits (core/keybits.h) for kernels that know only the width of a key.
 *
 * A kernel is compiled for a width and for integers or floats: six combinations for the ten types.
 * Branches that all threads take alike choose direction and ties at run time:
 *     key_code<uint32_t, true> code   f32
 *     code.encode(raw)                a key as in memory -> key bits
 *     code.decode(bits)               the inverse; only where ties are not folded
 * Folded codes map tied keys (-0 and +0; all NaNs) to one value: stable sorts, ranks, searches.
 * Other codes are one-to-one: sorts of keys alone, selection. */
#ifndef ORDO_CUDA_RUNTIME_CUDA_KEYS_H
#define ORDO_CUDA_RUNTIME_CUDA_KEYS_H

#include "core/keybits.h"
#include "cuda/runtime/cuda_rt.cuh"

/* The functions of core/keybits.h for a float given as its bits in memory. */
template <typename BITS> struct key_float;
#define KEY_FLOAT(bits_, type_, tag, value_of, bits_of)                                            \
    template <> struct key_float<bits_> {                                                          \
        typedef type_       type;                                                                  \
        static DEVICE type_ value(bits_ raw) { return value_of(raw); }                             \
        static DEVICE bits_ bits(bits_ raw) { return key_bits_##tag(value(raw)); }                 \
        static DEVICE bits_ fold(bits_ raw) { return key_fold_##tag(value(raw)); }                 \
        static DEVICE bits_ desc(bits_ raw) { return key_desc_##tag(value(raw)); }                 \
        static DEVICE bits_ turn(bits_ bits) { return key_turn_##tag(bits); }                      \
        static DEVICE bits_ raw(bits_ bits) { return (bits_)bits_of(key_of_##tag(bits)); }         \
        static DEVICE bool  is_nan(bits_ raw) { return key_is_nan_##tag(value(raw)) != 0; }        \
        static DEVICE bool  same(bits_ a, bits_ b)                                                 \
        {                                                                                          \
            return key_same_##tag(value(a), value(b)) != 0;                                        \
        }                                                                                          \
    };
KEY_FLOAT(uint32_t, float, f32, __uint_as_float, __float_as_uint)
KEY_FLOAT(uint64_t, double, f64, __longlong_as_double, __double_as_longlong)
#undef KEY_FLOAT

template <typename BITS, bool FLOAT> struct key_code;

/* Integers: one xor maps signed keys and descending order to ascending unsigned integers. */
template <typename BITS_> struct key_code<BITS_, false> {
    typedef BITS_         BITS;
    static constexpr bool is_float = false;

    BITS flip;

    DEVICE BITS encode(BITS raw) const { return (BITS)(raw ^ flip); }
    DEVICE BITS decode(BITS bits) const { return (BITS)(bits ^ flip); }
};

template <typename BITS_> struct key_code<BITS_, true> {
    typedef BITS_         BITS;
    static constexpr bool is_float = true;

    bool descending, folded;

    DEVICE BITS encode(BITS raw) const
    {
        typedef key_float<BITS> F;
        if (folded)
            return descending ? F::desc(raw) : F::fold(raw);
        BITS const bits = F::bits(raw);
        return descending ? F::turn(bits) : bits;
    }
    DEVICE BITS decode(BITS bits) const
    {
        typedef key_float<BITS> F;
        return F::raw(descending ? F::turn(bits) : bits);
    }
};

/* Integers or floats of one width; one uniform branch at run time chooses for N keys. For kernels
 * that do much more with a key than encode it. One-to-one. */
template <typename BITS_> struct key_code_by_width {
    typedef BITS_ BITS;

    key_code<BITS, false> integer;
    key_code<BITS, true>  real;
    bool                  is_real;

    template <int N> DEVICE void encode_each(const BITS *raw, BITS *bits) const
    {
        if (is_real) {
#pragma unroll
            for (int i = 0; i < N; i++)
                bits[i] = real.encode(raw[i]);
        } else {
#pragma unroll
            for (int i = 0; i < N; i++)
                bits[i] = integer.encode(raw[i]);
        }
    }
    template <int N> DEVICE void decode_each(const BITS *bits, BITS *raw) const
    {
        if (is_real) {
#pragma unroll
            for (int i = 0; i < N; i++)
                raw[i] = real.decode(bits[i]);
        } else {
#pragma unroll
            for (int i = 0; i < N; i++)
                raw[i] = integer.decode(bits[i]);
        }
    }
    DEVICE BITS encode(BITS raw) const { return is_real ? real.encode(raw) : integer.encode(raw); }
    DEVICE BITS decode(BITS bits) const
    {
        return is_real ? real.decode(bits) : integer.decode(bits);
    }
};

enum key_ties {
    KEY_TOTAL, /* one-to-one */
    KEY_FOLDED /* tied keys have the same value */
};

template <typename BITS> static inline key_code<BITS, false> integer_code(bool is_signed, bool desc)
{
    BITS const sign = (BITS)((BITS)1 << (8 * sizeof(BITS) - 1));
    return {(BITS)((is_signed ? sign : (BITS)0) ^ (desc ? (BITS) ~(BITS)0 : (BITS)0))};
}

/* Calls f with the code of a type. f is a generic lambda [&](auto code) that returns an
 * ordo_status; decltype(code)::BITS is the width. */
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
    case ORDO_F32:
        return f(key_code<uint32_t, true>{descending, ties == KEY_FOLDED});
    case ORDO_F64:
        return f(key_code<uint64_t, true>{descending, ties == KEY_FOLDED});
    }
    return ORDO_E_ARG;
}

/* Calls f with the key_code_by_width of a type of 4 or 8 bytes; other types are refused. */
template <typename F>
static inline ordo_status with_key_width(ordo_type type, bool descending, F &&f)
{
    return with_key_code(type, descending, KEY_TOTAL, [&](auto code) -> ordo_status {
        typedef decltype(code)      CODE;
        typedef typename CODE::BITS BITS;
        if constexpr (sizeof(BITS) < 4) {
            return ORDO_E_UNSUPPORTED;
        } else {
            key_code_by_width<BITS> any = {};
            any.is_real = CODE::is_float;
            if constexpr (CODE::is_float)
                any.real = code;
            else
                any.integer = code;
            return f(any);
        }
    });
}

#endif
