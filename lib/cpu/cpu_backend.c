/* cpu_backend.c - the CPU backend: always available, complete, and the reference for the others.
 * Its state is a constant table of kernels, so opening it takes no memory. */
#include "cpu/cpu.h"
#include "backend/backend.h"

#include <stdio.h>

static ordo_status open_cpu(void **state, const ordo_backend_wishes *wishes, char *why,
                            size_t why_size)
{
    const char *const        isa = wishes->isa != NULL && *wishes->isa != '\0' ? wishes->isa : NULL;
    const cpu_kernels *const kernels = cpu_isa_choose(isa);
    if (kernels == NULL) {
        snprintf(why, why_size, "ORDO_ISA is '%s'; this CPU and build have: %s", isa,
                 cpu_isa_all());
        return ORDO_E_ARG;
    }
    *state = (void *)kernels; /* never written */
    return ORDO_OK;
}

static void close_cpu(void *state) { (void)state; }

static const char *isa(const void *state) { return ((const cpu_kernels *)state)->isa; }

static const char *isa_all(const void *state)
{
    (void)state;
    return cpu_isa_all();
}

/* Verbs whose state is the table of kernels, and verbs that use no kernels. */
#define VERB(slot, job_type)                                                                       \
    static ordo_status slot(void *state, const job_type *job, ordo_exec *exec)                     \
    {                                                                                              \
        return cpu_##slot(state, job, exec);                                                       \
    }
#define VERB_WITHOUT_KERNELS(slot, job_type)                                                       \
    static ordo_status slot(void *state, const job_type *job, ordo_exec *exec)                     \
    {                                                                                              \
        (void)state;                                                                               \
        return cpu_##slot(job, exec);                                                              \
    }
VERB(sort, ordo_sort_job)
VERB(sort_pairs, ordo_pairs_job)
VERB(argsort, ordo_argsort_job)
VERB_WITHOUT_KERNELS(sort_by, ordo_by_job)
VERB(rank, ordo_rank_job)
VERB(topk, ordo_topk_job)
VERB_WITHOUT_KERNELS(count_nans, ordo_count_job)
VERB(scan, ordo_scan_job)
VERB(scan_bits, ordo_bits_job)
VERB(partition, ordo_partition_job)
VERB(is_sorted, ordo_order_job)
VERB(radius, ordo_radius_job)
VERB(runs, ordo_runs_job)
VERB_WITHOUT_KERNELS(copy, ordo_copy_job)
VERB_WITHOUT_KERNELS(permute, ordo_permute_job)
VERB(sample, ordo_sample_job)
VERB(argsort_strings, ordo_strings_job)
VERB(rank_strings, ordo_string_rank_job)
VERB_WITHOUT_KERNELS(select_strings, ordo_string_select_job)
VERB(sort_strings, ordo_string_copy_job)
VERB_WITHOUT_KERNELS(sort_pointers, ordo_pointers_job)
#undef VERB_WITHOUT_KERNELS
#undef VERB

static ordo_status select_keys(void *state, const ordo_select_job *job, ordo_exec *exec)
{
    return cpu_select(state, job, exec);
}

static ordo_status rank_sorted(void *state, const ordo_rank_sorted_job *job, ordo_exec *exec)
{
    if (job->algorithm >= ORDO_ALGORITHM_NAIVE)
        return ordo_fail(exec, ORDO_E_UNSUPPORTED,
                         "naive, shuffle and hybrid rank on a GPU; this context uses the CPU");
    if (job->algorithm != ORDO_ALGORITHM_AUTO)
        return cpu_rank_paper(job, exec);
    return cpu_rank_sorted(state, job, exec);
}

static void divide(void *state, const ordo_divide_job *job) { cpu_divide(state, job); }

/* The scratch of a job depends on the job and the number of threads. */
#define SCRATCH(slot, job_type)                                                                    \
    static size_t slot(const job_type *job, const ordo_exec *exec)                                 \
    {                                                                                              \
        return cpu_##slot(job, exec->threads);                                                     \
    }
SCRATCH(sort_scratch, ordo_sort_job)
SCRATCH(sort_pairs_scratch, ordo_pairs_job)
SCRATCH(argsort_scratch, ordo_argsort_job)
SCRATCH(rank_scratch, ordo_rank_job)
SCRATCH(select_scratch, ordo_select_job)
SCRATCH(topk_scratch, ordo_topk_job)
SCRATCH(rank_sorted_scratch, ordo_rank_sorted_job)
SCRATCH(partition_scratch, ordo_partition_job)
SCRATCH(radius_scratch, ordo_radius_job)
#undef SCRATCH

const ordo_backend *ordo_cpu_backend(void)
{
    static const ordo_backend backend = {
        .abi = ORDO_BACKEND_ABI,
        .struct_size = sizeof(ordo_backend),
        .name = "cpu",
        .open = open_cpu,
        .close = close_cpu,
        .isa = isa,
        .isa_all = isa_all,
        .argsort_strings = argsort_strings,
        .rank_strings = rank_strings,
        .select_strings = select_strings,
        .sort_strings = sort_strings,
        .sort_pointers = sort_pointers,
        .sort = sort,
        .sort_scratch = sort_scratch,
        .sort_pairs = sort_pairs,
        .sort_pairs_scratch = sort_pairs_scratch,
        .argsort = argsort,
        .argsort_scratch = argsort_scratch,
        .rank = rank,
        .rank_scratch = rank_scratch,
        .sort_by = sort_by,
        .select = select_keys,
        .select_scratch = select_scratch,
        .topk = topk,
        .topk_scratch = topk_scratch,
        .count_nans = count_nans,
        .rank_sorted = rank_sorted,
        .rank_sorted_scratch = rank_sorted_scratch,
        .scan = scan,
        .scan_bits = scan_bits,
        .partition = partition,
        .partition_scratch = partition_scratch,
        .is_sorted = is_sorted,
        .radius = radius,
        .radius_scratch = radius_scratch,
        .runs = runs,
        .copy = copy,
        .divide = divide,
        .permute = permute,
        .sample = sample,
        .sample_work = cpu_sample_work,
    };
    return &backend;
}
