/* textread.h - an array from text with one number a line. */
#ifndef ORDO_CLI_TEXTREAD_H
#define ORDO_CLI_TEXTREAD_H

#include "ordo.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct text_array {
    ordo_type type;
    size_t    n;
    void     *values;        /* malloc()ed; NULL if there is none         */
    size_t    skipped;       /* bad lines left out                        */
    size_t    first_skipped; /* number of the first of them, from 1       */
    size_t    rounded;       /* integers that the float type cannot hold  */
    size_t    first_rounded; /* number of the first line with one, from 1 */
    size_t    bad_line;      /* on failure: where, or 0: no memory        */
    char      why[200];      /* on failure: what is wrong there           */
} text_array;

/* Reads text[0..length); text[length] must be readable and a NUL. type 0 chooses: i64 if every line
 * is an integer, u64 if some exceed i64 and none is negative or exceeds u64, otherwise f64. An
 * integer that f64 cannot hold then fails the call. If the type is given, it is rounded and counted.
 * Blanks around a number, CRLF and blank lines at the very end are fine; every other line that is no
 * value of the type is bad: it fails the call, or is left out if skip_bad is set. On failure
 * values is NULL. */
bool text_read(const char *text, size_t length, int type, bool skip_bad, text_array *out);

#endif
