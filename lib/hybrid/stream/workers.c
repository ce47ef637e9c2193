/* workers.c - functions that all phases use: loops over chunks with lanes and staging buffers, the
 * first error of a call, sorts of records with one backend, spans of a profile.
 *
 * The first error of any thread becomes the error of the call. All loops then stop early, and
 * hybrid_result reports the error to the caller. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid_call.h"

#include <sched.h>
#include <stdio.h>

enum {
    SPINS = 64
};

static ordo_status worker_fail(ordo_exec *exec, ordo_status status, const char *format,
                               va_list args)
{
    hybrid_call *const call = ((hybrid_worker *)exec->owner)->call;
    pthread_mutex_lock(&call->error_lock);
    if (atomic_load_explicit(&call->status, memory_order_relaxed) == ORDO_OK) {
        vsnprintf(call->error_text, sizeof call->error_text, format, args);
        atomic_store_explicit(&call->status, (int)status, memory_order_release);
    }
    pthread_mutex_unlock(&call->error_lock);
    return status;
}

static bool worker_loop(ordo_exec *exec, size_t n, size_t grain, ordo_body *body, void *arg)
{
    for (size_t lo = 0; lo < n; lo += grain)
        body(arg, lo, ordo_min(lo + grain, n));
    /* A body that was told to stop may have left its piece of the loop unfinished. */
    return !hybrid_has_failed(((hybrid_worker *)exec->owner)->call);
}

static bool worker_poll(ordo_exec *exec, double share)
{
    (void)share;
    return hybrid_has_failed(((hybrid_worker *)exec->owner)->call);
}

/* Takes scratch from the worker's own memory; ORDO_E_NOMEM if it has less or none. */
static ordo_status worker_scratch(ordo_exec *exec, size_t bytes, void **out)
{
    hybrid_worker *const worker = exec->owner;
    size_t const         take = ordo_round_up(bytes, ORDO_CACHE_LINE);
    if (take > worker->scratch_bytes - worker->scratch_used)
        return ordo_fail(exec, ORDO_E_NOMEM, "a sort requests %zu bytes of scratch, %zu are left",
                         take, worker->scratch_bytes - worker->scratch_used);
    *out = worker->scratch + worker->scratch_used;
    worker->scratch_used += take;
    return ORDO_OK;
}

void hybrid_worker_init(hybrid_call *call, hybrid_worker *worker)
{
    *worker = (hybrid_worker){.exec = {.owner = worker,
                                       .threads = 1,
                                       .loop = worker_loop,
                                       .poll = worker_poll,
                                       .scratch = worker_scratch,
                                       .fail = worker_fail,
                                       .phases = 1,
                                       .algorithm = "",
                                       .isa = "",
                                       .papers = call->exec->papers},
                              .call = call};
}

void hybrid_bucket_worker_init(hybrid_call *call, hybrid_worker *worker, unsigned lane)
{
    hybrid_worker_init(call, worker);
    worker->scratch = call->bucket_scratch + lane * call->bucket_scratch_bytes;
    worker->scratch_bytes = call->bucket_scratch_bytes;
}

static unsigned claim_lane(hybrid_call *call)
{
    for (;;) {
        for (unsigned lane = 0; lane < call->lanes; lane++)
            if (atomic_exchange_explicit(&call->lane_taken[lane], 1, memory_order_acquire) == 0)
                return lane;
        sched_yield();
    }
}

static void release_lane(hybrid_call *call, unsigned lane)
{
    atomic_store_explicit(&call->lane_taken[lane], 0, memory_order_release);
}

void hybrid_back_off(unsigned tries)
{
    if (tries < SPINS)
        ordo_cpu_relax();
    else
        sched_yield(); /* threads may outnumber CPUs */
}

bool hybrid_has_failed(const hybrid_call *call)
{
    return atomic_load_explicit(&call->status, memory_order_acquire) != ORDO_OK;
}

void hybrid_mark_cancelled(hybrid_call *call)
{
    int none = ORDO_OK;
    atomic_compare_exchange_strong(&call->status, &none, (int)ORDO_E_CANCELLED);
}

ordo_status hybrid_result(hybrid_call *call, bool all)
{
    ordo_status const status =
        (ordo_status)atomic_load_explicit(&call->status, memory_order_acquire);
    if (status == ORDO_E_CANCELLED)
        return status;
    if (status != ORDO_OK)
        return ordo_fail(call->exec, status, "%s", call->error_text);
    return all ? ORDO_OK : ORDO_E_CANCELLED;
}

static void run_chunks(const hybrid_chunks *chunks, ordo_exec *exec, unsigned lane)
{
    size_t on_link[ORDO_LINK_SIDES] = {SIZE_MAX, SIZE_MAX}; /* the chunk to store from each side */
    for (unsigned side = 0; !hybrid_has_failed(chunks->call); side = (side + 1) % ORDO_LINK_SIDES) {
        if (on_link[side] != SIZE_MAX)
            (void)chunks->store(chunks->arg, exec, lane, side, on_link[side]);
        size_t const chunk = atomic_fetch_add_explicit(chunks->next, 1, memory_order_relaxed);
        bool const   is_left = chunk < chunks->count;
        on_link[side] = is_left && chunks->store != NULL ? chunk : SIZE_MAX;
        if (ordo_poll(chunks->call->exec,
                      (double)ordo_min(chunk, chunks->count) / (double)(chunks->count + 1)))
            hybrid_mark_cancelled(chunks->call);
        if (is_left)
            (void)chunks->queue(chunks->arg, exec, lane, side, chunk);
        else if (on_link[0] == SIZE_MAX && on_link[1] == SIZE_MAX)
            break;
    }
}

static void chunks_thread(void *arg, size_t lo, size_t hi)
{
    const hybrid_chunks *const chunks = arg;
    hybrid_worker              worker;
    (void)hi;
    hybrid_worker_init(chunks->call, &worker);
    unsigned const lane = claim_lane(chunks->call);
    if (chunks->sort_buckets != NULL && lo >= ORDO_TUNE_LINK_THREADS)
        chunks->sort_buckets(chunks->arg, lane);
    run_chunks(chunks, &worker.exec, lane);
    if (chunks->sort_buckets != NULL)
        chunks->sort_buckets(chunks->arg, lane);
    release_lane(chunks->call, lane);
}

ordo_status hybrid_run_chunks(const hybrid_chunks *chunks)
{
    hybrid_call *const call = chunks->call;
    atomic_store_explicit(chunks->next, 0, memory_order_relaxed);
    (void)ordo_loop(call->exec, call->lanes, 1, chunks_thread, (void *)chunks);
    bool const all = atomic_load_explicit(chunks->next, memory_order_relaxed) >= chunks->count;
    return hybrid_result(call,
                         all && (chunks->sort_buckets == NULL ||
                                 atomic_load_explicit(&call->next_bucket, memory_order_relaxed) >=
                                     call->bucket_count));
}

/* ---- Sorts with one backend ---- */

static ordo_pairs_job job_of(const hybrid_records *records, char *keys, char *values, size_t n,
                             const ordo_exec *exec)
{
    return (ordo_pairs_job){
        .keys = {.type = records->type,
                 .keys = keys,
                 .n = n,
                 .descending = records->descending,
                 .algorithm = exec->on_device ? ORDO_ALGORITHM_RADIX : ORDO_ALGORITHM_AUTO},
        .values = values,
        .value_size = records->value_size};
}

ordo_status hybrid_sort_records(const ordo_backend *backend, void *state,
                                const hybrid_records *records, char *keys, char *values, size_t n,
                                ordo_exec *exec)
{
    ordo_pairs_job const job = job_of(records, keys, values, n, exec);
    if (records->value_size == 0)
        return backend->sort(state, &job.keys, exec);
    return backend->sort_pairs(state, &job, exec);
}

size_t hybrid_sort_records_scratch(const ordo_backend *backend, const hybrid_records *records,
                                   size_t n, const ordo_exec *exec)
{
    ordo_pairs_job const job = job_of(records, NULL, NULL, n, exec);
    if (records->value_size == 0)
        return backend->sort_scratch(&job.keys, exec);
    return backend->sort_pairs_scratch(&job, exec);
}

ordo_status hybrid_sort_on_device(hybrid_call *call, char *keys, char *values, size_t count)
{
    if (count == 0)
        return ORDO_OK;
    return hybrid_sort_records(call->both->device, call->both->device_state, call->records, keys,
                               values, count, &call->device.exec);
}

/* ---- Spans of a profile, timed by the device ---- */

ordo_status hybrid_spans_begin(hybrid_call *call)
{
    call->timed = call->exec->profile != NULL && call->link->watch != NULL;
    return call->timed ? call->link->watch(call->both->device_state, call->exec) : ORDO_OK;
}

void hybrid_span_copy(hybrid_call *call, unsigned lane, unsigned side, ordo_span_kind way,
                      size_t bytes)
{
    double began, ended;
    if (call->timed && bytes > 0 &&
        call->link->side_times(call->both->device_state, lane, side, &began, &ended))
        ordo_profile_span(call->exec, way, lane, began, ended, bytes);
}

ordo_status hybrid_span_work_begin(hybrid_call *call, size_t count)
{
    const hybrid_records *const records = call->records;
    if (!call->timed || 2 * call->work_count + 1 >= ORDO_LINK_TICKS)
        return ORDO_OK;
    call->tables->work_bytes[call->work_count] = count * (records->key_size + records->value_size);
    return call->link->tick(call->both->device_state, &call->device.exec, 2 * call->work_count);
}

ordo_status hybrid_span_work_end(hybrid_call *call)
{
    if (!call->timed || 2 * call->work_count + 1 >= ORDO_LINK_TICKS)
        return ORDO_OK;
    return call->link->tick(call->both->device_state, &call->device.exec,
                            2 * call->work_count++ + 1);
}

void hybrid_spans_end(hybrid_call *call)
{
    double began, ended;
    for (unsigned i = 0; i < call->work_count; i++)
        if (call->link->ticked(call->both->device_state, 2 * i, &began) &&
            call->link->ticked(call->both->device_state, 2 * i + 1, &ended))
            ordo_profile_span(call->exec, ORDO_SPAN_WORK, 0, began, ended,
                              call->tables->work_bytes[i]);
}
