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
    HELD = 512,   /* records between two forms */
    FEW_TIES = 16 /* so many are sorted by insertion */
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

/* to[i] = values[from] */
static inline void copy_value(char *to, size_t i, const char *values, size_t from, size_t size)
{
    if (size == sizeof(uint32_t))
        memcpy(to + i * sizeof(uint32_t), values + from * sizeof(uint32_t), sizeof(uint32_t));
    else if (size == sizeof(uint64_t))
        memcpy(to + i * sizeof(uint64_t), values + from * sizeof(uint64_t), sizeof(uint64_t));
    else
        memcpy(to + i * size, values + from * size, size);
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
    const char *const values = job->values;
    size_t const      size = job->value_size;
    for (size_t at = 0; at < job->owned; at += HELD) {
        size_t const end = ordo_min(at + HELD, job->owned);
        for (size_t i = at; i < end; i++)
            __builtin_prefetch(values + index_of(job, i) * size);
        for (size_t i = at; i < end; i++)
            copy_value(job->result_values, i, values, index_of(job, i), size);
    }
}

/* ---- Numbered records ---- */

/* The index of numbered record i of the bucket. */
static inline size_t held_at(const void *index, size_t record_size, size_t i)
{
    return record_size == sizeof(record_p32) ? ((const uint32_t *)index)[i]
                                             : (size_t)((const uint64_t *)index)[i];
}

void sample_number(const ordo_sample_job *job, size_t at, size_t count, void *index)
{
    if (job->record_size == sizeof(record_p32)) {
        record_p32 *const r = job->scattered;
        uint32_t *const   to = index;
        for (size_t i = at; i < at + count; i++) {
            to[i] = (uint32_t)r[i];
            r[i] = r[i] >> 32 << 32 | (uint32_t)i;
        }
        return;
    }
    record_p64 *const r = job->scattered;
    uint64_t *const   to = index;
    for (size_t i = at; i < at + count; i++) {
        to[i] = r[i].index;
        r[i].index = i;
    }
}

static inline uint64_t key_at(const ordo_sample_job *job, size_t i)
{
    return job->record_size == sizeof(record_p32) ? ((const record_p32 *)job->scattered)[i] >> 32
                                                  : ((const record_p64 *)job->scattered)[i].key;
}

static inline size_t number_at(const ordo_sample_job *job, size_t i)
{
    return job->record_size == sizeof(record_p32)
               ? (uint32_t)((const record_p32 *)job->scattered)[i]
               : (size_t)((const record_p64 *)job->scattered)[i].index;
}

static inline void put(const ordo_sample_job *job, size_t i, uint64_t key, size_t number)
{
    if (job->record_size == sizeof(record_p32))
        ((record_p32 *)job->scattered)[i] = key << 32 | number;
    else
        ((record_p64 *)job->scattered)[i] = (record_p64){key, number};
}

/* The first record from `at` on whose key is that of the next one. */
static size_t next_equal(const ordo_sample_job *job, size_t at)
{
    if (job->record_size == sizeof(record_p32)) {
        const record_p32 *const r = job->scattered;
        while (at + 1 < job->owned && (r[at] ^ r[at + 1]) >> 32 != 0)
            at++;
    } else {
        const record_p64 *const r = job->scattered;
        while (at + 1 < job->owned && r[at].key != r[at + 1].key)
            at++;
    }
    return at + 1 < job->owned ? at : job->owned;
}

static void insert_ties(const ordo_sample_job *job, size_t at, size_t count, const void *index)
{
    uint64_t const key = key_at(job, at);
    for (size_t i = at + 1; i < at + count; i++) {
        size_t const number = number_at(job, i), own = held_at(index, job->record_size, number);
        size_t       to = i;
        for (; to > at && held_at(index, job->record_size, number_at(job, to - 1)) > own; to--)
            put(job, to, key, number_at(job, to - 1));
        put(job, to, key, number);
    }
}

size_t sample_next_ties(const ordo_sample_job *job, size_t at, const void *index, size_t *count)
{
    while ((at = next_equal(job, at)) < job->owned) {
        size_t end = at + 2;
        while (end < job->owned && key_at(job, end) == key_at(job, at))
            end++;
        *count = end - at;
        if (*count > FEW_TIES)
            return at;
        insert_ties(job, at, *count, index);
        at = end;
    }
    return job->owned;
}

sample_tied sample_begin_ties(const ordo_sample_job *job, size_t at, size_t count,
                              const void *index)
{
    sample_tied const key = key_at(job, at);
    for (size_t i = at; i < at + count; i++)
        put(job, i, held_at(index, job->record_size, number_at(job, i)), number_at(job, i));
    return key;
}

void sample_end_ties(const ordo_sample_job *job, size_t at, size_t count, sample_tied key)
{
    for (size_t i = at; i < at + count; i++)
        put(job, i, key, number_at(job, i));
}
