/* blocks.c - the blocks of sorted runs (see blocks.h). */
#define _POSIX_C_SOURCE 200809L
#include "dist/exchange/blocks.h"

#include "backend/tuning.h"

#include <string.h>

enum {
    STRIDE = ORDO_TUNE(256, 4),
    LEAST_STRIDE = ORDO_TUNE(16, 2),
    GROUP = ORDO_TUNE(128, 8)
};

static ordo_status list_runs(run_blocks *b, const pieces *p)
{
    b->c = p->call;
    b->runs = (size_t)b->c->comm.size;
    b->n = p->received;
    TRY_SCRATCH(b->c->exec, (b->runs + 1) * sizeof *b->starts, b->starts);
    memcpy(b->starts, p->receive_at, b->runs * sizeof *b->starts);
    b->starts[b->runs] = b->n;
    b->stride = ordo_max(ordo_min((size_t)GROUP * STRIDE * 4 / b->runs, STRIDE), LEAST_STRIDE);
    b->most = ordo_min((GROUP + b->runs) * b->stride, b->n);
    return ORDO_OK;
}

static ordo_status take_samples(run_blocks *b)
{
    size_t samples = 0, at = 0;
    for (size_t r = 0; r < b->runs; r++)
        samples += (size_t)(b->starts[r + 1] - b->starts[r]) / b->stride;
    b->count = samples / GROUP + 1;
    TRY_SCRATCH(b->c->exec, (samples + 1) * sizeof *b->splitters, b->splitters);
    for (size_t r = 0; r < b->runs; r++)
        for (uint64_t i = b->starts[r] + b->stride; i <= b->starts[r + 1]; i += b->stride)
            b->splitters[at++] = i - 1;
    TRY(b->sort(b, b->splitters, samples));
    for (size_t i = 0; i + 1 < b->count; i++)
        b->splitters[i] = b->splitters[(i + 1) * GROUP - 1];
    return ORDO_OK;
}

/* The elements up to a splitter, by order, then run, then place, are before the border. */
static void cut_runs(void *arg, size_t lo, size_t hi)
{
    run_blocks *const b = arg;
    for (size_t border = lo; border < hi; border++)
        for (size_t r = 0; r < b->runs; r++) {
            size_t const from = (size_t)b->starts[r], to = (size_t)b->starts[r + 1];
            bool const   ends = border == b->count, inner = border > 0 && !ends;
            size_t const place = inner ? (size_t)b->splitters[border - 1] : 0;
            b->cuts[border * b->runs + r] = !inner ? (ends ? to : from)
                                            : place >= from && place < to
                                                ? place + 1
                                                : b->find(b, from, to, place, place >= to);
        }
}

ordo_status run_blocks_find(run_blocks *b, const pieces *p)
{
    TRY(list_runs(b, p));
    TRY(take_samples(b));
    TRY_SCRATCH(b->c->exec, (b->count + 1) * b->runs * sizeof *b->cuts, b->cuts);
    return dist_loop(b->c, b->count + 1, 1, cut_runs, b);
}

static void merge_blocks(void *arg, size_t lo, size_t hi)
{
    run_blocks *const b = arg;
    size_t            block;
    (void)hi; /* one worker */
    while ((block = atomic_fetch_add(&b->next, 1)) < b->count &&
           !ordo_poll(b->c->exec, (double)block / (double)b->count))
        b->merge(b, block, lo);
}

ordo_status run_blocks_merge(run_blocks *b)
{
    return dist_loop(b->c, b->c->exec->threads, 1, merge_blocks, b);
}

size_t run_blocks_place(const run_blocks *b, size_t block)
{
    size_t place = 0;
    for (size_t r = 0; r < b->runs; r++)
        place += run_blocks_from(b, block, r) - (size_t)b->starts[r];
    return place;
}
