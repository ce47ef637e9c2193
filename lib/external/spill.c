/* spill.c - temporary files without a name. Each directory has one file, which all runs that are
 * written there share, so the number of open files does not grow with the data. */
#define _GNU_SOURCE
#include "external/spill.h"

#include "external/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void spill_init(spill *s, const char *const *directories, unsigned count, trouble *t)
{
    *s = (spill){.directories = directories, .directory_count = count, .trouble = t};
}

void spill_close(spill *s)
{
    for (unsigned i = 0; i < s->file_count; i++)
        close(s->files[i].fd);
    s->file_count = 0;
}

/* A file that disappears when it is closed. */
static int open_nameless(const char *directory)
{
    int const fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd;
    char path[4096];
    if (snprintf(path, sizeof path, "%s/ordo-XXXXXX", directory) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int const named = mkostemp(path, O_CLOEXEC);
    if (named >= 0)
        unlink(path);
    return named;
}

bool spill_begin(spill *s, unsigned *file)
{
    unsigned const directory = s->next_directory % s->directory_count;
    s->next_directory++;
    for (*file = 0; *file < s->file_count; ++*file)
        if (s->files[*file].directory == directory)
            return true;
    int const fd = open_nameless(s->directories[directory]);
    if (fd < 0)
        return trouble_errno(s->trouble, errno, "no temporary file in %s",
                             s->directories[directory]);
    s->files[s->file_count++] = (spill_file){.fd = fd, .directory = directory};
    return true;
}

bool spill_append(spill *s, unsigned file, const void *data, size_t bytes, uint64_t *offset)
{
    spill_file *const f = &s->files[file];
    *offset = f->size;
    if (!write_at(f->fd, s->directories[f->directory], data, bytes, f->size, s->trouble))
        return false;
    f->size += bytes;
    s->written += bytes;
    return true;
}

bool spill_read(const spill *s, unsigned file, void *into, size_t bytes, uint64_t offset)
{
    const spill_file *const f = &s->files[file];
    return read_at(f->fd, s->directories[f->directory], into, bytes, offset, s->trouble);
}

void spill_release(const spill *s, unsigned file, uint64_t offset, uint64_t bytes)
{
    (void)fallocate(s->files[file].fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
                    (off_t)bytes);
}
