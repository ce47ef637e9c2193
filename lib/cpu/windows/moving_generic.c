/* moving_generic.c - the loops of moving windows for any CPU; also for NEON, which the compiler knows. */
#define MOVING_LOOPS moving_loops_generic
#include "cpu/windows/moving_loops.t.h"
