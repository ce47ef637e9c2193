/* for_each_item.h - includes ORDO_TEMPLATE (a path from lib/) once per kind of item.
 *
 * The template sees ITEM (cpu_item_32), LESS(a, b) and FN(name) (name_32); it includes nothing and
 * defines only static functions. Every macro is gone afterwards. */
#define ORDO_PASTE_(a, b) a##b
#define ORDO_PASTE(a, b) ORDO_PASTE_(a, b)
#define ITEM ORDO_PASTE(cpu_item_, W)
#define LESS(a, b) ORDO_PASTE(cpu_less_, W)(a, b)
#define FN(name) ORDO_PASTE(name##_, W)

#define W 32
#include ORDO_TEMPLATE
#undef W
#define W 64
#include ORDO_TEMPLATE
#undef W
#define W 128
#include ORDO_TEMPLATE
#undef W

#undef FN
#undef LESS
#undef ITEM
#undef ORDO_PASTE
#undef ORDO_PASTE_
#undef ORDO_TEMPLATE
