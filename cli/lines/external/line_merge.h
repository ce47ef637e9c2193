/* line_merge.h - merges sorted files of any size in bounded memory. */
#ifndef ORDO_CLI_LINES_LINE_MERGE_H
#define ORDO_CLI_LINES_LINE_MERGE_H

#include "cli/lines/line_order.h"
#include "cli/io/text/text_lines.h"

typedef struct merge_request {
    const line_order *order;
    lines_request     files;
    bool              unique; /* write only the first of the lines that tie     */
    bool              debug;  /* mark the keys below each line                  */
    uint64_t          memory; /* bytes: decides how many files are read at once */
    uint64_t          batch;  /* read at most so many files at once; 0: any number */
    const char       *folder; /* for temporary files; NULL: $TMPDIR or the default */
} merge_request;

/* Writes the lines of all files in order. A line that ties with one of an earlier file comes after
 * it. Files that are not sorted are merged by their next lines, as GNU sort does. More files than
 * can be read at once are first merged in groups. False after a message. */
bool line_merge(const merge_request *request, output *out);

/* ---- The first k lines of a file in order, in one pass ---- */

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
