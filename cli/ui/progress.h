/* progress.h - a bar on stderr for phases that last. */
#ifndef ORDO_CLI_UI_PROGRESS_H
#define ORDO_CLI_UI_PROGRESS_H

/* Starts a phase; label is kept, not copied. The bar appears after two seconds, and only if stderr
 * is a terminal. */
void progress_start(const char *label);

/* 0 <= done <= 1 of the running phase. Cheap, and without effect outside a phase. */
void progress_at(double done);

/* Ends the phase and wipes the bar. Fine without a phase. */
void progress_end(void);

#endif
