/* files.c - reads and writes of whole pieces. Repeats calls that a signal interrupted or that did
 * only a part. Pieces are at most MOST_BYTES, so that a failure elsewhere ends the work soon. */
#define _GNU_SOURCE
#include "external/files.h"

#include <errno.h>
#include <unistd.h>

enum {
    MOST_BYTES = 8 << 20
};

bool read_fully(int fd, const char *name, void *into, size_t bytes, size_t *got, trouble *t)
{
    *got = 0;
    while (*got < bytes && !trouble_is(t)) {
        ssize_t const now = read(fd, (char *)into + *got, ordo_min(bytes - *got, MOST_BYTES));
        if (now == 0)
            return true;
        if (now < 0 && errno != EINTR)
            return trouble_errno(t, errno, "reading %s failed", name);
        *got += now < 0 ? 0 : (size_t)now;
    }
    return !trouble_is(t);
}

bool read_at(int fd, const char *name, void *into, size_t bytes, uint64_t offset, trouble *t)
{
    size_t done = 0;
    while (done < bytes && !trouble_is(t)) {
        ssize_t const now = pread(fd, (char *)into + done, ordo_min(bytes - done, MOST_BYTES),
                                  (off_t)(offset + done));
        if (now == 0)
            return trouble_set(t, ORDO_E_IO, "%s ends at byte %llu; expected %llu bytes more", name,
                               (unsigned long long)(offset + done),
                               (unsigned long long)(bytes - done));
        if (now < 0 && errno != EINTR)
            return trouble_errno(t, errno, "reading %s at byte %llu failed", name,
                                 (unsigned long long)(offset + done));
        done += now < 0 ? 0 : (size_t)now;
    }
    return !trouble_is(t);
}

bool write_fully(int fd, const char *name, const void *from, size_t bytes, trouble *t)
{
    for (size_t done = 0; done < bytes && !trouble_is(t);) {
        ssize_t const now =
            write(fd, (const char *)from + done, ordo_min(bytes - done, MOST_BYTES));
        if (now < 0 && errno != EINTR)
            return trouble_errno(t, errno, "writing %s failed", name);
        done += now < 0 ? 0 : (size_t)now;
    }
    return !trouble_is(t);
}

bool write_at(int fd, const char *name, const void *from, size_t bytes, uint64_t offset, trouble *t)
{
    for (size_t done = 0; done < bytes && !trouble_is(t);) {
        ssize_t const now = pwrite(fd, (const char *)from + done,
                                   ordo_min(bytes - done, MOST_BYTES), (off_t)(offset + done));
        if (now < 0 && errno != EINTR)
            return trouble_errno(t, errno, "writing %s at byte %llu failed", name,
                                 (unsigned long long)(offset + done));
        done += now < 0 ? 0 : (size_t)now;
    }
    return !trouble_is(t);
}
