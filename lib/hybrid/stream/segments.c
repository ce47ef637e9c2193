/* segments.c - phase IV: what the device has to do, and what is to be fetched from it.
 *
 * The cuts are looked up in every run. Ranges between cuts are put together to segments that fit a
 * buffer on the device; the range of a heavy key is a segment of its own, which is not sorted. The
 * result of a segment is fetched in pieces of a lane's buffer. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid.h"

/* ---- Where the cuts are ---- */

static ordo_status look_up(hybrid_run *run)
{
    const hybrid_records *const records = run->records;
    uint64_t                    codes[HYBRID_MOST_CUTS];
    for (size_t i = 1; i < run->cut_count; i++)
        codes[i - 1] = run->cuts[i].code;
    for (size_t r = 0; r < run->runs; r++) {
        size_t const          first = run->first[r], count = run->first[r + 1] - first;
        ordo_search_job const job = {.type = records->type,
                                     .sorted = run->keys + first * records->key_size,
                                     .n = count,
                                     .descending = records->descending,
                                     .folded = records->folded,
                                     .codes = codes,
                                     .count = run->cut_count - 1,
                                     .positions = run->position[r] + 1};
        if (job.count > 0)
            TRY(run->both->device->search(run->both->device_state, &job, &run->device.exec));
        run->position[r][0] = 0;
        run->position[r][run->cut_count] = count;
    }
    return ORDO_OK;
}

/* Records of all runs between two cuts. */
static size_t between(const hybrid_run *run, size_t cut, size_t end)
{
    size_t count = 0;
    for (size_t r = 0; r < run->runs; r++)
        count += run->position[r][end] - run->position[r][cut];
    return count;
}

/* ---- Segments and their pieces ---- */

static ordo_status make_segments(hybrid_run *run)
{
    void *memory;
    TRY(ordo_scratch(run->exec, run->cut_count * sizeof *run->segments, &memory));
    run->segments = memory;
    run->segment_count = 0;
    unsigned buffer = 0;
    for (size_t cut = 0, start = 0; cut < run->cut_count;) {
        hybrid_segment *const segment = &run->segments[run->segment_count];
        size_t                end = cut + 1, count = between(run, cut, end);
        bool const            as_is = run->cuts[cut].equal;
        if (!as_is && count > run->buffer_records)
            return ordo_fail(run->exec, ORDO_E_NOMEM,
                             "a range of %zu records does not fit %zu on the device", count,
                             run->buffer_records);
        while (!as_is && end < run->cut_count && !run->cuts[end].equal) {
            size_t const more = between(run, end, end + 1);
            if (count + more > run->buffer_records)
                break;
            count += more;
            end++;
        }
        if (count > 0) {
            *segment = (hybrid_segment){.first_cut = cut,
                                        .end_cut = end,
                                        .start = start,
                                        .count = count,
                                        .as_is = as_is,
                                        .buffer = as_is ? 0 : buffer++ % HYBRID_BUFFERS};
            atomic_init(&segment->asked, 0);
            atomic_init(&segment->widths, 0);
            run->segment_count++;
        }
        start += count;
        cut = end;
    }
    return ORDO_OK;
}

static void add_pieces(hybrid_run *run, size_t number, size_t to, char *keys, char *values,
                       size_t count)
{
    const hybrid_records *const records = run->records;
    for (size_t at = 0; at < count; at += run->piece_records) {
        run->home[run->home_count++] =
            (hybrid_piece){.segment = number,
                           .to = to + at,
                           .count = ordo_min(run->piece_records, count - at),
                           .keys = keys + at * records->key_size,
                           .values = values + at * records->value_size,
                           .width = records->key_size};
        run->segments[number].pieces++;
    }
}

/* Pieces of so many segments, some of which are cut at the ends of runs. */
static size_t most_pieces(const hybrid_run *run, size_t segments)
{
    return run->pieces + segments * (run->runs + 1);
}

size_t hybrid_segments_bytes(const hybrid_run *run)
{
    return HYBRID_MOST_CUTS * sizeof *run->segments +
           most_pieces(run, HYBRID_MOST_CUTS) * sizeof *run->home + 2 * ORDO_CACHE_LINE;
}

static ordo_status make_pieces(hybrid_run *run)
{
    const hybrid_records *const records = run->records;
    size_t const                most = most_pieces(run, run->segment_count);
    void                       *memory;
    TRY(ordo_scratch(run->exec, most * sizeof *run->home, &memory));
    run->home = memory;
    run->home_count = 0;
    for (size_t s = 0; s < run->segment_count; s++) {
        hybrid_segment *const segment = &run->segments[s];
        segment->first_piece = run->home_count;
        if (!segment->as_is) {
            add_pieces(run, s, segment->start, run->buffer_keys[segment->buffer],
                       run->buffer_values[segment->buffer], segment->count);
            continue;
        }
        for (size_t r = 0, to = segment->start; r < run->runs; r++) {
            size_t const from = run->first[r] + run->position[r][segment->first_cut];
            size_t const count =
                run->position[r][segment->end_cut] - run->position[r][segment->first_cut];
            add_pieces(run, s, to, run->keys + from * records->key_size,
                       run->values + from * records->value_size, count);
            to += count;
        }
    }
    return ORDO_OK;
}

ordo_status hybrid_segments(hybrid_run *run)
{
    if (look_up(run) != ORDO_OK)
        return hybrid_status(run, true);
    TRY(make_segments(run));
    return make_pieces(run);
}
