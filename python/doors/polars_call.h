/* polars_call.h - one call of an expression: its arguments, its result, errors. */
#ifndef ORDO_POLARS_CALL_H
#define ORDO_POLARS_CALL_H

#include "polars_column.h"
#include "polars_options.h"

#define TRY(call)                                                                                  \
    do {                                                                                           \
        ordo_status const status_ = (call);                                                        \
        if (status_ != ORDO_OK)                                                                    \
            return status_;                                                                        \
    } while (0)

typedef struct call {
    ordo_ctx      *ctx;
    polars_options options;
    polars_column  in;
    polars_result  out;
} call;

/* Keep a message for Polars, and return the status. */
ordo_status polars_fail(ordo_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
ordo_status polars_check(const call *c, ordo_status status); /* of the library */

/* Memory for n elements and at least one byte. */
void *polars_allocate(size_t n, size_t size);

#define ALLOCATE(pointer, n, size)                                                                 \
    do {                                                                                           \
        (pointer) = polars_allocate(n, size);                                                      \
        if ((pointer) == NULL)                                                                     \
            return ORDO_E_NOMEM;                                                                   \
    } while (0)

/* The result has n elements of a size, all of them valid. */
ordo_status polars_make_values(call *c, size_t n, size_t size);
/* The first `found` of n results are valid. */
ordo_status polars_end_with_nulls(call *c, size_t found);
bool        polars_has_nan(const polars_column *in);

/* polars_select.c */
ordo_status polars_median(call *c);
ordo_status polars_quantile(call *c);
ordo_status polars_rolling_median(call *c);

#endif
