/* files.h - reads and writes of whole pieces, which system calls may do in parts. */
#ifndef ORDO_EXTERNAL_FILES_H
#define ORDO_EXTERNAL_FILES_H

#include "external/trouble.h"

/* Reads up to `bytes` bytes until the data end; *got is less only at the end. */
bool read_fully(int fd, const char *name, void *into, size_t bytes, size_t *got, trouble *t);

/* Reads exactly `bytes` bytes at an offset; fails at the end of the file. */
bool read_at(int fd, const char *name, void *into, size_t bytes, uint64_t offset, trouble *t);

bool write_fully(int fd, const char *name, const void *from, size_t bytes, trouble *t);
bool write_at(int fd, const char *name, const void *from, size_t bytes, uint64_t offset,
              trouble *t);

#endif
