/* line_plain.h - `sort -n` of lines that are whole numbers, each as ordo writes it.
 *
 * Lines with the same number have the same bytes, so the numbers alone are read, sorted and
 * written. There is no list of lines. */
#ifndef ORDO_CLI_LINES_LINE_PLAIN_H
#define ORDO_CLI_LINES_LINE_PLAIN_H

#include "cli/io/text/text_lines.h"
#include "cli/lines/line_order.h"

typedef struct plain_numbers {
    ordo_type type; /* ORDO_U32 or ORDO_I64 */
    void     *values;
    size_t    n;
} plain_numbers;

typedef enum plain_result {
    PLAIN_MADE,  /* out->values is to be freed                                       */
    PLAIN_NOT,   /* some line is something else, or there is not enough memory       */
    PLAIN_UNSEEN /* a file is not a regular file, or does not begin with a number    */
} plain_result;

/* Whether the order is that of whole lines as numbers. */
bool line_plain_fits(const line_order *order);

/* Reads the numbers of regular files, or of a text in memory whose last line has its end. The order
 * of the numbers is any. */
plain_result line_plain_files(const lines_request *request, plain_numbers *out);
plain_result line_plain_text(const lines *text, size_t length, plain_numbers *out);

#endif
