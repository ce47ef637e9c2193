/* sample_layout.c - the division of a hybrid sample sort: the cut of the input by position, the
 * buckets of each device, the places of all records, and memory. */
#define _POSIX_C_SOURCE 200809L
#include "papers/hybrid/sample_call.h"

#include <string.h>

/* ---- Shares ---- */

static double share_of_line(const sample_call *call, size_t i, double cpu_share)
{
    return call->both->part_count != 0 ? call->both->parts[i].share : 1 - cpu_share;
}

void sample_cut_input(sample_call *call, double cpu_share)
{
    size_t const n = call->records->n;
    size_t       at = 0;
    if (cpu_share > 0) /* every device with a share gets a record */
        at = ordo_min(ordo_max((size_t)(cpu_share * (double)n + 0.5), 1), n - call->line_count);
    call->cpu_n = at;
    for (size_t i = 0; i < call->line_count; i++) {
        sample_line *const line = &call->lines[i];
        size_t const       left = n - at, later = call->line_count - 1 - i;
        size_t const       wish = (size_t)(share_of_line(call, i, cpu_share) * (double)n + 0.5);
        line->first = at;
        line->n = later == 0 ? left : ordo_min(ordo_max(wish, 1), left - later);
        at += line->n;
    }
    for (size_t i = 0; i < call->line_count; i++) {
        sample_line *const line = &call->lines[i];
        line->most = sample_exchanges(call) ? ordo_min(n, line->n + line->n / 4 + n / 64) : n;
    }
}

/* Gives each GPU buckets from the end, about as many records as its part of the input has, and at
 * most as many as its memory holds. The CPU gets the rest. */
static void choose_buckets(sample_call *call, const uint64_t *totals)
{
    size_t end = SAMPLE_BUCKETS;
    for (size_t i = call->line_count; i-- > 0;) {
        sample_line *const line = &call->lines[i];
        size_t             first = end, sum = 0;
        while (first > 0 && sum + totals[first - 1] <= line->most &&
               (!sample_exchanges(call) || sum + totals[first - 1] / 2 <= line->n))
            sum += (size_t)totals[--first];
        line->bucket_first = first;
        line->bucket_end = end;
        line->owned = sum;
        end = first;
    }
    call->cpu_buckets = end;
}

/* ---- Places ---- */

static void place_records_of_line(const sample_call *call, sample_line *line)
{
    sample_tables *const tables = &line->tables;
    uint64_t             out = 0, in = 0;
    line->start = (size_t)call->starts[line->bucket_first];
    for (size_t b = 0; b < SAMPLE_BUCKETS; b++) {
        bool const     stays = b >= line->bucket_first && b < line->bucket_end;
        uint64_t const before = stays ? line->before[b] : 0;
        uint64_t const all = call->starts[b + 1] - call->starts[b];
        uint64_t const after = stays ? all - before - line->counts[b] : 0;
        uint64_t const start = stays ? call->starts[b] - line->start : 0;
        line->out[b] = out;
        tables->starts[b] = start;
        tables->places[b] = stays ? start + before : out;
        tables->from[2 * b] = in;
        tables->to[2 * b] = start;
        tables->from[2 * b + 1] = in + before;
        tables->to[2 * b + 1] = start + before + line->counts[b];
        in += before + after;
        out += stays ? 0 : line->counts[b];
    }
    for (size_t b = line->bucket_end; b <= SAMPLE_BUCKETS; b++)
        tables->starts[b] = line->owned;
    line->out[SAMPLE_BUCKETS] = out;
    tables->from[2 * (size_t)SAMPLE_BUCKETS] = in;
    line->outbox_n = (size_t)out;
    line->inbox_n = (size_t)in;
}

void sample_share_buckets(sample_call *call)
{
    uint64_t totals[SAMPLE_BUCKETS];
    memcpy(totals, call->cpu_counts, sizeof totals);
    for (size_t i = 0; i < call->line_count; i++)
        for (size_t b = 0; b < SAMPLE_BUCKETS; b++) {
            call->lines[i].before[b] = totals[b];
            totals[b] += call->lines[i].counts[b];
        }
    call->starts[0] = 0;
    for (size_t b = 0; b < SAMPLE_BUCKETS; b++)
        call->starts[b + 1] = call->starts[b] + totals[b];
    memcpy(call->cpu_places, call->starts, sizeof call->cpu_places);
    choose_buckets(call, totals);
    call->cpu_owned = (size_t)call->starts[call->cpu_buckets];
    for (size_t i = 0; i < call->line_count; i++)
        place_records_of_line(call, &call->lines[i]);
}

/* ---- Memory ---- */

ordo_sample_job sample_cpu_job(const sample_call *call, ordo_sample_step step)
{
    const hybrid_records *const records = call->records;
    return (ordo_sample_job){.step = step,
                             .type = records->type,
                             .descending = records->descending,
                             .indexed = call->indexed,
                             .record_size = call->record_size,
                             .lg = ORDO_TUNE_SAMPLE_LG,
                             .n = step == ORDO_SAMPLE_SPLIT ? records->n : call->cpu_n,
                             .keys = records->keys,
                             .splitters = call->splitters,
                             .records = call->other,
                             .labels = call->labels,
                             .counts = (uint64_t *)call->cpu_counts,
                             .bucket_first = 0,
                             .bucket_end = call->cpu_buckets,
                             .places = call->cpu_places,
                             .scattered = call->gathered,
                             .finished = call->gathered,
                             .outbox = call->gathered,
                             .starts = call->starts,
                             .owned = call->cpu_owned,
                             .index_type = call->index_type,
                             .work = call->work};
}

ordo_sample_job sample_device_job(const sample_call *call, const sample_line *line,
                                  ordo_sample_step step)
{
    const hybrid_records *const records = call->records;
    return (ordo_sample_job){.step = step,
                             .type = records->type,
                             .descending = records->descending,
                             .indexed = call->indexed,
                             .record_size = call->record_size,
                             .lg = ORDO_TUNE_SAMPLE_LG,
                             .n = line->n,
                             .first = line->first,
                             .keys = line->keys,
                             .splitters = line->splitters,
                             .records = line->records,
                             .labels = line->labels,
                             .counts = line->device_counts,
                             .bucket_first = line->bucket_first,
                             .bucket_end = line->bucket_end,
                             .places = line->device_tables->places,
                             .scattered = line->scattered,
                             .finished = line->finished,
                             .outbox = line->outbox,
                             .inbox = line->records,
                             .inbox_n = line->inbox_n,
                             .from = line->device_tables->from,
                             .to = line->device_tables->to,
                             .starts = line->device_tables->starts,
                             .owned = line->owned,
                             .result = line->records,
                             .index_type = call->index_type,
                             .work = line->work};
}

/* line->records is used in turn for the records of the input, the inbox, the scratch of the sort
 * and the result. */
size_t sample_lay_out(const sample_call *call, sample_line *line, char *base)
{
    size_t const          most = ordo_max(line->n, line->most), record = call->record_size;
    size_t                used = 0;
    ordo_sample_job const largest = {.type = call->records->type,
                                     .indexed = call->indexed,
                                     .record_size = record,
                                     .lg = ORDO_TUNE_SAMPLE_LG,
                                     .n = line->n,
                                     .owned = line->most};
    line->keys = hybrid_carve(base, &used, line->n * call->records->key_size);
    line->splitters = hybrid_carve(base, &used, SAMPLE_SPLITTERS * record);
    line->device_counts =
        (uint64_t *)(void *)hybrid_carve(base, &used, SAMPLE_BUCKETS * sizeof(uint64_t));
    line->device_tables = (sample_tables *)(void *)hybrid_carve(base, &used, sizeof(sample_tables));
    line->labels = (uint16_t *)(void *)hybrid_carve(base, &used, most * sizeof(uint16_t));
    line->records = hybrid_carve(base, &used, most * record);
    line->scattered = hybrid_carve(base, &used, line->most * record);
    line->finished = hybrid_carve(base, &used, line->most * record);
    line->outbox = hybrid_carve(base, &used, sample_exchanges(call) ? line->n * record : 0);
    line->work = hybrid_carve(base, &used, line->both.device->sample->work(&largest));
    return used;
}

static ordo_status take(ordo_exec *exec, size_t bytes, char **out)
{
    void *memory;
    TRY(ordo_scratch(exec, ordo_max(bytes, 1), &memory));
    *out = memory;
    return ORDO_OK;
}

ordo_status sample_take_memory(sample_call *call)
{
    const hybrid_records *const records = call->records;
    ordo_exec *const            exec = call->exec;
    size_t const                n = records->n;
    bool const                  cpu_works = sample_exchanges(call);
    ordo_sample_job             largest = sample_cpu_job(call, ORDO_SAMPLE_SPLIT);
    largest.owned = n;
    TRY(take(exec, SAMPLE_SPLITTERS * call->record_size, &call->splitters));
    TRY(take(exec, cpu_sample_work(&largest), &call->work));
    TRY(take(exec, n * (cpu_works ? call->record_size : call->result_size), &call->other));
    if (cpu_works) {
        char *labels;
        TRY(take(exec, n * call->record_size, &call->gathered));
        TRY(take(exec, n * sizeof(uint16_t), &labels));
        call->labels = (uint16_t *)(void *)labels;
    }
    if (records->values != NULL) /* pairs */
        TRY(take(exec, n * ordo_max(records->key_size, records->value_size), &call->spare));
    return ORDO_OK;
}
