/* sort_streamed.c - sorts records that fit the device: lays out device memory, runs the phases,
 * restores the array after a failure, fills the report. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid_call.h"

#include <string.h>

/* Lays out device memory from base on and returns its size. base NULL: only the size. */
static size_t lay_out(hybrid_call *call, char *base)
{
    const hybrid_records *const records = call->records;
    size_t                      used = 0;
    call->device_keys = hybrid_carve(base, &used, records->n * records->key_size);
    call->device_values = hybrid_carve(base, &used, records->n * records->value_size);
    for (int i = 0; i < HYBRID_SEGMENT_BUFFERS; i++) {
        call->segment_keys[i] =
            hybrid_carve(base, &used, call->segment_records * records->key_size);
        call->segment_values[i] =
            hybrid_carve(base, &used, call->segment_records * records->value_size);
        if (call->packing)
            call->packed_keys[i] = hybrid_carve(base, &used, hybrid_packed_buffer_bytes(call));
    }
    return used;
}

/* Device scratch of the larger of two sorts: that of a batch and that of a segment. */
static size_t sort_scratch(const hybrid_call *call)
{
    size_t const n = ordo_max(call->batch_chunks * call->chunk_records, call->segment_records);
    return hybrid_sort_records_scratch(call->both->device, call->records, n, &call->device.exec);
}

/* Refills the array from the copy. If the CPU has a share, the copy is in another order in which
 * only tied records keep their order: the array can still be sorted, but has changed. */
static void restore_array(hybrid_call *call)
{
    const hybrid_records *const records = call->records;
    if (call->kept_keys == NULL || !call->exec->changed || records->out_keys != records->keys)
        return;
    memcpy(records->out_keys, call->kept_keys, records->n * records->key_size);
    if (call->kept_values != NULL)
        memcpy(records->out_values, call->kept_values, records->n * records->value_size);
    call->exec->changed = call->divided;
}

static ordo_status begin_sort(void *arg)
{
    hybrid_call *const call = arg;
    char              *base;
    TRY(hybrid_choose_splitters(call));
    call->exec->phase = 0;
    call->exec->phases = 2;
    TRY(hybrid_reserve_device(call, lay_out(call, NULL), sort_scratch(call), &base));
    (void)lay_out(call, base);
    return ORDO_OK;
}

size_t hybrid_device_bytes(const ordo_both *both, const hybrid_records *records, ordo_exec *exec)
{
    hybrid_call call;
    hybrid_call_open(&call, both, records, exec);
    size_t const bytes = lay_out(&call, NULL) + sort_scratch(&call);
    hybrid_call_close(&call);
    return bytes;
}

size_t hybrid_host_bytes(const ordo_both *both, const hybrid_records *records, ordo_exec *exec)
{
    hybrid_call call;
    hybrid_call_open(&call, both, records, exec);
    size_t const bytes = sizeof(hybrid_tables) + ORDO_CACHE_LINE + hybrid_sample_host_bytes(&call) +
                         hybrid_segments_host_bytes(&call);
    hybrid_call_close(&call);
    return bytes;
}

static void record(const hybrid_call *call, ordo_exec *exec)
{
    hybrid_record(call, exec);
    exec->facts.segments = call->segment_count;
    exec->facts.handed_over = atomic_load(&call->handed_over);
    if (call->packing)
        exec->facts.packed =
            (double)atomic_load(&call->fetched_key_bytes) /
            (double)(call->batch_start[call->batch_count] * call->records->key_size + 1);
}

ordo_status hybrid_sort_streamed(const ordo_both *both, const hybrid_records *records,
                                 ordo_exec *exec)
{
    hybrid_call call;
    hybrid_call_open(&call, both, records, exec);
    ordo_status const status = hybrid_run_phases(&call, begin_sort, hybrid_fetch_segments, &call);
    if (status != ORDO_OK && status != ORDO_E_CANCELLED)
        restore_array(&call);
    hybrid_call_close(&call);
    if (status == ORDO_OK)
        record(&call, exec);
    return status;
}
