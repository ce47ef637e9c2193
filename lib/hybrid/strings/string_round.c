/* string_round.c - one round of an order of strings: their keys to the device, which sorts them
 * with the strings' numbers, and home.
 *
 * Threads take pieces of the round's entries, make the keys in one of their lane's two buffers and
 * send it off while they fill the other. The numbers of a first round are the device's own; later
 * ones go with the keys, and come home to the places that their groups have in the order. The sort
 * is not hidden behind the link: the threads that read the strings are what takes time.
 *
 * Time: 12 bytes a string on the link each way, 8 to the device in the first round. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/strings/strings.h"

enum {
    TURNS = 4, /* pieces of a lane, at least */
    MARK = 0
};

static bool is_first(const string_run *s) { return s->coder.group_shift == 64; }

/* The ids of a piece, behind its keys in a buffer. */
static char *ids_in(const string_run *s, char *buffer)
{
    return buffer + ordo_round_up(s->piece * sizeof(uint64_t), ORDO_CACHE_LINE);
}

static void cut_into_pieces(string_run *s, size_t count)
{
    size_t const each = sizeof(uint64_t) + s->id_size;
    size_t const room = s->run.link->buffer_bytes - ORDO_CACHE_LINE;
    size_t const least = ordo_max(ORDO_TUNE_PIECE_LEAST, count * each / s->run.lanes / TURNS);
    s->piece = ordo_min(room, least) / each;
    s->pieces = ordo_div_up(count, s->piece);
}

/* ---- To the device ---- */

/* Strings of a piece that are in the round. */
static size_t piece_entries(const string_run *s, size_t piece)
{
    size_t const end = piece + 1 < s->pieces ? s->places[piece + 1] : s->entries;
    return end - s->places[piece];
}

static bool fill(const string_run *s, size_t piece, uint64_t *keys, char *ids)
{
    size_t const first = piece * s->piece, end = ordo_min(first + s->piece, s->n);
    return is_first(s) ? string_first_keys(s, first, end - first, keys)
                       : string_tie_keys(s, first, end, keys, ids);
}

static ordo_status send(string_run *s, ordo_exec *exec, unsigned lane, unsigned side, size_t piece)
{
    const ordo_link *const link = s->run.link;
    void *const            state = s->run.both->device_state;
    char *const            buffer = link->buffer(state, lane, side);
    size_t const           at = s->places[piece], count = piece_entries(s, piece);
    if (count == 0)
        return ORDO_OK;
    TRY(link->wait_side(state, exec, lane, side));
    if (!fill(s, piece, (uint64_t *)(void *)buffer, ids_in(s, buffer))) {
        atomic_store_explicit(&s->misfit, true, memory_order_relaxed);
        return ORDO_OK;
    }
    TRY(link->copy_in(state, exec, lane, s->device_keys + at * sizeof(uint64_t), buffer,
                      count * sizeof(uint64_t)));
    if (!is_first(s))
        TRY(link->copy_in(state, exec, lane, s->device_ids + at * s->id_size, ids_in(s, buffer),
                          count * s->id_size));
    return link->close_side(state, exec, lane, side);
}

static bool goes_on(const string_run *s)
{
    return !hybrid_wrong(&s->run) && !atomic_load_explicit(&s->misfit, memory_order_relaxed);
}

static void send_pieces(void *arg, size_t lo, size_t hi)
{
    string_run *const s = arg;
    hybrid_thread     thread;
    (void)lo, (void)hi;
    hybrid_start(&s->run, &thread);
    unsigned const lane = hybrid_take_lane(&s->run);
    for (unsigned side = 0; goes_on(s); side = (side + 1) % ORDO_LINK_SIDES) {
        size_t const piece = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed);
        if (piece >= s->pieces)
            break;
        (void)send(s, &thread.exec, lane, side, piece);
        if (ordo_poll(s->run.exec, (double)piece / (double)s->pieces))
            hybrid_cancel(&s->run);
    }
    hybrid_give_lane(&s->run, lane);
}

/* ---- Who is in a later round ---- */

/* The tie that has this entry. */
static const string_tie *tie_of(const string_run *s, size_t entry)
{
    size_t lo = 0, hi = s->tie_count;
    while (hi - lo > 1) {
        size_t const middle = lo + (hi - lo) / 2;
        if (s->ties[middle].start <= entry)
            lo = middle;
        else
            hi = middle;
    }
    return &s->ties[lo];
}

static void pivot_piece(void *arg, size_t lo, size_t hi) { string_pivots(arg, lo, hi); }

static void label_piece(void *arg, size_t lo, size_t hi)
{
    string_run *const s = arg;
    for (const string_tie *tie = tie_of(s, lo); lo < hi; tie++) {
        size_t const end = ordo_min(tie->start + tie->count, hi);
        for (; lo < end; lo++)
            s->labels[string_id(s, tie->lo + (lo - tie->start))] = (uint32_t)(tie - s->ties + 1);
    }
}

static void clear_piece(void *arg, size_t lo, size_t hi)
{
    string_run *const s = arg;
    memset(s->labels + lo, 0, (hi - lo) * sizeof *s->labels);
}

static void count_piece(void *arg, size_t lo, size_t hi)
{
    string_run *const s = arg;
    for (size_t piece = lo; piece < hi; piece++) {
        size_t const end = ordo_min((piece + 1) * s->piece, s->n);
        size_t       count = 0;
        for (size_t id = piece * s->piece; id < end; id++)
            count += s->labels[id] != 0;
        s->places[piece] = count;
    }
}

/* Pieces of strings, and where each goes on the device. */
static ordo_status prepare(string_run *s)
{
    ordo_exec *const exec = s->run.exec;
    void            *memory;
    cut_into_pieces(s, s->n);
    TRY(ordo_scratch(exec, s->pieces * sizeof *s->places, &memory));
    s->places = memory;
    if (is_first(s)) {
        for (size_t piece = 0; piece < s->pieces; piece++)
            s->places[piece] = piece * s->piece;
        return ORDO_OK;
    }
    TRY(ordo_scratch(exec, s->tie_count * sizeof *s->pivots, &memory));
    s->pivots = memory;
    if (!ordo_loop(exec, s->n, s->piece, clear_piece, s) ||
        !ordo_loop(exec, s->tie_count, 1, pivot_piece, s) ||
        !ordo_loop(exec, s->entries, ORDO_TUNE_STRINGS_TIES, label_piece, s) ||
        !ordo_loop(exec, s->pieces, 1, count_piece, s))
        return ORDO_E_CANCELLED;
    size_t place = 0;
    for (size_t piece = 0; piece < s->pieces; piece++) {
        size_t const count = s->places[piece];
        s->places[piece] = place;
        place += count;
    }
    return ORDO_OK;
}

/* All keys; false in *fits: with another alphabet, please. */
static ordo_status send_all(string_run *s, bool *fits)
{
    atomic_store_explicit(&s->next, 0, memory_order_relaxed);
    atomic_store_explicit(&s->misfit, false, memory_order_relaxed);
    (void)ordo_loop(s->run.exec, s->run.lanes, 1, send_pieces, s);
    *fits = !atomic_load_explicit(&s->misfit, memory_order_relaxed);
    return hybrid_status(&s->run, !*fits || atomic_load_explicit(&s->next, memory_order_relaxed) >=
                                                s->pieces);
}

/* ---- Work, and home ---- */

static size_t piece_count(const string_run *s, size_t piece)
{
    return ordo_min(s->piece, s->entries - piece * s->piece);
}

static ordo_status sort_there(string_run *s)
{
    hybrid_run *const    run = &s->run;
    ordo_exec *const     exec = &run->device.exec;
    void *const          state = run->both->device_state;
    ordo_pairs_job const job = {{.type = ORDO_U64,
                                 .keys = s->device_keys,
                                 .n = s->entries,
                                 .algorithm = ORDO_ALGORITHM_RADIX},
                                s->device_ids,
                                s->id_size};
    ordo_status          status = run->link->join(state, exec);
    if (status == ORDO_OK && is_first(s))
        status = run->link->iota(state, exec, s->device_ids, s->n, s->id_type, 0);
    if (status == ORDO_OK)
        status = run->both->device->sort_pairs(state, &job, exec);
    if (status == ORDO_OK)
        status = run->link->mark(state, exec, MARK);
    return hybrid_status(run, status == ORDO_OK);
}

static ordo_status ask_for(string_run *s, ordo_exec *exec, unsigned lane, unsigned side,
                           size_t piece)
{
    const ordo_link *const link = s->run.link;
    void *const            state = s->run.both->device_state;
    char *const            buffer = link->buffer(state, lane, side);
    size_t const           at = piece * s->piece, count = piece_count(s, piece);
    TRY(link->await(state, exec, lane, MARK));
    TRY(link->copy_out(state, exec, lane, buffer, s->device_keys + at * sizeof(uint64_t),
                       count * sizeof(uint64_t)));
    TRY(link->copy_out(state, exec, lane, ids_in(s, buffer), s->device_ids + at * s->id_size,
                       count * s->id_size));
    return link->close_side(state, exec, lane, side);
}

static ordo_status put_down(string_run *s, ordo_exec *exec, unsigned lane, unsigned side,
                            size_t piece)
{
    void *const  state = s->run.both->device_state;
    char *const  buffer = s->run.link->buffer(state, lane, side);
    const char  *ids = ids_in(s, buffer);
    size_t       entry = piece * s->piece;
    size_t const count = piece_count(s, piece), end = entry + count;
    TRY(s->run.link->wait_side(state, exec, lane, side));
    memcpy(s->keys + entry, buffer, count * sizeof(uint64_t));
    for (const string_tie *tie = tie_of(s, entry); entry < end; tie++) {
        size_t const first = entry - tie->start;
        size_t const here = ordo_min(tie->count - first, end - entry);
        memcpy(s->index + (tie->lo + first) * s->id_size, ids, here * s->id_size);
        ids += here * s->id_size;
        entry += here;
    }
    return ORDO_OK;
}

static void bring_home(void *arg, size_t lo, size_t hi)
{
    string_run *const s = arg;
    size_t            on_way[ORDO_LINK_SIDES] = {SIZE_MAX, SIZE_MAX};
    hybrid_thread     thread;
    (void)lo, (void)hi;
    hybrid_start(&s->run, &thread);
    unsigned const lane = hybrid_take_lane(&s->run);
    for (unsigned side = 0; !hybrid_wrong(&s->run); side = (side + 1) % ORDO_LINK_SIDES) {
        if (on_way[side] != SIZE_MAX &&
            put_down(s, &thread.exec, lane, side, on_way[side]) == ORDO_OK)
            atomic_fetch_add_explicit(&s->done, 1, memory_order_relaxed);
        size_t const piece = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed);
        if (ordo_poll(s->run.exec, (double)piece / (double)s->pieces))
            hybrid_cancel(&s->run);
        on_way[side] = piece < s->pieces ? piece : SIZE_MAX;
        if (piece < s->pieces)
            (void)ask_for(s, &thread.exec, lane, side, piece);
        else if (on_way[0] == SIZE_MAX && on_way[1] == SIZE_MAX)
            break;
    }
    hybrid_give_lane(&s->run, lane);
}

static ordo_status fetch_all(string_run *s)
{
    cut_into_pieces(s, s->entries);
    atomic_store_explicit(&s->next, 0, memory_order_relaxed);
    atomic_store_explicit(&s->done, 0, memory_order_relaxed);
    (void)ordo_loop(s->run.exec, s->run.lanes, 1, bring_home, s);
    return hybrid_status(&s->run,
                         atomic_load_explicit(&s->done, memory_order_relaxed) >= s->pieces);
}

/* ---- The round ---- */

/* Keys that are on their way must not arrive behind those that replace them on other lanes. */
static ordo_status wait_for_lanes(string_run *s)
{
    ordo_status status = ORDO_OK;
    for (unsigned lane = 0; lane < s->run.lanes; lane++)
        for (unsigned side = 0; side < ORDO_LINK_SIDES && status == ORDO_OK; side++)
            status =
                s->run.link->wait_side(s->run.both->device_state, &s->run.device.exec, lane, side);
    return hybrid_status(&s->run, status == ORDO_OK);
}

/* Another alphabet, after a string that did not fit: the first round's is what all strings need,
 * later ones take every byte. */
static ordo_status fit(string_run *s)
{
    TRY(wait_for_lanes(s));
    if (is_first(s)) {
        if (!string_survey(s, 1))
            return ORDO_E_CANCELLED;
        s->ties[0].depth = s->shared;
        (void)string_coder_make(s, 0);
        return ORDO_OK;
    }
    string_all_letters(&s->alphabet);
    (void)string_coder_make(s, s->tie_count);
    return ORDO_OK;
}

ordo_status string_round(string_run *s)
{
    bool fits = true;
    TRY(prepare(s));
    TRY(send_all(s, &fits));
    if (!fits) {
        TRY(fit(s));
        TRY(send_all(s, &fits));
    }
    s->send_s[is_first(s) ? 0 : 1] += string_lap(s);
    s->run.exec->phase++;
    TRY(sort_there(s));
    TRY(fetch_all(s));
    s->home_s += string_lap(s);
    return ORDO_OK;
}
