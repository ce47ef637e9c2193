/* for_each_type.h - includes ORDO_TEMPLATE (a path from lib/) once per key type.
 *
 * The template uses T (the tag: f32), KEY (float), BITS (uint32_t) and FN(name) (name_f32). It must
 * include nothing and define only static functions. All macros are undefined afterwards. Only this
 * file repeats the list of types.def, because a macro cannot contain an #include. */
#define ORDO_PASTE_(a, b) a##b
#define ORDO_PASTE(a, b) ORDO_PASTE_(a, b)
#define KEY ORDO_PASTE(ordo_key_, T)
#define BITS ORDO_PASTE(ordo_bits_, T)
#define FN(name) ORDO_PASTE(name##_, T)

#define T i8
#include ORDO_TEMPLATE
#undef T
#define T u8
#include ORDO_TEMPLATE
#undef T
#define T i16
#include ORDO_TEMPLATE
#undef T
#define T u16
#include ORDO_TEMPLATE
#undef T
#define T i32
#include ORDO_TEMPLATE
#undef T
#define T u32
#include ORDO_TEMPLATE
#undef T
#define T i64
#include ORDO_TEMPLATE
#undef T
#define T u64
#include ORDO_TEMPLATE
#undef T
#define T f32
#include ORDO_TEMPLATE
#undef T
#define T f64
#include ORDO_TEMPLATE
#undef T

#undef FN
#undef BITS
#undef KEY
#undef ORDO_PASTE
#undef ORDO_PASTE_
#undef ORDO_TEMPLATE
