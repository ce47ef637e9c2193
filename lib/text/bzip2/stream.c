/* stream.c - the source and the sink of a call (see stream.h). */
#define _GNU_SOURCE
#include "text/bzip2/stream.h"

#include "external/disk/files.h"
#include "text/bzip2/format.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Memory ---- */

typedef struct bz_memory { /* as a source or as a sink */
    uint8_t *bytes;
    size_t   n, at;
} bz_memory;

static ptrdiff_t read_memory(void *user, void *into, size_t bytes)
{
    bz_memory *const m = user;
    size_t const     now = ordo_min(bytes, m->n - m->at);
    if (now > 0)
        memcpy(into, m->bytes + m->at, now);
    m->at += now;
    return (ptrdiff_t)now;
}

static ptrdiff_t write_memory(void *user, const void *from, size_t bytes)
{
    bz_memory *const m = user;
    if (bytes > m->n - m->at) {
        errno = ENOBUFS;
        return -1;
    }
    memcpy(m->bytes + m->at, from, bytes);
    m->at += bytes;
    return (ptrdiff_t)bytes;
}

ordo_status bz_check_arrays(ordo_exec *exec, const bz_arrays *a)
{
    TRY(api_check_array(exec, a->in, a->n, 1, "in"));
    TRY(api_check_array(exec, a->out, a->capacity, 1, "out"));
    return api_check_apart(exec, a->in, a->n, "in", a->out, a->capacity, "out");
}

ordo_status bz_in_memory(ordo_ctx *ctx, ordo_exec *exec, bz_stream_call *call, const void *in,
                         size_t n, void *out, size_t capacity, size_t *written,
                         const ordo_bz_opts *opts, ordo_bz_report *report)
{
    FAIL_IF(written == NULL, ORDO_E_ARG, "written is NULL; expected the address of a size_t");
    *written = 0;
    TRY(bz_check_arrays(exec, &(bz_arrays){in, n, out, capacity, written}));
    bz_memory         source = {.bytes = (uint8_t *)in, .n = n}; /* only read */
    bz_memory         sink = {.bytes = out, .n = capacity};
    ordo_source const from =
        ORDO_OPTS(ordo_source, .read = read_memory, .user = &source, .bytes = n, .name = "in");
    ordo_sink const to = ORDO_OPTS(ordo_sink, .write = write_memory, .user = &sink, .name = "out");
    TRY(call(ctx, exec, &from, &to, opts, report));
    *written = sink.at;
    return ORDO_OK;
}

/* ---- Arguments ---- */

static uint64_t bytes_ahead(const ordo_source *from)
{
    struct stat status;
    if (from->read != NULL)
        return from->bytes;
    off_t const at = lseek(from->fd, 0, SEEK_CUR);
    bool const  is_file = fstat(from->fd, &status) == 0 && S_ISREG(status.st_mode);
    return is_file && at >= 0 && status.st_size > at ? (uint64_t)(status.st_size - at) : 0;
}

ordo_status bz_options(ordo_exec *exec, const ordo_bz_opts *opts, ordo_bz_opts *out)
{
    TRY(api_opts_read(exec, out, sizeof *out, opts));
    FAIL_IF(out->reserved != 0, ORDO_E_VERSION, "opts.reserved is not 0; expected 0");
    FAIL_IF(out->level > 9, ORDO_E_ARG, "opts.level is %u; expected 1 to 9, or 0 for 9",
            (unsigned)out->level);
    out->level = out->level != 0 ? out->level : 9;
    out->struct_size = sizeof *out;
    return ORDO_OK;
}

ordo_status bz_stream_arguments(bz_stream *s, const ordo_source *from, const ordo_sink *to,
                                bool needs_sink, const ordo_bz_opts *opts, ordo_bz_report *report)
{
    ordo_exec *const exec = s->exec;
    FAIL_IF(from == NULL, ORDO_E_ARG, "from is NULL; expected a struct");
    FAIL_IF(to == NULL && needs_sink, ORDO_E_ARG, "to is NULL; expected a struct");
    TRY(bz_options(exec, opts, &s->opts));
    TRY(api_check_report(exec, report));
    s->wanted = report;
    TRY(api_read_struct(exec, &s->from, sizeof s->from, from, "from"));
    s->discards = to == NULL;
    if (to != NULL)
        TRY(api_read_struct(exec, &s->to, sizeof s->to, to, "to"));
    FAIL_IF(s->from.reserved != 0 || s->to.reserved != 0, ORDO_E_VERSION,
            "the field `reserved` of from or to is not 0; expected 0");
    s->from.name = s->from.name != NULL ? s->from.name : "the source";
    s->to.name = s->to.name != NULL ? s->to.name : "the sink";
    s->source_bytes = bytes_ahead(&s->from);
    return ORDO_OK;
}

unsigned bz_stream_workers(const bz_stream *s, size_t bytes_per_worker, size_t bytes_shared)
{
    size_t const limit = s->ctx->arena.limit;
    size_t       workers = s->exec->threads;
    if (limit != 0)
        workers = ordo_min(workers, (limit - ordo_min(limit, bytes_shared)) / bytes_per_worker);
    /* No more threads than blocks. */
    if (s->source_bytes != 0)
        workers = ordo_min(workers, (size_t)(s->source_bytes / (BZ_LEVEL_BYTES / 8)) + 1);
    return (unsigned)ordo_max(workers, 1);
}

/* ---- Bytes ---- */

bool bz_stream_read(bz_stream *s, uint8_t *into, size_t bytes, size_t *got)
{
    *got = 0;
    if (s->from.read == NULL) {
        if (!read_fully(s->from.fd, s->from.name, into, bytes, got, &s->failure))
            return false;
    } else {
        while (*got < bytes && !failure_seen(&s->failure)) {
            ptrdiff_t const now = s->from.read(s->from.user, into + *got, bytes - *got);
            if (now == 0)
                break;
            if (now < 0 || (size_t)now > bytes - *got)
                return failure_record_errno(&s->failure, now < 0 ? errno : EINVAL,
                                            "reading %s failed", s->from.name);
            *got += (size_t)now;
        }
    }
    atomic_fetch_add(&s->used, *got);
    return !failure_seen(&s->failure);
}

bool bz_stream_write(bz_stream *s, const uint8_t *from, size_t bytes)
{
    s->report.out += bytes;
    if (s->discards)
        return true;
    if (s->to.write == NULL)
        return write_fully(s->to.fd, s->to.name, from, bytes, &s->failure);
    for (size_t done = 0; done < bytes;) {
        ptrdiff_t const now = s->to.write(s->to.user, from + done, bytes - done);
        if (now < 0 && s->to.write == write_memory)
            return failure_record(&s->failure, ORDO_E_ARG,
                                  "capacity is too small: the result has more than %zu bytes",
                                  ((bz_memory *)s->to.user)->n);
        if (now <= 0 || (size_t)now > bytes - done)
            return failure_record_errno(&s->failure, now < 0 ? errno : EINVAL, "writing %s failed",
                                        s->to.name);
        done += (size_t)now;
    }
    return true;
}

double bz_stream_share(void *stream)
{
    bz_stream *const s = stream;
    uint64_t const   used = atomic_load(&s->used);
    return s->source_bytes > 0 && used < s->source_bytes ? (double)used / (double)s->source_bytes
                                                         : (s->source_bytes > 0 ? 1 : 0);
}

ordo_status bz_stream_end(bz_stream *s)
{
    ordo_status const status = (ordo_status)atomic_load(&s->failure.status);
    if (status == ORDO_E_CANCELLED)
        return status;
    if (status != ORDO_OK)
        return ordo_fail(s->exec, status, "%s", s->failure.text);
    s->report.in = atomic_load(&s->used);
    if (s->wanted == NULL)
        return ORDO_OK;
    return api_copy_out(s->exec, s->wanted, &s->report, sizeof s->report);
}
