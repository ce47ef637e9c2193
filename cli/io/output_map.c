/* output_map.c - files in memory that several threads write (see output.h).
 *
 * In tmpfs write() serves one thread at a time. Several threads can write to a mapping of the file.
 * Its pages are allocated first, so that a full file system is an error and no SIGBUS. If the size
 * is known before the work, a thread allocates them meanwhile. With 16 threads of a Xeon 98 MB took
 * 31 ms by write(); 8 to 15 ms to allocate and 5 ms to copy by threads. */
#define _GNU_SOURCE /* fallocate */

#include "cli/base/workers.h"
#include "cli/io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#define TMPFS 0x01021994 /* f_type of a file system in memory */

enum {
    MAP_LEAST = 32 << 20,   /* bytes that are worth a mapping; estimate             */
    RESERVE_LEAST = 4 << 20 /* and those that are allocated beforehand; estimate    */
};

struct output_reserved {
    pthread_t thread;
    int       fd, error;
    off_t     at;
    size_t    bytes;
};

static bool can_map(const output *out, size_t bytes, size_t least)
{
    struct statfs fs;
    return bytes >= least && out->replaces && out->pack == CODEC_NONE && workers_count() > 1 &&
           fstatfs(out->fd, &fs) == 0 && fs.f_type == TMPFS;
}

static void *allocate(void *user)
{
    output_reserved *const r = user;
    if (fallocate(r->fd, 0, r->at, (off_t)r->bytes) != 0)
        r->error = errno;
    return NULL;
}

void output_reserve(output *out, size_t bytes)
{
    sigset_t all, before;

    if (out->reserved != NULL || !can_map(out, bytes, RESERVE_LEAST))
        return;
    output_reserved *const r = malloc(sizeof *r);
    if (r == NULL)
        return;
    *r = (output_reserved){.fd = out->fd, .bytes = bytes};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&r->thread, NULL, allocate, r) == 0)
        out->reserved = r;
    else
        free(r);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int output_reserve_end(output *out)
{
    output_reserved *const r = out->reserved;

    if (r == NULL)
        return 0;
    pthread_join(r->thread, NULL);
    const int error = r->error;
    free(r);
    out->reserved = NULL;
    return error;
}

bool output_map(output *out, size_t bytes, output_mapping *map)
{
    const bool was_reserved = out->reserved != NULL;
    int        error = output_reserve_end(out);

    *map = (output_mapping){.to = NULL};
    if (!can_map(out, bytes, was_reserved ? RESERVE_LEAST : MAP_LEAST))
        return true;
    const off_t at = lseek(out->fd, 0, SEEK_CUR);
    const long  page = sysconf(_SC_PAGESIZE);
    if (at < 0 || page <= 0)
        return true;
    if (!was_reserved && fallocate(out->fd, 0, at, (off_t)bytes) != 0)
        error = errno;
    if (error == ENOSPC || error == EDQUOT || error == EFBIG)
        return output_trouble(out, error);
    if (error != 0)
        return true;
    const size_t before = (size_t)(at % page);
    char *const  base =
        mmap(NULL, before + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, out->fd, at - (off_t)before);
    if (base != MAP_FAILED) /* otherwise write() fills the file, which has the right size already */
        *map = (output_mapping){base + before, base, bytes, before + bytes};
    return true;
}

bool output_unmap(output *out, const output_mapping *map)
{
    (void)munmap(map->base, map->mapped);
    return lseek(out->fd, (off_t)map->bytes, SEEK_CUR) >= 0 || output_trouble(out, errno);
}
