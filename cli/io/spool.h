/* spool.h - temporary files without a name, which are written and then read. */
#ifndef ORDO_CLI_IO_SPOOL_H
#define ORDO_CLI_IO_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where they are: `asked` if it is not NULL, otherwise $TMPDIR or the system's folder. */
const char *spool_folder(const char *asked);

/* Opens an empty one in this folder, to write and read. -1 after a failure, which sets errno. */
int spool_open(const char *folder);

/* Appends bytes; reads bytes from a place on. False after a failure, which sets errno. */
bool spool_write(int fd, const void *bytes, size_t n);
bool spool_read(int fd, uint64_t at, void *into, size_t n);

#endif
