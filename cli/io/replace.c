/* replace.c - new contents for a file, all or nothing (see replace.h). */
#define _GNU_SOURCE /* fallocate */

#include "cli/io/replace.h"

#include "cli/cli.h"
#include "cli/io/fileattrs.h"
#include "cli/ui/session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MOST_LINKS = 40 /* symbolic links followed, as many as Linux follows */
};

static const char saved_suffix[] = ".ordo-new";

bool replace_trouble(const char *name, int error, bool unchanged)
{
    const char *const advice = error == ENOSPC || error == EDQUOT
                                   ? "; free some space or write to another file system"
                               : error == EFBIG ? "; raise the file size limit (ulimit -f)"
                               : error == EROFS || error == EACCES || error == EPERM
                                   ? "; write to a directory that you may change"
                                   : "";
    cli_error("%s: cannot write: %s%s%s", name, strerror(error),
              unchanged ? "; the file is unchanged" : "", advice);
    return false;
}

/* What the symbolic link `path` names, relative to the same directory as path; NULL with errno. */
static char *link_target(const char *path)
{
    char          text[PATH_MAX];
    const ssize_t length = readlink(path, text, sizeof text - 1);
    if (length < 0)
        return NULL;
    text[length] = '\0';
    if (text[0] == '/')
        return strdup(text);
    char *const joined = temp_directory(path, (size_t)length);
    return joined != NULL ? strcat(joined, text) : NULL;
}

/* The file that path leads to, which need not exist; NULL with errno. */
static char *follow_links(const char *path)
{
    char       *at = strdup(path);
    struct stat st;

    for (int i = 0; at != NULL && lstat(at, &st) == 0 && S_ISLNK(st.st_mode); i++) {
        char *const next = i < MOST_LINKS ? link_target(at) : NULL;
        if (i == MOST_LINKS)
            errno = ELOOP;
        free(at);
        at = next;
    }
    return at;
}

static bool find_target(replacement *r)
{
    r->target = r->exists ? realpath(r->name, NULL) : follow_links(r->name);
    if (r->target == NULL)
        return replace_trouble(r->name, errno, false);
    const size_t length = strlen(r->target);
    r->saved = malloc(length + sizeof saved_suffix);
    if (r->saved == NULL)
        return replace_trouble(r->name, ENOMEM, false);
    memcpy(r->saved, r->target, length);
    memcpy(r->saved + length, saved_suffix, sizeof saved_suffix);
    if (access(r->saved, F_OK) == 0) {
        cli_error("%s: %s exists: a run was killed while it overwrote %s; %s holds its complete "
                  "result: move it to %s, or remove it",
                  r->name, r->saved, r->name, r->saved, r->name);
        return false;
    }
    return true;
}

bool replace_open(replacement *r, const char *path)
{
    struct stat st;

    *r = (replacement){.name = path, .exists = stat(path, &st) == 0, .temp.fd = -1};
    if (!r->exists && errno != ENOENT)
        return replace_trouble(path, errno, false);
    if (r->exists && access(path, W_OK) != 0) {
        cli_error("%s: cannot write: %s; make the file writable or name another one", path,
                  strerror(errno));
        return false;
    }
    if (!find_target(r))
        return false;
    temp_sweep(r->target);
    if (temp_create(&r->temp, r->target, r->exists ? 0600 : 0666))
        return true;
    const int error = errno;
    cli_error("%s: cannot create a temporary file in its directory: %s%s", path, strerror(error),
              error == ENOENT ? "; create the directory first"
                              : "; write to a directory that you may change, or to stdout");
    return false;
}

/* A name is on disk when its directory is; file systems that cannot sync one are left alone. */
static void sync_directory(const char *path)
{
    char *const directory = temp_directory(path, 1);
    if (directory == NULL)
        return;
    if (directory[0] == '\0')
        strcpy(directory, ".");
    const int fd = open(directory, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    free(directory);
}

/* Takes the blocks for `size` bytes before anything is overwritten. */
static bool reserve(int fd, off_t size, off_t old_size)
{
#ifdef FALLOC_FL_KEEP_SIZE
    if (size == 0 || fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, size) == 0 ||
        (errno != ENOSPC && errno != EDQUOT && errno != EFBIG))
        return true;
    const int error = errno;
    (void)!ftruncate(fd, old_size); /* gives back what it took */
    errno = error;
    return false;
#else
    (void)fd;
    (void)size;
    (void)old_size;
    return true;
#endif
}

/* With r->saved in place and signals held. *damaged: the target is neither old nor new. */
static bool overwrite_target(replacement *r, const struct stat *old, bool *damaged)
{
    struct stat result, opened;
    const int   fd = open(r->target, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    bool        ok = fd >= 0 && fstat(fd, &opened) == 0 && fstat(r->temp.fd, &result) == 0;

    *damaged = false;
    if (ok && (opened.st_ino != old->st_ino || opened.st_dev != old->st_dev)) {
        errno = EBUSY;
        ok = false;
    }
    if (ok && reserve(fd, result.st_size, opened.st_size)) {
        *damaged = true;
        ok = temp_copy_to(&r->temp, fd) && ftruncate(fd, result.st_size) == 0 && fsync(fd) == 0;
        *damaged = !ok;
    } else {
        ok = false;
    }
    const int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return ok;
}

/* Keeps the inode of the target. */
static bool rewrite_target(replacement *r, const struct stat *old)
{
    bool damaged = false;

    session_hold_signals(true);
    bool ok = temp_link_as(&r->temp, r->saved);
    int  error = errno;
    if (ok) {
        sync_directory(r->target);
        ok = overwrite_target(r, old, &damaged);
        error = errno;
        if (!damaged) {
            (void)unlink(r->saved);
            sync_directory(r->target);
        }
    }
    session_hold_signals(false);
    if (damaged)
        cli_error("%s: cannot write: %s; the file is damaged; the complete result is in %s",
                  r->name, strerror(error), r->saved);
    return ok || (damaged ? false : replace_trouble(r->name, error, true));
}

/* Renames the temporary file, which has the attributes of the old file if there is one. */
static bool rename_over(replacement *r, const struct stat *old)
{
    bool copied;

    if (old == NULL && !r->temp.named && temp_link_as(&r->temp, r->target))
        return true;
    if (!temp_link(&r->temp, &copied))
        return replace_trouble(r->name, errno, r->exists);
    if (copied && old == NULL)
        fileattrs_of_new(r->temp.fd);
    if (copied && old != NULL && !fileattrs_copy_all(r->temp.fd, r->target, old))
        return rewrite_target(r, old);
    return temp_rename(&r->temp, r->target) || replace_trouble(r->name, errno, r->exists);
}

bool replace_commit(replacement *r)
{
    struct stat old;
    const bool  exists = stat(r->target, &old) == 0;

    if (fsync(r->temp.fd) != 0)
        return replace_trouble(r->name, errno, r->exists);
    const bool rewrite =
        exists && (old.st_nlink > 1 || !fileattrs_copy_all(r->temp.fd, r->target, &old));
    if (!(rewrite ? rewrite_target(r, &old) : rename_over(r, exists ? &old : NULL)))
        return false;
    sync_directory(r->target);
    replace_abandon(r);
    return true;
}

void replace_abandon(replacement *r)
{
    temp_drop(&r->temp);
    free(r->target);
    free(r->saved);
    *r = (replacement){.temp.fd = -1};
}
