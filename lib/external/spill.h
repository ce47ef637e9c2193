/* spill.h - the temporary files of one call.
 *
 * Data are appended and read again at their places. A file is in one of the given directories, has
 * no name, and is gone when the process ends for any reason. When a directory is full, the next
 * one is used. */
#ifndef ORDO_EXTERNAL_SPILL_H
#define ORDO_EXTERNAL_SPILL_H

#include "external/trouble.h"

enum {
    SPILL_MOST_FILES = 64
};

typedef struct spill_file {
    int      fd;
    uint64_t size; /* bytes appended */
    unsigned directory;
} spill_file;

typedef struct spill {
    const char *const *directories;
    unsigned           directory_count;
    spill_file         files[SPILL_MOST_FILES];
    unsigned           file_count;
    unsigned           next_directory;
    uint64_t           written, read; /* bytes, for the report */
    trouble           *trouble;
} spill;

void spill_init(spill *s, const char *const *directories, unsigned count, trouble *t);
void spill_close(spill *s);

/* Opens the file of a new sequence of blocks; *file is its number. */
bool spill_begin(spill *s, unsigned *file);
/* Appends to a file; *offset is where. */
bool spill_append(spill *s, unsigned file, const void *data, size_t bytes, uint64_t *offset);
/* May be called by several threads at once. */
bool spill_read(const spill *s, unsigned file, void *into, size_t bytes, uint64_t offset);
/* Gives the disk space of bytes that were read for the last time back, where the system can. */
void spill_release(const spill *s, unsigned file, uint64_t offset, uint64_t bytes);

#endif
