/* copy.h - copies bytes by all threads of a call. */
#ifndef ORDO_BACKEND_COPY_H
#define ORDO_BACKEND_COPY_H

#include "backend/exec.h"

#include <string.h>

typedef struct ordo_bytes_copy {
    char       *to;
    const char *from;
} ordo_bytes_copy;

static inline void ordo_copy_piece(void *arg, size_t lo, size_t hi)
{
    const ordo_bytes_copy *const copy = arg;
    memcpy(copy->to + lo, copy->from + lo, hi - lo);
}

/* ordo_loop over pieces of `grain` bytes; the arrays do not overlap. Returns false if the call was
 * cancelled: then some pieces may not be copied. */
static inline bool ordo_copy_bytes(ordo_exec *exec, void *to, const void *from, size_t bytes,
                                   size_t grain)
{
    ordo_bytes_copy copy = {to, from};
    return ordo_loop(exec, bytes, grain, ordo_copy_piece, &copy);
}

#endif
