/* replace.c - new contents for a file, all or nothing (see replace.h). */
#define _GNU_SOURCE /* fallocate */

#include "cli/io/replace.h"

#include "cli/cli.h"
#include "cli/ui/context.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif

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
    return cli_fail("%s: cannot write: %s%s%s", name, strerror(error),
                    unchanged ? "; the file is unchanged" : "", advice);
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

/* ---- Owner, mode and extended attributes ---- */

static bool copy_owner(int fd, const struct stat *old)
{
    struct stat now;

    if (fstat(fd, &now) != 0)
        return false;
    return (now.st_uid == old->st_uid && now.st_gid == old->st_gid) ||
           fchown(fd, old->st_uid, old->st_gid) == 0;
}

#ifdef __linux__
static const char acl_name[] = "system.posix_acl_access";

static bool is_wanted(const char *name)
{
    return strncmp(name, "user.", 5) == 0 || strcmp(name, acl_name) == 0;
}

/* The value of an attribute of path, to be freed; NULL if it is gone or there is no memory. */
static void *read_attribute(const char *path, const char *name, size_t *size)
{
    const ssize_t length = getxattr(path, name, NULL, 0);
    void *const   value = length >= 0 ? malloc((size_t)length + 1) : NULL;
    const ssize_t got = value != NULL ? getxattr(path, name, value, (size_t)length) : -1;

    *size = got >= 0 ? (size_t)got : 0;
    if (got >= 0)
        return value;
    free(value);
    return NULL;
}

static bool copy_attribute(int fd, const char *path, const char *name)
{
    size_t      size;
    void *const value = read_attribute(path, name, &size);
    const bool  ok = value != NULL && fsetxattr(fd, name, value, size, 0) == 0;

    free(value);
    return ok;
}

/* Removes an access control list that fd inherited from its directory first: the old file may have
 * none. */
static bool copy_attributes(int fd, const char *path)
{
    const ssize_t length = listxattr(path, NULL, 0);
    char *const   names = length > 0 ? malloc((size_t)length) : NULL;
    const ssize_t got = names != NULL ? listxattr(path, names, (size_t)length) : 0;
    bool          ok = length <= 0 || (names != NULL && got >= 0);

    (void)fremovexattr(fd, acl_name);
    for (ssize_t i = 0; ok && i < got; i += (ssize_t)strlen(names + i) + 1) {
        if (is_wanted(names + i))
            ok = copy_attribute(fd, path, names + i);
        else if (strcmp(names + i, "security.selinux") == 0)
            (void)copy_attribute(fd, path, names + i); /* optional: the policy has a default */
    }
    free(names);
    return ok;
}
#else
static bool copy_attributes(int fd, const char *path)
{
    (void)fd;
    (void)path;
    return true;
}
#endif

/* Gives fd the owner, group, mode, access control list, user attributes and security label of the
 * file `path`, whose status is *old. The owner comes first, because a change of owner clears mode
 * bits; the access control list comes after the mode, whose group bits are its mask. False if any
 * of them but the label cannot be set; fd then has some of them. */
static bool copy_attributes_of(int fd, const char *path, const struct stat *old)
{
    return copy_owner(fd, old) && fchmod(fd, old->st_mode & 07777) == 0 &&
           copy_attributes(fd, path);
}

/* Gives fd, a file of mode 0600, the mode of a new file. */
static void set_new_mode(int fd)
{
    const mode_t mask = umask(0);
    umask(mask);
    (void)fchmod(fd, 0666 & ~mask);
}

/* ---- Replacing ---- */

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
    return access(r->saved, F_OK) != 0 ||
           cli_fail("%s: %s exists: an earlier ordo was killed while it overwrote %s; %s holds its "
                    "complete result: move it to %s, or remove it",
                    r->name, r->saved, r->name, r->saved, r->name);
}

bool replace_open(replacement *r, const char *path)
{
    struct stat st;

    *r = (replacement){.name = path, .exists = stat(path, &st) == 0, .temp.fd = -1};
    if (!r->exists && errno != ENOENT)
        return replace_trouble(path, errno, false);
    if (r->exists && access(path, W_OK) != 0)
        return cli_fail("%s: cannot write: %s; make the file writable or name another one", path,
                        strerror(errno));
    if (!find_target(r))
        return false;
    temp_sweep(r->target);
    if (temp_create(&r->temp, r->target, r->exists ? 0600 : 0666))
        return true;
    const int error = errno;
    return cli_fail("%s: cannot create a temporary file in its directory: %s%s", path,
                    strerror(error),
                    error == ENOENT ? "; create the directory first"
                                    : "; write to a directory that you may change, or to stdout");
}

/* Makes the names in the directory of path durable, where the file system can do that. */
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

/* Allocates the blocks for `size` bytes before anything is overwritten. */
static bool reserve(int fd, off_t size, off_t old_size)
{
#ifdef FALLOC_FL_KEEP_SIZE
    if (size == 0 || fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, size) == 0 ||
        (errno != ENOSPC && errno != EDQUOT && errno != EFBIG))
        return true;
    const int error = errno;
    (void)!ftruncate(fd, old_size); /* frees the blocks again */
    errno = error;
    return false;
#else
    (void)fd;
    (void)size;
    (void)old_size;
    return true;
#endif
}

/* Called with r->saved in place and signals held. *damaged: the target is neither old nor new. */
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
    ok = ok && reserve(fd, result.st_size, opened.st_size);
    if (ok) {
        ok = temp_copy_to(&r->temp, fd) && ftruncate(fd, result.st_size) == 0 && fsync(fd) == 0;
        *damaged = !ok;
    }
    const int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return ok;
}

/* Overwrites the target, which keeps its inode. */
static bool rewrite_target(replacement *r, const struct stat *old)
{
    bool damaged = false;

    signals_hold(true);
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
    signals_hold(false);
    if (damaged)
        return cli_fail("%s: cannot write: %s; the file is damaged; the complete result is in %s",
                        r->name, strerror(error), r->saved);
    return ok || replace_trouble(r->name, error, true);
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
        set_new_mode(r->temp.fd);
    if (copied && old != NULL && !copy_attributes_of(r->temp.fd, r->target, old))
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
        exists && (old.st_nlink > 1 || !copy_attributes_of(r->temp.fd, r->target, &old));
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
