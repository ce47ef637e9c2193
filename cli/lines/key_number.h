/* key_number.h - the numbers and months that keys hold, as -n, -h, -g and -M read them. */
#ifndef ORDO_CLI_LINES_KEY_NUMBER_H
#define ORDO_CLI_LINES_KEY_NUMBER_H

#include "cli/lines/line_order.h"

typedef struct decimal_key {       /* -n, -h: no '+', no exponent, any number of digits */
    bool        negative;          /* and not zero                                       */
    bool        zero;              /* or no number                                       */
    int         unit;              /* -h: 0 none, 1 K, 2 M, 3 G ...; 0 if the number is zero */
    const char *whole, *whole_end; /* digits without leading zeros            */
    const char *fraction, *fraction_end; /* digits without trailing zeros           */
    const char *end;                     /* of the number and its unit; the first byte of the span,
                                          * blanks skipped, if there is none        */
} decimal_key;

/* human: -h. image: how bytes are folded; NULL: they are not. */
decimal_key decimal_read(key_span span, bool human, const uint8_t *image);

typedef enum general_class { /* in ascending order */
    GENERAL_NONE,            /* no number  */
    GENERAL_NAN,
    GENERAL_NUMBER
} general_class;

/* -g: reads the longest beginning that is a floating-point number. room has space for one byte more
 * than the span. general_end(): where it ends; without memory, where the span begins. */
general_class general_read(key_span span, char *room, long double *value);
const char   *general_end(key_span span);

/* -M: 1 to 12 if the key begins with the first three letters of a month; 0: it does not. */
int         month_read(key_span span);
const char *month_end(key_span span);

#endif
