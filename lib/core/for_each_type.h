/* for_each_type.h - includes ORDO_TEMPLATE (a path from lib/) once per key type.
 *
 * The template sees T (the tag: f32), KEY (float), BITS (uint32_t) and FN(name) (name_f32); it
 * includes nothing and defines only static functions. Every macro is gone afterwards. This is
 * the one file that repeats the list of types.def, for the preprocessor cannot include from a
 * macro. */
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
