/* slices_write.c - writes the parts of the ranks to one file (see slices.h).
 *
 * Every rank writes at its own offset with pwrite. The file gets a temporary name beside its place,
 * is synced by every rank, and is renamed by rank 0 when all ranks have succeeded. */
#define _XOPEN_SOURCE 700 /* POSIX and realpath */
#include "cli/io/npy.h"
#include "cli/io/number/number.h"
#include "external/disk/crc32c.h"
#include "mpi/fault.h"
#include "mpi/slices.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    PIECE = 64 << 20,     /* bytes of a write */
    ROOM_FOR_PATH = 4096, /* PATH_MAX of Linux */
    MOST_TRIES = 10 /* names of an unfinished file: a sweep can remove one before it is locked */
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

/* Whether a new file may take the place of `path`: there is none, or a regular file. Sets *mode to
 * its permissions, or to those of a new file. */
static bool is_replaceable(const char *path, mode_t *mode)
{
    struct stat  old;
    bool const   exists = stat(path, &old) == 0;
    mode_t const mask = umask(0);
    umask(mask);
    *mode = exists ? old.st_mode & 0777 : 0666 & ~mask;
    return !exists || S_ISREG(old.st_mode);
}

/* The file that a new one replaces: the target of a symbolic link, in `room`, or `path`. */
static const char *replaced_file(const char *path, char room[ROOM_FOR_PATH])
{
    struct stat status;
    bool const  link = lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
    return link && realpath(path, room) != NULL ? room : path;
}

/* ---- The unfinished file ---- */

uint64_t new_id(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec) * UINT64_C(0x9e3779b97f4a7c15) ^
           (uint64_t)getpid();
}

static uint32_t this_machine(void)
{
    char name[256] = "";
    (void)gethostname(name, sizeof name - 1);
    return crc32c(name, strlen(name));
}

static bool name_unfinished(char *name, size_t room, const char *output, uint32_t machine,
                            uint64_t id)
{
    int const length =
        snprintf(name, room, "%s.ordo-mpi-%08" PRIx32 "-%016" PRIx64, output, machine, id);
    return length > 0 && (size_t)length < room;
}

/* Removes the unfinished files of dead jobs: those of this machine, and those with the id. */
static void sweep(const char *output, uint64_t id)
{
    const char *const slash = strrchr(output, '/');
    size_t const      folder = slash != NULL ? (size_t)(slash + 1 - output) : 0;
    size_t const      length = strlen(output) - folder;
    char              path[ROOM_FOR_PATH];
    snprintf(path, sizeof path, "%.*s", (int)folder, folder > 0 ? output : "");
    DIR *const     files = opendir(folder > 0 ? path : ".");
    uint32_t const here = this_machine();
    for (const struct dirent *file; files != NULL && (file = readdir(files)) != NULL;) {
        const char *const name = file->d_name;
        uint32_t          machine;
        uint64_t          of_file;
        if (strncmp(name, output + folder, length) == 0 &&
            sscanf(name + length, ".ordo-mpi-%" SCNx32 "-%" SCNx64, &machine, &of_file) == 2 &&
            (machine == here || (id != 0 && of_file == id)) &&
            name_unfinished(path, sizeof path, output, machine, of_file) &&
            strcmp(path + folder, name) == 0)
            temp_remove_dead(path);
    }
    if (files != NULL)
        closedir(files);
}

/* The first rank on each machine removes the files of that machine. */
static void sweep_machines(MPI_Comm comm, const char *output, uint64_t id)
{
    MPI_Comm machine;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    if (is_first(machine))
        sweep(output, is_first(comm) ? id : 0);
    MPI_Comm_free(&machine);
}

/* On rank 0: creates the file beside the output, so that it can be renamed. */
static bool create_unfinished(const char *output, uint64_t id, mode_t mode, slice_file *out)
{
    bool fine = false;
    errno = EEXIST;
    for (int i = 0; !fine && errno == EEXIST && i < MOST_TRIES; i++) {
        errno = ENAMETOOLONG;
        fine = name_unfinished(out->name, sizeof out->name, output, this_machine(),
                               id != 0 ? id : new_id()) &&
               temp_create_as(&out->temp, out->name, mode);
    }
    if (fine && fchmod(out->temp.fd, mode) != 0) {
        int const saved = errno;
        temp_drop(&out->temp);
        errno = saved;
        fine = false;
    }
    return fine;
}

/* Rank 0 creates the file, and all ranks learn its name. */
static bool create(MPI_Comm comm, const slice_target *target, slice_file *out)
{
    char              real[ROOM_FOR_PATH];
    const char *const output = replaced_file(target->path, real);
    mode_t            mode = 0644;
    bool              fine = !is_first(comm) || is_replaceable(target->path, &mode);
    out->name[0] = 0;
    if (!all_fine(comm, fine, "%s: is not a regular file; expected the name of a file",
                  target->path))
        return false;
    sweep_machines(comm, output, target->id);
    fine = !is_first(comm) || create_unfinished(output, target->id, mode, out);
    if (!all_fine(comm, fine, "%s: cannot create a file beside it: %s", target->path,
                  strerror(errno)))
        return false;
    MPI_Bcast(out->name, (int)sizeof out->name, MPI_CHAR, 0, comm);
    return true;
}

bool slice_begin(MPI_Comm comm, const slice_target *target, const char *head, uint64_t head_bytes,
                 uint64_t bytes, slice_file *out)
{
    uint64_t before = 0;
    out->temp = (tempfile){.fd = -1};
    if (!create(comm, target, out))
        return false;
    MPI_Exscan(&bytes, &before, 1, MPI_UINT64_T, MPI_SUM, comm);
    out->at = head_bytes + (is_first(comm) ? 0 : before);
    out->fd = is_first(comm) ? out->temp.fd : open(out->name, O_WRONLY | O_CLOEXEC);
    bool const opened = out->fd >= 0 && (!is_first(comm) || write_at(out->fd, head, head_bytes, 0));
    return all_fine(comm, opened, "%s: cannot write: %s", target->path, strerror(errno)) ||
           slice_end(comm, target, out, false, true);
}

bool slice_end(MPI_Comm comm, const slice_target *target, slice_file *file, bool fine, bool told)
{
    fine = fine && fsync(file->fd) == 0;
    int const saved = errno;
    if (file->fd >= 0 && !is_first(comm)) /* that of rank 0 stays locked until it is renamed */
        fine = close(file->fd) == 0 && fine;
    if (!told)
        fine = all_fine(comm, fine, "%s: cannot write: %s", target->path, strerror(saved));
    fault_point(comm, "written", 0);
    char       real[ROOM_FOR_PATH];
    bool const renamed =
        !fine || !is_first(comm) || temp_rename(&file->temp, replaced_file(target->path, real));
    fine = all_fine(comm, renamed, "%s: cannot rename the new file: %s", target->path,
                    strerror(errno)) &&
           fine;
    temp_drop(&file->temp);
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
