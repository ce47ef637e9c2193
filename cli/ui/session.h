/* session.h - the context of a command, and what happens when the user interrupts it.
 *
 * A signal that ends processes (INT, TERM, HUP, QUIT, PIPE, ALRM, XCPU, XFSZ, USR1 ...) removes the
 * unfinished output file and ends the process at once, unless a library call is running. Then it
 * cancels that call, and session_end() does the same. Either way the process dies of that signal,
 * so that shells see what happened. */
#ifndef ORDO_CLI_UI_SESSION_H
#define ORDO_CLI_UI_SESSION_H

#include "cli/ui/options.h"

/* A context with the wishes of the command line, or NULL after a message. Only one at a time. */
ordo_ctx *session_open(const char *command, const common_options *common);
void      session_close(void);

/* Around every library call that may last: what names the phase for the progress bar.
 * session_end() returns true if status is ORDO_OK, and otherwise prints why it is not. */
void session_begin(const char *what);
bool session_end(ordo_status status);

/* Blocks (true) or lets through (false) these signals, around steps that must not be interrupted.
 * Calls nest: as many false as true let them through. */
void session_hold_signals(bool hold);

/* The file to remove if a signal ends the process; NULL: none. Signals must be held. The string is
 * used, not copied. */
void session_set_temp(const char *path);

#endif
