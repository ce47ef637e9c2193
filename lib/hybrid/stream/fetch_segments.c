/* finish.c - phase IV: the runs on the device become the result, and so do the CPU's bins.
 *
 * The parts of a segment, one of each run in order, are copied into its buffer on the device and
 * sorted there, stably. Threads fetch pieces of the segments in order, each with two buffers: one
 * is filled by the link while the other is copied to its place. A segment's work is asked for as
 * soon as all pieces of the segment that had its buffer before are on their way. Some threads fetch
 * first and sort bins when nothing is left to fetch, the others the other way round: so neither
 * side waits for the other while there is work. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid.h"

#include "backend/pack.h"

/* ---- The device's part ---- */

static ordo_status bring_together(hybrid_run *run, const hybrid_segment *segment)
{
    const hybrid_records *const records = run->records;
    const ordo_backend *const   device = run->both->device;
    char                       *keys = run->buffer_keys[segment->buffer];
    char                       *values = run->buffer_values[segment->buffer];
    for (size_t r = 0; r < run->runs; r++) {
        size_t const from = run->first[r] + run->position[r][segment->first_cut];
        size_t const count =
            run->position[r][segment->end_cut] - run->position[r][segment->first_cut];
        ordo_copy_job const job = {keys, run->keys + from * records->key_size,
                                   count * records->key_size};
        TRY(device->copy(run->both->device_state, &job, &run->device.exec));
        keys += job.bytes;
        if (records->value_size == 0)
            continue;
        ordo_copy_job const too = {values, run->values + from * records->value_size,
                                   count * records->value_size};
        TRY(device->copy(run->both->device_state, &too, &run->device.exec));
        values += too.bytes;
    }
    return ORDO_OK;
}

static ordo_status make_ready(hybrid_run *run, const hybrid_segment *segment)
{
    if (segment->as_is)
        return ORDO_OK;
    TRY(run->link->join(run->both->device_state, &run->device.exec));
    TRY(hybrid_watch_work(run, segment->count));
    TRY(bring_together(run, segment));
    TRY(hybrid_sort_there(run, run->buffer_keys[segment->buffer],
                          run->buffer_values[segment->buffer], segment->count));
    if (run->packs)
        TRY(hybrid_pack(run, segment));
    TRY(hybrid_watch_worked(run));
    return run->link->mark(run->both->device_state, &run->device.exec, segment->buffer);
}

/* Whether all pieces of the segment that had this one's buffer before are on their way. */
static bool buffer_free(hybrid_run *run, size_t number)
{
    const hybrid_segment *const segment = &run->segments[number];
    for (size_t s = number; s-- > 0 && !segment->as_is;) {
        hybrid_segment *const earlier = &run->segments[s];
        if (!earlier->as_is && earlier->buffer == segment->buffer)
            return atomic_load_explicit(&earlier->asked, memory_order_acquire) == earlier->pieces;
    }
    return true;
}

/* Asks for the work of as many segments as there are buffers for. */
static void go_on(hybrid_run *run)
{
    if (pthread_mutex_trylock(&run->work) != 0)
        return;
    size_t ready = atomic_load_explicit(&run->ready, memory_order_relaxed);
    while (ready < run->segment_count && !hybrid_wrong(run) && buffer_free(run, ready) &&
           make_ready(run, &run->segments[ready]) == ORDO_OK)
        atomic_store_explicit(&run->ready, ++ready, memory_order_release);
    pthread_mutex_unlock(&run->work);
}

/* ---- Home ---- */

/* A lane's buffer holds keys, packed or not, and values behind them. */
static size_t key_bytes_of(const hybrid_run *run, const hybrid_piece *piece)
{
    if (run->records->out_keys == NULL)
        return 0;
    return piece->width < run->records->key_size ? hybrid_packed_size(run, piece)
                                                 : piece->count * run->records->key_size;
}

static ordo_status ask_for(hybrid_run *run, ordo_exec *exec, unsigned lane, unsigned side,
                           const hybrid_piece *piece)
{
    const hybrid_records *const records = run->records;
    const ordo_link *const      link = run->link;
    void *const                 state = run->both->device_state;
    hybrid_segment *const       segment = &run->segments[piece->segment];
    char *const                 buffer = link->buffer(state, lane, side);
    if (!segment->as_is) { /* the runs have been waited for */
        if (run->packs)
            TRY(hybrid_learn_widths(run, exec, lane, side, segment));
        TRY(link->await(state, exec, lane, segment->buffer));
    }
    size_t const key_bytes = key_bytes_of(run, piece);
    size_t const number = (size_t)(piece - run->home) - segment->first_piece;
    const char  *keys = piece->keys;
    if (piece->width < records->key_size)
        keys = run->packed[segment->buffer] +
               number * ordo_pack_stride(run->piece_records, records->key_size);
    if (records->out_keys != NULL)
        TRY(link->copy_out(state, exec, lane, buffer, keys, key_bytes));
    if (records->out_values != NULL)
        TRY(link->copy_out(state, exec, lane, buffer + ordo_round_up(key_bytes, ORDO_CACHE_LINE),
                           piece->values, piece->count * records->value_size));
    TRY(link->close_side(state, exec, lane, side));
    atomic_fetch_add_explicit(&run->home_bytes, key_bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&segment->asked, 1, memory_order_release);
    go_on(run);
    return ORDO_OK;
}

static ordo_status put_down(hybrid_run *run, ordo_exec *exec, unsigned lane, unsigned side,
                            const hybrid_piece *piece)
{
    const hybrid_records *const records = run->records;
    const char *const           buffer = run->link->buffer(run->both->device_state, lane, side);
    size_t const                key_bytes = key_bytes_of(run, piece);
    size_t const value_bytes = records->out_values != NULL ? piece->count * records->value_size : 0;
    TRY(run->link->wait_side(run->both->device_state, exec, lane, side));
    hybrid_watch_side(run, lane, side, ORDO_SPAN_OUT, key_bytes + value_bytes);
    double const began = ordo_profile_now(run->exec);
    if (piece->width < records->key_size)
        hybrid_unpack(run, piece, buffer, records->out_keys + piece->to * records->key_size);
    else if (records->out_keys != NULL)
        hybrid_copy_past(records->out_keys + piece->to * records->key_size, buffer, key_bytes);
    if (records->out_values != NULL)
        hybrid_copy_past(records->out_values + piece->to * records->value_size,
                         buffer + ordo_round_up(key_bytes, ORDO_CACHE_LINE), value_bytes);
    hybrid_past_done();
    atomic_fetch_add_explicit(&run->home_done, 1, memory_order_release);
    ordo_profile_add(run->exec, ORDO_SPAN_PUT, lane, began,
                     piece->count * (records->key_size + records->value_size));
    return ORDO_OK;
}

/* The next piece, once its segment is ready; NULL: there is none. */
static const hybrid_piece *next_piece(hybrid_run *run)
{
    size_t const at = atomic_fetch_add_explicit(&run->home_next, 1, memory_order_relaxed);
    if (at >= run->home_count)
        return NULL;
    const hybrid_piece *const piece = &run->home[at];
    for (unsigned tries = 0;
         atomic_load_explicit(&run->ready, memory_order_acquire) <= piece->segment; tries++) {
        if (hybrid_wrong(run))
            return NULL;
        go_on(run);
        hybrid_pause(tries);
    }
    return piece;
}

static void bring_home(hybrid_run *run, ordo_exec *exec, unsigned lane)
{
    const hybrid_piece *on_way[ORDO_LINK_SIDES] = {NULL, NULL};
    for (unsigned side = 0; !hybrid_wrong(run); side = (side + 1) % ORDO_LINK_SIDES) {
        if (on_way[side] != NULL)
            (void)put_down(run, exec, lane, side, on_way[side]);
        size_t const taken = atomic_load_explicit(&run->home_next, memory_order_relaxed);
        if (ordo_poll(run->exec, (double)taken / (double)(run->home_count + 1)))
            hybrid_cancel(run);
        on_way[side] = next_piece(run);
        if (on_way[side] != NULL)
            (void)ask_for(run, exec, lane, side, on_way[side]);
        else if (on_way[0] == NULL && on_way[1] == NULL)
            break;
    }
}

static void finish_thread(void *arg, size_t lo, size_t hi)
{
    hybrid_run *const run = arg;
    hybrid_thread     thread;
    (void)hi;
    hybrid_start(run, &thread);
    unsigned const lane = hybrid_take_lane(run);
    if (lo >= ORDO_TUNE_LINK_THREADS)
        hybrid_sort_bins(run, lane);
    bring_home(run, &thread.exec, lane);
    hybrid_sort_bins(run, lane);
    hybrid_give_lane(run, lane);
}

ordo_status hybrid_finish(hybrid_run *run)
{
    TRY(hybrid_segments(run));
    TRY(hybrid_prepare_bins(run));
    atomic_init(&run->home_next, 0);
    atomic_init(&run->home_bytes, 0);
    atomic_init(&run->home_done, 0);
    atomic_init(&run->ready, 0);
    run->exec->phase++;
    run->exec->changed = run->records->out_keys == run->records->keys;
    (void)ordo_loop(run->exec, run->lanes, 1, finish_thread, run);
    bool const all =
        atomic_load_explicit(&run->home_next, memory_order_relaxed) >= run->home_count &&
        atomic_load_explicit(&run->bin_next, memory_order_relaxed) >= run->bins;
    return hybrid_status(run, all);
}
