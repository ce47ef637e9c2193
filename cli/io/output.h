/* output.h - a whole array to a file or stdout, all or nothing.
 *
 * A regular file gets its new contents as a whole, as replace.h describes. A file that is no
 * regular file (a pipe, /dev/null) is written directly. Every function prints its own message on
 * failure; after one, or instead of output_commit(), call output_abandon(). */
#ifndef ORDO_CLI_IO_OUTPUT_H
#define ORDO_CLI_IO_OUTPUT_H

#include "cli/cli.h"
#include "cli/io/replace.h"

typedef struct output {
    const char *name;     /* for messages                                     */
    int         fd;       /* -1: closed                                       */
    file_format format;   /* never AUTO                                       */
    bool        replaces; /* fd is that of file.temp; else written directly   */
    replacement file;
    char       *buffer;
    size_t      used;
} output;

/* path NULL, "-" or "/dev/stdout" is stdout. Refuses to write binary formats to a terminal. */
bool output_open(output *out, const char *path, file_format format);

/* Writes the array in the output's format. */
bool output_array(output *out, ordo_type type, const void *data, size_t n);

/* Writes bytes as they are, through the buffer. */
bool output_bytes(output *out, const void *data, size_t length);

/* Writes line[0..length) and a newline. */
bool output_line(output *out, const char *line, size_t length);

/* Makes what was written final. */
bool output_commit(output *out);

/* Drops what is not final; without effect after output_commit(). */
void output_abandon(output *out);

#endif
