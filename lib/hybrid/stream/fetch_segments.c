/* fetch_segments.c - phase IV: turns the sorted batches on the device into the result.
 *
 * The parts of a segment, one per batch, are copied into a segment buffer on the device in batch
 * order and sorted stably. Threads fetch the chunks of the segments in order. Each thread has two
 * staging buffers: the link fills one while the thread copies the other to its place. The sort of a
 * segment is queued once all chunks of the previous segment in the same buffer have been requested.
 * Some threads fetch chunks first and then sort the CPU's buckets, the others start with buckets,
 * so that both sides stay busy. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid_call.h"

#include "backend/pack.h"

/* ---- Work of the device ---- */

static ordo_status gather_segment(hybrid_call *call, const hybrid_segment *segment)
{
    const hybrid_records *const records = call->records;
    const ordo_backend *const   device = call->both->device;
    char                       *keys = call->segment_keys[segment->buffer];
    char                       *values = call->segment_values[segment->buffer];
    for (size_t b = 0; b < call->batch_count; b++) {
        size_t const from =
            call->batch_start[b] + call->tables->position[b][segment->first_splitter];
        size_t const count = call->tables->position[b][segment->end_splitter] -
                             call->tables->position[b][segment->first_splitter];
        ordo_copy_job const key_copy = {keys, call->device_keys + from * records->key_size,
                                        count * records->key_size};
        TRY(device->copy(call->both->device_state, &key_copy, &call->device.exec));
        keys += key_copy.bytes;
        if (records->value_size == 0)
            continue;
        ordo_copy_job const value_copy = {values, call->device_values + from * records->value_size,
                                          count * records->value_size};
        TRY(device->copy(call->both->device_state, &value_copy, &call->device.exec));
        values += value_copy.bytes;
    }
    return ORDO_OK;
}

static ordo_status queue_segment(hybrid_call *call, const hybrid_segment *segment)
{
    if (segment->as_is)
        return ORDO_OK;
    TRY(call->link->join(call->both->device_state, &call->device.exec));
    TRY(hybrid_span_work_begin(call, segment->count));
    TRY(gather_segment(call, segment));
    TRY(hybrid_sort_on_device(call, call->segment_keys[segment->buffer],
                              call->segment_values[segment->buffer], segment->count));
    if (call->packing)
        TRY(hybrid_pack_segment(call, segment));
    TRY(hybrid_span_work_end(call));
    return call->link->mark(call->both->device_state, &call->device.exec, segment->buffer);
}

/* Whether all chunks of the segment that used the same buffer before have been requested. */
static bool segment_buffer_is_free(hybrid_call *call, size_t number)
{
    const hybrid_segment *const segment = &call->segments[number];
    for (size_t s = number; s-- > 0 && !segment->as_is;) {
        hybrid_segment *const earlier = &call->segments[s];
        if (!earlier->as_is && earlier->buffer == segment->buffer)
            return atomic_load_explicit(&earlier->requested, memory_order_acquire) ==
                   earlier->chunk_count;
    }
    return true;
}

/* Queues the sorts of all segments whose buffers are free. */
static void queue_segments(hybrid_call *call)
{
    if (pthread_mutex_trylock(&call->device_lock) != 0)
        return;
    size_t ready = atomic_load_explicit(&call->queued_segments, memory_order_relaxed);
    while (ready < call->segment_count && !hybrid_has_failed(call) &&
           segment_buffer_is_free(call, ready) &&
           queue_segment(call, &call->segments[ready]) == ORDO_OK)
        atomic_store_explicit(&call->queued_segments, ++ready, memory_order_release);
    pthread_mutex_unlock(&call->device_lock);
}

/* ---- Fetching chunks ---- */

/* Waits until the sort of a segment has been queued. Returns false if the call has failed. */
static bool wait_until_queued(hybrid_call *call, size_t segment)
{
    for (unsigned tries = 0;
         atomic_load_explicit(&call->queued_segments, memory_order_acquire) <= segment; tries++) {
        if (hybrid_has_failed(call))
            return false;
        queue_segments(call);
        hybrid_back_off(tries);
    }
    return true;
}

/* A staging buffer holds keys, packed or not, then values. */
static size_t key_bytes_of(const hybrid_call *call, const hybrid_result_chunk *chunk)
{
    if (call->records->out_keys == NULL)
        return 0;
    return chunk->width < call->records->key_size ? hybrid_packed_chunk_bytes(call, chunk)
                                                  : chunk->count * call->records->key_size;
}

static ordo_status request_chunk(void *arg, ordo_exec *exec, unsigned lane, unsigned side,
                                 size_t number)
{
    hybrid_call *const               call = arg;
    const hybrid_result_chunk *const chunk = &call->result_chunks[number];
    const hybrid_records *const      records = call->records;
    const ordo_link *const           link = call->link;
    void *const                      state = call->both->device_state;
    hybrid_segment *const            segment = &call->segments[chunk->segment];
    char *const                      buffer = link->buffer(state, lane, side);
    if (!wait_until_queued(call, chunk->segment))
        return ORDO_E_DEVICE; /* another thread has recorded the error */
    if (!segment->as_is) {    /* the segment is in a buffer, whose sort must end first */
        if (call->packing)
            TRY(hybrid_know_widths(call, exec, lane, side, segment));
        TRY(link->await(state, exec, lane, segment->buffer));
    }
    size_t const key_bytes = key_bytes_of(call, chunk);
    const char  *keys = chunk->keys;
    if (chunk->width < records->key_size)
        keys = call->packed_keys[segment->buffer] +
               (number - segment->first_chunk) *
                   ordo_pack_stride(call->chunk_records, records->key_size);
    if (records->out_keys != NULL)
        TRY(link->copy_out(state, exec, lane, buffer, keys, key_bytes));
    if (records->out_values != NULL)
        TRY(link->copy_out(state, exec, lane, buffer + ordo_round_up(key_bytes, ORDO_CACHE_LINE),
                           chunk->values, chunk->count * records->value_size));
    TRY(link->close_side(state, exec, lane, side));
    atomic_fetch_add_explicit(&call->fetched_key_bytes, key_bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&segment->requested, 1, memory_order_release);
    queue_segments(call);
    return ORDO_OK;
}

static ordo_status store_chunk(void *arg, ordo_exec *exec, unsigned lane, unsigned side,
                               size_t number)
{
    hybrid_call *const               call = arg;
    const hybrid_result_chunk *const chunk = &call->result_chunks[number];
    const hybrid_records *const      records = call->records;
    const char *const buffer = call->link->buffer(call->both->device_state, lane, side);
    size_t const      key_bytes = key_bytes_of(call, chunk);
    size_t const value_bytes = records->out_values != NULL ? chunk->count * records->value_size : 0;
    TRY(call->link->wait_side(call->both->device_state, exec, lane, side));
    hybrid_span_copy(call, lane, side, ORDO_SPAN_OUT, key_bytes + value_bytes);
    double const began = ordo_profile_now(call->exec);
    if (chunk->width < records->key_size)
        hybrid_unpack_chunk(call, chunk, buffer, records->out_keys + chunk->to * records->key_size);
    else if (records->out_keys != NULL)
        hybrid_copy_nontemporal(records->out_keys + chunk->to * records->key_size, buffer,
                                key_bytes);
    if (records->out_values != NULL)
        hybrid_copy_nontemporal(records->out_values + chunk->to * records->value_size,
                                buffer + ordo_round_up(key_bytes, ORDO_CACHE_LINE), value_bytes);
    hybrid_fence_nontemporal();
    atomic_fetch_add_explicit(&call->stored_chunks, 1, memory_order_release);
    ordo_profile_add(call->exec, ORDO_SPAN_PUT, lane, began,
                     chunk->count * (records->key_size + records->value_size));
    return ORDO_OK;
}

ordo_status hybrid_fetch_segments(void *arg)
{
    hybrid_call *const call = arg;
    TRY(hybrid_make_segments(call));
    TRY(hybrid_prepare_buckets(call, call->records->out_keys == NULL));
    atomic_init(&call->fetched_key_bytes, 0);
    atomic_init(&call->stored_chunks, 0);
    atomic_init(&call->queued_segments, 0);
    call->exec->phase++;
    call->exec->changed = true; /* from here on results are written */
    return hybrid_run_chunks(&(hybrid_chunks){call, &call->next_result, call->result_count,
                                              request_chunk, store_chunk, hybrid_sort_buckets,
                                              call});
}
