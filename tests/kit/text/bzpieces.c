/* bzpieces.c - see bzpieces.h. */
#define _GNU_SOURCE
#include "kit/text/bzpieces.h"
#include "testkit.h"

#include <errno.h>
#include <string.h>

static size_t piece(test_rng *rng, size_t most, size_t left)
{
    if (most == 0 || left == 0)
        return left;
    size_t const size = (size_t)test_rng_below(rng, most + 1);
    return size < left ? size : left;
}

/* ---- Writer ---- */

static ptrdiff_t put(void *user, const void *from, size_t bytes)
{
    bzpieces *const p = user;
    if (bytes > p->capacity - p->written) {
        errno = ENOSPC;
        return -1;
    }
    memcpy(p->out + p->written, from, bytes);
    p->written += bytes;
    return (ptrdiff_t)bytes;
}

ordo_status bzpieces_write(ordo_ctx *ctx, bzpieces *p)
{
    ordo_bz_opts const opts = ORDO_OPTS(ordo_bz_opts, .level = p->level);
    ordo_sink const    to = ORDO_OPTS(ordo_sink, .write = put, .user = p);
    test_rng           rng = {p->seed};
    ordo_bz_writer    *writer;
    ordo_status        status = ordo_bz_writer_open(ctx, &opts, &writer);
    p->used = p->written = 0;
    p->report = (ordo_bz_report){.struct_size = sizeof p->report};
    while (status == ORDO_OK && p->used < p->n) {
        size_t const now = piece(&rng, p->most_in, p->n - p->used);
        status = ordo_bz_writer_add(ctx, writer, p->in + p->used, now, &to);
        p->used += now;
    }
    if (status == ORDO_OK)
        status = ordo_bz_writer_end(ctx, writer, &to, &p->report);
    ordo_bz_writer_free(writer);
    return status;
}

/* ---- Reader ---- */

/* One call; the bytes from p->used to `there` are its input. */
static ordo_status read_once(ordo_ctx *ctx, ordo_bz_reader *reader, bzpieces *p, size_t there,
                             size_t room)
{
    size_t const      n = there - p->used;
    guard_block       block = guard_alloc(n, GUARD_END);
    size_t            used = 0, written = 0;
    ordo_status const status = (memcpy(block.data, p->in + p->used, n),
                                ordo_bz_reader_read(ctx, reader, block.data, n, &used,
                                                    p->out + p->written, room, &written));
    guard_free(&block.region);
    CHECK(used <= n && written <= room);
    CHECK(status == ORDO_OK || (used == 0 && written == 0));
    p->used += used;
    p->written += written;
    p->state = ordo_bz_reader_state(reader);
    return status;
}

ordo_status bzpieces_read(ordo_ctx *ctx, bzpieces *p)
{
    test_rng        rng = {p->seed};
    ordo_bz_reader *reader;
    size_t          there = 0;
    ordo_status     status = ordo_bz_reader_open(ctx, &reader);
    p->used = p->written = 0;
    p->state = ORDO_BZ_NEEDS_INPUT;
    while (status == ORDO_OK && p->state != ORDO_BZ_ENDED) {
        if (p->state == ORDO_BZ_NEEDS_INPUT) {
            if (there == p->n)
                break;
            there += piece(&rng, p->most_in, p->n - there);
        } else if (p->written == p->capacity) {
            status = ORDO_E_IO;
            break;
        }
        status =
            read_once(ctx, reader, p, there, piece(&rng, p->most_out, p->capacity - p->written));
    }
    ordo_bz_reader_free(reader);
    return status;
}
