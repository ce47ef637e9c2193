/* option_messages.h - what the option parser says about wrong options: in the words of this
 * command or, under the name of sort(1), in those of GNU sort.
 *
 * Each function prints a message and returns false. `shown` is the option as messages name it, such
 * as "-S" or "--buffer-size". */
#ifndef ORDO_CLI_UI_OPTION_MESSAGES_H
#define ORDO_CLI_UI_OPTION_MESSAGES_H

#include "cli/ui/options.h"

enum {
    OPTION_LONGEST = 32, /* bytes of a name; longer ones are cut in messages */
    OPTIONS_MOST = 96    /* of a command                                     */
};

/* An option that was typed as "-S" or "--name", as messages name it: as it was typed under the name
 * of sort(1), otherwise by its long name. Valid until the next call. */
const char *option_shown(const option_spec *spec, const char *typed);

/* The word is in the command line; name: of a long option, or NULL; letter: of a short one. */
bool option_unknown(const char *command, const char *word, const char *name, char letter,
                    const option_spec *specs);

/* word[2..2 + length) begins several names. */
bool option_ambiguous(const char *word, size_t length, const option_spec *specs);

bool option_needs_value(const char *command, const char *shown);
bool option_takes_no_value(const char *command, const char *shown);
bool option_twice(const char *command, const option_spec *spec, const char *shown,
                  const char *before, const char *value);

/* text is none of spec->choices, or begins several of them. */
bool option_not_listed(const char *command, const option_spec *spec, const char *shown,
                       const char *text, bool several);

/* Reads a count or a size as sort(1) does: digits, and for a size a unit; without one it counts
 * 1024 bytes. A number that is too large becomes the largest. */
bool option_sort_number(const option_spec *spec, const char *shown, const char *text,
                        uint64_t *out);

#endif
