/* string_round.c - one round: sends keys to the device, sorts them there, fetches keys and ids.
 *
 * Threads take chunks of strings, write keys into one of their lane's two staging buffers, queue
 * its copy and fill the other buffer. In the first round the device generates the ids; later rounds
 * send them, and fetched ids go to their group's places in the order. Reading the strings takes
 * most of the time, so the sort does not overlap with the transfers.
 *
 * Cost: 12 bytes per string on the link each way; 8 to the device in the first round. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/strings/hybrid_strings.h"

#include "core/bisect.h"

enum {
    LANE_CHUNKS = 4, /* least number of chunks per lane */
    MARK = 0
};

static bool is_first(const hybrid_string_order *order) { return order->layout.group_shift == 64; }

/* The ids follow the keys in a staging buffer. */
static char *ids_in(const hybrid_string_order *order, char *buffer)
{
    return buffer + ordo_round_up(order->chunk_strings * sizeof(uint64_t), ORDO_CACHE_LINE);
}

static void choose_chunks(hybrid_string_order *order, size_t count)
{
    size_t const each = sizeof(uint64_t) + order->id_size;
    size_t const room = order->call.link->buffer_bytes - ORDO_CACHE_LINE;
    size_t const least =
        ordo_max(ORDO_TUNE_LINK_CHUNK, count * each / order->call.lanes / LANE_CHUNKS);
    order->chunk_strings = ordo_min(room, least) / each;
    order->chunk_count = ordo_div_up(count, order->chunk_strings);
}

/* ---- Sending ---- */

/* Entries among the strings of a chunk. */
static size_t chunk_entries(const hybrid_string_order *order, size_t chunk)
{
    size_t const end =
        chunk + 1 < order->chunk_count ? order->chunk_place[chunk + 1] : order->entries;
    return end - order->chunk_place[chunk];
}

static bool fill(const hybrid_string_order *order, size_t chunk, uint64_t *keys, char *ids)
{
    size_t const first = chunk * order->chunk_strings,
                 end = ordo_min(first + order->chunk_strings, order->n);
    return is_first(order) ? string_first_keys(order, first, end - first, keys)
                           : string_group_keys(order, first, end, keys, ids);
}

/* A misfit ends the loop over the chunks. */
static ordo_status send(void *arg, ordo_exec *exec, unsigned lane, unsigned side, size_t chunk)
{
    hybrid_string_order *const order = arg;
    const ordo_link *const     link = order->call.link;
    void *const                state = order->call.both->device_state;
    char *const                buffer = link->buffer(state, lane, side);
    size_t const               at = order->chunk_place[chunk], count = chunk_entries(order, chunk);
    if (count == 0)
        return ORDO_OK;
    TRY(link->wait_side(state, exec, lane, side));
    if (!fill(order, chunk, (uint64_t *)(void *)buffer, ids_in(order, buffer))) {
        atomic_store_explicit(&order->misfit, true, memory_order_relaxed);
        atomic_store_explicit(&order->next, order->chunk_count, memory_order_relaxed);
        return ORDO_OK;
    }
    TRY(link->copy_in(state, exec, lane, order->device_keys + at * sizeof(uint64_t), buffer,
                      count * sizeof(uint64_t)));
    if (!is_first(order))
        TRY(link->copy_in(state, exec, lane, order->device_ids + at * order->id_size,
                          ids_in(order, buffer), count * order->id_size));
    return link->close_side(state, exec, lane, side);
}

/* ---- Entries of a later round ---- */

/* The group of an entry. */
static const tied_group *group_of_entry(const hybrid_string_order *order, size_t entry)
{
    size_t lo = 0, hi = order->group_count;
    ORDO_BISECT(middle, lo, hi, order->groups[middle].start <= entry);
    return &order->groups[lo - 1];
}

static void pivot_chunk(void *arg, size_t lo, size_t hi) { string_choose_pivots(arg, lo, hi); }

static void label_chunk(void *arg, size_t lo, size_t hi)
{
    hybrid_string_order *const order = arg;
    for (const tied_group *group = group_of_entry(order, lo); lo < hi; group++) {
        size_t const end = ordo_min(group->start + group->count, hi);
        for (; lo < end; lo++)
            order->labels[string_id(order, group->order_start + (lo - group->start))] =
                (uint32_t)(group - order->groups + 1);
    }
}

static void clear_chunk(void *arg, size_t lo, size_t hi)
{
    hybrid_string_order *const order = arg;
    memset(order->labels + lo, 0, (hi - lo) * sizeof *order->labels);
}

static void count_chunk(void *arg, size_t lo, size_t hi)
{
    hybrid_string_order *const order = arg;
    for (size_t chunk = lo; chunk < hi; chunk++) {
        size_t const end = ordo_min((chunk + 1) * order->chunk_strings, order->n);
        size_t       count = 0;
        for (size_t id = chunk * order->chunk_strings; id < end; id++)
            count += order->labels[id] != 0;
        order->chunk_place[chunk] = count;
    }
}

/* Divides the strings into chunks and computes the place of each chunk on the device. */
static ordo_status prepare(hybrid_string_order *order)
{
    ordo_exec *const exec = order->call.exec;
    choose_chunks(order, order->n);
    TRY_SCRATCH(exec, order->chunk_count * sizeof *order->chunk_place, order->chunk_place);
    if (is_first(order)) {
        for (size_t chunk = 0; chunk < order->chunk_count; chunk++)
            order->chunk_place[chunk] = chunk * order->chunk_strings;
        return ORDO_OK;
    }
    TRY_SCRATCH(exec, order->group_count * sizeof *order->pivots, order->pivots);
    if (!ordo_loop(exec, order->n, order->chunk_strings, clear_chunk, order) ||
        !ordo_loop(exec, order->group_count, 1, pivot_chunk, order) ||
        !ordo_loop(exec, order->entries, ORDO_STRINGS_KEYS, label_chunk, order) ||
        !ordo_loop(exec, order->chunk_count, 1, count_chunk, order))
        return ORDO_E_CANCELLED;
    size_t place = 0;
    for (size_t chunk = 0; chunk < order->chunk_count; chunk++) {
        size_t const count = order->chunk_place[chunk];
        order->chunk_place[chunk] = place;
        place += count;
    }
    return ORDO_OK;
}

/* Sends all keys. Sets *fits to false if a string does not fit the alphabet or the common
 * beginning. */
static ordo_status send_all(hybrid_string_order *order, bool *fits)
{
    atomic_store_explicit(&order->misfit, false, memory_order_relaxed);
    TRY(hybrid_run_chunks(
        &(hybrid_chunks){&order->call, &order->next, order->chunk_count, send, NULL, NULL, order}));
    *fits = !atomic_load_explicit(&order->misfit, memory_order_relaxed);
    return ORDO_OK;
}

/* ---- Sorting and fetching ---- */

static size_t entries_of_chunk(const hybrid_string_order *order, size_t chunk)
{
    return ordo_min(order->chunk_strings, order->entries - chunk * order->chunk_strings);
}

static ordo_status sort_on_device(hybrid_string_order *order)
{
    hybrid_call *const call = &order->call;
    ordo_exec *const   exec = &call->device.exec;
    void *const        state = call->both->device_state;
    ordo_status        status = call->link->join(state, exec);
    if (status == ORDO_OK && is_first(order))
        status = call->link->iota(state, exec, order->device_ids, order->n, order->id_type, 0);
    if (status == ORDO_OK)
        status = hybrid_sort_on_device(call, order->device_keys, order->device_ids, order->entries);
    if (status == ORDO_OK)
        status = call->link->mark(state, exec, MARK);
    return hybrid_result(call, status == ORDO_OK);
}

static ordo_status request_chunk(void *arg, ordo_exec *exec, unsigned lane, unsigned side,
                                 size_t chunk)
{
    hybrid_string_order *const order = arg;
    const ordo_link *const     link = order->call.link;
    void *const                state = order->call.both->device_state;
    char *const                buffer = link->buffer(state, lane, side);
    size_t const at = chunk * order->chunk_strings, count = entries_of_chunk(order, chunk);
    TRY(link->await(state, exec, lane, MARK));
    TRY(link->copy_out(state, exec, lane, buffer, order->device_keys + at * sizeof(uint64_t),
                       count * sizeof(uint64_t)));
    TRY(link->copy_out(state, exec, lane, ids_in(order, buffer),
                       order->device_ids + at * order->id_size, count * order->id_size));
    return link->close_side(state, exec, lane, side);
}

static ordo_status store_chunk(void *arg, ordo_exec *exec, unsigned lane, unsigned side,
                               size_t chunk)
{
    hybrid_string_order *const order = arg;
    void *const                state = order->call.both->device_state;
    char *const                buffer = order->call.link->buffer(state, lane, side);
    const char                *ids = ids_in(order, buffer);
    size_t                     entry = chunk * order->chunk_strings;
    size_t const               count = entries_of_chunk(order, chunk), end = entry + count;
    TRY(order->call.link->wait_side(state, exec, lane, side));
    memcpy(order->keys + entry, buffer, count * sizeof(uint64_t));
    for (const tied_group *group = group_of_entry(order, entry); entry < end; group++) {
        size_t const first = entry - group->start;
        size_t const here = ordo_min(group->count - first, end - entry);
        memcpy(order->index + (group->order_start + first) * order->id_size, ids,
               here * order->id_size);
        ids += here * order->id_size;
        entry += here;
    }
    return ORDO_OK;
}

static ordo_status fetch_all(hybrid_string_order *order)
{
    choose_chunks(order, order->entries);
    return hybrid_run_chunks(&(hybrid_chunks){&order->call, &order->next, order->chunk_count,
                                              request_chunk, store_chunk, NULL, order});
}

/* ---- The round ---- */

/* Waits for all copies, so that no old key arrives after the key that replaces it. */
static ordo_status wait_for_lanes(hybrid_string_order *order)
{
    ordo_status status = ORDO_OK;
    for (unsigned lane = 0; lane < order->call.lanes; lane++)
        for (unsigned side = 0; side < ORDO_LINK_SIDES && status == ORDO_OK; side++)
            status = order->call.link->wait_side(order->call.both->device_state,
                                                 &order->call.device.exec, lane, side);
    return hybrid_result(&order->call, status == ORDO_OK);
}

/* Replaces the alphabet after a misfit: in the first round by an alphabet of all strings, later by
 * all 256 bytes. */
static ordo_status fit(hybrid_string_order *order)
{
    TRY(wait_for_lanes(order));
    if (is_first(order)) {
        if (!string_survey(order, 1))
            return ORDO_E_CANCELLED;
        order->groups[0].depth = order->shared;
        (void)string_choose_layout(order, 0);
        return ORDO_OK;
    }
    string_use_all_bytes(&order->alphabet);
    (void)string_choose_layout(order, order->group_count);
    return ORDO_OK;
}

ordo_status string_round(hybrid_string_order *order)
{
    bool fits = true;
    TRY(prepare(order));
    TRY(send_all(order, &fits));
    if (!fits) {
        TRY(fit(order));
        TRY(send_all(order, &fits));
    }
    order->send_s[is_first(order) ? 0 : 1] += string_seconds(order);
    order->call.exec->phase++;
    TRY(sort_on_device(order));
    TRY(fetch_all(order));
    order->fetch_s += string_seconds(order);
    return ORDO_OK;
}
