/* sample_sort.c - sample sort of keys, pairs and indices on the CPU and one GPU or several: S.
 * Subashini and N. Ramya, "Hybrid Comparison Sorting".
 *   I    A sample at regular intervals gives the splitters. The input is cut by position; every
 *        device labels the records of its part with their buckets.
 *   II   Every device counts its labels; the host adds the histograms.
 *   III  Every device scatters its records, so that each bucket is contiguous. Each bucket gets an
 *        owner, and devices exchange the records that belong to other owners.
 *   IV   Every device sorts its buckets; the results return to the host.
 * Pairs are sorted as indices, then permuted. GPUs and CPU work at once; only II ends with a wait.
 * Host memory: two records and 2 bytes per key, for pairs also the larger of key and value. */
#define _POSIX_C_SOURCE 200809L
#include "papers/hybrid/sample_call.h"

#include <string.h>

/* ---- Steps of the CPU ---- */

static ordo_status cpu_step(sample_call *call, ordo_sample_job job, unsigned phase)
{
    double const      began = ordo_profile_clock();
    ordo_status const status = cpu_sample(call->both->cpu_state, &job, call->exec);
    call->cpu_seconds[phase] += ordo_profile_clock() - began;
    ordo_profile_add(call->exec, ORDO_SPAN_COMPUTE, 0, began, job.n * call->record_size);
    return status;
}

/* Does a step on the CPU's part of the input, if there is such a part. */
static ordo_status cpu_part_step(sample_call *call, ordo_sample_step step, unsigned phase)
{
    return call->cpu_n == 0 ? ORDO_OK : cpu_step(call, sample_cpu_job(call, step), phase);
}

static void end_phase(sample_call *call, ordo_span_kind kind)
{
    ordo_profile_add(call->exec, kind, 0, call->phase_began, 0);
    call->phase_began = ordo_profile_clock();
    call->exec->phase++;
}

#define EACH_LINE(line)                                                                            \
    for (sample_line *line = call->lines; line < call->lines + call->line_count; line++)

/* ---- The phases ---- */

static ordo_status label(sample_call *call)
{
    const hybrid_records *const records = call->records;
    TRY(cpu_step(call, sample_cpu_job(call, ORDO_SAMPLE_SPLIT), 0));
    EACH_LINE(line)
    {
        sample_array splitters = {call->splitters, call->record_size};
        sample_array keys = {(char *)records->keys + line->first * records->key_size,
                             records->key_size};
        TRY(sample_send(call, line, line->splitters, call->record_size, SAMPLE_SPLITTERS,
                        SAMPLE_NOTHING, sample_copy_in, &splitters));
        TRY(sample_send(call, line, line->keys, records->key_size, line->n, SAMPLE_NOTHING,
                        sample_copy_in, &keys));
        TRY(sample_queue(call, line, ORDO_SAMPLE_LABEL, 0));
        TRY(sample_queue(call, line, ORDO_SAMPLE_COUNT, 1));
        TRY(sample_mark(line, SAMPLE_COUNTED));
    }
    return cpu_part_step(call, ORDO_SAMPLE_LABEL, 0);
}

static ordo_status count(sample_call *call)
{
    memset(call->cpu_counts, 0, sizeof call->cpu_counts);
    TRY(cpu_part_step(call, ORDO_SAMPLE_COUNT, 1));
    EACH_LINE(line)
    {
        sample_array counts = {(char *)line->counts, sizeof *line->counts};
        TRY(sample_fetch(call, line, line->device_counts, sizeof *line->counts, SAMPLE_BUCKETS,
                         SAMPLE_COUNTED, sample_copy_out, &counts));
    }
    return ORDO_OK;
}

static ordo_status exchange(sample_call *call)
{
    EACH_LINE(line)
    {
        sample_exchange ex = {call, line};
        if (line->outbox_n > 0)
            TRY(sample_fetch(call, line, line->outbox, call->record_size, line->outbox_n,
                             SAMPLE_SCATTERED, sample_take_outbox, &ex));
    }
    EACH_LINE(line)
    {
        sample_exchange ex = {call, line};
        if (line->inbox_n == 0)
            continue;
        TRY(sample_send(call, line, line->records, call->record_size, line->inbox_n,
                        SAMPLE_SCATTERED, sample_fill_inbox, &ex));
        TRY(sample_queue(call, line, ORDO_SAMPLE_PLACE, 2));
    }
    return ORDO_OK;
}

static ordo_status scatter(sample_call *call)
{
    sample_share_buckets(call);
    EACH_LINE(line)
    {
        sample_array tables = {(char *)&line->tables, sizeof(uint64_t)};
        TRY(sample_send(call, line, line->device_tables, sizeof(uint64_t),
                        sizeof line->tables / sizeof(uint64_t), SAMPLE_NOTHING, sample_copy_in,
                        &tables));
        TRY(sample_queue(call, line, ORDO_SAMPLE_SCATTER, 2));
        TRY(sample_mark(line, SAMPLE_SCATTERED));
    }
    TRY(cpu_part_step(call, ORDO_SAMPLE_SCATTER, 2));
    return exchange(call);
}

static ordo_status sort_buckets(sample_call *call)
{
    EACH_LINE(line)
    {
        TRY(sample_queue(call, line, ORDO_SAMPLE_SORT, 3));
        TRY(sample_queue(call, line, ORDO_SAMPLE_RESULT, 3));
        TRY(sample_mark(line, SAMPLE_SORTED));
    }
    if (call->cpu_owned > 0)
        TRY(cpu_step(call, sample_cpu_job(call, ORDO_SAMPLE_SORT), 3));
    EACH_LINE(line)
    {
        sample_array results = {call->other + line->start * call->result_size, call->result_size};
        if (line->owned > 0)
            TRY(sample_fetch(call, line, line->records, call->result_size, line->owned,
                             SAMPLE_SORTED, sample_copy_out, &results));
    }
    return ORDO_OK;
}

/* ---- The result ---- */

/* Completes an array of results: writes the CPU's results, and copies the GPUs' results unless they
 * were fetched to this array. */
static ordo_status store_results(sample_call *call, char *to)
{
    const ordo_both *const both = call->both;
    size_t const           mine = call->cpu_owned * call->result_size;
    ordo_sample_job        job = sample_cpu_job(call, ORDO_SAMPLE_RESULT);
    ordo_copy_job const    copy = {to + mine, call->other + mine,
                                   call->records->n * call->result_size - mine};
    job.result = to;
    if (call->cpu_owned > 0)
        TRY(cpu_step(call, job, 3));
    return to == call->other ? ORDO_OK : both->cpu->copy(both->cpu_state, &copy, call->exec);
}

static ordo_status store(sample_call *call)
{
    const hybrid_records *const records = call->records;
    const ordo_both *const      both = call->both;
    if (!call->indexed || records->values == NULL) {
        call->exec->changed = true;
        return store_results(call, call->indexed ? records->out_values : records->out_keys);
    }
    ordo_permute_job keys = {records->out_keys, records->n,  records->key_size,
                             call->index_type,  call->other, call->spare};
    ordo_permute_job values = keys;
    values.array = records->out_values;
    values.size = records->value_size;
    TRY(store_results(call, call->other));
    call->exec->changed = true;
    TRY(both->cpu->permute(both->cpu_state, &keys, call->exec));
    return both->cpu->permute(both->cpu_state, &values, call->exec);
}

static void record(sample_call *call, double seconds)
{
    ordo_exec *const   exec = call->exec;
    ordo_facts *const  facts = &exec->facts;
    const sample_line *busiest = &call->lines[0];
    double             cpu = 0, device = 0;
    exec->algorithm = "sample";
    exec->isa = busiest->call.device.exec.isa;
    facts->strategy = ORDO_STRATEGY_PHASES;
    facts->buckets = SAMPLE_BUCKETS;
    facts->devices = call->line_count;
    facts->cpu_share = (double)call->cpu_n / (double)call->records->n;
    EACH_LINE(line)
    {
        double sum = 0;
        for (int i = 0; i < SAMPLE_PHASES; i++)
            sum += line->seconds[i];
        if (sum > device) {
            busiest = line;
            device = sum;
        }
    }
    for (int i = 0; i < SAMPLE_PHASES; i++) {
        facts->cpu_seconds[i] = call->cpu_seconds[i];
        facts->device_seconds[i] = busiest->seconds[i];
        facts->sample_seconds[i] =
            call->cpu_seconds[i] > busiest->seconds[i] ? call->cpu_seconds[i] : busiest->seconds[i];
        cpu += call->cpu_seconds[i];
    }
    double const computing = seconds - call->copy_seconds;
    facts->copy_seconds = call->copy_seconds;
    facts->cpu_idle_seconds = computing > cpu ? computing - cpu : 0;
    facts->device_idle_seconds = computing > device ? computing - device : 0;
}

/* ---- The call ---- */

static ordo_status open_line(sample_call *call, sample_line *line)
{
    hybrid_call *const on = &line->call;
    char              *base;
    TRY(hybrid_reserve_device(on, sample_lay_out(call, line, NULL), 0, &base));
    (void)sample_lay_out(call, line, base);
    on->timed = on->link->watch != NULL;
    on->open = true;
    return on->timed ? on->link->watch(line->both.device_state, call->exec) : ORDO_OK;
}

static ordo_status run_phases(sample_call *call)
{
    TRY(sample_take_memory(call));
    EACH_LINE(line)
    TRY(open_line(call, line));
    call->exec->phase = 0;
    if (call->exec->phases < SAMPLE_PHASES) /* a sort of strings has more phases */
        call->exec->phases = SAMPLE_PHASES;
    call->phase_began = ordo_profile_clock();
    TRY(label(call));
    end_phase(call, ORDO_SPAN_PHASE_I);
    TRY(count(call));
    end_phase(call, ORDO_SPAN_PHASE_II);
    TRY(scatter(call));
    end_phase(call, ORDO_SPAN_PHASE_III);
    return sort_buckets(call);
}

/* Ends the last line first: begin and end of a link change and restore the current device of the
 * calling thread, so they must nest. */
static ordo_status end_lines(sample_call *call, ordo_status status)
{
    for (size_t i = call->line_count; i-- > 0;) {
        sample_line *const line = &call->lines[i];
        if (!line->call.open)
            continue;
        ordo_status const ended = line->call.link->end(line->both.device_state, call->exec);
        if (status == ORDO_OK)
            status = ended;
        if (status == ORDO_OK)
            sample_read_times(call, line);
    }
    return status;
}

/* Takes zeroed lines and opens each for its GPU. */
static ordo_status take_lines(sample_call *call)
{
    const ordo_both *const both = call->both;
    void                  *memory;
    call->line_count = ordo_max(both->part_count, 1);
    TRY(ordo_scratch(call->exec, call->line_count * sizeof *call->lines, &memory));
    call->lines = memory;
    memset(memory, 0, call->line_count * sizeof *call->lines);
    for (size_t i = 0; i < call->line_count; i++) {
        sample_line *const line = &call->lines[i];
        line->both = *both;
        if (both->part_count != 0) {
            line->both.device = both->parts[i].device;
            line->both.device_state = both->parts[i].state;
        }
        hybrid_call_open(&line->call, &line->both, call->records, call->exec);
    }
    return ORDO_OK;
}

static void choose_records(sample_call *call)
{
    const hybrid_records *const records = call->records;
    bool const                  narrow = records->n - 1 <= UINT32_MAX;
    call->indexed = records->value_size != 0;
    if (!call->indexed) {
        call->record_size = ordo_max(records->key_size, sizeof(uint32_t));
        call->result_size = records->key_size;
        return;
    }
    bool const argsort = records->values == NULL;
    call->record_size = records->key_size <= sizeof(uint32_t) && narrow ? 8 : 16;
    call->index_type = argsort  ? records->value_size == 4 ? ORDO_U32 : ORDO_U64
                       : narrow ? ORDO_U32
                                : ORDO_U64;
    call->result_size = ordo_type_size(call->index_type);
}

ordo_status hybrid_sample_sort(const ordo_both *both, const hybrid_records *records,
                               ordo_exec *exec)
{
    double const began = ordo_profile_clock();
    void        *memory;
    TRY(ordo_scratch(exec, sizeof(sample_call), &memory));
    sample_call *const call = memory;
    memset(call, 0, sizeof *call);
    call->both = both;
    call->records = records;
    call->exec = exec;
    choose_records(call);
    TRY(take_lines(call));
    sample_cut_input(call, both->sample_share < 0 ? 0 : both->sample_share);
    ordo_status status = end_lines(call, run_phases(call));
    if (status == ORDO_OK)
        status = store(call);
    if (status == ORDO_OK) {
        end_phase(call, ORDO_SPAN_PHASE_IV);
        record(call, ordo_profile_clock() - began);
    }
    EACH_LINE(line)
    hybrid_call_close(&line->call);
    return status;
}
