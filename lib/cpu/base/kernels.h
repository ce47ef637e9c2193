/* kernels.h - the functions that depend on the instruction set (ISA), as one table for each ISA.
 *
 * cpu_backend.c selects the table when a context is created; every verb calls through the table.
 * kernels_generic.c is complete and portable. kernels_avx2.c, kernels_avx512.c and kernels_neon.c
 * hold functions written with intrinsics. plain_loops.h is compiled once for each ISA except NEON.
 * All tables give the same results. Kernels use no threads, scratch or options.
 * Ranks and counts go through words of 64 bits: 64 keys become one word of flags ("differs from the
 * previous key"), and a word becomes 64 ranks or counts. The word stays in a register, so each key
 * is read once, each rank is written once, and no branch depends on the data. */
#ifndef ORDO_CPU_BASE_KERNELS_H
#define ORDO_CPU_BASE_KERNELS_H

#include "backend/segments.h"
#include "core/base.h"

/* INLINE functions must become part of the loop that calls them. EACH unrolls a loop of n steps, n
 * a constant. With a sanitizer the unrolled code would take minutes to compile, so sanitizer builds
 * keep the calls and the loops. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INLINE static __attribute__((noinline, unused))
#define EACH(i, n) for (unsigned i = 0; i < (n); i++)
#else
#define INLINE static inline __attribute__((always_inline))
#define EACH(i, n) _Pragma("GCC unroll 32") for (unsigned i = 0; i < (n); i++)
#endif

/* ---- Ranks of sorted keys ---- */

/* Key types, by how ties are found: integers by width; floats separately, because -0 and +0 tie. */
enum cpu_key_class {
    CPU_KEY_u8,
    CPU_KEY_u16,
    CPU_KEY_u32,
    CPU_KEY_u64,
    CPU_KEY_f32,
    CPU_KEY_f64,
    CPU_KEY_CLASSES
};

/* Types of ranks and counts. */
enum cpu_out {
    CPU_OUT_u32,
    CPU_OUT_u64,
    CPU_OUT_f64,
    CPU_OUTS
};

/* A part of a sorted array to rank; no key is a NaN. keys[-1] exists. A head is a key that differs
 * from the previous key: the first key of a group of ties. */
typedef struct cpu_span {
    const void *keys;
    size_t      n;
    uint64_t    base;   /* index of keys[0] in the whole array */
    uint64_t    before; /* 1 + the index of the last head before keys[0] */
    uint64_t    after;  /* the index of the first head after the span, or the length of the array */
    bool        bypass; /* out is large and begins on a cache line: the stores bypass the cache */
} cpu_span;

/* Writes out[0..n):
 *   last   1 + the index of the last head at or before each key: the lowest rank of its ties
 *   next   the index of the next head after each key: the highest rank of its ties
 *   mean   half the sum of both */
typedef void cpu_rank_fn(const cpu_span *span, void *out);

/* ---- Flags as words of bits ---- */

/* Bit i%64 of words[i/64] = key i is a head. Unused bits are 0. Returns the number of heads. */
typedef size_t cpu_heads_fn(const void *keys, size_t n, uint64_t *words);

/* Bit i%64 of words[i/64] = flags[i] is not 0, for flags stored as bytes. Unused bits are 0.
 * Returns the number of set flags. */
typedef size_t cpu_pack_fn(const uint8_t *flags, size_t n, uint64_t *words);

/* out[i] = base + the number of set bits at or before bit i; words may have any alignment. */
typedef void cpu_count_fn(const uint64_t *words, size_t n, uint64_t base, void *out, bool bypass);

/* ---- Sums and splits, by the width of the elements ---- */

enum cpu_width {
    CPU_WIDTH_8,
    CPU_WIDTH_16,
    CPU_WIDTH_32,
    CPU_WIDTH_64,
    CPU_WIDTHS
};

/* The sum of in[0..n), modulo 2^width. */
typedef uint64_t cpu_reduce_fn(const void *in, size_t n);
/* Prefix sums of in[0..n) that start from carry. out may be in. Returns the sum of in[0..n). */
typedef uint64_t cpu_scan_fn(const void *in, size_t n, uint64_t carry, void *out, bool exclusive,
                             bool bypass);

/* Copies the elements whose bit is set (bit i%64 of words[i/64]) to first and the others to
 * second, in order. Both arrays have room for 64 bytes more. Returns the number copied to first. */
typedef size_t cpu_split_fn(const void *in, size_t n, const uint64_t *words, void *first,
                            void *second);

/* ---- Sort in the cache ---- */

/* How sorted key bits become keys again. With s = bits + add, the key is s ^ flip, or s ^ flip ^
 * flip_low if the top bit of s is 0. */
typedef struct cpu_words_map {
    uint64_t add, flip, flip_low;
} cpu_words_map;

enum cpu_words {
    CPU_WORDS_32,
    CPU_WORDS_64,
    CPU_WORDS
};

/* Sorts n unsigned integers and writes them to `to`: words, spare, or memory that overlaps neither.
 * spare has room for n, or for ORDO_TUNE_WORDS_CACHE bytes if that is less and `to` is not spare.
 * The integers differ only in the lowest `bits` bits. If `bits` is larger than the width of an
 * integer, the range may be narrow: of up to ORDO_TUNE_WORDS_CACHE bytes the function measures it.
 * map NULL: the integers are written unchanged. */
typedef void cpu_words_fn(void *words, void *spare, size_t n, void *to, unsigned bits,
                          const cpu_words_map *map);

/* Sorts n keys in their memory, as cpu_words_fn sorts their key bits; `map` turns key bits into
 * keys. NULL: the keys are their key bits. */
typedef void cpu_keys_fn(void *keys, void *spare, size_t n, const cpu_words_map *map);

/* Returns the k-th of n unsigned integers in order; k < n. The integers get another order, with
 * the k-th at place k, none greater before it and none less after it. */
typedef uint64_t cpu_nth_word_fn(void *words, size_t n, size_t k);

/* ---- Loops in plain C ---- */

/* A band of key bits in the order of the sort: for a descending order the bits are reversed
 * (key_turn, core/keybits.h). */
typedef struct cpu_band {
    uint64_t lo, hi; /* both ends belong to the band */
    size_t   below, inside;
} cpu_band;

/* Adds the number of keys[0..n) below the band to band->below and the number in the band to
 * band->inside. If kept is not NULL, writes the bits in the band to kept, which must have room for
 * n: the loop may write after the last one. Returns the number of these n keys in the band. */
typedef size_t cpu_band_fn(const void *keys, size_t n, cpu_band *band, void *kept);

/* Bit i%64 of words[i/64] = the bits of keys[i] are below the pivot. n is a multiple of 64. */
typedef void cpu_below_fn(const void *keys, size_t n, uint64_t pivot, uint64_t *words);

/* Keys around a band of key bits (as cpu_band): where the next elements of the three groups go, and
 * where the first and the last group end. */
typedef struct cpu_around {
    uint64_t lo, hi;
    size_t   less, equal, greater;
    size_t   less_end, greater_end;
} cpu_around;

/* Moves keys[0..n) to the three groups in out and advances their places. If index_size is 4 or 8,
 * out gets the indices of the keys instead, which begin at `first`. */
typedef void cpu_around_fn(const void *keys, size_t n, size_t first, cpu_around *around, void *out,
                           size_t index_size);

/* Keys on both sides of a band of key bits. out[left..right) is free, with room for n at least. */
typedef struct cpu_sides {
    uint64_t lo, hi; /* both ends belong to the band; in the order of the sort */
    size_t   left, right;
    size_t   inside; /* keys in the band */
    void    *out;
    size_t   index_size; /* 0: out gets keys; 4 or 8: out gets indices of that size */
    void    *kept;       /* the key bits in the band; room for 16 more than are in the band */
    void    *kept_index; /* their indices, of the same room; not used if out gets keys */
} cpu_sides;

/* Moves keys[0..n) below the band to the front of the free places and those above it to their end,
 * in any order, and keeps those in the band. Indices begin at `first`. */
typedef void cpu_sides_fn(const void *keys, size_t n, size_t first, cpu_sides *sides);

/* What a step is: a key less than its left neighbour. With RISE, a step is a key greater than its
 * left neighbour or, with TIES too, equal to it. */
enum cpu_step {
    CPU_STEP_DOWN = 1, /* keys in descending order */
    CPU_STEP_TIES = 2, /* all zeros tie, and all NaNs tie */
    CPU_STEP_RISE = 4
};

/* Returns the lowest i in [lo, hi), lo > 0, such that keys[i] is a step, or hi if there is none. */
typedef size_t cpu_first_step_fn(const void *keys, size_t lo, size_t hi, unsigned kind);

enum {
    CPU_TYPES = ORDO_F64 + 1, /* for arrays indexed by ordo_type */
    CPU_ROWS = 32             /* rows that are sorted at once */
};

/* Sorts `rows` rows of n keys each, 1 <= n <= ORDO_ROW_KEYS, in place. */
typedef void cpu_sort_rows_fn(void *keys, size_t rows, size_t n, bool descending);
/* The order of the keys of each row: see order and ties of ordo_rows_job. */
typedef void cpu_order_rows_fn(const void *keys, size_t rows, size_t n, bool descending,
                               uint8_t *order, uint8_t *ties);

typedef struct cpu_tie_extent { /* of key bits with ties folded */
    uint64_t least, most;
    uint64_t differ; /* bits in which keys differ */
} cpu_tie_extent;

/* How a key and its index become a word: (bits - least) >> shift above the index. */
typedef struct cpu_tie_map {
    uint64_t least;
    unsigned shift, index_bits;
    unsigned word_bits; /* words are less than 2^word_bits */
    bool     lossy;     /* the shift drops bits in which keys differ */
} cpu_tie_map;

/* The map of n keys to words of at most `width` bits, 32 or 64, which hold the index. */
static inline cpu_tie_map cpu_tie_map_of(const cpu_tie_extent *extent, size_t n, unsigned width)
{
    unsigned const index_bits = n < 2 ? 1 : ordo_bit_length(n - 1);
    unsigned const used = ordo_bit_length(extent->most - extent->least);
    unsigned const same =
        extent->differ == 0 ? used : (unsigned)__builtin_ctzll(extent->differ); /* low bits */
    unsigned const over = used + index_bits > width ? used + index_bits - width : 0;
    unsigned const shift = over > same ? over : same;
    return (cpu_tie_map){extent->least, shift, index_bits, used - shift + index_bits, over > same};
}

/* The extent of n > 0 keys. */
typedef void cpu_tie_extent_fn(const void *keys, size_t n, bool descending, cpu_tie_extent *extent);
/* Writes the words of n keys, whose indices begin at 0. */
typedef void cpu_tie_words_fn(const void *keys, size_t n, bool descending, const cpu_tie_map *map,
                              uint32_t *words);

/* The loops that are written once in plain C and compiled for each ISA (plain_loops.h). */
typedef struct cpu_loops {
    const char        *isa;
    cpu_band_fn       *band[CPU_TYPES][2];   /* [type][descending] */
    cpu_below_fn      *below[CPU_TYPES][2];  /* [type][descending] */
    cpu_around_fn     *around[CPU_TYPES][2]; /* [type][descending]; NULL without such vectors */
    cpu_sides_fn      *sides[CPU_TYPES][2];  /* [type][descending]; NULL for fewer than 4 bytes */
    cpu_first_step_fn *first_step[CPU_TYPES];
    cpu_sort_rows_fn  *sort_rows[CPU_TYPES];
    cpu_order_rows_fn *order_rows[CPU_TYPES];
    cpu_tie_extent_fn *tie_extent[CPU_TYPES];
    cpu_tie_words_fn  *tie_words[CPU_TYPES];
    const struct record_type  *records; /* [type], radix/radix.h */
    const struct radix_ops    *radix;   /* [record_kind], radix/radix_work.h */
    const struct order_loops  *order;   /* rough/order_loops.h */
    const struct few_loops    *few;     /* [0]: 32-bit keys, [1]: 64-bit keys; sort/few_values.h */
    const struct moving_loops *moving;  /* windows/moving.h */
} cpu_loops;

/* ---- The table ---- */

typedef struct cpu_kernels {
    const char             *isa; /* for reports and ORDO_ISA */
    cpu_rank_fn            *rank_last[CPU_KEY_CLASSES][CPU_OUTS];
    cpu_rank_fn            *rank_next[CPU_KEY_CLASSES][CPU_OUTS];
    cpu_rank_fn            *rank_mean[CPU_KEY_CLASSES];
    cpu_heads_fn           *heads[CPU_KEY_CLASSES];
    cpu_pack_fn            *pack;
    cpu_count_fn           *count[CPU_OUTS];
    cpu_reduce_fn          *sum[CPU_WIDTHS];
    cpu_scan_fn            *scan_sum[CPU_WIDTHS];
    cpu_words_fn           *sort_words[CPU_WORDS]; /* NULL where radix passes are faster */
    cpu_keys_fn            *sort_keys[CPU_WORDS];
    cpu_nth_word_fn        *nth_word[CPU_WORDS];   /* NULL where sort_words is */
    size_t                  most_words[CPU_WORDS]; /* with more words, other sorts are faster */
    cpu_split_fn           *split[CPU_WIDTHS]; /* NULL if the ISA cannot compress such vectors */
    const cpu_loops        *loops;
    const struct set_loops *sets; /* sets/sets.h */
} cpu_kernels;

extern const cpu_loops        cpu_loops_generic;
extern const struct set_loops set_loops_generic;
extern const cpu_kernels      cpu_kernels_generic;
#if defined(__aarch64__)
extern const cpu_kernels cpu_kernels_neon;
#elif defined(__x86_64__)
extern const cpu_kernels      cpu_kernels_avx2;
extern const cpu_kernels      cpu_kernels_avx512;
extern const struct set_loops set_loops_avx2, set_loops_avx512;
cpu_words_fn                  cpu_sort_words_32_avx2, cpu_sort_words_64_avx2; /* sort_avx2.c */
cpu_words_fn    cpu_sort_words_32_avx512, cpu_sort_words_64_avx512;           /* sort_avx512.c */
cpu_keys_fn     cpu_sort_keys_32_avx2, cpu_sort_keys_64_avx2;
cpu_keys_fn     cpu_sort_keys_32_avx512, cpu_sort_keys_64_avx512;
cpu_nth_word_fn cpu_nth_word_32_avx2, cpu_nth_word_64_avx2;
cpu_nth_word_fn cpu_nth_word_32_avx512, cpu_nth_word_64_avx512;
#endif

/* Names of template functions, and rows of the table made of them. */
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
        CPU_JOIN(name, u8), CPU_JOIN(name, u16), CPU_JOIN(name, u32), CPU_JOIN(name, u64),         \
            CPU_JOIN(name, f32), CPU_JOIN(name, f64)                                               \
    }
#define CPU_PER_PAIR(name)                                                                         \
    {                                                                                              \
        CPU_PER_OUT(name##_u8), CPU_PER_OUT(name##_u16), CPU_PER_OUT(name##_u32),                  \
            CPU_PER_OUT(name##_u64), CPU_PER_OUT(name##_f32), CPU_PER_OUT(name##_f64)              \
    }

#endif
