/* rank_bins.c - the CPU's share of a ranking: its bins, sorted with their indices and ranked, each
 * by one thread in its cache; keys that tie are all in one bin.
 *
 * Ranks within a bin are made while the device's are on their way; what comes before the bin, of
 * dense ranks the number of keys that differ, is added when they go to the caller's array, after
 * the device's ranks. Cost: every record is moved twice, sorted once, and its rank stored out of
 * order. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/ranks.h"

#include <string.h>

ordo_status hybrid_prepare_rank_bins(hybrid_ranking *ranking)
{
    hybrid_run *const           run = ranking->run;
    const hybrid_records *const records = run->records;
    void                       *memory;
    hybrid_thread               alone;
    atomic_init(&run->bin_next, 0);
    if (!run->divided) {
        run->bins = 0;
        return ORDO_OK;
    }
    TRY(hybrid_bin_starts(run, ranking->theirs));
    size_t const own = records->n - ranking->theirs;
    TRY(ordo_scratch(run->exec, own * ranking->width, &memory));
    ranking->own_index = memory;
    TRY(ordo_scratch(run->exec, own * sizeof(uint64_t), &memory));
    ranking->own_ranks = memory;
    TRY(ordo_scratch(run->exec, run->bins * sizeof(uint64_t), &memory));
    ranking->own_before = memory;

    hybrid_start(run, &alone);
    ordo_pairs_job const largest = {
        .keys = {.type = records->type, .n = run->largest_bin, .descending = records->descending},
        .value_size = ranking->width};
    size_t const keys = ordo_round_up(run->largest_bin * records->key_size, ORDO_CACHE_LINE);
    run->bin_scratch_bytes =
        keys + ordo_round_up(run->both->cpu->sort_pairs_scratch(&largest, &alone.exec) +
                                 HYBRID_TAKES * ORDO_CACHE_LINE,
                             ORDO_CACHE_LINE);
    TRY(ordo_scratch(run->exec, run->lanes * run->bin_scratch_bytes, &memory));
    run->bin_scratch = memory;
    return ORDO_OK;
}

static bool has_halves(const hybrid_ranking *ranking)
{
    return ranking->job->ties == ORDO_TIES_AVERAGE;
}

static void rank_bin(hybrid_ranking *ranking, hybrid_thread *thread, size_t bin)
{
    hybrid_run *const         run = ranking->run;
    const ordo_backend *const cpu = run->both->cpu;
    size_t const              start = run->bin_start[bin] - ranking->theirs;
    size_t const              count = run->bin_start[bin + 1] - run->bin_start[bin];
    char *const               index = ranking->own_index + start * ranking->width;
    if (count == 0)
        return;
    thread->scratch_used = ordo_round_up(count * run->records->key_size, ORDO_CACHE_LINE);
    hybrid_bring_together(run, bin, thread->scratch, index);
    ordo_pairs_job const pairs = {.keys = {.type = run->records->type,
                                           .keys = thread->scratch,
                                           .n = count,
                                           .descending = run->records->descending},
                                  .values = index,
                                  .value_size = ranking->width};
    ordo_rank_job const  ranks = {.type = run->records->type,
                                  .sorted = thread->scratch,
                                  .n = count,
                                  .rank_type = has_halves(ranking) ? ORDO_F64 : ORDO_U64,
                                  .ranks = ranking->own_ranks + start,
                                  .ties = ranking->job->ties};
    if (cpu->sort_pairs(run->both->cpu_state, &pairs, &thread->exec) == ORDO_OK)
        (void)cpu->rank_sorted(run->both->cpu_state, &ranks, &thread->exec);
}

static void watch_bin(hybrid_ranking *ranking, hybrid_thread *thread, unsigned lane, size_t bin)
{
    const hybrid_run *const run = ranking->run;
    double const            began = ordo_profile_now(run->exec);
    rank_bin(ranking, thread, bin);
    ordo_profile_add(run->exec, ORDO_SPAN_BIN, lane, began,
                     (run->bin_start[bin + 1] - run->bin_start[bin]) *
                         (run->records->key_size + ranking->width));
}

void hybrid_rank_bins(hybrid_ranking *ranking, unsigned lane)
{
    hybrid_run *const run = ranking->run;
    hybrid_thread     thread;
    if (run->bins == 0)
        return;
    hybrid_start(run, &thread);
    thread.scratch = run->bin_scratch + lane * run->bin_scratch_bytes;
    thread.scratch_bytes = run->bin_scratch_bytes;
    while (!hybrid_wrong(run)) {
        size_t const bin = atomic_fetch_add_explicit(&run->bin_next, 1, memory_order_relaxed);
        if (bin >= run->bins)
            break;
        if (ordo_poll(run->exec, (double)bin / (double)run->bins))
            hybrid_cancel(run);
        else
            watch_bin(ranking, &thread, lane, bin);
    }
}

/* ---- To the caller's array ---- */

static uint64_t index_at(const hybrid_ranking *ranking, size_t i)
{
    if (ranking->width == sizeof(uint32_t))
        return ((const uint32_t *)(const void *)ranking->own_index)[i];
    return ((const uint64_t *)(const void *)ranking->own_index)[i];
}

static void put_bins(void *arg, size_t lo, size_t hi)
{
    const hybrid_ranking *const    ranking = arg;
    const hybrid_run *const        run = ranking->run;
    const ordo_unsorted_job *const job = ranking->job;
    for (size_t bin = lo; bin < hi; bin++) {
        uint64_t const before = ranking->own_before[bin];
        size_t const   end = run->bin_start[bin + 1] - ranking->theirs;
        for (size_t i = run->bin_start[bin] - ranking->theirs; i < end; i++) {
            uint64_t const at = index_at(ranking, i), rank = ranking->own_ranks[i];
            double         halves;
            memcpy(&halves, &rank, sizeof halves);
            if (has_halves(ranking))
                ((double *)job->ranks)[at] = halves + (double)before;
            else if (job->rank_type == ORDO_U32)
                ((uint32_t *)job->ranks)[at] = (uint32_t)(rank + before);
            else if (job->rank_type == ORDO_U64)
                ((uint64_t *)job->ranks)[at] = rank + before;
            else
                ((double *)job->ranks)[at] = (double)(rank + before);
        }
    }
}

ordo_status hybrid_put_bins(hybrid_ranking *ranking, uint64_t distinct)
{
    hybrid_run *const run = ranking->run;
    for (size_t bin = 0; bin < run->bins; bin++) {
        size_t const start = run->bin_start[bin], end = run->bin_start[bin + 1];
        bool const   dense = ranking->job->ties == ORDO_TIES_DENSE;
        ranking->own_before[bin] = dense ? distinct : start;
        if (dense && start < end) /* the rank of its last */
            distinct += ranking->own_ranks[end - 1 - ranking->theirs];
    }
    return ordo_loop(run->exec, run->bins, 1, put_bins, ranking) ? ORDO_OK : ORDO_E_CANCELLED;
}
