/* tempfile.c - temporary files (see tempfile.h).
 *
 * Every step that adds or removes a name holds signals, so that the signal handler always knows
 * whether there is a file to remove. Names are numbered from 0: a sweep tries a few known names and
 * never reads the folder, which may be large. */
#define _GNU_SOURCE /* O_TMPFILE */

#include "cli/io/tempfile.h"

#include "cli/base/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/xattr.h>
#include <unistd.h>

enum {
    SWEPT_NAMES = 16, /* names that a sweep always looks for                     */
    MOST_NAMES = 100000,
    NUMBER_ROOM = 12, /* digits of a number and a NUL                            */
    COPY_CHUNK = 1 << 20
};

static const char prefix[] = ".ordo-tmp-";

char *temp_folder(const char *path, size_t room)
{
    const char *const slash = strrchr(path, '/');
    const size_t      length = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    char *const       folder = malloc(length + room + 1);
    if (folder != NULL) {
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    return folder;
}

/* Memory for the name of a temporary file, filled up to its number. */
static char *name_buffer(const char *beside)
{
    char *const path = temp_folder(beside, sizeof prefix + NUMBER_ROOM);
    return path != NULL ? strcat(path, prefix) : NULL;
}

static void set_number(char *path, unsigned n)
{
    snprintf(strrchr(path, '-') + 1, NUMBER_ROOM, "%u", n);
}

/* Called with signals held. */
static void set_named(tempfile *t, bool named)
{
    t->named = named;
    signals_set_temp(named ? t->path : NULL);
}

/* Opens for writing where that is allowed: some file systems lock only such files. */
static int open_to_lock(const char *path)
{
    const int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    const int fd = open(path, O_RDWR | flags);
    return fd >= 0 || errno == ENOENT ? fd : open(path, O_RDONLY | flags);
}

/* Removes the file if it belongs to this user and its creator is dead. Holds the lock until the
 * file is gone, so that a creator that waits for the lock then sees that its file has no name. */
static void remove_if_dead(int fd, const char *path)
{
    struct stat opened, named;

    if (fstat(fd, &opened) == 0 && S_ISREG(opened.st_mode) && opened.st_uid == geteuid() &&
        flock(fd, LOCK_EX | LOCK_NB) == 0 && lstat(path, &named) == 0 &&
        named.st_dev == opened.st_dev && named.st_ino == opened.st_ino)
        (void)unlink(path);
}

bool temp_remove_dead(const char *path)
{
    const int fd = open_to_lock(path);
    if (fd < 0)
        return errno != ENOENT;
    remove_if_dead(fd, path);
    close(fd);
    return true;
}

void temp_sweep(const char *beside)
{
    char *const path = name_buffer(beside);
    bool        found = true;

    for (unsigned n = 0; path != NULL && n < MOST_NAMES && (found || n <= SWEPT_NAMES); n++) {
        set_number(path, n);
        found = temp_remove_dead(path);
    }
    free(path);
}

/* Creates and locks the file called t->path. False with errno; EEXIST: try another name. */
static bool create_named(tempfile *t, mode_t mode)
{
    struct stat st;

    signals_hold(true);
    t->fd = open(t->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    set_named(t, t->fd >= 0);
    signals_hold(false);
    if (!t->named)
        return false;
    (void)flock(t->fd, LOCK_EX); /* where flock() fails, temp_sweep() cannot lock either */
    const bool known = fstat(t->fd, &st) == 0;
    const int  error = known ? EEXIST : errno;
    if (known && st.st_nlink > 0)
        return true;
    signals_hold(true);
    if (!known)
        (void)unlink(t->path);
    set_named(t, false); /* a sweep may have removed the file before it was locked */
    signals_hold(false);
    close(t->fd);
    t->fd = -1;
    errno = error;
    return false;
}

static bool create_some(tempfile *t, mode_t mode)
{
    bool ok = false;

    errno = EEXIST;
    for (unsigned n = 0; !ok && errno == EEXIST && n < MOST_NAMES; n++) {
        set_number(t->path, n);
        ok = create_named(t, mode);
    }
    return ok;
}

static int create_nameless(const char *folder, mode_t mode)
{
    const int fd = open(folder[0] != '\0' ? folder : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    if (fd >= 0)
        (void)flock(fd, LOCK_EX | LOCK_NB);
    return fd;
}

/* Drops the file after a failure, whose errno stays. */
static bool give_up(tempfile *t)
{
    const int error = errno;
    temp_drop(t);
    errno = error;
    return false;
}

bool temp_create(tempfile *t, const char *beside, mode_t mode)
{
    *t = (tempfile){.fd = -1, .path = name_buffer(beside)};
    if (t->path == NULL)
        return false;
    char *const name = t->path + strlen(t->path) - strlen(prefix);
    *name = '\0';
    t->fd = create_nameless(t->path, mode);
    *name = prefix[0];
    return t->fd >= 0 || create_some(t, mode) || give_up(t);
}

bool temp_create_as(tempfile *t, const char *path, mode_t mode)
{
    *t = (tempfile){.fd = -1, .path = strdup(path)};
    return t->path != NULL && (create_named(t, mode) || give_up(t));
}

/* Whether fd is a regular file of this user without other names, and locks it. Sets errno. */
static bool own_and_lock(int fd)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return false;
    if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_nlink != 1) {
        errno = EEXIST;
        return false;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        errno = EBUSY;
        return false;
    }
    return true;
}

bool temp_open_kept(tempfile *t, const char *beside, const char *name, mode_t mode)
{
    *t = (tempfile){.fd = -1, .path = temp_folder(beside, strlen(name))};
    if (t->path == NULL)
        return false;
    strcat(t->path, name);
    t->fd = open(t->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode);
    t->kept = true;
    if (t->fd >= 0 && own_and_lock(t->fd)) {
        t->named = true;
        return true;
    }
    return give_up(t);
}

void temp_keep(tempfile *t, bool keep)
{
    signals_hold(true);
    t->kept = keep;
    signals_set_temp(t->named && !keep ? t->path : NULL);
    signals_hold(false);
}

static bool link_nameless(int fd, const char *path)
{
    char self[40];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}

static bool link_some(tempfile *t)
{
    signals_hold(true);
    errno = EEXIST;
    for (unsigned n = 0; !t->named && errno == EEXIST && n < MOST_NAMES; n++) {
        set_number(t->path, n);
        set_named(t, link_nameless(t->fd, t->path));
    }
    signals_hold(false);
    return t->named;
}

static void remove_name(tempfile *t)
{
    signals_hold(true);
    if (t->named && !t->kept)
        (void)unlink(t->path);
    set_named(t, false);
    signals_hold(false);
}

/* Copies the nameless file to a named one, which replaces it. */
static bool copy_named(tempfile *t)
{
    tempfile copy = {.fd = -1, .path = t->path};

    if (!create_some(&copy, 0600))
        return false;
    if (temp_copy_to(t, copy.fd) && fsync(copy.fd) == 0) {
        close(t->fd);
        *t = copy;
        return true;
    }
    const int error = errno;
    remove_name(&copy);
    close(copy.fd);
    errno = error;
    return false;
}

bool temp_link(tempfile *t, bool *copied)
{
    *copied = false;
    if (t->named || link_some(t))
        return true;
    *copied = copy_named(t);
    return *copied;
}

bool temp_link_as(tempfile *t, const char *path)
{
    bool copied;

    if (!t->named && link_nameless(t->fd, path))
        return true;
    if (errno == EEXIST && !t->named)
        return false;
    if (access(path, F_OK) == 0) {
        errno = EEXIST;
        return false;
    }
    return temp_link(t, &copied) && temp_rename(t, path);
}

bool temp_rename(tempfile *t, const char *path)
{
    signals_hold(true);
    const bool renamed = rename(t->path, path) == 0;
    if (renamed)
        set_named(t, false);
    signals_hold(false);
    return renamed;
}

bool temp_copy_to(const tempfile *t, int fd)
{
    char *const buffer = malloc(COPY_CHUNK);
    off_t       at = 0;
    bool        ok = buffer != NULL, more = ok;

    while (more) {
        const ssize_t got = pread(t->fd, buffer, COPY_CHUNK, at);
        if (got < 0 && errno == EINTR)
            continue;
        ok = got >= 0 && spool_write(fd, buffer, (size_t)got);
        at += got > 0 ? got : 0;
        more = ok && got > 0;
    }
    const int error = buffer != NULL ? errno : ENOMEM;
    free(buffer);
    errno = error;
    return ok;
}

void temp_drop(tempfile *t)
{
    remove_name(t);
    if (t->fd >= 0)
        close(t->fd);
    free(t->path);
    *t = (tempfile){.fd = -1};
}

/* ---- Owner, mode and extended attributes ---- */

static bool copy_owner(int fd, const struct stat *old)
{
    struct stat now;

    if (fstat(fd, &now) != 0)
        return false;
    return (now.st_uid == old->st_uid && now.st_gid == old->st_gid) ||
           fchown(fd, old->st_uid, old->st_gid) == 0;
}

static const char acl_name[] = "system.posix_acl_access";

static bool copy_attribute(int fd, const char *path, const char *name)
{
    const ssize_t length = getxattr(path, name, NULL, 0);
    void *const   value = length >= 0 ? malloc((size_t)length + 1) : NULL;
    const ssize_t got = value != NULL ? getxattr(path, name, value, (size_t)length) : -1;
    const bool    ok = got >= 0 && fsetxattr(fd, name, value, (size_t)got, 0) == 0;

    free(value);
    return ok;
}

/* First removes the access control list that fd inherited from its folder, because the old file
 * may have none. */
static bool copy_attributes(int fd, const char *path)
{
    const ssize_t length = listxattr(path, NULL, 0);
    char *const   names = length > 0 ? malloc((size_t)length) : NULL;
    const ssize_t got = names != NULL ? listxattr(path, names, (size_t)length) : 0;
    bool          ok = length <= 0 || (names != NULL && got >= 0);

    (void)fremovexattr(fd, acl_name);
    for (ssize_t i = 0; ok && i < got; i += (ssize_t)strlen(names + i) + 1) {
        const char *const name = names + i;
        if (strncmp(name, "user.", 5) == 0 || strcmp(name, acl_name) == 0)
            ok = copy_attribute(fd, path, name);
        else if (strcmp(name, "security.selinux") == 0)
            (void)copy_attribute(fd, path, name); /* optional: the policy has a default */
    }
    free(names);
    return ok;
}

/* The owner comes first, because a change of owner clears mode bits. The access control list comes
 * after the mode, because chmod() would change the mask of the list. */
bool temp_copy_attributes(tempfile *t, const char *path, const struct stat *old)
{
    return copy_owner(t->fd, old) && fchmod(t->fd, old->st_mode & 07777) == 0 &&
           copy_attributes(t->fd, path);
}

void temp_set_new_mode(tempfile *t)
{
    const mode_t mask = umask(0);
    umask(mask);
    (void)fchmod(t->fd, 0666 & ~mask);
}

/* ---- Temporary files that are written, then read ---- */

const char *spool_folder(const char *asked)
{
    const char *const named = getenv("TMPDIR");
    return asked != NULL ? asked : named != NULL && named[0] != '\0' ? named : "/var/tmp";
}

int spool_open(const char *folder)
{
    char     beside[4096];
    tempfile temp;

    snprintf(beside, sizeof beside, "%s/ordo", folder);
    if (!temp_create(&temp, beside, 0600))
        return -1;
    const int fd = temp.fd;
    temp.fd = -1; /* belongs to the caller now */
    temp_drop(&temp);
    return fd;
}

bool spool_write(int fd, const void *bytes, size_t n)
{
    const char *from = bytes;

    while (n > 0) {
        const ssize_t done = write(fd, from, n);
        if (done < 0 && errno != EINTR)
            return false;
        from += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

bool spool_read(int fd, uint64_t at, void *into, size_t n)
{
    char *to = into;

    while (n > 0) {
        const ssize_t done = pread(fd, to, n, (off_t)at);
        if (done == 0)
            errno = EIO;
        if (done <= 0 && errno != EINTR)
            return false;
        to += done > 0 ? done : 0;
        at += done > 0 ? (uint64_t)done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
    return true;
}
