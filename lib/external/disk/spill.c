/* spill.c - temporary files without a name. All runs in a directory share one file, so the number
 * of open files does not grow with the data. */
#define _GNU_SOURCE
#include "external/disk/spill.h"

#include "backend/tuning.h"
#include "external/disk/files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    /* Disk space is given back in pieces of this size. Each piece is a transaction of the journal,
     * and on ext4 with the mount option discard also a request to the disk, which the next commit
     * of the journal waits for. */
    RELEASED_BYTES = ORDO_TUNE(4 << 20, 256)
};

void spill_init(spill *s, const char *const *directories, unsigned count, bool tmpfs, failure *f)
{
    s->directories = directories;
    s->count = count;
    s->tmpfs = tmpfs;
    s->failure = f;
    for (unsigned i = 0; i < count; i++)
        s->fds[i] = -1;
}

const char *spill_default(void)
{
    const char *const named = getenv("TMPDIR");
    return named != NULL && named[0] != 0 ? named : "/var/tmp";
}

void spill_close(spill *s)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->fds[i] >= 0)
            close(s->fds[i]);
    s->count = 0;
}

void spill_turn(spill *s) { s->current = (s->current + 1) % s->count; }

/* Opens a file that disappears when it is closed; -1 with errno after a failure. */
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

/* Opens the file "runs", which stays. */
static int open_kept(const char *directory)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/runs", directory) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static bool open_file(spill *s, unsigned which)
{
    const char *const directory = s->directories[which];
    if (s->fds[which] >= 0)
        return true;
    struct statfs system;
    if (!s->tmpfs && statfs(directory, &system) == 0 && system.f_type == TMPFS_MAGIC)
        return failure_record(s->failure, ORDO_E_ARG,
                              "%s is a file system in memory, so temporary files there would not "
                              "save memory; expected a directory on a disk",
                              directory);
    s->fds[which] = s->kept ? open_kept(directory) : open_nameless(directory);
    return s->fds[which] >= 0 || spill_no_directory(s->failure, errno, directory);
}

bool spill_no_directory(failure *f, int error, const char *directory)
{
    bool const  missing = error == ENOENT || error == ENOTDIR;
    char        buffer[128];
    const char *why = strerror_r(error, buffer, sizeof buffer);
    return failure_record(f, ORDO_E_IO, "opening a temporary file in %s failed: %s%s", directory,
                          why, missing ? "; make the directory, or name another one" : "");
}

bool spill_reopen(spill *s, uint64_t bytes)
{
    struct stat status;
    if (!open_file(s, 0))
        return false;
    if (fstat(s->fds[0], &status) != 0 || (uint64_t)status.st_size < bytes)
        return failure_record(
            s->failure, ORDO_E_IO, "the file runs in %s has %llu bytes; expected at least %llu",
            s->directories[0], (unsigned long long)status.st_size, (unsigned long long)bytes);
    s->sizes[0] = bytes;
    return true;
}

static bool is_full(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

bool spill_append(spill *s, const void *data, size_t bytes, unsigned *file, uint64_t *offset)
{
    for (unsigned tries = 0;; tries++) {
        unsigned const which = s->current;
        if (!open_file(s, which))
            return false;
        int const error = write_at(s->fds[which], data, bytes, s->sizes[which]);
        if (error == 0) {
            *file = which;
            *offset = s->sizes[which];
            s->sizes[which] += bytes;
            atomic_fetch_add(&s->written, bytes);
            return true;
        }
        if (!is_full(error) || tries + 1 == s->count)
            return failure_record_errno(
                s->failure, error, "writing a temporary file in %s failed after %llu bytes%s",
                s->directories[which], (unsigned long long)atomic_load(&s->written),
                s->count > 1 && is_full(error) ? " (the other directories are full, too)" : "");
        spill_turn(s);
    }
}

bool spill_list_append(spill_list *l, spill *s, const void *data, size_t bytes)
{
    if (!failure_grow(s->failure, (void **)&l->places, &l->capacity, l->count + 1,
                      sizeof *l->places))
        return false;
    spill_place *const place = &l->places[l->count++];
    return spill_append(s, data, bytes, &place->file, &place->offset);
}

bool spill_read(spill *s, unsigned file, void *into, size_t bytes, uint64_t offset)
{
    atomic_fetch_add(&s->read, bytes);
    return read_at(s->fds[file], s->directories[file], into, bytes, offset, s->failure);
}

bool spill_damaged(const spill *s, unsigned file, uint64_t offset)
{
    return failure_record(s->failure, ORDO_E_IO,
                          "a temporary file in %s is damaged: the checksum of the block at byte "
                          "%llu is wrong",
                          s->directories[file], (unsigned long long)offset);
}

void spill_release(const spill *s, spill_gap *gap)
{
    /* Only whole pages: a part of a page would be written with zeros. */
    uint64_t const begin = ordo_div_up(gap->begin, PAGE) * PAGE, end = gap->end / PAGE * PAGE;
    if (begin < end && !s->kept)
        (void)fallocate(s->fds[gap->file], FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)begin,
                        (off_t)(end - begin));
    gap->begin = gap->end;
}

void spill_pass(const spill *s, spill_gap *gap, unsigned file, uint64_t offset, uint64_t bytes)
{
    if (gap->file != file || gap->end != offset) {
        spill_release(s, gap);
        *gap = (spill_gap){.file = file, .begin = offset};
    }
    gap->end = offset + bytes;
    if (gap->end - gap->begin >= RELEASED_BYTES)
        spill_release(s, gap);
}

bool spill_check_space(const spill *s, uint64_t bytes)
{
    uint64_t free_bytes = 0;
    dev_t    seen[SPILL_MOST_DIRECTORIES];
    for (unsigned i = 0; i < s->count; i++) {
        struct stat    status;
        struct statvfs space;
        bool           again = false;
        if (stat(s->directories[i], &status) != 0 || statvfs(s->directories[i], &space) != 0)
            return true; /* the first write will say why */
        for (unsigned j = 0; j < i; j++)
            again = again || seen[j] == status.st_dev;
        seen[i] = status.st_dev;
        free_bytes += again ? 0 : (uint64_t)space.f_bavail * space.f_frsize;
    }
    return bytes <= free_bytes ||
           failure_record(
               s->failure, ORDO_E_IO,
               "the temporary files need about %llu bytes more, but %s%s only %llu bytes "
               "of free space; expected more space or another directory",
               (unsigned long long)bytes, s->directories[0],
               s->count > 1 ? " and the other directories have" : " has",
               (unsigned long long)free_bytes);
}
