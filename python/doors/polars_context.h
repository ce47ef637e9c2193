/* polars_context.h - contexts for the threads of Polars. */
#ifndef ORDO_POLARS_CONTEXT_H
#define ORDO_POLARS_CONTEXT_H

#include <ordo.h>

#include <stdbool.h>

typedef struct polars_context {
    ordo_ctx *ctx;
    bool      is_wide;
} polars_context;

/* Lends a context for work on n rows. Polars calls expressions from all of its threads at once: one
 * of these calls at a time, if it has many rows, gets the context that has all threads; the others
 * get contexts of one thread. After fork() both processes go on. */
ordo_status polars_borrow(size_t n, polars_context *out);
void        polars_return(polars_context context);

#endif
