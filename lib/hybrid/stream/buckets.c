/* buckets.c - buckets in the kept copy of the array.
 *
 * Within a chunk of the copy, the records of a bucket are contiguous and in input order;
 * bucket_in_chunk says where each bucket begins. To gather a bucket is to concatenate its parts
 * from all chunks, so records that tie stay in input order. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid_call.h"

#include <string.h>

void hybrid_write_indices(char *values, size_t size, size_t first, size_t n)
{
    if (size == 4) {
        uint32_t *const out = (uint32_t *)values;
        for (size_t i = 0; i < n; i++)
            out[i] = (uint32_t)(first + i);
    } else {
        uint64_t *const out = (uint64_t *)values;
        for (size_t i = 0; i < n; i++)
            out[i] = first + i;
    }
}

ordo_status hybrid_reserve_buckets(hybrid_call *call, size_t aside_bytes)
{
    size_t const entries = call->chunk_count * (call->bucket_count + 1);
    void        *memory;
    call->aside_bytes = ordo_round_up(aside_bytes, ORDO_CACHE_LINE);
    TRY(ordo_scratch(call->exec, call->lanes * call->aside_bytes, &memory));
    call->aside = memory;
    TRY(ordo_scratch(call->exec, entries * sizeof *call->bucket_in_chunk, &memory));
    call->bucket_in_chunk = memory;
    return ORDO_OK;
}

/* Moves record i to the next place of its bucket in the copy; at[b] is that place for bucket b. */
#define MOVE(size)                                                                                 \
    case size:                                                                                     \
        for (size_t i = 0; i < n; i++)                                                             \
            memcpy(to + at[labels[i]]++ * (size), from + i * (size), size);                        \
        break

static void move(const char *from, char *to, size_t size, const uint16_t *labels, uint32_t *at,
                 size_t n)
{
    switch (size) {
        MOVE(1);
        MOVE(2);
        MOVE(4);
        MOVE(8);
        MOVE(16);
    default:
        for (size_t i = 0; i < n; i++)
            memcpy(to + at[labels[i]]++ * size, from + i * size, size);
    }
}

void hybrid_fill_buckets(hybrid_call *call, size_t chunk, size_t device_count, const char *keys,
                         const char *values, uint16_t *labels, size_t n)
{
    const hybrid_records *const records = call->records;
    uint32_t *const             begin = call->bucket_in_chunk + chunk * (call->bucket_count + 1);
    uint32_t                    at[HYBRID_MOST_BUCKETS];
    size_t const                slot = chunk * call->chunk_records;
    memset(at, 0, call->bucket_count * sizeof *at);
    hybrid_bucket_labels(call, keys, n, labels);
    for (size_t i = 0; i < n; i++)
        at[labels[i]]++;
    uint32_t next = (uint32_t)device_count;
    for (size_t b = 0; b < call->bucket_count; b++) {
        begin[b] = next;
        next += at[b];
    }
    begin[call->bucket_count] = next;
    memcpy(at, begin, call->bucket_count * sizeof *at);
    move(keys, call->kept_keys + slot * records->key_size, records->key_size, labels, at, n);
    if (records->value_size == 0)
        return;
    memcpy(at, begin, call->bucket_count * sizeof *at);
    move(values, call->kept_values + slot * records->value_size, records->value_size, labels, at,
         n);
}

static void count_buckets(void *arg, size_t lo, size_t hi)
{
    hybrid_call *const call = arg;
    for (size_t chunk = 0; chunk < call->chunk_count; chunk++) {
        const uint32_t *const at = call->bucket_in_chunk + chunk * (call->bucket_count + 1);
        for (size_t b = lo; b < hi; b++)
            call->bucket_start[b + 1] += at[b + 1] - at[b];
    }
}

ordo_status hybrid_bucket_starts(hybrid_call *call, size_t before)
{
    enum {
        GRAIN = 64
    };
    void *memory;
    TRY(ordo_scratch(call->exec, (call->bucket_count + 1) * sizeof *call->bucket_start, &memory));
    call->bucket_start = memory;
    memset(call->bucket_start, 0, (call->bucket_count + 1) * sizeof *call->bucket_start);
    if (!ordo_loop(call->exec, call->bucket_count, GRAIN, count_buckets, call))
        return ORDO_E_CANCELLED;
    call->largest_bucket = 0;
    call->bucket_start[0] = before;
    for (size_t b = 0; b < call->bucket_count; b++) {
        call->largest_bucket = ordo_max(call->largest_bucket, call->bucket_start[b + 1]);
        call->bucket_start[b + 1] += call->bucket_start[b];
    }
    return ORDO_OK;
}

void hybrid_gather_bucket(const hybrid_call *call, size_t bucket, char *keys, char *values)
{
    const hybrid_records *const records = call->records;
    size_t const                size = records->key_size, value_size = records->value_size;
    for (size_t chunk = 0; chunk < call->chunk_count; chunk++) {
        const uint32_t *const at =
            call->bucket_in_chunk + chunk * (call->bucket_count + 1) + bucket;
        size_t const from = chunk * call->chunk_records + at[0], n = at[1] - at[0];
        memcpy(keys, call->kept_keys + from * size, n * size);
        keys += n * size;
        if (values != NULL) {
            memcpy(values, call->kept_values + from * value_size, n * value_size);
            values += n * value_size;
        }
    }
}
