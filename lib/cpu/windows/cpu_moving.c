/* cpu_moving.c - medians, quantiles, ranks, minima and maxima of a moving window.
 *
 * The outputs are cut into chunks; the elements of neighbouring chunks overlap by a window less one
 * element. Threads do the chunks as segments (segments/cpu_segments.c), each with its own scratch.
 * Minima and maxima need scratch for a few windows (moving_type.t.h). For the other
 * results a chunk is sorted once, and the window is a set of sorted places (moving_sweep.t.h). J.
 * Suomela, "Median filtering is equivalent to sorting" (2014), also sorts first, but keeps linked
 * lists instead of bits. If scratch is refused, the chunks become shorter. */
#include "cpu/windows/moving.h"
#include "backend/layout.h"
#include "cpu/base/cpu.h"

#include <assert.h>
#include <string.h>

#define MOST_ELEMENTS ((size_t)1 << 31) /* of a chunk: places are 32-bit numbers */

typedef struct moving_plan {
    const cpu_kernels     *kernels;
    void                  *state;
    const ordo_moving_job *job;
    size_t                 outputs; /* outputs of a chunk */
} moving_plan;

static bool is_bound(const ordo_moving_job *job)
{
    return job->op == ORDO_MOVING_MIN || job->op == ORDO_MOVING_MAX;
}

static size_t overlap_of(const ordo_moving_job *job) { return job->back + job->ahead; }

/* The most elements of a chunk with this many outputs. */
static size_t most_elements(const ordo_moving_job *job, size_t outputs)
{
    return ordo_min(outputs + overlap_of(job), job->n);
}

/* The number of outputs of a chunk. Chunks are shorter if the array has few of them, so that no
 * thread is idle, but never shorter than the window. `small`: the shortest chunks. */
static size_t outputs_of(const ordo_moving_job *job, unsigned threads, bool small)
{
    size_t const window = overlap_of(job) + 1;
    size_t const wanted = is_bound(job)
                              ? ordo_max(ORDO_TUNE_PIECE, ORDO_TUNE_MOVING_BOUNDS_WINDOWS * window)
                              : ordo_max(ORDO_TUNE_MOVING_CHUNK, ORDO_TUNE_MOVING_WINDOWS * window);
    size_t const share = ordo_div_up(job->n, 2 * (size_t)threads);
    size_t const least = ordo_min(ordo_max(window, ORDO_TUNE_MOVING_CHUNK), wanted);
    size_t const outputs = small ? least : ordo_max(ordo_min(wanted, share), least);
    size_t const most =
        is_bound(job) ? SIZE_MAX : MOST_ELEMENTS - ordo_min(window, MOST_ELEMENTS / 2);
    return ordo_max(ordo_min(ordo_min(outputs, most), job->n), 1);
}

/* ---- Scratch of a chunk ---- */

static void lay_out_set(moving_set *set, size_t count, ordo_layout *layout)
{
    set->levels = 0;
    for (size_t bits = count; bits > 0; bits = bits > 1 ? ordo_div_up(bits, 64) : 0)
        set->level[set->levels++] = ordo_lay(layout, ordo_div_up(bits, 64) + 1, sizeof(uint64_t));
}

static void lay_out_counts(moving_counts *counts, size_t count, ordo_layout *layout)
{
    counts->groups = (count >> MOVING_GROUP_BITS) + 1;
    counts->words = ordo_lay(layout, counts->groups * MOVING_GROUP_WORDS, sizeof *counts->words);
    counts->tree = ordo_lay(layout, counts->groups + 1, sizeof *counts->tree);
}

/* Values or ties, place and index per element, and the set, which is cleared. Minima and maxima:
 * codes of a tile or of a block, its prefixes and the suffixes of two blocks. */
static void lay_out(void *arg, ordo_layout *layout)
{
    moving_chunk *const          chunk = arg;
    const ordo_moving_job *const job = chunk->job;
    size_t const                 count = chunk->to - chunk->from, window = overlap_of(job) + 1;
    if (is_bound(job)) {
        bool const   is_short = window <= MOVING_SHORT;
        size_t const tile = ordo_min(ORDO_TUNE_SPAN, chunk->hi - chunk->lo) + window;
        chunk->codes =
            ordo_lay(layout, is_short ? tile : 4 * window + 1, ordo_type_size(job->type));
        return;
    }
    if (job->op == ORDO_MOVING_RANK) {
        chunk->tie_start = ordo_lay(layout, count, sizeof *chunk->tie_start);
        chunk->tie_end = ordo_lay(layout, count, sizeof *chunk->tie_end);
    } else {
        chunk->values = ordo_lay(layout, count, sizeof *chunk->values);
    }
    size_t const before = layout->bytes;
    if (job->op == ORDO_MOVING_RANK)
        lay_out_counts(&chunk->counts, count, layout);
    else
        lay_out_set(&chunk->set, count, layout);
    if (layout->base != NULL)
        memset(layout->base + before, 0, layout->bytes - before);
    chunk->place = ordo_lay(layout, count, sizeof *chunk->place);
    chunk->index = ordo_lay(layout, count, sizeof *chunk->index);
}

static ordo_argsort_job order_of(const ordo_moving_job *job, size_t count)
{
    return (ordo_argsort_job){.type = job->type,
                              .n = count,
                              .descending = job->descending,
                              .algorithm = ORDO_ALGORITHM_AUTO,
                              .index_type = ORDO_U32};
}

static size_t chunk_scratch(const void *arg, size_t outputs, const ordo_exec *exec)
{
    const ordo_moving_job *const job = ((const moving_plan *)arg)->job;
    moving_chunk           chunk = {.job = job, .hi = outputs, .to = most_elements(job, outputs)};
    ordo_argsort_job const order = order_of(job, chunk.to);
    size_t const           bytes = ordo_layout_bytes(lay_out, &chunk);
    return is_bound(job) ? bytes : bytes + cpu_argsort_scratch(&order, exec);
}

/* ---- One chunk ---- */

static ordo_status sweep(const moving_plan *plan, moving_chunk *chunk, ordo_exec *exec)
{
    const ordo_moving_job *const job = plan->job;
    const moving_loops *const    loops = plan->kernels->loops->moving;
    size_t const                 count = chunk->to - chunk->from;
    ordo_argsort_job             order = order_of(job, count);
    order.keys = (const char *)job->in + chunk->from * ordo_type_size(job->type);
    order.index = chunk->index;
    exec->phases *= 2;
    exec->phase *= 2;
    TRY(cpu_argsort(plan->state, &order, exec));
    exec->phase++;
    loops->places[job->type](chunk);
    while (chunk->next < chunk->hi) {
        size_t const end = ordo_min(chunk->next + ORDO_TUNE_PIECE, chunk->hi);
        (job->op == ORDO_MOVING_RANK ? loops->rank : loops->quantile)(chunk, end);
        double const done = (double)(end - chunk->lo) / (double)(chunk->hi - chunk->lo);
        if (end < chunk->hi && ordo_poll(exec, done))
            return ORDO_E_CANCELLED;
    }
    return ORDO_OK;
}

static moving_chunk chunk_of(const ordo_moving_job *job, size_t lo, size_t hi)
{
    size_t const first = moving_first(job, lo);
    return (moving_chunk){.job = job,
                          .lo = lo,
                          .hi = hi,
                          .from = first,
                          .to = moving_end(job, hi - 1),
                          .next = lo,
                          .head = first,
                          .tail = first};
}

/* The arrays of the chunk are laid out. */
static ordo_status fill_chunk(const moving_plan *plan, moving_chunk *chunk, ordo_exec *exec)
{
    exec->isa = plan->kernels->loops->isa;
    if (!is_bound(plan->job))
        return sweep(plan, chunk, exec);
    plan->kernels->loops->moving->bounds[plan->job->type](chunk);
    return ORDO_OK;
}

static ordo_status do_chunk(const void *arg, size_t i, size_t n, void *const *at, ordo_exec *exec)
{
    const moving_plan *const plan = arg;
    size_t const             lo = i * plan->outputs;
    moving_chunk             chunk = chunk_of(plan->job, lo, ordo_min(lo + n, plan->job->n));
    (void)at;
    TRY(ordo_lay_out(exec, lay_out, &chunk));
    return fill_chunk(plan, &chunk, exec);
}

/* Whether the loops of moving_few.t.h take less time than one chunk. EPYC with AVX2, microseconds
 * of a call from Python, one chunk and these loops, for 10 elements with windows of 4, and 30 and
 * 64 elements with windows of 30: ranks 0.84, 0.56; 1.11, 0.74; 1.85, 1.25; medians 0.82, 0.63;
 * 1.17, 0.95; 1.59, 2.26. */
static bool has_few_loop(const ordo_moving_job *job)
{
    if (job->op == ORDO_MOVING_RANK)
        return job->ties != ORDO_TIES_DENSE;
    return !is_bound(job) && job->n <= MOVING_FEW / 2;
}

/* A few elements take less time than the work of many threads to start. They have loops of their
 * own, or are one chunk, whose arrays are on the stack. */
static ordo_status do_few(const moving_plan *plan, ordo_exec *exec)
{
    enum {
        ROOM = 5 * (2 * MOVING_FEW + 1) * sizeof(uint64_t) /* four windows, or ties and counts */
    };
    if (has_few_loop(plan->job)) {
        plan->kernels->loops->moving->few[plan->job->type](plan->job);
        return ORDO_OK;
    }
    _Alignas(ORDO_CACHE_LINE) char room[ROOM];
    ordo_layout                    layout = {room, 0};
    moving_chunk                   chunk = chunk_of(plan->job, 0, plan->job->n);
    lay_out(&chunk, &layout);
    assert(layout.bytes <= sizeof room);
    return fill_chunk(plan, &chunk, exec);
}

/* ---- The job ---- */

static ordo_segments_job chunks_of(const moving_plan *plan, ordo_segment_view *view)
{
    size_t const count = ordo_div_up(plan->job->n, plan->outputs);
    *view = (ordo_segment_view){.count = count,
                                .length = plan->outputs,
                                .stride = plan->outputs,
                                .step = 1,
                                .group = count,
                                .group_stride = count * plan->outputs};
    return (ordo_segments_job){.view = view,
                               .one = do_chunk,
                               .scratch = chunk_scratch,
                               .needs_scratch = true,
                               .arg = plan};
}

ordo_status cpu_moving(void *state, const ordo_moving_job *job, ordo_exec *exec)
{
    moving_plan       plan = {.kernels = state, .state = state, .job = job};
    ordo_segment_view view;
    bool const        few = job->n > 0 && job->n <= MOVING_FEW;
    ordo_status       status = few ? do_few(&plan, exec) : ORDO_OK;
    for (int small = 0; small <= 1 && job->n > 0 && !few; small++) {
        plan.outputs = outputs_of(job, exec->threads, small == 1);
        ordo_segments_job const chunks = chunks_of(&plan, &view);
        status = cpu_segments(state, &chunks, exec);
        if (status != ORDO_E_NOMEM)
            break;
    }
    exec->facts.strategy = ORDO_STRATEGY_PLAIN;
    exec->algorithm = is_bound(job)              ? "blocks"
                      : few && has_few_loop(job) ? "each_window"
                                                 : "sorted_chunks";
    exec->isa = plan.kernels->loops->isa;
    return status;
}

size_t cpu_moving_scratch(const ordo_moving_job *job, const ordo_exec *exec)
{
    moving_plan const plan = {.job = job, .outputs = outputs_of(job, exec->threads, false)};
    ordo_segment_view view;
    if (job->n == 0)
        return 0;
    ordo_segments_job const chunks = chunks_of(&plan, &view);
    return cpu_segments_scratch(&chunks, exec);
}
