/* sort_lines.h - the parts of `ordo sort` of lines: sort_lines.c in memory and through the library,
 * sort_runs.c through runs that a program of the user compresses. */
#ifndef ORDO_CLI_CMD_LINES_SORT_LINES_H
#define ORDO_CLI_CMD_LINES_SORT_LINES_H

#include "cli/cmd/command.h"
#include "cli/lines/external/line_merge.h"

/* Sorts the text e->lines.bytes[0..length) in memory, writes it to e->out and makes that final.
 * may_be_plain: lines that are whole numbers are looked for. False after a message. */
bool sort_text(execution *e, size_t length, const lines_request *request, bool may_be_plain,
               const ordo_sort_opts *opts);

/* The bytes of memory that a sort may take, or a merge, or the library. */
uint64_t sort_memory(const execution *e);

merge_request sort_merge_request(const execution *e, const lines_request *request);

/* Sorts the text that `from` reads in parts that fit `limit` bytes of memory, as runs that
 * --compress-program compresses. False after a message. */
bool sort_in_runs(execution *e, source *from, const lines_request *request, uint64_t limit,
                  const ordo_sort_opts *opts);

#endif
