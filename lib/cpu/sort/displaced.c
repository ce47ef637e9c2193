/* displaced.c - sorts an array of which few keys are out of place: a sorted array with some new
 * keys at its end, or with some keys changed or moved.
 *
 *   scan    each piece is read once; keys that continue a rising sequence are kept, the others are
 *           dropped (displaced.t.h). Both go to scratch as key bits: the kept ones to the front of
 *           the piece's part, the dropped ones to its back
 *   join    where the kept keys of two pieces overlap, the smaller part of the overlap is dropped
 *           too; then all kept keys together are one rising sequence
 *   merge   the dropped keys are sorted, and each piece is merged with the dropped keys that fall
 *           into its range, to the places where they belong
 *
 * The scan gives up as soon as too many keys were dropped. Until the merge the array is unchanged.
 * Two reads and two writes of the array. Scratch: n keys, and room for the dropped ones.
 *
 * Keeping and dropping is the idea of drop-merge sort (E. Ernerfeldt, 2017). */
#include "cpu/sort/displaced.h"
#include "core/keybits.h"
#include "cpu/cpu.h"
#include "cpu/sort/items.h"

#include <string.h>

enum {
    TILE = 128,      /* keys that are kept at once if they rise */
    FIRST_ROW = 8,   /* keys dropped in a row before the scan doubts what it kept */
    REREAD_SHARE = 2 /* a scan may read this many times its piece again */
};

typedef struct displaced_piece {
    size_t stored;      /* keys at the front of the piece's part */
    size_t begin, end;  /* which of them are kept in the end */
    size_t at;          /* where its first kept key goes, without the dropped keys before it */
    size_t from, until; /* its dropped keys: which of all, in order */
} displaced_piece;

typedef struct displaced_work {
    const ordo_sort_job *job;
    size_t               grain, limit;
    void                *bits; /* n of them */
    void                *dropped;
    displaced_piece     *pieces;
    atomic_size_t        scanned, drops;
    atomic_bool          failed;
    ordo_exec           *exec;
} displaced_work;

static size_t piece_length(const displaced_work *work, size_t piece)
{
    return ordo_min(work->grain, work->job->n - piece * work->grain);
}

/* Dropping is worth it while few keys are dropped among those that were read. */
static void count_drops(displaced_work *work, size_t keys, size_t drops)
{
    size_t const scanned =
        atomic_fetch_add_explicit(&work->scanned, keys, memory_order_relaxed) + keys;
    size_t const all = atomic_fetch_add_explicit(&work->drops, drops, memory_order_relaxed) + drops;
    if (all > work->job->n / ORDO_TUNE_DISPLACED_FREE + scanned / ORDO_TUNE_DISPLACED_SHARE)
        atomic_store_explicit(&work->failed, true, memory_order_relaxed);
}

static size_t drops_limit(size_t n)
{
    return n / ORDO_TUNE_DISPLACED_FREE + n / ORDO_TUNE_DISPLACED_SHARE;
}

#define ORDO_TEMPLATE "cpu/sort/displaced.t.h"
#include "core/for_each_type.h"

typedef struct displaced_type {
    ordo_body *scan, *merge;
    bool (*join)(displaced_work *work, size_t pieces, size_t *drops);
    void (*share)(displaced_work *work, size_t pieces, size_t drops);
} displaced_type;

static displaced_type type_of(ordo_type type)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return (displaced_type){displaced_scan_##tag, displaced_merge_##tag, displaced_join_##tag, \
                                displaced_share_##tag};
#include "core/types.def"
    }
    return (displaced_type){0};
}

static size_t bits_bytes(const ordo_sort_job *job)
{
    return ordo_round_up(job->n * ordo_type_size(job->type), ORDO_CACHE_LINE);
}

static size_t dropped_bytes(const ordo_sort_job *job)
{
    return ordo_round_up(drops_limit(job->n) * ordo_type_size(job->type), ORDO_CACHE_LINE);
}

size_t cpu_displaced_scratch(const ordo_sort_job *job)
{
    size_t const pieces = ordo_div_up(job->n, cpu_grain(job->n));
    return bits_bytes(job) + dropped_bytes(job) +
           ordo_round_up(pieces * sizeof(displaced_piece), ORDO_CACHE_LINE);
}

ordo_status cpu_sort_displaced(const ordo_sort_job *job, bool *done, void **room, ordo_exec *exec)
{
    displaced_type const type = type_of(job->type);
    size_t const         n = job->n, grain = cpu_grain(n), pieces = ordo_div_up(n, grain);
    size_t               drops = 0;
    *done = false;
    TRY(ordo_scratch(exec, cpu_displaced_scratch(job), room));
    char *const    scratch = *room;
    displaced_work work = {.job = job,
                           .grain = grain,
                           .limit = drops_limit(n),
                           .bits = scratch,
                           .dropped = scratch + bits_bytes(job),
                           .exec = exec};
    work.pieces = (displaced_piece *)(void *)(scratch + bits_bytes(job) + dropped_bytes(job));
    atomic_init(&work.scanned, 0);
    atomic_init(&work.drops, 0);
    atomic_init(&work.failed, false);
    if (!ordo_loop(exec, n, grain, type.scan, &work))
        return ORDO_E_CANCELLED;
    exec->phase++;
    if (atomic_load_explicit(&work.failed, memory_order_relaxed) ||
        !type.join(&work, pieces, &drops))
        return ORDO_OK;

    cpu_items const dropped = {cpu_item_of_key(job->type), work.dropped, drops};
    ordo_exec       part = *exec;
    TRY(cpu_items_inplace(&dropped, &part));
    type.share(&work, pieces, drops);
    exec->changed = true;
    if (!ordo_loop(exec, n, grain, type.merge, &work))
        return ORDO_E_CANCELLED;
    exec->phase++;
    *done = true;
    exec->algorithm = "displaced";
    exec->facts.input = ORDO_INPUT_DISPLACED;
    exec->facts.strategy = ORDO_STRATEGY_MERGE_BACK;
    exec->facts.displaced = drops;
    return ORDO_OK;
}
