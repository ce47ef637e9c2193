/* rank_buckets.c - the CPU's share of a ranking. One thread sorts a bucket with its indices and
 * ranks it, in its cache; tied keys are in one bucket.
 *
 * The ranks within a bucket are computed while the device's ranks arrive. The number of records
 * (dense ranks: of distinct keys) before the bucket is added when they are stored in the caller's
 * array, after the device's ranks. Cost: each record is moved twice and sorted once, and its rank
 * is stored out of order. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/rank_streamed.h"

#include <string.h>

ordo_status hybrid_prepare_rank_buckets(hybrid_ranking *ranking)
{
    hybrid_call *const          call = ranking->call;
    const hybrid_records *const records = call->records;
    void                       *memory;
    hybrid_worker               alone;
    atomic_init(&call->next_bucket, 0);
    if (!call->divided) {
        call->bucket_count = 0;
        return ORDO_OK;
    }
    TRY(hybrid_bucket_starts(call, ranking->device_count));
    size_t const count = records->n - ranking->device_count;
    TRY(ordo_scratch(call->exec, count * ranking->width, &memory));
    ranking->cpu_index = memory;
    TRY(ordo_scratch(call->exec, count * sizeof(uint64_t), &memory));
    ranking->cpu_ranks = memory;
    TRY(ordo_scratch(call->exec, call->bucket_count * sizeof(uint64_t), &memory));
    ranking->cpu_before = memory;

    hybrid_worker_init(call, &alone);
    size_t const sort =
        hybrid_sort_records_scratch(call->both->cpu, records, call->largest_bucket, &alone.exec);
    size_t const keys = ordo_round_up(call->largest_bucket * records->key_size, ORDO_CACHE_LINE);
    call->bucket_scratch_bytes =
        keys + ordo_round_up(sort + HYBRID_SCRATCH_TAKES * ORDO_CACHE_LINE, ORDO_CACHE_LINE);
    TRY(ordo_scratch(call->exec, call->lanes * call->bucket_scratch_bytes, &memory));
    call->bucket_scratch = memory;
    return ORDO_OK;
}

static bool has_halves(const hybrid_ranking *ranking)
{
    return ranking->job->ties == ORDO_TIES_AVERAGE;
}

static void rank_bucket(hybrid_ranking *ranking, hybrid_worker *worker, size_t bucket)
{
    hybrid_call *const        call = ranking->call;
    const ordo_backend *const cpu = call->both->cpu;
    size_t const              start = call->bucket_start[bucket] - ranking->device_count;
    size_t const              count = call->bucket_start[bucket + 1] - call->bucket_start[bucket];
    char *const               index = ranking->cpu_index + start * ranking->width;
    if (count == 0)
        return;
    worker->scratch_used = ordo_round_up(count * call->records->key_size, ORDO_CACHE_LINE);
    hybrid_gather_bucket(call, bucket, worker->scratch, index);
    ordo_rank_sorted_job const ranks = {.type = call->records->type,
                                        .sorted = worker->scratch,
                                        .n = count,
                                        .rank_type = has_halves(ranking) ? ORDO_F64 : ORDO_U64,
                                        .ranks = ranking->cpu_ranks + start,
                                        .ties = ranking->job->ties};
    if (hybrid_sort_records(cpu, call->both->cpu_state, call->records, worker->scratch, index,
                            count, &worker->exec) == ORDO_OK)
        (void)cpu->rank_sorted(call->both->cpu_state, &ranks, &worker->exec);
}

static void rank_bucket_in_span(hybrid_ranking *ranking, hybrid_worker *worker, unsigned lane,
                                size_t bucket)
{
    const hybrid_call *const call = ranking->call;
    double const             began = ordo_profile_now(call->exec);
    rank_bucket(ranking, worker, bucket);
    ordo_profile_add(call->exec, ORDO_SPAN_BIN, lane, began,
                     (call->bucket_start[bucket + 1] - call->bucket_start[bucket]) *
                         (call->records->key_size + ranking->width));
}

void hybrid_rank_buckets(hybrid_ranking *ranking, unsigned lane)
{
    hybrid_call *const call = ranking->call;
    hybrid_worker      worker;
    if (call->bucket_count == 0)
        return;
    hybrid_bucket_worker_init(call, &worker, lane);
    while (!hybrid_has_failed(call)) {
        size_t const bucket =
            atomic_fetch_add_explicit(&call->next_bucket, 1, memory_order_relaxed);
        if (bucket >= call->bucket_count)
            break;
        if (ordo_poll(call->exec, (double)bucket / (double)call->bucket_count))
            hybrid_mark_cancelled(call);
        else
            rank_bucket_in_span(ranking, &worker, lane, bucket);
    }
}

/* ---- The caller's array ---- */

static uint64_t index_at(const hybrid_ranking *ranking, size_t i)
{
    if (ranking->width == sizeof(uint32_t))
        return ((const uint32_t *)(const void *)ranking->cpu_index)[i];
    return ((const uint64_t *)(const void *)ranking->cpu_index)[i];
}

static void store_buckets(void *arg, size_t lo, size_t hi)
{
    const hybrid_ranking *const ranking = arg;
    const hybrid_call *const    call = ranking->call;
    const ordo_rank_job *const  job = ranking->job;
    for (size_t bucket = lo; bucket < hi; bucket++) {
        uint64_t const before = ranking->cpu_before[bucket];
        size_t const   end = call->bucket_start[bucket + 1] - ranking->device_count;
        for (size_t i = call->bucket_start[bucket] - ranking->device_count; i < end; i++) {
            uint64_t const at = index_at(ranking, i), rank = ranking->cpu_ranks[i];
            double         halves;
            memcpy(&halves, &rank, sizeof halves);
            if (has_halves(ranking))
                ((double *)job->ranks)[at] = halves + (double)before;
            else if (job->rank_type == ORDO_U32)
                ((uint32_t *)job->ranks)[at] = (uint32_t)(rank + before);
            else if (job->rank_type == ORDO_U64)
                ((uint64_t *)job->ranks)[at] = rank + before;
            else
                ((double *)job->ranks)[at] = (double)(rank + before);
        }
    }
}

ordo_status hybrid_store_bucket_ranks(hybrid_ranking *ranking, uint64_t distinct)
{
    hybrid_call *const call = ranking->call;
    for (size_t bucket = 0; bucket < call->bucket_count; bucket++) {
        size_t const start = call->bucket_start[bucket], end = call->bucket_start[bucket + 1];
        bool const   dense = ranking->job->ties == ORDO_TIES_DENSE;
        ranking->cpu_before[bucket] = dense ? distinct : start;
        if (dense && start < end) /* the dense rank of the bucket's last record */
            distinct += ranking->cpu_ranks[end - 1 - ranking->device_count];
    }
    return ordo_loop(call->exec, call->bucket_count, 1, store_buckets, ranking) ? ORDO_OK
                                                                                : ORDO_E_CANCELLED;
}
