/* counting.c - what the sorts that count keys share (few_values.h): each chunk of the keys is
 * counted in counters of its own, and the strays, the keys that are not counted, are collected and
 * sorted. If a chunk has too many strays, all stop. */
#include "cpu/radix/records.h"
#include "cpu/sort/few_values.h"

#include <string.h>

static void count_chunk(void *arg, size_t lo, size_t hi)
{
    count_run *const run = arg;
    size_t const     n = run->job->n, size = run->size, most = run->most_strays;
    for (size_t c = lo; c < hi; c++) {
        size_t const begin = ordo_min(c * run->chunk, n), end = ordo_min(begin + run->chunk, n);
        char *const  counts = run->counts + c * run->counts_size;
        char *const  strays = run->stray + c * run->stray_room * size;
        size_t       found = 0;
        memset(counts, 0, run->counts_size);
        for (size_t at = begin; at < end && found <= most; at += FEW_BLOCK) {
            size_t const other =
                run->count(run->table, run->in + at * size, ordo_min(FEW_BLOCK, end - at), counts,
                           strays + found * size);
            found = other == SIZE_MAX ? SIZE_MAX : found + other;
            if (at / FEW_BLOCK % 64 == 0 &&
                (ordo_poll(run->exec, (double)at / (double)n) ||
                 atomic_load_explicit(&run->too_many, memory_order_relaxed)))
                return;
        }
        run->strays[c] = found;
        if (found > most)
            atomic_store_explicit(&run->too_many, true, memory_order_relaxed);
    }
}

count_run cpu_count_begin(const cpu_kernels *kernels, const ordo_sort_job *job, ordo_exec *exec)
{
    return (count_run){.kernels = kernels,
                       .job = job,
                       .in = cpu_input(job),
                       .size = ordo_type_size(job->type),
                       .exec = exec};
}

ordo_status cpu_count_keys(count_run *run, bool *counted)
{
    atomic_init(&run->too_many, false);
    run->exec->phases += 2;
    if (!ordo_loop(run->exec, run->chunks, 1, count_chunk, run))
        return ORDO_E_CANCELLED;
    run->exec->phase++;
    *counted = !atomic_load_explicit(&run->too_many, memory_order_relaxed);
    return ORDO_OK;
}

ordo_status cpu_count_strays(count_run *run, const char *end)
{
    ordo_exec     inner = *run->exec;
    ordo_sort_job strays = *run->job;
    run->all_strays = 0;
    for (size_t c = 0; c < run->chunks; c++) {
        memmove(run->stray + run->all_strays * run->size,
                run->stray + c * run->stray_room * run->size, run->strays[c] * run->size);
        run->all_strays += run->strays[c];
    }
    strays.keys = run->stray;
    strays.n = run->all_strays;
    strays.source = NULL;
    if (strays.n < 2)
        return ORDO_OK;
    radix_io     io = records_of_keys(run->kernels, &strays);
    size_t const bytes = ordo_round_up(strays.n * run->size, ORDO_CACHE_LINE);
    if ((size_t)(end - run->stray) >= 2 * bytes)
        io.scratch = run->stray + bytes;
    return cpu_radix(&io, &inner);
}

void cpu_count_tell(const count_run *run, size_t values)
{
    ordo_exec *const exec = run->exec;
    exec->algorithm = "counting";
    exec->isa = run->kernels->loops->isa;
    exec->facts.input = ORDO_INPUT_EQUAL;
    exec->facts.strategy = ORDO_STRATEGY_VALUES;
    exec->facts.buckets = values;
}
