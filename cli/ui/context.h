/* context.h - the library context of a command, and its calls. */
#ifndef ORDO_CLI_UI_CONTEXT_H
#define ORDO_CLI_UI_CONTEXT_H

#include "cli/ui/options.h"

/* A context with the options of the command line, or NULL after a message. Only one at a time. */
ordo_ctx *context_open(const char *command, const common_options *common);
void      context_close(void);

/* Around every library call that may take long; `what` is the label of the progress bar. call_end()
 * returns true if status is ORDO_OK, and false after a message otherwise. */
void call_begin(const char *what);
bool call_end(ordo_status status);

#endif
