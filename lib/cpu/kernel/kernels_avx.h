/* kernels_avx.h - the kernels that AVX2 and AVX-512 share: writing positions of bits, and sums and
 * prefix sums of integers in 256-bit vectors.
 *
 * The including file has functions that turn POSITIONS bits of a word into a vector of positions
 * (last_at, next_at, count_at), and functions that write such a vector (put_T).
 * The prefix sums within a 128-bit half take lg(lanes) steps of shift and add. Then the total of
 * the low half is added to the high half, and the carry to both. `last_lane` is the shuffle that
 * copies the last element of a half to all its lanes. Two vectors are scanned independently; only
 * their totals depend on each other. */
#include "cpu/base/kernels.h"

#include <immintrin.h>

#define WORD64(name, T, out_type)                                                                  \
    INLINE void name##64_##T(out_type *out, uint64_t word, uint64_t base, uint64_t near,           \
                             bool bypass)                                                          \
    {                                                                                              \
        EACH (k, 64 / POSITIONS)                                                                   \
            put_##T(out + POSITIONS * k, name##_at(word, k, near), base + POSITIONS * k, bypass);  \
    }
#define WORDS64(T, out_type)                                                                       \
    WORD64(last, T, out_type)                                                                      \
    WORD64(next, T, out_type)                                                                      \
    INLINE void count64_##T(out_type *out, uint64_t word, uint64_t base, bool bypass)              \
    {                                                                                              \
        EACH (k, 64 / POSITIONS)                                                                   \
            put_##T(out + POSITIONS * k, count_at(word, k), base, bypass);                         \
    }
WORDS64(u32, uint32_t)
WORDS64(u64, uint64_t)
WORDS64(f64, double)

INLINE void bypass_fence(void) { _mm_sfence(); }

INLINE __m256i add_8(__m256i a, __m256i b) { return _mm256_add_epi8(a, b); }
INLINE __m256i add_16(__m256i a, __m256i b) { return _mm256_add_epi16(a, b); }
INLINE __m256i add_32(__m256i a, __m256i b) { return _mm256_add_epi32(a, b); }
INLINE __m256i add_64(__m256i a, __m256i b) { return _mm256_add_epi64(a, b); }
INLINE __m256i sub_8(__m256i a, __m256i b) { return _mm256_sub_epi8(a, b); }
INLINE __m256i sub_16(__m256i a, __m256i b) { return _mm256_sub_epi16(a, b); }
INLINE __m256i sub_32(__m256i a, __m256i b) { return _mm256_sub_epi32(a, b); }
INLINE __m256i sub_64(__m256i a, __m256i b) { return _mm256_sub_epi64(a, b); }
INLINE __m256i spread_8(uint64_t x) { return _mm256_set1_epi8((char)x); }
INLINE __m256i spread_16(uint64_t x) { return _mm256_set1_epi16((short)x); }
INLINE __m256i spread_32(uint64_t x) { return _mm256_set1_epi32((int)x); }
INLINE __m256i spread_64(uint64_t x) { return _mm256_set1_epi64x((long long)x); }

INLINE __m256i prefix_64(__m256i v) { return add_64(v, _mm256_slli_si256(v, 8)); }
INLINE __m256i prefix_32(__m256i v)
{
    v = add_32(v, _mm256_slli_si256(v, 4));
    return add_32(v, _mm256_slli_si256(v, 8));
}
INLINE __m256i prefix_16(__m256i v)
{
    v = add_16(v, _mm256_slli_si256(v, 2));
    v = add_16(v, _mm256_slli_si256(v, 4));
    return add_16(v, _mm256_slli_si256(v, 8));
}
INLINE __m256i prefix_8(__m256i v)
{
    v = add_8(v, _mm256_slli_si256(v, 1));
    v = add_8(v, _mm256_slli_si256(v, 2));
    v = add_8(v, _mm256_slli_si256(v, 4));
    return add_8(v, _mm256_slli_si256(v, 8));
}

INLINE __m256i last_lane_8(void) { return _mm256_set1_epi8(15); }
INLINE __m256i last_lane_16(void) { return _mm256_set1_epi16(0x0f0e); }
INLINE __m256i last_lane_32(void) { return _mm256_set1_epi32(0x0f0e0d0c); }
INLINE __m256i last_lane_64(void) { return _mm256_set1_epi64x(0x0f0e0d0c0b0a0908); }

#define SUMS(W, key)                                                                               \
    static uint64_t sum_##W(const void *in, size_t n)                                              \
    {                                                                                              \
        enum {                                                                                     \
            LANES = 32 / sizeof(key)                                                               \
        };                                                                                         \
        const key *const a = in;                                                                   \
        __m256i          part[4] = {{0}};                                                          \
        size_t           i = 0;                                                                    \
        for (; i + 4 * LANES <= n; i += 4 * LANES) {                                               \
            EACH (j, 4)                                                                            \
                part[j] = add_##W(part[j], _mm256_loadu_si256((const void *)(a + i + LANES * j))); \
        }                                                                                          \
        part[0] = add_##W(add_##W(part[0], part[1]), add_##W(part[2], part[3]));                   \
        key sum[LANES], total = (key)cpu_kernels_generic.sum[CPU_WIDTH_##W](a + i, n - i);         \
        _mm256_storeu_si256((void *)sum, part[0]);                                                 \
        for (size_t j = 0; j < LANES; j++)                                                         \
            total = (key)(total + sum[j]);                                                         \
        return total;                                                                              \
    }                                                                                              \
    INLINE uint64_t scan_##W(const key *a, size_t n, key carry, key *r, bool exclusive,            \
                             bool bypass)                                                          \
    {                                                                                              \
        enum {                                                                                     \
            LANES = 32 / sizeof(key)                                                               \
        };                                                                                         \
        __m256i before = spread_##W(carry);                                                        \
        size_t  i = 0;                                                                             \
        for (; i + 2 * LANES <= n; i += 2 * LANES) {                                               \
            EACH (j, 2) {                                                                          \
                __m256i const x = _mm256_loadu_si256((const void *)(a + i + LANES * j));           \
                __m256i const halves = prefix_##W(x);                                              \
                __m256i const low = _mm256_permute2x128_si256(halves, halves, 0x08);               \
                __m256i const v = add_##W(halves, _mm256_shuffle_epi8(low, last_lane_##W()));      \
                __m256i const sums = add_##W(v, before);                                           \
                __m256i const high = _mm256_permute2x128_si256(v, v, 0x11);                        \
                __m256i const result = exclusive ? sub_##W(sums, x) : sums;                        \
                before = add_##W(before, _mm256_shuffle_epi8(high, last_lane_##W()));              \
                if (bypass)                                                                        \
                    _mm256_stream_si256((void *)(r + i + LANES * j), result);                      \
                else                                                                               \
                    _mm256_storeu_si256((void *)(r + i + LANES * j), result);                      \
            }                                                                                      \
        }                                                                                          \
        key sum[LANES];                                                                            \
        _mm256_storeu_si256((void *)sum, before);                                                  \
        return (key)(sum[0] - carry +                                                              \
                     (key)cpu_kernels_generic.scan_sum[CPU_WIDTH_##W](a + i, n - i, sum[0], r + i, \
                                                                      exclusive, false));          \
    }                                                                                              \
    static uint64_t scan_sum_##W(const void *in, size_t n, uint64_t carry, void *out,              \
                                 bool exclusive, bool bypass)                                      \
    {                                                                                              \
        if (!bypass)                                                                               \
            return scan_##W(in, n, (key)carry, out, exclusive, false);                             \
        uint64_t const total = scan_##W(in, n, (key)carry, out, exclusive, true);                  \
        bypass_fence();                                                                            \
        return total;                                                                              \
    }
SUMS(8, uint8_t)
SUMS(16, uint16_t)
SUMS(32, uint32_t)
SUMS(64, uint64_t)
#undef SUMS
