/* loops_generic.c - the loops of sets (loops.h) in plain C. */
#define CPU_ISA generic
#include "cpu/sets/loops.h"
