/* line_prefix.h - sorts whole lines by their first eight bytes.
 *
 * For lines most of which differ in these bytes, such as words. A line is a word of its first bytes
 * and its place in the text, so short lines are written without another look at the text. */
#ifndef ORDO_CLI_LINES_LINE_PREFIX_H
#define ORDO_CLI_LINES_LINE_PREFIX_H

#include "cli/io/text/text_lines.h"

typedef struct line_prefixes {
    const char *text;   /* lines with their ends */
    size_t      length; /* bytes of the text     */
    char        line_end;
    unsigned    threads;
    bool        descending;

    size_t    n;
    uint64_t *words; /* the first bytes of each line, the first one highest; zeros behind its end */
    uint64_t *places; /* of each line: its first byte, and its size in the low 24 bits */
} line_prefixes;

/* Whether a sample of the lines says that this sort is fast for them. */
bool line_prefix_fits(const line_prefixes *p);

typedef enum prefix_result {
    PREFIX_MADE,
    PREFIX_TOO_LONG, /* a line has too many bytes; nothing is left to free */
    PREFIX_FAILED    /* after a message                                    */
} prefix_result;

/* Makes the words and places of all lines. Free them with line_prefix_free(). */
prefix_result line_prefix_cut(line_prefixes *p);
void          line_prefix_free(line_prefixes *p);

/* Sorts them. opts has the direction, too. */
ordo_status line_prefix_sort(ordo_ctx *ctx, line_prefixes *p, const ordo_sort_opts *opts);

/* Keeps one of equal lines; they are sorted. */
void line_prefix_unique(line_prefixes *p);

bool line_prefix_write(const line_prefixes *p, output *out);

#endif
