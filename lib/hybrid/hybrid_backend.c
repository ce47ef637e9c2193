/* hybrid_backend.c - the CPU and a device as one backend, for sorts of host arrays.
 *
 * A job on many records is streamed (hybrid.h), in rounds if the device has not the memory for all
 * of them; everything else is the device's own, which then takes the array whole. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid.h"
#include "hybrid/strings/strings.h"

static bool is_streamed(const ordo_both *both, const hybrid_records *records,
                        ordo_algorithm algorithm)
{
    const ordo_backend *const device = both->device;
    return (algorithm == ORDO_ALGORITHM_AUTO || algorithm == ORDO_ALGORITHM_RADIX) &&
           records->n * (records->key_size + records->value_size) >= ORDO_TUNE_STREAM_LEAST &&
           device->link != NULL && device->search != NULL && device->copy != NULL &&
           (records->value_size == 0 ? device->sort != NULL : device->sort_pairs != NULL) &&
           records->n > HYBRID_CUTS;
}

/* ---- The table ---- */

/* The whole job by one of the two. */
#define WHOLE(side, slot)                                                                          \
    (both->side->slot != NULL ? both->side->slot(both->side##_state, job, exec)                    \
                              : ordo_fail(exec, ORDO_E_UNSUPPORTED, "the %s backend has no %s",    \
                                          both->side->name, #slot))

/* Streams what is worth it. If the device fails, the CPU does the job where it may, since the input
 * is still there; a context for the device alone says what went wrong. */
#define STREAM(slot, worth, way)                                                                   \
    do {                                                                                           \
        if (both->share >= 1)                                                                      \
            return WHOLE(cpu, slot);                                                               \
        if (!(worth))                                                                              \
            return WHOLE(device, slot);                                                            \
        ordo_status const streamed = (way);                                                        \
        if (!both->keep || !gives_up(streamed))                                                    \
            return streamed;                                                                       \
        bool const written = exec->changed;                                                        \
        exec->isa = both->cpu->isa(both->cpu_state);                                               \
        exec->phase = 0;                                                                           \
        exec->phases = 1;                                                                          \
        ordo_status const by_cpu = WHOLE(cpu, slot);                                               \
        if (by_cpu != ORDO_OK)                                                                     \
            return after_cpu(by_cpu, written, exec);                                               \
        ordo_note(exec, "by the CPU, for the device gave up");                                     \
        return ORDO_OK;                                                                            \
    } while (0)

static bool gives_up(ordo_status status)
{
    return status == ORDO_E_DEVICE || status == ORDO_E_NOMEM || status == ORDO_E_UNSUPPORTED;
}

/* The status of a failure after which results may be half written: ORDO_E_DEVICE, whatever it was
 * for want of, so that ORDO_E_NOMEM means that nothing was written. */
static ordo_status with_results_written(ordo_status status)
{
    return gives_up(status) ? ORDO_E_DEVICE : status;
}

/* The CPU took over and failed as well. What it did to exec->changed is of no meaning: it writes
 * nothing before it has its memory. */
static ordo_status after_cpu(ordo_status status, bool written, ordo_exec *exec)
{
    if (gives_up(status))
        exec->changed = written;
    return written ? with_results_written(status) : status;
}

/* At once, or in rounds where the device has not the memory for it. */
static ordo_status by_size(const ordo_both *both, const hybrid_records *records, ordo_exec *exec)
{
    ordo_status status = hybrid_stream(both, records, exec);
    if (status == ORDO_E_NOMEM && !exec->changed) {
        size_t const need = hybrid_device_bytes(both, records, exec);
        size_t const room = both->device->link->room(both->device_state);
        if (need > room)
            status = hybrid_rounds(both, records, exec, need, room);
    }
    return !both->keep && exec->changed ? with_results_written(status) : status;
}

static ordo_status ranks(const ordo_both *both, const hybrid_records *records,
                         const ordo_unsorted_job *job, ordo_exec *exec)
{
    ordo_status const status = hybrid_ranks(both, records, job, exec);
    return !both->keep && exec->changed ? with_results_written(status) : status;
}

static hybrid_records keys_of(const ordo_sort_job *job)
{
    return (hybrid_records){.type = job->type,
                            .descending = job->descending,
                            .n = job->n,
                            .key_size = ordo_type_size(job->type),
                            .keys = job->from != NULL ? job->from : job->keys,
                            .out_keys = job->keys};
}

static ordo_status sort(void *state, const ordo_sort_job *job, ordo_exec *exec)
{
    const ordo_both *const both = state;
    hybrid_records const   records = keys_of(job);
    bool const             worth = is_streamed(both, &records, job->algorithm);
    ordo_sort_job          here = *job;
    if (job->from != NULL && !worth && both->share < 1) { /* devices know no other array */
        ordo_copy_job const copy = {job->keys, job->from, job->n * ordo_type_size(job->type)};
        TRY(both->cpu->copy(both->cpu_state, &copy, exec));
        here.from = NULL;
        job = &here;
    }
    STREAM(sort, worth, by_size(both, &records, exec));
}

static ordo_status sort_pairs(void *state, const ordo_pairs_job *job, ordo_exec *exec)
{
    const ordo_both *const both = state;
    hybrid_records         records = keys_of(&job->keys);
    records.folded = true;
    records.value_size = job->value_size;
    records.values = job->values;
    records.out_values = job->values;
    STREAM(sort_pairs, is_streamed(both, &records, job->keys.algorithm),
           by_size(both, &records, exec));
}

static ordo_status argsort(void *state, const ordo_argsort_job *job, ordo_exec *exec)
{
    const ordo_both *const both = state;
    hybrid_records const   records = {.type = job->type,
                                      .descending = job->descending,
                                      .folded = true,
                                      .n = job->n,
                                      .key_size = ordo_type_size(job->type),
                                      .value_size = ordo_type_size(job->index_type),
                                      .keys = job->keys,
                                      .out_values = job->index};
    STREAM(argsort, is_streamed(both, &records, job->algorithm), by_size(both, &records, exec));
}

static ordo_status rank(void *state, const ordo_unsorted_job *job, ordo_exec *exec)
{
    const ordo_both *const both = state;
    bool const             narrow = job->n <= ORDO_TUNE_RANK_NARROW;
    hybrid_records const   records = {.type = job->type,
                                      .descending = job->descending,
                                      .folded = true,
                                      .n = job->n,
                                      .key_size = ordo_type_size(job->type),
                                      .value_size = narrow ? sizeof(uint32_t) : sizeof(uint64_t),
                                      .keys = job->keys};
    /* A share for the CPU is possible only so. */
    bool const wanted = both->share > 0 || ordo_rank_streams(job->type, job->n, job->rank_type);
    STREAM(rank,
           wanted && both->device->put_ranks != NULL && is_streamed(both, &records, job->algorithm),
           ranks(both, &records, job, exec));
}

#define TABLE(label)                                                                               \
    {                                                                                              \
        .abi = ORDO_BACKEND_ABI, .struct_size = sizeof(ordo_backend), .name = (label),             \
        .sort = sort, .sort_pairs = sort_pairs, .argsort = argsort, .rank = rank,                  \
        .argsort_strings = hybrid_argsort_strings, .rank_strings = hybrid_rank_strings,            \
        .sort_strings = hybrid_sort_strings, .sort_pointers = hybrid_sort_pointers                 \
    }

const ordo_backend *ordo_stream_backend(void)
{
    static const ordo_backend table = TABLE("cuda");
    return &table;
}

const ordo_backend *ordo_hybrid_backend(void)
{
    static const ordo_backend table = TABLE("hybrid");
    return &table;
}
