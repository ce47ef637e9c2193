/* view.c - see view.h. */
#include "cpu/rough/view.h"

cpu_view cpu_view_of(const cpu_kernels *kernels, ordo_type type, const void *keys, size_t n,
                     bool descending, enum cpu_view_order order)
{
    size_t const             size = ordo_type_size(type);
    bool const               as_they_are = !descending && (type == ORDO_U32 || type == ORDO_U64);
    const order_loops *const loops = order_loops_of(kernels);
    return (cpu_view){.kind = cpu_item_of_key(type),
                      .keys = keys,
                      .n = n,
                      .key_size = size,
                      .map = as_they_are ? NULL : loops->map(type, descending, order),
                      .loops = loops};
}
