/* count_avx512.c - count_band.h compiled for AVX-512. */
#include "core/keybits.h"
#include "cpu/kernel/count_band.h"

#define ORDO_TEMPLATE "cpu/kernel/count_band.t.h"
#include "core/for_each_type.h"

CPU_BAND_TABLE(cpu_band_avx512);
