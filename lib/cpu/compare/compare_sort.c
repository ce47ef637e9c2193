/* compare_sort.c - sorts elements of any size by the caller's comparison: sample sort
 * (compare_sample.c), or merge sort (compare_merge.c) if the sort must be stable.
 *
 * Large elements stay in place while pointers to them are sorted; then they are moved along the
 * cycles of the permutation. Scratch: n elements, or two pointers per large element, and some bytes
 * per element. A cancelled call first copies the elements in scratch back, which may take as long
 * as one copy of the array. */
#include "cpu/base/cpu.h"
#include "cpu/compare/compare_sort.h"
#include "cpu/elements/elements.h"

typedef struct pointers_work {
    const ordo_by_job *job;
    char             **pointers;
} pointers_work;

static void fill_pointers(void *arg, size_t lo, size_t hi)
{
    const pointers_work *const work = arg;
    for (size_t i = lo; i < hi; i++)
        work->pointers[i] = (char *)work->job->base + i * work->job->size;
}

/* Turns sorted pointers into the indices of their elements. */
static void number_pointers(void *arg, size_t lo, size_t hi)
{
    const pointers_work *const work = arg;
    size_t *const              index = (size_t *)(void *)work->pointers;
    for (size_t i = lo; i < hi; i++)
        index[i] = (size_t)(work->pointers[i] - (char *)work->job->base) / work->job->size;
}

static bool sort_work(const compare_work *work, bool stable, void *block)
{
    ordo_exec *const exec = work->exec;
    exec->phase = 0;
    exec->phases = (stable ? 1 + compare_merge_passes(work->n) : 3) + work->indirect;
    return stable ? compare_merge_all(work, 0, work->n) : compare_sample_all(work, block);
}

ordo_status cpu_sort_by(void *state, const ordo_by_job *job, ordo_exec *exec)
{
    (void)state;
    bool const   indirect = job->size > COMPARE_LARGE;
    size_t const n = job->n;
    compare_work work = {.base = job->base,
                         .n = n,
                         .size = indirect ? sizeof(char *) : job->size,
                         .compare = job->compare,
                         .user = job->user,
                         .indirect = indirect,
                         .exec = exec};
    void        *pointers = NULL, *spare = NULL, *buffer, *cuts, *block = NULL;

    exec->algorithm = job->stable ? "merge" : "sample";
    exec->isa = "generic";
    exec->facts.strategy = indirect ? ORDO_STRATEGY_POINTERS : ORDO_STRATEGY_PLAIN;
    if (n < 2)
        return ORDO_OK;
    TRY(ordo_scratch(exec, n * work.size, &buffer));
    TRY(ordo_scratch(exec, ordo_div_up(n, COMPARE_BLOCK) * sizeof(size_t), &cuts));
    if (!job->stable)
        TRY(ordo_scratch(exec, compare_sample_scratch(n), &block));
    work.buffer = buffer;
    work.cuts = cuts;
    if (!indirect)
        return cpu_done(sort_work(&work, job->stable, block));

    TRY(ordo_scratch(exec, n * sizeof(char *), &pointers));
    TRY(ordo_scratch(exec, job->size, &spare));
    pointers_work fill = {job, pointers};
    work.base = pointers;
    if (!ordo_loop(exec, n, cpu_grain(n), fill_pointers, &fill) ||
        !sort_work(&work, job->stable, block) ||
        !ordo_loop(exec, n, cpu_grain(n), number_pointers, &fill))
        return ORDO_E_CANCELLED;
    return cpu_done(element_permute(job->base, job->size, n, pointers,
                                    sizeof(size_t) == sizeof(uint32_t), spare, exec));
}
