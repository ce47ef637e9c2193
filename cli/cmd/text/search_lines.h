/* search_lines.h - the lines around positions of an indexed text. */
#ifndef ORDO_CLI_CMD_TEXT_SEARCH_LINES_H
#define ORDO_CLI_CMD_TEXT_SEARCH_LINES_H

#include "cli/cmd/command.h"

#include "ordo_text.h"

/* Prints each line that has one of the ascending positions once and, if context is not NULL,
 * *context lines before and after it, with the separator "--" between lines that are apart, as
 * grep does. */
bool search_print_lines(output *out, ordo_ctx *ctx, const ordo_fm *fm, const uint64_t *positions,
                        size_t count, const uint64_t *context);

#endif
