/* batch.c - joins blocks to one array, which a GPU transforms in one call (see batch.h).
 *
 * The call gets an exec that loops on the calling thread, because the other threads encode. The
 * array of a batch takes the columns, too: its text is not needed when they arrive. */
#define _GNU_SOURCE
#include "text/bzip2/encode/batch.h"

#include "text/bzip2/encode/rotate.h"
#include "text/text_work.h"

#include <stdio.h>
#include <string.h>

enum {
    BATCHES = 4, /* that are read, sorted, encoded and written at the same time */
    WHY_BYTES = 256
};

/* Blocks of a batch. More are not faster: bench/results/h200/text/bzip2_gpu.txt. */
#define BATCH_BLOCKS ORDO_TUNE((size_t)16, (size_t)2)

/* Nanoseconds per byte that one CPU thread takes to sort the rotations of a block. EMR, 16 threads:
 * compression takes 75 ns of a thread for each byte, most of them for this; an estimate. */
#define SORT_NS 45.0

/* ---- The services of a call of the device ---- */

typedef struct alone { /* owner of the exec */
    ordo_exec  exec;
    bz_stream *stream;
    char       why[WHY_BYTES];
} alone;

static bool alone_poll(ordo_exec *exec, double share)
{
    const alone *const a = exec->owner;
    (void)share;
    return ordo_poll(a->stream->exec, bz_stream_share(a->stream));
}

static bool alone_loop(ordo_exec *exec, size_t n, size_t grain, ordo_body *body, void *arg)
{
    for (size_t lo = 0; lo < n; lo += grain) {
        if (alone_poll(exec, 0))
            return false;
        body(arg, lo, ordo_min(n, lo + grain));
    }
    return true;
}

static ordo_status alone_scratch(ordo_exec *exec, size_t bytes, void **out)
{
    const alone *const a = exec->owner;
    return ordo_scratch(a->stream->exec, bytes, out);
}

static ordo_status alone_fail(ordo_exec *exec, ordo_status status, const char *format, va_list args)
{
    alone *const a = exec->owner;
    vsnprintf(a->why, sizeof a->why, format, args);
    return status;
}

static void alone_open(alone *a, bz_stream *s)
{
    a->exec = *s->exec;
    a->exec.owner = a;
    a->exec.threads = 1;
    a->exec.loop = alone_loop;
    a->exec.poll = alone_poll;
    a->exec.scratch = alone_scratch;
    a->exec.fail = alone_fail;
    a->exec.profile = NULL;
    a->stream = s;
    a->why[0] = '\0';
}

/* ---- Batches ---- */

size_t bz_batches_slots(size_t blocks) { return BATCHES * blocks; }

size_t bz_batches_most(void) { return bz_batches_slots(BATCH_BLOCKS); }

ordo_status bz_batches_choose(bz_batches *b, const bz_stream *s, size_t most)
{
    double const    n = (double)s->source_bytes;
    ordo_load const load = {.cpu_ns = SORT_NS * n,
                            .link_bytes = 2 * n,
                            .n = (size_t)s->source_bytes,
                            .segmented = true};
    TRY(api_choose(s->ctx, s->exec, &load, &b->choice));
    /* No more blocks than the source has, if that is known. */
    size_t const all = s->source_bytes == 0 ? BATCH_BLOCKS : (size_t)(s->source_bytes / most) + 1;
    b->device = b->choice.backend->text;
    b->blocks = ordo_min(all, BATCH_BLOCKS);
    b->slots = bz_batches_slots(b->blocks);
    b->most = most;
    return ORDO_OK;
}

ordo_status bz_batches_open(bz_batches *b, ordo_exec *exec)
{
    TRY_SCRATCH(exec, b->slots * b->most, b->columns);
    TRY_SCRATCH(exec, (b->blocks + 1) * sizeof *b->offsets, b->offsets);
    TRY_SCRATCH(exec, b->blocks * sizeof *b->rows, b->rows);
    return ORDO_OK;
}

/* After a failure of the device: whether the threads may sort. */
static bool go_on(bz_batches *b, bz_stream *s, ordo_status status, const char *why)
{
    ordo_choice choice = b->choice;
    if (status == ORDO_E_CANCELLED)
        return failure_record(&s->failure, status, "cancelled");
    if (!api_goes_on(s->ctx, s->exec, status, &choice))
        return failure_record(&s->failure, status, "%s", why);
    b->device = NULL;
    return true;
}

bool bz_batches_sort(bz_batches *b, bz_stream *s, size_t first, bz_block *const *blocks,
                     bz_sorted *const *sorted, size_t count)
{
    uint8_t *const bytes = b->columns + first * b->most;
    alone          a;
    for (size_t i = 0; i < count; i++)
        *sorted[i] = (bz_sorted){NULL, 0};
    if (b->device == NULL)
        return true;
    b->offsets[0] = 0;
    for (size_t i = 0; i < count; i++) {
        memcpy(bytes + b->offsets[i], blocks[i]->text, blocks[i]->n);
        b->offsets[i + 1] = b->offsets[i] + blocks[i]->n;
    }
    ordo_text_job const job = {.text = bytes,
                               .n = (size_t)b->offsets[count],
                               .offsets = b->offsets,
                               .count = count,
                               .index_type = ORDO_U32,
                               .bwt = bytes,
                               .primary = b->rows};
    alone_open(&a, s);
    ordo_status const status = b->device->rotate(b->choice.state, &job, &a.exec);
    if (status != ORDO_OK)
        return go_on(b, s, status, a.why);
    for (size_t i = 0; i < count; i++)
        /* Equal rows of a repeated word are in no fixed order: the threads sort its rotations. */
        if (bz_word_length(blocks[i]->text, blocks[i]->n) == blocks[i]->n)
            *sorted[i] = (bz_sorted){bytes + b->offsets[i], (uint32_t)b->rows[i]};
    return true;
}
