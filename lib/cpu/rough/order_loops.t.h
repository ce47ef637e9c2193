/* order_loops.t.h - the table of order_loops.h for the ISA that the including file is compiled for
 * (kernel/plain_loops.h): order_loops_here. */
#include "cpu/kernel/lanes.h"
#include "cpu/rough/order_loops.h"

#define ORDO_PASTE_(a, b) a##b
#define ORDO_PASTE(a, b) ORDO_PASTE_(a, b)
#define RECORD ORDO_PASTE(ORDO_PASTE(uint, W), _t)
#define FN(name) ORDO_PASTE(name##_, W)
#define W 32
#include "cpu/rough/measure_check.t.h"
#undef W
#define W 64
#include "cpu/rough/measure_check.t.h"
#undef W
#undef FN
#undef RECORD
#undef ORDO_PASTE
#undef ORDO_PASTE_

static const order_loops order_loops_here = {
    .of_32 = {any_before_32, any_before_all_32, any_before_far_32, bounds_32},
    .of_64 = {any_before_64, any_before_all_64, any_before_far_64, bounds_64},
};
