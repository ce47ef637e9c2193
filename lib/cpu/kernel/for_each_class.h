/* for_each_class.h - includes ORDO_CLASS_TEMPLATE (a path from lib/) once for each key class.
 *
 * The template uses CKEY (the type: ordo_key_u8), CLASS_SLOT (CPU_KEY_u8), CFN(name) (name_u8) and
 * CSAME(a, b), which is 1 if two keys tie and neither is a NaN. All macros are undefined at the
 * end. */
#define CKEY CPU_JOIN(ordo_key, C)
#define CLASS_SLOT CPU_JOIN(CPU_KEY, C)
#define CFN(name) CPU_JOIN(name, C)
#define CSAME(a, b) CPU_JOIN(key_same, C)(a, b)
#define C u8
#include ORDO_CLASS_TEMPLATE
#undef C
#define C u16
#include ORDO_CLASS_TEMPLATE
#undef C
#define C u32
#include ORDO_CLASS_TEMPLATE
#undef C
#define C u64
#include ORDO_CLASS_TEMPLATE
#undef C
#define C f32
#include ORDO_CLASS_TEMPLATE
#undef C
#define C f64
#include ORDO_CLASS_TEMPLATE
#undef C
#undef CSAME
#undef CFN
#undef CLASS_SLOT
#undef CKEY
#undef ORDO_CLASS_TEMPLATE
