/* moving_loops.t.h - the loops of moving.h for one ISA: plain C that the compiler turns into its
 * vectors and bit instructions. The including file defines MOVING_LOOPS, the name of the table, and
 * is compiled with the options of that ISA. */
#include "core/keybits.h"
#include "cpu/windows/moving.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "cpu/windows/moving_sweep.t.h"

#define ORDO_TEMPLATE "cpu/windows/moving_type.t.h"
#include "core/for_each_type.h"

const moving_loops MOVING_LOOPS = {
    .bounds =
        {
#define ORDO_TYPE(ID, tag, key, bits) [ORDO_##ID] = moving_bounds_##tag,
#include "core/types.def"
        },
    .places =
        {
#define ORDO_TYPE(ID, tag, key, bits) [ORDO_##ID] = moving_places_##tag,
#include "core/types.def"
        },
    .quantile = moving_quantile,
    .rank = moving_rank,
};
