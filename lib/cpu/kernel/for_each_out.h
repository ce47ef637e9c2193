/* for_each_out.h - includes ORDO_OUT_TEMPLATE (a path from lib/) once for each output type of ranks
 * and counts.
 *
 * The template uses OUT (ordo_key_u32), OUT_SLOT (CPU_OUT_u32) and OFN(name) (name_u32). At the end
 * all macros are undefined except ORDO_OUT_TEMPLATE, which the including file undefines. */
#define OUT CPU_JOIN(ordo_key, O)
#define OUT_SLOT CPU_JOIN(CPU_OUT, O)
#define OFN(name) CPU_JOIN(name, O)
#define O u32
#include ORDO_OUT_TEMPLATE
#undef O
#define O u64
#include ORDO_OUT_TEMPLATE
#undef O
#define O f64
#include ORDO_OUT_TEMPLATE
#undef O
#undef OFN
#undef OUT_SLOT
#undef OUT
