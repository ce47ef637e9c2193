/* packed_keys.c - phase IV with results packed as differences (backend/pack.h). The device packs
 * each sorted segment, and threads unpack chunks while they store them (unpack_keys.c). The link
 * limits a streamed sort, and sorted keys are dense: 2^30 keys of 32 bits need a quarter of their
 * bytes on the link (bench/results/h200/hybrid_profile.txt).
 *
 * The packed size of a chunk is known only after its segment has been packed. The thread that
 * requests the first chunk of a segment fetches the widths of all its chunks. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid_call.h"

#include "backend/pack.h"

#include <string.h>

/* ---- Work of the device ---- */

bool hybrid_uses_packing(const hybrid_call *call)
{
    const hybrid_records *const records = call->records;
    return call->both->packs && call->both->device->pack != NULL && records->out_keys != NULL &&
           records->key_size >= 4 && call->exec->threads >= ORDO_TUNE_PACK_THREADS;
}

size_t hybrid_packed_buffer_bytes(const hybrid_call *call)
{
    size_t const chunks = ordo_div_up(call->segment_records, call->chunk_records);
    return chunks *
           (ordo_pack_stride(call->chunk_records, call->records->key_size) + sizeof(uint64_t));
}

/* The widths follow the packed chunks. */
static char *device_widths(const hybrid_call *call, unsigned buffer)
{
    size_t const chunks = ordo_div_up(call->segment_records, call->chunk_records);
    return call->packed_keys[buffer] +
           chunks * ordo_pack_stride(call->chunk_records, call->records->key_size);
}

ordo_status hybrid_pack_segment(hybrid_call *call, const hybrid_segment *segment)
{
    ordo_pack_job const job = {.type = call->records->type,
                               .descending = call->records->descending,
                               .keys = call->segment_keys[segment->buffer],
                               .n = segment->count,
                               .piece = call->chunk_records,
                               .packed = call->packed_keys[segment->buffer],
                               .widest = (uint64_t *)(void *)device_widths(call, segment->buffer)};
    return call->both->device->pack(call->both->device_state, &job, &call->device.exec);
}

/* ---- Widths ---- */

enum {
    UNKNOWN,
    REQUESTED,
    KNOWN
};

static ordo_status fetch_widths(hybrid_call *call, ordo_exec *exec, unsigned lane, unsigned side,
                                hybrid_segment *segment)
{
    const ordo_link *const link = call->link;
    void *const            state = call->both->device_state;
    char *const            buffer = link->buffer(state, lane, side);
    TRY(link->await(state, exec, lane, segment->buffer));
    TRY(link->copy_out(state, exec, lane, buffer, device_widths(call, segment->buffer),
                       segment->chunk_count * sizeof(uint64_t)));
    TRY(link->close_side(state, exec, lane, side));
    TRY(link->wait_side(state, exec, lane, side));
    for (size_t i = 0; i < segment->chunk_count; i++) {
        uint64_t widest;
        memcpy(&widest, buffer + i * sizeof widest, sizeof widest);
        call->result_chunks[segment->first_chunk + i].width =
            ordo_min(ordo_pack_width(widest), call->records->key_size);
    }
    return ORDO_OK;
}

ordo_status hybrid_know_widths(hybrid_call *call, ordo_exec *exec, unsigned lane, unsigned side,
                               hybrid_segment *segment)
{
    int unknown = UNKNOWN;
    if (atomic_load_explicit(&segment->widths, memory_order_acquire) == KNOWN)
        return ORDO_OK;
    if (atomic_compare_exchange_strong(&segment->widths, &unknown, REQUESTED)) {
        TRY(fetch_widths(call, exec, lane, side, segment));
        atomic_store_explicit(&segment->widths, KNOWN, memory_order_release);
        return ORDO_OK;
    }
    for (unsigned tries = 0; atomic_load_explicit(&segment->widths, memory_order_acquire) != KNOWN;
         tries++) {
        if (hybrid_has_failed(call))
            return ORDO_E_DEVICE; /* another thread has recorded why */
        hybrid_back_off(tries);
    }
    return ORDO_OK;
}

size_t hybrid_packed_chunk_bytes(const hybrid_call *call, const hybrid_result_chunk *chunk)
{
    return ORDO_PACK_CHAINS * call->records->key_size + chunk->count * chunk->width;
}
