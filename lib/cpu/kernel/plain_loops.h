/* plain_loops.h - the cpu_loops of one ISA: plain C that the compiler turns into vector code.
 *
 * The including file defines CPU_ISA (for example avx2) and is compiled with the options of that
 * ISA; it gets the table cpu_loops_avx2. It may define BAND_BY_VECTORS and AROUND_BY_VECTORS (see
 * count_band.t.h and sides.t.h).
 * The loops are faster when compiled for an ISA: SSE2 cannot compare 64-bit integers, only AVX-512
 * compares unsigned integers in one instruction, AVX2 shifts each lane by its own count, POPCNT
 * counts bits, and PDEP finds the k-th set bit of a word without a branch. */
#include "core/keybits.h"
#include "core/network.h"
#include "cpu/base/kernels.h"
#include "cpu/radix/radix_steps.h"
#include "cpu/radix/short_keys.h"
#include "cpu/kernel/wide_lanes.h"
#include "cpu/rough/order_loops.h"
#include "cpu/sort/few_values.h"
#include "cpu/windows/moving.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define ORDO_TEMPLATE "cpu/kernel/count_band.t.h"
#include "core/for_each_type.h"
#define ORDO_TEMPLATE "cpu/kernel/sides.t.h"
#include "core/for_each_type.h"
#define ORDO_TEMPLATE "cpu/kernel/first_step.t.h"
#include "core/for_each_type.h"
#define ORDO_TEMPLATE "cpu/segments/rows.t.h"
#include "core/for_each_type.h"
#define ORDO_TEMPLATE "cpu/kernel/tie_words.t.h"
#include "core/for_each_type.h"
#define ORDO_TEMPLATE "cpu/radix/records.t.h"
#include "core/for_each_type.h"

#include "cpu/windows/moving_sweep.t.h"
#define ORDO_TEMPLATE "cpu/windows/moving_type.t.h"
#include "core/for_each_type.h"
#define ORDO_TEMPLATE "cpu/windows/moving_few.t.h"
#include "core/for_each_type.h"

static const record_type record_loops[CPU_TYPES] = {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    [ORDO_##ID] = {load_keys_##tag,         store_keys_##tag,      load_index_p32_##tag,           \
                   load_index_p64_##tag,    load_pairs_p32_##tag,  store_pairs_p32_##tag,          \
                   load_pairs_p64_##tag,    store_pairs_p64_##tag, load_digits_32_##tag,           \
                   load_digits_64_##tag,    fold_alike_##tag,      load_short_##tag,               \
                   load_short_digits_##tag},
#include "core/types.def"
};

static const radix_ops radix_steps[RECORD_KINDS] = RADIX_STEPS;

#define FN(name) CPU_JOIN(name, W)
#define W 32
#define RECORD uint32_t
#include "cpu/rough/measure_check.t.h"
#define VEC wide_32
#define LANES WIDE_32
#include "cpu/rough/rough_networks.t.h"
#undef LANES
#undef VEC
#include "cpu/sort/few_values.t.h"
#include "cpu/sort/dense_values.t.h"
#undef RECORD
#undef W
#define W 64
#define RECORD uint64_t
#include "cpu/rough/measure_check.t.h"
#define VEC wide_64
#define LANES WIDE_64
#include "cpu/rough/rough_networks.t.h"
#undef LANES
#undef VEC
#include "cpu/sort/few_values.t.h"
#include "cpu/sort/dense_values.t.h"
#undef RECORD
#undef W
#undef FN

static const order_loops order_loops_here = {
    .of_32 = {any_before_32, any_before_all_32, any_before_far_32, bounds_32, steps_32,
              networks_32},
    .of_64 = {any_before_64, any_before_all_64, any_before_far_64, bounds_64, steps_64,
              networks_64},
};

static const few_loops few_loops_here[] = {
    {
        .count = few_count_32,
        .count_pairs = few_count_pairs_32,
#if defined(__AVX512F__) && defined(__AVX512DQ__)
        .places = true,
#endif
        .fill = few_fill_32,
        .dense_count = dense_count_32,
        .dense_write = dense_write_32,
    },
    {
        .count = few_count_64,
#if !defined(__AVX512F__) || !defined(__AVX512DQ__)
        .count_pairs = few_count_pairs_64,
#endif
        .fill = few_fill_64,
        .dense_count = dense_count_64,
        .dense_write = dense_write_64,
    },
};

static const moving_loops moving_loops_here = {
    .few =
        {
#define ORDO_TYPE(ID, tag, key, bits) [ORDO_##ID] = moving_few_##tag,
#include "core/types.def"
        },
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

#define IF_WIDE(key, name) (sizeof(key) >= 4 ? name : NULL)
#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)
const cpu_loops CPU_JOIN(cpu_loops, CPU_ISA) = {
    .isa = TEXT(CPU_ISA),
    .band =
        {
#define ORDO_TYPE(ID, tag, key, bits) [ORDO_##ID] = {band_up_##tag, band_down_##tag},
#include "core/types.def"
        },
    .below =
        {
#define ORDO_TYPE(ID, tag, key, bits) [ORDO_##ID] = {below_up_##tag, below_down_##tag},
#include "core/types.def"
        },
#if defined(AROUND_BY_VECTORS)
    .around =
        {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    [ORDO_##ID] = {IF_WIDE(key, around_up_##tag), IF_WIDE(key, around_down_##tag)},
#include "core/types.def"
        },
#endif
    .sides =
        {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    [ORDO_##ID] = {IF_WIDE(key, sides_up_##tag), IF_WIDE(key, sides_down_##tag)},
#include "core/types.def"
        },
    .first_step =
        {
#define ORDO_TYPE(ID, tag, key, bits) [ORDO_##ID] = first_step_##tag,
#include "core/types.def"
        },
    .sort_rows =
        {
#define ORDO_TYPE(ID, tag, key, bits) [ORDO_##ID] = sort_rows_##tag,
#include "core/types.def"
        },
    .order_rows =
        {
#define ORDO_TYPE(ID, tag, key, bits) [ORDO_##ID] = order_rows_##tag,
#include "core/types.def"
        },
    .tie_extent =
        {
#define ORDO_TYPE(ID, tag, key, bits) [ORDO_##ID] = tie_extent_##tag,
#include "core/types.def"
        },
    .tie_words =
        {
#define ORDO_TYPE(ID, tag, key, bits) [ORDO_##ID] = tie_words_##tag,
#include "core/types.def"
        },
    .records = record_loops,
    .radix = radix_steps,
    .order = &order_loops_here,
    .few = few_loops_here,
    .moving = &moving_loops_here,
};
#undef TEXT
#undef TEXT_
#undef IF_WIDE
