/* for_each_word.h - includes ORDO_TEMPLATE (a path from lib/) for words of 32 and of 64 bits.
 *
 * The template sees RECORD (uint32_t), FN(name) (name_32) and LESS(a, b); it includes nothing.
 * Every macro is undefined afterwards. */
#define LESS(a, b) ((a) < (b))
#define RECORD uint32_t
#define FN(name) name##_32
#include ORDO_TEMPLATE
#undef FN
#undef RECORD
#define RECORD uint64_t
#define FN(name) name##_64
#include ORDO_TEMPLATE
#undef FN
#undef RECORD
#undef LESS
#undef ORDO_TEMPLATE
