/* context.h - the library context of a command, and what happens when a signal interrupts it.
 *
 * A signal that ends processes (INT, TERM, HUP, QUIT, PIPE, ALRM, XCPU, XFSZ, USR1 ...) removes the
 * unfinished output file and ends the process at once. During a library call the signal cancels the
 * call, and call_end() then does the same. In both cases the process dies of that signal, so that
 * shells see the cause. */
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

/* Blocks (true) or unblocks (false) these signals, around steps that must not be interrupted. Calls
 * nest. Keeps errno. */
void signals_hold(bool hold);

/* The file to remove if a signal ends the process, or NULL. Call it with signals held. The string is
 * not copied. */
void signals_set_temp(const char *path);

#endif
