/* check.h - whether an input is sorted, read once and in bounded memory.
 *
 * Reading stops at the first element out of order. Lines, numbers in text, and .npy and raw files
 * are read in pieces; only binary data from a pipe are read as a whole. */
#ifndef ORDO_CLI_CMD_CHECK_H
#define ORDO_CLI_CMD_CHECK_H

#include "cli/io/input.h"

typedef struct check_request {
    ordo_ctx     *ctx;
    input_request in;
    bool          text; /* lines of bytes, not numbers */
    bool          descending, unique;
} check_request;

/* Checks an array in memory. If an element is out of order, names it on stderr and sets *sorted to
 * false. False after a message about trouble. */
bool check_array(const check_request *request, const input *in, bool *sorted);

/* The same for the input that the request describes. */
bool check_input(const check_request *request, bool *sorted);

#endif
