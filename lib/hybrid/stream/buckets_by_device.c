/* hand_over.c - the share adapts while the sort runs: when the device's results are home and bins
 * of the CPU are left, the device gets them.
 *
 * A thread brings bins that follow each other together in its lane's buffer, as many as it holds,
 * has the device sort them in one go and puts the result in its place: they are a range of keys, so
 * nothing else is to be done. The device's memory is that of the runs, of which nobody needs
 * anything any more. A bin too large for a buffer stays the CPU's. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid.h"

#include <string.h>

enum {
    MARK = HYBRID_BUFFERS, /* the first that no buffer has */
    IN = 0,                /* the sides of a lane: both are free */
    OUT = 1
};

/* Every lane has a place of its own in the memory of the runs. */
static bool device_is_free(const hybrid_run *run)
{
    return run->lanes * run->piece_records <= run->first[run->runs] &&
           atomic_load_explicit(&run->home_done, memory_order_acquire) == run->home_count;
}

/* The next bins that fit a buffer: [*first, *end). */
static bool take_bins(hybrid_run *run, size_t *first, size_t *end)
{
    *first = atomic_load_explicit(&run->bin_next, memory_order_relaxed);
    do {
        size_t const start = *first < run->bins ? run->bin_start[*first] : 0;
        *end = *first;
        while (*end < run->bins && run->bin_start[*end + 1] - start <= run->piece_records)
            ++*end;
        if (*end == *first)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&run->bin_next, first, *end,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

/* Work is asked for and its end marked without anybody in between. */
static ordo_status sort_there(hybrid_run *run, ordo_exec *exec, unsigned lane, char *keys,
                              char *values, size_t count)
{
    void *const state = run->both->device_state;
    pthread_mutex_lock(&run->work);
    ordo_status status = run->link->join(state, &run->device.exec);
    if (status == ORDO_OK)
        status = hybrid_watch_work(run, count);
    if (status == ORDO_OK)
        status = hybrid_sort_there(run, keys, values, count);
    if (status == ORDO_OK)
        status = hybrid_watch_worked(run);
    if (status == ORDO_OK)
        status = run->link->mark(state, &run->device.exec, MARK);
    if (status == ORDO_OK)
        status = run->link->await(state, exec, lane, MARK);
    pthread_mutex_unlock(&run->work);
    return status;
}

/* Where keys and values of so many records are in the lane's buffers. */
static char *keys_in(const hybrid_run *run, unsigned lane, unsigned side)
{
    return run->link->buffer(run->both->device_state, lane, side);
}

static char *values_in(const hybrid_run *run, unsigned lane, unsigned side, size_t count)
{
    return keys_in(run, lane, side) +
           ordo_round_up(count * run->records->key_size, ORDO_CACHE_LINE);
}

static void fill(hybrid_run *run, unsigned lane, size_t first, size_t end)
{
    const hybrid_records *const records = run->records;
    size_t const                to = run->bin_start[first], count = run->bin_start[end] - to;
    double const                began = ordo_profile_now(run->exec);
    for (size_t bin = first; bin < end; bin++) {
        size_t const at = run->bin_start[bin] - to;
        hybrid_bring_together(run, bin, keys_in(run, lane, IN) + at * records->key_size,
                              records->value_size == 0
                                  ? NULL
                                  : values_in(run, lane, IN, count) + at * records->value_size);
    }
    ordo_profile_add(run->exec, ORDO_SPAN_DIVIDE, lane, began,
                     count * (records->key_size + records->value_size));
}

static void put_down(hybrid_run *run, unsigned lane, size_t to, size_t count)
{
    const hybrid_records *const records = run->records;
    size_t const                size = records->key_size, value_size = records->value_size;
    double const                began = ordo_profile_now(run->exec);
    if (records->out_keys != NULL)
        memcpy(records->out_keys + to * size, keys_in(run, lane, OUT), count * size);
    if (value_size != 0)
        memcpy(records->out_values + to * value_size, values_in(run, lane, OUT, count),
               count * value_size);
    ordo_profile_add(run->exec, ORDO_SPAN_PUT, lane, began, count * (size + value_size));
}

static ordo_status through_device(hybrid_run *run, ordo_exec *exec, unsigned lane, size_t first,
                                  size_t end)
{
    const hybrid_records *const records = run->records;
    const ordo_link *const      link = run->link;
    void *const                 state = run->both->device_state;
    size_t const                to = run->bin_start[first], count = run->bin_start[end] - to;
    size_t const                key_bytes = count * records->key_size;
    size_t const                value_bytes = count * records->value_size;
    size_t const                home_bytes = records->out_keys != NULL ? key_bytes : 0;
    char *const                 keys = run->keys + lane * run->piece_records * records->key_size;
    char *const values = run->values + lane * run->piece_records * records->value_size;
    fill(run, lane, first, end);
    TRY(link->copy_in(state, exec, lane, keys, keys_in(run, lane, IN), key_bytes));
    if (value_bytes != 0)
        TRY(link->copy_in(state, exec, lane, values, values_in(run, lane, IN, count), value_bytes));
    TRY(link->close_side(state, exec, lane, IN));
    TRY(sort_there(run, exec, lane, keys, values, count));
    if (home_bytes != 0)
        TRY(link->copy_out(state, exec, lane, keys_in(run, lane, OUT), keys, key_bytes));
    if (value_bytes != 0)
        TRY(link->copy_out(state, exec, lane, values_in(run, lane, OUT, count), values,
                           value_bytes));
    TRY(link->close_side(state, exec, lane, OUT));
    TRY(link->wait_side(state, exec, lane, OUT)); /* and so for the other, which came before */
    hybrid_watch_side(run, lane, IN, ORDO_SPAN_IN, key_bytes + value_bytes);
    hybrid_watch_side(run, lane, OUT, ORDO_SPAN_OUT, home_bytes + value_bytes);
    put_down(run, lane, to, count);
    return ORDO_OK;
}

bool hybrid_hand_over(hybrid_run *run, ordo_exec *exec, unsigned lane)
{
    size_t first, end;
    if (!device_is_free(run) || !take_bins(run, &first, &end))
        return false;
    (void)through_device(run, exec, lane, first, end); /* the run knows what went wrong */
    atomic_fetch_add_explicit(&run->handed_over, end - first, memory_order_relaxed);
    return true;
}
