/* scatter.c - phases II and III: the array to the device, in runs that it sorts as they arrive.
 *
 * Threads take pieces in order. A piece, or the device's part of it (divide.c), goes to one of the
 * two buffers of the thread's lane and from there to its place on the device, while the thread
 * fills the other buffer. Where that place is depends, if the CPU has a share, on how much of the
 * pieces before is the device's, so each waits its turn to learn it. Who sends the last piece of a
 * run asks the device to sort it. Reads the array once. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid.h"

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
    TRY(hybrid_watch_work(run, count));
    if (makes_indices(run))
        TRY(run->link->iota(run->both->device_state, &run->device.exec, values, count,
                            records->value_size == 4 ? ORDO_U32 : ORDO_U64, first));
    TRY(hybrid_sort_there(run, run->keys + first * records->key_size, values, count));
    return hybrid_watch_worked(run);
}

/* ---- A piece ---- */

/* Bytes of an array to a lane's buffer and, block by block while they are in the cache, to the copy
 * that is kept, if there is one. */
static void copy_and_keep(char *buffer, char *kept, const char *from, size_t bytes)
{
    enum {
        BLOCK = 32 << 10
    };
    for (size_t at = 0; at < bytes; at += BLOCK) {
        size_t const count = ordo_min(BLOCK, bytes - at);
        memcpy(buffer + at, from + at, count);
        if (kept != NULL)
            hybrid_copy_past(kept + at, from + at, count);
    }
    if (kept != NULL)
        hybrid_past_done();
}

/* All records of a piece. */
static size_t fill(hybrid_run *run, size_t piece, char *keys, char *values)
{
    const hybrid_records *const records = run->records;
    size_t const first = piece * run->piece_records, count = hybrid_piece_count(run, piece);
    size_t const key_at = first * records->key_size, value_at = first * records->value_size;
    copy_and_keep(keys, run->kept_keys != NULL ? run->kept_keys + key_at : NULL,
                  records->keys + key_at, count * records->key_size);
    if (records->values != NULL)
        copy_and_keep(values, run->kept_values != NULL ? run->kept_values + value_at : NULL,
                      records->values + value_at, count * records->value_size);
    return count;
}

/* Where a piece of so many records goes on the device. Where all records go there that is known;
 * else each waits for those before it, and notes where runs end. */
static size_t take_place(hybrid_run *run, size_t piece, size_t count)
{
    size_t const number = piece / run->run_pieces;
    bool const   last = piece + 1 == run->pieces || (piece + 1) % run->run_pieces == 0;
    if (!run->divided)
        return piece * run->piece_records;
    ordo_turn_wait(&run->turn, piece);
    size_t const place = run->place;
    run->place += count;
    if (last)
        run->first[number + 1] = run->place;
    ordo_turn_pass(&run->turn, piece);
    return place;
}

/* A side whose records were sent may be filled again. */
static ordo_status wait_sent(hybrid_run *run, ordo_exec *exec, unsigned lane, unsigned side)
{
    TRY(run->link->wait_side(run->both->device_state, exec, lane, side));
    hybrid_watch_side(run, lane, side, ORDO_SPAN_IN, run->side_bytes[lane][side]);
    run->side_bytes[lane][side] = 0;
    return ORDO_OK;
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
    ordo_status const waited = wait_sent(run, exec, lane, side);
    double const      began = ordo_profile_now(run->exec);
    size_t const      count = waited != ORDO_OK ? 0
                              : run->divided    ? hybrid_divide(run, lane, piece, keys, values)
                                                : fill(run, piece, keys, values);
    ordo_profile_add(run->exec, ORDO_SPAN_DIVIDE, lane, began,
                     hybrid_piece_count(run, piece) * (records->key_size + records->value_size));
    size_t const place = take_place(run, piece, count); /* also if all is lost: others wait */
    TRY(waited);
    TRY(link->copy_in(state, exec, lane, run->keys + place * records->key_size, keys,
                      count * records->key_size));
    run->side_bytes[lane][side] = count * records->key_size;
    if (records->value_size != 0 && !makes_indices(run)) {
        TRY(link->copy_in(state, exec, lane, run->values + place * records->value_size, values,
                          count * records->value_size));
        run->side_bytes[lane][side] += count * records->value_size;
    }
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
    for (unsigned side = 0; side < ORDO_LINK_SIDES && run->watched && !hybrid_wrong(run); side++)
        (void)wait_sent(run, &thread.exec, lane, side);
    hybrid_give_lane(run, lane);
}

ordo_status hybrid_scatter(hybrid_run *run)
{
    atomic_init(&run->send_next, 0);
    atomic_init(&run->turn.next, 0);
    run->place = 0;
    for (size_t r = 0; r <= run->runs; r++)
        run->first[r] = ordo_min(r * run->run_pieces * run->piece_records, run->records->n);
    for (size_t r = 0; r < HYBRID_RUNS; r++)
        atomic_init(&run->sent[r], 0);
    (void)ordo_loop(run->exec, run->lanes, 1, send_pieces, run);
    return hybrid_status(run, atomic_load_explicit(&run->send_next, memory_order_relaxed) >=
                                  run->pieces);
}
