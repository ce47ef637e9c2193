/* pieces.c - steps of commands that sort lines and rows larger than memory (see pieces.h). */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/external/pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    OWN_BYTES = 2 << 20 /* of a command without its input: threads, small buffers; estimate */
};

static bool is_stdin(const char *path) { return path == NULL || strcmp(path, "-") == 0; }

size_t pieces_sample(const char *path, char *sample)
{
    const int     fd = is_stdin(path) ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
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

bool pieces_end(execution *e, ordo_status status, bool told, const ordo_external_report *report)
{
    const bool ok = call_end(told ? ORDO_OK : status) && status == ORDO_OK;

    timing_mark(&e->t, "sort");
    if (!finish_output(e, ok) || !ok)
        return false;
    external_explain(e, report);
    e->o.common.explain = e->o.common.json = false;
    return true;
}

int pieces_temporary(const execution *e)
{
    const char *const named = getenv("TMPDIR");
    const char *const folder = e->o.directories.n > 0              ? e->o.directories.texts[0]
                               : named != NULL && named[0] != '\0' ? named
                                                                   : "/var/tmp";
    static const char name[] = "/ordo-XXXXXX";
    char *const       path = cli_alloc(strlen(folder) + sizeof name, 1, "the name of a directory");

    if (path == NULL)
        return -1;
    memcpy(path, folder, strlen(folder));
    memcpy(path + strlen(folder), name, sizeof name);
    signals_hold(true);
    const int fd = mkstemp(path);
    if (fd >= 0)
        unlink(path);
    signals_hold(false);
    if (fd < 0)
        cli_error("%s: cannot make a temporary file: %s", folder, strerror(errno));
    free(path);
    return fd;
}
