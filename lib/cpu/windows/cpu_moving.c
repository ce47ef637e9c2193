/* cpu_moving.c - medians, quantiles, ranks, minima and maxima of a moving window.
 *
 * The outputs are cut into chunks; the elements of neighbouring chunks overlap by a window less one
 * element. Threads do the chunks as segments (segments/cpu_segments.c), each with its own scratch.
 * Minima and maxima need scratch for a few windows (moving_type.t.h). For the other
 * results a chunk is sorted once, and the window is a set of sorted places (moving_sweep.t.h). J.
 * Suomela, "Median filtering is equivalent to sorting" (2014), also sorts first, but keeps linked
 * lists instead of bits. If scratch is refused, the chunks become shorter. */
#include "cpu/windows/moving.h"
#include "cpu/base/cpu.h"

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
    size_t const wanted =
        is_bound(job) ? ordo_max(ORDO_TUNE_MOVING_BOUNDS, ORDO_TUNE_MOVING_BOUNDS_WINDOWS * window)
                      : ordo_max(ORDO_TUNE_MOVING_CHUNK, ORDO_TUNE_MOVING_WINDOWS * window);
    size_t const share = ordo_div_up(job->n, 2 * (size_t)threads);
    size_t const least = ordo_min(ordo_max(window, ORDO_TUNE_MOVING_LEAST), wanted);
    size_t const outputs = small ? least : ordo_max(ordo_min(wanted, share), least);
    size_t const most =
        is_bound(job) ? SIZE_MAX : MOST_ELEMENTS - ordo_min(window, MOST_ELEMENTS / 2);
    return ordo_max(ordo_min(ordo_min(outputs, most), job->n), 1);
}

/* ---- Scratch of a chunk ---- */

static size_t words_of(size_t bits) { return ordo_div_up(bits, 64) + 1; }

/* Words of all levels of a set. */
static size_t set_words(size_t count)
{
    size_t all = 0;
    for (size_t bits = count; bits > 0; bits = bits > 1 ? ordo_div_up(bits, 64) : 0)
        all += words_of(bits);
    return all;
}

static size_t groups_of(size_t count) { return (count >> MOVING_GROUP_BITS) + 1; }

static size_t count_bytes(size_t count)
{
    size_t const groups = groups_of(count);
    return groups * MOVING_GROUP_WORDS * sizeof(uint64_t) +
           ordo_round_up((groups + 1) * sizeof(uint32_t), sizeof(uint64_t));
}

static size_t zeroed_bytes(const ordo_moving_job *job, size_t count)
{
    return job->op == ORDO_MOVING_RANK ? count_bytes(count) : set_words(count) * sizeof(uint64_t);
}

/* Minima and maxima: codes of a tile or of a block, its prefixes and the suffixes of two blocks. */
static size_t bound_bytes(const ordo_moving_job *job)
{
    size_t const window = overlap_of(job) + 1;
    size_t const codes =
        window <= ORDO_TUNE_MOVING_SHORT ? ORDO_TUNE_MOVING_TILE + window : 4 * window + 1;
    return codes * ordo_type_size(job->type);
}

/* Values (f64) or ties (two numbers), place and index per element, and the set. */
static size_t chunk_bytes(const ordo_moving_job *job, size_t outputs)
{
    if (is_bound(job))
        return bound_bytes(job);
    size_t const count = most_elements(job, outputs);
    return count * (sizeof(double) + 2 * sizeof(uint32_t)) + zeroed_bytes(job, count);
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
    const moving_plan *const plan = arg;
    if (is_bound(plan->job))
        return chunk_bytes(plan->job, outputs);
    ordo_argsort_job const order = order_of(plan->job, most_elements(plan->job, outputs));
    return ordo_round_up(chunk_bytes(plan->job, outputs), ORDO_CACHE_LINE) +
           cpu_argsort_scratch(&order, exec);
}

/* ---- One chunk ---- */

static void divide_scratch(moving_chunk *chunk, char *memory, size_t count)
{
    chunk->values = (double *)(void *)memory;
    chunk->tie_start = (uint32_t *)(void *)memory;
    chunk->tie_end = chunk->tie_start + count;
    memory += count * sizeof(double);
    uint64_t *words = (uint64_t *)(void *)memory;
    memset(memory, 0, zeroed_bytes(chunk->job, count));
    if (chunk->job->op == ORDO_MOVING_RANK) {
        chunk->counts.words = words;
        chunk->counts.groups = groups_of(count);
        chunk->counts.tree = (uint32_t *)(words + chunk->counts.groups * MOVING_GROUP_WORDS);
    } else {
        for (size_t bits = count; bits > 0; bits = bits > 1 ? ordo_div_up(bits, 64) : 0) {
            chunk->set.level[chunk->set.levels++] = words;
            words += words_of(bits);
        }
    }
    memory += zeroed_bytes(chunk->job, count);
    chunk->place = (uint32_t *)(void *)memory;
    chunk->index = chunk->place + count;
}

static ordo_status sweep(const moving_plan *plan, moving_chunk *chunk, ordo_exec *exec)
{
    const ordo_moving_job *const job = plan->job;
    const moving_loops *const    loops = plan->kernels->loops->moving;
    size_t const                 count = chunk->to - chunk->from;
    ordo_argsort_job             order = order_of(job, count);
    char                        *memory;
    TRY_SCRATCH(exec, chunk_bytes(job, chunk->hi - chunk->lo), memory);
    divide_scratch(chunk, memory, count);
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

static ordo_status do_chunk(const void *arg, size_t i, size_t n, void *const *at, ordo_exec *exec)
{
    const moving_plan *const     plan = arg;
    const ordo_moving_job *const job = plan->job;
    size_t const                 lo = i * plan->outputs;
    size_t const                 hi = ordo_min(lo + n, job->n);
    moving_chunk                 chunk = {.job = job, .lo = lo, .hi = hi, .next = lo};
    (void)at;
    chunk.from = chunk.head = chunk.tail = moving_first(job, lo);
    chunk.to = moving_end(job, hi - 1);
    exec->isa = plan->kernels->loops->isa;
    if (!is_bound(job))
        return sweep(plan, &chunk, exec);
    char *memory;
    TRY_SCRATCH(exec, chunk_bytes(job, hi - lo), memory);
    chunk.codes = memory;
    plan->kernels->loops->moving->bounds[job->type](&chunk);
    return ORDO_OK;
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
    ordo_status       status = ORDO_OK;
    for (int small = 0; small <= 1 && job->n > 0; small++) {
        plan.outputs = outputs_of(job, exec->threads, small == 1);
        ordo_segments_job const chunks = chunks_of(&plan, &view);
        status = cpu_segments(state, &chunks, exec);
        if (status != ORDO_E_NOMEM)
            break;
    }
    exec->facts.strategy = ORDO_STRATEGY_PLAIN;
    exec->algorithm = is_bound(job) ? "blocks" : "sorted_chunks";
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
