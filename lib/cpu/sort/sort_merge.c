/* sort_merge.c - merge sort of items, and the merging of runs that are there already.
 *
 * Blocks that fit the cache are sorted by one thread each (merge.t.h); then neighbours are merged
 * pair by pair, all pairs in one pass over the array, from the items to a buffer of the same size
 * and back. A pass is cut into pieces of its output, whatever the lengths of the runs: where a
 * piece begins in either run is found by a binary search (the merge path of Odeh, Green, Mwassi,
 * Shmueli and Birk, 2012; co-ranking to Siebert and Traff), so every thread has the same to do and
 * no piece waits for another.
 *
 * Time n lg n comparisons, of which lg(n / block) passes over memory; merging r runs takes
 * ceil(lg r) passes, and one more to copy back if that is odd. Scratch: n items. */
#include "cpu/cpu.h"
#include "cpu/sort/items.h"

#include <string.h>

#define ORDO_TEMPLATE "cpu/sort/merge.t.h"
#include "cpu/sort/for_each_item.h"

enum {
    PIECE = ORDO_TUNE_MERGE_PIECE
};

typedef struct merge_work {
    enum cpu_item kind;
    void         *items, *buffer;
    size_t        n;
    const size_t *bounds; /* of the runs there were first; NULL: they are blocks */
    size_t        block;
    size_t        runs;  /* there were first */
    size_t        width; /* of those runs make up one run now */
    bool          back;  /* this pass goes from the buffer to the items */
} merge_work;

/* Where the run made of the first runs [i * width, (i + 1) * width) begins. */
static size_t run_start(const merge_work *work, size_t i)
{
    size_t const first = i > work->runs / work->width ? work->runs : i * work->width;
    size_t const run = ordo_min(first, work->runs);
    return work->bounds != NULL ? work->bounds[run] - work->bounds[0]
                                : ordo_min(run * work->block, work->n);
}

/* The last pair of runs that begins at or before item `at`. */
static size_t pair_of(const merge_work *work, size_t at)
{
    size_t low = 0, high = work->runs / (2 * work->width) + 1;
    while (high - low > 1) {
        size_t const middle = low + (high - low) / 2;
        if (run_start(work, 2 * middle) <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#define ORDO_TEMPLATE "cpu/sort/merge_pass.t.h"
#include "cpu/sort/for_each_item.h"

static void copy_back(void *arg, size_t lo, size_t hi)
{
    merge_work *const work = arg;
    size_t const      size = cpu_item_size(work->kind);
    memcpy((char *)work->items + lo * size, (const char *)work->buffer + lo * size,
           (hi - lo) * size);
}

static ordo_body *const sort_blocks[CPU_ITEM_KINDS] = {sort_block_32, sort_block_64,
                                                       sort_block_128};
static ordo_body *const merge_pieces[CPU_ITEM_KINDS] = {merge_piece_32, merge_piece_64,
                                                        merge_piece_128};

/* Small arrays have smaller blocks, or there would be too few for the threads. */
static size_t block_for(size_t n)
{
    enum {
        ENOUGH = 64,
        LEAST = ORDO_TUNE_MERGE_BLOCK / 16
    };
    return ordo_min(ordo_max(ordo_div_up(n, ENOUGH), LEAST), ORDO_TUNE_MERGE_BLOCK);
}

static unsigned passes_for(size_t runs)
{
    unsigned passes = 0;
    while ((runs - 1) >> passes != 0)
        passes++;
    return passes;
}

static bool merge_passes(merge_work *work, unsigned passes, ordo_exec *exec)
{
    for (unsigned pass = 0; pass < passes; pass++) {
        if (!ordo_loop(exec, work->n, PIECE, merge_pieces[work->kind], work))
            return false;
        exec->phase++;
        work->width *= 2;
        work->back = !work->back;
    }
    return true;
}

size_t cpu_items_merge_scratch(enum cpu_item kind, size_t n, unsigned threads)
{
    (void)threads;
    return n * cpu_item_size(kind);
}

ordo_status cpu_items_merge(const cpu_items *items, ordo_exec *exec)
{
    exec->algorithm = "merge";
    exec->isa = "generic";
    if (items->n < 2)
        return ORDO_OK;
    void *buffer;
    TRY(ordo_scratch(exec, cpu_items_merge_scratch(items->kind, items->n, exec->threads), &buffer));

    size_t const   block = block_for(items->n), runs = ordo_div_up(items->n, block);
    unsigned const passes = passes_for(runs);
    merge_work     work = {.kind = items->kind,
                           .items = items->items,
                           .buffer = buffer,
                           .n = items->n,
                           .block = block,
                           .runs = runs,
                           .width = 1,
                           .back = passes % 2 != 0};
    exec->phase = 0;
    exec->phases = 1 + passes;
    if (!ordo_loop(exec, items->n, block, sort_blocks[items->kind], &work))
        return ORDO_E_CANCELLED;
    exec->phase = 1;
    return cpu_done(merge_passes(&work, passes, exec));
}

ordo_status cpu_items_merge_runs(const cpu_items *items, const size_t *bounds, size_t runs,
                                 ordo_exec *exec)
{
    if (runs < 2)
        return ORDO_OK;
    size_t const size = cpu_item_size(items->kind), n = bounds[runs] - bounds[0];
    void        *buffer;
    TRY(ordo_scratch(exec, n * size, &buffer));

    unsigned const passes = passes_for(runs);
    merge_work     work = {.kind = items->kind,
                           .items = (char *)items->items + bounds[0] * size,
                           .buffer = buffer,
                           .n = n,
                           .bounds = bounds,
                           .runs = runs,
                           .width = 1};
    exec->phase = 0;
    exec->phases = passes + passes % 2;
    if (!merge_passes(&work, passes, exec))
        return ORDO_E_CANCELLED;
    return cpu_done(passes % 2 == 0 || ordo_loop(exec, n, cpu_grain(n), copy_back, &work));
}
