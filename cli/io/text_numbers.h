/* text_numbers.h - an array from text with one number a line. */
#ifndef ORDO_CLI_IO_TEXT_NUMBERS_H
#define ORDO_CLI_IO_TEXT_NUMBERS_H

#include "ordo.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    TEXT_WHY = 200 /* bytes of a sentence about a bad line, its NUL included */
};

typedef struct text_numbers {
    ordo_type type;          /* of the numbers read so far                           */
    bool      choose;        /* the type is chosen by the text; see text_read()      */
    bool      skip_bad;      /* leave bad lines out                                  */
    bool      any_negative;  /* a number so far is negative                          */
    size_t    n;             /* numbers                                              */
    void     *values;        /* text_read(): to be freed; NULL on failure            */
    size_t    skipped;       /* bad lines left out                                   */
    size_t    first_skipped; /* the first of these lines, from 1                     */
    size_t    rounded;       /* integers that the given float type cannot hold       */
    size_t    first_rounded; /* the first of these lines, from 1                     */
    size_t    bad_line;      /* on failure: the line; 0 if memory was short          */
    bool      no_number;     /* on failure: the line is not a number of any type     */
    char      why[TEXT_WHY]; /* on failure: what is wrong with the line              */
} text_numbers;

/* Reads text[0..length); text[length] must be a NUL. type 0 chooses the type: i64 if every line is
 * an integer, u64 if some exceed i64 and none is negative or exceeds u64, otherwise f64. An integer
 * that f64 cannot hold is then an error. If the type is given, such an integer is rounded and
 * counted. Blanks around a number, CRLF and blank lines at the end of the text are allowed. Every
 * other line that is no value of the type is bad: an error, or left out with skip_bad. */
bool text_read(const char *text, size_t length, int type, bool skip_bad, text_numbers *out);

/* Prints what text_read() found: the error, or notes about lines skipped or rounded. `hint` is
 * added to the message if the first line is no number. False if there was an error. */
bool text_print_notes(const char *name, const text_numbers *t, const char *hint);

/* ---- For reading line by line ---- */

typedef struct text_line {
    const char *begin, *end; /* without blanks around; *end is readable */
} text_line;

typedef enum text_result {
    TEXT_NUMBER,
    TEXT_SKIPPED,
    TEXT_WIDER, /* t->type has become wider: read the line, or all lines, again */
    TEXT_BAD    /* t->bad_line and t->why say why                               */
} text_result;

/* The line [begin, end) without CR and blanks; empty if there is nothing else. */
text_line text_trim(const char *begin, const char *end);

/* Reads line `number` into *value, 8 bytes, and counts it. */
text_result text_parse_line(text_numbers *t, text_line l, size_t number, void *value);

/* Writes why a line is no value of `type` to why[0..TEXT_WHY). True if the line is no number. */
bool text_describe(char *why, ordo_type type, bool type_given, text_line l);

#endif
