/* word_rank.h - ranks and counts from words of 64 bits: the part that all vector ISAs share. */

/* The including file provides INLINE functions for every class C of integer keys (u8 u16 u32 u64),
 * every class F of float keys (f32 f64) and every output type T (u32 u64 f64):
 *
 *   uint64_t heads64_C(const key *k)       bit i = k[i] is a head; k[-1] is read
 *   uint64_t zeros64_F(const key *k)       bit i = k[i] is +0 or -0
 *   uint64_t flags64(const uint8_t *f)     bit i = f[i] is not 0
 *   void last64_T(out, word, base, near, bypass)
 *        out[i] = base + 1 + index of the last set bit at or before bit i; base - near before
 *        the first set bit
 *   void next64_T(out, word, base, near, bypass)
 *        out[i] = base + index of the next set bit after bit i; base + near after the last
 *        set bit
 *   void mean64(out, word, base, near_last, near_next, bypass)   half the sum of both
 *   void count64_T(out, word, base, bypass)                      base + set bits so far
 *   void bypass_fence(void)                orders the stores that bypass the cache
 *
 * near is at most NEAR_MAX. Words in larger groups of ties are ranked by the functions *_far
 * (word_out.t.h); that branch is predictable, because such groups are long. */
#include "core/keybits.h"
#include "cpu/base/kernels.h"

#include <string.h>

/* The number of words that are made before their ranks are written. With 1, each step waits for the
 * other, because moving bits from vector to general registers is slow. With many, the loads of the
 * next keys start late. f32 to u32 on a Neoverse V1, in a prototype of this loop, ns per key: 0.28
 * with 1, 0.24 with 4, 0.27 with 8, 0.33 with 32. */
enum {
    BATCH = 4
};

/* Calls a loop with a last argument `bypass` that is a constant inside the loop. */
#define WITH_BYPASS(bypass, loop, ...)                                                             \
    if (bypass) {                                                                                  \
        loop(__VA_ARGS__, true);                                                                   \
        bypass_fence();                                                                            \
    } else {                                                                                       \
        loop(__VA_ARGS__, false);                                                                  \
    }

INLINE uint64_t first_bit(uint64_t word) { return (uint64_t)__builtin_ctzll(word); }
INLINE uint64_t end_bit(uint64_t word) { return 64 - (uint64_t)__builtin_clzll(word); }

/* Heads of float keys. The bits are compared as integers; only -0 and +0 have different bits and
 * tie. The zeros of sorted keys are adjacent, so the first and the last key show whether there can
 * be any. */
#define FLOAT_HEADS64(F, C, key, bits)                                                             \
    INLINE uint64_t heads64_##F(const key *k)                                                      \
    {                                                                                              \
        uint64_t const heads = heads64_##C((const bits *)(const void *)k);                         \
        bits           first, last;                                                                \
        memcpy(&first, k - 1, sizeof first);                                                       \
        memcpy(&last, k + 63, sizeof last);                                                        \
        bool const begins = first << 1 == 0, ends = last << 1 == 0;                                \
        bool const crosses = (first ^ last) >> (8 * sizeof(bits) - 1) != 0;                        \
        if (ORDO_LIKELY(!((begins | ends | crosses) & (heads != 0))))                              \
            return heads;                                                                          \
        uint64_t const zeros = zeros64_##F(k);                                                     \
        return heads & ~(zeros & (zeros << 1 | begins));                                           \
    }
FLOAT_HEADS64(f32, u32, float, uint32_t)
FLOAT_HEADS64(f64, u64, double, uint64_t)
#undef FLOAT_HEADS64

#define ORDO_OUT_TEMPLATE "cpu/kernel/word_out.t.h"
#include "cpu/kernel/for_each_out.h"
#undef ORDO_OUT_TEMPLATE

static __attribute__((noinline)) void mean_far(double *out, uint64_t word, uint64_t base,
                                               uint64_t before, uint64_t after)
{
    double next[64];
    if (word == 0) {
        for (size_t i = 0; i < 64; i++)
            out[i] = (double)(before + after) * 0.5;
        return;
    }
    last_far_f64(out, word, base, before);
    next_far_f64(next, word, base, after);
    for (size_t i = 0; i < 64; i++)
        out[i] = (out[i] + next[i]) * 0.5;
}

INLINE void mean_word(double *out, uint64_t word, uint64_t base, uint64_t before, uint64_t after,
                      bool bypass)
{
    if (ORDO_LIKELY(base - before <= NEAR_MAX && after - base <= NEAR_MAX))
        mean64(out, word, base, base - before, after - base, bypass);
    else
        mean_far(out, word, base, before, after);
}

#define ORDO_CLASS_TEMPLATE "cpu/kernel/word_class.t.h"
#include "cpu/kernel/for_each_class.h"

static size_t pack(const uint8_t *flags, size_t n, uint64_t *words)
{
    size_t total = 0;
    for (; n >= 64; n -= 64, flags += 64) {
        uint64_t const word = flags64(flags);
        total += (size_t)__builtin_popcountll(word);
        *words++ = word;
    }
    return n > 0 ? total + cpu_kernels_generic.pack(flags, n, words) : total;
}

#define WORD_RANK_KERNELS                                                                          \
    .rank_last = CPU_PER_PAIR(last), .rank_next = CPU_PER_PAIR(next),                              \
    .rank_mean = CPU_PER_CLASS(mean), .heads = CPU_PER_CLASS(heads), .pack = pack,                 \
    .count = CPU_PER_OUT(count)
