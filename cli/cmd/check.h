/* check.h - whether an input is sorted, read once and in bounded memory.
 *
 * Reading stops at the first element out of order. Lines, numbers in text, and .npy and raw files
 * are read piece by piece; only binary data from a pipe are read as a whole. */
#ifndef ORDO_CLI_CMD_CHECK_H
#define ORDO_CLI_CMD_CHECK_H

#include "cli/io/input.h"

typedef struct check_request {
    input_request in;
    bool          text; /* lines of bytes, not numbers                  */
    bool          descending, unique;
} check_request;

/* Whether element or line `where` (from 0) of an array in memory breaks the order: *sorted is
 * false then, and a note names it. False after a message. */
bool check_array(ordo_ctx *ctx, const check_request *request, const input *in, bool *sorted);

/* The same for the whole input of the request. */
bool check_input(ordo_ctx *ctx, const check_request *request, bool *sorted);

#endif
