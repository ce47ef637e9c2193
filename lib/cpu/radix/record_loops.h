/* record_loops.h - the loops of record_type.h, for the ISA of the file that includes this: that
 * file defines RECORD_TYPE, the name of the function that finds them. */
#include "core/keybits.h"
#include "cpu/radix/record_type.h"
#include "cpu/radix/short_keys.h"

#include <string.h>

/* Key bits with ties folded together, and those turned around; see keybits.h. -0 is just below +0,
 * and what is above +inf is a NaN. */
#define FOLD_FLOAT(tag, minus_zero, inf)                                                           \
    static inline ordo_bits_##tag fold_word_##tag(ordo_bits_##tag b)                               \
    {                                                                                              \
        return b > (inf) ? (ordo_bits_##tag) ~(ordo_bits_##tag)0 : b + (b == (minus_zero));        \
    }                                                                                              \
    static inline ordo_bits_##tag turn_word_##tag(ordo_bits_##tag b)                               \
    {                                                                                              \
        return b > (inf) ? b : ~b - 1;                                                             \
    }
#define FOLD_INTEGER(tag)                                                                          \
    static inline ordo_bits_##tag fold_word_##tag(ordo_bits_##tag b) { return b; }                 \
    static inline ordo_bits_##tag turn_word_##tag(ordo_bits_##tag b)                               \
    {                                                                                              \
        return (ordo_bits_##tag) ~b;                                                               \
    }
FOLD_FLOAT(f32, UINT32_C(0x7f800000), KEY_INF_F32)
FOLD_FLOAT(f64, UINT64_C(0x7ff0000000000000), KEY_INF_F64)
FOLD_INTEGER(i8)
FOLD_INTEGER(u8)
FOLD_INTEGER(i16)
FOLD_INTEGER(u16)
FOLD_INTEGER(i32)
FOLD_INTEGER(u32)
FOLD_INTEGER(i64)
FOLD_INTEGER(u64)
#undef FOLD_INTEGER
#undef FOLD_FLOAT

#define ORDO_TEMPLATE "cpu/radix/records.t.h"
#include "core/for_each_type.h"

const record_type *RECORD_TYPE(ordo_type type)
{
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    static const record_type of_##tag =                                                            \
        {load_keys_##tag,         store_keys_##tag,      load_index_p32_##tag,                     \
         load_index_p64_##tag,    load_pairs_p32_##tag,  store_pairs_p32_##tag,                    \
         load_pairs_p64_##tag,    store_pairs_p64_##tag, load_digits_32_##tag,                     \
         load_digits_64_##tag,    fold_alike_##tag,      load_short_##tag,                         \
         load_short_digits_##tag, key_at_##tag,          extent_##tag};
#include "core/types.def"
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return &of_##tag;
#include "core/types.def"
    }
    return NULL;
}
