/* adaptive.c - argsort, pairs and ranks of keys that are sorted or reversed already, in the order
 * in which keys tie. A sample of neighbours (sort_look.h) rules out most arrays; a small array is
 * checked as a whole. */
#include "cpu/rough/rough.h"
#include "cpu/sort/sort_look.h"
#include "cpu/sort/sort_steps.h"

static ordo_status look_folded(const cpu_kernels *kernels, const ordo_sort_job *job, bool *sorted,
                               bool *reversed, ordo_exec *exec)
{
    if (job->n < 2 * ORDO_TUNE_LOOK_KEYS)
        return ORDO_OK;
    exec->isa = kernels->loops->isa;
    if (job->n <= ORDO_TUNE_LOOK_ALL) {
        look_at_all(kernels, job, CPU_STEP_TIES, sorted, reversed);
    } else {
        radix_io const  io = look_order(kernels, job, true);
        look_view const view = look_neighbours(&io, exec->seed);
        if (look_shows_runs(&view, 1))
            TRY(cpu_is_one_run(&io, job->type, false, sorted, exec));
        else if (view.falls == view.looked && view.far_rises == 0)
            TRY(cpu_is_one_run(&io, job->type, true, reversed, exec));
    }
    return ORDO_OK;
}

static void tell_order(bool reversed, ordo_exec *exec)
{
    exec->algorithm = reversed ? "reverse" : "sorted";
    exec->facts.input = reversed ? ORDO_INPUT_REVERSED : ORDO_INPUT_SORTED;
    exec->facts.strategy = reversed ? ORDO_STRATEGY_REVERSE : ORDO_STRATEGY_PLAIN;
}

ordo_status cpu_rank_adaptive(const cpu_kernels *kernels, const ordo_rank_job *job, bool *sorted,
                              bool *reversed, ordo_exec *exec)
{
    ordo_sort_job const keys = {.type = job->type,
                                .keys = (void *)job->keys,
                                .n = job->n,
                                .descending = job->descending}; /* only read */
    *sorted = *reversed = false;
    TRY(look_folded(kernels, &keys, sorted, reversed, exec));
    if (*sorted || *reversed)
        tell_order(*reversed, exec);
    return ORDO_OK;
}

ordo_status cpu_argsort_adaptive(const cpu_kernels *kernels, const ordo_argsort_job *job,
                                 bool *done, ordo_exec *exec)
{
    ordo_sort_job const keys = {.type = job->type,
                                .keys = (void *)job->keys,
                                .n = job->n,
                                .descending = job->descending}; /* only read */
    bool                sorted = false, reversed = false;
    *done = cpu_small_argsort(kernels, job, exec);
    if (*done)
        return ORDO_OK;
    TRY(look_folded(kernels, &keys, &sorted, &reversed, exec));
    if (!sorted && !reversed) {
        *done = cpu_vector_argsort(kernels, job, exec);
        return cpu_done(!*done || !ordo_poll(exec, 1));
    }
    *done = true;
    tell_order(reversed, exec);
    return cpu_index_in_order(job, reversed, exec);
}

ordo_status cpu_pairs_adaptive(const cpu_kernels *kernels, const ordo_pairs_job *job, bool *done,
                               ordo_exec *exec)
{
    const ordo_sort_job *const keys = &job->keys;
    bool                       sorted = false, reversed = false;
    *done = cpu_small_pairs(job, exec);
    if (*done)
        return ORDO_OK;
    TRY(look_folded(kernels, keys, &sorted, &reversed, exec));
    *done = sorted || reversed;
    if (*done)
        tell_order(reversed, exec);
    if (!reversed)
        return ORDO_OK;
    TRY(cpu_reverse_array(keys->keys, ordo_type_size(keys->type), keys->n, exec));
    return cpu_reverse_array(job->values, job->value_size, keys->n, exec);
}
