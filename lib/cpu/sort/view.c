/* view.c - see view.h. */
#include "cpu/sort/view.h"

#include "core/keybits.h"

/* What a key of each type becomes. */
typedef uint32_t view_item_i8, view_item_u8, view_item_i16, view_item_u16, view_item_i32,
    view_item_u32, view_item_f32;
typedef uint64_t view_item_i64, view_item_u64, view_item_f64;

#define ORDO_TEMPLATE "cpu/sort/view.t.h"
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

cpu_view cpu_view_of(ordo_type type, const void *keys, size_t n, bool descending,
                     enum cpu_view_order order)
{
    size_t const size = ordo_type_size(type);
    bool const   as_they_are = !descending && (type == ORDO_U32 || type == ORDO_U64);
    return (cpu_view){.kind = cpu_item_of_key(type),
                      .keys = keys,
                      .n = n,
                      .key_size = size,
                      .map = as_they_are ? NULL : map_of(type, descending, order)};
}
