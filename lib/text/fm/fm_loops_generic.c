/* fm_loops_generic.c - the searches of an FM-index for every CPU. */
#define FM_LOOPS fm_loops_generic
#include "text/fm/fm_loops.h"
