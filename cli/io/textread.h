/* textread.h - an array from text with one number a line. */
#ifndef ORDO_CLI_IO_TEXTREAD_H
#define ORDO_CLI_IO_TEXTREAD_H

#include "ordo.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    TEXT_WHY = 200 /* bytes of a sentence about a bad line, its NUL included */
};

typedef struct text_array {
    ordo_type type;
    size_t    n;
    void     *values;        /* malloc()ed; NULL if there is none         */
    size_t    skipped;       /* bad lines left out                        */
    size_t    first_skipped; /* number of the first of them, from 1       */
    size_t    rounded;       /* integers that the float type cannot hold  */
    size_t    first_rounded; /* number of the first line with one, from 1 */
    size_t    bad_line;      /* on failure: where, or 0: no memory        */
    bool      no_number;     /* on failure: it is not even a number       */
    char      why[TEXT_WHY]; /* on failure: what is wrong there           */
} text_array;

/* Reads text[0..length); text[length] must be readable and a NUL. type 0 chooses: i64 if every line
 * is an integer, u64 if some exceed i64 and none is negative or exceeds u64, otherwise f64. An
 * integer that f64 cannot hold then fails the call. If the type is given, such an integer is
 * rounded and counted. Blanks around a number, CRLF and blank lines at the very end are fine. Every
 * other line that is no value of the type is bad: it fails the call, or is left out if skip_bad is
 * set. On failure values is NULL. */
bool text_read(const char *text, size_t length, int type, bool skip_bad, text_array *out);

/* The parts of it, to read line by line. */
typedef struct text_line {
    const char *begin, *end; /* without blanks around; *end can be read */
} text_line;

/* The line [begin, end) without CR and blanks; empty if there is nothing else. */
text_line text_trim(const char *begin, const char *end);

/* The type to go on with when a line is no value of `type`, a type that was chosen: i64, u64 or
 * f64. any_negative: some number before it is. 0 if it is no number at all. */
int text_wider_type(ordo_type type, text_line l, bool any_negative);

/* Writes why a line is no value of `type` to why[0..TEXT_WHY). True if it is no number at all. */
bool text_describe(char *why, ordo_type type, bool type_given, text_line l);

/* What is to be said after a text has been read. */
typedef struct text_notes {
    ordo_type type;
    size_t    n; /* numbers read */
    size_t    skipped, first_skipped, rounded, first_rounded;
} text_notes;

/* Prints the notes. False after a message if every line was skipped. */
bool text_print_notes(const char *name, const text_notes *notes);

#endif
