/* radix_steps_generic.c - radix_steps.h for every CPU of the target. */
#include "cpu/radix/radix_steps.h"

const radix_ops radix_steps_generic[RECORD_KINDS] = RADIX_STEPS;
