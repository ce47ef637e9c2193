/* first_wrong_avx512.c - first_wrong.h compiled for AVX-512. */
#include "core/keybits.h"
#include "cpu/kernel/first_wrong.h"

#define ORDO_TEMPLATE "cpu/kernel/first_wrong.t.h"
#include "core/for_each_type.h"

const cpu_first_wrong_table cpu_first_wrong_avx512 = {
#define ORDO_TYPE(ID, tag, key, bits) [ORDO_##ID] = {first_wrong_up_##tag, first_wrong_down_##tag},
#include "core/types.def"
};
