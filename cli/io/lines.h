/* lines.h - the lines of a text as byte strings. */
#ifndef ORDO_CLI_IO_LINES_H
#define ORDO_CLI_IO_LINES_H

#include "cli/io/output.h"

typedef struct lines {
    const char *name; /* for messages                                                         */
    size_t      n;
    char       *bytes;   /* line i is bytes[offsets[i] .. offsets[i + 1]), without its newline */
    uint64_t   *offsets; /* n + 1 of them, from 0                                              */
} lines;

/* Reads every line of a file (NULL or "-": stdin); the newline of the last one may be missing, and
 * any other byte may occur. False after a message; nothing is left to free then. */
bool lines_read(const char *path, lines *out);
void lines_free(lines *l);

/* The lines as the library takes them, for as long as l lives. */
ordo_strings lines_strings(const lines *l);

/* < 0, 0, > 0: line i comes before, is equal to, comes after line j, byte by byte. */
int lines_compare(const lines *l, size_t i, size_t j);

/* Writes the lines with a newline behind each; with `unique` not those equal to the one before. */
bool lines_write(const lines *l, bool unique, output *out);

#endif
