/* cpu_order.c - ordo_is_sorted, and the threaded copy.
 *
 * Pieces are checked from left to right. After a key out of order is found, later pieces are
 * skipped, so an unsorted array costs little. The lowest index found is the result. */
#include "backend/copy.h"
#include "cpu/base/cpu.h"

typedef struct order_work {
    const ordo_order_job *job;
    cpu_first_step_fn    *first_step;
    _Atomic uint64_t      wrong; /* the lowest index found out of order, or n */
} order_work;

static void order_piece(void *arg, size_t lo, size_t hi)
{
    order_work *const work = arg;
    if (atomic_load_explicit(&work->wrong, memory_order_relaxed) < lo)
        return;
    size_t const wrong =
        work->first_step(work->job->keys, ordo_max(lo, 1), hi,
                         CPU_STEP_TIES | (work->job->descending ? CPU_STEP_DOWN : 0));
    if (wrong < hi)
        cpu_keep_least(&work->wrong, wrong);
}

ordo_status cpu_is_sorted(void *state, const ordo_order_job *job, ordo_exec *exec)
{
    const cpu_kernels *const kernels = state;
    order_work work = {.job = job, .first_step = kernels->loops->first_step[job->type]};
    atomic_init(&work.wrong, job->n);
    exec->algorithm = "compare";
    exec->isa = kernels->isa;
    if (!ordo_loop(exec, job->n, cpu_grain(job->n), order_piece, &work))
        return ORDO_E_CANCELLED;
    *job->where = atomic_load_explicit(&work.wrong, memory_order_relaxed);
    return ORDO_OK;
}

/* One piece per thread, but no piece so small that waking a thread costs more than the copy. memcpy
 * itself bypasses the cache for large pieces. */
ordo_status cpu_copy(void *state, const ordo_copy_job *job, ordo_exec *exec)
{
    (void)state;
    size_t const share = ordo_round_up(ordo_div_up(job->bytes, exec->threads), 4096);
    exec->algorithm = "memcpy";
    exec->isa = "generic";
    return cpu_done(ordo_copy_bytes(exec, job->dst, job->src, job->bytes,
                                    ordo_max(share, 8 * (size_t)ORDO_TUNE_ALONE)));
}
