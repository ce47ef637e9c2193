/* writer.c - ordo_bz_writer: data that come in pieces, compressed to one stream.
 *
 * Pieces wait in memory until they fill two blocks for each thread; then all threads compress them
 * (compress.c). The block at the end, which is not full, waits for the next piece. */
#define _GNU_SOURCE
#include "text/bzip2/encode/compress.h"

#include "text/bzip2/encode/batch.h"

#include <string.h>

enum {
    BLOCKS_PER_THREAD = 2, /* of blocks that take longer than others, no thread gets two */
    LIMIT_SHARE = 8        /* pieces take at most this part of a limit of memory */
};

typedef enum writer_state {
    WRITER_OPEN,
    WRITER_ENDED,
    WRITER_FAILED
} writer_state;

struct ordo_bz_writer {
    ordo_alloc     source;
    ordo_bz_opts   opts;
    bz_carry       carry;
    uint8_t       *waiting;
    size_t         n, room;
    ordo_bz_report report;
    writer_state   state;
};

static size_t waiting_room(const ordo_ctx *ctx, size_t block)
{
    size_t const limit = ctx->arena.limit;
    size_t const device = ctx->plan.where == ORDO_CUDA ? bz_batches_most() : 0;
    size_t const all = block * ordo_max(BLOCKS_PER_THREAD * (size_t)ctx->exec.threads, device);
    return limit == 0 ? all : ordo_min(all, ordo_max(limit / LIMIT_SHARE, block));
}

static ordo_status open_writer(ordo_ctx *ctx, ordo_exec *exec, const ordo_bz_opts *opts,
                               ordo_bz_writer **out)
{
    const ordo_alloc *const source = &ctx->source;
    ordo_bz_writer          w = {.source = *source};
    FAIL_IF(out == NULL, ORDO_E_ARG, "out is NULL; expected the address of a pointer");
    *out = NULL;
    TRY(bz_options(exec, opts, &w.opts));
    size_t const block = (size_t)w.opts.level * BZ_LEVEL_BYTES;
    w.room = waiting_room(ctx, block);
    w.report = (ordo_bz_report){.struct_size = sizeof w.report, .streams = 1};
    size_t const          bytes = sizeof w + block + w.room;
    ordo_bz_writer *const made = source->alloc(source->user, bytes);
    FAIL_IF(made == NULL, ORDO_E_NOMEM, "the system refused %zu bytes for a writer", bytes);
    w.carry.text = (uint8_t *)(made + 1);
    w.waiting = w.carry.text + block;
    *made = w;
    *out = made;
    return ORDO_OK;
}

typedef struct two_pieces { /* as a source */
    const uint8_t *bytes[2];
    size_t         n[2];
} two_pieces;

static ptrdiff_t read_pieces(void *user, void *into, size_t bytes)
{
    two_pieces *const p = user;
    unsigned const    which = p->n[0] == 0;
    size_t const      now = ordo_min(bytes, p->n[which]);
    if (now == 0)
        return 0;
    memcpy(into, p->bytes[which], now);
    p->bytes[which] += now;
    p->n[which] -= now;
    return (ptrdiff_t)now;
}

static ordo_status run_writer(ordo_ctx *ctx, ordo_exec *exec, ordo_bz_writer *w, const void *in,
                              size_t n, const ordo_sink *to)
{
    two_pieces        pieces = {{w->waiting, in}, {w->n, n}};
    ordo_bz_report    report = {.struct_size = sizeof report};
    ordo_source const from = ORDO_OPTS(ordo_source, .read = read_pieces, .user = &pieces,
                                       .bytes = w->n + n, .name = "in");
    w->state = WRITER_FAILED;
    TRY(bz_compress_part(ctx, exec, &from, to, &w->opts, &report, &w->carry));
    w->state = WRITER_OPEN;
    w->n = 0;
    w->report.in += report.in;
    w->report.out += report.out;
    w->report.blocks += report.blocks;
    w->report.batch = ordo_max(w->report.batch, report.batch);
    return ORDO_OK;
}

static ordo_status check_writer(ordo_exec *exec, const ordo_bz_writer *w, const ordo_sink *to)
{
    FAIL_IF(w == NULL, ORDO_E_ARG, "writer is NULL; expected one of ordo_bz_writer_open");
    FAIL_IF(to == NULL, ORDO_E_ARG, "to is NULL; expected a struct");
    FAIL_IF(w->state == WRITER_ENDED, ORDO_E_ARG, "the stream of the writer has ended");
    FAIL_IF(w->state == WRITER_FAILED, ORDO_E_ARG,
            "an earlier call with this writer failed; expected a new writer");
    return ORDO_OK;
}

static ordo_status add_piece(ordo_ctx *ctx, ordo_exec *exec, ordo_bz_writer *w, const void *in,
                             size_t n, const ordo_sink *to)
{
    TRY(check_writer(exec, w, to));
    TRY(api_check_array(exec, in, n, 1, "in"));
    if (n >= w->room - w->n)
        return run_writer(ctx, exec, w, in, n, to);
    if (n > 0)
        memcpy(w->waiting + w->n, in, n);
    w->n += n;
    return ORDO_OK;
}

static ordo_status end_writer(ordo_ctx *ctx, ordo_exec *exec, ordo_bz_writer *w,
                              const ordo_sink *to, ordo_bz_report *report)
{
    TRY(check_writer(exec, w, to));
    TRY(api_check_report(exec, report));
    w->carry.ends = true;
    TRY(run_writer(ctx, exec, w, NULL, 0, to));
    w->state = WRITER_ENDED;
    return report != NULL ? api_copy_out(exec, report, &w->report, sizeof w->report) : ORDO_OK;
}

ordo_status ordo_bz_writer_open(ordo_ctx *ctx, const ordo_bz_opts *opts, ordo_bz_writer **out)
{
    API_CALL("bz_writer_open", (ordo_type)0, 0, open_writer(ctx, exec, opts, out));
}

ordo_status ordo_bz_writer_add(ordo_ctx *ctx, ordo_bz_writer *writer, const void *in, size_t n,
                               const ordo_sink *to)
{
    API_CALL("bz_writer_add", (ordo_type)0, n, add_piece(ctx, exec, writer, in, n, to));
}

ordo_status ordo_bz_writer_end(ordo_ctx *ctx, ordo_bz_writer *writer, const ordo_sink *to,
                               ordo_bz_report *report)
{
    API_CALL("bz_writer_end", (ordo_type)0, 0, end_writer(ctx, exec, writer, to, report));
}

void ordo_bz_writer_free(ordo_bz_writer *writer)
{
    if (writer == NULL)
        return;
    ordo_alloc const source = writer->source;
    source.release(source.user, writer);
}
