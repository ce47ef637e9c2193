/* kernels_neon.c - the kernels for NEON, which every aarch64 CPU has.
 *
 * On a Neoverse V1 these loops get two 128-bit operations per cycle, and loads and scalar
 * operations run beside them at nearly no cost. So positions come as rows from tables indexed by a
 * byte of the word, and the start of a group of ties in an earlier byte is found by counting zeros
 * in a general register. Stores are ordinary, because these CPUs detect large writes and bypass the
 * cache by themselves. The plain loops are those of the generic table, which the compiler turns
 * into NEON. */
#include "cpu/base/kernels.h"
#include "cpu/kernel/byte_rows.h"

#include <arm_neon.h>

/* Tables of eight lanes: 52 KB. Positions have ROW_ZERO added, so that unsigned 16-bit lanes order
 * positions before and after a byte. [odd] rows are for the second byte of a pair and count from
 * the start of the first byte. */
enum {
    ROW_ZERO = 0x8000,
    NEAR_SPAN = 1024,         /* near_rows covers positions from -NEAR_SPAN to NEAR_SPAN - 1 */
    NEAR_MAX = NEAR_SPAN - 72 /* near + 64 + 8 is a row of near_rows */
};

#define LAST_EVEN(b, l) LAST(b, l, -ROW_ZERO) + ROW_ZERO
#define LAST_ODD(b, l) LAST(b, l, -ROW_ZERO - 8) + ROW_ZERO + 8
#define NEXT_EVEN(b, l) NEXT(b, l, 0x7fff) + ROW_ZERO
#define NEXT_ODD(b, l) NEXT(b, l, 0x7ff7) + ROW_ZERO + 8
#define NEAR(p, l) (p) - NEAR_SPAN + ROW_ZERO
/* 0: no set bit at or before the lane; 0xffff: no set bit after the lane. */
static const uint16_t last_rows[2][256][8] = {{ROWS256(LAST_EVEN, 0)}, {ROWS256(LAST_ODD, 0)}};
static const uint16_t next_rows[2][256][8] = {{ROWS256(NEXT_EVEN, 0)}, {ROWS256(NEXT_ODD, 0)}};
static const uint16_t count_rows[256][8] = {ROWS256(COUNT, 0)};
/* Row p holds position p - NEAR_SPAN eight times. */
static const uint16_t near_rows[2 * NEAR_SPAN][8] = {
    ROWS256(NEAR, 0),    ROWS256(NEAR, 256),  ROWS256(NEAR, 512),  ROWS256(NEAR, 768),
    ROWS256(NEAR, 1024), ROWS256(NEAR, 1280), ROWS256(NEAR, 1536), ROWS256(NEAR, 1792)};

/* ---- Keys to bits ----
 *
 * A comparison sets each lane to 0 or ~0. Narrowing pairs of vectors turns 64 lanes into 64 bytes.
 * A mask of 1 2 4 ... 128 and three pairwise additions turn these into 64 bits. */

INLINE uint64_t bits_of_bytes(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d)
{
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t const     w = vld1q_u8(weights);
    uint8x16_t const     ab = vpaddq_u8(vandq_u8(a, w), vandq_u8(b, w));
    uint8x16_t const     cd = vpaddq_u8(vandq_u8(c, w), vandq_u8(d, w));
    uint8x16_t const     abcd = vpaddq_u8(ab, cd);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(abcd, abcd)), 0);
}

INLINE uint8x16_t narrow16(uint16x8_t a, uint16x8_t b)
{
    return vuzp1q_u8(vreinterpretq_u8_u16(a), vreinterpretq_u8_u16(b));
}

INLINE uint16x8_t narrow32(uint32x4_t a, uint32x4_t b)
{
    return vuzp1q_u16(vreinterpretq_u16_u32(a), vreinterpretq_u16_u32(b));
}

INLINE uint32x4_t narrow64(uint64x2_t a, uint64x2_t b)
{
    return vuzp1q_u32(vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b));
}

/* One vector of keys: which keys equal the previous key. */
INLINE uint8x16_t same_u8(const uint8_t *k) { return vceqq_u8(vld1q_u8(k), vld1q_u8(k - 1)); }
INLINE uint16x8_t same_u16(const uint16_t *k) { return vceqq_u16(vld1q_u16(k), vld1q_u16(k - 1)); }
INLINE uint32x4_t same_u32(const uint32_t *k) { return vceqq_u32(vld1q_u32(k), vld1q_u32(k - 1)); }
INLINE uint64x2_t same_u64(const uint64_t *k) { return vceqq_u64(vld1q_u64(k), vld1q_u64(k - 1)); }

/* Sixteen keys as sixteen bytes. */
#define SAME16_OF_4(C, key)                                                                        \
    INLINE uint8x16_t same16_##C(const key *k)                                                     \
    {                                                                                              \
        return narrow16(narrow32(same_##C(k), same_##C(k + 4)),                                    \
                        narrow32(same_##C(k + 8), same_##C(k + 12)));                              \
    }
#define SAME16_OF_2(C, key)                                                                        \
    INLINE uint32x4_t same4_##C(const key *k) { return narrow64(same_##C(k), same_##C(k + 2)); }   \
    INLINE uint8x16_t same16_##C(const key *k)                                                     \
    {                                                                                              \
        return narrow16(narrow32(same4_##C(k), same4_##C(k + 4)),                                  \
                        narrow32(same4_##C(k + 8), same4_##C(k + 12)));                            \
    }
INLINE uint8x16_t same16_u8(const uint8_t *k) { return same_u8(k); }
INLINE uint8x16_t same16_u16(const uint16_t *k) { return narrow16(same_u16(k), same_u16(k + 8)); }
SAME16_OF_4(u32, uint32_t)
SAME16_OF_2(u64, uint64_t)

#define HEADS64(C, key)                                                                            \
    INLINE uint64_t heads64_##C(const key *k)                                                      \
    {                                                                                              \
        return ~bits_of_bytes(same16_##C(k), same16_##C(k + 16), same16_##C(k + 32),               \
                              same16_##C(k + 48));                                                 \
    }
HEADS64(u8, uint8_t)
HEADS64(u16, uint16_t)
HEADS64(u32, uint32_t)
HEADS64(u64, uint64_t)

/* Both zeros are 0 without the sign bit. */
INLINE uint32x4_t zero_f32(const float *k)
{
    uint32x4_t const bits = vreinterpretq_u32_f32(vld1q_f32(k));
    return vmvnq_u32(vtstq_u32(bits, vdupq_n_u32(INT32_MAX)));
}

INLINE uint32x4_t zero_f64(const double *k)
{
    uint64x2_t const rest = vdupq_n_u64(INT64_MAX);
    uint64x2_t const low = vtstq_u64(vreinterpretq_u64_f64(vld1q_f64(k)), rest);
    uint64x2_t const high = vtstq_u64(vreinterpretq_u64_f64(vld1q_f64(k + 2)), rest);
    return vmvnq_u32(narrow64(low, high));
}

#define ZEROS64(C, key)                                                                            \
    INLINE uint8x16_t zero16_##C(const key *k)                                                     \
    {                                                                                              \
        return narrow16(narrow32(zero_##C(k), zero_##C(k + 4)),                                    \
                        narrow32(zero_##C(k + 8), zero_##C(k + 12)));                              \
    }                                                                                              \
    INLINE uint64_t zeros64_##C(const key *k)                                                      \
    {                                                                                              \
        return bits_of_bytes(zero16_##C(k), zero16_##C(k + 16), zero16_##C(k + 32),                \
                             zero16_##C(k + 48));                                                  \
    }
ZEROS64(f32, float)
ZEROS64(f64, double)

INLINE uint8x16_t set16(const uint8_t *flags)
{
    uint8x16_t const f = vld1q_u8(flags);
    return vtstq_u8(f, f);
}

INLINE uint64_t flags64(const uint8_t *f)
{
    return bits_of_bytes(set16(f), set16(f + 16), set16(f + 32), set16(f + 48));
}

/* ---- Bits to positions: eight lanes for byte k of the word, from the start of its pair ---- */

INLINE uint16x8_t last8(uint64_t word, unsigned k, uint64_t near)
{
    uint64_t const   below = k == 0 ? 0 : word << (64 - 8 * k);
    uint64_t const   back = below != 0 ? (uint64_t)__builtin_clzll(below) : near + 8 * k;
    uint16x8_t const row = vld1q_u16(last_rows[k & 1][word >> 8 * k & 0xff]);
    return vmaxq_u16(row, vld1q_u16(near_rows[NEAR_SPAN + 8 * (k & 1) - back]));
}

INLINE uint16x8_t next8(uint64_t word, unsigned k, uint64_t near)
{
    uint64_t const   above = (word >> 8 * k) >> 8;
    uint64_t const   ahead = above != 0 ? 8 + (uint64_t)__builtin_ctzll(above) : near - 8 * k;
    uint16x8_t const row = vld1q_u16(next_rows[k & 1][word >> 8 * k & 0xff]);
    return vminq_u16(row, vld1q_u16(near_rows[NEAR_SPAN + 8 * (k & 1) + ahead]));
}

/* ---- Positions to output: base + x for eight lanes ---- */

INLINE void put8_u32(uint32_t *out, uint16x8_t x, uint32x4_t base)
{
    vst1q_u32(out, vaddw_u16(base, vget_low_u16(x)));
    vst1q_u32(out + 4, vaddw_high_u16(base, x));
}

INLINE void put8_u64(uint64_t *out, uint16x8_t x, uint64x2_t base)
{
    uint32x4_t const low = vmovl_u16(vget_low_u16(x)), high = vmovl_high_u16(x);
    vst1q_u64(out, vaddw_u32(base, vget_low_u32(low)));
    vst1q_u64(out + 2, vaddw_high_u32(base, low));
    vst1q_u64(out + 4, vaddw_u32(base, vget_low_u32(high)));
    vst1q_u64(out + 6, vaddw_high_u32(base, high));
}

/* Doubles: adding an integer to the bits of 2^52 adds the integer to the value, and subtracting
 * 2^52 is exact. In the bits of 2^51 the lowest bit has the value one half. */
#define TWO_52_BITS UINT64_C(0x4330000000000000)
#define TWO_51_BITS UINT64_C(0x4320000000000000)

INLINE void put2_f64(double *out, uint64x2_t bits, float64x2_t bias)
{
    vst1q_f64(out, vsubq_f64(vreinterpretq_f64_u64(bits), bias));
}

INLINE void put8_f64(double *out, uint16x8_t x, uint64x2_t base)
{
    uint32x4_t const  low = vmovl_u16(vget_low_u16(x)), high = vmovl_high_u16(x);
    float64x2_t const bias = vdupq_n_f64(0x1p52);
    put2_f64(out, vaddw_u32(base, vget_low_u32(low)), bias);
    put2_f64(out + 2, vaddw_high_u32(base, low), bias);
    put2_f64(out + 4, vaddw_u32(base, vget_low_u32(high)), bias);
    put2_f64(out + 6, vaddw_high_u32(base, high), bias);
}

#define VECTOR_u32 uint32x4_t
#define VECTOR_u64 uint64x2_t
#define VECTOR_f64 uint64x2_t
#define BASE_u32(x) vdupq_n_u32((uint32_t)(x))
#define BASE_u64(x) vdupq_n_u64(x)
#define BASE_f64(x) vdupq_n_u64((x) + TWO_52_BITS)

#define STEP_u32(base) vaddq_u32(base, vdupq_n_u32(16))
#define STEP_u64(base) vaddq_u64(base, vdupq_n_u64(16))
#define STEP_f64(base) vaddq_u64(base, vdupq_n_u64(16))

/* Writes two bytes' positions per step; the base advances in a vector register. Without KEEP_VECTOR
 * gcc adds in a general register and copies every sum to a vector, one copy per cycle. */
#define KEEP_VECTOR(v) __asm__("" : "+w"(v))
#define WORD64(name, T, out_type)                                                                  \
    INLINE void name##64_##T(out_type *out, uint64_t word, uint64_t base, uint64_t near,           \
                             bool bypass)                                                          \
    {                                                                                              \
        VECTOR_##T b = BASE_##T(base - ROW_ZERO);                                                  \
        (void)bypass;                                                                              \
        KEEP_VECTOR(b);                                                                            \
        EACH (k, 4) {                                                                              \
            put8_##T(out + 16 * k, name##8(word, 2 * k, near), b);                                 \
            put8_##T(out + 16 * k + 8, name##8(word, 2 * k + 1, near), b);                         \
            b = STEP_##T(b);                                                                       \
        }                                                                                          \
    }
WORD64(last, u32, uint32_t)
WORD64(last, u64, uint64_t)
WORD64(last, f64, double)
WORD64(next, u32, uint32_t)
WORD64(next, u64, uint64_t)
WORD64(next, f64, double)

/* ROW_ZERO is added twice, which is 0 modulo 2^16. So `sum` is the signed sum of two positions. */
INLINE void mean64(double *out, uint64_t word, uint64_t base, uint64_t near_last,
                   uint64_t near_next, bool bypass)
{
    float64x2_t const bias = vdupq_n_f64(0x1p51);
    (void)bypass;
    EACH (k, 8) {
        int16x8_t const sum =
            vreinterpretq_s16_u16(vaddq_u16(last8(word, k, near_last), next8(word, k, near_next)));
        int64x2_t const twice =
            vreinterpretq_s64_u64(vdupq_n_u64(TWO_51_BITS + 2 * (base + 16 * (k / 2))));
        int32x4_t const low = vmovl_s16(vget_low_s16(sum)), high = vmovl_high_s16(sum);
        double *const   r = out + 8 * k;
        put2_f64(r, vreinterpretq_u64_s64(vaddw_s32(twice, vget_low_s32(low))), bias);
        put2_f64(r + 2, vreinterpretq_u64_s64(vaddw_high_s32(twice, low)), bias);
        put2_f64(r + 4, vreinterpretq_u64_s64(vaddw_s32(twice, vget_low_s32(high))), bias);
        put2_f64(r + 6, vreinterpretq_u64_s64(vaddw_high_s32(twice, high)), bias);
    }
}

/* Byte k of the result is the number of set bits in the bytes below byte k. */
INLINE uint64_t counts_below(uint64_t word)
{
    uint64_t x = word - (word >> 1 & UINT64_C(0x5555555555555555));
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (x * UINT64_C(0x0101010101010101)) << 8;
}

#define COUNT64(T, out_type)                                                                       \
    INLINE void count64_##T(out_type *out, uint64_t word, uint64_t base, bool bypass)              \
    {                                                                                              \
        uint64_t const below = counts_below(word);                                                 \
        (void)bypass;                                                                              \
        EACH (k, 8)                                                                                \
            put8_##T(out + 8 * k, vld1q_u16(count_rows[word >> 8 * k & 0xff]),                     \
                     BASE_##T(base + (below >> 8 * k & 0xff)));                                    \
    }
COUNT64(u32, uint32_t)
COUNT64(u64, uint64_t)
COUNT64(f64, double)

INLINE void bypass_fence(void) {}

#include "cpu/kernel/word_rank.h"

/* ---- Sums ----
 *
 * The prefix sums within a vector take lg(lanes) steps of shift and add. Four vectors are scanned
 * independently; only their totals depend on each other. */

INLINE uint8x16_t prefix_8(uint8x16_t v)
{
    uint8x16_t const zero = vdupq_n_u8(0);
    v = vaddq_u8(v, vextq_u8(zero, v, 15));
    v = vaddq_u8(v, vextq_u8(zero, v, 14));
    v = vaddq_u8(v, vextq_u8(zero, v, 12));
    return vaddq_u8(v, vextq_u8(zero, v, 8));
}

INLINE uint16x8_t prefix_16(uint16x8_t v)
{
    uint16x8_t const zero = vdupq_n_u16(0);
    v = vaddq_u16(v, vextq_u16(zero, v, 7));
    v = vaddq_u16(v, vextq_u16(zero, v, 6));
    return vaddq_u16(v, vextq_u16(zero, v, 4));
}

INLINE uint32x4_t prefix_32(uint32x4_t v)
{
    uint32x4_t const zero = vdupq_n_u32(0);
    v = vaddq_u32(v, vextq_u32(zero, v, 3));
    return vaddq_u32(v, vextq_u32(zero, v, 2));
}

INLINE uint64x2_t prefix_64(uint64x2_t v) { return vaddq_u64(v, vextq_u64(vdupq_n_u64(0), v, 1)); }

#define SUMS(W, key, vector, lanes)                                                                \
    static uint64_t sum_##W(const void *in, size_t n)                                              \
    {                                                                                              \
        const key *const a = in;                                                                   \
        vector           part[8] = {{0}};                                                          \
        size_t           i = 0;                                                                    \
        for (; i + 8 * (lanes) <= n; i += 8 * (lanes)) {                                           \
            EACH (j, 8)                                                                            \
                part[j] = vaddq_u##W(part[j], vld1q_u##W(a + i + (lanes)*j));                      \
        }                                                                                          \
        EACH (j, 7)                                                                                \
            part[0] = vaddq_u##W(part[0], part[j + 1]);                                            \
        key sum[lanes], total = (key)cpu_kernels_generic.sum[CPU_WIDTH_##W](a + i, n - i);         \
        vst1q_u##W(sum, part[0]);                                                                  \
        EACH (j, lanes)                                                                            \
            total = (key)(total + sum[j]);                                                         \
        return total;                                                                              \
    }                                                                                              \
    static uint64_t scan_sum_##W(const void *in, size_t n, uint64_t carry, void *out,              \
                                 bool exclusive, bool bypass)                                      \
    {                                                                                              \
        const key *const a = in;                                                                   \
        key *const       r = out;                                                                  \
        vector           before = vdupq_n_u##W((key)carry);                                        \
        size_t           i = 0;                                                                    \
        (void)bypass;                                                                              \
        for (; i + 4 * (lanes) <= n; i += 4 * (lanes)) {                                           \
            vector x[4], v[4];                                                                     \
            EACH (j, 4)                                                                            \
                x[j] = vld1q_u##W(a + i + (lanes)*j);                                              \
            EACH (j, 4)                                                                            \
                v[j] = prefix_##W(x[j]);                                                           \
            EACH (j, 4) {                                                                          \
                vector const sums = vaddq_u##W(v[j], before);                                      \
                vst1q_u##W(r + i + (lanes)*j, exclusive ? vsubq_u##W(sums, x[j]) : sums);          \
                before = vaddq_u##W(before, vdupq_laneq_u##W(v[j], (lanes)-1));                    \
            }                                                                                      \
        }                                                                                          \
        key const sum = vgetq_lane_u##W(before, 0);                                                \
        return (key)(sum - (key)carry +                                                            \
                     (key)cpu_kernels_generic.scan_sum[CPU_WIDTH_##W](a + i, n - i, sum, r + i,    \
                                                                      exclusive, false));          \
    }
SUMS(8, uint8_t, uint8x16_t, 16)
SUMS(16, uint16_t, uint16x8_t, 8)
SUMS(32, uint32_t, uint32x4_t, 4)
SUMS(64, uint64_t, uint64x2_t, 2)

const cpu_kernels cpu_kernels_neon = {
    .isa = "neon",
    WORD_RANK_KERNELS,
    .sum = CPU_PER_WIDTH(sum),
    .scan_sum = CPU_PER_WIDTH(scan_sum),
    .loops = &cpu_loops_generic,
    .sets = &set_loops_generic,
};
