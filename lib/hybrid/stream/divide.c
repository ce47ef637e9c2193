/* divide.c - phases II and III for one chunk: divides its records at the pivot.
 *
 * The device's records go to a staging buffer and to the kept copy, in order. The CPU's records go
 * to `aside`, memory of the lane that stays in the cache, and from there into the buckets of the
 * copy (buckets.c). So the copy holds all records of the chunk, with tied records in input order:
 * sorting it gives the same bytes as sorting the array. Reads the chunk once and writes each record
 * twice. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid_call.h"

#include <string.h>

typedef struct divided_chunk {
    char       *keys, *values;         /* for the device */
    char       *cpu_keys, *cpu_values; /* for the CPU, in `aside` */
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
