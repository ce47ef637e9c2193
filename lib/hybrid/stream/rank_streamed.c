/* ranks.c - ranks of a host array through a device: keys in, ranks home, as little as possible
 * between the two.
 *
 * A rank depends on every key, so none can leave before all keys are there; what the device does in
 * between is not hidden behind the link and has to be short. So phases II and III (scatter.c) bring
 * the keys in two runs. The first, the larger, is sorted with its indices while the second arrives;
 * then the second is sorted, and put_ranks merges the two, numbers the records and puts the numbers
 * where the keys were, in parts. Phase IV fetches a part while the next ones are being put. Runs of
 * a sixteenth and segments, which a sort has, would be of no use: the segments' sorts, hidden there
 * behind the way home, would all come before it here.
 *
 * The link carries numbers of 4 bytes, of 2^31 keys or more 8: the rank, or twice it where ties
 * have their average. Threads turn them into the caller's type on the way from a lane's buffer to
 * the array. The CPU's share, if it has one, are whole bins as in a sort (rank_bins.c); its ranks
 * are put over what came from the device at these places, which is of no meaning.
 *
 * Device memory: keys, indices, numbers, the scratch of the larger sort, and put_ranks' work: for
 * keys of 4 bytes about 32 bytes each, and where that is too much the keys come in one run, which
 * needs no merge, about 30. Host memory: with a share for the CPU a copy of the records, and of its
 * own an index and 8 bytes each. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/ranks.h"

#include <string.h>

enum {
    PARTS = ORDO_LINK_MARKS, /* that the numbers are put in, each with a mark behind it */
    TURNS = 4,               /* pieces of a lane, at least */
    BLOCK = 2048             /* numbers that are converted at a time, in the cache */
};

/* ---- Memory ---- */

static void in_one_run(hybrid_run *run)
{
    run->run_pieces = run->pieces;
    run->runs = 1;
}

/* Narrow keys are sorted in one pass or two, which is no more than a merge. */
static void in_two_runs(hybrid_run *run)
{
    in_one_run(run);
    if (run->records->key_size < sizeof(uint32_t))
        return;
    run->run_pieces = ordo_div_up(run->pieces * ORDO_TUNE_RANK_FIRST, 100);
    run->runs = ordo_div_up(run->pieces, run->run_pieces);
}

/* What is asked of the device once it has `n` records, [0, split) of them in the first run. */
static ordo_put_job put_job(const hybrid_ranking *ranking, size_t n, size_t split)
{
    const hybrid_run *const run = ranking->run;
    return (ordo_put_job){.type = run->records->type,
                          .sorted = run->keys,
                          .n = n,
                          .split = split,
                          .descending = run->records->descending,
                          .ties = ranking->job->ties,
                          .index_type = ranking->width == sizeof(uint32_t) ? ORDO_U32 : ORDO_U64,
                          .index = run->values,
                          .total = run->records->n,
                          .ranks = ranking->numbers,
                          .work = ranking->work,
                          .parts = PARTS};
}

/* Lays out the device's memory from base on, which may be NULL; returns its size. */
static size_t lay_out(hybrid_ranking *ranking, char *base)
{
    hybrid_run *const  run = ranking->run;
    size_t const       n = run->records->n;
    ordo_put_job const most = put_job(ranking, n, run->runs == 1 ? n : 0);
    size_t             used = 0;
    run->keys = hybrid_take(base, &used, n * run->records->key_size);
    run->values = hybrid_take(base, &used, n * ranking->width);
    ranking->numbers = hybrid_take(base, &used, n * ranking->width);
    ranking->work = hybrid_take(base, &used, run->both->device->put_ranks_work(&most));
    return used;
}

static size_t sort_scratch(const hybrid_run *run)
{
    ordo_pairs_job const pairs = {.keys = {.type = run->records->type,
                                           .n = run->run_pieces * run->piece_records,
                                           .descending = run->records->descending,
                                           .algorithm = ORDO_ALGORITHM_RADIX},
                                  .value_size = run->records->value_size};
    return run->both->device->sort_pairs_scratch(&pairs, &run->device.exec);
}

static ordo_status hold_device(hybrid_ranking *ranking)
{
    hybrid_run *const run = ranking->run;
    char             *base;
    TRY(hybrid_hold_device(run, lay_out(ranking, NULL), sort_scratch(run), &base));
    (void)lay_out(ranking, base);
    return ORDO_OK;
}

/* ---- Home ---- */

static ordo_status put_ranks(hybrid_ranking *ranking)
{
    hybrid_run *const run = ranking->run;
    void *const       device = run->both->device_state;
    ordo_put_job      job = put_job(ranking, ranking->theirs, run->first[1]);
    for (job.part = 0; job.part < PARTS && job.n > 0; job.part++) {
        TRY(hybrid_watch_work(run, job.n));
        TRY(run->both->device->put_ranks(device, &job, &run->device.exec));
        TRY(hybrid_watch_worked(run));
        TRY(run->link->mark(device, &run->device.exec, job.part));
    }
    return ORDO_OK;
}

#define EACH(in_type, out_type, value)                                                             \
    do {                                                                                           \
        const in_type *const in = from;                                                            \
        out_type *const      out = to;                                                             \
        for (size_t i = 0; i < n; i++)                                                             \
            out[i] = (out_type)(value);                                                            \
    } while (0)

/* Numbers as ranks of the caller's type, where the bytes differ. */
static void convert(const hybrid_ranking *ranking, const void *from, void *to, size_t n)
{
    double const unit = ranking->job->ties == ORDO_TIES_AVERAGE ? 0.5 : 1;
    bool const   narrow = ranking->width == sizeof(uint32_t);
    switch (ranking->job->rank_type) {
    case ORDO_U32:
        EACH (uint64_t, uint32_t, in[i])
            ;
        break;
    case ORDO_U64:
        EACH (uint32_t, uint64_t, in[i])
            ;
        break;
    default:
        if (narrow)
            EACH (uint32_t, double, (double)in[i] * unit)
                ;
        else
            EACH (uint64_t, double, (double)in[i] * unit)
                ;
    }
}

static void to_ranks(const hybrid_ranking *ranking, const char *numbers, size_t at, size_t count)
{
    const ordo_unsorted_job *const job = ranking->job;
    size_t const                   size = ordo_type_size(job->rank_type);
    char *const                    ranks = (char *)job->ranks + at * size;
    _Alignas(ORDO_CACHE_LINE) char block[BLOCK * sizeof(uint64_t)];
    if (size == ranking->width && job->rank_type != ORDO_F64) {
        hybrid_copy_past(ranks, numbers, count * size);
        hybrid_past_done();
        return;
    }
    for (size_t i = 0; i < count; i += BLOCK) {
        size_t const here = ordo_min(BLOCK, count - i);
        convert(ranking, numbers + i * ranking->width, block, here);
        hybrid_copy_past(ranks + i * size, block, here * size);
    }
    hybrid_past_done();
}

/* The part whose end is not before a piece's. */
static unsigned part_of(const hybrid_ranking *ranking, size_t end)
{
    size_t const stretch = ranking->run->records->n / PARTS;
    return stretch == 0 ? PARTS - 1 : (unsigned)ordo_min(PARTS - 1, (end - 1) / stretch);
}

static size_t piece_end(const hybrid_ranking *ranking, size_t piece)
{
    return ordo_min(ranking->run->records->n, (piece + 1) * ranking->piece_numbers);
}

static ordo_status ask_for(hybrid_ranking *ranking, ordo_exec *exec, unsigned lane, unsigned side,
                           size_t piece)
{
    hybrid_run *const      run = ranking->run;
    const ordo_link *const link = run->link;
    void *const            state = run->both->device_state;
    size_t const           first = piece * ranking->piece_numbers, end = piece_end(ranking, piece);
    TRY(link->await(state, exec, lane, part_of(ranking, end)));
    TRY(link->copy_out(state, exec, lane, link->buffer(state, lane, side),
                       ranking->numbers + first * ranking->width, (end - first) * ranking->width));
    return link->close_side(state, exec, lane, side);
}

static ordo_status put_down(hybrid_ranking *ranking, ordo_exec *exec, unsigned lane, unsigned side,
                            size_t piece)
{
    hybrid_run *const run = ranking->run;
    void *const       state = run->both->device_state;
    size_t const      first = piece * ranking->piece_numbers;
    size_t const      count = piece_end(ranking, piece) - first;
    TRY(run->link->wait_side(state, exec, lane, side));
    hybrid_watch_side(run, lane, side, ORDO_SPAN_OUT, count * ranking->width);
    double const began = ordo_profile_now(run->exec);
    to_ranks(ranking, run->link->buffer(state, lane, side), first, count);
    ordo_profile_add(run->exec, ORDO_SPAN_PUT, lane, began, count * ranking->width);
    return ORDO_OK;
}

/* Two pieces at a time: one is filled by the link while the other is put down. */
static void bring_home(hybrid_ranking *ranking, ordo_exec *exec, unsigned lane)
{
    hybrid_run *const run = ranking->run;
    size_t            on_way[ORDO_LINK_SIDES] = {SIZE_MAX, SIZE_MAX};
    for (unsigned side = 0; !hybrid_wrong(run); side = (side + 1) % ORDO_LINK_SIDES) {
        if (on_way[side] != SIZE_MAX)
            (void)put_down(ranking, exec, lane, side, on_way[side]);
        size_t const piece = atomic_fetch_add_explicit(&run->home_next, 1, memory_order_relaxed);
        if (ordo_poll(run->exec, (double)piece / (double)(run->home_count + 1)))
            hybrid_cancel(run);
        on_way[side] = piece < run->home_count ? piece : SIZE_MAX;
        if (on_way[side] != SIZE_MAX)
            (void)ask_for(ranking, exec, lane, side, piece);
        else if (on_way[0] == SIZE_MAX && on_way[1] == SIZE_MAX)
            break;
    }
}

static void home_thread(void *arg, size_t lo, size_t hi)
{
    hybrid_ranking *const ranking = arg;
    hybrid_run *const     run = ranking->run;
    hybrid_thread         thread;
    (void)hi;
    hybrid_start(run, &thread);
    unsigned const lane = hybrid_take_lane(run);
    if (lo >= ORDO_TUNE_LINK_THREADS)
        hybrid_rank_bins(ranking, lane);
    bring_home(ranking, &thread.exec, lane);
    hybrid_rank_bins(ranking, lane);
    hybrid_give_lane(run, lane);
}

/* How many keys of the device differ: the dense rank of its last record, which is home. */
static ordo_status count_distinct(hybrid_ranking *ranking, uint64_t *distinct)
{
    hybrid_run *const              run = ranking->run;
    const ordo_link *const         link = run->link;
    void *const                    state = run->both->device_state;
    const ordo_unsorted_job *const job = ranking->job;
    uint64_t                       last = 0;
    *distinct = 0;
    if (job->ties != ORDO_TIES_DENSE || ranking->theirs == 0)
        return ORDO_OK;
    /* Of two runs the last record may be the last of either. */
    for (size_t r = 0; r < run->runs; r++) {
        size_t const at = run->first[r + 1];
        if (at == run->first[r])
            continue;
        char *const buffer = link->buffer(state, 0, 0);
        TRY(link->copy_out(state, run->exec, 0, buffer, run->values + (at - 1) * ranking->width,
                           ranking->width));
        TRY(link->close_side(state, run->exec, 0, 0));
        TRY(link->wait_side(state, run->exec, 0, 0));
        if (ranking->width == sizeof(uint32_t))
            last = *(const uint32_t *)(const void *)buffer;
        else
            last = *(const uint64_t *)(const void *)buffer;
        uint64_t const rank = job->rank_type == ORDO_U32   ? ((const uint32_t *)job->ranks)[last]
                              : job->rank_type == ORDO_U64 ? ((const uint64_t *)job->ranks)[last]
                                                           : (uint64_t)((double *)job->ranks)[last];
        *distinct = ordo_max(*distinct, rank);
    }
    return ORDO_OK;
}

static ordo_status finish(void *arg)
{
    hybrid_ranking *const ranking = arg;
    hybrid_run *const     run = ranking->run;
    size_t const          n = run->records->n, bytes = n * ranking->width;
    size_t const least = ordo_max(ORDO_TUNE_PIECE_LEAST, bytes / run->exec->threads / TURNS);
    uint64_t     distinct;
    ranking->theirs = run->first[run->runs];
    ranking->piece_numbers = ordo_min(run->link->buffer_bytes, least) / ranking->width;
    run->home_count = ranking->theirs == 0 ? 0 : ordo_div_up(n, ranking->piece_numbers);
    atomic_init(&run->home_next, 0);
    if (put_ranks(ranking) != ORDO_OK)
        return hybrid_status(run, true);
    TRY(hybrid_prepare_rank_bins(ranking));
    run->exec->phase++;
    (void)ordo_loop(run->exec, run->lanes, 1, home_thread, ranking);
    bool const all =
        atomic_load_explicit(&run->home_next, memory_order_relaxed) >= run->home_count &&
        atomic_load_explicit(&run->bin_next, memory_order_relaxed) >= run->bins;
    TRY(hybrid_status(run, all));
    if (run->bins == 0)
        return ORDO_OK;
    run->exec->phase++;
    TRY(count_distinct(ranking, &distinct));
    return hybrid_put_bins(ranking, distinct);
}

/* ---- All of it ---- */

static ordo_status begin(void *arg)
{
    hybrid_ranking *const ranking = arg;
    hybrid_run *const     run = ranking->run;
    if (run->wished > 0) /* a pivot is needed for that alone */
        TRY(hybrid_bins(run));
    run->exec->phase = 0;
    run->exec->phases = run->divided ? 3 : 2;
    in_two_runs(run);
    ordo_status const status = hold_device(ranking);
    if (status != ORDO_E_NOMEM || run->runs == 1)
        return status;
    in_one_run(run);
    return hold_device(ranking);
}

ordo_status hybrid_ranks(const ordo_both *both, const hybrid_records *records,
                         const ordo_unsorted_job *job, ordo_exec *exec)
{
    hybrid_run     run;
    hybrid_ranking ranking = {.run = &run, .job = job, .width = records->value_size};
    hybrid_open(&run, both, records, exec);
    ordo_status const status = hybrid_phases(&run, begin, finish, &ranking);
    hybrid_close(&run);
    if (status == ORDO_OK) {
        exec->algorithm = run.device.exec.algorithm;
        exec->isa = run.device.exec.isa;
        ordo_note(exec,
                  "streamed in %zu runs, ranks home in %zu bytes each; %.1f %% by the CPU in %zu "
                  "bins; phase I %.1f ms, II and III %.1f ms, IV %.1f ms",
                  run.runs, ranking.width, 100 * run.share, run.bins, 1e3 * run.seconds[0],
                  1e3 * run.seconds[1], 1e3 * run.seconds[2]);
    }
    return status;
}
