/* first_wrong_generic.c - first_wrong.h for every CPU of the target, and the choice of the ISA. */
#include "core/keybits.h"
#include "cpu/kernel/first_wrong.h"

#include <string.h>

#define ORDO_TEMPLATE "cpu/kernel/first_wrong.t.h"
#include "core/for_each_type.h"

const cpu_first_wrong_table cpu_first_wrong_generic = {
#define ORDO_TYPE(ID, tag, key, bits) [ORDO_##ID] = {first_wrong_up_##tag, first_wrong_down_##tag},
#include "core/types.def"
};

cpu_first_wrong_fn *cpu_first_wrong_choose(const char *isa, ordo_type type, bool descending)
{
#if defined(__x86_64__)
    if (strcmp(isa, "avx2") == 0)
        return cpu_first_wrong_avx2[type][descending];
    if (strcmp(isa, "avx512") == 0)
        return cpu_first_wrong_avx512[type][descending];
#endif
    (void)isa;
    return cpu_first_wrong_generic[type][descending];
}
