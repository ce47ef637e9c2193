/* contexts.h - contexts for the threads of a host library, such as NumPy and Polars. */
#ifndef ORDO_DOORS_CONTEXTS_H
#define ORDO_DOORS_CONTEXTS_H

#include <ordo.h>

#include <stdbool.h>

typedef struct door_context {
    ordo_ctx *ctx;
    bool      is_wide;
} door_context;

/* Lends a context for work on n elements. A host may call from many threads at once: one call at a
 * time, if it has many elements, gets the context that has all threads; the others get contexts of
 * one thread. After fork() both processes go on. */
ordo_status door_borrow(size_t n, door_context *out);
void        door_return(door_context context);

#endif
