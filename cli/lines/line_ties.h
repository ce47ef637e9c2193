/* line_ties.h - the order of lines whose words are equal. */
#ifndef ORDO_CLI_LINES_LINE_TIES_H
#define ORDO_CLI_LINES_LINE_TIES_H

#include "cli/io/text/text_lines.h"
#include "cli/lines/line_order.h"

enum {
    PLACE_SIZE_BITS = 24 /* of a line without an offset */
};

typedef struct line_ties { /* sorted lines */
    size_t      n;
    uint64_t   *words; /* NULL: all are equal */
    ordo_type   type;
    void       *index; /* of the lines, of type ORDO_U32 or ORDO_U64 */
    const char *text;
    const uint64_t
          *offsets;    /* of the lines in the text; NULL: an index is the first byte of a line,
                              * shifted by PLACE_SIZE_BITS, and its size */
    size_t whole;      /* lines with equal words and sizes up to this one are the same */
    bool   descending; /* lines with equal words: the last one by its bytes first */
} line_ties;

/* Puts lines with equal words in the order of their bytes. ORDO_E_NOMEM without a message of the
 * library if there is not enough memory. */
ordo_status line_ties_sort(ordo_ctx *ctx, const line_ties *t, const ordo_sort_opts *opts);

/* Keeps the first of lines whose words, and with `by_bytes` also whose bytes, are equal; returns
 * how many lines are left. */
size_t line_ties_drop(const line_ties *t, bool by_bytes);

#endif
