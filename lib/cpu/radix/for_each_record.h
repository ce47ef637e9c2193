/* for_each_record.h - includes ORDO_TEMPLATE (a path from lib/) once for each kind of record.
 *
 * The template uses RECORD (record_k32), DIGITS (the type of its key bits), KEY_OF(record), LESS(a,
 * b), PICK(take_b, a, b) and FN(name) (name_k32); it includes nothing. LESS compares key bits. If
 * ORDO_WHOLE_RECORDS is defined, LESS compares whole records, and there is no p32, because k64 does
 * the same. Every macro is undefined at the end. */
#define ORDO_PASTE_(a, b) a##b
#define ORDO_PASTE(a, b) ORDO_PASTE_(a, b)
#define FN(name) ORDO_PASTE(name##_, R)
#define RECORD FN(record)
#define DIGITS FN(digits)
#define KEY_OF(record) FN(record_key)(record)
#define PICK(take_b, a, b) FN(record_pick)(take_b, a, b)
#ifdef ORDO_WHOLE_RECORDS
#define LESS(a, b) FN(record_less)(a, b)
#else
#define LESS(a, b) (KEY_OF(a) < KEY_OF(b))
#endif

#define R k32
#include ORDO_TEMPLATE
#undef R
#define R k64
#include ORDO_TEMPLATE
#undef R
#ifndef ORDO_WHOLE_RECORDS
#define R p32
#include ORDO_TEMPLATE
#undef R
#endif
#define R p64
#include ORDO_TEMPLATE
#undef R

#undef LESS
#undef PICK
#undef KEY_OF
#undef DIGITS
#undef RECORD
#undef FN
#undef ORDO_PASTE
#undef ORDO_PASTE_
#undef ORDO_WHOLE_RECORDS
#undef ORDO_TEMPLATE
