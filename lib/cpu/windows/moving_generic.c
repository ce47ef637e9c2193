/* moving_generic.c - the loops of moving windows for every CPU.
 *
 * On aarch64 the compiler turns them into NEON, so there is no table for NEON. On x86-64 the
 * baseline has no instruction that counts or selects bits. */
#define MOVING_LOOPS moving_loops_generic
#include "cpu/windows/moving_loops.t.h"
