/* first_wrong.h - the inner loop of ordo_is_sorted: the first key that comes before its left
 * neighbour.
 *
 * Keys are compared as integers (core/keybits.h). The loop is plain C that compilers turn into
 * vectors. It is compiled for SSE2 or NEON, and again for AVX2 and AVX-512: SSE2 cannot compare
 * 64-bit integers, and only AVX-512 compares unsigned ones in one instruction. */
#ifndef ORDO_CPU_KERNEL_FIRST_WRONG_H
#define ORDO_CPU_KERNEL_FIRST_WRONG_H

#include "core/base.h"

/* The least i in [lo, hi), lo > 0, such that keys[i] comes before keys[i - 1]; hi if there is
 * none. */
typedef size_t cpu_first_wrong_fn(const void *keys, size_t lo, size_t hi);

enum {
    FIRST_WRONG_BLOCK = 1024 /* keys compared at a time */
};

/* [type][descending] */
typedef cpu_first_wrong_fn *cpu_first_wrong_table[ORDO_F64 + 1][2];

extern const cpu_first_wrong_table cpu_first_wrong_generic;
#if defined(__x86_64__)
extern const cpu_first_wrong_table cpu_first_wrong_avx2;
extern const cpu_first_wrong_table cpu_first_wrong_avx512;
#endif

/* The function for an ISA, given the name of its kernels. */
cpu_first_wrong_fn *cpu_first_wrong_choose(const char *isa, ordo_type type, bool descending);

#endif
