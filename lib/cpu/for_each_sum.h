/* for_each_sum.h - stamps the sums of cpu_scan.c. Integers of one width are added alike whatever
 * their sign, so sums of the key's own width come once per width; sums that widen come once per
 * type. */
#define KEY uint8_t
#define SUM uint8_t
#define SFN(name) sum_8_##name
#include "cpu/scan_sum.t.h"
#undef SFN
#undef SUM
#undef KEY
#define KEY uint16_t
#define SUM uint16_t
#define SFN(name) sum_16_##name
#include "cpu/scan_sum.t.h"
#undef SFN
#undef SUM
#undef KEY
#define KEY uint32_t
#define SUM uint32_t
#define SFN(name) sum_32_##name
#include "cpu/scan_sum.t.h"
#undef SFN
#undef SUM
#undef KEY
#define KEY uint64_t
#define SUM uint64_t
#define SFN(name) sum_64_##name
#include "cpu/scan_sum.t.h"
#undef SFN
#undef SUM
#undef KEY
#define KEY int8_t
#define SUM uint64_t
#define SFN(name) wide_i8_##name
#include "cpu/scan_sum.t.h"
#undef SFN
#undef SUM
#undef KEY
#define KEY uint8_t
#define SUM uint64_t
#define SFN(name) wide_u8_##name
#include "cpu/scan_sum.t.h"
#undef SFN
#undef SUM
#undef KEY
#define KEY int16_t
#define SUM uint64_t
#define SFN(name) wide_i16_##name
#include "cpu/scan_sum.t.h"
#undef SFN
#undef SUM
#undef KEY
#define KEY uint16_t
#define SUM uint64_t
#define SFN(name) wide_u16_##name
#include "cpu/scan_sum.t.h"
#undef SFN
#undef SUM
#undef KEY
#define KEY int32_t
#define SUM uint64_t
#define SFN(name) wide_i32_##name
#include "cpu/scan_sum.t.h"
#undef SFN
#undef SUM
#undef KEY
#define KEY uint32_t
#define SUM uint64_t
#define SFN(name) wide_u32_##name
#include "cpu/scan_sum.t.h"
#undef SFN
#undef SUM
#undef KEY
#define KEY float
#define RESULT float
#define CARRY f32
#define SFN(name) sum_f32_##name
#include "cpu/scan_float.t.h"
#undef SFN
#undef CARRY
#undef RESULT
#undef KEY
#define KEY double
#define RESULT double
#define CARRY f64
#define SFN(name) sum_f64_##name
#include "cpu/scan_float.t.h"
#undef SFN
#undef CARRY
#undef RESULT
#undef KEY
#define KEY float
#define RESULT double
#define CARRY f64
#define SFN(name) wide_f32_##name
#include "cpu/scan_float.t.h"
#undef SFN
#undef CARRY
#undef RESULT
#undef KEY
