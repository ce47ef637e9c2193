/* rank_streamed.c - ranks of a host array on the device.
 *
 * A rank depends on all keys, so the link is idle while the device finishes its work. To keep this
 * time short, the keys arrive in two batches: the device sorts the first while the second arrives.
 * put_ranks then merges both and scatters the ranks to input order, in parts; threads fetch a part
 * while the next is computed. The CPU's share is whole buckets, whose ranks overwrite meaningless
 * values from the device. Device memory per 4-byte key: 32 bytes, or 30 with one batch, which needs
 * no merge. Host memory with a share for the CPU: a copy of the records, and an index and 8 bytes
 * for each of the CPU's records. */
#define _POSIX_C_SOURCE 200809L
#include "core/indices.h"
#include "core/ties.h"
#include "hybrid/stream/hybrid_call.h"

#include <string.h>

enum {
    PARTS = ORDO_LINK_MARKS, /* parts of the ranks, each followed by a mark */
    LANE_CHUNKS = 4,         /* least number of chunks per lane */
    BLOCK = 2048             /* ranks that are converted at a time, in the cache */
};

typedef struct hybrid_ranking { /* the state of one call */
    hybrid_call         *call;
    const ordo_rank_job *job;
    size_t width; /* bytes of an index, and of a rank on the link: 4, or 8 from 2^31 keys on */

    /* Device memory. */
    char *device_ranks; /* per key: its rank, or twice its average rank */
    char *work;         /* work space of put_ranks */

    size_t chunk_ranks; /* ranks that are fetched in one step */

    /* The CPU's buckets: sorted indices, ranks within the bucket, the rank before each bucket. */
    size_t    device_count; /* records on the device; they precede the buckets in the order */
    char     *cpu_index;
    uint64_t *cpu_ranks; /* bits of doubles for average ranks */
    uint64_t *cpu_before;
} hybrid_ranking;

/* Of indices and of ranks on the link. */
static ordo_type index_type(const hybrid_ranking *ranking)
{
    return ranking->width == sizeof(uint32_t) ? ORDO_U32 : ORDO_U64;
}

/* ---- Memory ---- */

static void use_one_batch(hybrid_call *call)
{
    call->batch_chunks = call->chunk_count;
    call->batch_count = 1;
}

/* Keys below 4 bytes take one or two radix passes, which cost no more than a merge. */
static void use_two_batches(hybrid_call *call)
{
    use_one_batch(call);
    if (call->records->key_size < sizeof(uint32_t))
        return;
    call->batch_chunks = ordo_div_up(call->chunk_count * ORDO_TUNE_RANK_FIRST, 100);
    call->batch_count = ordo_div_up(call->chunk_count, call->batch_chunks);
}

/* The job of put_ranks when the device has n records, of which [0, split) are in the first
 * batch. */
static ordo_put_job put_job(const hybrid_ranking *ranking, size_t n, size_t split)
{
    const hybrid_call *const call = ranking->call;
    return (ordo_put_job){.type = call->records->type,
                          .sorted = call->device_keys,
                          .n = n,
                          .split = split,
                          .descending = call->records->descending,
                          .ties = ranking->job->ties,
                          .index_type = index_type(ranking),
                          .index = call->device_values,
                          .total = call->records->n,
                          .ranks = ranking->device_ranks,
                          .work = ranking->work,
                          .parts = PARTS};
}

/* Lays out device memory from base on and returns its size. base NULL: only the size. */
static size_t lay_out(hybrid_ranking *ranking, char *base)
{
    hybrid_call *const call = ranking->call;
    size_t const       n = call->records->n;
    ordo_put_job const most = put_job(ranking, n, call->batch_count == 1 ? n : 0);
    size_t             used = 0;
    call->device_keys = hybrid_carve(base, &used, n * call->records->key_size);
    call->device_values = hybrid_carve(base, &used, n * ranking->width);
    ranking->device_ranks = hybrid_carve(base, &used, n * ranking->width);
    ranking->work = hybrid_carve(base, &used, call->both->device->put_ranks_work(&most));
    return used;
}

static size_t sort_scratch(const hybrid_call *call)
{
    return hybrid_sort_records_scratch(call->both->device, call->records,
                                       call->batch_chunks * call->chunk_records,
                                       &call->device.exec);
}

static ordo_status reserve_device(hybrid_ranking *ranking)
{
    hybrid_call *const call = ranking->call;
    char              *base;
    TRY(hybrid_reserve_device(call, lay_out(ranking, NULL), sort_scratch(call), &base));
    (void)lay_out(ranking, base);
    return ORDO_OK;
}

/* ---- The CPU's share ----
 *
 * One thread sorts a bucket with its indices and ranks it, in its cache; tied keys are in one
 * bucket. The ranks within a bucket are computed while the device's ranks arrive. The number of
 * records (dense ranks: of distinct keys) before the bucket is added when the ranks are stored in
 * the caller's array, after the device's ranks. Cost: each record is moved twice and sorted once,
 * and its rank is stored out of order. */

/* Takes the memory of the CPU's share. */
static ordo_status prepare_buckets(hybrid_ranking *ranking)
{
    hybrid_call *const call = ranking->call;
    size_t const       count = call->records->n - ranking->device_count;
    TRY(hybrid_prepare_buckets(call, true));
    if (!call->divided)
        return ORDO_OK;
    TRY_SCRATCH(call->exec, count * ranking->width, ranking->cpu_index);
    TRY_SCRATCH(call->exec, count * sizeof(uint64_t), ranking->cpu_ranks);
    TRY_SCRATCH(call->exec, call->bucket_count * sizeof(uint64_t), ranking->cpu_before);
    return ORDO_OK;
}

static bool has_halves(const hybrid_ranking *ranking)
{
    return ranking->job->ties == ORDO_TIES_AVERAGE;
}

static void rank_bucket(void *arg, hybrid_worker *worker, size_t bucket)
{
    hybrid_ranking *const     ranking = arg;
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

static void rank_buckets(void *ranking, unsigned lane)
{
    hybrid_each_bucket(((hybrid_ranking *)ranking)->call, lane, false, rank_bucket, ranking);
}

static void store_ranks_of_buckets(void *arg, size_t lo, size_t hi)
{
    const hybrid_ranking *const ranking = arg;
    const hybrid_call *const    call = ranking->call;
    const ordo_rank_job *const  job = ranking->job;
    for (size_t bucket = lo; bucket < hi; bucket++) {
        uint64_t const before = ranking->cpu_before[bucket];
        size_t const   end = call->bucket_start[bucket + 1] - ranking->device_count;
        for (size_t i = call->bucket_start[bucket] - ranking->device_count; i < end; i++) {
            size_t const   at = ordo_index_at(index_type(ranking), ranking->cpu_index, i);
            uint64_t const rank = ranking->cpu_ranks[i];
            double         halves;
            memcpy(&halves, &rank, sizeof halves);
            if (has_halves(ranking))
                ((double *)job->ranks)[at] = halves + (double)before;
            else
                ordo_put_rank(job->rank_type, job->ties, job->ranks, at, rank + before);
        }
    }
}

/* Stores the CPU's ranks in the caller's array after the device's ranks. `distinct` is the number
 * of distinct keys on the device. */
static ordo_status store_bucket_ranks(hybrid_ranking *ranking, uint64_t distinct)
{
    hybrid_call *const call = ranking->call;
    for (size_t bucket = 0; bucket < call->bucket_count; bucket++) {
        size_t const start = call->bucket_start[bucket], end = call->bucket_start[bucket + 1];
        bool const   dense = ranking->job->ties == ORDO_TIES_DENSE;
        ranking->cpu_before[bucket] = dense ? distinct : start;
        if (dense && start < end) /* the dense rank of the bucket's last record */
            distinct += ranking->cpu_ranks[end - 1 - ranking->device_count];
    }
    return ordo_loop(call->exec, call->bucket_count, 1, store_ranks_of_buckets, ranking)
               ? ORDO_OK
               : ORDO_E_CANCELLED;
}

/* ---- Fetching ranks ---- */

static ordo_status put_ranks(hybrid_ranking *ranking)
{
    hybrid_call *const call = ranking->call;
    void *const        device = call->both->device_state;
    ordo_put_job       job = put_job(ranking, ranking->device_count, call->batch_start[1]);
    for (job.part = 0; job.part < PARTS && job.n > 0; job.part++) {
        TRY(hybrid_span_work_begin(call, job.n));
        TRY(call->both->device->put_ranks(device, &job, &call->device.exec));
        TRY(hybrid_span_work_end(call));
        TRY(call->link->mark(device, &call->device.exec, job.part));
    }
    return ORDO_OK;
}

/* Converts device ranks to the caller's type if their bytes differ. */
static void convert(const hybrid_ranking *ranking, const void *from, void *to, size_t n)
{
    ordo_type const in = index_type(ranking), out = ranking->job->rank_type;
    ordo_ties const ties = ranking->job->ties;
    for (size_t i = 0; i < n; i++)
        ordo_put_rank(out, ties, to, i, ordo_index_at(in, from, i));
}

static void store_ranks(const hybrid_ranking *ranking, const char *device_ranks, size_t at,
                        size_t count)
{
    const ordo_rank_job *const     job = ranking->job;
    size_t const                   size = ordo_type_size(job->rank_type);
    char *const                    ranks = (char *)job->ranks + at * size;
    _Alignas(ORDO_CACHE_LINE) char block[BLOCK * sizeof(uint64_t)];
    if (size == ranking->width && job->rank_type != ORDO_F64) {
        hybrid_copy_nontemporal(ranks, device_ranks, count * size);
        hybrid_fence_nontemporal();
        return;
    }
    for (size_t i = 0; i < count; i += BLOCK) {
        size_t const here = ordo_min(BLOCK, count - i);
        convert(ranking, device_ranks + i * ranking->width, block, here);
        hybrid_copy_nontemporal(ranks + i * size, block, here * size);
    }
    hybrid_fence_nontemporal();
}

/* The part that contains the end of a chunk. */
static unsigned part_of(const hybrid_ranking *ranking, size_t end)
{
    size_t const stretch = ranking->call->records->n / PARTS;
    return stretch == 0 ? PARTS - 1 : (unsigned)ordo_min(PARTS - 1, (end - 1) / stretch);
}

static size_t chunk_end(const hybrid_ranking *ranking, size_t chunk)
{
    return ordo_min(ranking->call->records->n, (chunk + 1) * ranking->chunk_ranks);
}

static ordo_status request_chunk(void *arg, ordo_exec *exec, unsigned lane, unsigned side,
                                 size_t chunk)
{
    hybrid_ranking *const  ranking = arg;
    hybrid_call *const     call = ranking->call;
    const ordo_link *const link = call->link;
    void *const            state = call->both->device_state;
    size_t const           first = chunk * ranking->chunk_ranks, end = chunk_end(ranking, chunk);
    TRY(link->await(state, exec, lane, part_of(ranking, end)));
    TRY(link->copy_out(state, exec, lane, link->buffer(state, lane, side),
                       ranking->device_ranks + first * ranking->width,
                       (end - first) * ranking->width));
    return link->close_side(state, exec, lane, side);
}

static ordo_status store_chunk(void *arg, ordo_exec *exec, unsigned lane, unsigned side,
                               size_t chunk)
{
    hybrid_ranking *const ranking = arg;
    hybrid_call *const    call = ranking->call;
    void *const           state = call->both->device_state;
    size_t const          first = chunk * ranking->chunk_ranks;
    size_t const          count = chunk_end(ranking, chunk) - first;
    TRY(call->link->wait_side(state, exec, lane, side));
    hybrid_span_copy(call, lane, side, ORDO_SPAN_OUT, count * ranking->width);
    double const began = ordo_profile_now(call->exec);
    store_ranks(ranking, call->link->buffer(state, lane, side), first, count);
    ordo_profile_add(call->exec, ORDO_SPAN_PUT, lane, began, count * ranking->width);
    return ORDO_OK;
}

/* The number of distinct keys on the device, which is the dense rank of its last record. */
static ordo_status count_distinct(hybrid_ranking *ranking, uint64_t *distinct)
{
    hybrid_call *const         call = ranking->call;
    const ordo_link *const     link = call->link;
    void *const                state = call->both->device_state;
    const ordo_rank_job *const job = ranking->job;
    uint64_t                   last = 0;
    *distinct = 0;
    if (job->ties != ORDO_TIES_DENSE || ranking->device_count == 0)
        return ORDO_OK;
    /* The last record is the last of one of the batches. */
    for (size_t b = 0; b < call->batch_count; b++) {
        size_t const at = call->batch_start[b + 1];
        if (at == call->batch_start[b])
            continue;
        char *const buffer = link->buffer(state, 0, 0);
        TRY(link->copy_out(state, call->exec, 0, buffer,
                           call->device_values + (at - 1) * ranking->width, ranking->width));
        TRY(link->close_side(state, call->exec, 0, 0));
        TRY(link->wait_side(state, call->exec, 0, 0));
        last = ordo_index_at(index_type(ranking), buffer, 0);
        uint64_t const rank = job->rank_type == ORDO_U32   ? ((const uint32_t *)job->ranks)[last]
                              : job->rank_type == ORDO_U64 ? ((const uint64_t *)job->ranks)[last]
                                                           : (uint64_t)((double *)job->ranks)[last];
        *distinct = ordo_max(*distinct, rank);
    }
    return ORDO_OK;
}

static ordo_status finish(void *arg)
{
    hybrid_ranking *const ranking = arg;
    hybrid_call *const    call = ranking->call;
    size_t const          n = call->records->n, bytes = n * ranking->width;
    size_t const least = ordo_max(ORDO_TUNE_LINK_CHUNK, bytes / call->exec->threads / LANE_CHUNKS);
    uint64_t     distinct;
    ranking->device_count = call->batch_start[call->batch_count];
    ranking->chunk_ranks = ordo_min(call->link->buffer_bytes, least) / ranking->width;
    call->result_count = ranking->device_count == 0 ? 0 : ordo_div_up(n, ranking->chunk_ranks);
    if (put_ranks(ranking) != ORDO_OK)
        return hybrid_result(call, true);
    TRY(prepare_buckets(ranking));
    call->exec->phase++;
    call->exec->changed = true; /* from here on ranks are written */
    TRY(hybrid_run_chunks(&(hybrid_chunks){call, &call->next_result, call->result_count,
                                           request_chunk, store_chunk, rank_buckets, ranking}));
    if (call->bucket_count == 0)
        return ORDO_OK;
    call->exec->phase++;
    TRY(count_distinct(ranking, &distinct));
    return store_bucket_ranks(ranking, distinct);
}

/* ---- The call ---- */

static ordo_status begin(void *arg)
{
    hybrid_ranking *const ranking = arg;
    hybrid_call *const    call = ranking->call;
    if (call->wanted_share > 0) /* only a share for the CPU needs a pivot */
        TRY(hybrid_choose_splitters(call));
    call->exec->phase = 0;
    call->exec->phases = call->divided ? 3 : 2;
    use_two_batches(call);
    ordo_status const status = reserve_device(ranking);
    if (status != ORDO_E_NOMEM || call->batch_count == 1)
        return status;
    use_one_batch(call);
    return reserve_device(ranking);
}

ordo_status hybrid_rank_streamed(const ordo_both *both, const hybrid_records *records,
                                 const ordo_rank_job *job, ordo_exec *exec)
{
    hybrid_call    call;
    hybrid_ranking ranking = {.call = &call, .job = job, .width = records->value_size};
    hybrid_call_open(&call, both, records, exec);
    ordo_status const status = hybrid_run_phases(&call, begin, finish, &ranking);
    hybrid_call_close(&call);
    if (status == ORDO_OK) {
        hybrid_record(&call, exec);
        exec->facts.rank_bytes = ranking.width;
    }
    return status;
}
