/* merge_records.c - merge sort of records, and merging of the runs of an array.
 *
 * One thread sorts each block, which fits the cache (core/merge.t.h). Then each pass over the array
 * merges all pairs of neighbouring runs, from the records to a buffer of the same size or back. A
 * pass is cut into pieces of its output; a binary search finds where a piece begins in either run
 * (the merge path of Odeh, Green, Mwassi, Shmueli and Birk, 2012; co-ranking of Siebert and Traff).
 * So all pieces are equally long and no piece waits for another.
 *
 * n lg n comparisons and lg(n / block) passes over memory; merging r runs takes ceil(lg r) passes,
 * and one more to copy back if that is odd. Scratch: n records. */
#include "cpu/sort/sort_steps.h"

#include "core/bisect.h"

#include <string.h>

#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "core/small_sort.t.h"
#include "cpu/radix/for_each_record.h"
#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "core/merge.t.h"
#include "cpu/radix/for_each_record.h"

enum {
    PIECE = ORDO_TUNE_PIECE
};

typedef struct merge_work {
    enum record_kind kind;
    void            *records, *buffer;
    size_t           n;
    const size_t    *bounds; /* borders of the runs before the first pass; NULL: these are blocks */
    size_t           block;
    size_t           runs;  /* runs before the first pass */
    size_t           width; /* the number of those runs that make up one run now */
    bool             back;  /* this pass goes from the buffer to the records */
} merge_work;

/* The start of run i of this pass, which is made of runs [i * width, (i + 1) * width) of the
 * first. */
static size_t run_start(const merge_work *work, size_t i)
{
    size_t const first = i > work->runs / work->width ? work->runs : i * work->width;
    size_t const run = ordo_min(first, work->runs);
    return work->bounds != NULL ? work->bounds[run] - work->bounds[0]
                                : ordo_min(run * work->block, work->n);
}

/* The last pair of runs that begins at or before record `at`. */
static size_t pair_of(const merge_work *work, size_t at)
{
    size_t low = 1, high = work->runs / (2 * work->width) + 1;
    ORDO_BISECT(middle, low, high, run_start(work, 2 * middle) <= at);
    return low - 1;
}

#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "cpu/sort/merge_records.t.h"
#include "cpu/radix/for_each_record.h"

static void copy_back(void *arg, size_t lo, size_t hi)
{
    merge_work *const work = arg;
    size_t const      size = record_size(work->kind);
    memcpy((char *)work->records + lo * size, (const char *)work->buffer + lo * size,
           (hi - lo) * size);
}

static ordo_body *const sort_blocks[RECORD_KINDS] = RECORD_FUNCTIONS(sort_block);
static ordo_body *const merge_pieces[RECORD_KINDS] = RECORD_FUNCTIONS(merge_piece);

/* Small arrays have smaller blocks, so that each thread has one. */
static size_t block_for(size_t n)
{
    /* Block and buffer of 32-bit items are half of L2. Neoverse V1, 3e6 random items of 32 bits, ms
     * of one thread for 2^13, 2^16, 2^18: 66, 68, 67. */
    enum {
        ENOUGH = 64,
        MOST = ORDO_TUNE_L2 / 16,
        LEAST = MOST / 16
    };
    return ordo_min(ordo_max(ordo_div_up(n, ENOUGH), LEAST), MOST);
}

static unsigned passes_for(size_t runs) { return ordo_bit_length(runs - 1); }

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

size_t cpu_records_merge_scratch(const cpu_records *records)
{
    return records->n * record_size(records->kind);
}

ordo_status cpu_records_merge(const cpu_records *records, ordo_exec *exec)
{
    exec->algorithm = "merge";
    exec->isa = "generic";
    if (records->n < 2)
        return ORDO_OK;
    void *buffer;
    TRY(ordo_scratch(exec, cpu_records_merge_scratch(records), &buffer));

    size_t const   block = block_for(records->n), runs = ordo_div_up(records->n, block);
    unsigned const passes = passes_for(runs);
    merge_work     work = {.kind = records->kind,
                           .records = records->array,
                           .buffer = buffer,
                           .n = records->n,
                           .block = block,
                           .runs = runs,
                           .width = 1,
                           .back = passes % 2 != 0};
    exec->phase = 0;
    exec->phases = 1 + passes;
    if (!ordo_loop(exec, records->n, block, sort_blocks[records->kind], &work))
        return ORDO_E_CANCELLED;
    exec->phase = 1;
    return cpu_done(merge_passes(&work, passes, exec));
}

ordo_status cpu_records_merge_runs(const cpu_records *records, const size_t *bounds, size_t runs,
                                   ordo_exec *exec)
{
    if (runs < 2)
        return ORDO_OK;
    size_t const size = record_size(records->kind), n = bounds[runs] - bounds[0];
    void        *buffer;
    TRY(ordo_scratch(exec, n * size, &buffer));

    unsigned const passes = passes_for(runs);
    merge_work     work = {.kind = records->kind,
                           .records = (char *)records->array + bounds[0] * size,
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
