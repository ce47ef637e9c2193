/* order_loops.t.h - the table of order_loops.h for the ISA that the including file is compiled for
 * (kernel/plain_loops.h): order_loops_here. */
#include "core/keybits.h"
#include "cpu/kernel/lanes.h"
#include "cpu/rough/order_loops.h"

/* The key bits that a key of each type becomes. */
typedef uint32_t view_item_i8, view_item_u8, view_item_i16, view_item_u16, view_item_i32,
    view_item_u32, view_item_f32;
typedef uint64_t view_item_i64, view_item_u64, view_item_f64;

#define ORDO_TEMPLATE "cpu/rough/view.t.h"
#include "core/for_each_type.h"

static cpu_view_fn *map_of(ordo_type type, bool descending, enum cpu_view_order order)
{
    bool const total = order == CPU_VIEW_TOTAL;
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return total ? (descending ? view_turned_##tag : view_bits_##tag)                          \
                     : (descending ? view_desc_##tag : view_fold_##tag);
#include "core/types.def"
    }
    return NULL;
}

#define ORDO_PASTE_(a, b) a##b
#define ORDO_PASTE(a, b) ORDO_PASTE_(a, b)
#define ITEM ORDO_PASTE(cpu_item_, W)
#define FN(name) ORDO_PASTE(name##_, W)
#define W 32
#include "cpu/rough/measure_check.t.h"
#undef W
#define W 64
#include "cpu/rough/measure_check.t.h"
#undef W
#undef FN
#undef ITEM
#undef ORDO_PASTE
#undef ORDO_PASTE_

static const order_loops order_loops_here = {
    .map = map_of,
    .of_32 = {any_before_32, any_before_all_32, any_before_far_32, bounds_32},
    .of_64 = {any_before_64, any_before_all_64, any_before_far_64, bounds_64},
};
