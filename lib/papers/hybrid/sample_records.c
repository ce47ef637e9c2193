/* sample_records.c - records of the sample sort on the CPU (sample_records.h). */
#include "papers/hybrid/sample_records.h"

#include <string.h>

radix_io sample_io(const cpu_kernels *kernels, const ordo_sample_job *job)
{
    bool const packed = job->record_size == sizeof(record_p32);
    /* Key 0 of the whole input, because a loaded index is a position there. */
    const char *const all =
        job->keys == NULL ? NULL : (const char *)job->keys - job->first * ordo_type_size(job->type);
    ordo_argsort_job const argsort = {.type = job->type,
                                      .keys = all,
                                      .n = job->n,
                                      .descending = job->descending,
                                      .index_type = job->index_type,
                                      .index = job->result};
    ordo_sort_job const    sort = {.type = job->type,
                                   .keys = job->result,
                                   .n = job->n,
                                   .descending = job->descending,
                                   .source = all};
    return job->indexed ? records_of_argsort(kernels, &argsort, packed ? RECORD_P32 : RECORD_P64)
                        : records_of_keys(kernels, &sort);
}

enum {
    HELD = 512 /* records between two forms */
};

void sample_load(const radix_io *io, const ordo_sample_job *job, void *records)
{
    if (io->load != NULL)
        io->load(io, job->first, job->n, records);
    else
        memcpy(records, job->keys, job->n * io->key_size);
}

static inline size_t index_of(const ordo_sample_job *job, size_t i)
{
    if (job->record_size == sizeof(record_p32))
        return (uint32_t)((const record_p32 *)job->finished)[i];
    return (size_t)((const record_p64 *)job->finished)[i].index;
}

/* Stores the keys of the records of pairs [at, at + count); count is at most HELD. */
static void store_keys(const radix_io *keys, const ordo_sample_job *job, size_t at, size_t count)
{
    union {
        uint32_t narrow[HELD];
        uint64_t wide[HELD];
    } held;
    for (size_t i = 0; i < count; i++)
        if (job->record_size == sizeof(record_p64))
            held.wide[i] = ((const record_p64 *)job->finished)[at + i].key;
        else
            held.narrow[i] = (uint32_t)(((const record_p32 *)job->finished)[at + i] >> 32);
    if (keys->store != NULL)
        keys->store(keys, at, count, &held);
    else
        memcpy((char *)job->result + at * keys->key_size, &held, count * keys->key_size);
}

/* Looks up the values of records [at, at + count). */
static void look_up(const ordo_sample_job *job, size_t at, size_t count)
{
    const char *const values = job->values;
    size_t const      size = job->value_size;
    char *const       to = job->result_values;
    for (size_t i = at; i < at + count; i++)
        __builtin_prefetch(values + index_of(job, i) * size);
    for (size_t i = at; i < at + count; i++)
        if (size == sizeof(uint32_t))
            memcpy(to + i * sizeof(uint32_t), values + index_of(job, i) * sizeof(uint32_t),
                   sizeof(uint32_t));
        else if (size == sizeof(uint64_t))
            memcpy(to + i * sizeof(uint64_t), values + index_of(job, i) * sizeof(uint64_t),
                   sizeof(uint64_t));
        else
            memcpy(to + i * size, values + index_of(job, i) * size, size);
}

void sample_store(const radix_io *io, const cpu_kernels *kernels, const ordo_sample_job *job)
{
    ordo_sort_job const sort = {
        .type = job->type, .keys = job->result, .n = job->owned, .descending = job->descending};
    radix_io const keys = records_of_keys(kernels, &sort);
    for (size_t at = 0; job->value_size != 0 && at < job->owned; at += HELD)
        store_keys(&keys, job, at, ordo_min(HELD, job->owned - at));
    if (job->value_size != 0)
        return;
    if (io->store != NULL)
        io->store(io, 0, job->owned, job->finished);
    else
        memcpy(job->result, job->finished, job->owned * job->record_size);
}

void sample_store_values(const ordo_sample_job *job)
{
    for (size_t at = 0; at < job->owned; at += HELD)
        look_up(job, at, ordo_min(HELD, job->owned - at));
}
