/* line_keys.h - the encoded keys of all lines.
 *
 * Keys that fit 64 bits in every line become a word (line_words.h). Otherwise the keys of a line
 * become bytes (key_encode.h). */
#ifndef ORDO_CLI_LINES_LINE_KEYS_H
#define ORDO_CLI_LINES_LINE_KEYS_H

#include "cli/io/text/text_lines.h"
#include "cli/lines/line_words.h"

typedef struct line_keys { /* at most one form; none: the lines themselves are the keys */
    line_words words;      /* without the last resort                                   */
    lines      bytes;      /* with it                                                   */
} line_keys;

/* Encodes with up to `threads` threads. False after a message. */
bool line_keys_make(const line_order *order, const lines *l, unsigned threads, line_keys *out);
void line_keys_free(line_keys *keys);

#endif
