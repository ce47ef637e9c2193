/* hybrid_backend.c - the CPU and a device as one backend for sorts and ranks of host arrays.
 *
 * Large arrays are streamed (stream/hybrid_call.h), in rounds if device memory is too small. Small
 * arrays go to the device as a whole. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/strings/hybrid_strings.h"

static bool is_streamed(const ordo_both *both, const hybrid_records *records,
                        ordo_algorithm algorithm)
{
    const ordo_backend *const device = both->device;
    return (algorithm == ORDO_ALGORITHM_AUTO || algorithm == ORDO_ALGORITHM_RADIX) &&
           (both->asked ||
            records->n * (records->key_size + records->value_size) >= ORDO_TUNE_STREAM_LEAST) &&
           device->link != NULL && device->search != NULL && device->copy != NULL &&
           (records->value_size == 0 ? device->sort != NULL : device->sort_pairs != NULL) &&
           records->n > HYBRID_SPLITTERS;
}

/* The paper's sample sort runs only if the caller asks for it by name. */
static bool is_sampled(const ordo_both *both, size_t n, ordo_algorithm algorithm,
                       const ordo_exec *exec)
{
    return ordo_names_sample(algorithm) && hybrid_may_sample(both, n, exec);
}

/* Whether the share leaves everything to the CPU, or the sample sort is too small to be shared. */
static bool is_for_cpu(const ordo_both *both, size_t n, ordo_algorithm algorithm)
{
    if (!ordo_names_sample(algorithm))
        return both->share >= 1;
    return both->sample_share >= 1 || (both->sample_share >= 0 && n < ORDO_TUNE_SAMPLE_LEAST);
}

/* The status of a failure after which results may be half written: always ORDO_E_DEVICE. So
 * ORDO_E_NOMEM means that nothing was written. */
static ordo_status with_results_written(ordo_status status)
{
    return ordo_device_gave_up(status) ? ORDO_E_DEVICE : status;
}

static ordo_status sort_streamed(const ordo_both *both, const hybrid_records *records,
                                 ordo_exec *exec)
{
    ordo_status status = hybrid_sort_streamed(both, records, exec);
    if (status == ORDO_E_NOMEM && !exec->changed) {
        size_t const need = hybrid_device_bytes(both, records, exec);
        size_t const room = both->device->link->room(both->device_state);
        if (need > room)
            status = hybrid_sort_in_rounds(both, records, exec, need, room);
    }
    return status;
}

/* ---- Slots ---- */

/* Runs the whole job on one backend. */
#define WHOLE(side, slot)                                                                          \
    (both->side->slot != NULL ? both->side->slot(both->side##_state, job, exec)                    \
                              : ordo_fail(exec, ORDO_E_UNSUPPORTED, "the %s backend has no %s",    \
                                          both->side->name, #slot))

/* A job that cannot be shared runs on the device, unless the caller asked for a share. */
#define WHOLE_ON_DEVICE(slot)                                                                      \
    (both->asked ? ordo_fail(exec, ORDO_E_ARG,                                                     \
                             "cpu_share is %g, but this %s cannot be shared by the CPU and the "   \
                             "device: expected algorithm auto, radix or sample, and more than %d " \
                             "keys",                                                               \
                             both->share, #slot, (int)HYBRID_SPLITTERS)                            \
                 : WHOLE(device, slot))

/* The status of the job after the CPU repeated it. A CPU sort that lacks memory writes nothing, so
 * exec->changed gets its earlier value back. */
static ordo_status after_fallback(ordo_status status, bool written, ordo_exec *exec)
{
    if (status == ORDO_OK)
        return ORDO_OK;
    if (ordo_device_gave_up(status))
        exec->changed = written;
    return written ? with_results_written(status) : status;
}

/* Runs a streamed job. If the device gives up and both->keep is set, the CPU repeats the job; the
 * input is unchanged or restored from the copy. */
#define STREAM(streamed, slot)                                                                     \
    do {                                                                                           \
        ordo_status const status = (streamed);                                                     \
        bool const        written = exec->changed; /* results may have been written */             \
        if (!both->keep)                                                                           \
            return written ? with_results_written(status) : status;                                \
        if (!ordo_device_gave_up(status))                                                          \
            return status;                                                                         \
        ordo_restart_on_cpu(exec, both->cpu->isa(both->cpu_state), status);                        \
        return after_fallback(WHOLE(cpu, slot), written, exec);                                    \
    } while (0)

static hybrid_records keys_of(const ordo_sort_job *job)
{
    return (hybrid_records){.type = job->type,
                            .descending = job->descending,
                            .intervals = job->algorithm == ORDO_ALGORITHM_INTERVALS,
                            .n = job->n,
                            .key_size = ordo_type_size(job->type),
                            .keys = job->source != NULL ? job->source : job->keys,
                            .out_keys = job->keys};
}

static ordo_status sort(void *state, const ordo_sort_job *job, ordo_exec *exec)
{
    const ordo_both *const both = state;
    hybrid_records const   records = keys_of(job);
    ordo_sort_job          in_place = *job;
    if (is_for_cpu(both, job->n, job->algorithm))
        return WHOLE(cpu, sort);
    if (is_sampled(both, job->n, job->algorithm, exec))
        return exec->papers->hybrid.sort_shared(both, &records, exec);
    if (!is_streamed(both, &records, job->algorithm)) {
        if (job->source != NULL && !both->asked) { /* devices sort only in place */
            ordo_copy_job const copy = {job->keys, job->source, job->n * records.key_size};
            TRY(both->cpu->copy(both->cpu_state, &copy, exec));
            in_place.source = NULL;
            job = &in_place;
        }
        return WHOLE_ON_DEVICE(sort);
    }
    STREAM(sort_streamed(both, &records, exec), sort);
}

static ordo_status sort_pairs(void *state, const ordo_pairs_job *job, ordo_exec *exec)
{
    const ordo_both *const both = state;
    hybrid_records         records = keys_of(&job->keys);
    records.folded = true;
    records.value_size = job->value_size;
    records.values = job->values;
    records.out_values = job->values;
    if (is_for_cpu(both, job->keys.n, job->keys.algorithm))
        return WHOLE(cpu, sort_pairs);
    if (is_sampled(both, job->keys.n, job->keys.algorithm, exec))
        return exec->papers->hybrid.sort_shared(both, &records, exec);
    if (!is_streamed(both, &records, job->keys.algorithm))
        return WHOLE_ON_DEVICE(sort_pairs);
    STREAM(sort_streamed(both, &records, exec), sort_pairs);
}

static ordo_status argsort(void *state, const ordo_argsort_job *job, ordo_exec *exec)
{
    const ordo_both *const both = state;
    hybrid_records const   records = {.type = job->type,
                                      .descending = job->descending,
                                      .folded = true,
                                      .intervals = job->algorithm == ORDO_ALGORITHM_INTERVALS,
                                      .n = job->n,
                                      .key_size = ordo_type_size(job->type),
                                      .value_size = ordo_type_size(job->index_type),
                                      .keys = job->keys,
                                      .out_values = job->index};
    if (is_for_cpu(both, job->n, job->algorithm))
        return WHOLE(cpu, argsort);
    if (is_sampled(both, job->n, job->algorithm, exec))
        return exec->papers->hybrid.sort_shared(both, &records, exec);
    if (!is_streamed(both, &records, job->algorithm))
        return WHOLE_ON_DEVICE(argsort);
    STREAM(sort_streamed(both, &records, exec), argsort);
}

static ordo_status rank(void *state, const ordo_rank_job *job, ordo_exec *exec)
{
    const ordo_both *const both = state;
    bool const             narrow = job->n <= ORDO_TUNE_RANK_NARROW;
    hybrid_records const   records = {.type = job->type,
                                      .descending = job->descending,
                                      .folded = true,
                                      .intervals = job->algorithm == ORDO_ALGORITHM_INTERVALS,
                                      .n = job->n,
                                      .key_size = ordo_type_size(job->type),
                                      .value_size = narrow ? sizeof(uint32_t) : sizeof(uint64_t),
                                      .keys = job->keys};
    /* A share for the CPU requires streaming. */
    bool const wanted = both->share > 0 || ordo_rank_is_streamed(job->type, job->n, job->rank_type);
    if (is_for_cpu(both, job->n, job->algorithm))
        return WHOLE(cpu, rank);
    if (is_sampled(both, job->n, job->algorithm, exec) && both->sample_share >= 0)
        return exec->papers->hybrid.rank_shared(both, &records, job, exec);
    if (!wanted || both->device->put_ranks == NULL || !is_streamed(both, &records, job->algorithm))
        return WHOLE_ON_DEVICE(rank);
    STREAM(hybrid_rank_streamed(both, &records, job, exec), rank);
}

#define TABLE(label)                                                                               \
    {                                                                                              \
        .abi = ORDO_BACKEND_ABI, .struct_size = sizeof(ordo_backend), .name = (label),             \
        .sort = sort, .sort_pairs = sort_pairs, .argsort = argsort, .rank = rank,                  \
        .argsort_strings = hybrid_argsort_strings, .rank_strings = hybrid_rank_strings,            \
        .sort_strings = hybrid_sort_strings, .sort_pointers = hybrid_sort_pointers                 \
    }

const ordo_backend *ordo_streamed_backend(void)
{
    static const ordo_backend table = TABLE("cuda");
    return &table;
}

const ordo_backend *ordo_hybrid_backend(void)
{
    static const ordo_backend table = TABLE("hybrid");
    return &table;
}
