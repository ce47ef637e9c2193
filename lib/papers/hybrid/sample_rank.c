/* sample_rank.c - ranks of numbers by the sample sort of S. Subashini and N. Ramya, "Hybrid
 * Comparison Sorting", on the CPU and the GPUs.
 *
 * All devices find the order of the keys in the four phases (sample_sort.c). The CPU then gathers
 * the keys in this order, ranks the sorted keys and scatters the ranks to the places of the keys.
 * This time counts as phase IV. Host memory: an index, a key and a rank per key, and that of the
 * sample sort. */
#define _POSIX_C_SOURCE 200809L
#include "backend/profile.h"
#include "papers/hybrid/sample_call.h"

/* Ranks the keys; `index` has their order. */
static ordo_status rank_in_order(const ordo_both *both, const hybrid_records *records,
                                 const ordo_rank_job *job, const void *index, ordo_exec *exec)
{
    const ordo_backend *const cpu = both->cpu;
    size_t const              n = job->n, rank_size = ordo_type_size(job->rank_type);
    ordo_type const index_type = records->value_size == sizeof(uint32_t) ? ORDO_U32 : ORDO_U64;
    void           *sorted, *ranks;
    TRY_SCRATCH(exec, n * records->key_size, sorted);
    TRY_SCRATCH(exec, n * rank_size, ranks);
    ordo_move_job const        gather = {job->keys, n,    records->key_size, index_type, index, n,
                                         sorted,    false};
    ordo_rank_sorted_job const number = {.type = job->type,
                                         .sorted = sorted,
                                         .n = n,
                                         .rank_type = job->rank_type,
                                         .ranks = ranks,
                                         .ties = job->ties};
    ordo_move_job const scatter = {ranks, n, rank_size, index_type, index, n, job->ranks, true};
    TRY(cpu->move(both->cpu_state, &gather, exec));
    TRY(cpu->rank_sorted(both->cpu_state, &number, exec));
    return cpu->move(both->cpu_state, &scatter, exec);
}

ordo_status hybrid_sample_rank(const ordo_both *both, const hybrid_records *given,
                               const ordo_rank_job *job, ordo_exec *exec)
{
    hybrid_records records = *given;
    void          *index;
    TRY_SCRATCH(exec, records.n * records.value_size, index);
    records.out_values = index;
    ordo_status const status = hybrid_sample_sort(both, &records, exec);
    exec->changed = false; /* only scratch was written */
    TRY(status);
    ordo_facts        facts = exec->facts;
    const char *const isa = exec->isa;
    double const      began = ordo_profile_clock();
    TRY(rank_in_order(both, &records, job, index, exec));
    ordo_sample_add_cpu(&facts, 3, ordo_profile_clock() - began);
    exec->algorithm = records.intervals ? "intervals" : "sample";
    exec->isa = isa;
    exec->facts = facts;
    return ORDO_OK;
}
