/* for_each_string.h - includes ORDO_TEMPLATE (a path from lib/) for strings of bytes and of
 * integers, with indices of 32 and of 64 bits.
 *
 * The template sees INDEX (uint32_t), SYMBOL (uint8_t or INDEX), BYTES (1: SYMBOL is uint8_t),
 * MARK, the highest bit of an index, FN(name) (name_b32 or name_i32) and REDUCED(name), the same
 * for integers of this index. Every macro is undefined afterwards. */
#define INDEX uint32_t
#define MARK ((uint32_t)1 << 31)
#define REDUCED(name) name##_i32
#define SYMBOL uint32_t
#define BYTES 0
#define FN(name) name##_i32
#include ORDO_TEMPLATE
#undef FN
#undef BYTES
#undef SYMBOL
#define SYMBOL uint8_t
#define BYTES 1
#define FN(name) name##_b32
#include ORDO_TEMPLATE
#undef FN
#undef BYTES
#undef SYMBOL
#undef REDUCED
#undef MARK
#undef INDEX
#define INDEX uint64_t
#define MARK ((uint64_t)1 << 63)
#define REDUCED(name) name##_i64
#define SYMBOL uint64_t
#define BYTES 0
#define FN(name) name##_i64
#include ORDO_TEMPLATE
#undef FN
#undef BYTES
#undef SYMBOL
#define SYMBOL uint8_t
#define BYTES 1
#define FN(name) name##_b64
#include ORDO_TEMPLATE
#undef FN
#undef BYTES
#undef SYMBOL
#undef REDUCED
#undef MARK
#undef INDEX
#undef ORDO_TEMPLATE
