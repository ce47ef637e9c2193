/* line_top.h - the first k lines of a file in order, in one pass. */
#ifndef ORDO_CLI_LINES_LINE_TOP_H
#define ORDO_CLI_LINES_LINE_TOP_H

#include "cli/base/cli.h"

typedef struct line_top {
    size_t    n;       /* at most k                                                    */
    char     *bytes;   /* of the lines, without their ends, in order                   */
    uint64_t *offsets; /* n + 1: line i is bytes[offsets[i]..offsets[i + 1])           */
    uint64_t *places;  /* of each line in the file, from 0                             */
    uint64_t  lines;   /* of the file                                                  */
} line_top;

/* Finds the first k lines of the file `path` (NULL: stdin) by their bytes, or the last k, the last
 * one first (descending). Lines that tie keep their order. Memory holds a piece of the file and
 * about 2 k lines. False after a message, or if a call of the library failed (*status); nothing is
 * left to free then. */
bool line_top_find(ordo_ctx *ctx, const char *path, uint64_t k, bool descending, line_top *out,
                   ordo_status *status);
void line_top_free(line_top *top);

#endif
