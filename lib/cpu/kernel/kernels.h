/* kernels.h - the inner loops that depend on the instruction set, as one table per ISA.
 *
 * Ranking and counting go through words of 64 bits: 64 keys become one word ("differs from the
 * key before it"), and a word becomes 64 ranks or counts. The word lives in a register between
 * the two, so memory sees the keys once and the ranks once, and nothing branches on data.
 *
 * kernels_generic.c is complete and portable; the ISA files share one frame (word_rank.h) and fill
 * in what is theirs. Kernels know nothing of threads, scratch or options. */
#ifndef ORDO_CPU_KERNEL_KERNELS_H
#define ORDO_CPU_KERNEL_KERNELS_H

#include "core/base.h"

/* Kernels are made of small functions that must melt into one loop, and of loops of n steps, n a
 * constant, laid out without a loop. A sanitizer would check each copy, and the compiler would
 * take minutes: its builds keep the functions and the loops. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INLINE static __attribute__((noinline, unused))
#define EACH(i, n) for (unsigned i = 0; i < (n); i++)
#else
#define INLINE static inline __attribute__((always_inline))
#define EACH(i, n) _Pragma("GCC unroll 16") for (unsigned i = 0; i < (n); i++)
#endif

/* Keys as equality sees them: integers by width; floats, of which -0 and +0 are equal. */
enum cpu_key_class {
    CPU_KEY_8,
    CPU_KEY_16,
    CPU_KEY_32,
    CPU_KEY_64,
    CPU_KEY_F32,
    CPU_KEY_F64,
    CPU_KEY_CLASSES
};

enum cpu_out {
    CPU_OUT_U32,
    CPU_OUT_U64,
    CPU_OUT_F64,
    CPU_OUTS
};

/* A stretch of sorted keys to rank, none of them NaN. keys[-1] exists. A head is a key that
 * differs from the one before it. */
typedef struct cpu_span {
    const void *keys;
    size_t      n;
    uint64_t    base;   /* index of keys[0] in the whole array */
    uint64_t    before; /* 1 + index of the last head before keys[0] */
    uint64_t    after;  /* index of the first head behind the span, or the array's end */
    bool        stream; /* out is large and begins on a cache line: write past the cache */
} cpu_span;

/* Writes out[0..n):
 *   last   1 + the index of the last head at or before each key: its least rank
 *   next   the index of the next head after each key: its greatest rank
 *   mean   half the sum of both */
typedef void cpu_rank_fn(const cpu_span *span, void *out);

/* Bit i%64 of words[i/64] = key i is a head. Unused bits are 0. Returns how many there are. */
typedef size_t cpu_heads_fn(const void *keys, size_t n, uint64_t *words);

/* Bit i%64 of words[i/64] = flags[i] is set, for flags stored as bytes. Unused bits are 0.
 * Returns how many are set. */
typedef size_t cpu_pack_fn(const uint8_t *flags, size_t n, uint64_t *words);

/* out[i] = base + the number of set bits at or before bit i; words may have any alignment. */
typedef void cpu_count_fn(const uint64_t *words, size_t n, uint64_t base, void *out, bool stream);

/* Sums that wrap, of integers of one width: what in[0..n) adds up to, and its prefix sums from
 * carry on, which return the same. out may be in. */
enum cpu_width {
    CPU_WIDTH_8,
    CPU_WIDTH_16,
    CPU_WIDTH_32,
    CPU_WIDTH_64,
    CPU_WIDTHS
};
typedef uint64_t cpu_reduce_fn(const void *in, size_t n);
typedef uint64_t cpu_scan_fn(const void *in, size_t n, uint64_t carry, void *out, bool exclusive,
                             bool stream);

/* How sorted words become keys again on their way out: s = word + add, then s ^ flip, and where the
 * top bit of s is 0 also s ^ flip_low. */
typedef struct cpu_words_map {
    uint64_t add, flip, flip_low;
} cpu_words_map;

/* Sorts n unsigned words that fit the cache, through spare, which holds as many, into to:
 * words, spare, or memory that overlaps neither. map NULL: words are written as they are. */
enum cpu_words {
    CPU_WORDS_32,
    CPU_WORDS_64,
    CPU_WORDS
};
typedef void cpu_words_fn(void *words, void *spare, size_t n, void *to, const cpu_words_map *map);

/* Moves elements of one width: those whose bit is set (bit i%64 of words[i/64]) to first, the
 * others to second, in order. Both have room for 64 bytes more. Returns how many went to first. */
typedef size_t cpu_split_fn(const void *in, size_t n, const uint64_t *words, void *first,
                            void *second);

typedef struct cpu_kernels {
    const char    *isa;
    cpu_rank_fn   *rank_last[CPU_KEY_CLASSES][CPU_OUTS];
    cpu_rank_fn   *rank_next[CPU_KEY_CLASSES][CPU_OUTS];
    cpu_rank_fn   *rank_mean[CPU_KEY_CLASSES];
    cpu_heads_fn  *heads[CPU_KEY_CLASSES];
    cpu_pack_fn   *pack;
    cpu_count_fn  *count[CPU_OUTS];
    cpu_reduce_fn *sum[CPU_WIDTHS];
    cpu_scan_fn   *scan_sum[CPU_WIDTHS];
    cpu_words_fn  *sort_words[CPU_WORDS]; /* NULL where digits are faster */
    cpu_split_fn  *split[CPU_WIDTHS];     /* NULL where there is none */
} cpu_kernels;

/* Names of stamped functions, and the table rows made of them. */
#define CPU_JOIN_(a, b) a##_##b
#define CPU_JOIN(a, b) CPU_JOIN_(a, b)
#define CPU_PER_OUT(name)                                                                          \
    {                                                                                              \
        CPU_JOIN(name, u32), CPU_JOIN(name, u64), CPU_JOIN(name, f64)                              \
    }
#define CPU_PER_WIDTH(name)                                                                        \
    {                                                                                              \
        name##_8, name##_16, name##_32, name##_64                                                  \
    }
#define CPU_PER_CLASS(name)                                                                        \
    {                                                                                              \
        CPU_JOIN(name, k8), CPU_JOIN(name, k16), CPU_JOIN(name, k32), CPU_JOIN(name, k64),         \
            CPU_JOIN(name, kf32), CPU_JOIN(name, kf64)                                             \
    }
#define CPU_PER_PAIR(name)                                                                         \
    {                                                                                              \
        CPU_PER_OUT(name##_k8), CPU_PER_OUT(name##_k16), CPU_PER_OUT(name##_k32),                  \
            CPU_PER_OUT(name##_k64), CPU_PER_OUT(name##_kf32), CPU_PER_OUT(name##_kf64)            \
    }

extern const cpu_kernels cpu_kernels_generic;
#if defined(__aarch64__)
extern const cpu_kernels cpu_kernels_neon;
#elif defined(__x86_64__)
extern const cpu_kernels cpu_kernels_avx2;
extern const cpu_kernels cpu_kernels_avx512;
#endif

#endif
