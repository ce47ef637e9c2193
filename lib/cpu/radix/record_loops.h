/* record_loops.h - the loops of record_type.h, for the ISA of the file that includes this: that
 * file defines RECORD_TYPE, the name of the function that finds them. */
#include "core/keybits.h"
#include "cpu/radix/record_type.h"
#include "cpu/radix/short_keys.h"

#include <string.h>

#define ORDO_TEMPLATE "cpu/radix/records.t.h"
#include "core/for_each_type.h"

const record_type *RECORD_TYPE(ordo_type type)
{
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    static const record_type of_##tag = {load_keys_##tag,         store_keys_##tag,                \
                                         load_index_p32_##tag,    load_index_p64_##tag,            \
                                         load_pairs_p32_##tag,    store_pairs_p32_##tag,           \
                                         load_pairs_p64_##tag,    store_pairs_p64_##tag,           \
                                         load_digits_32_##tag,    load_digits_64_##tag,            \
                                         fold_alike_##tag,        load_short_##tag,                \
                                         load_short_digits_##tag, extent_##tag};
#include "core/types.def"
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return &of_##tag;
#include "core/types.def"
    }
    return NULL;
}
