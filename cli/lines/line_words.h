/* line_words.h - the keys of a line as one 64-bit word, where they fit.
 *
 * A key fits if it is a number of -n with few digits, a month, or a short text. Several keys fit
 * if their bits do. */
#ifndef ORDO_CLI_LINES_LINE_WORDS_H
#define ORDO_CLI_LINES_LINE_WORDS_H

#include "cli/io/text/text_lines.h"
#include "cli/lines/line_order.h"

typedef enum words_result {
    WORDS_MADE,
    WORDS_TOO_LONG, /* the keys do not fit */
    WORDS_FAILED    /* after a message */
} words_result;

typedef struct line_words {
    uint64_t *words; /* of each line, in the order of the keys without the last resort */
    unsigned  bits;  /* of a word, at most                                             */
} line_words;

/* out->words is to be freed if the result is WORDS_MADE. */
words_result line_words_make(const line_order *order, const lines *l, unsigned threads,
                             line_words *out);

#endif
