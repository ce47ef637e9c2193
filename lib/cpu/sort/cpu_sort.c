/* cpu_sort.c - sort of keys by the algorithm that the caller names, or by a path (sort_paths.h).
 *
 * Named algorithms sort whole records (record.h): in the memory of the keys, or in scratch if keys
 * are narrow or carry an index. If scratch is refused, auto and radix sort in place; a named
 * algorithm returns ORDO_E_NOMEM. Every failure occurs before the caller's arrays change. */
#include "backend/papers.h"
#include "cpu/radix/records.h"
#include "cpu/rough/rough.h"
#include "cpu/sort/sort_paths.h"
#include "cpu/sort/sort_steps.h"

static bool is_narrow(ordo_type type) { return ordo_type_size(type) < sizeof(uint32_t); }

/* ---- Named algorithms ---- */

static ordo_status paper_sort(const cpu_kernels *kernels, const cpu_records *records,
                              ordo_algorithm algorithm, size_t radius, ordo_exec *exec)
{
    const ordo_papers *const papers = exec->papers;
    if (papers == NULL)
        return ordo_no_paper(exec);
    switch (algorithm) {
    case ORDO_ALGORITHM_SAMPLE:
    case ORDO_ALGORITHM_INTERVALS:
        return papers->hybrid.sample(records, algorithm == ORDO_ALGORITHM_INTERVALS, kernels, exec);
    case ORDO_ALGORITHM_BITONIC:
        return papers->median.bitonic(records, exec);
    case ORDO_ALGORITHM_SPLIT:
        return papers->ballot.split(records, exec);
    case ORDO_ALGORITHM_BUBBLE:
        return papers->roughsort.bubble(records, exec);
    case ORDO_ALGORITHM_ROUGH:
        return papers->roughsort.rough(records, radius, exec);
    default:
        return papers->roughsort.halving(records, radius, exec);
    }
}

ordo_status cpu_records_sort(const cpu_kernels *kernels, const cpu_records *records,
                             ordo_algorithm algorithm, size_t radius, ordo_exec *exec)
{
    switch (algorithm) {
    case ORDO_ALGORITHM_SAMPLE:
    case ORDO_ALGORITHM_INTERVALS:
    case ORDO_ALGORITHM_BITONIC:
    case ORDO_ALGORITHM_SPLIT:
    case ORDO_ALGORITHM_BUBBLE:
    case ORDO_ALGORITHM_ROUGH:
    case ORDO_ALGORITHM_HALVING:
        return paper_sort(kernels, records, algorithm, radius, exec);
    case ORDO_ALGORITHM_INSERTION:
    case ORDO_ALGORITHM_GLOBAL:
        return ordo_fail(exec, ORDO_E_UNSUPPORTED,
                         "algorithm %s runs only on a GPU, but this call runs on the CPU; expected "
                         "device cuda",
                         algorithm == ORDO_ALGORITHM_INSERTION ? "insertion" : "global");
    case ORDO_ALGORITHM_WINDOWS:
        return cpu_records_windows(records, kernels, radius, exec);
    default:
        return cpu_records_merge(records, exec);
    }
}

size_t cpu_records_sort_scratch(enum record_kind kind, size_t n, ordo_algorithm algorithm,
                                const ordo_exec *exec)
{
    const ordo_papers *const papers = exec->papers;
    cpu_records const        records = {kind, NULL, n};
    switch (algorithm) {
    case ORDO_ALGORITHM_SAMPLE:
    case ORDO_ALGORITHM_INTERVALS:
        return papers == NULL
                   ? 0
                   : papers->hybrid.sample_scratch(&records, algorithm == ORDO_ALGORITHM_INTERVALS);
    case ORDO_ALGORITHM_MERGE:
        return cpu_records_merge_scratch(&records);
    case ORDO_ALGORITHM_SPLIT:
        return papers == NULL ? 0 : papers->ballot.split_scratch(&records);
    case ORDO_ALGORITHM_ROUGH:
    case ORDO_ALGORITHM_HALVING:
        return papers == NULL ? 0 : papers->roughsort.halving_scratch(&records);
    case ORDO_ALGORITHM_WINDOWS:
        return cpu_records_windows_scratch(kind, n, exec->threads);
    default:
        return 0;
    }
}

/* ---- Keys ---- */

/* Sorts keys of 8 or 16 bits by a named algorithm, as records in scratch. */
static ordo_status sort_widened(const cpu_kernels *kernels, const ordo_sort_job *job,
                                ordo_exec *exec)
{
    radix_io const io = records_of_keys(kernels, job);
    cpu_records    records = {io.kind, NULL, job->n};
    TRY(ordo_scratch(exec, job->n * record_size(io.kind), &records.array));
    TRY(records_load(&io, &records, exec));
    TRY(cpu_records_sort(kernels, &records, job->algorithm, job->radius, exec));
    exec->changed = true;
    return records_store(&io, &records, exec);
}

/* Sorts keys by a named algorithm, as records in their own memory. */
static ordo_status sort_as_records(const cpu_kernels *kernels, const ordo_sort_job *job,
                                   ordo_exec *exec)
{
    radix_io const    io = records_of_keys(kernels, job);
    cpu_records const records = {io.kind, job->keys, job->n};
    exec->changed = true;
    TRY(records_load(&io, &records, exec));
    ordo_status const status =
        cpu_records_sort(kernels, &records, job->algorithm, job->radius, exec);
    if (status == ORDO_E_CANCELLED)
        return status;
    TRY(records_store(&io, &records, exec));
    return status;
}

static ordo_status sort_here(const cpu_kernels *kernels, const ordo_sort_job *job, ordo_exec *exec);

/* Keys of another array. Only the radix sort and the vector sort of a few keys read them there; for
 * any other sort they are copied to their place first. */
static ordo_status sort_from(const cpu_kernels *kernels, const ordo_sort_job *job, ordo_exec *exec)
{
    size_t const bytes = job->n * ordo_type_size(job->type);
    if (job->algorithm == ORDO_ALGORITHM_AUTO && job->n < 2 * ORDO_TUNE_LOOK_KEYS &&
        cpu_vector_sort(kernels, job, exec))
        return ORDO_OK;
    if (cpu_is_radix(job->algorithm) && !is_narrow(job->type) && bytes > ORDO_RADIX_ALONE) {
        bool done;
        TRY(cpu_sort_from_by_path(kernels, job, &done, exec));
        if (done)
            return ORDO_OK;
    }
    ordo_copy_job const copy = {job->keys, job->source, bytes};
    ordo_sort_job       here = *job;
    here.source = NULL;
    TRY(cpu_copy(NULL, &copy, exec));
    return sort_here(kernels, &here, exec);
}

ordo_status cpu_sort(void *state, const ordo_sort_job *job, ordo_exec *exec)
{
    const cpu_kernels *const kernels = state;
    return job->source != NULL ? sort_from(kernels, job, exec) : sort_here(kernels, job, exec);
}

static ordo_status sort_here(const cpu_kernels *kernels, const ordo_sort_job *job, ordo_exec *exec)
{
    if (job->n < 2)
        return ORDO_OK;
    if (cpu_is_radix(job->algorithm))
        return cpu_sort_by_path(kernels, job, exec);
    return is_narrow(job->type) ? sort_widened(kernels, job, exec)
                                : sort_as_records(kernels, job, exec);
}

size_t cpu_sort_scratch(const ordo_sort_job *job, const ordo_exec *exec)
{
    unsigned const threads = exec->threads;
    if (job->n < 2)
        return 0;
    if (!cpu_is_radix(job->algorithm)) {
        size_t const records =
            is_narrow(job->type) ? ordo_round_up(job->n * sizeof(uint32_t), ORDO_CACHE_LINE) : 0;
        return records + cpu_records_sort_scratch(records_kind_of_keys(job->type), job->n,
                                                  job->algorithm, exec);
    }
    return cpu_sort_path_scratch(job, threads);
}
