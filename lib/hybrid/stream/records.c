/* records.c - sorts records with one backend, whether they have values or not. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid_call.h"

static ordo_pairs_job job_of(const hybrid_records *records, char *keys, char *values, size_t n,
                             const ordo_exec *exec)
{
    return (ordo_pairs_job){
        .keys = {.type = records->type,
                 .keys = keys,
                 .n = n,
                 .descending = records->descending,
                 .algorithm = exec->on_device ? ORDO_ALGORITHM_RADIX : ORDO_ALGORITHM_AUTO},
        .values = values,
        .value_size = records->value_size};
}

ordo_status hybrid_sort_records(const ordo_backend *backend, void *state,
                                const hybrid_records *records, char *keys, char *values, size_t n,
                                ordo_exec *exec)
{
    ordo_pairs_job const job = job_of(records, keys, values, n, exec);
    if (records->value_size == 0)
        return backend->sort(state, &job.keys, exec);
    return backend->sort_pairs(state, &job, exec);
}

size_t hybrid_sort_records_scratch(const ordo_backend *backend, const hybrid_records *records,
                                   size_t n, const ordo_exec *exec)
{
    ordo_pairs_job const job = job_of(records, NULL, NULL, n, exec);
    if (records->value_size == 0)
        return backend->sort_scratch(&job.keys, exec);
    return backend->sort_pairs_scratch(&job, exec);
}

ordo_status hybrid_sort_on_device(hybrid_call *call, char *keys, char *values, size_t count)
{
    if (count == 0)
        return ORDO_OK;
    return hybrid_sort_records(call->both->device, call->both->device_state, call->records, keys,
                               values, count, &call->device.exec);
}
