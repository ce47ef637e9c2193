/* loops.h - the set_loops of one ISA. The including file defines CPU_ISA (for example avx2) and is
 * compiled with the options of that ISA; it gets the table set_loops_avx2. */
#include "core/keybits.h"
#include "cpu/sets/sets.h"

#include <math.h>
#include <string.h>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

enum {
    LANES = 16,  /* searches at once; a core has about as many reads in flight */
    WINDOW = 512, /* most keys whose bits are computed for a block of needles in order */
    COMPACT_BLOCK = 256 /* keys without a tie are moved together */
};

#define ORDO_TEMPLATE "cpu/sets/search.t.h"
#include "core/for_each_type.h"
#define ORDO_TEMPLATE "cpu/sets/compact.t.h"
#include "core/for_each_type.h"

#define FN(name) CPU_JOIN(name, W)
#define W 32
#define PATTERN uint32_t
#include "cpu/sets/filter.t.h"
#undef PATTERN
#undef W
#define W 64
#define PATTERN uint64_t
#include "cpu/sets/filter.t.h"
#undef PATTERN
#undef W
#undef FN

const set_loops CPU_JOIN(set_loops, CPU_ISA) = {
    .not_in_table = {not_in_table_32, not_in_table_64},
    .compact =
        {
#define ORDO_TYPE(ID, tag, key, bits) [ORDO_##ID] = compact_##tag,
#include "core/types.def"
        },
    .take_top =
        {
#define ORDO_TYPE(ID, tag, key, bits) [ORDO_##ID] = take_top_##tag,
#include "core/types.def"
        },
    .places =
        {
#define ORDO_TYPE(ID, tag, key, bits) [ORDO_##ID] = places_##tag,
#include "core/types.def"
        },
};
