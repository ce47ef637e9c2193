/* sample_layout.c - the division of a hybrid sample sort: the form of the records, the cut of the
 * input by position, the buckets of each device, the places of all records, and memory. */
#define _POSIX_C_SOURCE 200809L
#include "papers/hybrid/sample_call.h"

#include <string.h>

/* ---- Records ---- */

/* Whether the devices look up the values of pairs. Keys that tie must be equal, because the record
 * holds the key with ties folded. */
static bool looks_up(const hybrid_records *records)
{
    return records->values != NULL && records->type != ORDO_F32 && records->type != ORDO_F64;
}

void sample_choose_records(sample_call *call)
{
    const hybrid_records *const records = call->records;
    bool const                  narrow = records->n - 1 <= UINT32_MAX;
    bool const                  argsort = records->values == NULL;
    call->lg = sample_lg(records->intervals, records->n);
    call->buckets = sample_buckets(call->lg);
    call->indexed = records->value_size != 0;
    call->value_size = call->indexed && looks_up(records) ? records->value_size : 0;
    call->permuted = call->indexed && !argsort && call->value_size == 0;
    if (!call->indexed)
        call->record_size = ordo_max(records->key_size, sizeof(uint32_t));
    else
        call->record_size = records->key_size <= sizeof(uint32_t) && narrow ? 8 : 16;
    call->index_type = argsort  ? records->value_size == 4 ? ORDO_U32 : ORDO_U64
                       : narrow ? ORDO_U32
                                : ORDO_U64;
    if (!call->indexed || call->value_size != 0) {
        call->results[0] = records->out_keys;
        call->result_sizes[0] = records->key_size;
        call->results[1] = call->value_size != 0 ? records->out_values : NULL;
        call->result_sizes[1] = call->value_size;
    } else {
        call->results[0] = records->out_values; /* permuted: sample_take_memory */
        call->result_sizes[0] = ordo_type_size(call->index_type);
    }
}

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

/* A thread sorts a whole bucket, and all threads shall end together: the CPU gets the nearest
 * number of buckets that its threads sort in full turns, unless they are less than half a turn.
 * Every second bucket holds only equal records. */
static size_t full_turns(const sample_call *call, size_t buckets)
{
    size_t const turn = 2 * (size_t)call->exec->threads;
    return buckets < turn / 2 ? buckets : (buckets + turn / 2) / turn * turn;
}

/* Gives each GPU buckets from the end, about as many records as its part of the input has, and at
 * most as many as its memory holds. The CPU gets the rest, in full turns. */
static void choose_buckets(sample_call *call)
{
    size_t end = call->buckets;
    for (size_t i = call->line_count; i-- > 0;) {
        sample_line *const line = &call->lines[i];
        size_t             first = end, sum = 0;
        while (first > 0) {
            size_t const here = (size_t)(call->starts[first] - call->starts[first - 1]);
            if (sum + here > line->most || (sample_exchanges(call) && sum + here / 2 > line->n))
                break;
            sum += here;
            first--;
        }
        size_t const turns = ordo_min(full_turns(call, first), end);
        if (i == 0 && call->cpu_n > 0 && call->starts[end] - call->starts[turns] <= line->most)
            first = turns;
        line->bucket_first = first;
        line->bucket_end = end;
        line->owned = (size_t)(call->starts[end] - call->starts[first]);
        end = first;
    }
    call->cpu_buckets = end;
}

/* ---- Places ---- */

static void place_records_of_line(const sample_call *call, sample_line *line)
{
    const sample_tables *const tables = &line->tables;
    uint64_t                   out = 0, in = 0;
    line->start = (size_t)call->starts[line->bucket_first];
    for (size_t b = 0; b < call->buckets; b++) {
        bool const     stays = b >= line->bucket_first && b < line->bucket_end;
        uint64_t const all = call->starts[b + 1] - call->starts[b];
        uint64_t const start = stays ? call->starts[b] - line->start : 0;
        line->out[b] = out;
        tables->places[b] = stays ? start : out;
        tables->from[b] = in;
        tables->to[b] = start + line->counts[b];
        in += stays ? all - line->counts[b] : 0;
        out += stays ? 0 : line->counts[b];
    }
    line->out[call->buckets] = out;
    tables->from[call->buckets] = in;
    line->outbox_n = (size_t)out;
    line->inbox_n = (size_t)in;
    line->sent = (size_t)line->out[call->cpu_buckets];
}

/* Groups of buckets with about the same number of records. */
static void make_groups(const sample_call *call, sample_line *line)
{
    size_t const wish = line->owned * call->record_size / ORDO_TUNE_SAMPLE_GROUP;
    size_t const groups = ordo_min(ordo_max(wish, 1), SAMPLE_GROUPS);
    size_t       first = line->bucket_first;
    line->group_count = 0;
    line->group_at[0] = 0;
    for (size_t g = 0; g < groups; g++) {
        size_t const until = line->start + line->owned * (g + 1) / groups;
        size_t       end = first;
        while (end < line->bucket_end && (g + 1 == groups || call->starts[end + 1] <= until))
            end++;
        uint64_t const lo = call->starts[first] - line->start, hi = call->starts[end] - line->start;
        if (lo == hi)
            continue;
        uint64_t *const starts = line->tables.starts + line->group_count++ * (call->buckets + 1);
        for (size_t b = 0; b <= call->buckets; b++) {
            uint64_t const at = call->starts[b] < line->start ? 0 : call->starts[b] - line->start;
            starts[b] = ordo_min(ordo_max(at, lo), hi);
        }
        line->group_at[line->group_count] = (size_t)hi;
        first = end;
    }
}

void sample_share_buckets(sample_call *call)
{
    uint64_t *const totals = call->starts + 1;
    call->starts[0] = 0;
    memcpy(totals, call->cpu_counts, call->buckets * sizeof *totals);
    for (size_t i = 0; i < call->line_count; i++)
        for (size_t b = 0; b < call->buckets; b++)
            totals[b] += call->lines[i].counts[b];
    for (size_t b = 0; b < call->buckets; b++)
        call->starts[b + 1] += call->starts[b];
    choose_buckets(call);
    call->cpu_owned = (size_t)call->starts[call->cpu_buckets];
    size_t sent = 0;
    for (size_t i = 0; i < call->line_count; i++) {
        place_records_of_line(call, &call->lines[i]);
        call->lines[i].sent_before = sent;
        sent += call->lines[i].sent;
        make_groups(call, &call->lines[i]);
    }
}

/* ---- Jobs ---- */

static ordo_sample_job plain_job(const sample_call *call, ordo_sample_step step)
{
    const hybrid_records *const records = call->records;
    return (ordo_sample_job){.step = step,
                             .type = records->type,
                             .descending = records->descending,
                             .indexed = call->indexed,
                             .value_size = call->value_size,
                             .record_size = call->record_size,
                             .lg = call->lg,
                             .intervals = records->intervals,
                             .index_type = call->index_type};
}

ordo_sample_job sample_cpu_job(const sample_call *call, ordo_sample_step step, size_t first,
                               size_t n)
{
    const hybrid_records *const records = call->records;
    ordo_sample_job             job = plain_job(call, step);
    job.n = n;
    job.first = first;
    job.keys = records->keys + first * records->key_size;
    job.splitters = call->splitters;
    job.labels = call->labels == NULL ? NULL : call->labels + first;
    job.scattered = call->gathered;
    return job;
}

ordo_sample_job sample_device_job(const sample_call *call, const sample_line *line,
                                  ordo_sample_step step, size_t group)
{
    ordo_sample_job job = plain_job(call, step);
    bool const      sent = group == SAMPLE_OUTBOX;
    bool const      of_group = !sent && (step == ORDO_SAMPLE_RESULT || step == ORDO_SAMPLE_VALUES);
    size_t const    at = of_group ? line->group_at[group] : 0;
    bool const      keys = !call->indexed || call->value_size != 0;
    job.n = line->n;
    job.first = line->first;
    job.keys = line->keys;
    job.values = line->values;
    job.splitters = line->splitters;
    job.records = line->records;
    job.labels = line->labels;
    job.counts = line->device_counts;
    job.bucket_first = line->bucket_first;
    job.bucket_end = line->bucket_end;
    job.places = line->device_tables.places;
    job.scattered = line->scattered;
    job.finished = sent ? line->outbox : line->finished + at * call->record_size;
    job.outbox = line->outbox;
    job.inbox = line->inbox;
    job.inbox_n = line->inbox_n;
    job.from = line->device_tables.from;
    job.to = line->device_tables.to;
    job.starts = sent ? NULL : line->device_tables.starts + group * (call->buckets + 1);
    job.owned = sent ? line->sent : of_group ? line->group_at[group + 1] - at : line->owned;
    job.result = (keys ? line->keys : line->found) + at * call->result_sizes[0];
    job.result_values = sent ? line->sent_values : line->found + at * call->result_sizes[1];
    job.work = line->work;
    return job;
}

/* ---- Memory ---- */

size_t sample_tables_bytes(const sample_call *call)
{
    return (2 * call->buckets + (1 + SAMPLE_GROUPS) * (call->buckets + 1)) * sizeof(uint64_t);
}

static sample_tables tables_at(const sample_call *call, char *base)
{
    uint64_t *const at = (uint64_t *)(void *)base;
    size_t const    buckets = call->buckets;
    return base == NULL ? (sample_tables){NULL, NULL, NULL, NULL}
                        : (sample_tables){at, at + buckets, at + 2 * buckets, at + 3 * buckets + 1};
}

size_t sample_lay_out(const sample_call *call, sample_line *line, char *base)
{
    size_t const    most = ordo_max(line->n, line->most), record = call->record_size;
    size_t const    found_size = call->value_size != 0 ? call->value_size
                                 : call->indexed       ? call->result_sizes[0]
                                                       : 0;
    size_t          used = 0;
    ordo_sample_job largest = plain_job(call, ORDO_SAMPLE_SORT);
    largest.n = line->n;
    largest.owned = line->most;
    line->keys = hybrid_carve(base, &used, most * call->records->key_size);
    line->values = hybrid_carve(base, &used, call->records->n * call->value_size);
    line->found = hybrid_carve(base, &used, most * found_size);
    line->splitters = hybrid_carve(base, &used, call->buckets / 2 * record);
    line->device_counts =
        (uint64_t *)(void *)hybrid_carve(base, &used, call->buckets * sizeof(uint64_t));
    line->device_tables = tables_at(call, hybrid_carve(base, &used, sample_tables_bytes(call)));
    line->labels = (uint16_t *)(void *)hybrid_carve(base, &used, most * sizeof(uint16_t));
    line->records = hybrid_carve(base, &used, most * record);
    line->scattered = hybrid_carve(base, &used, line->most * record);
    line->finished = hybrid_carve(base, &used, line->most * record);
    line->outbox = hybrid_carve(base, &used, sample_exchanges(call) ? line->n * record : 0);
    line->sent_values =
        hybrid_carve(base, &used, sample_exchanges(call) ? line->n * call->value_size : 0);
    line->inbox =
        hybrid_carve(base, &used, ordo_min(line->most, call->records->n - line->n) * record);
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

/* Records of one piece of the CPU's part: several for each thread, none larger than the cache. */
static size_t piece_of(const sample_call *call)
{
    enum {
        EACH = 4,
        OVERCOUNT = 8 /* least records for each bucket */
    };
    size_t const share = ordo_div_up(call->cpu_n, EACH * (size_t)call->exec->threads);
    size_t const least = ordo_max(ORDO_TUNE_SAMPLE_LEAST_PIECE, OVERCOUNT * call->buckets);
    return ordo_max(ordo_min(ORDO_TUNE_SAMPLE_PIECE, share), least);
}

static ordo_status take_cpu_memory(sample_call *call)
{
    ordo_exec *const exec = call->exec;
    size_t const     n = call->records->n, record = call->record_size;
    char            *memory;
    call->piece = piece_of(call);
    call->room = ordo_min(n, call->cpu_n + call->cpu_n / 4 + n / 64);
    TRY(take(exec, call->room * record, &call->other));
    TRY(take(exec, call->room * sizeof(uint16_t), &memory));
    call->labels = (uint16_t *)(void *)memory;
    TRY(take(exec, n * record, &call->gathered));
    TRY(take(exec, ordo_div_up(call->cpu_n, call->piece) * call->buckets * sizeof(uint64_t),
             &memory));
    call->piece_counts = (uint64_t *)(void *)memory;
    return ORDO_OK;
}

static ordo_status take_copies(sample_call *call)
{
    const hybrid_records *const records = call->records;
    if (call->permuted)
        return take(call->exec,
                    records->n * (call->result_sizes[0] +
                                  ordo_max(records->key_size, records->value_size)) +
                        ORDO_CACHE_LINE,
                    &call->order);
    return ORDO_OK;
}

/* Takes the tables of all devices. */
static ordo_status take_tables(sample_call *call)
{
    size_t const own = (3 * call->buckets + 2) * sizeof(uint64_t);
    size_t const each = (2 * call->buckets + 1) * sizeof(uint64_t) + sample_tables_bytes(call);
    char        *memory;
    TRY(take(call->exec, own + call->line_count * each, &memory));
    call->cpu_counts = (uint64_t *)(void *)memory;
    call->mine = call->cpu_counts + call->buckets;
    call->starts = call->mine + call->buckets + 1;
    memory += own;
    for (size_t i = 0; i < call->line_count; i++, memory += each) {
        sample_line *const line = &call->lines[i];
        line->counts = (uint64_t *)(void *)memory;
        line->out = line->counts + call->buckets;
        line->tables = tables_at(call, (char *)(line->out + call->buckets + 1));
    }
    return ORDO_OK;
}

ordo_status sample_take_memory(sample_call *call)
{
    ordo_exec *const exec = call->exec;
    ordo_sample_job  largest = plain_job(call, ORDO_SAMPLE_SPLIT);
    char            *memory;
    largest.n = call->records->n;
    size_t const whole = ordo_round_up(cpu_sample_work(&largest), ORDO_CACHE_LINE);
    largest.n = piece_of(call);
    size_t const each = ordo_round_up(cpu_sample_work(&largest), ORDO_CACHE_LINE);
    TRY(take_tables(call));
    TRY(take(exec, call->buckets / 2 * call->record_size, &call->splitters));
    TRY(take(exec, SAMPLE_INTERVALS * sizeof *call->intervals, &memory));
    call->intervals = (sample_interval *)(void *)memory;
    if (sample_exchanges(call))
        TRY(take_cpu_memory(call));
    TRY(take_copies(call));
    if (call->permuted)
        call->results[0] = call->order;
    size_t const loaded = ordo_round_up(largest.n * call->record_size, ORDO_CACHE_LINE);
    TRY(take(exec, whole + call->slot_count * (each + loaded), &memory));
    call->work = memory;
    memory += whole;
    for (unsigned i = 0; i < call->slot_count; i++, memory += each + loaded) {
        call->slots[i].work = memory;
        call->slots[i].records = memory + each;
    }
    return ORDO_OK;
}

/* Takes the memory for the values of the CPU's buckets. */
static ordo_status take_value_memory(sample_call *call)
{
    TRY(take(call->exec, call->cpu_owned * sample_index_size(call), &call->held_index));
    return take(call->exec, call->cpu_owned * call->value_size, &call->held_values);
}

ordo_status sample_take_bucket_memory(sample_call *call)
{
    ordo_exec *const exec = call->exec;
    char            *labels;
    if (call->cpu_owned > call->room) {
        call->room = call->cpu_owned;
        TRY(take(exec, call->room * call->record_size, &call->other));
        TRY(take(exec, call->room * sizeof(uint16_t), &labels));
        call->labels = (uint16_t *)(void *)labels;
    }
    if (call->cpu_owned == 0)
        return ORDO_OK;
    TRY(take(exec, call->cpu_owned * call->record_size, &call->spare));
    return call->value_size != 0 ? take_value_memory(call) : ORDO_OK;
}
