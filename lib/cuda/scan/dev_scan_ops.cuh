/* dev_scan_ops.cuh - the operations of scans: sums, minima and maxima of the ten types, products of
 * integers.
 *
 * An operation is a struct. RAW is the type read, OUT the type written, ACC the type combined.
 * enter converts RAW to ACC, leave converts ACC to OUT; add combines; identity is the neutral
 * element; start is the value before the first element; blank replaces a missing element; of_warp
 * combines the values of all lanes. Narrow integers are combined in 32 bits and truncated. Maxima
 * are maxima of key bits; minima are maxima of inverted key bits. The neutral element of a float
 * sum is -0, and every NaN is written as the default NaN. Sums, minima and maxima of bytes are
 * scanned four at a time (HALVES), even and odd bytes in the halves of two words. */
#ifndef ORDO_CUDA_SCAN_DEV_SCAN_OPS_H
#define ORDO_CUDA_SCAN_DEV_SCAN_OPS_H

#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/warp/warp_scan.cuh"

/* Every second byte of a word. */
static DEVICE uint32_t even_bytes(uint32_t word) { return word & 0x00ff00ffu; }

template <typename RAW_, typename OUT_> struct sum_integer {
    typedef RAW_                                RAW;
    typedef OUT_                                OUT;
    typedef typename word_of<sizeof(OUT)>::type ACC;

    ACC sign; /* the sign bit of RAW if it must be extended, else 0 */

    static DEVICE ACC identity(void) { return 0; }
    static DEVICE ACC add(ACC a, ACC b) { return a + b; }
    static DEVICE ACC of_warp(ACC x)
    {
        if constexpr (sizeof(ACC) == 4)
            return __reduce_add_sync(WARP_ALL, x);
        else
            return warp_reduce<sum_integer>(x);
    }
    static __host__ ACC start(bool exclusive) { return (void)exclusive, 0; }
    DEVICE RAW          blank(void) const { return 0; }
    DEVICE ACC          enter(RAW x) const { return ((ACC)x ^ sign) - sign; }
    DEVICE OUT          leave(ACC sum) const { return (OUT)sum; }

    /* for bytes: flip is for a word of four, add_halves for two in the halves of a word */
    static constexpr bool  HALVES = true;
    DEVICE uint32_t        flip(void) const { return 0; }
    static DEVICE uint32_t add_halves(uint32_t a, uint32_t b) { return a + b; }
};

/* A product modulo 2^width. */
template <typename RAW_, typename OUT_> struct product_integer {
    typedef RAW_                                RAW;
    typedef OUT_                                OUT;
    typedef typename word_of<sizeof(OUT)>::type ACC;

    static constexpr bool HALVES = false;

    ACC sign; /* the sign bit of RAW if it must be extended, else 0 */

    static DEVICE ACC   identity(void) { return 1; }
    static DEVICE ACC   add(ACC a, ACC b) { return a * b; }
    static DEVICE ACC   of_warp(ACC x) { return warp_reduce<product_integer>(x); }
    static __host__ ACC start(bool exclusive) { return (void)exclusive, 1; }
    DEVICE RAW          blank(void) const { return 1; }
    DEVICE ACC          enter(RAW x) const { return ((ACC)x ^ sign) - sign; }
    DEVICE OUT          leave(ACC product) const { return (OUT)product; }
};

static DEVICE float  one_nan(float) { return __uint_as_float(0x7fc00000u); }
static DEVICE double one_nan(double) { return __longlong_as_double(0x7ff8000000000000ll); }

template <typename RAW_, typename OUT_> struct sum_float {
    typedef RAW_ RAW;
    typedef OUT_ OUT;
    typedef OUT_ ACC;

    static constexpr bool HALVES = false;

    static DEVICE ACC   identity(void) { return (ACC)-0.0; }
    static DEVICE ACC   add(ACC a, ACC b) { return a + b; }
    static DEVICE ACC   of_warp(ACC x) { return warp_reduce<sum_float>(x); }
    static __host__ ACC start(bool exclusive) { return exclusive ? (ACC)0.0 : (ACC)-0.0; }
    DEVICE RAW          blank(void) const { return (RAW)-0.0; }
    DEVICE ACC          enter(RAW x) const { return (ACC)x; }
    DEVICE OUT          leave(ACC sum) const { return sum != sum ? one_nan(sum) : sum; }
};

/* The maximum of (key bits ^ turn). */
template <typename BITS, bool FLOAT> struct most {
    typedef BITS                                 RAW;
    typedef BITS                                 OUT;
    typedef typename word_of<sizeof(BITS)>::type ACC;

    BITS turn; /* all ones for minima, xor the sign bit for signed integers */

    static DEVICE ACC identity(void) { return 0; }
    static DEVICE ACC add(ACC a, ACC b) { return a > b ? a : b; }
    static DEVICE ACC of_warp(ACC x)
    {
        if constexpr (sizeof(ACC) == 4)
            return __reduce_max_sync(WARP_ALL, x);
        else
            return warp_reduce<most>(x);
    }
    static __host__ ACC start(bool exclusive) { return (void)exclusive, 0; }
    DEVICE RAW          blank(void) const { return leave(0); }
    DEVICE ACC          enter(RAW x) const
    {
        if constexpr (FLOAT)
            return key_float<BITS>::bits(x) ^ turn;
        else
            return (BITS)(x ^ turn);
    }
    DEVICE OUT leave(ACC bits) const
    {
        if constexpr (FLOAT)
            return key_float<BITS>::raw((BITS)bits ^ turn);
        else
            return (BITS)(bits ^ turn);
    }

    static constexpr bool  HALVES = true;
    DEVICE uint32_t        flip(void) const { return turn * 0x01010101u; }
    static DEVICE uint32_t add_halves(uint32_t a, uint32_t b) { return __vmaxu2(a, b); }
};

/* Whether bytes are scanned to bytes, and whether four at a time. */
template <typename OP>
static constexpr bool by_bytes = sizeof(typename OP::RAW) == 1 && sizeof(typename OP::OUT) == 1;
template <typename OP> static constexpr bool by_halves = by_bytes<OP> &&OP::HALVES;

/* The combination of the elements of a vector. */
template <typename OP, int COUNT>
static DEVICE typename OP::ACC vector_sum(const OP                                 &op,
                                          const vector_of<typename OP::RAW, COUNT> &vector)
{
    typedef typename OP::ACC ACC;
    if constexpr (by_halves<OP>) {
        uint32_t words[COUNT / 4], halves = 0;
        memcpy(words, &vector, sizeof words);
#pragma unroll
        for (int i = 0; i < COUNT / 4; i++) {
            uint32_t const x = words[i] ^ op.flip();
            halves = OP::add_halves(halves, OP::add_halves(even_bytes(x), even_bytes(x >> 8)));
        }
        return OP::add(halves & 0xffffu, halves >> 16);
    } else {
        ACC sum = op.enter(vector.at[0]);
#pragma unroll
        for (int i = 1; i < COUNT; i++)
            sum = OP::add(sum, op.enter(vector.at[i]));
        return sum;
    }
}

/* The results of four bytes; *base becomes the sum before the next byte. Sums are at most 255 plus
 * four bytes, so no half overflows. */
template <typename OP>
static DEVICE uint32_t bytes_scan(const OP &op, uint32_t word, uint32_t *base, bool exclusive)
{
    uint32_t const x = word ^ op.flip(), even = even_bytes(x);
    uint32_t const pairs = OP::add_halves(even, even_bytes(x >> 8));
    uint32_t const before = pairs << 16; /* before each even byte: nothing, and the first pair */
    uint32_t const all = (*base & 0xffu) * 0x00010001u;
    uint32_t const to_even = OP::add_halves(OP::add_halves(even, before), all);
    uint32_t const to_odd = OP::add_halves(OP::add_halves(pairs, before), all);
    *base = to_odd >> 16;
    return op.flip() ^ (exclusive ? __byte_perm(OP::add_halves(before, all), to_even, 0x6240)
                                  : __byte_perm(to_even, to_odd, 0x6240));
}

/* The results of a vector; `base` is the sum before it. */
template <typename OP, int COUNT>
static DEVICE vector_of<typename OP::OUT, COUNT>
vector_scan(const OP &op, const vector_of<typename OP::RAW, COUNT> &vector, typename OP::ACC base,
            bool exclusive)
{
    typedef typename OP::ACC           ACC;
    vector_of<typename OP::OUT, COUNT> result;
    if constexpr (by_halves<OP>) {
        uint32_t words[COUNT / 4];
        memcpy(words, &vector, sizeof words);
#pragma unroll
        for (int i = 0; i < COUNT / 4; i++)
            words[i] = bytes_scan(op, words[i], &base, exclusive);
        memcpy(&result, words, sizeof words);
    } else {
        ACC sum = op.enter(vector.at[0]);
        result.at[0] = op.leave(exclusive ? base : OP::add(base, sum));
#pragma unroll
        for (int i = 1; i < COUNT; i++) {
            ACC const next = OP::add(sum, op.enter(vector.at[i]));
            result.at[i] = op.leave(OP::add(base, exclusive ? sum : next));
            sum = next;
        }
    }
    return result;
}

template <typename OP> struct scan_work {
    typedef typename OP::RAW RAW;
    typedef typename OP::OUT OUT;

    const RAW       *in;
    OUT             *out;
    size_t           n;
    OP               op;
    typename OP::ACC start;
    bool             exclusive;
    bool             wide_in, wide_out; /* whether the array is aligned for vectors */
    bool             first_given;       /* the first result is first_result */
    OUT              first_result;
};

/* Whether a job multiplies floats; dev_product.cu: dev_product does such a job, also of segments
 * without a step, and takes no scratch. */
static inline bool is_float_product(const ordo_scan_job *job)
{
    return job->op == ORDO_PRODUCT && (job->type == ORDO_F32 || job->type == ORDO_F64);
}
ordo_status dev_product(cuda_call *call, const ordo_scan_job *job);

/* Calls f(op, first_given, first) with the operation of a job, which does not multiply floats.
 * first_given: the first result of an exclusive scan is `first`. The neutral element of minima has
 * the largest key bits, which for floats is a NaN, so their first exclusive minimum is +inf
 * instead. */
template <typename F> static inline ordo_status with_scan_op(const ordo_scan_job *job, F &&f)
{
    bool const is_wide = job->out_type != job->type, is_sum = job->op == ORDO_SUM;
    bool const extends = job->out_type == ORDO_I64, least = job->op == ORDO_MIN;
    return with_key_code(job->type, false, KEY_TOTAL, [&](auto code) -> ordo_status {
        typedef decltype(code)      CODE;
        typedef typename CODE::BITS BITS;
        if constexpr (CODE::is_float) {
            typedef typename key_float<BITS>::type FLOAT;
            if (is_sum)
                return is_wide ? f(sum_float<FLOAT, double>{}, false, 0.0)
                               : f(sum_float<FLOAT, FLOAT>{}, false, (FLOAT)0);
            uint64_t const infinity = sizeof(BITS) == 4 ? 0x7f800000u : 0x7ff0000000000000u;
            return f(most<BITS, true>{(BITS)(least ? ~(BITS)0 : 0)}, least, (BITS)infinity);
        } else {
            uint64_t const sign =
                sizeof(BITS) < 8 && extends ? (uint64_t)1 << (8 * sizeof(BITS) - 1) : 0;
            if (is_sum)
                return is_wide ? f(sum_integer<BITS, uint64_t>{sign}, false, (uint64_t)0)
                               : f(sum_integer<BITS, BITS>{0}, false, (BITS)0);
            if (job->op == ORDO_PRODUCT)
                return is_wide ? f(product_integer<BITS, uint64_t>{sign}, false, (uint64_t)0)
                               : f(product_integer<BITS, BITS>{0}, false, (BITS)0);
            return f(most<BITS, false>{(BITS)((least ? ~(BITS)0 : 0) ^ code.flip)}, false, (BITS)0);
        }
    });
}

#endif
