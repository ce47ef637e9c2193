/* fileattrs.c - owner, mode and extended attributes of a file (see fileattrs.h).
 *
 * The owner comes first: a change of owner clears mode bits. The access control list comes after
 * the mode, whose group bits are its mask. */
#define _GNU_SOURCE

#include "cli/io/fileattrs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif

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

/* The value of an attribute of path in fresh memory; NULL if it is gone or there is no memory. */
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

/* A list that fd inherited from its directory goes first: the old file may have none. */
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
            (void)copy_attribute(fd, path, names + i); /* else the policy's default */
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

bool fileattrs_copy_all(int fd, const char *path, const struct stat *old)
{
    return copy_owner(fd, old) && fchmod(fd, old->st_mode & 07777) == 0 &&
           copy_attributes(fd, path);
}

void fileattrs_of_new(int fd)
{
    const mode_t mask = umask(0);
    umask(mask);
    (void)fchmod(fd, 0666 & ~mask);
}
