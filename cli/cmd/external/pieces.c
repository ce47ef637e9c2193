/* pieces.c - steps of commands that sort lines and rows larger than memory (see pieces.h). */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/external/pieces.h"

#include "cli/io/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum {
    OWN_BYTES = 2 << 20 /* of a command without its input: threads, small buffers; estimate */
};

size_t pieces_sample(const char *path, char *sample)
{
    const int     fd = source_is_stdin(path) ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd >= 0 ? pread(fd, sample, PIECES_SAMPLE, 0) : -1;

    if (fd > STDIN_FILENO)
        close(fd);
    return got > 0 ? (size_t)got : 0;
}

uint64_t pieces_limit(uint64_t asked) { return asked != 0 ? asked : ordo_external_memory(); }

uint64_t pieces_own(const execution *e, const source *s)
{
    const uint64_t files = source_unpack_memory(e->paths, e->path_count);
    const uint64_t now = unpack_memory(s->codec);

    return OWN_BYTES + (files > now ? files : now) + pack_memory(e->out.pack);
}

uint64_t pieces_rest(uint64_t limit, uint64_t own)
{
    const uint64_t rest = limit > own ? (limit - own) / 8 * 7 : 0; /* memory in pieces is lost */
    return rest > EXTERNAL_LEAST ? rest : EXTERNAL_LEAST;
}

ordo_external_opts pieces_opts(const execution *e, uint64_t limit, uint64_t own)
{
    return ORDO_OPTS(ordo_external_opts, .memory = pieces_rest(limit, own),
                     .directories = e->o.directories.texts, .directory_count = e->o.directories.n,
                     .watch = external_watch);
}

bool pieces_called(execution *e, ordo_status status, bool told)
{
    return call_done(e, "sort", told ? ORDO_OK : status) && status == ORDO_OK;
}

bool pieces_finish(execution *e, bool ok, const ordo_external_report *report)
{
    if (!finish_output(e, ok))
        return false;
    external_explain(e, report);
    e->o.common.explain = e->o.common.json = false;
    return true;
}

const char *pieces_folder(const execution *e)
{
    return spool_folder(e->o.directories.n > 0 ? e->o.directories.texts[0] : NULL);
}

int pieces_temporary(const execution *e)
{
    const char *const folder = pieces_folder(e);
    const int         fd = spool_open(folder);

    if (fd < 0)
        cli_error("%s: cannot make a temporary file: %s", folder, strerror(errno));
    return fd;
}
