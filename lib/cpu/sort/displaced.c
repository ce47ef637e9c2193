/* displaced.c - sorts an array in which few keys are out of place: a sorted array with new keys at
 * its end, or with some keys changed or moved (drop-merge sort, E. Ernerfeldt, 2017).
 *   scan    keeps the keys of each piece that continue an ascending sequence and drops the others.
 *           Kept keys go to the front of the piece's part of scratch, dropped keys to its end
 *   join    where the kept keys of two pieces overlap, drops the smaller part of the overlap
 *   merge   sorts the dropped keys and merges each piece with those that fall into its range
 * The scan gives up as soon as too many keys are dropped; the array is unchanged until the merge.
 * Two reads and two writes of the array. Scratch: n records, and room for the dropped ones. */
#include "backend/layout.h"
#include "core/bisect.h"
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
    bool             compress; /* the ISA compresses vectors, so that the general sort is fast */
    void            *bits;     /* n records */
    void            *dropped;
    displaced_piece *pieces;
    atomic_size_t    scanned, drops;
    atomic_bool      failed;
} displaced_work;

static size_t piece_length(const displaced_work *work, size_t piece)
{
    return ordo_min(work->grain, work->io.n - piece * work->grain);
}

/* The most keys of n that may be dropped after so many have been read. Sapphire Rapids, one thread,
 * sorted keys of which one in 32, 64, 100 and 1000 is random, time of the general sort / of this:
 * 2e6 keys u32 0.82, 1.09, 1.41, 2.2, f64 1.31, 1.60, 1.85, 2.4; generic, one in 16 and 32 of 10^6
 * keys u32 1.8, 2.7, u64 1.5, 2.6. */
static size_t drops_limit(const displaced_work *work, size_t scanned)
{
    return work->io.n / ORDO_TUNE_DISPLACED_FREE +
           (work->compress ? 0 : scanned / ORDO_DISPLACED_SHARE);
}

/* Counts dropped keys. Sets work->failed if so many of the keys read were dropped that the general
 * sort is faster. */
static void count_drops(displaced_work *work, size_t keys, size_t drops)
{
    size_t const scanned =
        atomic_fetch_add_explicit(&work->scanned, keys, memory_order_relaxed) + keys;
    size_t const all = atomic_fetch_add_explicit(&work->drops, drops, memory_order_relaxed) + drops;
    if (all > drops_limit(work, scanned))
        atomic_store_explicit(&work->failed, true, memory_order_relaxed);
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

static void lay_out(void *arg, ordo_layout *layout)
{
    displaced_work *const work = arg;
    size_t const          size = record_size(work->io.kind);
    work->bits = ordo_lay_line(layout, work->io.n, size);
    work->dropped = ordo_lay_line(layout, work->limit, size);
    work->pieces =
        ordo_lay_line(layout, ordo_div_up(work->io.n, work->grain), sizeof *work->pieces);
}

static displaced_work work_of(const cpu_kernels *kernels, const ordo_sort_job *job)
{
    displaced_work work = {.io = records_of_keys(kernels, job),
                           .grain = cpu_grain(job->n),
                           .compress = kernels != NULL && kernels->split[CPU_WIDTH_64] != NULL};
    work.limit = drops_limit(&work, job->n);
    return work;
}

size_t cpu_displaced_scratch(const ordo_sort_job *job)
{
    displaced_work work = work_of(NULL, job);
    return ordo_layout_bytes(lay_out, &work);
}

ordo_status cpu_sort_displaced(const cpu_kernels *kernels, const ordo_sort_job *job, bool *done,
                               void **scratch, ordo_exec *exec)
{
    static const displaced_bodies of_k32 = {displaced_scan_k32, displaced_merge_k32,
                                            displaced_join_k32, displaced_share_k32};
    static const displaced_bodies of_k64 = {displaced_scan_k64, displaced_merge_k64,
                                            displaced_join_k64, displaced_share_k64};
    enum record_kind const        kind = records_kind_of_keys(job->type);
    const displaced_bodies *const with = kind == RECORD_K32 ? &of_k32 : &of_k64;
    size_t const                  n = job->n, grain = cpu_grain(n), pieces = ordo_div_up(n, grain);
    size_t                        drops = 0;
    displaced_work                work = work_of(kernels, job);
    *done = false;
    TRY(ordo_lay_out(exec, lay_out, &work));
    *scratch = work.bits;
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
