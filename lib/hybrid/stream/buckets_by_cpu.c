/* buckets_by_cpu.c - phase IV on the CPU: each bucket is gathered at its place in the result and
 * sorted there by one thread, in its cache. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid_call.h"

ordo_status hybrid_prepare_buckets(hybrid_call *call)
{
    const hybrid_records *const records = call->records;
    void                       *memory;
    hybrid_worker               alone;
    atomic_init(&call->next_bucket, 0);
    atomic_init(&call->handed_over, 0);
    if (!call->divided) {
        call->bucket_count = 0;
        return ORDO_OK;
    }
    TRY(hybrid_bucket_starts(call, call->batch_start[call->batch_count]));
    hybrid_worker_init(call, &alone);
    /* Without an array for the keys, a thread gathers them in its scratch. */
    size_t const keys = records->out_keys != NULL ? 0 : call->largest_bucket * records->key_size;
    size_t const sort =
        hybrid_sort_records_scratch(call->both->cpu, records, call->largest_bucket, &alone.exec);
    call->bucket_scratch_bytes =
        ordo_round_up(keys, ORDO_CACHE_LINE) +
        ordo_round_up(sort + HYBRID_SCRATCH_TAKES * ORDO_CACHE_LINE, ORDO_CACHE_LINE);
    TRY(ordo_scratch(call->exec, call->lanes * call->bucket_scratch_bytes, &memory));
    call->bucket_scratch = memory;
    return ORDO_OK;
}

static void sort_bucket(hybrid_call *call, hybrid_worker *worker, size_t bucket)
{
    const hybrid_records *const records = call->records;
    size_t const start = call->bucket_start[bucket], count = call->bucket_start[bucket + 1] - start;
    char *const  values =
        records->out_values == NULL ? NULL : records->out_values + start * records->value_size;
    char *keys = worker->scratch;
    worker->scratch_used = 0;
    if (records->out_keys != NULL)
        keys = records->out_keys + start * records->key_size;
    else
        worker->scratch_used = ordo_round_up(count * records->key_size, ORDO_CACHE_LINE);
    hybrid_gather_bucket(call, bucket, keys, values);
    (void)hybrid_sort_records(call->both->cpu, call->both->cpu_state, records, keys, values, count,
                              &worker->exec);
}

static void sort_bucket_in_span(hybrid_call *call, hybrid_worker *worker, unsigned lane,
                                size_t bucket)
{
    double const began = ordo_profile_now(call->exec);
    sort_bucket(call, worker, bucket);
    ordo_profile_add(call->exec, ORDO_SPAN_BIN, lane, began,
                     (call->bucket_start[bucket + 1] - call->bucket_start[bucket]) *
                         (call->records->key_size + call->records->value_size));
}

void hybrid_sort_buckets(hybrid_call *call, unsigned lane)
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
        else if (!hybrid_hand_over_buckets(call, &worker.exec, lane)) {
            size_t const bucket =
                atomic_fetch_add_explicit(&call->next_bucket, 1, memory_order_relaxed);
            if (bucket >= call->bucket_count)
                break;
            sort_bucket_in_span(call, &worker, lane, bucket);
        }
    }
}
