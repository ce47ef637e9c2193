/* displaced.c - sorts an array in which few keys are out of place: a sorted array with new keys at
 * its end, or with some keys changed or moved (drop-merge sort, E. Ernerfeldt, 2017).
 *   scan    keeps the keys of each piece that continue an ascending sequence and drops the others.
 *           Kept keys go to the front of the piece's part of scratch, dropped keys to its end
 *   join    where the kept keys of two pieces overlap, drops the smaller part of the overlap
 *   merge   sorts the dropped keys and merges each piece with those that fall into its range
 * The scan gives up as soon as too many keys are dropped; the array is unchanged until the merge.
 * Two reads and two writes of the array. Scratch: n records, and room for the dropped ones. */
#include "cpu/radix/records.h"
#include "cpu/sort/sort_steps.h"

#include <string.h>

enum {
    TILE = 128,      /* keys that are kept together if they are sorted */
    FIRST_ROW = 8,   /* keys dropped in a row before the scan drops kept keys instead */
    REREAD_SHARE = 2 /* how often a scan may read its piece again */
};

typedef struct displaced_piece {
    size_t stored;      /* kept keys at the front of the piece's part */
    size_t begin, end;  /* the keys that are still kept after the join */
    size_t at;          /* place of the first kept key, without dropped keys */
    size_t from, until; /* the piece's part of the sorted dropped keys */
} displaced_piece;

typedef struct displaced_work {
    radix_io         io;
    size_t           grain, limit;
    void            *bits; /* n records */
    void            *dropped;
    displaced_piece *pieces;
    atomic_size_t    scanned, drops;
    atomic_bool      failed;
} displaced_work;

static size_t piece_length(const displaced_work *work, size_t piece)
{
    return ordo_min(work->grain, work->io.n - piece * work->grain);
}

/* Counts dropped keys. Sets work->failed if so many of the keys read were dropped that the general
 * sort is faster. */
static void count_drops(displaced_work *work, size_t keys, size_t drops)
{
    size_t const scanned =
        atomic_fetch_add_explicit(&work->scanned, keys, memory_order_relaxed) + keys;
    size_t const all = atomic_fetch_add_explicit(&work->drops, drops, memory_order_relaxed) + drops;
    if (all > work->io.n / ORDO_TUNE_DISPLACED_FREE + scanned / ORDO_TUNE_DISPLACED_SHARE)
        atomic_store_explicit(&work->failed, true, memory_order_relaxed);
}

static size_t drops_limit(size_t n)
{
    return n / ORDO_TUNE_DISPLACED_FREE + n / ORDO_TUNE_DISPLACED_SHARE;
}

typedef struct displaced_bodies {
    ordo_body *scan, *merge;
    bool (*join)(displaced_work *work, size_t pieces, size_t *drops);
    void (*share)(displaced_work *work, size_t pieces, size_t drops);
} displaced_bodies;

#define RECORD record_k32
#define FN(name) name##_k32
#include "cpu/sort/displaced.t.h"
#undef FN
#undef RECORD
#define RECORD record_k64
#define FN(name) name##_k64
#include "cpu/sort/displaced.t.h"
#undef FN
#undef RECORD

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

ordo_status cpu_sort_displaced(const cpu_kernels *kernels, const ordo_sort_job *job, bool *done,
                               void **room, ordo_exec *exec)
{
    static const displaced_bodies of_k32 = {displaced_scan_k32, displaced_merge_k32,
                                            displaced_join_k32, displaced_share_k32};
    static const displaced_bodies of_k64 = {displaced_scan_k64, displaced_merge_k64,
                                            displaced_join_k64, displaced_share_k64};
    enum record_kind const        kind = records_kind_of_keys(job->type);
    const displaced_bodies *const with = kind == RECORD_K32 ? &of_k32 : &of_k64;
    size_t const                  n = job->n, grain = cpu_grain(n), pieces = ordo_div_up(n, grain);
    size_t                        drops = 0;
    *done = false;
    TRY(ordo_scratch(exec, cpu_displaced_scratch(job), room));
    char *const    scratch = *room;
    displaced_work work = {.io = records_of_keys(kernels, job),
                           .grain = grain,
                           .limit = drops_limit(n),
                           .bits = scratch,
                           .dropped = scratch + bits_bytes(job)};
    work.pieces = (displaced_piece *)(void *)(scratch + bits_bytes(job) + dropped_bytes(job));
    atomic_init(&work.scanned, 0);
    atomic_init(&work.drops, 0);
    atomic_init(&work.failed, false);
    if (!ordo_loop(exec, n, grain, with->scan, &work))
        return ORDO_E_CANCELLED;
    exec->phase++;
    if (atomic_load_explicit(&work.failed, memory_order_relaxed) ||
        !with->join(&work, pieces, &drops))
        return ORDO_OK;

    cpu_records const dropped = {kind, work.dropped, drops};
    ordo_exec         part = *exec;
    TRY(cpu_records_inplace(&dropped, &part));
    with->share(&work, pieces, drops);
    exec->changed = true;
    if (!ordo_loop(exec, n, grain, with->merge, &work))
        return ORDO_E_CANCELLED;
    exec->phase++;
    *done = true;
    exec->algorithm = "displaced";
    exec->facts.input = ORDO_INPUT_DISPLACED;
    exec->facts.strategy = ORDO_STRATEGY_MERGE_BACK;
    exec->facts.displaced = drops;
    return ORDO_OK;
}
