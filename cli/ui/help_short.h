/* help_short.h - the two forms in which a help text is printed (see help_text.h).
 *
 * The long form is the text. The short form fits a screen: the first examples, the usage, and the
 * options that most people need, each with its first clause. These are the marked entries of each
 * group; of the first group all entries if none of them is marked. Entries of the first group that
 * are no options, such as commands, are named if they are left out. */
#ifndef ORDO_CLI_UI_HELP_SHORT_H
#define ORDO_CLI_UI_HELP_SHORT_H

#include <stdbool.h>
#include <stdio.h>

/* Prints the text without its marks. */
void help_print_long(const char *help, FILE *to);

/* Prints the short form, in lines of at most 80 columns. Its last line says that the command
 * `longer` prints the long form. False if there is not enough memory. */
bool help_print_short(const char *help, const char *longer, FILE *to);

#endif
