/* as_sort.h - messages of a command that was called by the name of sort(1).
 *
 * Scripts read the messages of GNU sort, so the command then prints them in the same form and with
 * the same quotes. Other messages only begin with "sort: " (see cli_be_sort()). */
#ifndef ORDO_CLI_BASE_AS_SORT_H
#define ORDO_CLI_BASE_AS_SORT_H

#include "cli/base/cli.h"

/* The name of a file, in quotes of the shell if it needs them. The name that this command has for
 * stdin, and NULL, become "-". Valid until the second next call of any of these functions. */
const char *sort_name(const char *name);

/* The same, always in quotes. */
const char *sort_name_quoted(const char *name);

/* Any text, always in single quotes; bytes that are not printable become escapes. */
const char *sort_quoted(const char *text);

/* Prints the message, and a line that points to --help. Returns false. */
__attribute__((format(printf, 1, 2))) bool sort_usage_failed(const char *format, ...);

/* Says why a file cannot be opened, read or written ("open", "read", "write"), in the form of this
 * command, or of sort(1) if it has its name. Returns false. */
bool file_failed(const char *step, const char *name, int error);

#endif
