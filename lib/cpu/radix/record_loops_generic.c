/* record_loops_generic.c - record_loops.h for every CPU of the target. */
#define RECORD_TYPE record_type_generic
#include "cpu/radix/record_loops.h"
