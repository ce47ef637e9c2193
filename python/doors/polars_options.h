/* polars_options.h - the keyword arguments of an expression. */
#ifndef ORDO_POLARS_OPTIONS_H
#define ORDO_POLARS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    METHOD_SIZE = 16
};

typedef struct polars_options {
    char    method[METHOD_SIZE]; /* a tie rule, or how a quantile is interpolated */
    double  q;
    int64_t k, window, least; /* of top_k; of a moving window: elements, observations at least */
    bool    descending, nulls_last, center;
    bool    wide; /* indices and ranks are u64 */
} polars_options;

/* Reads what Polars makes of a dict whose keys are the fields above: a pickle of protocol 4 or 5
 * with str, int, float and bool. No bytes at all are an empty dict. Returns false for anything
 * else. Unset options are 0. */
bool polars_read_options(const uint8_t *bytes, size_t count, polars_options *options);

#endif
