/* slices_write.c - writes the parts of the ranks to one file (see slices.h).
 *
 * Every rank writes at its own offset with pwrite. The file gets a temporary name beside its place,
 * is synced by every rank, and is renamed by rank 0 when all ranks have succeeded. */
#define _POSIX_C_SOURCE 200809L
#include "cli/io/npy.h"
#include "cli/io/text/number.h"
#include "mpi/fault.h"
#include "mpi/slices.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PIECE = 64 << 20 /* bytes of a write */
};

static bool is_first(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    return rank == 0;
}

bool write_at(int fd, const void *data, uint64_t bytes, uint64_t at)
{
    const char *from = data;
    while (bytes > 0) {
        ssize_t const now = pwrite(fd, from, bytes < PIECE ? (size_t)bytes : PIECE, (off_t)at);
        if (now < 0 && errno == EINTR)
            continue;
        if (now <= 0)
            return false;
        from += now;
        at += (uint64_t)now;
        bytes -= (uint64_t)now;
    }
    return true;
}

/* Lines of numbers; NULL without memory. */
static char *print_lines(ordo_type type, const char *elements, size_t n, uint64_t *bytes)
{
    size_t const size = ordo_type_size(type);
    char *const  text = malloc(n * (NUMBER_TEXT_MAX + 1) + 1);
    size_t       length = 0;
    for (size_t i = 0; text != NULL && i < n; i++) {
        length += number_format(type, elements + i * size, text + length);
        text[length++] = '\n';
    }
    *bytes = length;
    return text;
}

/* The name of the new file, made by rank 0: beside the output, so that it can be renamed. */
static bool create(MPI_Comm comm, const slice_target *target, char *name, size_t room)
{
    const char *const suffix = target->suffix;
    bool              fine = true;
    name[0] = 0;
    if (is_first(comm)) {
        int const length = snprintf(name, room, "%s.ordo-mpi-%s", target->path,
                                    suffix != NULL ? suffix : "XXXXXX");
        int       fd = -1;
        errno = ENAMETOOLONG;
        if (length > 0 && (size_t)length < room)
            fd = suffix == NULL ? mkstemp(name)
                                : open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        fine = fd >= 0 && fchmod(fd, 0644) == 0 && close(fd) == 0;
    }
    if (!all_fine(comm, fine, "%s: cannot create a file beside it: %s", target->path,
                  strerror(errno)))
        return false;
    MPI_Bcast(name, (int)room, MPI_CHAR, 0, comm);
    return true;
}

/* Writes `head` (rank 0) and this rank's bytes at its offset. */
static bool write_parts(MPI_Comm comm, const char *name, const char *head, uint64_t head_bytes,
                        const char *data, uint64_t bytes)
{
    uint64_t at = 0;
    MPI_Exscan(&bytes, &at, 1, MPI_UINT64_T, MPI_SUM, comm);
    if (is_first(comm))
        at = 0;
    int const fd = open(name, O_WRONLY | O_CLOEXEC);
    bool      fine = fd >= 0 && write_at(fd, data, bytes, head_bytes + at);
    if (fine && is_first(comm))
        fine = write_at(fd, head, head_bytes, 0);
    fine = fine && fsync(fd) == 0;
    int const saved = errno;
    if (fd >= 0)
        fine = close(fd) == 0 && fine;
    return all_fine(comm, fine, "%s: cannot write: %s", name, strerror(saved));
}

bool slice_write_bytes(MPI_Comm comm, const slice_target *target, const char *head,
                       uint64_t head_bytes, const char *data, uint64_t bytes)
{
    char name[4096];
    if (!create(comm, target, name, sizeof name))
        return false;
    bool fine = write_parts(comm, name, head, head_bytes, data, bytes);
    fault_point(comm, "written", 0);
    bool const renamed = !fine || !is_first(comm) || rename(name, target->path) == 0;
    fine = all_fine(comm, renamed, "%s: cannot rename the new file: %s", target->path,
                    strerror(errno)) &&
           fine;
    if (!fine && is_first(comm))
        unlink(name);
    return fine;
}

bool slice_write(MPI_Comm comm, const slice_target *target, const void *elements, size_t n)
{
    char        head[NPY_HEADER_MAX];
    uint64_t    bytes = (uint64_t)n * target->size, all = n, head_bytes = 0;
    char       *text = NULL;
    const char *data = elements;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_UINT64_T, MPI_SUM, comm);
    if (target->format == FORMAT_TEXT)
        data = text = print_lines(target->type, elements, n, &bytes);
    else if (target->format != FORMAT_RAW)
        head_bytes = npy_write_header(target->type, (size_t)all, head);
    bool const fine = all_fine(comm, data != NULL, "no memory for the text of %zu results", n) &&
                      slice_write_bytes(comm, target, head, head_bytes, data, bytes);
    free(text);
    return fine;
}
