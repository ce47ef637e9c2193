/* for_each_width.h - stamps scan_sum.t.h for sums of the keys' own width: name_8 to name_64.
 * Integers of one width are added alike whatever their sign. */
#define KEY uint8_t
#define SUM uint8_t
#define SFN(name) name##_8
#include "cpu/kernel/scan_sum.t.h"
#undef SFN
#undef SUM
#undef KEY
#define KEY uint16_t
#define SUM uint16_t
#define SFN(name) name##_16
#include "cpu/kernel/scan_sum.t.h"
#undef SFN
#undef SUM
#undef KEY
#define KEY uint32_t
#define SUM uint32_t
#define SFN(name) name##_32
#include "cpu/kernel/scan_sum.t.h"
#undef SFN
#undef SUM
#undef KEY
#define KEY uint64_t
#define SUM uint64_t
#define SFN(name) name##_64
#include "cpu/kernel/scan_sum.t.h"
#undef SFN
#undef SUM
#undef KEY
