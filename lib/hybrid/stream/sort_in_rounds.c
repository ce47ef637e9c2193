/* rounds.c - a sort of more records than the device has memory for: ranges of keys that fit it, one
 * after the other.
 *
 * All threads put the records of their pieces into the bins of a copy, bin by bin within a piece
 * (divide.c), a bin for each range; then each range is brought together at its place in the result,
 * where it is streamed as an array of its own. A range that is still too large, as of a key that
 * fills more than the device, or that the device fails at, is the CPU's; of the latter the copy has
 * what was there. Moves every record twice more than a sort that fits.
 *
 * Host memory: a copy of the records; of an argsort, whose keys must not move, another of the keys;
 * and the scratch of one range, which all use in turn: of one that is streamed a few megabytes and
 * 48 bytes for each of its pieces, taken before the array changes, so that no range can fail for
 * want of it; of one that is the CPU's, the first time there is one, what its sort of the largest
 * range takes, without which it sorts in place. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid.h"

typedef struct rounds_room { /* scratch that every range takes from its start on */
    char  *base;
    size_t bytes;
} rounds_room;

typedef struct rounds_exec { /* the caller's services, but for scratch */
    ordo_exec   exec;
    ordo_exec  *caller;
    rounds_room room;
    size_t      used;
} rounds_exec;

typedef struct rounds_work {
    hybrid_run   *run;
    atomic_size_t next;
    char         *keys, *values;    /* where ranges are brought together */
    rounds_room   streamed, by_cpu; /* of ranges */
    bool          asked;            /* for the latter */
} rounds_work;

static ordo_status hold_copies(hybrid_run *run, rounds_work *work)
{
    const hybrid_records *const records = run->records;
    void                       *memory;
    TRY(ordo_scratch(run->exec, records->n * records->key_size, &memory));
    run->kept_keys = memory;
    if (records->value_size != 0) {
        TRY(ordo_scratch(run->exec, records->n * records->value_size, &memory));
        run->kept_values = memory;
    }
    run->aside_bytes = ordo_round_up(run->piece_records * (sizeof(uint16_t) + records->value_size) +
                                         ORDO_CACHE_LINE,
                                     ORDO_CACHE_LINE);
    TRY(ordo_scratch(run->exec, run->lanes * run->aside_bytes, &memory));
    run->aside = memory;
    TRY(ordo_scratch(run->exec, run->pieces * (run->bins + 1) * sizeof *run->bin_at, &memory));
    run->bin_at = memory;
    work->values = records->out_values;
    work->keys = records->out_keys;
    if (work->keys == NULL) {
        TRY(ordo_scratch(run->exec, records->n * records->key_size, &memory));
        work->keys = memory;
    }
    return ORDO_OK;
}

/* Labels of a piece, and its indices where values are those, are put aside. */
static void put_piece(hybrid_run *run, unsigned lane, size_t piece)
{
    const hybrid_records *const records = run->records;
    char *const                 numbers = run->aside + lane * run->aside_bytes;
    uint16_t *const             labels =
        (uint16_t *)(void *)(numbers + ordo_round_up(run->piece_records * records->value_size,
                                                     ORDO_CACHE_LINE));
    size_t const first = piece * run->piece_records, n = hybrid_piece_count(run, piece);
    const char  *values = numbers;
    if (records->values != NULL)
        values = records->values + first * records->value_size;
    else if (records->value_size != 0)
        hybrid_indices(numbers, records->value_size, first, n);
    hybrid_into_bins(run, piece, 0, records->keys + first * records->key_size, values, labels, n);
}

static void put_pieces(void *arg, size_t lo, size_t hi)
{
    rounds_work *const work = arg;
    hybrid_run *const  run = work->run;
    unsigned const     lane = hybrid_take_lane(run);
    (void)lo, (void)hi;
    while (!hybrid_wrong(run)) {
        size_t const piece = atomic_fetch_add_explicit(&work->next, 1, memory_order_relaxed);
        if (piece >= run->pieces)
            break;
        put_piece(run, lane, piece);
        if (ordo_poll(run->exec, (double)piece / (double)run->pieces))
            hybrid_cancel(run);
    }
    hybrid_give_lane(run, lane);
}

/* ---- The services of a range ---- */

static bool range_loop(ordo_exec *exec, size_t n, size_t grain, ordo_body *body, void *arg)
{
    return ordo_loop(((rounds_exec *)exec)->caller, n, grain, body, arg);
}

static bool range_poll(ordo_exec *exec, double share)
{
    return ordo_poll(((rounds_exec *)exec)->caller, share);
}

static ordo_status range_fail(ordo_exec *exec, ordo_status status, const char *format, va_list args)
{
    ordo_exec *const caller = ((rounds_exec *)exec)->caller;
    return caller->fail(caller, status, format, args);
}

static ordo_status range_scratch(ordo_exec *exec, size_t bytes, void **out)
{
    rounds_exec *const range = (rounds_exec *)exec;
    size_t const       take = ordo_round_up(bytes, ORDO_CACHE_LINE);
    if (take < bytes || take > range->room.bytes - range->used)
        return ordo_fail(exec, ORDO_E_NOMEM, "%zu bytes of scratch are more than a range has",
                         bytes);
    *out = range->room.base + range->used;
    range->used += take;
    return ORDO_OK;
}

static rounds_exec exec_of(const rounds_work *work, rounds_room room)
{
    ordo_exec *const caller = work->run->exec;
    return (rounds_exec){.exec = {.threads = caller->threads,
                                  .loop = range_loop,
                                  .poll = range_poll,
                                  .scratch = range_scratch,
                                  .fail = range_fail,
                                  .phases = 1,
                                  .profile = caller->profile,
                                  .algorithm = caller->algorithm,
                                  .isa = caller->isa,
                                  .detail = ""},
                         .caller = caller,
                         .room = room};
}

/* What the report says is what the last range did. */
static void tell(const rounds_exec *range)
{
    range->caller->algorithm = range->exec.algorithm;
    range->caller->isa = range->exec.isa;
}

static ordo_status hold(rounds_work *work, size_t bytes, rounds_room *room)
{
    void *memory;
    TRY(ordo_scratch(work->run->exec, bytes, &memory));
    *room = (rounds_room){memory, bytes};
    return ORDO_OK;
}

/* ---- Ranges ---- */

static hybrid_records range_of(const rounds_work *work, size_t bin)
{
    const hybrid_run *const     run = work->run;
    const hybrid_records *const records = run->records;
    size_t const                start = run->bin_start[bin];
    hybrid_records              range = *records;
    range.n = run->bin_start[bin + 1] - start;
    range.out_keys = work->keys + start * records->key_size;
    range.keys = range.out_keys;
    if (records->value_size != 0) {
        range.out_values = work->values + start * records->value_size;
        range.values = range.out_values;
    }
    return range;
}

static void bring_ranges(void *arg, size_t lo, size_t hi)
{
    const rounds_work *const work = arg;
    for (size_t bin = lo; bin < hi; bin++) {
        hybrid_records const range = range_of(work, bin);
        hybrid_bring_together(work->run, bin, range.out_keys, range.out_values);
    }
}

/* By the device alone; the copy has what it spoils. */
static ordo_both streaming(const rounds_work *work)
{
    ordo_both both = *work->run->both;
    both.keep = false;
    both.share = -1;
    return both;
}

static bool fits(const rounds_work *work, const hybrid_records *range, size_t room)
{
    ordo_both const both = streaming(work);
    return range->n > HYBRID_CUTS && hybrid_device_bytes(&both, range, work->run->exec) <= room;
}

static ordo_status hold_streamed(rounds_work *work, size_t room)
{
    ordo_both const both = streaming(work);
    size_t          most = 0;
    for (size_t bin = 0; bin < work->run->bins; bin++) {
        hybrid_records const range = range_of(work, bin);
        if (fits(work, &range, room))
            most = ordo_max(most, hybrid_host_bytes(&both, &range, work->run->exec));
    }
    return hold(work, most, &work->streamed);
}

static ordo_status by_cpu(rounds_work *work, const hybrid_records *range)
{
    const ordo_both *const    both = work->run->both;
    const ordo_backend *const cpu = both->cpu;
    ordo_sort_job             job = {.type = range->type,
                                     .keys = range->out_keys,
                                     .n = work->run->largest_bin,
                                     .descending = range->descending};
    ordo_pairs_job            pairs = {job, range->out_values, range->value_size};
    bool const                alone = range->value_size == 0;
    if (!work->asked) {
        size_t const bytes = alone ? cpu->sort_scratch(&job, work->run->exec)
                                   : cpu->sort_pairs_scratch(&pairs, work->run->exec);
        work->asked = true;
        (void)hold(work, bytes + HYBRID_TAKES * ORDO_CACHE_LINE, &work->by_cpu);
    }
    rounds_exec with = exec_of(work, work->by_cpu);
    job.n = pairs.keys.n = range->n;
    ordo_status const status = alone ? cpu->sort(both->cpu_state, &job, &with.exec)
                                     : cpu->sort_pairs(both->cpu_state, &pairs, &with.exec);
    tell(&with);
    return status;
}

static ordo_status sort_range(rounds_work *work, size_t bin, size_t room)
{
    hybrid_run *const    run = work->run;
    hybrid_records const range = range_of(work, bin);
    ordo_both const      both = streaming(work);
    if (!fits(work, &range, room))
        return by_cpu(work, &range);
    rounds_exec       with = exec_of(work, work->streamed);
    ordo_status const status = hybrid_stream(&both, &range, &with.exec);
    tell(&with);
    if (status == ORDO_OK || status == ORDO_E_CANCELLED || !run->both->keep)
        return status;
    hybrid_bring_together(run, bin, range.out_keys, range.out_values);
    return by_cpu(work, &range);
}

static ordo_status all_ranges(rounds_work *work, size_t room)
{
    hybrid_run *const run = work->run;
    ordo_exec *const  exec = run->exec;
    TRY(hybrid_bin_starts(run, 0));
    TRY(hold_streamed(work, room));
    exec->changed = run->records->out_keys == run->records->keys;
    if (!ordo_loop(exec, run->bins, 1, bring_ranges, work))
        return ORDO_E_CANCELLED;
    for (size_t bin = 0; bin < run->bins; bin++) {
        exec->phase++;
        TRY(sort_range(work, bin, room));
    }
    return ORDO_OK;
}

ordo_status hybrid_rounds(const ordo_both *both, const hybrid_records *records, ordo_exec *exec,
                          size_t need, size_t room)
{
    hybrid_run   run;
    rounds_work  work = {.run = &run};
    size_t const wanted = ordo_div_up(need, room / 4 * 3 + 1);
    if (wanted > HYBRID_MOST_BINS || wanted > records->n / (2 * HYBRID_CUTS))
        return ordo_fail(exec, ORDO_E_NOMEM, "%zu bytes of device memory are too few for a sort",
                         room);
    hybrid_open(&run, both, records, exec);
    run.lanes = exec->threads < HYBRID_LANES ? exec->threads : HYBRID_LANES;
    atomic_init(&work.next, 0);
    ordo_status status = hybrid_ranges(&run, wanted);
    exec->phase = 0;
    exec->phases = (unsigned)run.bins + 1;
    if (status == ORDO_OK)
        status = hold_copies(&run, &work);
    if (status == ORDO_OK) {
        (void)ordo_loop(exec, run.lanes, 1, put_pieces, &work);
        status = hybrid_status(&run, atomic_load(&work.next) >= run.pieces);
    }
    if (status == ORDO_OK)
        status = all_ranges(&work, room);
    hybrid_close(&run);
    if (status == ORDO_OK)
        ordo_note(exec, "in %zu rounds: %zu bytes of device memory for %zu", run.bins, room, need);
    return status;
}
