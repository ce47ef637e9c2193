/* external.c - `ordo-mpi sort -S`: each rank reads its part of the file in chunks and writes its
 * part of the result in rounds, so neither must fit its memory. */
#define _POSIX_C_SOURCE 200809L
#include "cli/io/npy.h"
#include "mpi/job.h"
#include "ordo_dist_external.h"

#include <errno.h>
#include <unistd.h>

typedef struct place { /* in a file */
    int      fd;
    uint64_t at, end;
} place;

static ptrdiff_t read_part(void *user, void *into, size_t bytes)
{
    place *const   p = user;
    uint64_t const rest = p->end - p->at;
    size_t const   now = rest < bytes ? (size_t)rest : bytes;
    if (!read_at(p->fd, into, now, p->at)) {
        if (errno == 0) /* the file became shorter */
            errno = EIO;
        return -1;
    }
    p->at += now;
    return (ptrdiff_t)now;
}

static ptrdiff_t write_part(void *user, const void *from, size_t bytes)
{
    place *const p = user;
    if (!write_at(p->fd, from, bytes, p->at))
        return -1;
    p->at += bytes;
    return (ptrdiff_t)bytes;
}

static bool sort_to(job *j, const slice_file *file, uint64_t bytes)
{
    slice *const        in = &j->in;
    const wishes *const w = &j->w;
    place               read = {in->fd, in->from, in->from + bytes};
    place               written = {file->fd, file->at, file->at + bytes};
    ordo_elements const elements = ORDO_OPTS(ordo_elements, .type = (uint32_t)in->type,
                                             .size = in->record_size, .key_offset = w->key_offset);
    ordo_source const   from =
        ORDO_OPTS(ordo_source, .read = read_part, .user = &read, .bytes = bytes, .name = w->input);
    ordo_sink const to =
        ORDO_OPTS(ordo_sink, .write = write_part, .user = &written, .name = w->output);
    ordo_external_opts const opts = ORDO_OPTS(
        ordo_external_opts, .flags = w->descending ? ORDO_DESCENDING : 0, .memory = w->memory,
        .directories = w->directories, .directory_count = w->directory_count);
    return succeeded(
        j, ordo_dist_external_sort(j->ctx, &j->comm, &elements, &from, &to, &opts, &j->report));
}

bool sort_external(job *j)
{
    slice *const       in = &j->in;
    size_t const       size = in->record_size != 0 ? in->record_size : ordo_type_size(in->type);
    slice_target const target = {j->w.output, format_of_output(&j->w, false), in->type, size, 0};
    char               head[NPY_HEADER_MAX];
    uint64_t           all = in->n, head_bytes = 0;
    slice_file         file;
    if (!all_fine(j->world, target.format != FORMAT_TEXT,
                  "%s is a text file by its name; -S writes npy and raw files", j->w.output))
        return false;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_UINT64_T, MPI_SUM, j->world);
    if (target.format != FORMAT_RAW)
        head_bytes = npy_write_header(in->type, (size_t)all, head);
    uint64_t const bytes = (uint64_t)in->n * size;
    bool           fine = slice_begin(j->world, &target, head, head_bytes, bytes, &file);
    if (fine) {
        fine = sort_to(j, &file, bytes);
        fine = slice_end(j->world, &target, &file, fine, !fine);
    }
    return fine;
}
