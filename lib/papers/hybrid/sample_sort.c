/* sample_sort.c - sample sort of keys, pairs and indices on the CPU and one GPU or several: S.
 * Subashini and N. Ramya, "Hybrid Comparison Sorting".
 *   I    A sample at regular intervals gives the splitters. The input is cut by position; every
 *        device labels the records of its part with their buckets. The CPU labels while the GPU's
 *        part travels.
 *   II   Every device counts its labels; the host adds the histograms.
 *   III  Every device scatters its records, so that each bucket is contiguous. Each bucket gets an
 *        owner, and devices exchange the records that belong to other owners. The CPU's scatter
 *        needs no other histogram, so it ends before the GPU's counts arrive.
 *   IV   Every device sorts its buckets; the results return to the host. A GPU sorts its buckets in
 *        groups: one travels while the next is sorted and while the CPU sorts its own buckets.
 * Pairs move as records of key and index. All values travel to the GPU, which looks up those of its
 * result and of the records that it gave to the CPU. Pairs of floats, whose ties may differ, are
 * sorted as indices, then permuted.
 * Results are written as soon as they are sorted, often over the input: from then on a GPU that
 * fails leaves the arrays unspecified.
 * Host memory: two records and 2 bytes per key of the CPU's part, a record per key, and for pairs
 * an index and a value per key of the CPU's part. For permuted pairs an index and the larger of key
 * and value per key instead. */
#define _POSIX_C_SOURCE 200809L
#include "papers/hybrid/sample_call.h"

#include <string.h>

#define EACH_LINE(line)                                                                            \
    for (sample_line *line = call->lines; line < call->lines + call->line_count; line++)

static void end_phase(sample_call *call, ordo_span_kind kind)
{
    ordo_profile_add(call->exec, kind, 0, call->phase_began, 0);
    call->phase_began = ordo_profile_clock();
    call->exec->phase++;
}

/* ---- Phases I and II ---- */

static ordo_status send_one(sample_call *call, sample_line *line, void *device, void *host,
                            size_t bytes)
{
    sample_transfer t = {.line = line,
                         .device = device,
                         .size = sizeof(uint32_t),
                         .count = bytes / sizeof(uint32_t),
                         .after = SAMPLE_NOTHING,
                         .arg = host};
    return sample_run(call, &t, 1, NULL, 0);
}

/* The transfers of the keys to all GPUs. */
static size_t list_keys(sample_call *call, sample_transfer *list)
{
    const hybrid_records *const records = call->records;
    size_t                      listed = 0;
    EACH_LINE(line)
    list[listed++] =
        (sample_transfer){.line = line,
                          .device = line->keys,
                          .size = records->key_size,
                          .count = line->n,
                          .after = SAMPLE_NOTHING,
                          .arg = (char *)records->keys + line->first * records->key_size};
    return listed;
}

/* The transfers of the values, of which every GPU gets all, to call->values. */
static void list_values(sample_call *call)
{
    const hybrid_records *const records = call->records;
    EACH_LINE(line)
    call->values[line - call->lines] = (sample_transfer){.line = line,
                                                         .device = line->values,
                                                         .size = call->value_size,
                                                         .count = records->n,
                                                         .after = SAMPLE_NOTHING,
                                                         .arg = (char *)records->values};
}

static ordo_status queue_labels(sample_call *call)
{
    EACH_LINE(line)
    {
        TRY(send_one(call, line, line->splitters, call->splitters,
                     (call->buckets / 2 - 1) * call->record_size));
        TRY(sample_queue(call, line, ORDO_SAMPLE_LABEL, 0, 0));
        TRY(sample_queue(call, line, ORDO_SAMPLE_COUNT, 1, 0));
        TRY(sample_mark(line, SAMPLE_COUNTED));
    }
    return ORDO_OK;
}

static ordo_status label(sample_call *call)
{
    sample_transfer *const list = call->transfers;
    size_t const           count = list_keys(call, list);
    ordo_sample_job const  split = sample_cpu_job(call, ORDO_SAMPLE_SPLIT, 0, call->records->n);
    if (call->pinned_in)
        TRY(sample_run_pinned(call, list, count));
    TRY(sample_cpu_step(call, split, 0));
    if (call->pinned_in)
        TRY(queue_labels(call));
    TRY(sample_run(call, list, call->pinned_in ? 0 : count, sample_label_piece,
                   sample_piece_count(call)));
    return call->pinned_in ? ORDO_OK : queue_labels(call);
}

/* Whether the report shows the labels. */
static bool is_reported(const sample_call *call) { return call->records->n <= ORDO_PASS_MOST; }

/* The CPU scatters its part before it waits for the counts. */
static ordo_status count(sample_call *call)
{
    sample_transfer *const list = call->transfers;
    sample_place_pieces(call);
    TRY(sample_run(call, NULL, 0, sample_scatter_piece, sample_piece_count(call)));
    size_t listed = 0;
    EACH_LINE(line)
    {
        sample_transfer t = {.line = line,
                             .out = true,
                             .device = (char *)line->device_counts,
                             .size = sizeof *line->counts,
                             .count = call->buckets,
                             .after = SAMPLE_COUNTED,
                             .arg = line->counts};
        list[listed++] = t;
        t.device = (char *)line->labels;
        t.size = sizeof *line->labels;
        t.count = line->n;
        t.arg = call->pass + line->first;
        if (is_reported(call))
            list[listed++] = t;
    }
    if (is_reported(call) && call->cpu_n > 0)
        memcpy(call->pass, call->labels, call->cpu_n * sizeof *call->pass);
    return sample_run(call, list, listed, NULL, 0);
}

/* ---- Phase III ---- */

static size_t list_inboxes(sample_call *call, sample_transfer *list)
{
    size_t listed = 0;
    EACH_LINE(line)
    if (line->inbox_n > 0)
        list[listed++] = (sample_transfer){.line = line,
                                           .device = line->inbox,
                                           .size = call->record_size,
                                           .count = line->inbox_n,
                                           .after = SAMPLE_NOTHING,
                                           .copy = sample_fill_inbox,
                                           .arg = line};
    return listed;
}

static size_t list_outboxes(sample_call *call, sample_transfer *list)
{
    size_t listed = 0;
    EACH_LINE(line)
    if (line->outbox_n > 0)
        list[listed++] = (sample_transfer){.line = line,
                                           .out = true,
                                           .device = line->outbox,
                                           .size = call->record_size,
                                           .count = line->outbox_n,
                                           .after = SAMPLE_SCATTERED,
                                           .arg = call->gathered + line->first * call->record_size};
    return listed;
}

/* The values follow all that the GPU needs earlier, and must not delay it. */
static ordo_status move_values(sample_call *call, sample_line *line)
{
    sample_transfer *const values = &call->values[line - call->lines];
    if (call->value_size == 0)
        return ORDO_OK;
    TRY(call->pinned_in ? sample_run_pinned(call, values, 1)
                        : sample_run(call, values, 1, NULL, 0));
    return sample_join(line);
}

/* Queues the sort of groups [first, end) of a GPU, whose values follow if there are any. */
static ordo_status queue_groups(sample_call *call, sample_line *line, size_t first, size_t end)
{
    for (size_t g = first; g < end; g++) {
        TRY(sample_queue(call, line, ORDO_SAMPLE_SORT, 3, g));
        TRY(sample_queue(call, line, ORDO_SAMPLE_RESULT, 3, g));
        TRY(sample_mark(line, SAMPLE_SORTED + (unsigned)g));
    }
    return ORDO_OK;
}

static ordo_status queue_values(sample_call *call, sample_line *line, size_t g)
{
    TRY(sample_queue(call, line, ORDO_SAMPLE_VALUES, 3, g));
    return sample_mark(line, SAMPLE_VALUED + (unsigned)g);
}

/* The groups that a GPU sorts while the values travel. */
static size_t early_groups(const sample_call *call, const sample_line *line)
{
    return call->value_size == 0 ? line->group_count : ordo_div_up(line->group_count, 2);
}

/* Queues the work of a GPU from phase III on that needs no values. */
static ordo_status queue_early(sample_call *call, sample_line *line)
{
    if (line->inbox_n > 0)
        TRY(sample_queue(call, line, ORDO_SAMPLE_PLACE, 2, 0));
    return queue_groups(call, line, 0, early_groups(call, line));
}

/* Queues the rest: the values of a group follow its keys. */
static ordo_status queue_late(sample_call *call, sample_line *line)
{
    size_t const early = early_groups(call, line);
    if (call->value_size == 0)
        return ORDO_OK;
    if (line->sent > 0) {
        TRY(sample_queue(call, line, ORDO_SAMPLE_VALUES, 3, SAMPLE_OUTBOX));
        TRY(sample_mark(line, SAMPLE_FOUND));
    }
    for (size_t g = 0; g < line->group_count; g++) {
        if (g >= early)
            TRY(queue_groups(call, line, g, g + 1));
        TRY(queue_values(call, line, g));
    }
    return ORDO_OK;
}

/* With one GPU the inbox holds only records of the CPU, so the GPU can go on before its outbox is
 * fetched. The values follow the inbox. If threads move them, they fetch the outbox first. */
static ordo_status exchange(sample_call *call)
{
    sample_transfer *const list = call->transfers;
    bool const             alone = call->line_count == 1;
    if (!alone)
        TRY(sample_run(call, list, list_outboxes(call, list), NULL, 0));
    TRY(sample_run(call, list, list_inboxes(call, list), NULL, 0));
    list_values(call);
    EACH_LINE(line)
    TRY(queue_early(call, line));
    EACH_LINE(line)
    if (call->pinned_in)
        TRY(move_values(call, line));
    if (alone)
        TRY(sample_run(call, list, list_outboxes(call, list), NULL, 0));
    EACH_LINE(line)
    {
        if (!call->pinned_in)
            TRY(move_values(call, line));
        TRY(queue_late(call, line));
    }
    return ORDO_OK;
}

static ordo_status scatter(sample_call *call)
{
    sample_share_buckets(call);
    TRY(sample_take_bucket_memory(call));
    EACH_LINE(line)
    {
        TRY(send_one(call, line, line->device_tables.places, line->tables.places,
                     sample_tables_bytes(call)));
        TRY(sample_queue(call, line, ORDO_SAMPLE_SCATTER, 2, 0));
        TRY(sample_mark(line, SAMPLE_SCATTERED));
    }
    return exchange(call);
}

/* ---- Phase IV ---- */

/* The copy of array a of the results of a group. */
static sample_transfer result_of_group(const sample_call *call, sample_line *line, size_t a,
                                       size_t g)
{
    ordo_sample_job const job = sample_device_job(call, line, ORDO_SAMPLE_RESULT, g);
    size_t const          at = line->group_at[g], size = call->result_sizes[a];
    return (sample_transfer){.line = line,
                             .out = true,
                             .device = a == 0 ? job.result : job.result_values,
                             .size = size,
                             .count = line->group_at[g + 1] - at,
                             .after = (a == 0 ? SAMPLE_SORTED : SAMPLE_VALUED) + (unsigned)g,
                             .arg = call->results[a] + (line->start + at) * size};
}

/* The copies of results that need no values. */
static size_t list_early(sample_call *call, sample_transfer *list)
{
    size_t listed = 0;
    EACH_LINE(line)
    for (size_t g = 0; g < early_groups(call, line); g++)
        list[listed++] = result_of_group(call, line, 0, g);
    return listed;
}

/* The other copies, in the order of queue_late: the values of the records that GPUs gave to the
 * CPU, which wait where the CPU writes its resulting values later, then the other results. */
static size_t list_late(sample_call *call, sample_transfer *list)
{
    size_t const size = call->value_size;
    size_t       listed = 0;
    EACH_LINE(line)
    if (size != 0 && line->sent > 0)
        list[listed++] = (sample_transfer){.line = line,
                                           .out = true,
                                           .device = line->sent_values,
                                           .size = size,
                                           .count = line->sent,
                                           .after = SAMPLE_FOUND,
                                           .arg = call->results[1] + line->sent_before * size,
                                           .apart = true};
    EACH_LINE(line)
    for (size_t g = 0; size != 0 && g < line->group_count; g++) {
        if (g >= early_groups(call, line))
            list[listed++] = result_of_group(call, line, 0, g);
        list[listed++] = result_of_group(call, line, 1, g);
    }
    return listed;
}

/* Waits for the values of the CPU's records. */
static ordo_status wait_for_sent(sample_call *call, const sample_transfer *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].apart)
            TRY(sample_wait_pinned(call, &list[i]));
    return ORDO_OK;
}

static ordo_status wait_for_values(sample_call *call)
{
    EACH_LINE(line)
    if (call->pinned_in && call->value_size != 0)
        TRY(sample_wait_pinned(call, &call->values[line - call->lines]));
    return ORDO_OK;
}

/* Resulting values may replace the values, which the CPU does not read any more: the CPU writes its
 * own last, and those of one GPU wait until every other GPU has the values. */
static ordo_status sort_buckets(sample_call *call)
{
    sample_transfer *const early = call->transfers;
    size_t const           early_count = list_early(call, early);
    sample_transfer *const late = early + early_count;
    size_t const           late_count = list_late(call, late);
    size_t const           value_buckets = call->value_size == 0 ? 0 : call->cpu_buckets;
    call->exec->changed = call->exec->changed || call->results[0] == call->records->keys;
    if (call->pinned_out)
        TRY(sample_run_pinned(call, early, early_count));
    if (call->line_count > 1)
        TRY(wait_for_values(call));
    TRY(sample_run(call, NULL, 0, sample_own_piece, value_buckets));
    if (call->pinned_out)
        TRY(sample_run_pinned(call, late, late_count));
    sample_divide_buckets(call);
    TRY(sample_run(call, early, call->pinned_out ? 0 : early_count + late_count, sample_sort_piece,
                   call->cpu_buckets));
    TRY(sample_sort_rest(call));
    if (value_buckets > 0) {
        TRY(wait_for_values(call));
        if (call->pinned_out)
            TRY(wait_for_sent(call, late, late_count));
        TRY(sample_run(call, NULL, 0, sample_sent_piece, value_buckets));
        TRY(sample_run(call, NULL, 0, sample_value_piece, sample_value_count(call)));
    }
    return sample_wait_copies(call);
}

/* Permutes pairs whose values no device looked up. */
static ordo_status permute(sample_call *call)
{
    const hybrid_records *const records = call->records;
    const ordo_both *const      both = call->both;
    size_t const     indices = ordo_round_up(records->n * call->result_sizes[0], ORDO_CACHE_LINE);
    ordo_permute_job keys = {records->out_keys, records->n,  records->key_size,
                             call->index_type,  call->order, call->order + indices};
    ordo_permute_job values = keys;
    values.array = records->out_values;
    values.size = records->value_size;
    call->exec->changed = true;
    TRY(both->cpu->permute(both->cpu_state, &keys, call->exec));
    return both->cpu->permute(both->cpu_state, &values, call->exec);
}

/* ---- The report ---- */

static void record(sample_call *call, double seconds)
{
    ordo_exec *const   exec = call->exec;
    ordo_facts *const  facts = &exec->facts;
    const sample_line *busiest = &call->lines[0];
    double             cpu = 0, device = 0, staging = 0;
    exec->algorithm = call->records->intervals ? "intervals" : "sample";
    exec->isa = busiest->call.device.exec.isa;
    facts->strategy = ORDO_STRATEGY_PHASES;
    facts->buckets = call->buckets;
    facts->devices = call->line_count;
    ordo_sample_keep_pass(facts, call->pass, call->records->n, call->cpu_n,
                          call->records->intervals ? sample_root(call->records->n)
                                                   : call->records->n);
    facts->cpu_share = (double)call->cpu_n / (double)call->records->n;
    EACH_LINE(line)
    {
        double const busy = sample_busy(call, (size_t)(line - call->lines), false);
        if (busy > device) {
            busiest = line;
            device = busy;
        }
    }
    for (unsigned s = 0; s < call->slot_count; s++) {
        for (int i = 0; i < SAMPLE_PHASES; i++)
            call->cpu_seconds[i] += call->slots[s].seconds[i] / call->slot_count;
        staging += call->slots[s].copy_seconds / call->slot_count;
    }
    for (int i = 0; i < SAMPLE_PHASES; i++) {
        facts->cpu_seconds[i] = call->cpu_seconds[i];
        facts->device_seconds[i] = busiest->seconds[i];
        facts->sample_seconds[i] =
            call->cpu_seconds[i] > busiest->seconds[i] ? call->cpu_seconds[i] : busiest->seconds[i];
        cpu += call->cpu_seconds[i];
    }
    facts->copy_seconds = sample_busy(call, (size_t)(busiest - call->lines), true);
    facts->cpu_idle_seconds = seconds > cpu + staging ? seconds - cpu - staging : 0;
    facts->device_idle_seconds = seconds > device ? seconds - device : 0;
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

/* Which of the caller's arrays the devices copy without staging. */
static void find_pinned(sample_call *call)
{
    const hybrid_records *const records = call->records;
    size_t const                n = records->n;
    call->pinned_in = true;
    call->pinned_out = !call->permuted;
    EACH_LINE(line)
    {
        const ordo_link *const link = line->call.link;
        void *const            state = line->both.device_state;
        call->pinned_in = call->pinned_in &&
                          link->pinned(state, records->keys, n * records->key_size) &&
                          (call->value_size == 0 ||
                           link->pinned(state, records->values, n * records->value_size));
        for (size_t a = 0; a < SAMPLE_ARRAYS && call->results[a] != NULL; a++)
            call->pinned_out = call->pinned_out &&
                               link->pinned(state, call->results[a], n * call->result_sizes[a]);
    }
}

static ordo_status run_phases(sample_call *call)
{
    TRY(sample_take_memory(call));
    call->lanes = (unsigned)ordo_min(call->slot_count, HYBRID_MOST_LANES);
    EACH_LINE(line)
    {
        TRY(open_line(call, line));
        call->lanes = (unsigned)ordo_min(call->lanes, line->call.lanes);
    }
    find_pinned(call);
    if (call->pinned_in || call->pinned_out) {
        call->pin_lanes = (unsigned)ordo_max(call->lanes / 4, call->lanes > 1);
        call->lanes -= call->pin_lanes;
        call->in_lanes = call->lanes / 2;
    }
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
        line->of = call;
        hybrid_call_open(&line->call, &line->both, call->records, call->exec);
    }
    return ORDO_OK;
}

static ordo_status take_slots(sample_call *call)
{
    void *memory;
    call->slot_count = call->exec->threads;
    TRY(ordo_scratch(call->exec, call->slot_count * sizeof *call->slots, &memory));
    call->slots = memory;
    memset(memory, 0, call->slot_count * sizeof *call->slots);
    for (unsigned i = 0; i < call->slot_count; i++) {
        call->slots[i].number = i;
        hybrid_worker_init(&call->lines[0].call, &call->slots[i].worker);
        call->slots[i].worker.exec.seed = call->exec->seed;
    }
    size_t const most = call->line_count * (SAMPLE_GROUPS * SAMPLE_ARRAYS + 1);
    TRY(ordo_scratch(call->exec, (most + call->line_count) * sizeof *call->transfers, &memory));
    call->transfers = memory;
    call->values = call->transfers + most;
    return ORDO_OK;
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
    sample_choose_records(call);
    TRY(take_lines(call));
    TRY(take_slots(call));
    sample_cut_input(call, both->sample_share < 0 ? 0 : both->sample_share);
    ordo_status status = end_lines(call, run_phases(call));
    if (exec->changed && ordo_device_gave_up(status))
        status = ORDO_E_DEVICE;
    if (status == ORDO_OK && call->permuted)
        status = permute(call);
    if (status == ORDO_OK) {
        end_phase(call, ORDO_SPAN_PHASE_IV);
        record(call, ordo_profile_clock() - began);
    }
    EACH_LINE(line)
    hybrid_call_close(&line->call);
    return status;
}
