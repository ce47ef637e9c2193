/* cpu_segments.c - does a job on every segment of an array.
 *
 * The threads take batches of segments of about equal cost; each thread does its segments one by
 * one with its own scratch. All threads together do a segment that is a large part of the whole
 * array, before the others. So tiny segments, huge segments and mixtures keep all threads busy. The
 * cost of a segment is its length and a constant.
 * Strided segments are gathered in blocks (gather.c). Scratch: for each thread the scratch of a job
 * on its longest segment, and a block of gathered segments. If this is refused, one thread works
 * without it; jobs that need scratch fail before the first segment. The report has the algorithm of
 * the longest segment. */
#include "cpu/segments/segments.h"

#include "core/bisect.h"
#include "cpu/base/paths.h"

#include <stdio.h>
#include <string.h>

enum {
    COST = 16,          /* the constant cost of a segment, in elements */
    FEW = 4096,         /* a bitmap records lengths up to this */
    PIECES = 16,        /* the most pieces of scratch that a job takes */
    BLOCK_BYTES = 32768 /* bytes of a block of gathered segments, unless a cache line needs more */
};

typedef struct segment_needs { /* bytes of scratch */
    size_t small, large;       /* the most of a segment on one thread; on all threads */
    size_t larges;             /* number of large segments */
} segment_needs;

typedef cpu_look segment_run; /* also the look of the paths */
typedef void     segment_batch(segment_run *run, segment_worker *worker, size_t first, size_t end);

struct cpu_look {
    const ordo_segments_job *job;
    const ordo_segment_view *view;
    ordo_exec               *exec;
    ordo_exec                outer;   /* exec with the progress of the small segments */
    size_t                   arrays;  /* of the job */
    size_t                   large;   /* longer segments are done by all threads */
    size_t                   block;   /* segments gathered at once; 0: segments are not strided */
    size_t                   room;    /* bytes of a block */
    size_t                   cost;    /* the cost of all segments */
    size_t                   longest; /* the index of the longest segment */
    const char              *algorithm, *isa; /* of the longest segment */
    bool                     has_rows;        /* job->rows can do the segments */
    segment_needs            needs;
    segment_lock             scratch_lock, failure_lock;
    segment_worker          *workers;
    size_t                   worker_count;
    _Atomic size_t           failed; /* the first segment that failed, or the number of segments */
    ordo_status              status; /* of segment `failed` */
    char                     why[sizeof((segment_worker *)0)->why];
    segment_batch           *batch; /* does segments first to end - 1 except large ones */
};

/* ---- Costs ---- */

/* The cost of the segments before segment i. */
static size_t cost_before(const ordo_segment_view *view, size_t i)
{
    size_t const elements =
        view->offsets != NULL ? (size_t)(view->offsets[i] - view->offsets[0]) : i * view->length;
    return elements + i * COST;
}

/* The first segment with at least this cost before it, rounded up to whole blocks. */
static size_t segment_at(const segment_run *run, size_t cost)
{
    const ordo_segment_view *const view = run->view;
    if (view->offsets == NULL) {
        size_t const i = ordo_div_up(cost, view->length + COST);
        return ordo_min(run->block > 1 ? ordo_round_up(i, run->block) : i, view->count);
    }
    size_t lo = 0, hi = view->count;
    ORDO_BISECT(middle, lo, hi, cost_before(view, middle) < cost);
    return lo;
}

/* ---- Scratch ---- */

static size_t scratch_of(const segment_run *run, size_t n, bool alone)
{
    ordo_exec probe = *run->exec;
    if (alone)
        probe.threads = 1;
    size_t const bytes =
        run->job->scratch == NULL ? 0 : run->job->scratch(run->job->arg, n, &probe);
    return bytes == 0 ? 0
                      : ordo_round_up(bytes, ORDO_CACHE_LINE) + (size_t)PIECES * ORDO_CACHE_LINE;
}

static void need(segment_run *run, size_t n)
{
    if (n > run->large)
        run->needs.large = ordo_max(run->needs.large, scratch_of(run, n, false));
    else
        run->needs.small = ordo_max(run->needs.small, scratch_of(run, n, true));
}

/* Finds the most scratch of all lengths, because scratch does not always grow with the length. */
static void need_all(segment_run *run)
{
    const ordo_segment_view *const view = run->view;
    uint64_t                       seen[FEW / 64 + 1] = {0};
    size_t                         last = 0, longest = 0;
    if (view->offsets == NULL) {
        need(run, view->length);
        run->needs.larges = view->length > run->large ? view->count : 0;
        return;
    }
    for (size_t i = 0; i < view->count; i++) {
        size_t const n = ordo_segment_length(view, i);
        if (n <= FEW)
            seen[n / 64] |= UINT64_C(1) << n % 64;
        else if (n != last)
            need(run, last = n);
        run->needs.larges += n > run->large;
        if (n > longest) {
            longest = n;
            run->longest = i;
        }
    }
    for (size_t n = 0; n <= FEW; n++)
        if ((seen[n / 64] >> n % 64 & 1) != 0)
            need(run, n);
}

/* Bytes of a block of gathered segments in all arrays; each array begins on a cache line. Size
 * queries pass no arrays, so arrays with base NULL count too. */
static size_t room_of(const segment_run *run, size_t block)
{
    size_t bytes = 0;
    for (size_t a = 0; a < run->arrays; a++)
        bytes +=
            ordo_round_up(block * run->view->length * run->job->arrays[a].size, ORDO_CACHE_LINE);
    return bytes;
}

static size_t block_of(const segment_run *run)
{
    const ordo_segment_view *const view = run->view;
    size_t const                   size = run->job->arrays[0].size;
    size_t const                   bytes = ordo_max(view->length, 1) * size;
    size_t const                   least = ordo_div_up(ORDO_CACHE_LINE, size);
    return ordo_min(ordo_max(BLOCK_BYTES / bytes, least), view->group);
}

static void prepare(segment_run *run, const ordo_segments_job *job, ordo_exec *exec)
{
    const ordo_segment_view *const view = job->view;
    *run = (segment_run){.job = job,
                         .view = view,
                         .exec = exec,
                         .scratch_lock = {ATOMIC_FLAG_INIT},
                         .failure_lock = {ATOMIC_FLAG_INIT}};
    for (size_t a = 0; a < ORDO_SEGMENT_ARRAYS; a++)
        if (job->arrays[a].size > 0)
            run->arrays = a + 1;
    run->cost = cost_before(view, view->count);
    run->large = exec->threads == 1
                     ? SIZE_MAX
                     : ordo_max(ORDO_TUNE_ALONE, run->cost / (2 * (size_t)exec->threads));
    run->block = view->step > 1 ? block_of(run) : 0;
    run->room = run->block > 0 ? room_of(run, run->block) : 0;
    run->has_rows =
        job->rows != NULL && view->offsets == NULL && view->length >= 1 &&
        view->length <= job->rows_most &&
        (run->block > 0 ||
         (view->stride == view->length &&
          (view->group == view->count || view->group_stride == view->group * view->stride)));
    need_all(run);
    atomic_init(&run->failed, view->count);
}

/* The number of threads that can get a batch. */
static size_t workers_of(const segment_run *run)
{
    size_t const batches = ordo_div_up(run->cost, cpu_grain(run->cost));
    return ordo_min(run->exec->threads, batches);
}

static size_t worker_bytes(const segment_run *run)
{
    return ordo_round_up(sizeof(segment_worker), ORDO_CACHE_LINE) +
           ordo_round_up(run->room, ORDO_CACHE_LINE) + run->needs.small;
}

size_t cpu_segments_scratch(const ordo_segments_job *job, const ordo_exec *exec)
{
    segment_run run;
    ordo_exec   probe = *exec;
    prepare(&run, job, &probe);
    return workers_of(&run) * worker_bytes(&run) + run.needs.large +
           (run.needs.larges > 0 && run.block > 0 ? room_of(&run, 1) : 0);
}

/* Takes scratch for `count` workers, or for one worker if that is refused. */
static ordo_status open_workers(segment_run *run, size_t count)
{
    size_t const each = worker_bytes(run);
    void        *memory;
    ordo_status  status = ordo_scratch(run->exec, count * each, &memory);
    if (status == ORDO_E_NOMEM && count > 1)
        status = ordo_scratch(run->exec, (count = 1) * each, &memory);
    if (status != ORDO_OK)
        return status;
    run->workers = memory;
    run->worker_count = count;
    return ORDO_OK;
}

static segment_worker *worker_at(const segment_run *run, size_t i)
{
    return (segment_worker *)(void *)((char *)run->workers + i * worker_bytes(run));
}

static void divide_memory(segment_run *run)
{
    for (size_t i = 0; i < run->worker_count; i++) {
        segment_worker *const worker = worker_at(run, i);
        segment_worker_open(worker, &run->outer, &run->scratch_lock, false);
        worker->gathered = (char *)worker + ordo_round_up(sizeof *worker, ORDO_CACHE_LINE);
        worker->slab = worker->gathered + ordo_round_up(run->room, ORDO_CACHE_LINE);
        worker->bytes = run->needs.small;
    }
}

/* ---- Segments ---- */

static void note_failure(segment_run *run, size_t i, ordo_status status, const char *why)
{
    segment_lock_take(&run->failure_lock);
    if (i < atomic_load_explicit(&run->failed, memory_order_relaxed)) {
        atomic_store_explicit(&run->failed, i, memory_order_relaxed);
        run->status = status;
        memcpy(run->why, why, sizeof run->why);
    }
    segment_lock_give(&run->failure_lock);
}

static bool do_one(segment_run *run, segment_worker *worker, size_t i, size_t n, void *const *at)
{
    segment_worker_begin(worker);
    ordo_status const status = run->job->one(run->job->arg, i, n, at, &worker->exec);
    if (i == run->longest) {
        run->algorithm = worker->exec.algorithm;
        run->isa = worker->exec.isa;
    }
    if (ORDO_LIKELY(status == ORDO_OK))
        return true;
    note_failure(run, i, status, worker->why);
    return false;
}

static bool do_rows(segment_run *run, segment_worker *worker, size_t i, size_t count,
                    void *const *at)
{
    segment_worker_begin(worker);
    ordo_status const status =
        run->job->rows(run->job->arg, i, count, run->view->length, at, &worker->exec);
    if (status == ORDO_OK)
        return true;
    note_failure(run, i, status, worker->why);
    return false;
}

/* Gathers segments i to i + count - 1 of one group, does the job on each, and writes them back. */
static bool do_block(segment_run *run, segment_worker *worker, size_t i, size_t count)
{
    const ordo_segments_job *const job = run->job;
    size_t const                   length = run->view->length;
    void                          *rooms[ORDO_SEGMENT_ARRAYS] = {NULL};
    char                          *room = worker->gathered;
    for (size_t a = 0; a < run->arrays; a++) {
        const ordo_segment_array *const array = &job->arrays[a];
        if (array->base == NULL)
            continue;
        rooms[a] = room;
        room += ordo_round_up(count * length * array->size, ORDO_CACHE_LINE);
        if (array->is_read)
            segment_copy(run->view, array, i, count, rooms[a], false);
    }
    if (run->has_rows) {
        if (!do_rows(run, worker, i, count, rooms))
            return false;
    } else {
        for (size_t c = 0; c < count; c++) {
            void *at[ORDO_SEGMENT_ARRAYS];
            for (size_t a = 0; a < run->arrays; a++)
                at[a] =
                    rooms[a] == NULL ? NULL : (char *)rooms[a] + c * length * job->arrays[a].size;
            if (!do_one(run, worker, i + c, length, at))
                return false;
        }
    }
    for (size_t a = 0; a < run->arrays; a++)
        if (rooms[a] != NULL && job->arrays[a].is_written)
            segment_copy(run->view, &job->arrays[a], i, count, rooms[a], true);
    return true;
}

static void start_of(const segment_run *run, size_t i, void **at)
{
    size_t const start = ordo_segment_start(run->view, i);
    for (size_t a = 0; a < run->arrays; a++) {
        const ordo_segment_array *const array = &run->job->arrays[a];
        at[a] = array->base == NULL ? NULL : (char *)array->base + start * array->size;
    }
}

static void blocks_batch(segment_run *run, segment_worker *worker, size_t first, size_t end)
{
    const ordo_segment_view *const view = run->view;
    if (view->length > run->large)
        return; /* all segments are large */
    for (size_t i = first, count; i < end; i += count) {
        count = ordo_min(ordo_min(run->block, end - i), view->group - i % view->group);
        if (!do_block(run, worker, i, count))
            return;
    }
}

static void rows_batch(segment_run *run, segment_worker *worker, size_t first, size_t end)
{
    void *at[ORDO_SEGMENT_ARRAYS];
    start_of(run, first, at);
    (void)do_rows(run, worker, first, end - first, at);
}

static void each_batch(segment_run *run, segment_worker *worker, size_t first, size_t end)
{
    void *at[ORDO_SEGMENT_ARRAYS];
    for (size_t i = first; i < end; i++) {
        size_t const n = ordo_segment_length(run->view, i);
        start_of(run, i, at);
        if (n <= run->large && !do_one(run, worker, i, n, at))
            return;
    }
}

/* Does no segments if an earlier one failed. */
static void do_batch(segment_run *run, segment_worker *worker, size_t first, size_t end)
{
    if (first < end && atomic_load_explicit(&run->failed, memory_order_relaxed) >= first)
        run->batch(run, worker, first, end);
}

static void batch_piece(void *arg, size_t lo, size_t hi)
{
    segment_run *const run = arg;
    for (size_t i = 0;; i = i + 1 < run->worker_count ? i + 1 : 0) {
        segment_worker *const worker = worker_at(run, i);
        if (atomic_flag_test_and_set_explicit(&worker->busy, memory_order_acquire))
            continue;
        worker->share = (double)lo / (double)run->cost;
        do_batch(run, worker, segment_at(run, lo), segment_at(run, hi));
        atomic_flag_clear_explicit(&worker->busy, memory_order_release);
        return;
    }
}

/* ---- Rows ---- */

void cpu_sort_rows(void *state, const ordo_rows_job *job)
{
    const cpu_loops *const loops = ((const cpu_kernels *)state)->loops;
    if (job->order != NULL)
        loops->order_rows[job->type](job->keys, job->rows, job->n, job->descending, job->order,
                                     job->ties);
    else
        loops->sort_rows[job->type](job->keys, job->rows, job->n, job->descending);
}

/* ---- The whole call ---- */

/* Does the large segments one after the other, each with all threads. */
static void do_large(segment_run *run, segment_worker *worker)
{
    const ordo_segment_view *const view = run->view;
    void                          *at[ORDO_SEGMENT_ARRAYS];
    bool                           going = true;
    worker->units = (unsigned)run->needs.larges + 1;
    for (size_t i = 0; going && i < view->count; i++) {
        size_t const n = ordo_segment_length(view, i);
        if (n <= run->large)
            continue;
        start_of(run, i, at);
        going = run->block > 0 ? do_block(run, worker, i, 1) : do_one(run, worker, i, n, at);
        worker->unit++;
    }
}

static ordo_status open_large(segment_run *run, segment_worker *worker)
{
    size_t const room = run->block > 0 ? room_of(run, 1) : 0;
    size_t       bytes = room + run->needs.large;
    void        *memory = NULL;
    segment_worker_open(worker, run->exec, &run->scratch_lock, true);
    if (bytes == 0)
        return ORDO_OK;
    ordo_status status = ordo_scratch(run->exec, bytes, &memory);
    if (status == ORDO_E_NOMEM && !run->job->needs_scratch) {
        bytes = room;
        status = room > 0 ? ordo_scratch(run->exec, room, &memory) : ORDO_OK;
    }
    if (status != ORDO_OK || memory == NULL)
        return status;
    worker->gathered = memory;
    worker->slab = worker->gathered + room;
    worker->bytes = bytes - room;
    return ORDO_OK;
}

/* Opens one worker on the stack of the caller, with room for one gathered segment and no slab. */
static ordo_status open_alone(segment_run *run, segment_worker *worker)
{
    void *memory = NULL;
    run->block = ordo_min(run->block, 1);
    run->room = run->block > 0 ? room_of(run, 1) : 0;
    run->needs.small = 0;
    if (run->room > 0)
        TRY(ordo_scratch(run->exec, run->room, &memory));
    run->workers = worker;
    run->worker_count = 1;
    segment_worker_open(worker, &run->outer, &run->scratch_lock, false);
    worker->gathered = memory;
    return ORDO_OK;
}

static ordo_status do_small(segment_run *run, segment_worker *alone)
{
    unsigned const larges = (unsigned)run->needs.larges;
    run->outer = *run->exec;
    run->outer.phase = run->exec->phase * (larges + 1) + larges;
    run->outer.phases = run->exec->phases * (larges + 1);
    if (alone->outer == NULL)
        divide_memory(run);
    size_t const grain = cpu_grain(run->cost);
    if (run->worker_count > 1)
        return cpu_done(ordo_loop(&run->outer, run->cost, grain, batch_piece, run));
    for (size_t lo = 0, hi; lo < run->cost; lo = hi) {
        hi = lo + ordo_min(grain, run->cost - lo);
        batch_piece(run, lo, hi);
        if (ordo_poll(&run->outer, (double)hi / (double)run->cost))
            return ORDO_E_CANCELLED;
    }
    return ORDO_OK;
}

static ordo_status run_all(segment_run *run)
{
    segment_worker large, alone = {.outer = NULL};
    bool const     has_large = run->needs.larges > 0;
    ordo_exec     *exec = run->exec;
    if (has_large)
        TRY(open_large(run, &large));
    ordo_status status = open_workers(run, workers_of(run));
    if (status == ORDO_E_NOMEM && !run->job->needs_scratch)
        status = open_alone(run, &alone);
    TRY(status);
    if (has_large)
        do_large(run, &large);
    if (atomic_load(&run->failed) == run->view->count)
        TRY(do_small(run, &alone));
    size_t const failed = atomic_load(&run->failed);
    if (failed == run->view->count)
        return ORDO_OK;
    if (run->status == ORDO_E_CANCELLED)
        return run->status;
    return run->view->count == 1
               ? ordo_fail(exec, run->status, "%s", run->why)
               : ordo_fail(exec, run->status, "segment %zu: %s", failed, run->why);
}

/* ---- The paths ---- */

static bool is_strided(cpu_look *look) { return look->block > 0; }

static bool is_of_rows(cpu_look *look) { return look->has_rows; }

static ordo_status run_batches(cpu_look *look, segment_batch *batch, bool *done)
{
    look->batch = batch;
    *done = true;
    return run_all(look);
}

static ordo_status run_blocks(cpu_look *look, bool *done)
{
    return run_batches(look, blocks_batch, done);
}

static ordo_status run_rows(cpu_look *look, bool *done)
{
    return run_batches(look, rows_batch, done);
}

static ordo_status run_each(cpu_look *look, bool *done)
{
    return run_batches(look, each_batch, done);
}

enum {
    SEGMENTS_PATHS = 3
};

static const cpu_path paths[SEGMENTS_PATHS] = {
    CPU_PATH("segments", "gathered", "the elements of a segment are apart", NULL, is_strided,
             run_blocks),
    CPU_PATH("segments", "rows", "short segments of one length, for the loop of rows", NULL,
             is_of_rows, run_rows),
    CPU_PATH("segments", "each", "all other segments", NULL, NULL, run_each),
};

const cpu_paths cpu_segments_paths = {paths, SEGMENTS_PATHS};

ordo_status cpu_segments(void *state, const ordo_segments_job *job, ordo_exec *exec)
{
    const cpu_kernels *const kernels = state;
    segment_run              run;
    ordo_status              status = ORDO_OK;
    prepare(&run, job, exec);
    if (job->view->count > 0)
        status = cpu_walk(paths, 0, SEGMENTS_PATHS, &run, exec);
    memset(&exec->facts, 0, offsetof(ordo_facts, device_status));
    exec->facts.strategy = ORDO_STRATEGY_SEGMENTS;
    exec->algorithm = run.algorithm != NULL ? run.algorithm : "rows";
    exec->isa = run.isa != NULL ? run.isa : kernels->isa;
    return status;
}
