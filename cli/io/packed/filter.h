/* filter.h - a program of the user that compresses (PROG) or decompresses (PROG -d) what it reads
 * from stdin, between this process and a temporary file. */
#ifndef ORDO_CLI_IO_PACKED_FILTER_H
#define ORDO_CLI_IO_PACKED_FILTER_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct filter {
    const char *program;
    pid_t       pid; /* 0: it does not run */
} filter;

/* Starts the program, which writes to the file `to`, or with -d reads `from`. Returns the
 * descriptor to write to, or to read from, which the caller closes; -1 after a message. */
int filter_pack(filter *f, const char *program, int to);
int filter_unpack(filter *f, const char *program, int from);

/* Waits until the program ends. `checked`: its exit status counts. False after a message. */
bool filter_end(filter *f, bool checked);

#endif
