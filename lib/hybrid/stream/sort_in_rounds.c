/* sort_in_rounds.c - sorts more records than fit in device memory, one range of keys at a time.
 *
 * Threads copy the records of their chunks into buckets (buckets.c), one per range. Each range is
 * gathered at its place in the result and streamed there. The CPU sorts ranges that do not fit the
 * device, such as the range of a very frequent key. If the device fails on a range, the range is
 * gathered again and sorted by the CPU. Cost: every record moves twice more than in a streamed
 * sort.
 *
 * Host memory: a copy of the records, for argsort another copy of the keys, and the scratch of one
 * range, which all ranges share. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid_call.h"

#include "backend/inner.h"

typedef struct range_room { /* scratch; every range uses it from its start */
    char  *base;
    size_t bytes;
} range_room;

typedef struct rounds {
    hybrid_call *call;
    char        *keys, *values; /* where ranges are gathered */
    range_room   streamed, by_cpu;
    bool         asked; /* by_cpu has been requested; the request may have been refused */
} rounds;

static ordo_status reserve_copies(hybrid_call *call, rounds *work)
{
    const hybrid_records *const records = call->records;
    TRY_SCRATCH(call->exec, records->n * records->key_size, call->kept_keys);
    if (records->value_size != 0) {
        TRY_SCRATCH(call->exec, records->n * records->value_size, call->kept_values);
    }
    TRY(hybrid_reserve_buckets(
        call, call->chunk_records * (sizeof(uint16_t) + records->value_size) + ORDO_CACHE_LINE));
    work->values = records->out_values;
    work->keys = records->out_keys;
    if (work->keys == NULL) {
        TRY_SCRATCH(call->exec, records->n * records->key_size, work->keys);
    }
    return ORDO_OK;
}

/* `aside` holds the labels and, if the values are indices, the values. */
static ordo_status fill_chunk(void *arg, ordo_exec *exec, unsigned lane, unsigned side,
                              size_t chunk)
{
    hybrid_call *const          call = arg;
    const hybrid_records *const records = call->records;
    char *const                 numbers = call->aside + lane * call->aside_bytes;
    uint16_t *const             labels =
        (uint16_t *)(void *)(numbers + ordo_round_up(call->chunk_records * records->value_size,
                                                     ORDO_CACHE_LINE));
    size_t const first = chunk * call->chunk_records, n = hybrid_chunk_length(call, chunk);
    const char  *values = numbers;
    (void)exec, (void)side;
    if (records->values != NULL)
        values = records->values + first * records->value_size;
    else if (records->value_size != 0)
        hybrid_write_indices(numbers, records->value_size, first, n);
    hybrid_fill_buckets(call, chunk, 0, records->keys + first * records->key_size, values, labels,
                        n);
    return ORDO_OK;
}

/* The report shows the last range. */
static void copy_report(const ordo_inner *range)
{
    range->outer->algorithm = range->exec.algorithm;
    range->outer->isa = range->exec.isa;
}

static ordo_status reserve(rounds *work, size_t bytes, range_room *room)
{
    void *memory;
    TRY(ordo_scratch(work->call->exec, bytes, &memory));
    *room = (range_room){memory, bytes};
    return ORDO_OK;
}

/* ---- Ranges ---- */

static hybrid_records range_of(const rounds *work, size_t bucket)
{
    const hybrid_call *const    call = work->call;
    const hybrid_records *const records = call->records;
    size_t const                start = call->bucket_start[bucket];
    hybrid_records              range = *records;
    range.n = call->bucket_start[bucket + 1] - start;
    range.out_keys = work->keys + start * records->key_size;
    range.keys = range.out_keys;
    if (records->value_size != 0) {
        range.out_values = work->values + start * records->value_size;
        range.values = range.out_values;
    }
    return range;
}

static void gather_ranges(void *arg, size_t lo, size_t hi)
{
    const rounds *const work = arg;
    for (size_t bucket = lo; bucket < hi; bucket++) {
        hybrid_records const range = range_of(work, bucket);
        hybrid_gather_bucket(work->call, bucket, range.out_keys, range.out_values);
    }
}

/* No share for the CPU, and no second copy: the kept copy restores what a failed device has
 * overwritten. */
static ordo_both streaming(const rounds *work)
{
    ordo_both both = *work->call->both;
    both.keep = false;
    both.share = -1;
    return both;
}

static bool fits(const rounds *work, const hybrid_records *range, size_t room)
{
    ordo_both const both = streaming(work);
    return range->n > HYBRID_SPLITTERS &&
           hybrid_device_bytes(&both, range, work->call->exec) <= room;
}

/* Called before the array changes, so that no range fails for lack of scratch. */
static ordo_status reserve_for_streaming(rounds *work, size_t room)
{
    ordo_both const both = streaming(work);
    size_t          most = 0;
    for (size_t bucket = 0; bucket < work->call->bucket_count; bucket++) {
        hybrid_records const range = range_of(work, bucket);
        if (fits(work, &range, room))
            most = ordo_max(most, hybrid_host_bytes(&both, &range, work->call->exec));
    }
    return reserve(work, most, &work->streamed);
}

/* Without scratch for the largest range the CPU sorts in place. */
static ordo_status sort_range_by_cpu(rounds *work, const hybrid_records *range)
{
    hybrid_call *const        call = work->call;
    const ordo_backend *const cpu = call->both->cpu;
    if (!work->asked) {
        size_t const bytes =
            hybrid_sort_records_scratch(cpu, range, call->largest_bucket, call->exec);
        work->asked = true;
        (void)reserve(work, bytes + HYBRID_SCRATCH_TAKES * ORDO_CACHE_LINE, &work->by_cpu);
    }
    ordo_inner with;
    ordo_inner_begin(&with, call->exec, work->by_cpu.base, work->by_cpu.bytes);
    ordo_status const status =
        hybrid_sort_records(cpu, call->both->cpu_state, range, range->out_keys, range->out_values,
                            range->n, &with.exec);
    copy_report(&with);
    return status;
}

static ordo_status sort_range(rounds *work, size_t bucket, size_t room)
{
    hybrid_call *const   call = work->call;
    hybrid_records const range = range_of(work, bucket);
    ordo_both const      both = streaming(work);
    if (!fits(work, &range, room))
        return sort_range_by_cpu(work, &range);
    ordo_inner with;
    ordo_inner_begin(&with, call->exec, work->streamed.base, work->streamed.bytes);
    ordo_status const status = hybrid_sort_streamed(&both, &range, &with.exec);
    copy_report(&with);
    if (status == ORDO_OK || status == ORDO_E_CANCELLED || !call->both->keep)
        return status;
    hybrid_gather_bucket(call, bucket, range.out_keys, range.out_values);
    return sort_range_by_cpu(work, &range);
}

static ordo_status all_ranges(rounds *work, size_t room)
{
    hybrid_call *const call = work->call;
    ordo_exec *const   exec = call->exec;
    TRY(hybrid_bucket_starts(call, 0));
    TRY(reserve_for_streaming(work, room));
    exec->changed = true; /* from here on results are written */
    if (!ordo_loop(exec, call->bucket_count, 1, gather_ranges, work))
        return ORDO_E_CANCELLED;
    for (size_t bucket = 0; bucket < call->bucket_count; bucket++) {
        exec->phase++;
        TRY(sort_range(work, bucket, room));
    }
    return ORDO_OK;
}

ordo_status hybrid_sort_in_rounds(const ordo_both *both, const hybrid_records *records,
                                  ordo_exec *exec, size_t need, size_t room)
{
    hybrid_call  call;
    rounds       work = {.call = &call};
    size_t const wanted = ordo_div_up(need, room / 4 * 3 + 1);
    if (wanted > HYBRID_MOST_BUCKETS || wanted > records->n / (2 * HYBRID_SPLITTERS))
        return ordo_fail(exec, ORDO_E_NOMEM, "%zu bytes of device memory are too few for a sort",
                         room);
    hybrid_call_open(&call, both, records, exec);
    call.lanes = exec->threads < HYBRID_MOST_LANES ? exec->threads : HYBRID_MOST_LANES;
    ordo_status status = hybrid_take_tables(&call);
    if (status == ORDO_OK)
        status = hybrid_choose_ranges(&call, wanted);
    exec->phase = 0;
    exec->phases = (unsigned)call.bucket_count + 1;
    if (status == ORDO_OK)
        status = reserve_copies(&call, &work);
    if (status == ORDO_OK)
        status = hybrid_run_chunks(&(hybrid_chunks){&call, &call.next_chunk, call.chunk_count,
                                                    fill_chunk, NULL, NULL, &call});
    if (status == ORDO_OK)
        status = all_ranges(&work, room);
    hybrid_call_close(&call);
    if (status != ORDO_OK)
        return status;
    exec->facts = (ordo_facts){.strategy = ORDO_STRATEGY_ROUNDS, /* replaces the facts of inner
                                                                  * sorts */
                               .rounds = call.bucket_count,
                               .device_bytes = room,
                               .needed_bytes = need};
    return ORDO_OK;
}
