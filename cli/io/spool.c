/* spool.c - temporary files without a name (see spool.h). */
#define _POSIX_C_SOURCE 200809L

#include "cli/io/spool.h"

#include "cli/io/tempfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
