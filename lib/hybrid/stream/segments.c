/* segments.c - phase IV: plans the segments and the chunks in which they are fetched.
 *
 * Splitters are searched in every sorted batch. Adjacent ranges between splitters form a segment as
 * long as they fit a segment buffer. The range of a frequent key is a segment of its own, which
 * needs no sort. Segments are fetched in chunks of the size of a staging buffer. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid_call.h"

/* ---- Splitters in the batches ---- */

static ordo_status find_splitters(hybrid_call *call)
{
    const hybrid_records *const records = call->records;
    uint64_t                    codes[HYBRID_MOST_SPLITTERS];
    for (size_t i = 1; i < call->splitter_count; i++)
        codes[i - 1] = call->tables->splitters[i].code;
    for (size_t b = 0; b < call->batch_count; b++) {
        size_t const first = call->batch_start[b], count = call->batch_start[b + 1] - first;
        ordo_search_job const job = {.type = records->type,
                                     .sorted = call->device_keys + first * records->key_size,
                                     .n = count,
                                     .descending = records->descending,
                                     .folded = records->folded,
                                     .codes = codes,
                                     .count = call->splitter_count - 1,
                                     .positions = call->tables->position[b] + 1};
        if (job.count > 0)
            TRY(call->both->device->search(call->both->device_state, &job, &call->device.exec));
        call->tables->position[b][0] = 0;
        call->tables->position[b][call->splitter_count] = count;
    }
    return ORDO_OK;
}

/* Records of all batches between two splitters. */
static size_t between(const hybrid_call *call, size_t splitter, size_t end)
{
    size_t count = 0;
    for (size_t b = 0; b < call->batch_count; b++)
        count += call->tables->position[b][end] - call->tables->position[b][splitter];
    return count;
}

/* ---- Segments and their chunks ---- */

static ordo_status make_segments(hybrid_call *call)
{
    TRY_SCRATCH(call->exec, call->splitter_count * sizeof *call->segments, call->segments);
    call->segment_count = 0;
    unsigned buffer = 0;
    for (size_t splitter = 0, start = 0; splitter < call->splitter_count;) {
        hybrid_segment *const segment = &call->segments[call->segment_count];
        size_t                end = splitter + 1, count = between(call, splitter, end);
        bool const            as_is = call->tables->splitters[splitter].equal;
        if (!as_is && count > call->segment_records)
            return ordo_fail(call->exec, ORDO_E_NOMEM,
                             "a range of %zu records exceeds the device buffer of %zu", count,
                             call->segment_records);
        while (!as_is && end < call->splitter_count && !call->tables->splitters[end].equal) {
            size_t const more = between(call, end, end + 1);
            if (count + more > call->segment_records)
                break;
            count += more;
            end++;
        }
        if (count > 0) {
            *segment = (hybrid_segment){.first_splitter = splitter,
                                        .end_splitter = end,
                                        .start = start,
                                        .count = count,
                                        .as_is = as_is,
                                        .buffer = as_is ? 0 : buffer++ % HYBRID_SEGMENT_BUFFERS};
            atomic_init(&segment->requested, 0);
            atomic_init(&segment->widths, 0);
            call->segment_count++;
        }
        start += count;
        splitter = end;
    }
    return ORDO_OK;
}

static void add_chunks(hybrid_call *call, size_t number, size_t to, char *keys, char *values,
                       size_t count)
{
    const hybrid_records *const records = call->records;
    for (size_t at = 0; at < count; at += call->chunk_records) {
        call->result_chunks[call->result_count++] =
            (hybrid_result_chunk){.segment = number,
                                  .to = to + at,
                                  .count = ordo_min(call->chunk_records, count - at),
                                  .keys = keys + at * records->key_size,
                                  .values = values + at * records->value_size,
                                  .width = records->key_size};
        call->segments[number].chunk_count++;
    }
}

/* Upper bound of result chunks: a segment may be split at the end of every batch. */
static size_t most_chunks(const hybrid_call *call, size_t segments)
{
    return call->chunk_count + segments * (call->batch_count + 1);
}

size_t hybrid_segments_host_bytes(const hybrid_call *call)
{
    return HYBRID_MOST_SPLITTERS * sizeof *call->segments +
           most_chunks(call, HYBRID_MOST_SPLITTERS) * sizeof *call->result_chunks +
           2 * ORDO_CACHE_LINE;
}

static ordo_status list_chunks(hybrid_call *call)
{
    const hybrid_records *const records = call->records;
    size_t const                most = most_chunks(call, call->segment_count);
    TRY_SCRATCH(call->exec, most * sizeof *call->result_chunks, call->result_chunks);
    call->result_count = 0;
    for (size_t s = 0; s < call->segment_count; s++) {
        hybrid_segment *const segment = &call->segments[s];
        segment->first_chunk = call->result_count;
        if (!segment->as_is) {
            add_chunks(call, s, segment->start, call->segment_keys[segment->buffer],
                       call->segment_values[segment->buffer], segment->count);
            continue;
        }
        for (size_t b = 0, to = segment->start; b < call->batch_count; b++) {
            size_t const from =
                call->batch_start[b] + call->tables->position[b][segment->first_splitter];
            size_t const count = call->tables->position[b][segment->end_splitter] -
                                 call->tables->position[b][segment->first_splitter];
            add_chunks(call, s, to, call->device_keys + from * records->key_size,
                       call->device_values + from * records->value_size, count);
            to += count;
        }
    }
    return ORDO_OK;
}

ordo_status hybrid_make_segments(hybrid_call *call)
{
    if (find_splitters(call) != ORDO_OK)
        return hybrid_result(call, true);
    TRY(make_segments(call));
    return list_chunks(call);
}
