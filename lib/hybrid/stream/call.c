/* call.c - the life of a hybrid_call: chunk sizes, host and device memory, the order of the phases.
 */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid_call.h"

#include <string.h>

enum {
    LANE_CHUNKS = 4 /* least number of chunks per lane */
};

/* ---- Open and close ---- */

/* A staging buffer holds the keys of a chunk, then the values, which begin on a cache line.
 * hybrid_divide_chunk writes a little past both. Small arrays get chunks below the size of a
 * staging buffer, so that every lane gets several chunks, and fewer batches and segments, because
 * each costs several kernel launches. */
static void choose_chunks(hybrid_call *call)
{
    const hybrid_records *const records = call->records;
    size_t const                each = records->key_size + records->value_size;
    size_t const                bytes = records->n * each;
    size_t const least = ordo_max(ORDO_TUNE_LINK_CHUNK, bytes / call->exec->threads / LANE_CHUNKS);
    size_t const room = call->link->buffer_bytes - 2 * (HYBRID_PADDING + ORDO_CACHE_LINE);
    size_t const batches = ordo_max(2, ordo_min(HYBRID_MOST_BATCHES, bytes / ORDO_LINK_BATCH));
    call->chunk_records = ordo_min(room, least) / each;
    call->chunk_count = ordo_div_up(records->n, call->chunk_records);
    call->batch_chunks = ordo_div_up(call->chunk_count, batches);
    call->batch_count = ordo_div_up(call->chunk_count, call->batch_chunks);
    call->segment_records = ordo_div_up(records->n, batches) * 8 / 7; /* segments vary in size */
}

void hybrid_call_open(hybrid_call *call, const ordo_both *both, const hybrid_records *records,
                      ordo_exec *exec)
{
    memset(call, 0, sizeof *call);
    call->records = records;
    call->both = both;
    call->link = both->device->link;
    call->exec = exec;
    atomic_init(&call->status, ORDO_OK);
    hybrid_worker_init(call, &call->device);
    call->device.exec.on_device = true;
    pthread_mutex_init(&call->device_lock, NULL);
    pthread_mutex_init(&call->error_lock, NULL);
    for (unsigned i = 0; i < HYBRID_MOST_LANES; i++)
        atomic_init(&call->lane_taken[i], 0);
    choose_chunks(call);
    call->packing = hybrid_uses_packing(call);
}

void hybrid_call_close(hybrid_call *call)
{
    pthread_mutex_destroy(&call->error_lock);
    pthread_mutex_destroy(&call->device_lock);
}

void hybrid_record(const hybrid_call *call, ordo_exec *exec)
{
    exec->algorithm = call->device.exec.algorithm;
    exec->isa = call->device.exec.isa;
    exec->facts = (ordo_facts){.strategy = ORDO_STRATEGY_STREAMED}; /* replaces the facts of inner
                                                                     * sorts */
    exec->facts.batches = call->batch_count;
    exec->facts.buckets = call->bucket_count;
    exec->facts.cpu_share = call->share;
    memcpy(exec->facts.phase_seconds, call->phase_seconds, sizeof call->phase_seconds);
}

/* ---- Memory ---- */

ordo_status hybrid_take_tables(hybrid_call *call)
{
    TRY_SCRATCH(call->exec, sizeof *call->tables, call->tables);
    memset(call->tables->sent_bytes, 0, sizeof call->tables->sent_bytes);
    return ORDO_OK;
}

char *hybrid_carve(char *base, size_t *used, size_t bytes)
{
    enum {
        ALIGN = 256 /* alignment of arrays on the device */
    };
    size_t const at = *used;
    *used += ordo_round_up(bytes, ALIGN);
    return base == NULL ? NULL : base + at;
}

ordo_status hybrid_reserve_device(hybrid_call *call, size_t memory, size_t scratch, char **base)
{
    call->lanes = call->exec->threads < HYBRID_MOST_LANES ? call->exec->threads : HYBRID_MOST_LANES;
    return call->link->begin(call->both->device_state, call->exec, memory, scratch, &call->lanes,
                             base, &call->device.exec.stream);
}

/* Takes the copy of the records and, for a share of the CPU, its buckets. */
static ordo_status reserve_host(hybrid_call *call)
{
    const hybrid_records *const records = call->records;
    bool const                  in_place = records->out_keys == records->keys;
    if (call->divided || (call->both->keep && in_place)) {
        TRY_SCRATCH(call->exec, records->n * records->key_size, call->kept_keys);
        if (records->value_size != 0 && (call->divided || records->values != NULL)) {
            TRY_SCRATCH(call->exec, records->n * records->value_size, call->kept_values);
        }
    }
    if (!call->divided)
        return ORDO_OK;
    size_t const each = records->key_size + records->value_size +
                        ordo_max(records->value_size, sizeof(uint16_t)); /* indices, then labels */
    return hybrid_reserve_buckets(call, call->chunk_records * each +
                                            3 * (HYBRID_PADDING + ORDO_CACHE_LINE));
}

/* ---- Phases ---- */

static void end_phase(hybrid_call *call, int phase)
{
    double const now = ordo_profile_clock();
    call->phase_seconds[phase] = now - call->phase_began;
    ordo_profile_span(call->exec, (ordo_span_kind)(ORDO_SPAN_PHASE_I + phase), 0, call->phase_began,
                      now, 0);
    call->phase_began = now;
}

/* The share of the CPU: both->share; 0: the default, less than 0: none. */
static double wanted_share(const hybrid_call *call)
{
    double const given = call->both->share;
    return given < 0 ? 0 : given > 0 ? given : ORDO_TUNE_CPU_SHARE / 100.0;
}

ordo_status hybrid_run_phases(hybrid_call *call, hybrid_step *begin, hybrid_step *finish, void *arg)
{
    ordo_exec *const exec = call->exec;
    call->phase_began = ordo_profile_clock();
    call->wanted_share = wanted_share(call);
    TRY(hybrid_take_tables(call));
    TRY(begin(arg));
    ordo_status status = reserve_host(call);
    if (status == ORDO_OK)
        status = hybrid_spans_begin(call);
    end_phase(call, 0);
    if (status == ORDO_OK)
        status = hybrid_send_chunks(call);
    end_phase(call, 1);
    if (status == ORDO_OK)
        status = finish(arg);
    ordo_status const ended = call->link->end(call->both->device_state, exec);
    end_phase(call, 2);
    if (ended == ORDO_OK)
        hybrid_spans_end(call);
    return status == ORDO_OK ? ended : status;
}
