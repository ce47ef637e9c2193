/* slices_write.c - writes the parts of the ranks to one file (see slices.h).
 *
 * Every rank writes at its own offset with pwrite. The file gets a temporary name beside its place,
 * is synced by every rank, and is renamed by rank 0 when all ranks have succeeded. */
#define _XOPEN_SOURCE 700 /* POSIX and realpath */
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

bool is_replaceable(const char *path, mode_t *mode)
{
    struct stat old;
    bool const  exists = stat(path, &old) == 0;
    *mode = exists ? old.st_mode & 0777 : 0644;
    return !exists || S_ISREG(old.st_mode);
}

const char *replaced_file(const char *path, char room[ROOM_FOR_PATH])
{
    struct stat status;
    bool const  link = lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
    return link && realpath(path, room) != NULL ? room : path;
}

/* The name of the new file, made by rank 0: beside the output, so that it can be renamed. */
static bool create(MPI_Comm comm, const slice_target *target, char *name, size_t room)
{
    const char *const suffix = target->suffix;
    mode_t            mode = 0644;
    bool              fine = !is_first(comm) || is_replaceable(target->path, &mode);
    name[0] = 0;
    if (!all_fine(comm, fine, "%s: is not a regular file; expected the name of a file",
                  target->path))
        return false;
    if (is_first(comm)) {
        char      real[ROOM_FOR_PATH];
        int const length = snprintf(name, room, "%s.ordo-mpi-%s", replaced_file(target->path, real),
                                    suffix != NULL ? suffix : "XXXXXX");
        int       fd = -1;
        errno = ENAMETOOLONG;
        if (length > 0 && (size_t)length < room)
            fd = suffix == NULL ? mkstemp(name)
                                : open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        fine = fd >= 0 && fchmod(fd, mode) == 0 && close(fd) == 0;
        int const saved = errno;
        if (!fine && fd >= 0)
            unlink(name);
        errno = saved;
    }
    if (!all_fine(comm, fine, "%s: cannot create a file beside it: %s", target->path,
                  strerror(errno)))
        return false;
    MPI_Bcast(name, (int)room, MPI_CHAR, 0, comm);
    return true;
}

bool slice_begin(MPI_Comm comm, const slice_target *target, const char *head, uint64_t head_bytes,
                 uint64_t bytes, slice_file *out)
{
    uint64_t before = 0;
    out->fd = -1;
    if (!create(comm, target, out->name, sizeof out->name))
        return false;
    MPI_Exscan(&bytes, &before, 1, MPI_UINT64_T, MPI_SUM, comm);
    out->at = head_bytes + (is_first(comm) ? 0 : before);
    out->fd = open(out->name, O_WRONLY | O_CLOEXEC);
    bool const opened = out->fd >= 0 && (!is_first(comm) || write_at(out->fd, head, head_bytes, 0));
    return all_fine(comm, opened, "%s: cannot write: %s", target->path, strerror(errno)) ||
           slice_end(comm, target, out, false, true);
}

bool slice_end(MPI_Comm comm, const slice_target *target, slice_file *file, bool fine, bool told)
{
    fine = fine && fsync(file->fd) == 0;
    int const saved = errno;
    if (file->fd >= 0)
        fine = close(file->fd) == 0 && fine;
    if (!told)
        fine = all_fine(comm, fine, "%s: cannot write: %s", target->path, strerror(saved));
    fault_point(comm, "written", 0);
    char       real[ROOM_FOR_PATH];
    bool const renamed =
        !fine || !is_first(comm) || rename(file->name, replaced_file(target->path, real)) == 0;
    fine = all_fine(comm, renamed, "%s: cannot rename the new file: %s", target->path,
                    strerror(errno)) &&
           fine;
    if (!fine && is_first(comm))
        unlink(file->name);
    return fine;
}

bool slice_write_bytes(MPI_Comm comm, const slice_target *target, const char *head,
                       uint64_t head_bytes, const char *data, uint64_t bytes)
{
    slice_file file;
    return slice_begin(comm, target, head, head_bytes, bytes, &file) &&
           slice_end(comm, target, &file, write_at(file.fd, data, bytes, file.at), false);
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
