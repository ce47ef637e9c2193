/* line_memory.h - how much memory a sort of lines needs. */
#ifndef ORDO_CLI_LINES_LINE_MEMORY_H
#define ORDO_CLI_LINES_LINE_MEMORY_H

#include "cli/lines/line_order.h"

/* The bytes that a sort in memory takes for so many bytes of text and lines: about, or with `most`
 * at most. */
uint64_t line_memory_needed(const line_order *order, uint64_t bytes, uint64_t lines, bool most);

#endif
