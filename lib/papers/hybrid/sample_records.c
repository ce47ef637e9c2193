/* sample_records.c - records of the sample sort on the CPU (sample_records.h). */
#include "papers/hybrid/sample_records.h"

#include <string.h>

radix_io sample_io(const cpu_kernels *kernels, const ordo_sample_job *job)
{
    bool const packed = ordo_type_size(job->type) <= sizeof(uint32_t) &&
                        (job->record_size == sizeof(record_p32) || job->value_size != 0);
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

/* Loads records [at, at + count) of the job with their values; count is at most HELD. */
static void load_carrying(const radix_io *io, const ordo_sample_job *job, size_t at, size_t count,
                          record_p64 *to)
{
    const char *const values = (const char *)job->values + at * job->value_size;
    size_t const      size = job->value_size;
    uint64_t          held[HELD];
    if (io->kind == RECORD_P64) {
        io->load(io, job->first + at, count, to);
        for (size_t i = 0; i < count; i++) {
            uint32_t value = 0;
            memcpy(&value, values + i * size, size);
            to[i].index = to[i].index << 32 | value;
        }
        return;
    }
    io->load(io, job->first + at, count, held);
    for (size_t i = 0; i < count; i++) {
        uint64_t value = 0;
        if (size == sizeof(uint32_t))
            memcpy(&value, values + i * sizeof(uint32_t), sizeof(uint32_t));
        else
            memcpy(&value, values + i * size, size);
        to[i] = (record_p64){held[i], value};
    }
}

void sample_load(const radix_io *io, const ordo_sample_job *job, void *records)
{
    if (job->value_size != 0)
        for (size_t at = 0; at < job->n; at += HELD)
            load_carrying(io, job, at, ordo_min(HELD, job->n - at), (record_p64 *)records + at);
    else if (io->load != NULL)
        io->load(io, job->first, job->n, records);
    else
        memcpy(records, job->keys, job->n * io->key_size);
}

/* Stores keys and values of words of key and index [at, at + count); count is at most HELD.
 * job->values has the values of all indices. */
static void store_looked_up(const radix_io *keys, const ordo_sample_job *job, size_t at,
                            size_t count)
{
    const uint64_t *const from = (const uint64_t *)job->finished + at;
    const char *const     values = job->values;
    size_t const          size = job->value_size;
    char *const           to = (char *)job->result_values + at * size;
    uint32_t              held[HELD];
    for (size_t i = 0; i < count; i++) {
        held[i] = (uint32_t)(from[i] >> 32);
        __builtin_prefetch(values + (uint32_t)from[i] * size);
    }
    if (keys->store != NULL)
        keys->store(keys, at, count, held);
    else
        memcpy((char *)job->result + at * sizeof *held, held, count * sizeof *held);
    for (size_t i = 0; i < count; i++)
        if (size == sizeof(uint32_t))
            memcpy(to + i * sizeof(uint32_t), values + (uint32_t)from[i] * sizeof(uint32_t),
                   sizeof(uint32_t));
        else
            memcpy(to + i * size, values + (uint32_t)from[i] * size, size);
}

/* The same for records that carry their values. */
static void store_carried(const radix_io *keys, const ordo_sample_job *job, size_t at, size_t count)
{
    const record_p64 *const from = (const record_p64 *)job->finished + at;
    size_t const            size = job->value_size;
    char *const             values = (char *)job->result_values + at * size;
    union {
        uint32_t narrow[HELD];
        uint64_t wide[HELD];
    } held;
    for (size_t i = 0; i < count && keys->kind == RECORD_K32; i++) {
        held.narrow[i] = (uint32_t)(from[i].key >> 32);
        if (size == sizeof(uint32_t))
            memcpy(values + i * sizeof(uint32_t), &from[i].index, sizeof(uint32_t));
        else
            memcpy(values + i * size, &from[i].index, size);
    }
    for (size_t i = 0; i < count && keys->kind == RECORD_K64; i++) {
        uint32_t const value = (uint32_t)from[i].index;
        held.wide[i] = from[i].key;
        memcpy(values + i * size, &value, size);
    }
    if (keys->store != NULL)
        keys->store(keys, at, count, &held);
    else
        memcpy((char *)job->result + at * keys->key_size, &held, count * keys->key_size);
}

void sample_store(const radix_io *io, const cpu_kernels *kernels, const ordo_sample_job *job)
{
    ordo_sort_job const sort = {
        .type = job->type, .keys = job->result, .n = job->owned, .descending = job->descending};
    radix_io const keys = records_of_keys(kernels, &sort);
    if (job->value_size != 0)
        for (size_t at = 0; at < job->owned; at += HELD)
            (job->record_size == sizeof(record_p32) ? store_looked_up : store_carried)(
                &keys, job, at, ordo_min(HELD, job->owned - at));
    else if (io->store != NULL)
        io->store(io, 0, job->owned, job->finished);
    else
        memcpy(job->result, job->finished, job->owned * job->record_size);
}
