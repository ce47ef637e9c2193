/* for_each_class.h - includes ORDO_CLASS_TEMPLATE (a path from lib/) once for each key class.
 *
 * The template sees CKEY (uint8_t), CLASS_SLOT (CPU_KEY_8), CFN(name) (name_k8) and CSAME(a, b),
 * which is 1 if two keys tie and neither is a NaN. All macros are undefined at the end. */
#define CKEY uint8_t
#define CLASS_SLOT CPU_KEY_8
#define CFN(name) CPU_JOIN(name, k8)
#define CSAME(a, b) key_same_u8(a, b)
#include ORDO_CLASS_TEMPLATE
#undef CSAME
#undef CFN
#undef CLASS_SLOT
#undef CKEY
#define CKEY uint16_t
#define CLASS_SLOT CPU_KEY_16
#define CFN(name) CPU_JOIN(name, k16)
#define CSAME(a, b) key_same_u16(a, b)
#include ORDO_CLASS_TEMPLATE
#undef CSAME
#undef CFN
#undef CLASS_SLOT
#undef CKEY
#define CKEY uint32_t
#define CLASS_SLOT CPU_KEY_32
#define CFN(name) CPU_JOIN(name, k32)
#define CSAME(a, b) key_same_u32(a, b)
#include ORDO_CLASS_TEMPLATE
#undef CSAME
#undef CFN
#undef CLASS_SLOT
#undef CKEY
#define CKEY uint64_t
#define CLASS_SLOT CPU_KEY_64
#define CFN(name) CPU_JOIN(name, k64)
#define CSAME(a, b) key_same_u64(a, b)
#include ORDO_CLASS_TEMPLATE
#undef CSAME
#undef CFN
#undef CLASS_SLOT
#undef CKEY
#define CKEY float
#define CLASS_SLOT CPU_KEY_F32
#define CFN(name) CPU_JOIN(name, kf32)
#define CSAME(a, b) key_same_f32(a, b)
#include ORDO_CLASS_TEMPLATE
#undef CSAME
#undef CFN
#undef CLASS_SLOT
#undef CKEY
#define CKEY double
#define CLASS_SLOT CPU_KEY_F64
#define CFN(name) CPU_JOIN(name, kf64)
#define CSAME(a, b) key_same_f64(a, b)
#include ORDO_CLASS_TEMPLATE
#undef CSAME
#undef CFN
#undef CLASS_SLOT
#undef CKEY
#undef ORDO_CLASS_TEMPLATE
