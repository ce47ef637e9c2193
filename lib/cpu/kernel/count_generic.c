/* count_generic.c - count_band.h for every CPU of the target (on aarch64 that is NEON), and the
 * choice among the ISAs. */
#include "core/keybits.h"
#include "cpu/kernel/count_band.h"

#include <string.h>

#define ORDO_TEMPLATE "cpu/kernel/count_band.t.h"
#include "core/for_each_type.h"

CPU_BAND_TABLE(cpu_band_generic);

cpu_band_fn *cpu_band_choose(const char *isa, ordo_type type, bool descending)
{
    const cpu_band_table *table = &cpu_band_generic;
#if defined(__x86_64__)
    if (strcmp(isa, "avx2") == 0)
        table = &cpu_band_avx2;
    else if (strcmp(isa, "avx512") == 0)
        table = cpu_band_avx512[type][descending] != NULL ? &cpu_band_avx512 : &cpu_band_avx2;
#else
    (void)isa;
#endif
    return (*table)[type][descending];
}
