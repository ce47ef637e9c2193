/* own_bins.c - phase IV of the CPU: its bins, each brought together from the copies of all pieces
 * straight to its place in the result and sorted there by one thread, in its cache. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid.h"

#include <string.h>

static void count_bins(void *arg, size_t lo, size_t hi)
{
    hybrid_run *const run = arg;
    for (size_t piece = 0; piece < run->pieces; piece++) {
        const uint32_t *const at = run->bin_at + piece * (run->bins + 1);
        for (size_t b = lo; b < hi; b++)
            run->bin_start[b + 1] += at[b + 1] - at[b];
    }
}

/* Scratch of one thread's sort of the largest bin. */
static size_t sort_scratch(const hybrid_run *run, const ordo_exec *exec)
{
    const hybrid_records *const records = run->records;
    const ordo_backend *const   cpu = run->both->cpu;
    ordo_sort_job const         job = {
                .type = records->type, .n = run->largest_bin, .descending = records->descending};
    ordo_pairs_job const pairs = {job, NULL, records->value_size};
    size_t const         bytes = records->value_size == 0 ? cpu->sort_scratch(&job, exec)
                                                          : cpu->sort_pairs_scratch(&pairs, exec);
    return ordo_round_up(bytes + HYBRID_TAKES * ORDO_CACHE_LINE, ORDO_CACHE_LINE);
}

ordo_status hybrid_bin_starts(hybrid_run *run, size_t before)
{
    enum {
        GRAIN = 64
    };
    void *memory;
    TRY(ordo_scratch(run->exec, (run->bins + 1) * sizeof *run->bin_start, &memory));
    run->bin_start = memory;
    memset(run->bin_start, 0, (run->bins + 1) * sizeof *run->bin_start);
    if (!ordo_loop(run->exec, run->bins, GRAIN, count_bins, run))
        return ORDO_E_CANCELLED;
    run->largest_bin = 0;
    run->bin_start[0] = before;
    for (size_t b = 0; b < run->bins; b++) {
        run->largest_bin = ordo_max(run->largest_bin, run->bin_start[b + 1]);
        run->bin_start[b + 1] += run->bin_start[b];
    }
    return ORDO_OK;
}

ordo_status hybrid_prepare_bins(hybrid_run *run)
{
    const hybrid_records *const records = run->records;
    void                       *memory;
    hybrid_thread               alone;
    atomic_init(&run->bin_next, 0);
    atomic_init(&run->handed_over, 0);
    if (!run->divided) {
        run->bins = 0;
        return ORDO_OK;
    }
    TRY(hybrid_bin_starts(run, run->first[run->runs]));
    hybrid_start(run, &alone);
    /* Where keys are not wanted they need a place for the time of the sort. */
    size_t const keys = records->out_keys != NULL ? 0 : run->largest_bin * records->key_size;
    run->bin_scratch_bytes = sort_scratch(run, &alone.exec) + ordo_round_up(keys, ORDO_CACHE_LINE);
    TRY(ordo_scratch(run->exec, run->lanes * run->bin_scratch_bytes, &memory));
    run->bin_scratch = memory;
    return ORDO_OK;
}

void hybrid_bring_together(const hybrid_run *run, size_t bin, char *keys, char *values)
{
    const hybrid_records *const records = run->records;
    size_t const                size = records->key_size, value_size = records->value_size;
    for (size_t piece = 0; piece < run->pieces; piece++) {
        const uint32_t *const at = run->bin_at + piece * (run->bins + 1) + bin;
        size_t const          from = piece * run->piece_records + at[0], n = at[1] - at[0];
        memcpy(keys, run->kept_keys + from * size, n * size);
        keys += n * size;
        if (values != NULL) {
            memcpy(values, run->kept_values + from * value_size, n * value_size);
            values += n * value_size;
        }
    }
}

static void sort_bin(hybrid_run *run, hybrid_thread *thread, size_t bin)
{
    const hybrid_records *const records = run->records;
    const ordo_backend *const   cpu = run->both->cpu;
    size_t const start = run->bin_start[bin], count = run->bin_start[bin + 1] - start;
    char *const  values =
        records->out_values == NULL ? NULL : records->out_values + start * records->value_size;
    char *keys = thread->scratch;
    thread->scratch_used = 0;
    if (records->out_keys != NULL)
        keys = records->out_keys + start * records->key_size;
    else
        thread->scratch_used = ordo_round_up(count * records->key_size, ORDO_CACHE_LINE);
    hybrid_bring_together(run, bin, keys, values);
    ordo_sort_job const job = {
        .type = records->type, .keys = keys, .n = count, .descending = records->descending};
    if (records->value_size == 0) {
        (void)cpu->sort(run->both->cpu_state, &job, &thread->exec);
        return;
    }
    ordo_pairs_job const pairs = {job, values, records->value_size};
    (void)cpu->sort_pairs(run->both->cpu_state, &pairs, &thread->exec);
}

static void watch_bin(hybrid_run *run, hybrid_thread *thread, unsigned lane, size_t bin)
{
    double const began = ordo_profile_now(run->exec);
    sort_bin(run, thread, bin);
    ordo_profile_add(run->exec, ORDO_SPAN_BIN, lane, began,
                     (run->bin_start[bin + 1] - run->bin_start[bin]) *
                         (run->records->key_size + run->records->value_size));
}

void hybrid_sort_bins(hybrid_run *run, unsigned lane)
{
    hybrid_thread thread;
    if (run->bins == 0)
        return;
    hybrid_start(run, &thread);
    thread.scratch = run->bin_scratch + lane * run->bin_scratch_bytes;
    thread.scratch_bytes = run->bin_scratch_bytes;
    while (!hybrid_wrong(run)) {
        size_t const taken = atomic_load_explicit(&run->bin_next, memory_order_relaxed);
        if (ordo_poll(run->exec, (double)ordo_min(taken, run->bins) / (double)run->bins))
            hybrid_cancel(run);
        else if (!hybrid_hand_over(run, &thread.exec, lane)) {
            size_t const bin = atomic_fetch_add_explicit(&run->bin_next, 1, memory_order_relaxed);
            if (bin >= run->bins)
                break;
            watch_bin(run, &thread, lane, bin);
        }
    }
}
