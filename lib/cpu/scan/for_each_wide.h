/* for_each_wide.h - stamps the sums of cpu_scan.c that are not of the keys' own width, and those of
 * floats: names end in the key type, floats that widen in f32_f64. */
#define KEY int8_t
#define SUM uint64_t
#define SFN(name) name##_i8
#include "cpu/kernel/scan_sum.t.h"
#undef SFN
#undef SUM
#undef KEY
#define KEY uint8_t
#define SUM uint64_t
#define SFN(name) name##_u8
#include "cpu/kernel/scan_sum.t.h"
#undef SFN
#undef SUM
#undef KEY
#define KEY int16_t
#define SUM uint64_t
#define SFN(name) name##_i16
#include "cpu/kernel/scan_sum.t.h"
#undef SFN
#undef SUM
#undef KEY
#define KEY uint16_t
#define SUM uint64_t
#define SFN(name) name##_u16
#include "cpu/kernel/scan_sum.t.h"
#undef SFN
#undef SUM
#undef KEY
#define KEY int32_t
#define SUM uint64_t
#define SFN(name) name##_i32
#include "cpu/kernel/scan_sum.t.h"
#undef SFN
#undef SUM
#undef KEY
#define KEY uint32_t
#define SUM uint64_t
#define SFN(name) name##_u32
#include "cpu/kernel/scan_sum.t.h"
#undef SFN
#undef SUM
#undef KEY
#define KEY float
#define RESULT float
#define SFN(name) name##_f32
#include "cpu/scan/scan_float.t.h"
#undef SFN
#undef RESULT
#undef KEY
#define KEY double
#define RESULT double
#define SFN(name) name##_f64
#include "cpu/scan/scan_float.t.h"
#undef SFN
#undef RESULT
#undef KEY
#define KEY float
#define RESULT double
#define SFN(name) name##_f32_f64
#include "cpu/scan/scan_float.t.h"
#undef SFN
#undef RESULT
#undef KEY
