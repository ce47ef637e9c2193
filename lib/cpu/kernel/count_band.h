/* count_band.h - the inner loop of selection: how many keys lie below a band of words and how
 * many inside it, and which words those are.
 *
 * A word is what order compares: the key bits, turned around for a descending order (keybits.h).
 * The loop is plain C that compilers turn into vectors; it is compiled once for every ISA.
 * And which keys lie below one word, as bits. */
#ifndef ORDO_CPU_KERNEL_COUNT_BAND_H
#define ORDO_CPU_KERNEL_COUNT_BAND_H

#include "core/base.h"

typedef struct cpu_band {
    uint64_t lo, hi; /* words, both inside */
    size_t   below, inside;
} cpu_band;

/* Adds to band->below and band->inside what keys[0..n) have there. If kept is not NULL, the words
 * inside are written to it (n must have room: stores behind the last one are overwritten). Returns
 * how many of these n are inside. */
typedef size_t cpu_band_fn(const void *keys, size_t n, cpu_band *band, void *kept);

enum {
    CPU_BAND_TYPES = ORDO_F64 + 1
};

/* [type][descending] */
typedef cpu_band_fn *cpu_band_table[CPU_BAND_TYPES][2];

extern const cpu_band_table cpu_band_generic;
#if defined(__x86_64__)
extern const cpu_band_table cpu_band_avx2;
extern const cpu_band_table cpu_band_avx512; /* NULL where AVX2 is as good */
#endif

/* The function for an ISA by the name its kernels have. */
cpu_band_fn *cpu_band_choose(const char *isa, ordo_type type, bool descending);

/* Bit i%64 of words[i/64] = the word of keys[i] is below the pivot. n is a multiple of 64. */
typedef void          cpu_below_fn(const void *keys, size_t n, uint64_t pivot, uint64_t *words);
typedef cpu_below_fn *cpu_below_table[CPU_BAND_TYPES][2];
extern const cpu_below_table cpu_below_generic;
#if defined(__x86_64__)
extern const cpu_below_table cpu_below_avx512; /* NULL for narrow keys */
#endif
cpu_below_fn *cpu_below_choose(const char *isa, ordo_type type, bool descending);

/* What an ISA's file says after stamping count_band.t.h. */
#define CPU_BAND_TABLE(name)                                                                       \
    const cpu_band_table name = {                                                                  \
        [ORDO_I8] = {band_up_i8, band_down_i8},    [ORDO_U8] = {band_up_u8, band_down_u8},         \
        [ORDO_I16] = {band_up_i16, band_down_i16}, [ORDO_U16] = {band_up_u16, band_down_u16},      \
        [ORDO_I32] = {band_up_i32, band_down_i32}, [ORDO_U32] = {band_up_u32, band_down_u32},      \
        [ORDO_I64] = {band_up_i64, band_down_i64}, [ORDO_U64] = {band_up_u64, band_down_u64},      \
        [ORDO_F32] = {band_up_f32, band_down_f32}, [ORDO_F64] = {band_up_f64, band_down_f64},      \
    }

#endif
