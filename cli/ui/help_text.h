/* help_text.h - the parts of a help text, for the short help, the manual pages and the completion
 * of shells.
 *
 * A help text has paragraphs without indentation, headings (such a line with a colon at its end),
 * and indented lines below a heading. Below "Examples:" they are examples. Below any other heading
 * they are entries: a term such as "-o, --output FILE", two blanks, and its description. One
 * blank is enough if the description begins in column 20 or 30; it continues on lines that are
 * indented further. A HELP_MARK in place of the first blank of an entry puts the entry into the
 * short help (help_short.h). */
#ifndef ORDO_CLI_UI_HELP_TEXT_H
#define ORDO_CLI_UI_HELP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define HELP_MARK '*'

typedef enum help_kind {
    HELP_END,
    HELP_HEADING, /* text: without its colon                                   */
    HELP_USAGE,   /* text: after "Usage: "                                     */
    HELP_PROSE,   /* text: a paragraph, its lines joined by blanks             */
    HELP_EXAMPLE, /* text: one line                                            */
    HELP_ENTRY    /* term, and text: its description, "" if it has none        */
} help_kind;

typedef struct help_part {
    help_kind   kind;
    const char *at;       /* the rest of the help                              */
    bool        examples; /* the last heading was "Examples:"                  */
    bool        marked;   /* the entry has a mark                              */
    char       *text;     /* with a NUL; valid until the next help_next()      */
    char       *term;     /* the same                                          */
    char       *memory;   /* of both                                           */
} help_part;

/* Begins with help[0..]. False if there is not enough memory. help_close() in any case. */
bool help_open(help_part *p, const char *help);
void help_close(help_part *p);

/* Goes to the next part; false at the end. */
bool help_next(help_part *p);

/* Whether the part is the paragraph about the exit status. */
bool help_is_exit_status(const help_part *p);

typedef struct manual_page {
    const char *name;    /* "ordo-sort"                                        */
    const char *source;  /* the command that prints the help: "ordo help sort" */
    const char *summary; /* one line about the command                         */
    const char *section; /* the title of the lists: "OPTIONS"                  */
    const char *also;    /* lines of mdoc for SEE ALSO                         */
} manual_page;

/* Prints a manual page of section 1 in mdoc. The line '.\" DETAILS' marks where further sections
 * may be inserted. False if there is not enough memory. */
bool manual_print(const manual_page *page, const char *help);

#endif
