/* order_loops.t.h - the table of order_loops.h for the ISA that the including file is compiled for.
 * That file defines ORDER_LOOPS, the name of the table. */
#include "core/keybits.h"
#include "cpu/kernel/lanes.h"
#include "cpu/rough/order_loops.h"

/* What a key of each type becomes. */
typedef uint32_t view_item_i8, view_item_u8, view_item_i16, view_item_u16, view_item_i32,
    view_item_u32, view_item_f32;
typedef uint64_t view_item_i64, view_item_u64, view_item_f64;

/* key_fold and key_desc made from key bits: comparing floats would keep the loops of view.t.h from
 * becoming vectors. -0 lies just below +0, and what is above +inf is a NaN. */
#define VIEW_FLOAT(tag, bits, infinity)                                                            \
    static inline bits view_folded_##tag(bits b)                                                   \
    {                                                                                              \
        return b > (infinity) ? (bits)-1 : b + (b == (infinity) / 2);                              \
    }                                                                                              \
    static inline bits view_descending_##tag(bits b)                                               \
    {                                                                                              \
        return b > (infinity) ? (bits)-1 : ~view_folded_##tag(b) - 1;                              \
    }
VIEW_FLOAT(f32, uint32_t, KEY_INF_F32)
VIEW_FLOAT(f64, uint64_t, KEY_INF_F64)
#undef VIEW_FLOAT

#define VIEW_INTEGER(tag, bits)                                                                    \
    static inline bits view_folded_##tag(bits b) { return b; }                                     \
    static inline bits view_descending_##tag(bits b) { return (bits)~b; }
VIEW_INTEGER(i8, uint8_t)
VIEW_INTEGER(u8, uint8_t)
VIEW_INTEGER(i16, uint16_t)
VIEW_INTEGER(u16, uint16_t)
VIEW_INTEGER(i32, uint32_t)
VIEW_INTEGER(u32, uint32_t)
VIEW_INTEGER(i64, uint64_t)
VIEW_INTEGER(u64, uint64_t)
#undef VIEW_INTEGER

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
