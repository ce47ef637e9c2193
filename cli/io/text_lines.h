/* text_lines.h - the lines of a text as an array of byte strings. */
#ifndef ORDO_CLI_IO_TEXT_LINES_H
#define ORDO_CLI_IO_TEXT_LINES_H

#include "cli/io/output.h"

typedef struct lines {
    const char *name; /* for messages                                                         */
    size_t      n;
    char       *bytes;   /* line i is bytes[offsets[i] .. offsets[i + 1]), without its newline */
    uint64_t   *offsets; /* n + 1 of them, from 0                                              */
} lines;

/* Reads every line of a file (NULL or "-": stdin). The last line may have no newline; any other
 * byte may occur. False after a message; nothing is left to free then. */
bool lines_read(const char *path, lines *out);
void lines_free(lines *l);

/* The lines in the form that the library takes, valid while l is. */
ordo_strings lines_strings(const lines *l);

/* Writes the lines with a newline after each; with `unique`, skips lines equal to the previous. */
bool lines_write(const lines *l, bool unique, output *out);
bool lines_write_one(const lines *l, size_t i, output *out);

/* < 0, 0, > 0: a comes before, is equal to, comes after b, byte by byte. */
int lines_compare(const char *a, size_t a_length, const char *b, size_t b_length);

#endif
