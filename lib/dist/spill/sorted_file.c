/* sorted_file.c - temporary files of sorted elements (see sorted_file.h). */
#define _GNU_SOURCE
#include "dist/spill/sorted_file.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static bool flush(sorted_column *column)
{
    unsigned   file;
    uint64_t   offset;
    bool const fine =
        column->staged_bytes == 0 ||
        spill_append(&column->spill, column->staged, column->staged_bytes, &file, &offset);
    column->bytes += column->staged_bytes;
    column->staged_bytes = 0;
    return fine;
}

static bool append(sorted_column *column, const char *from, size_t bytes)
{
    while (bytes > 0) {
        size_t const room = SORTED_FILE_STAGED - column->staged_bytes;
        size_t const now = bytes < room ? bytes : room;
        memcpy(column->staged + column->staged_bytes, from, now);
        column->staged_bytes += now;
        from += now;
        bytes -= now;
        if (column->staged_bytes == SORTED_FILE_STAGED && !flush(column))
            return false;
    }
    return true;
}

ordo_status sorted_file_open(ordo_exec *exec, sorted_file *f, const char *directory, bool tmpfs)
{
    f->directory = directory;
    spill_init(&f->keys.spill, &f->directory, 1, tmpfs, &f->failure);
    spill_init(&f->values.spill, &f->directory, 1, tmpfs, &f->failure);
    TRY_SCRATCH(exec, SORTED_FILE_STAGED, f->keys.staged);
    if (f->value_size > 0)
        TRY_SCRATCH(exec, SORTED_FILE_STAGED, f->values.staged);
    return ORDO_OK;
}

static void close_column(sorted_column *column)
{
    if (column->map != NULL)
        munmap(column->map, column->bytes);
    column->map = NULL;
    spill_close(&column->spill);
}

void sorted_file_close(sorted_file *f)
{
    close_column(&f->keys);
    close_column(&f->values);
}

/* A sort writes whole elements. Keys alone are copied as they come. */
ptrdiff_t sorted_file_write(void *user, const void *from, size_t bytes)
{
    sorted_file *const f = user;
    bool const         keys_only = f->value_size == 0 && f->size == f->key_size;
    const char *at = from, *const end = at + bytes;
    bool fine = !keys_only || append(&f->keys, at, bytes);
    for (; fine && !keys_only && at < end; at += f->size)
        fine = append(&f->keys, at + f->key_at, f->key_size) &&
               append(&f->values, at + f->value_at, f->value_size);
    if (!fine)
        errno = EIO; /* the failure has the reason */
    return fine ? (ptrdiff_t)bytes : -1;
}

static bool map_column(sorted_file *f, sorted_column *column)
{
    if (!flush(column))
        return false;
    if (column->bytes == 0)
        return true;
    void *const map = mmap(NULL, column->bytes, PROT_READ, MAP_SHARED, column->spill.fds[0], 0);
    if (map == MAP_FAILED)
        return failure_record_errno(&f->failure, errno, "mapping a temporary file in %s failed",
                                    f->directory);
    column->map = map;
    return true;
}

ordo_status sorted_file_map(ordo_exec *exec, sorted_file *f, size_t *n)
{
    if (!map_column(f, &f->keys) || !map_column(f, &f->values))
        return ordo_fail(exec, (ordo_status)atomic_load(&f->failure.status), "%s", f->failure.text);
    *n = f->keys.bytes / f->key_size;
    return ORDO_OK;
}
