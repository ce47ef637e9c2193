/* hand_over.c - the share adapts while the sort runs: when the device's results are home and bins
 * of the CPU are left, the device gets them.
 *
 * A thread brings bins that follow each other together in its lane's buffer, as many as it holds,
 * has the device sort them in one go and puts the result in its place: they are a range of keys, so
 * nothing else is to be done. The device's memory is that of the runs, of which nobody needs
 * anything any more. A bin too large for a buffer stays the CPU's. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/hybrid.h"

#include <string.h>

enum {
    MARK = HYBRID_BUFFERS /* the first that no buffer has */
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
        status = hybrid_sort_there(run, keys, values, count);
    if (status == ORDO_OK)
        status = run->link->mark(state, &run->device.exec, MARK);
    if (status == ORDO_OK)
        status = run->link->await(state, exec, lane, MARK);
    pthread_mutex_unlock(&run->work);
    return status;
}

static ordo_status through_device(hybrid_run *run, ordo_exec *exec, unsigned lane, size_t first,
                                  size_t end)
{
    const hybrid_records *const records = run->records;
    const ordo_link *const      link = run->link;
    void *const                 state = run->both->device_state;
    size_t const                size = records->key_size, value_size = records->value_size;
    size_t const                to = run->bin_start[first], count = run->bin_start[end] - to;
    char *const                 buffer = link->buffer(state, lane, 0);
    char *const                 behind = buffer + ordo_round_up(count * size, ORDO_CACHE_LINE);
    char *const                 keys = run->keys + lane * run->piece_records * size;
    char *const                 values = run->values + lane * run->piece_records * value_size;
    for (size_t bin = first; bin < end; bin++) {
        size_t const at = run->bin_start[bin] - to;
        hybrid_bring_together(run, bin, buffer + at * size,
                              value_size != 0 ? behind + at * value_size : NULL);
    }
    TRY(link->copy_in(state, exec, lane, keys, buffer, count * size));
    if (value_size != 0)
        TRY(link->copy_in(state, exec, lane, values, behind, count * value_size));
    TRY(link->close_side(state, exec, lane, 0));
    TRY(sort_there(run, exec, lane, keys, values, count));
    if (records->out_keys != NULL)
        TRY(link->copy_out(state, exec, lane, buffer, keys, count * size));
    if (value_size != 0)
        TRY(link->copy_out(state, exec, lane, behind, values, count * value_size));
    TRY(link->close_side(state, exec, lane, 0));
    TRY(link->wait_side(state, exec, lane, 0));
    if (records->out_keys != NULL)
        memcpy(records->out_keys + to * size, buffer, count * size);
    if (value_size != 0)
        memcpy(records->out_values + to * value_size, behind, count * value_size);
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
