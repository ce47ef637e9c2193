/* sample_link.c - copies between the host and one GPU, and the work queued there, for the hybrid
 * sample sort. A transfer is cut into chunks; threads take chunks in order, and each thread has a
 * lane with two staging buffers. */
#define _POSIX_C_SOURCE 200809L
#include "papers/hybrid/sample_call.h"

#include <string.h>

enum {
    LANE_CHUNKS = 4 /* least number of chunks per lane */
};

typedef struct transfer {
    sample_line  *line;
    char         *device;
    size_t        size, count, chunk; /* bytes of an element; elements; elements of a chunk */
    unsigned      after;
    sample_copy  *copy;
    void         *arg;
    atomic_size_t next;
} transfer;

static void open_transfer(transfer *t, const sample_call *call)
{
    const hybrid_call *const link = &t->line->call;
    size_t const             bytes = t->count * t->size;
    size_t const least = ordo_max(ORDO_TUNE_LINK_CHUNK, bytes / call->exec->threads / LANE_CHUNKS);
    t->chunk = ordo_max(ordo_min(link->link->buffer_bytes, least) / t->size, 1);
    atomic_init(&t->next, 0);
}

static size_t chunks_of(const transfer *t) { return ordo_div_up(t->count, t->chunk); }

static size_t chunk_length(const transfer *t, size_t chunk)
{
    return ordo_min(t->chunk, t->count - chunk * t->chunk);
}

/* Copies all chunks and adds the time to copy_seconds. */
static ordo_status run_transfer(transfer *t, sample_call *call, hybrid_chunk_step *queue,
                                hybrid_chunk_step *store, ordo_span_kind way)
{
    double const began = ordo_profile_clock();
    open_transfer(t, call);
    hybrid_chunks const chunks = {.call = &t->line->call,
                                  .next = &t->next,
                                  .count = chunks_of(t),
                                  .queue = queue,
                                  .store = store,
                                  .arg = t};
    ordo_status const   status = hybrid_run_chunks(&chunks);
    call->copy_seconds += ordo_profile_clock() - began;
    ordo_profile_add(call->exec, way, (unsigned)(t->line - call->lines), began, t->size * t->count);
    return status;
}

/* ---- To the GPU ---- */

static ordo_status send_chunk(void *arg, ordo_exec *exec, unsigned lane, unsigned side,
                              size_t chunk)
{
    const transfer *const  t = arg;
    const ordo_link *const link = t->line->call.link;
    void *const            state = t->line->both.device_state;
    char *const            buffer = link->buffer(state, lane, side);
    size_t const           first = chunk * t->chunk, count = chunk_length(t, chunk);
    TRY(link->wait_side(state, exec, lane, side));
    t->copy(t->arg, buffer, first, count);
    if (t->after != SAMPLE_NOTHING)
        TRY(link->await(state, exec, lane, t->after));
    TRY(link->copy_in(state, exec, lane, t->device + first * t->size, buffer, count * t->size));
    return link->close_side(state, exec, lane, side);
}

ordo_status sample_send(sample_call *call, sample_line *line, void *device, size_t size,
                        size_t count, unsigned after, sample_copy *copy, void *arg)
{
    transfer t = {line, device, size, count, 0, after, copy, arg, 0};
    return run_transfer(&t, call, send_chunk, NULL, ORDO_SPAN_IN);
}

/* ---- From the GPU ---- */

static ordo_status request_chunk(void *arg, ordo_exec *exec, unsigned lane, unsigned side,
                                 size_t chunk)
{
    const transfer *const  t = arg;
    const ordo_link *const link = t->line->call.link;
    void *const            state = t->line->both.device_state;
    TRY(link->await(state, exec, lane, t->after));
    TRY(link->copy_out(state, exec, lane, link->buffer(state, lane, side),
                       t->device + chunk * t->chunk * t->size, chunk_length(t, chunk) * t->size));
    return link->close_side(state, exec, lane, side);
}

static ordo_status store_chunk(void *arg, ordo_exec *exec, unsigned lane, unsigned side,
                               size_t chunk)
{
    const transfer *const  t = arg;
    const ordo_link *const link = t->line->call.link;
    void *const            state = t->line->both.device_state;
    TRY(link->wait_side(state, exec, lane, side));
    t->copy(t->arg, link->buffer(state, lane, side), chunk * t->chunk, chunk_length(t, chunk));
    return ORDO_OK;
}

/* Waits until the work before the mark is done. */
static ordo_status sample_wait(sample_line *line, unsigned mark)
{
    const ordo_link *const link = line->call.link;
    void *const            state = line->both.device_state;
    ordo_exec *const       exec = &line->call.device.exec;
    ordo_status            status = link->await(state, exec, 0, mark);
    if (status == ORDO_OK)
        status = link->close_side(state, exec, 0, 0);
    if (status == ORDO_OK)
        (void)link->wait_side(state, exec, 0, 0);
    return hybrid_result(&line->call, true);
}

ordo_status sample_fetch(sample_call *call, sample_line *line, const void *device, size_t size,
                         size_t count, unsigned after, sample_copy *copy, void *arg)
{
    transfer t = {line, (char *)device, size, count, 0, after, copy, arg, 0};
    TRY(sample_wait(line, after)); /* the wait does not count as copying */
    return run_transfer(&t, call, request_chunk, store_chunk, ORDO_SPAN_OUT);
}

/* ---- Host sides ---- */

void sample_copy_in(void *arg, char *buffer, size_t first, size_t count)
{
    const sample_array *const array = arg;
    memcpy(buffer, array->at + first * array->size, count * array->size);
}

void sample_copy_out(void *arg, char *buffer, size_t first, size_t count)
{
    const sample_array *const array = arg;
    memcpy(array->at + first * array->size, buffer, count * array->size);
}

/* The last of `entries` entries of an ascending table that is not greater than i. */
static size_t entry_of(const uint64_t *table, size_t entries, uint64_t i)
{
    size_t lo = 0, hi = entries;
    while (hi - lo > 1) {
        size_t const middle = lo + (hi - lo) / 2;
        if (table[middle] <= i)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

void sample_take_outbox(void *arg, char *buffer, size_t first, size_t count)
{
    const sample_exchange *const ex = arg;
    size_t const                 size = ex->call->record_size;
    for (size_t i = first, end = first + count; i < end;) {
        size_t const b = entry_of(ex->line->out, SAMPLE_BUCKETS, i);
        size_t const here = ordo_min((size_t)ex->line->out[b + 1], end) - i;
        size_t const place =
            (size_t)(ex->call->starts[b] + ex->line->before[b] + (i - ex->line->out[b]));
        memcpy(ex->call->gathered + place * size, buffer + (i - first) * size, here * size);
        i += here;
    }
}

void sample_fill_inbox(void *arg, char *buffer, size_t first, size_t count)
{
    const sample_exchange *const ex = arg;
    const sample_tables *const   tables = &ex->line->tables;
    size_t const                 size = ex->call->record_size;
    for (size_t i = first, end = first + count; i < end;) {
        size_t const e = entry_of(tables->from, 2 * (size_t)SAMPLE_BUCKETS, i);
        size_t const here = ordo_min((size_t)tables->from[e + 1], end) - i;
        size_t const place = ex->line->start + (size_t)(tables->to[e] + (i - tables->from[e]));
        memcpy(buffer + (i - first) * size, ex->call->gathered + place * size, here * size);
        i += here;
    }
}

/* ---- Work of the GPU ---- */

ordo_status sample_queue(const sample_call *call, sample_line *line, ordo_sample_step step,
                         unsigned phase)
{
    hybrid_call *const     on = &line->call;
    const ordo_link *const link = on->link;
    void *const            state = line->both.device_state;
    ordo_sample_job const  job = sample_device_job(call, line, step);
    unsigned const         tick = 2 * on->work_count;
    ordo_status            status = link->join(state, &on->device.exec);
    if (status == ORDO_OK && on->timed)
        status = link->tick(state, &on->device.exec, tick);
    if (status == ORDO_OK)
        status = line->both.device->sample->step(state, &job, &on->device.exec);
    if (status == ORDO_OK && on->timed)
        (void)link->tick(state, &on->device.exec, tick + 1);
    line->work_phase[on->work_count++] = phase;
    return hybrid_result(on, true);
}

ordo_status sample_mark(sample_line *line, unsigned mark)
{
    (void)line->call.link->mark(line->both.device_state, &line->call.device.exec, mark);
    return hybrid_result(&line->call, true);
}

void sample_read_times(sample_call *call, sample_line *line)
{
    const ordo_link *const link = line->call.link;
    void *const            state = line->both.device_state;
    double                 began, ended;
    for (unsigned i = 0; line->call.timed && i < line->call.work_count; i++)
        if (link->ticked(state, 2 * i, &began) && link->ticked(state, 2 * i + 1, &ended)) {
            line->seconds[line->work_phase[i]] += ended - began;
            ordo_profile_span(call->exec, ORDO_SPAN_WORK, (unsigned)(line - call->lines), began,
                              ended, 0);
        }
}
