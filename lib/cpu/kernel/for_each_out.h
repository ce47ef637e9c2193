/* for_each_out.h - includes ORDO_OUT_TEMPLATE (a path from lib/) once for each output type of ranks
 * and counts.
 *
 * The template sees OUT (uint32_t), OUT_SLOT (CPU_OUT_U32) and OFN(name) (name_u32). All macros are
 * undefined at the end except ORDO_OUT_TEMPLATE, which nested stamps use again. */
#define OUT uint32_t
#define OUT_SLOT CPU_OUT_U32
#define OFN(name) CPU_JOIN(name, u32)
#include ORDO_OUT_TEMPLATE
#undef OFN
#undef OUT_SLOT
#undef OUT
#define OUT uint64_t
#define OUT_SLOT CPU_OUT_U64
#define OFN(name) CPU_JOIN(name, u64)
#include ORDO_OUT_TEMPLATE
#undef OFN
#undef OUT_SLOT
#undef OUT
#define OUT double
#define OUT_SLOT CPU_OUT_F64
#define OFN(name) CPU_JOIN(name, f64)
#include ORDO_OUT_TEMPLATE
#undef OFN
#undef OUT_SLOT
#undef OUT
