/* completion.h - completion of commands and options for bash, zsh and fish. */
#ifndef ORDO_CLI_UI_COMPLETION_H
#define ORDO_CLI_UI_COMPLETION_H

#include "cli/ui/options.h"

typedef struct completion_command {
    const char        *name;
    char              *summary;
    char              *help;    /* describes its options; not NULL        */
    const option_spec *options; /* NULL: none                             */
    const char        *words;   /* that may be operands; NULL: file names */
    bool               all;     /* has --help=all                         */
} completion_command;

/* Prints the script of a shell for a program: "bash", "zsh" or else fish. False if there is not
 * enough memory. */
bool completion_print(const char *program, const char *shell, const completion_command *commands,
                      size_t n);

#endif
