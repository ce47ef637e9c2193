/* line_sort.h - sorts lines by their keys, and shows which bytes the keys are. */
#ifndef ORDO_CLI_LINES_LINE_SORT_H
#define ORDO_CLI_LINES_LINE_SORT_H

#include "cli/lines/line_keys.h"

/* Writes the order of the lines, which have keys (order->n > 0), to index[0..l->n), of type
 * ORDO_U32 or ORDO_U64. Lines that tie keep their order. Words of keys are sorted, too.
 * ORDO_E_NOMEM without a message of the library if there is not enough memory for lines whose words
 * tie. */
ordo_status line_sort(ordo_ctx *ctx, const line_order *order, const lines *l, line_keys *keys,
                      ordo_type type, void *index, const ordo_sort_opts *opts);

/* Keeps the first of the lines that tie in index[0..l->n), which is in order, as are the words;
 * returns how many lines are left. */
size_t line_unique(const lines *l, const line_keys *keys, ordo_type type, void *index);

/* Writes the line and, below it, a line of '_' for each key that marks the bytes which decide. */
bool line_show_keys(const line_order *order, const char *line, size_t length, output *out);

#endif
