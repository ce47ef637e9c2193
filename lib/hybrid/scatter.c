/* scatter.c - phases II and III: the array to the device, in runs that it sorts as they arrive.
 *
 * Threads take pieces in order. A piece, or the device's part of it (divide.c), goes to one of the
 * two buffers of the thread's lane and from there to its place on the device, while the thread
 * fills the other buffer. Where that place is depends on how much of the pieces before is the
 * device's, so each waits its turn to learn it. Who sends the last piece of a run asks the device
 * to sort it. Reads the array once. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/hybrid.h"

#include <string.h>

/* ---- The device's part ---- */

ordo_status hybrid_sort_there(hybrid_run *run, char *keys, char *values, size_t count)
{
    const hybrid_records *const records = run->records;
    const ordo_backend *const   device = run->both->device;
    ordo_sort_job const         job = {.type = records->type,
                                       .keys = keys,
                                       .n = count,
                                       .descending = records->descending,
                                       .algorithm = ORDO_ALGORITHM_RADIX};
    if (count == 0)
        return ORDO_OK;
    if (records->value_size == 0)
        return device->sort(run->both->device_state, &job, &run->device.exec);
    ordo_pairs_job const pairs = {job, values, records->value_size};
    return device->sort_pairs(run->both->device_state, &pairs, &run->device.exec);
}

static bool makes_indices(const hybrid_run *run) /* the device does, for all records are there */
{
    return run->records->value_size != 0 && run->records->values == NULL && !run->divided;
}

static ordo_status sort_run(hybrid_run *run, size_t number)
{
    const hybrid_records *const records = run->records;
    size_t const                first = run->first[number];
    size_t const                count = run->first[number + 1] - first;
    char *const                 values = run->values + first * records->value_size;
    TRY(run->link->join(run->both->device_state, &run->device.exec));
    if (makes_indices(run))
        TRY(run->link->iota(run->both->device_state, &run->device.exec, values, count,
                            records->value_size == 4 ? ORDO_U32 : ORDO_U64, first));
    return hybrid_sort_there(run, run->keys + first * records->key_size, values, count);
}

/* ---- A piece ---- */

/* All records of a piece. */
static size_t fill(hybrid_run *run, size_t piece, char *keys, char *values)
{
    const hybrid_records *const records = run->records;
    size_t const first = piece * run->piece_records, count = hybrid_piece_count(run, piece);
    size_t const key_bytes = count * records->key_size, value_bytes = count * records->value_size;
    memcpy(keys, records->keys + first * records->key_size, key_bytes);
    if (records->values != NULL)
        memcpy(values, records->values + first * records->value_size, value_bytes);
    if (run->kept_keys != NULL)
        hybrid_copy_past(run->kept_keys + first * records->key_size, keys, key_bytes);
    if (run->kept_values != NULL)
        hybrid_copy_past(run->kept_values + first * records->value_size, values, value_bytes);
    return count;
}

/* Where a piece of so many records goes on the device; also notes where runs end. */
static size_t take_place(hybrid_run *run, size_t piece, size_t count)
{
    size_t const number = piece / run->run_pieces;
    bool const   last = piece + 1 == run->pieces || (piece + 1) % run->run_pieces == 0;
    ordo_turn_wait(&run->turn, piece);
    size_t const place = run->place;
    run->place += count;
    if (last)
        run->first[number + 1] = run->place;
    ordo_turn_pass(&run->turn, piece);
    return place;
}

static ordo_status send(hybrid_run *run, ordo_exec *exec, unsigned lane, unsigned side,
                        size_t piece)
{
    const hybrid_records *const records = run->records;
    const ordo_link *const      link = run->link;
    void *const                 state = run->both->device_state;
    char *const                 keys = link->buffer(state, lane, side);
    char *const                 values =
        keys +
        ordo_round_up(run->piece_records * records->key_size + HYBRID_PADDING, ORDO_CACHE_LINE);
    ordo_status const waited = link->wait_side(state, exec, lane, side);
    size_t const      count = waited != ORDO_OK ? 0
                              : run->divided    ? hybrid_divide(run, lane, piece, keys, values)
                                                : fill(run, piece, keys, values);
    size_t const      place = take_place(run, piece, count); /* also if all is lost: others wait */
    TRY(waited);
    TRY(link->copy_in(state, exec, lane, run->keys + place * records->key_size, keys,
                      count * records->key_size));
    if (records->value_size != 0 && !makes_indices(run))
        TRY(link->copy_in(state, exec, lane, run->values + place * records->value_size, values,
                          count * records->value_size));
    return link->close_side(state, exec, lane, side);
}

static void sent_one(hybrid_run *run, size_t piece)
{
    size_t const number = piece / run->run_pieces;
    size_t const pieces = ordo_min(run->run_pieces, run->pieces - number * run->run_pieces);
    if (atomic_fetch_add_explicit(&run->sent[number], 1, memory_order_acq_rel) + 1 != pieces)
        return;
    pthread_mutex_lock(&run->work);
    if (!hybrid_wrong(run))
        (void)sort_run(run, number);
    pthread_mutex_unlock(&run->work);
}

/* Pieces until there are none: who has a lane never waits for one, so turns go on. */
static void send_pieces(void *arg, size_t lo, size_t hi)
{
    hybrid_run *const run = arg;
    hybrid_thread     thread;
    (void)lo, (void)hi;
    hybrid_start(run, &thread);
    unsigned const lane = hybrid_take_lane(run);
    for (unsigned side = 0; !hybrid_wrong(run); side = (side + 1) % ORDO_LINK_SIDES) {
        size_t const piece = atomic_fetch_add_explicit(&run->send_next, 1, memory_order_relaxed);
        if (piece >= run->pieces)
            break;
        if (send(run, &thread.exec, lane, side, piece) == ORDO_OK)
            sent_one(run, piece);
        if (ordo_poll(run->exec, (double)piece / (double)run->pieces))
            hybrid_cancel(run);
    }
    hybrid_give_lane(run, lane);
}

ordo_status hybrid_scatter(hybrid_run *run)
{
    atomic_init(&run->send_next, 0);
    atomic_init(&run->turn.next, 0);
    run->place = 0;
    run->first[0] = 0;
    for (size_t r = 0; r < HYBRID_RUNS; r++)
        atomic_init(&run->sent[r], 0);
    (void)ordo_loop(run->exec, run->lanes, 1, send_pieces, run);
    return hybrid_status(run, atomic_load_explicit(&run->send_next, memory_order_relaxed) >=
                                  run->pieces);
}
