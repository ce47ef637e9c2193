/* sort_buckets.c - phase IV for the CPU's share: each bucket is gathered at its place in the result
 * and sorted there by one thread, in its cache.
 *
 * Once all of the device's results are stored, the device sorts the remaining buckets: a thread
 * gathers adjacent buckets in its staging buffer, as many as fit, and sends them. One device sort
 * sorts them, and the thread copies the result to its place. The buckets are a range of keys, so no
 * merge is needed. The buckets use the device memory of the batches, which are no longer needed.
 * The CPU sorts buckets larger than a staging buffer. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid_call.h"

#include <string.h>

/* Takes scratch for the sort of one bucket per lane. */
static ordo_status reserve_scratch(hybrid_call *call, bool gathers_keys)
{
    const hybrid_records *const records = call->records;
    hybrid_worker               alone;
    hybrid_worker_init(call, &alone);
    size_t const keys = gathers_keys ? call->largest_bucket * records->key_size : 0;
    size_t const sort =
        hybrid_sort_records_scratch(call->both->cpu, records, call->largest_bucket, &alone.exec);
    call->bucket_scratch_bytes =
        ordo_round_up(keys, ORDO_CACHE_LINE) +
        ordo_round_up(sort + HYBRID_SCRATCH_TAKES * ORDO_CACHE_LINE, ORDO_CACHE_LINE);
    TRY_SCRATCH(call->exec, call->lanes * call->bucket_scratch_bytes, call->bucket_scratch);
    return ORDO_OK;
}

ordo_status hybrid_prepare_buckets(hybrid_call *call, bool gathers_keys)
{
    atomic_init(&call->next_bucket, 0);
    atomic_init(&call->handed_over, 0);
    if (!call->divided) {
        call->bucket_count = 0;
        return ORDO_OK;
    }
    TRY(hybrid_bucket_starts(call, call->batch_start[call->batch_count]));
    return reserve_scratch(call, gathers_keys);
}

/* ---- By the device ---- */

enum {
    MARK = HYBRID_SEGMENT_BUFFERS, /* the first mark that no segment uses */
    IN = 0,                        /* sides of a lane; both are free here */
    OUT = 1
};

/* Each lane needs a chunk of its own in the memory of the batches. */
static bool device_is_free(const hybrid_call *call)
{
    return call->lanes * call->chunk_records <= call->batch_start[call->batch_count] &&
           atomic_load_explicit(&call->stored_chunks, memory_order_acquire) == call->result_count;
}

/* Claims the next buckets that fit a staging buffer, [*first, *end). Returns false if there are
 * none. */
static bool claim_buckets(hybrid_call *call, size_t *first, size_t *end)
{
    *first = atomic_load_explicit(&call->next_bucket, memory_order_relaxed);
    do {
        size_t const start = *first < call->bucket_count ? call->bucket_start[*first] : 0;
        *end = *first;
        while (*end < call->bucket_count &&
               call->bucket_start[*end + 1] - start <= call->chunk_records)
            ++*end;
        if (*end == *first)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&call->next_bucket, first, *end,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

/* The lock keeps other work from being queued between the sort and its mark. */
static ordo_status sort_on_device(hybrid_call *call, ordo_exec *exec, unsigned lane, char *keys,
                                  char *values, size_t count)
{
    void *const state = call->both->device_state;
    pthread_mutex_lock(&call->device_lock);
    ordo_status status = call->link->join(state, &call->device.exec);
    if (status == ORDO_OK)
        status = hybrid_span_work_begin(call, count);
    if (status == ORDO_OK)
        status = hybrid_sort_on_device(call, keys, values, count);
    if (status == ORDO_OK)
        status = hybrid_span_work_end(call);
    if (status == ORDO_OK)
        status = call->link->mark(state, &call->device.exec, MARK);
    if (status == ORDO_OK)
        status = call->link->await(state, exec, lane, MARK);
    pthread_mutex_unlock(&call->device_lock);
    return status;
}

static char *keys_in(const hybrid_call *call, unsigned lane, unsigned side)
{
    return call->link->buffer(call->both->device_state, lane, side);
}

static char *values_in(const hybrid_call *call, unsigned lane, unsigned side, size_t count)
{
    return keys_in(call, lane, side) +
           ordo_round_up(count * call->records->key_size, ORDO_CACHE_LINE);
}

static void gather_buckets(hybrid_call *call, unsigned lane, size_t first, size_t end)
{
    const hybrid_records *const records = call->records;
    size_t const to = call->bucket_start[first], count = call->bucket_start[end] - to;
    double const began = ordo_profile_now(call->exec);
    for (size_t bucket = first; bucket < end; bucket++) {
        size_t const at = call->bucket_start[bucket] - to;
        hybrid_gather_bucket(call, bucket, keys_in(call, lane, IN) + at * records->key_size,
                             records->value_size == 0
                                 ? NULL
                                 : values_in(call, lane, IN, count) + at * records->value_size);
    }
    ordo_profile_add(call->exec, ORDO_SPAN_DIVIDE, lane, began,
                     count * (records->key_size + records->value_size));
}

static void store_buckets(hybrid_call *call, unsigned lane, size_t to, size_t count)
{
    const hybrid_records *const records = call->records;
    size_t const                size = records->key_size, value_size = records->value_size;
    double const                began = ordo_profile_now(call->exec);
    if (records->out_keys != NULL)
        memcpy(records->out_keys + to * size, keys_in(call, lane, OUT), count * size);
    if (value_size != 0)
        memcpy(records->out_values + to * value_size, values_in(call, lane, OUT, count),
               count * value_size);
    ordo_profile_add(call->exec, ORDO_SPAN_PUT, lane, began, count * (size + value_size));
}

static ordo_status sort_through_device(hybrid_call *call, ordo_exec *exec, unsigned lane,
                                       size_t first, size_t end)
{
    const hybrid_records *const records = call->records;
    const ordo_link *const      link = call->link;
    void *const                 state = call->both->device_state;
    size_t const to = call->bucket_start[first], count = call->bucket_start[end] - to;
    size_t const key_bytes = count * records->key_size;
    size_t const value_bytes = count * records->value_size;
    size_t const out_key_bytes = records->out_keys != NULL ? key_bytes : 0;
    char *const  keys = call->device_keys + lane * call->chunk_records * records->key_size;
    char *const  values = call->device_values + lane * call->chunk_records * records->value_size;
    gather_buckets(call, lane, first, end);
    TRY(link->copy_in(state, exec, lane, keys, keys_in(call, lane, IN), key_bytes));
    if (value_bytes != 0)
        TRY(link->copy_in(state, exec, lane, values, values_in(call, lane, IN, count),
                          value_bytes));
    TRY(link->close_side(state, exec, lane, IN));
    TRY(sort_on_device(call, exec, lane, keys, values, count));
    if (out_key_bytes != 0)
        TRY(link->copy_out(state, exec, lane, keys_in(call, lane, OUT), keys, key_bytes));
    if (value_bytes != 0)
        TRY(link->copy_out(state, exec, lane, values_in(call, lane, OUT, count), values,
                           value_bytes));
    TRY(link->close_side(state, exec, lane, OUT));
    TRY(link->wait_side(state, exec, lane, OUT)); /* IN was closed earlier, so its copy is complete
                                                   * too */
    hybrid_span_copy(call, lane, IN, ORDO_SPAN_IN, key_bytes + value_bytes);
    hybrid_span_copy(call, lane, OUT, ORDO_SPAN_OUT, out_key_bytes + value_bytes);
    store_buckets(call, lane, to, count);
    return ORDO_OK;
}

/* Sorts some of the remaining buckets on the device if the device has no other work. Returns false
 * if no bucket was taken. */
static bool hand_over_buckets(hybrid_call *call, ordo_exec *exec, unsigned lane)
{
    size_t first, end;
    if (!device_is_free(call) || !claim_buckets(call, &first, &end))
        return false;
    (void)sort_through_device(call, exec, lane, first, end); /* the error is recorded in the call */
    atomic_fetch_add_explicit(&call->handed_over, end - first, memory_order_relaxed);
    return true;
}

/* ---- By the CPU ---- */

static void sort_bucket(void *arg, hybrid_worker *worker, size_t bucket)
{
    hybrid_call *const          call = arg;
    const hybrid_records *const records = call->records;
    size_t const start = call->bucket_start[bucket], count = call->bucket_start[bucket + 1] - start;
    char *const  values =
        records->out_values == NULL ? NULL : records->out_values + start * records->value_size;
    char *keys = worker->scratch;
    if (records->out_keys != NULL)
        keys = records->out_keys + start * records->key_size;
    else
        worker->scratch_used = ordo_round_up(count * records->key_size, ORDO_CACHE_LINE);
    hybrid_gather_bucket(call, bucket, keys, values);
    (void)hybrid_sort_records(call->both->cpu, call->both->cpu_state, records, keys, values, count,
                              &worker->exec);
}

static void run_step(hybrid_call *call, hybrid_worker *worker, unsigned lane, size_t bucket,
                     hybrid_bucket_step *step, void *arg)
{
    double const began = ordo_profile_now(call->exec);
    worker->scratch_used = 0;
    step(arg, worker, bucket);
    ordo_profile_add(call->exec, ORDO_SPAN_BUCKET, lane, began,
                     (call->bucket_start[bucket + 1] - call->bucket_start[bucket]) *
                         (call->records->key_size + call->records->value_size));
}

void hybrid_each_bucket(hybrid_call *call, unsigned lane, bool hands_over, hybrid_bucket_step *step,
                        void *arg)
{
    hybrid_worker worker;
    if (call->bucket_count == 0)
        return;
    hybrid_bucket_worker_init(call, &worker, lane);
    while (!hybrid_has_failed(call)) {
        size_t const taken = atomic_load_explicit(&call->next_bucket, memory_order_relaxed);
        if (ordo_poll(call->exec,
                      (double)ordo_min(taken, call->bucket_count) / (double)call->bucket_count))
            hybrid_mark_cancelled(call);
        else if (!hands_over || !hand_over_buckets(call, &worker.exec, lane)) {
            size_t const bucket =
                atomic_fetch_add_explicit(&call->next_bucket, 1, memory_order_relaxed);
            if (bucket >= call->bucket_count)
                break;
            run_step(call, &worker, lane, bucket, step, arg);
        }
    }
}

void hybrid_sort_buckets(void *call, unsigned lane)
{
    hybrid_each_bucket(call, lane, true, sort_bucket, call);
}
