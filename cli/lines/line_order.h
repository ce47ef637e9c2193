/* line_order.h - the order of lines: what -k, -t, -n and the other ordering options of sort(1)
 * mean.
 *
 * The order is that of POSIX and GNU sort in the C locale. A line is compared by its keys, in turn.
 * If all keys tie, whole lines are compared byte by byte, unless the order is stable or unique. */
#ifndef ORDO_CLI_LINES_LINE_ORDER_H
#define ORDO_CLI_LINES_LINE_ORDER_H

#include "cli/base/cli.h"

typedef enum key_kind {
    KEY_BYTES,
    KEY_NUMERIC, /* -n */
    KEY_GENERAL, /* -g */
    KEY_HUMAN,   /* -h */
    KEY_MONTH,   /* -M */
    KEY_VERSION, /* -V */
    KEY_RANDOM   /* -R */
} key_kind;

typedef struct line_key {
    size_t   first_field, first_byte; /* where the key begins, from 0                        */
    size_t   last_field;              /* the field where it ends, from 1; 0: the end of the line */
    size_t   last_byte;               /* how many bytes of that field; 0: all                */
    bool     first_blanks, last_blanks; /* skip blanks before counting bytes                 */
    key_kind kind;
    bool     reverse;
    bool     changed;    /* a byte may be dropped or folded                                  */
    uint8_t  image[256]; /* the byte after folding                                           */
    bool     drop[256];  /* the byte does not count                                          */
} line_key;

typedef struct line_order {
    line_key *keys; /* none: compare whole lines         */
    size_t    n;
    int       separator; /* of fields; -1: a field starts where blanks follow a non-blank */
    char      line_end;
    bool      reverse;     /* whole lines                */
    bool      last_resort; /* compare whole lines if all keys tie */
    uint64_t  seed;        /* of KEY_RANDOM */
} line_order;

typedef struct line_request {
    const char        *letters; /* of the options for all keys, such as "bn" */
    const char *const *keys;    /* values of -k */
    size_t             n;
    const char        *separator; /* value of -t; NULL: not given */
    bool               zero;      /* lines end with NUL */
    bool               stable, unique;
    uint64_t           seed;
} line_request;

/* False after a message; nothing is left to free then. */
bool line_order_make(const line_request *request, line_order *out);
void line_order_free(line_order *order);

typedef struct key_span {
    const char *begin, *end;
} key_span;

/* The bytes of a key in line[0..length). */
key_span key_find(const line_order *order, const line_key *key, const char *line, size_t length);

typedef struct key_cursor { /* a field of a line and where it begins; {0, line} at first */
    size_t      field;
    const char *at;
} key_cursor;

/* The same, for the keys of a line in turn: fields before the cursor are not looked at again. */
key_span key_find_next(const line_order *order, const line_key *key, const char *line,
                       size_t length, key_cursor *cursor);

/* The part of these bytes that decides: the number of a numeric key, the month of -M. */
key_span key_shown(const line_order *order, const line_key *key, const char *line, size_t length);

static inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }
static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

static inline const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && is_blank(*p))
        p++;
    return p;
}

/* ---- The numbers and months that keys hold, as -n, -h, -g and -M read them ---- */

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
