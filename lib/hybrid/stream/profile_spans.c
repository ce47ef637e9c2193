/* watch.c - what the link and the device did, for a profile: the device's own clock says when. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid.h"

ordo_status hybrid_watch(hybrid_run *run)
{
    run->watched = run->exec->profile != NULL && run->link->watch != NULL;
    return run->watched ? run->link->watch(run->both->device_state, run->exec) : ORDO_OK;
}

void hybrid_watch_side(hybrid_run *run, unsigned lane, unsigned side, ordo_span_kind way,
                       size_t bytes)
{
    double began, ended;
    if (run->watched && bytes > 0 &&
        run->link->side_times(run->both->device_state, lane, side, &began, &ended))
        ordo_profile_span(run->exec, way, lane, began, ended, bytes);
}

ordo_status hybrid_watch_work(hybrid_run *run, size_t count)
{
    const hybrid_records *const records = run->records;
    if (!run->watched || 2 * run->works + 1 >= ORDO_LINK_TICKS)
        return ORDO_OK;
    run->work_bytes[run->works] = count * (records->key_size + records->value_size);
    return run->link->tick(run->both->device_state, &run->device.exec, 2 * run->works);
}

ordo_status hybrid_watch_worked(hybrid_run *run)
{
    if (!run->watched || 2 * run->works + 1 >= ORDO_LINK_TICKS)
        return ORDO_OK;
    return run->link->tick(run->both->device_state, &run->device.exec, 2 * run->works++ + 1);
}

void hybrid_watch_end(hybrid_run *run)
{
    double began, ended;
    for (unsigned i = 0; i < run->works; i++)
        if (run->link->ticked(run->both->device_state, 2 * i, &began) &&
            run->link->ticked(run->both->device_state, 2 * i + 1, &ended))
            ordo_profile_span(run->exec, ORDO_SPAN_WORK, 0, began, ended, run->work_bytes[i]);
}
