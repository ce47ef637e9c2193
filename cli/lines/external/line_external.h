/* line_external.h - sorts lines that do not fit in memory. */
#ifndef ORDO_CLI_LINES_LINE_EXTERNAL_H
#define ORDO_CLI_LINES_LINE_EXTERNAL_H

#include "cli/io/source.h"
#include "cli/io/output.h"
#include "cli/lines/line_order.h"
#include "ordo_external_lines.h"

/* The bytes that a sort in memory takes for so many bytes and lines: about, or with `most`
 * at most. */
uint64_t line_memory_needed(const line_order *order, uint64_t bytes, uint64_t count, bool most);

/* Sorts the text of a source, about `bytes` bytes (0: not known), to out through the library, with
 * opts.memory bytes. opts.flags may have ORDO_UNIQUE. *told: a message about the failure of a file was
 * printed. */
ordo_status line_external_sort(ordo_ctx *ctx, const line_order *order, source *from, uint64_t bytes,
                               output *out, const ordo_external_opts *opts,
                               ordo_external_report *report, bool *told);

#endif
