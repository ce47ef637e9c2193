/* sample_link.c - copies between the host and the GPUs, the CPU's work beside them, and the work
 * queued on a GPU, for the hybrid sample sort.
 *
 * A transfer is cut into chunks. Threads take chunks in order; each thread has a lane with two
 * staging buffers. Arrays in pinned memory have lanes of their own and need no thread.
 *
 * A GPU copies in one direction in the order in which copies are queued, whatever their lanes, and
 * a copy that waits for a mark holds up those behind it. So copies are queued in the order in which
 * they can begin. A lane waits in the queue of the direction that it used last: if large copies are
 * in flight, each lane has one direction. */
#define _POSIX_C_SOURCE 200809L
#include "papers/hybrid/sample_call.h"

#include <stdlib.h>
#include <string.h>

enum {
    LANE_CHUNKS = 4 /* least number of chunks per lane */
};

typedef struct sample_loop {
    sample_call     *call;
    sample_transfer *transfers;
    size_t           transfer_count;
    sample_piece    *piece;
    size_t           piece_count;
    atomic_size_t    next_piece;
    unsigned         first_lane, end_lane; /* of this direction */
    unsigned         movers;               /* threads that start with chunks */
} sample_loop;

static bool has_failed(const sample_call *call)
{
    for (size_t i = 0; i < call->line_count; i++)
        if (hybrid_has_failed(&call->lines[i].call))
            return true;
    return false;
}

static ordo_status result_of(sample_call *call, bool all)
{
    for (size_t i = 0; i < call->line_count; i++)
        TRY(hybrid_result(&call->lines[i].call, true));
    return all ? ORDO_OK : ORDO_E_CANCELLED;
}

static size_t chunk_length(const sample_transfer *t, size_t chunk)
{
    return ordo_min(t->chunk, t->count - chunk * t->chunk);
}

static char *host_of(const sample_transfer *t, size_t first)
{
    return (char *)t->arg + first * t->size;
}

/* ---- Times ---- */

static void add_interval(sample_call *call, unsigned line, bool copies, double began, double ended)
{
    size_t const at = atomic_fetch_add_explicit(&call->interval_count, 1, memory_order_relaxed);
    if (at < SAMPLE_INTERVALS)
        call->intervals[at] = (sample_interval){began, ended, line, copies};
}

static int by_beginning(const void *a, const void *b)
{
    const sample_interval *const x = a, *const y = b;
    return x->began < y->began ? -1 : x->began > y->began;
}

double sample_busy(const sample_call *call, size_t line, bool only_copies)
{
    size_t const count = ordo_min(atomic_load_explicit(&call->interval_count, memory_order_relaxed),
                                  SAMPLE_INTERVALS);
    double       until = 0, sum = 0;
    qsort(call->intervals, count, sizeof *call->intervals, by_beginning);
    for (size_t i = 0; i < count; i++) {
        const sample_interval *const at = &call->intervals[i];
        double const                 began = at->began > until ? at->began : until;
        if (at->line != line || (only_copies && !at->copies) || at->ended <= began)
            continue;
        sum += at->ended - began;
        until = at->ended;
    }
    return sum;
}

/* ---- Chunks ---- */

/* Waits for the copies of a side, and stores a fetched chunk. */
static ordo_status finish_side(sample_call *call, sample_slot *slot, unsigned side)
{
    sample_pending *const p = &slot->pending[side];
    sample_line *const    line = p->line;
    double                began, ended;
    if (line == NULL)
        return ORDO_OK;
    const ordo_link *const link = line->call.link;
    void *const            state = line->both.device_state;
    hybrid_worker          worker;
    p->line = NULL;
    hybrid_worker_init(&line->call, &worker);
    double const waits = ordo_profile_now(call->exec);
    TRY(link->wait_side(state, &worker.exec, slot->number, side));
    ordo_profile_add(call->exec, ORDO_SPAN_WAIT, slot->number, waits, 0);
    if (line->call.timed && link->side_times(state, slot->number, side, &began, &ended)) {
        unsigned const number = (unsigned)(line - call->lines);
        add_interval(call, number, true, began, ended);
        ordo_profile_span(call->exec, p->out ? ORDO_SPAN_OUT : ORDO_SPAN_IN, number, began, ended,
                          p->bytes);
    }
    sample_transfer *const t = p->transfer;
    if (t == NULL)
        return ORDO_OK;
    char *const  buffer = link->buffer(state, slot->number, side);
    size_t const first = p->chunk * t->chunk, count = chunk_length(t, p->chunk);
    if (t->copy != NULL)
        t->copy(t->arg, buffer, first, count);
    else
        memcpy(host_of(t, first), buffer, count * t->size);
    return ORDO_OK;
}

static ordo_status queue_chunk(sample_call *call, sample_slot *slot, sample_transfer *t,
                               size_t chunk)
{
    const ordo_link *const link = t->line->call.link;
    void *const            state = t->line->both.device_state;
    unsigned const         lane = slot->number, side = slot->side;
    char *const            buffer = link->buffer(state, lane, side);
    size_t const           first = chunk * t->chunk, count = chunk_length(t, chunk);
    char *const            device = t->device + first * t->size;
    hybrid_worker          worker;
    (void)call;
    hybrid_worker_init(&t->line->call, &worker);
    if (!t->out && t->copy != NULL)
        t->copy(t->arg, buffer, first, count);
    else if (!t->out)
        memcpy(buffer, host_of(t, first), count * t->size);
    if (t->after != SAMPLE_NOTHING)
        TRY(link->await(state, &worker.exec, lane, t->after));
    TRY(t->out ? link->copy_out(state, &worker.exec, lane, buffer, device, count * t->size)
               : link->copy_in(state, &worker.exec, lane, device, buffer, count * t->size));
    TRY(link->close_side(state, &worker.exec, lane, side));
    slot->pending[side] =
        (sample_pending){t->line, t->out, count * t->size, t->out ? t : NULL, chunk};
    return ORDO_OK;
}

/* Takes the next chunk of the transfers. */
static sample_transfer *take_chunk(const sample_loop *loop, size_t *chunk)
{
    for (size_t i = 0; i < loop->transfer_count; i++) {
        sample_transfer *const t = &loop->transfers[i];
        size_t const           chunks = ordo_div_up(t->count, t->chunk);
        if (atomic_load_explicit(&t->next, memory_order_relaxed) >= chunks)
            continue;
        *chunk = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
        if (*chunk < chunks)
            return t;
    }
    return NULL;
}

static void poll(sample_call *call, size_t done, size_t all)
{
    if (ordo_poll(call->exec, (double)ordo_min(done, all) / (double)(all + 1)))
        hybrid_mark_cancelled(&call->lines[0].call);
}

static void move_chunks(sample_loop *loop, sample_slot *slot)
{
    sample_call *const call = loop->call;
    sample_transfer   *t;
    size_t             chunk = 0;
    double const       began = ordo_profile_clock();
    for (; !has_failed(call); slot->side = (slot->side + 1) % ORDO_LINK_SIDES) {
        t = take_chunk(loop, &chunk);
        if (t == NULL)
            break;
        poll(call, chunk, ordo_div_up(t->count, t->chunk));
        if (finish_side(call, slot, slot->side) != ORDO_OK ||
            queue_chunk(call, slot, t, chunk) != ORDO_OK)
            break;
    }
    for (unsigned side = 0; side < ORDO_LINK_SIDES; side++) {
        if (slot->pending[side].transfer == NULL)
            continue;
        if (has_failed(call))
            slot->pending[side].line = NULL;
        else
            (void)finish_side(call, slot, side);
        slot->pending[side].transfer = NULL;
    }
    slot->copy_seconds += ordo_profile_clock() - began;
}

/* ---- Loops ---- */

static void do_pieces(sample_loop *loop, sample_slot *slot)
{
    sample_call *const call = loop->call;
    while (!has_failed(call)) {
        size_t const at = atomic_fetch_add_explicit(&loop->next_piece, 1, memory_order_relaxed);
        if (at >= loop->piece_count)
            break;
        poll(call, at, loop->piece_count);
        loop->piece(call, slot, at);
    }
}

static void slot_thread(void *arg, size_t lo, size_t hi)
{
    sample_loop *const loop = arg;
    sample_slot *const slot = &loop->call->slots[lo];
    bool const         has_lane = lo >= loop->first_lane && lo < loop->end_lane;
    (void)hi;
    if (!has_lane || lo - loop->first_lane >= loop->movers)
        do_pieces(loop, slot);
    if (has_lane && loop->transfer_count > 0)
        move_chunks(loop, slot);
    do_pieces(loop, slot);
}

static void open_transfer(const sample_call *call, sample_transfer *t)
{
    size_t const least =
        ordo_max(ORDO_TUNE_LINK_CHUNK, t->count * t->size / call->lanes / LANE_CHUNKS);
    t->chunk = ordo_max(ordo_min(t->line->call.link->buffer_bytes, least) / t->size, 1);
    atomic_init(&t->next, 0);
}

static size_t count_chunks(const sample_transfer *transfers, size_t transfer_count)
{
    size_t sum = 0;
    for (size_t i = 0; i < transfer_count; i++)
        sum += ordo_div_up(transfers[i].count, transfers[i].chunk);
    return sum;
}

ordo_status sample_run(sample_call *call, sample_transfer *transfers, size_t transfer_count,
                       sample_piece *piece, size_t piece_count)
{
    sample_loop loop = {.call = call,
                        .transfers = transfers,
                        .transfer_count = transfer_count,
                        .piece = piece,
                        .piece_count = piece_count,
                        .end_lane = call->lanes,
                        .movers = call->lanes};
    if (call->in_lanes > 0 && transfer_count > 0 && transfers->out)
        loop.first_lane = call->in_lanes;
    else if (call->in_lanes > 0)
        loop.end_lane = call->in_lanes;
    if (piece_count > 0)
        loop.movers = (unsigned)ordo_min(ORDO_TUNE_LINK_THREADS, ordo_max(call->slot_count / 2, 1));
    atomic_init(&loop.next_piece, 0);
    for (size_t i = 0; i < transfer_count; i++)
        open_transfer(call, &transfers[i]);
    if (piece_count == 0 && count_chunks(transfers, transfer_count) <= 1)
        slot_thread(&loop, loop.first_lane, loop.first_lane + 1); /* no work for a second thread */
    else
        (void)ordo_loop(call->exec, call->slot_count, 1, slot_thread, &loop);
    bool all = atomic_load_explicit(&loop.next_piece, memory_order_relaxed) >= piece_count;
    for (size_t i = 0; i < transfer_count; i++)
        all = all && atomic_load_explicit(&transfers[i].next, memory_order_relaxed) >=
                         ordo_div_up(transfers[i].count, transfers[i].chunk);
    return result_of(call, all);
}

/* The first pinned lanes are for copies to the GPUs, one each. Copies of results take turns with
 * the others and with the lanes of chunks from a GPU, which are idle then, so that no copy has to
 * wait for the side of another; the last lane is for a copy apart. Without lanes of their own all
 * share lane 0, whose first side is for chunks. */
static void choose_lane(sample_call *call, sample_transfer *t)
{
    unsigned const devices = (unsigned)call->line_count, pinned = call->pin_lanes;
    unsigned const chunks = call->in_lanes > 0 ? call->lanes - call->in_lanes : 0;
    if (pinned == 0 || !t->out || pinned <= devices + 1) {
        t->lane = pinned == 0 ? 0 : call->lanes + (unsigned)(t->line - call->lines) % pinned;
        t->side = pinned == 0 || t->out || t->device == t->line->values;
        return;
    }
    unsigned const turns = chunks + pinned - devices - 1; /* lanes that take turns */
    unsigned const number = t->apart ? turns : call->pinned_out_copies++;
    unsigned const lane = t->apart ? turns : number % turns;
    t->lane = lane < chunks ? call->in_lanes + lane : call->lanes + devices + lane - chunks;
    t->side = t->apart ? 0 : number / turns % ORDO_LINK_SIDES;
}

/* Copies of a lane in the same direction are done in order, so a wait for the last one is enough;
 * only a profile needs the times of each. */
static bool follows(const sample_pending *pending, const sample_transfer *t)
{
    return pending->line == t->line && pending->out == t->out && !t->line->call.timed;
}

static ordo_status run_pinned(sample_call *call, const sample_transfer *t)
{
    const ordo_link *const link = t->line->call.link;
    void *const            state = t->line->both.device_state;
    ordo_exec *const       exec = &t->line->call.device.exec;
    sample_pending *const  pending = &call->slots[t->lane].pending[t->side];
    size_t const           bytes = t->count * t->size;
    ordo_status            status = ORDO_OK;
    if (!follows(pending, t))
        status = finish_side(call, &call->slots[t->lane], t->side);
    if (status == ORDO_OK && t->after != SAMPLE_NOTHING)
        status = link->await(state, exec, t->lane, t->after);
    if (status == ORDO_OK)
        status = t->out ? link->copy_out(state, exec, t->lane, t->arg, t->device, bytes)
                        : link->copy_in(state, exec, t->lane, t->device, t->arg, bytes);
    if (status == ORDO_OK)
        (void)link->close_side(state, exec, t->lane, t->side);
    *pending = (sample_pending){t->line, t->out, bytes, NULL, 0};
    return result_of(call, true);
}

ordo_status sample_run_pinned(sample_call *call, sample_transfer *transfers, size_t transfer_count)
{
    for (size_t i = 0; i < transfer_count; i++) {
        choose_lane(call, &transfers[i]);
        TRY(run_pinned(call, &transfers[i]));
    }
    return ORDO_OK;
}

ordo_status sample_wait_pinned(sample_call *call, const sample_transfer *t)
{
    (void)finish_side(call, &call->slots[t->lane], t->side);
    return result_of(call, true);
}

ordo_status sample_wait_copies(sample_call *call)
{
    for (unsigned i = 0; i < call->lanes + call->pin_lanes; i++)
        for (unsigned side = 0; side < ORDO_LINK_SIDES; side++)
            if (finish_side(call, &call->slots[i], side) != ORDO_OK)
                return result_of(call, true);
    return ORDO_OK;
}

/* ---- Exchange ---- */

void sample_gather(const sample_call *call, const sample_line *owner, size_t b, size_t skip,
                   size_t count, char *to)
{
    size_t const size = call->record_size;
    for (size_t i = 0; i <= call->line_count && count > 0; i++) {
        const sample_line *const from = i == 0 ? NULL : &call->lines[i - 1]; /* NULL: the CPU */
        size_t const at = from == NULL ? (size_t)call->mine[b] : from->first + (size_t)from->out[b];
        size_t const all = from == NULL    ? (size_t)call->cpu_counts[b]
                           : from == owner ? 0
                                           : (size_t)from->counts[b];
        size_t const here = ordo_min(all - ordo_min(skip, all), count);
        if (here > 0)
            memcpy(to, call->gathered + (at + skip) * size, here * size);
        to += here * size;
        skip -= ordo_min(skip, all);
        count -= here;
    }
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

void sample_fill_inbox(void *arg, char *buffer, size_t first, size_t count)
{
    const sample_line *const line = arg;
    const uint64_t *const    from = line->tables.from;
    size_t const             size = line->of->record_size;
    for (size_t i = first, end = first + count; i < end;) {
        size_t const b = entry_of(from, line->of->buckets, i);
        size_t const here = ordo_min((size_t)from[b + 1], end) - i;
        sample_gather(line->of, line, b, i - (size_t)from[b], here, buffer + (i - first) * size);
        i += here;
    }
}

/* ---- Work of the GPU ---- */

ordo_status sample_queue(const sample_call *call, sample_line *line, ordo_sample_step step,
                         unsigned phase, size_t group)
{
    hybrid_call *const     on = &line->call;
    const ordo_link *const link = on->link;
    void *const            state = line->both.device_state;
    ordo_sample_job const  job = sample_device_job(call, line, step, group);
    unsigned const         tick = 2 * on->work_count;
    /* The other steps read only what earlier steps wrote, and the values (sample_join). */
    bool const copied =
        step == ORDO_SAMPLE_LABEL || step == ORDO_SAMPLE_SCATTER || step == ORDO_SAMPLE_PLACE;
    ordo_status status = copied ? link->join(state, &on->device.exec) : ORDO_OK;
    if (status == ORDO_OK && on->timed)
        status = link->tick(state, &on->device.exec, tick);
    if (status == ORDO_OK)
        status = line->both.device->sample->step(state, &job, &on->device.exec);
    if (status == ORDO_OK && on->timed)
        (void)link->tick(state, &on->device.exec, tick + 1);
    line->work_phase[on->work_count++] = phase;
    return hybrid_result(on, true);
}

ordo_status sample_join(sample_line *line)
{
    (void)line->call.link->join(line->both.device_state, &line->call.device.exec);
    return hybrid_result(&line->call, true);
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
    unsigned const         number = (unsigned)(line - call->lines);
    double                 began, ended;
    for (unsigned i = 0; line->call.timed && i < line->call.work_count; i++)
        if (link->ticked(state, 2 * i, &began) && link->ticked(state, 2 * i + 1, &ended)) {
            line->seconds[line->work_phase[i]] += ended - began;
            add_interval(call, number, false, began, ended);
            ordo_profile_span(call->exec, ORDO_SPAN_WORK, number, began, ended, 0);
        }
}
