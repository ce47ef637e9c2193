/* json.h - JSON in printable ASCII: texts for any stream, and results as objects for an output.
 *
 * Characters beyond ASCII are written as \u escapes, bytes that are not UTF-8 as \\xNN. NaN is
 * null; infinities are the strings "inf" and "-inf", because JSON has no numbers for them. */
#ifndef ORDO_CLI_IO_JSON_H
#define ORDO_CLI_IO_JSON_H

#include "cli/io/output.h"

enum {
    JSON_ESCAPE = 13 /* bytes of an escaped character, at most, and a NUL */
};

/* Writes the character at *text, which is before end, as it stands in a JSON string, and goes to
 * the next. */
void json_escape(const char **text, const char *end, char *escaped);

typedef struct json_results { /* an object, or an array of them, a line each */
    output *out;
    bool    array;
    size_t  objects, members; /* written so far; members: of the object */
} json_results;

/* The functions return false after a message. A name is followed by its value. */
bool json_begin(json_results *j, output *out, bool array);
bool json_object(json_results *j);
bool json_name(json_results *j, const char *name, size_t length);
bool json_text(json_results *j, const char *text, size_t length);
bool json_number(json_results *j, ordo_type type, const void *value);

/* A number as text: with the digits that it has if JSON allows them. What is no number becomes a
 * string, nothing null. */
bool json_digits(json_results *j, const char *text, size_t length);
bool json_object_end(json_results *j);
bool json_end(json_results *j);

#endif
