/* sorted_file.h - this process's elements in order, in temporary files without a name: one of the
 * keys, and one of the values if there are any. The files are written once and then mapped, so
 * their pages are cache of the file system and not memory of the process. */
#ifndef ORDO_DIST_SPILL_SORTED_FILE_H
#define ORDO_DIST_SPILL_SORTED_FILE_H

#include "dist/call/dist_call.h"
#include "external/disk/spill.h"

typedef struct sorted_column {
    spill  spill;
    char  *staged; /* SORTED_FILE_STAGED bytes */
    size_t staged_bytes;
    char  *map; /* read only; NULL: not mapped */
    size_t bytes;
} sorted_column;

typedef struct sorted_file {
    size_t        size;                 /* bytes of an element as it is written */
    size_t        key_at, key_size;     /* where the key is in it */
    size_t        value_at, value_size; /* and the value; value_size 0: there are no values */
    sorted_column keys, values;
    const char   *directory;
    failure       failure;
} sorted_file;

enum {
    SORTED_FILE_STAGED = 1 << 18
};

/* The layout was set. `tmpfs`: the folder may be in memory. Call sorted_file_close() at the end. */
ordo_status sorted_file_open(ordo_exec *exec, sorted_file *f, const char *directory, bool tmpfs);
void        sorted_file_close(sorted_file *f);

/* A function for ordo_sink.write; the user is the sorted_file. */
ptrdiff_t sorted_file_write(void *user, const void *from, size_t bytes);

/* Ends the writing and maps the files. *n gets the number of elements. */
ordo_status sorted_file_map(ordo_exec *exec, sorted_file *f, size_t *n);

#endif
