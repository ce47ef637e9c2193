/* profile_spans.c - spans of the link and of device work for a profile, timed by the device's
 * clock. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid_call.h"

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
