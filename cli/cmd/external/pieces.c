/* pieces.c - steps of commands that sort lines and rows larger than memory (see external.h). */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/external/external.h"
#include "cli/io/tempfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* ---- --explain, --json and the progress of work on data larger than memory ---- */

static double rate(uint64_t bytes, double seconds)
{
    return seconds > 0 ? (double)bytes / seconds * 1e-9 : 0;
}

/* The thread of a phase that waited least. */
static const char *bound_of(const ordo_external_step *s)
{
    if (s->work_busy >= s->read_busy && s->work_busy >= s->write_busy)
        return "computing";
    return s->read_busy >= s->write_busy ? "reading" : "writing";
}

static size_t steps_of(const ordo_external_report *r)
{
    return r->steps < ORDO_EXTERNAL_STEPS ? (size_t)r->steps : ORDO_EXTERNAL_STEPS;
}

static double packed_ratio(const ordo_external_report *r)
{
    return r->unpacked > 0 ? (double)r->packed / (double)r->unpacked : 0;
}

static void print_text(const char *verb, const ordo_external_report *r)
{
    fprintf(stderr, "operation  external %s\nmemory     %llu bytes\nn          %llu\n", verb,
            (unsigned long long)r->memory, (unsigned long long)r->n);
    fprintf(stderr, "runs       %llu%s\n", (unsigned long long)r->runs,
            r->spilled == 0 && r->runs == 0 ? " (no temporary files)" : "");
    if (r->spilled > 0 || r->runs > 0)
        fprintf(stderr, "temporary  %llu bytes, levels %llu, ranges %llu\n",
                (unsigned long long)r->spilled, (unsigned long long)r->levels,
                (unsigned long long)r->ranges);
    if (packed_ratio(r) > 0)
        fprintf(stderr, "packed     %.3f of the size of the elements\n", packed_ratio(r));
    if (r->passes > 0)
        fprintf(stderr, "passes     %llu\n", (unsigned long long)r->passes);
    fprintf(stderr, "read       %llu bytes\nwritten    %llu bytes\n", (unsigned long long)r->read,
            (unsigned long long)r->written);
    for (size_t i = 0; i < steps_of(r); i++) {
        const ordo_external_step *const s = &r->step[i];
        fprintf(stderr, "phase      %s: %.3f s, read %.2f GB/s, written %.2f GB/s, bound by %s\n",
                s->name, s->seconds, rate(s->read, s->seconds), rate(s->written, s->seconds),
                bound_of(s));
    }
}

static void print_json(const char *verb, const ordo_external_report *r)
{
    fputc('{', stderr);
    json_field(stderr, "operation", "external");
    json_field(stderr, "verb", verb);
    fprintf(stderr,
            "\"memory\": %llu, \"n\": %llu, \"runs\": %llu, \"levels\": %llu, \"ranges\": %llu, "
            "\"passes\": %llu, \"spilled\": %llu, \"packed\": %.6f, \"read\": %llu, \"written\": "
            "%llu, \"phases\": [",
            (unsigned long long)r->memory, (unsigned long long)r->n, (unsigned long long)r->runs,
            (unsigned long long)r->levels, (unsigned long long)r->ranges,
            (unsigned long long)r->passes, (unsigned long long)r->spilled, packed_ratio(r),
            (unsigned long long)r->read, (unsigned long long)r->written);
    for (size_t i = 0; i < steps_of(r); i++) {
        const ordo_external_step *const s = &r->step[i];
        fprintf(stderr, "%s{", i > 0 ? ", " : "");
        json_field(stderr, "name", s->name);
        json_field(stderr, "bound", bound_of(s));
        fprintf(stderr,
                "\"seconds\": %.6f, \"read_busy\": %.6f, \"work_busy\": %.6f, \"write_busy\": "
                "%.6f, \"read\": %llu, \"written\": %llu}",
                s->seconds, s->read_busy, s->work_busy, s->write_busy, (unsigned long long)s->read,
                (unsigned long long)s->written);
    }
    fputs("]}\n", stderr);
}

static void external_explain(const execution *e, const ordo_external_report *r)
{
    progress_command(NULL); /* the work is done */
    if (e->o.common.explain)
        print_text(e->command->name, r);
    if (e->o.common.json)
        print_json(e->command->name, r);
}

static void external_watch(void *user, const ordo_external_phase *phase)
{
    external_input *const in = user;
    const uint64_t        read = in != NULL ? atomic_load(&in->text_read) : 0;

    if (in != NULL && phase->all == 0 && read < in->text_bytes)
        progress_bytes(phase->name, read, in->text_bytes, phase->seconds);
    else
        progress_bytes(phase->name, phase->done, phase->all, phase->seconds);
}

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

int pieces_copy(const execution *e, source *s)
{
    const int fd = pieces_temporary(e);
    char      piece[1 << 16];
    size_t    got = 1;
    bool      ok = fd >= 0;

    while (ok && got > 0)
        ok = source_read(s, piece, sizeof piece, &got) &&
             (spool_write(fd, piece, got) ||
              cli_fail("%s: cannot copy it to a temporary file: %s", s->name, strerror(errno)));
    if (!ok && fd >= 0)
        close(fd);
    return ok ? fd : -1;
}
