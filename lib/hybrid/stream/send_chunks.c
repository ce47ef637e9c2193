/* send_chunks.c - phases II and III: sends the array to the device, which sorts each batch as it
 * arrives.
 *
 * Threads take chunks in order. A thread copies a chunk, or the device's part of it (buckets.c), to
 * one of its lane's two staging buffers, queues the copy to the device and fills the other buffer.
 * If the CPU has a share, the place of a chunk on the device depends on the sizes of all earlier
 * device parts; ordo_sequencer passes the next place from chunk to chunk. The thread that sends the
 * last chunk of a batch queues the sort of the batch. Reads the array once. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid_call.h"

#include <string.h>

/* ---- Work of the device ---- */

/* Whether the device generates the indices: only if all records go to the device. */
static bool device_makes_indices(const hybrid_call *call)
{
    return call->records->value_size != 0 && call->records->values == NULL && !call->divided;
}

static ordo_status sort_batch(hybrid_call *call, size_t batch)
{
    const hybrid_records *const records = call->records;
    size_t const                first = call->batch_start[batch];
    size_t const                count = call->batch_start[batch + 1] - first;
    char *const                 values = call->device_values + first * records->value_size;
    TRY(call->link->join(call->both->device_state, &call->device.exec));
    TRY(hybrid_span_work_begin(call, count));
    if (device_makes_indices(call))
        TRY(call->link->iota(call->both->device_state, &call->device.exec, values, count,
                             records->value_size == 4 ? ORDO_U32 : ORDO_U64, first));
    TRY(hybrid_sort_on_device(call, call->device_keys + first * records->key_size, values, count));
    return hybrid_span_work_end(call);
}

/* ---- Chunks ---- */

/* Copies bytes to a staging buffer and to the kept copy, if any, in blocks that stay in the cache.
 */
static void copy_and_keep(char *buffer, char *kept, const char *from, size_t bytes)
{
    enum {
        BLOCK = 32 << 10
    };
    for (size_t at = 0; at < bytes; at += BLOCK) {
        size_t const count = ordo_min(BLOCK, bytes - at);
        memcpy(buffer + at, from + at, count);
        if (kept != NULL)
            hybrid_copy_nontemporal(kept + at, from + at, count);
    }
    if (kept != NULL)
        hybrid_fence_nontemporal();
}

/* Stages all records of a chunk; returns their number. */
static size_t stage(hybrid_call *call, size_t chunk, char *keys, char *values)
{
    const hybrid_records *const records = call->records;
    size_t const first = chunk * call->chunk_records, count = hybrid_chunk_length(call, chunk);
    size_t const key_at = first * records->key_size, value_at = first * records->value_size;
    copy_and_keep(keys, call->kept_keys != NULL ? call->kept_keys + key_at : NULL,
                  records->keys + key_at, count * records->key_size);
    if (records->values != NULL)
        copy_and_keep(values, call->kept_values != NULL ? call->kept_values + value_at : NULL,
                      records->values + value_at, count * records->value_size);
    return count;
}

/* Assigns the chunk's place on the device. Without a share for the CPU the place is fixed; else the
 * chunk waits for its turn, and the last chunk of a batch stores where the next batch starts. */
static size_t take_place(hybrid_call *call, size_t chunk, size_t count)
{
    size_t const batch = chunk / call->batch_chunks;
    bool const   last = chunk + 1 == call->chunk_count || (chunk + 1) % call->batch_chunks == 0;
    if (!call->divided)
        return chunk * call->chunk_records;
    ordo_sequencer_wait(&call->turn, chunk);
    size_t const place = call->next_place;
    call->next_place += count;
    if (last)
        call->batch_start[batch + 1] = call->next_place;
    ordo_sequencer_pass(&call->turn, chunk);
    return place;
}

/* Waits until this side has been sent, so that it can be filled again. */
static ordo_status wait_sent(hybrid_call *call, ordo_exec *exec, unsigned lane, unsigned side)
{
    TRY(call->link->wait_side(call->both->device_state, exec, lane, side));
    hybrid_span_copy(call, lane, side, ORDO_SPAN_IN, call->tables->sent_bytes[lane][side]);
    call->tables->sent_bytes[lane][side] = 0;
    return ORDO_OK;
}

/* Counts a sent chunk. The thread that sends the last chunk of a batch queues its sort. */
static void count_sent(hybrid_call *call, size_t chunk)
{
    size_t const batch = chunk / call->batch_chunks;
    size_t const chunks =
        ordo_min(call->batch_chunks, call->chunk_count - batch * call->batch_chunks);
    if (atomic_fetch_add_explicit(&call->batch_sent[batch], 1, memory_order_acq_rel) + 1 != chunks)
        return;
    pthread_mutex_lock(&call->device_lock);
    if (!hybrid_has_failed(call))
        (void)sort_batch(call, batch);
    pthread_mutex_unlock(&call->device_lock);
}

static ordo_status send(void *arg, ordo_exec *exec, unsigned lane, unsigned side, size_t chunk)
{
    hybrid_call *const          call = arg;
    const hybrid_records *const records = call->records;
    const ordo_link *const      link = call->link;
    void *const                 state = call->both->device_state;
    char *const                 keys = link->buffer(state, lane, side);
    char *const                 values =
        keys +
        ordo_round_up(call->chunk_records * records->key_size + HYBRID_PADDING, ORDO_CACHE_LINE);
    ordo_status const waited = wait_sent(call, exec, lane, side);
    double const      began = ordo_profile_now(call->exec);
    size_t const      count = waited != ORDO_OK ? 0
                              : call->divided ? hybrid_divide_chunk(call, lane, chunk, keys, values)
                                              : stage(call, chunk, keys, values);
    ordo_profile_add(call->exec, ORDO_SPAN_DIVIDE, lane, began,
                     hybrid_chunk_length(call, chunk) * (records->key_size + records->value_size));
    /* Needed after an error too, because later chunks wait for their turn. */
    size_t const place = take_place(call, chunk, count);
    TRY(waited);
    TRY(link->copy_in(state, exec, lane, call->device_keys + place * records->key_size, keys,
                      count * records->key_size));
    call->tables->sent_bytes[lane][side] = count * records->key_size;
    if (records->value_size != 0 && !device_makes_indices(call)) {
        TRY(link->copy_in(state, exec, lane, call->device_values + place * records->value_size,
                          values, count * records->value_size));
        call->tables->sent_bytes[lane][side] += count * records->value_size;
    }
    TRY(link->close_side(state, exec, lane, side));
    count_sent(call, chunk);
    return ORDO_OK;
}

ordo_status hybrid_send_chunks(hybrid_call *call)
{
    atomic_init(&call->turn.next, 0);
    call->next_place = 0;
    for (size_t b = 0; b <= call->batch_count; b++)
        call->batch_start[b] =
            ordo_min(b * call->batch_chunks * call->chunk_records, call->records->n);
    for (size_t b = 0; b < HYBRID_MOST_BATCHES; b++)
        atomic_init(&call->batch_sent[b], 0);
    TRY(hybrid_run_chunks(
        &(hybrid_chunks){call, &call->next_chunk, call->chunk_count, send, NULL, NULL, call}));
    for (unsigned i = 0; i < call->lanes * ORDO_LINK_SIDES && call->timed; i++)
        if (wait_sent(call, &call->device.exec, i / ORDO_LINK_SIDES, i % ORDO_LINK_SIDES) !=
            ORDO_OK)
            return hybrid_result(call, true);
    return ORDO_OK;
}
