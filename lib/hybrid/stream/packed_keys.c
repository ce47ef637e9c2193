/* packed.c - phase IV where results come home as differences (backend/pack.h): the device packs what
 * it has sorted, the threads unpack it while they put it in its place. Sorted keys are dense: 2^30
 * keys of 32 bits come home in a quarter of their bytes, and the link is what a sort waits for.
 *
 * How many bytes a piece takes is known when its segment is done; who fetches the first piece of a
 * segment asks for the widths of all. unpack.c makes keys of differences. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid.h"

#include "backend/pack.h"

#include <string.h>

/* ---- The device's part ---- */

bool hybrid_packs(const hybrid_run *run)
{
    const hybrid_records *const records = run->records;
    return run->both->packs && run->both->device->pack != NULL && records->out_keys != NULL &&
           records->key_size >= 4 && run->exec->threads >= ORDO_TUNE_PACK_THREADS;
}

size_t hybrid_packed_bytes(const hybrid_run *run)
{
    size_t const pieces = ordo_div_up(run->buffer_records, run->piece_records);
    return pieces *
           (ordo_pack_stride(run->piece_records, run->records->key_size) + sizeof(uint64_t));
}

/* Widths lie behind the pieces. */
static char *widths_there(const hybrid_run *run, unsigned buffer)
{
    size_t const pieces = ordo_div_up(run->buffer_records, run->piece_records);
    return run->packed[buffer] +
           pieces * ordo_pack_stride(run->piece_records, run->records->key_size);
}

ordo_status hybrid_pack(hybrid_run *run, const hybrid_segment *segment)
{
    ordo_pack_job const job = {.type = run->records->type,
                               .descending = run->records->descending,
                               .keys = run->buffer_keys[segment->buffer],
                               .n = segment->count,
                               .piece = run->piece_records,
                               .packed = run->packed[segment->buffer],
                               .widest = (uint64_t *)(void *)widths_there(run, segment->buffer)};
    return run->both->device->pack(run->both->device_state, &job, &run->device.exec);
}

/* ---- How many bytes ---- */

enum {
    UNKNOWN,
    ASKED,
    KNOWN
};

/* Through a lane's buffer, which is free. */
static ordo_status fetch_widths(hybrid_run *run, ordo_exec *exec, unsigned lane, unsigned side,
                                hybrid_segment *segment)
{
    const ordo_link *const link = run->link;
    void *const            state = run->both->device_state;
    char *const            buffer = link->buffer(state, lane, side);
    TRY(link->await(state, exec, lane, segment->buffer));
    TRY(link->copy_out(state, exec, lane, buffer, widths_there(run, segment->buffer),
                       segment->pieces * sizeof(uint64_t)));
    TRY(link->close_side(state, exec, lane, side));
    TRY(link->wait_side(state, exec, lane, side));
    for (size_t i = 0; i < segment->pieces; i++) {
        uint64_t widest;
        memcpy(&widest, buffer + i * sizeof widest, sizeof widest);
        run->home[segment->first_piece + i].width =
            ordo_min(ordo_pack_width(widest), run->records->key_size);
    }
    return ORDO_OK;
}

ordo_status hybrid_learn_widths(hybrid_run *run, ordo_exec *exec, unsigned lane, unsigned side,
                                hybrid_segment *segment)
{
    int nobody = UNKNOWN;
    if (atomic_load_explicit(&segment->widths, memory_order_acquire) == KNOWN)
        return ORDO_OK;
    if (atomic_compare_exchange_strong(&segment->widths, &nobody, ASKED)) {
        TRY(fetch_widths(run, exec, lane, side, segment));
        atomic_store_explicit(&segment->widths, KNOWN, memory_order_release);
        return ORDO_OK;
    }
    for (unsigned tries = 0; atomic_load_explicit(&segment->widths, memory_order_acquire) != KNOWN;
         tries++) {
        if (hybrid_wrong(run))
            return ORDO_E_DEVICE; /* somebody else has said why */
        hybrid_pause(tries);
    }
    return ORDO_OK;
}

size_t hybrid_packed_size(const hybrid_run *run, const hybrid_piece *piece)
{
    return ORDO_PACK_CHAINS * run->records->key_size + piece->count * piece->width;
}
