/* cpu_bits.h - an array of flags as words of 64 bits, whichever way it is stored. */
#ifndef ORDO_CPU_SCAN_CPU_BITS_H
#define ORDO_CPU_SCAN_CPU_BITS_H

#include "cpu/kernel/kernels.h"

/* Flags [lo, hi), lo a multiple of 64, as words; unused bits of the last word are 0. Returns how
 * many are set. */
size_t cpu_bits_read(const cpu_kernels *kernels, ordo_flags_kind kind, const void *flags, size_t lo,
                     size_t hi, uint64_t *words);

#endif
