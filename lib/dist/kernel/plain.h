/* plain.h - the loops of loops.h in portable C. Each file that includes this is compiled with the
 * options of its instruction set. */
#include "dist/kernel/loops.h"

#include <string.h>

#define INLINE static inline __attribute__((unused))
#define PICK(take_b, a, b) ((take_b) ? (b) : (a))
#define ORDO_TEMPLATE "core/small_sort.t.h"
#include "core/for_each_word.h"
#define ORDO_TEMPLATE "core/merge.t.h"
#include "core/for_each_word.h"
#undef PICK
