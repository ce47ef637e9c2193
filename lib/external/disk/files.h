/* files.h - reads and writes of whole pieces. A system call may do only a part of its work, or be
 * interrupted by a signal; these functions repeat it. */
#ifndef ORDO_EXTERNAL_FILES_H
#define ORDO_EXTERNAL_FILES_H

#include "external/disk/failure.h"

/* Reads `bytes` bytes from the position of fd on. *got is less only at the end of the data. */
bool read_fully(int fd, const char *name, void *into, size_t bytes, size_t *got, failure *f);

/* Reads `bytes` bytes at an offset. The end of the file before them is a failure. */
bool read_at(int fd, const char *name, void *into, size_t bytes, uint64_t offset, failure *f);

bool write_fully(int fd, const char *name, const void *from, size_t bytes, failure *f);

/* Writes at an offset. Returns 0 or the errno of the failure, which it does not record. */
int write_at(int fd, const void *from, size_t bytes, uint64_t offset);

#endif
