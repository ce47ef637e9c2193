/* stream.c - one sort whose records fit the device: its memory, the four phases, what is left when
 * it fails. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid.h"

#include <string.h>

enum {
    TURNS = 4 /* pieces of a lane, at least */
};

/* ---- Memory ---- */

/* Pieces: keys and, from the next cache line on, values; a division writes a little behind each. Of
 * small arrays they are shorter than a lane's buffer, so that all lanes have several, and there are
 * fewer runs and segments, each of which costs the device's queue some launches. */
static void cut_into_pieces(hybrid_run *run)
{
    const hybrid_records *const records = run->records;
    size_t const                each = records->key_size + records->value_size;
    size_t const                bytes = records->n * each;
    size_t const least = ordo_max(ORDO_TUNE_PIECE_LEAST, bytes / run->exec->threads / TURNS);
    size_t const room = run->link->buffer_bytes - 2 * (HYBRID_PADDING + ORDO_CACHE_LINE);
    size_t const runs = ordo_max(2, ordo_min(HYBRID_RUNS, bytes / ORDO_TUNE_RUN_BYTES));
    run->piece_records = ordo_min(room, least) / each;
    run->pieces = ordo_div_up(records->n, run->piece_records);
    run->run_pieces = ordo_div_up(run->pieces, runs);
    run->runs = ordo_div_up(run->pieces, run->run_pieces);
    run->buffer_records = ordo_div_up(records->n, runs) * 8 / 7; /* parts of it may be uneven */
}

char *hybrid_take(char *base, size_t *used, size_t bytes)
{
    enum {
        ALIGN = 256 /* of arrays on the device */
    };
    size_t const at = *used;
    *used += ordo_round_up(bytes, ALIGN);
    return base == NULL ? NULL : base + at;
}

/* Lays out the device's memory from base on, which may be NULL; returns its size. */
static size_t lay_out(hybrid_run *run, char *base)
{
    const hybrid_records *const records = run->records;
    size_t                      used = 0;
    run->keys = hybrid_take(base, &used, records->n * records->key_size);
    run->values = hybrid_take(base, &used, records->n * records->value_size);
    for (int i = 0; i < HYBRID_BUFFERS; i++) {
        run->buffer_keys[i] = hybrid_take(base, &used, run->buffer_records * records->key_size);
        run->buffer_values[i] = hybrid_take(base, &used, run->buffer_records * records->value_size);
        if (run->packs)
            run->packed[i] = hybrid_take(base, &used, hybrid_packed_bytes(run));
    }
    return used;
}

/* What the device's sorts take: of a run and of a segment, whichever is longer. */
static size_t sort_scratch(const hybrid_run *run)
{
    const hybrid_records *const records = run->records;
    const ordo_backend *const   device = run->both->device;
    ordo_sort_job const         job = {
                .type = records->type,
                .n = ordo_max(run->run_pieces * run->piece_records, run->buffer_records),
                .descending = records->descending,
                .algorithm = ORDO_ALGORITHM_RADIX};
    if (records->value_size == 0)
        return device->sort_scratch(&job, &run->device.exec);
    ordo_pairs_job const pairs = {job, NULL, records->value_size};
    return device->sort_pairs_scratch(&pairs, &run->device.exec);
}

/* What the caller wishes, or what is predicted to be best. */
static double wished_share(const hybrid_run *run)
{
    double const given = run->both->share;
    return given < 0 ? 0 : given > 0 ? given : ORDO_TUNE_CPU_SHARE / 100.0;
}

ordo_status hybrid_hold_device(hybrid_run *run, size_t memory, size_t scratch, char **base)
{
    run->lanes = run->exec->threads < HYBRID_LANES ? run->exec->threads : HYBRID_LANES;
    return run->link->begin(run->both->device_state, run->exec, memory, scratch, &run->lanes, base,
                            &run->device.exec.stream);
}

/* A copy of the records, and where the CPU's are put aside and counted. */
static ordo_status hold_host(hybrid_run *run)
{
    const hybrid_records *const records = run->records;
    bool const                  in_place = records->out_keys == records->keys;
    void                       *memory;
    if (run->divided || (run->both->keep && in_place)) {
        TRY(ordo_scratch(run->exec, records->n * records->key_size, &memory));
        run->kept_keys = memory;
        if (records->value_size != 0 && (run->divided || records->values != NULL)) {
            TRY(ordo_scratch(run->exec, records->n * records->value_size, &memory));
            run->kept_values = memory;
        }
    }
    if (!run->divided)
        return ORDO_OK;
    size_t const room = HYBRID_PADDING + ORDO_CACHE_LINE;
    run->aside_bytes =
        ordo_round_up(run->piece_records * (records->key_size + records->value_size) + 3 * room +
                          run->piece_records * ordo_max(records->value_size, sizeof(uint16_t)),
                      ORDO_CACHE_LINE);
    TRY(ordo_scratch(run->exec, run->lanes * run->aside_bytes, &memory));
    run->aside = memory;
    TRY(ordo_scratch(run->exec, run->pieces * (run->bins + 1) * sizeof *run->bin_at, &memory));
    run->bin_at = memory;
    return ORDO_OK;
}

/* The records from the copy, in an array that may have lost some. Where the CPU has a share the
 * copy has them in another order, but for those that tie: sorted, they give the same bytes, and yet
 * the array is not what it was. */
static void put_back(hybrid_run *run)
{
    const hybrid_records *const records = run->records;
    if (run->kept_keys == NULL || !run->exec->changed)
        return;
    memcpy(records->out_keys, run->kept_keys, records->n * records->key_size);
    if (run->kept_values != NULL)
        memcpy(records->out_values, run->kept_values, records->n * records->value_size);
    run->exec->changed = run->divided;
}

/* ---- The phases ---- */

/* Notes how long the phase that ends now has taken. */
static void phase_done(hybrid_run *run, int phase)
{
    double const now = ordo_profile_clock();
    if (phase >= 0) {
        run->seconds[phase] = now - run->began;
        ordo_profile_span(run->exec, (ordo_span_kind)(ORDO_SPAN_PHASE_I + phase), 0, run->began,
                          now, 0);
    }
    run->began = now;
}

ordo_status hybrid_phases(hybrid_run *run, hybrid_step *begin, hybrid_step *finish, void *arg)
{
    ordo_exec *const exec = run->exec;
    phase_done(run, -1);
    run->wished = wished_share(run);
    TRY(begin(arg));
    ordo_status status = hold_host(run);
    if (status == ORDO_OK)
        status = hybrid_watch(run);
    phase_done(run, 0);
    if (status == ORDO_OK)
        status = hybrid_scatter(run);
    phase_done(run, 1);
    if (status == ORDO_OK)
        status = finish(arg);
    ordo_status const ended = run->link->end(run->both->device_state, exec);
    phase_done(run, 2);
    if (ended == ORDO_OK)
        hybrid_watch_end(run);
    return status == ORDO_OK ? ended : status;
}

/* ---- A sort ---- */

static ordo_status begin_sort(void *arg)
{
    hybrid_run *const run = arg;
    char             *base;
    TRY(hybrid_bins(run));
    run->exec->phase = 0;
    run->exec->phases = 2;
    TRY(hybrid_hold_device(run, lay_out(run, NULL), sort_scratch(run), &base));
    (void)lay_out(run, base);
    return ORDO_OK;
}

static ordo_status finish_sort(void *arg) { return hybrid_finish(arg); }

void hybrid_open(hybrid_run *run, const ordo_both *both, const hybrid_records *records,
                 ordo_exec *exec)
{
    memset(run, 0, sizeof *run);
    run->records = records;
    run->both = both;
    run->link = both->device->link;
    run->exec = exec;
    atomic_init(&run->status, ORDO_OK);
    hybrid_start(run, &run->device);
    run->device.exec.on_device = true;
    pthread_mutex_init(&run->work, NULL);
    pthread_mutex_init(&run->wrong, NULL);
    for (unsigned i = 0; i < HYBRID_LANES; i++)
        atomic_init(&run->lane_taken[i], 0);
    cut_into_pieces(run);
    run->packs = hybrid_packs(run);
}

void hybrid_close(hybrid_run *run)
{
    pthread_mutex_destroy(&run->wrong);
    pthread_mutex_destroy(&run->work);
}

size_t hybrid_device_bytes(const ordo_both *both, const hybrid_records *records, ordo_exec *exec)
{
    hybrid_run run;
    hybrid_open(&run, both, records, exec);
    size_t const bytes = lay_out(&run, NULL) + sort_scratch(&run);
    hybrid_close(&run);
    return bytes;
}

size_t hybrid_host_bytes(const ordo_both *both, const hybrid_records *records, ordo_exec *exec)
{
    hybrid_run run;
    hybrid_open(&run, both, records, exec);
    size_t const bytes = hybrid_sample_bytes(&run) + hybrid_segments_bytes(&run);
    hybrid_close(&run);
    return bytes;
}

ordo_status hybrid_stream(const ordo_both *both, const hybrid_records *records, ordo_exec *exec)
{
    hybrid_run run;
    hybrid_open(&run, both, records, exec);
    ordo_status const status = hybrid_phases(&run, begin_sort, finish_sort, &run);
    if (status != ORDO_OK && status != ORDO_E_CANCELLED)
        put_back(&run);
    hybrid_close(&run);
    if (status == ORDO_OK) {
        exec->algorithm = run.device.exec.algorithm;
        exec->isa = run.device.exec.isa;
        char packed[48] = "";
        if (run.packs)
            snprintf(packed, sizeof packed, " keys packed to %.0f %%;",
                     100 * (double)atomic_load(&run.home_bytes) /
                         (double)(run.first[run.runs] * records->key_size + 1));
        ordo_note(exec,
                  "streamed in %zu runs, %zu segments; %.1f %% by the CPU in %zu bins (%zu handed "
                  "over);%s phase I %.1f "
                  "ms, II and III %.1f ms, IV %.1f ms",
                  run.runs, run.segment_count, 100 * run.share, run.bins,
                  atomic_load(&run.handed_over), packed, 1e3 * run.seconds[0], 1e3 * run.seconds[1],
                  1e3 * run.seconds[2]);
    }
    return status;
}
