/* cpu_backend.c - the CPU as a backend: always there, complete, the reference for the others.
 * Its state is a table of kernels, which is constant: opening it takes no memory. */
#include "cpu/cpu.h"
#include "plan/backend.h"

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
    *state = (void *)kernels; /* never written through */
    return ORDO_OK;
}

static void close_cpu(void *state) { (void)state; }

static const char *isa(const void *state) { return ((const cpu_kernels *)state)->isa; }

static const char *isa_all(const void *state)
{
    (void)state;
    return cpu_isa_all();
}

static ordo_status rank_sorted(void *state, const ordo_rank_job *job, ordo_exec *exec)
{
    if (job->algorithm != ORDO_ALGORITHM_AUTO)
        return cpu_rank_paper(job, exec);
    return cpu_rank_sorted(state, job, exec);
}

static ordo_status scan(void *state, const ordo_scan_job *job, ordo_exec *exec)
{
    return cpu_scan(state, job, exec);
}

static ordo_status scan_bits(void *state, const ordo_bits_job *job, ordo_exec *exec)
{
    return cpu_scan_bits(state, job, exec);
}

static ordo_status partition(void *state, const ordo_partition_job *job, ordo_exec *exec)
{
    return cpu_partition(state, job, exec);
}

static ordo_status is_sorted(void *state, const ordo_order_job *job, ordo_exec *exec)
{
    (void)state;
    return cpu_is_sorted(job, exec);
}

static ordo_status copy(void *state, const ordo_copy_job *job, ordo_exec *exec)
{
    (void)state;
    return cpu_copy(job, exec);
}

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
        .rank_sorted = rank_sorted,
        .rank_sorted_scratch = cpu_rank_sorted_scratch,
        .scan = scan,
        .scan_bits = scan_bits,
        .partition = partition,
        .partition_scratch = cpu_partition_scratch,
        .is_sorted = is_sorted,
        .copy = copy,
    };
    return &backend;
}
