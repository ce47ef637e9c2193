/* lines_kept.h - the lines of numbers that several threads have read, for output as they were. */
#ifndef ORDO_CLI_IO_TEXT_LINES_KEPT_H
#define ORDO_CLI_IO_TEXT_LINES_KEPT_H

#include "cli/io/text/text_fast.h"
#include "cli/io/text/text_lines.h"

/* The lines of f, whose text is block; frees block. False after a message; call lines_free(). */
bool lines_keep(lines *l, char *block, const fast_text *f, const char *name);

#endif
