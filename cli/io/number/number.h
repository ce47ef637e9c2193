/* number.h - one number from text and to text, exact, independent of the locale. */
#ifndef ORDO_CLI_IO_NUMBER_NUMBER_H
#define ORDO_CLI_IO_NUMBER_NUMBER_H

#include "ordo.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum number_result {
    NUMBER_OK,
    NUMBER_BAD,         /* no number                                                   */
    NUMBER_NOT_INTEGER, /* a fraction, but type is an integer type                     */
    NUMBER_RANGE,       /* a number beyond the range of type                           */
    NUMBER_INEXACT      /* the float type cannot hold this integer: nearest value used */
} number_result;

#define NUMBER_TEXT_MAX 32 /* bytes number_format() may write */

/* Reads all of [text, end) as one value of `type`: an optional sign, digits with an optional
 * fraction and exponent, or nan, inf, infinity in any case. No blanks, no hexadecimal. Floats are
 * rounded to nearest: NUMBER_OK for text with a fraction or an exponent, NUMBER_INEXACT for an
 * integer that changes. *end must be readable and must not continue a number (a blank, a newline
 * or a NUL). */
number_result number_parse(ordo_type type, const char *text, const char *end, void *out);

/* significand * 10^q as f64, rounded to nearest. False if this takes more than 128 bits to
 * decide, or the result is no normal number: use number_parse(). */
bool number_scale(uint64_t significand, int q, double *out);

/* Writes the shortest text that reads back as the same value (every NaN is "nan") and returns its
 * length. Adds no NUL. */
size_t number_format(ordo_type type, const void *value, char *out);

#endif
