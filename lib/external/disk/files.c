/* files.c - reads and writes of whole pieces. One system call moves at most MOST_BYTES, so a
 * failure of another thread ends the work soon. */
#define _GNU_SOURCE
#include "external/disk/files.h"

#include <errno.h>
#include <unistd.h>

enum {
    MOST_BYTES = 8 << 20
};

bool read_fully(int fd, const char *name, void *into, size_t bytes, size_t *got, failure *f)
{
    *got = 0;
    while (*got < bytes && !failure_seen(f)) {
        ssize_t const now = read(fd, (char *)into + *got, ordo_min(bytes - *got, MOST_BYTES));
        if (now == 0)
            return true;
        if (now < 0 && errno != EINTR)
            return failure_record_errno(f, errno, "reading %s failed", name);
        *got += now < 0 ? 0 : (size_t)now;
    }
    return !failure_seen(f);
}

bool read_at(int fd, const char *name, void *into, size_t bytes, uint64_t offset, failure *f)
{
    size_t done = 0;
    while (done < bytes && !failure_seen(f)) {
        uint64_t const at = offset + done;
        ssize_t const  now =
            pread(fd, (char *)into + done, ordo_min(bytes - done, MOST_BYTES), (off_t)at);
        if (now == 0)
            return failure_record(f, ORDO_E_IO, "%s ends at byte %llu; expected %zu bytes more",
                                  name, (unsigned long long)at, bytes - done);
        if (now < 0 && errno != EINTR)
            return failure_record_errno(f, errno, "reading %s at byte %llu failed", name,
                                        (unsigned long long)at);
        done += now < 0 ? 0 : (size_t)now;
    }
    return !failure_seen(f);
}

bool write_fully(int fd, const char *name, const void *from, size_t bytes, failure *f)
{
    for (size_t done = 0; done < bytes && !failure_seen(f);) {
        ssize_t const now =
            write(fd, (const char *)from + done, ordo_min(bytes - done, MOST_BYTES));
        if (now == 0 || (now < 0 && errno != EINTR))
            return failure_record_errno(f, now == 0 ? ENOSPC : errno, "writing %s failed", name);
        done += now < 0 ? 0 : (size_t)now;
    }
    return !failure_seen(f);
}

int write_at(int fd, const void *from, size_t bytes, uint64_t offset)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t const now = pwrite(fd, (const char *)from + done,
                                   ordo_min(bytes - done, MOST_BYTES), (off_t)(offset + done));
        if (now == 0 || (now < 0 && errno != EINTR))
            return now == 0 ? ENOSPC : errno;
        done += now < 0 ? 0 : (size_t)now;
    }
    return 0;
}
