/* measure_runs.c - the number of runs: maximal stretches of an array that are in order.
 *
 * A run begins at the first key and at every key that comes before its left neighbour. The loop
 * counts these keys without a branch. One read, no scratch. */
#include "cpu/rough/rough.h"

#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "cpu/rough/measure_runs.t.h"
#include "cpu/radix/for_each_record.h"

typedef struct runs_work {
    radix_io      keys;
    atomic_size_t falls; /* keys before their left neighbour */
} runs_work;

static size_t (*const falls[RECORD_KINDS])(const radix_io *keys, size_t lo,
                                           size_t hi) = RECORD_FUNCTIONS(falls);

static void runs_piece(void *arg, size_t lo, size_t hi)
{
    runs_work *const work = arg;
    size_t const     here = falls[work->keys.kind](&work->keys, lo, hi);
    atomic_fetch_add_explicit(&work->falls, here, memory_order_relaxed);
}

ordo_status cpu_runs(const cpu_kernels *kernels, const ordo_runs_job *job, ordo_exec *exec)
{
    runs_work work = {
        .keys = records_of_order(kernels, job->type, job->keys, job->n, job->descending, true)};
    atomic_init(&work.falls, 0);
    exec->algorithm = "compare";
    exec->isa = "generic";
    if (!ordo_loop(exec, job->n, cpu_grain(job->n), runs_piece, &work))
        return ORDO_E_CANCELLED;
    *job->runs = job->n == 0 ? 0 : atomic_load_explicit(&work.falls, memory_order_relaxed) + 1;
    return ORDO_OK;
}
