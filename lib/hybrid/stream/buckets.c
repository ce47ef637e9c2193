/* buckets.c - buckets in the kept copy of the array.
 *
 * Within a chunk of the copy, the records of a bucket are contiguous and in input order;
 * bucket_in_chunk has the start of each bucket. Gathering a bucket concatenates its parts from all
 * chunks, so records that tie stay in input order. */
#define _POSIX_C_SOURCE 200809L
#include "core/indices.h"
#include "hybrid/stream/hybrid_call.h"

#include <string.h>

void hybrid_write_indices(char *values, size_t size, size_t first, size_t n)
{
    ordo_type const type = size == sizeof(uint32_t) ? ORDO_U32 : ORDO_U64;
    for (size_t i = 0; i < n; i++)
        ordo_put_index(type, values, i, first + i);
}

ordo_status hybrid_reserve_buckets(hybrid_call *call, size_t aside_bytes)
{
    size_t const entries = call->chunk_count * (call->bucket_count + 1);
    call->aside_bytes = ordo_round_up(aside_bytes, ORDO_CACHE_LINE);
    TRY_SCRATCH(call->exec, call->lanes * call->aside_bytes, call->aside);
    TRY_SCRATCH(call->exec, entries * sizeof *call->bucket_in_chunk, call->bucket_in_chunk);
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
    TRY_SCRATCH(call->exec, (call->bucket_count + 1) * sizeof *call->bucket_start,
                call->bucket_start);
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

/* ---- Division at the pivot ----
 *
 * The device's records go to a staging buffer and to the kept copy, in order. The CPU's records go
 * to `aside`, memory of the lane that stays in the cache, and from there into the buckets of the
 * copy. So the copy holds all records of the chunk, with tied records in input order: sorting it
 * gives the same bytes as sorting the array. Reads the chunk once and writes each record twice. */

typedef struct divided_chunk {
    char       *keys, *values;         /* records for the device */
    char       *cpu_keys, *cpu_values; /* records for the CPU, in `aside` */
    char       *kept_keys, *kept_values;
    const char *from_keys, *from_values;
    size_t      device_count;
} divided_chunk;

/* Divides n records from `at` on. The block is small, so its device part is copied from the cache.
 */
static void divide_block(hybrid_call *call, divided_chunk *chunk, size_t at, size_t n)
{
    const hybrid_records *const records = call->records;
    size_t const                size = records->key_size, value_size = records->value_size;
    size_t const first = chunk->device_count * size, own = (at - chunk->device_count) * size;
    size_t const first_value = chunk->device_count * value_size,
                 own_value = (at - chunk->device_count) * value_size;
    bool const            pairs = value_size != 0;
    size_t                device_count = 0;
    ordo_divide_job const job = {.type = records->type,
                                 .descending = records->descending,
                                 .keys = chunk->from_keys + at * size,
                                 .values = pairs ? chunk->from_values + at * value_size : NULL,
                                 .n = n,
                                 .value_size = value_size,
                                 .pivot = call->plain_pivot,
                                 .first_keys = chunk->keys + first,
                                 .first_values = pairs ? chunk->values + first_value : NULL,
                                 .second_keys = chunk->cpu_keys + own,
                                 .second_values = pairs ? chunk->cpu_values + own_value : NULL,
                                 .n_first = &device_count};
    call->both->cpu->divide(call->both->cpu_state, &job);
    hybrid_copy_nontemporal(chunk->kept_keys + first, job.first_keys, device_count * size);
    if (pairs)
        hybrid_copy_nontemporal(chunk->kept_values + first_value, job.first_values,
                                device_count * value_size);
    chunk->device_count += device_count;
}

size_t hybrid_divide_chunk(hybrid_call *call, unsigned lane, size_t number, char *keys,
                           char *values)
{
    enum {
        BLOCK = 8192 /* records */
    };
    const hybrid_records *const records = call->records;
    size_t const                size = records->key_size, value_size = records->value_size;
    size_t const first = number * call->chunk_records, n = hybrid_chunk_length(call, number);
    size_t const key_room =
        ordo_round_up(call->chunk_records * size + HYBRID_PADDING, ORDO_CACHE_LINE);
    size_t const value_room =
        ordo_round_up(call->chunk_records * value_size + HYBRID_PADDING, ORDO_CACHE_LINE);
    char *const   aside = call->aside + lane * call->aside_bytes;
    char *const   numbers = aside + key_room + value_room;
    divided_chunk chunk = {.keys = keys,
                           .values = values,
                           .cpu_keys = aside,
                           .cpu_values = aside + key_room,
                           .kept_keys = call->kept_keys + first * size,
                           .from_keys = records->keys + first * size};
    if (value_size != 0) {
        chunk.kept_values = call->kept_values + first * value_size;
        chunk.from_values = numbers;
        if (records->values != NULL)
            chunk.from_values = records->values + first * value_size;
        else
            hybrid_write_indices(numbers, value_size, first, n);
    }
    for (size_t at = 0; at < n; at += BLOCK)
        divide_block(call, &chunk, at, ordo_min(BLOCK, n - at));
    hybrid_fence_nontemporal();
    /* The labels overwrite the indices, which are no longer needed. */
    hybrid_fill_buckets(call, number, chunk.device_count, chunk.cpu_keys, chunk.cpu_values,
                        (uint16_t *)numbers, n - chunk.device_count);
    return chunk.device_count;
}
