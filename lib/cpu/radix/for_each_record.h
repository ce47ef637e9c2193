/* for_each_record.h - includes ORDO_TEMPLATE (a path from lib/) once per kind of record the radix
 * sort moves. The template sees ITEM (what is moved), DIGITS (the unsigned type of its key),
 * KEY_OF(item) and FN(name) (name_k32); it includes nothing. Every macro is gone afterwards.
 *
 *   k32, k64   a key alone
 *   p32        a 32-bit key above 32 bits of payload, in one word
 *   p64        a 64-bit key and 64 bits of payload */
#define ORDO_PASTE_(a, b) a##b
#define ORDO_PASTE(a, b) ORDO_PASTE_(a, b)
#define FN(name) ORDO_PASTE(name##_, R)

#define R k32
#define ITEM uint32_t
#define DIGITS uint32_t
#define KEY_OF(item) (item)
#include ORDO_TEMPLATE
#undef KEY_OF
#undef DIGITS
#undef ITEM
#undef R

#define R k64
#define ITEM uint64_t
#define DIGITS uint64_t
#define KEY_OF(item) (item)
#include ORDO_TEMPLATE
#undef KEY_OF
#undef DIGITS
#undef ITEM
#undef R

#define R p32
#define ITEM uint64_t
#define DIGITS uint32_t
#define KEY_OF(item) ((uint32_t)((item) >> 32))
#include ORDO_TEMPLATE
#undef KEY_OF
#undef DIGITS
#undef ITEM
#undef R

#define R p64
#define ITEM cpu_item_128
#define DIGITS uint64_t
#define KEY_OF(item) ((item).key)
#include ORDO_TEMPLATE
#undef KEY_OF
#undef DIGITS
#undef ITEM
#undef R

#undef FN
#undef ORDO_PASTE
#undef ORDO_PASTE_
#undef ORDO_TEMPLATE
