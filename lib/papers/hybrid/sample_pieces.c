/* sample_pieces.c - the CPU's part of the hybrid sample sort, in pieces that run beside the copies
 * (sample_link.c): pieces of its part of the input, buckets, and values of its result. */
#define _POSIX_C_SOURCE 200809L
#include "papers/hybrid/sample_call.h"
#include "papers/hybrid/sample_records.h"

#include <string.h>

enum {
    CACHED = 1 << 12, /* records that are gathered and numbered while they are in the cache */
    VALUE_PIECES = 4  /* of a bucket, because there may be few buckets for each thread */
};

/* ---- Steps of the CPU ---- */

/* Does a step on the thread of a slot and adds its time to a phase. */
static void cpu_piece_step(sample_call *call, sample_slot *slot, ordo_sample_job job,
                           unsigned phase)
{
    double const began = ordo_profile_clock();
    job.work = slot->work;
    (void)cpu_sample(call->both->cpu_state, &job, &slot->worker.exec);
    slot->seconds[phase] += ordo_profile_clock() - began;
    ordo_profile_add(call->exec, ORDO_SPAN_PIECE, slot->number, began,
                     ordo_max(job.n, job.owned) * call->record_size);
}

/* Does a step with all threads. */
ordo_status sample_cpu_step(sample_call *call, ordo_sample_job job, unsigned phase)
{
    double const began = ordo_profile_clock();
    job.work = call->work;
    ordo_status const status = cpu_sample(call->both->cpu_state, &job, call->exec);
    call->cpu_seconds[phase] += ordo_profile_clock() - began;
    ordo_profile_add(call->exec, ORDO_SPAN_COMPUTE, 0, began,
                     ordo_max(job.n, job.owned) * call->record_size);
    return status;
}

static size_t piece_length(const sample_call *call, size_t piece)
{
    return ordo_min(call->piece, call->cpu_n - piece * call->piece);
}

size_t sample_piece_count(const sample_call *call)
{
    return call->cpu_n == 0 ? 0 : ordo_div_up(call->cpu_n, call->piece);
}

void sample_label_piece(sample_call *call, sample_slot *slot, size_t piece)
{
    size_t const    first = piece * call->piece, n = piece_length(call, piece);
    ordo_sample_job job = sample_cpu_job(call, ORDO_SAMPLE_LABEL, first, n);
    job.records = slot->records;
    cpu_piece_step(call, slot, job, 0);
    job.step = ORDO_SAMPLE_COUNT;
    job.counts = call->piece_counts + piece * call->buckets;
    cpu_piece_step(call, slot, job, 1);
}

void sample_scatter_piece(sample_call *call, sample_slot *slot, size_t piece)
{
    size_t const    first = piece * call->piece, n = piece_length(call, piece);
    ordo_sample_job job = sample_cpu_job(call, ORDO_SAMPLE_SCATTER, first, n);
    job.records = slot->records;
    job.places = call->piece_counts + piece * call->buckets;
    cpu_piece_step(call, slot, job, 2);
}

/* Adds the histograms of the pieces and turns them into places. */
void sample_place_pieces(sample_call *call)
{
    double const began = ordo_profile_clock();
    size_t const pieces = sample_piece_count(call), buckets = call->buckets;
    memset(call->cpu_counts, 0, buckets * sizeof *call->cpu_counts);
    for (size_t p = 0; p < pieces; p++)
        for (size_t b = 0; b < buckets; b++) {
            uint64_t *const here = &call->piece_counts[p * buckets + b];
            uint64_t const  count = *here;
            *here = call->cpu_counts[b];
            call->cpu_counts[b] += count;
        }
    call->mine[0] = 0;
    for (size_t b = 0; b < buckets; b++)
        call->mine[b + 1] = call->mine[b] + call->cpu_counts[b];
    for (size_t p = 0; p < pieces; p++)
        for (size_t b = 0; b < buckets; b++)
            call->piece_counts[p * buckets + b] += call->mine[b];
    if (pieces > 0)
        call->cpu_seconds[1] += ordo_profile_clock() - began;
}

/* ---- Buckets ---- */

static void store_bucket(const sample_call *call, size_t b, ordo_sample_job *job)
{
    size_t const start = (size_t)call->starts[b];
    job->step = ORDO_SAMPLE_RESULT;
    job->finished = job->scattered;
    job->result = call->results[0] + start * call->result_sizes[0];
}

/* The job that sorts bucket b of the CPU. */
static ordo_sample_job bucket_job(const sample_call *call, size_t b)
{
    size_t const    start = (size_t)call->starts[b], size = call->record_size;
    ordo_sample_job job = sample_cpu_job(call, ORDO_SAMPLE_SORT, 0, 0);
    job.owned = (size_t)call->starts[b + 1] - start;
    job.scattered = call->other + start * size;
    job.records = call->spare + start * size;
    job.labels = call->labels + start;
    return job;
}

static char *held_index(const sample_call *call, size_t b)
{
    return call->held_index + (size_t)call->starts[b] * sample_index_size(call);
}

/* All threads sort a bucket together if it is large. */
static bool is_for_all(const sample_call *call, size_t b)
{
    return (size_t)(call->starts[b + 1] - call->starts[b]) > call->large;
}

/* A step of phase IV, by one thread or, without a slot, by all. */
static ordo_status do_step(sample_call *call, sample_slot *slot, ordo_sample_job job)
{
    if (slot == NULL)
        return sample_cpu_step(call, job, 3);
    cpu_piece_step(call, slot, job, 3);
    return ORDO_OK;
}

/* Sorts the records of equal keys by their indices: in a bucket of a GPU they have any order. */
static ordo_status sort_ties(sample_call *call, sample_slot *slot, const ordo_sample_job *bucket,
                             const char *index)
{
    size_t const size = call->record_size;
    size_t       count;
    for (size_t at = sample_next_ties(bucket, 0, index, &count); at < bucket->owned;
         at = sample_next_ties(bucket, at + count, index, &count)) {
        ordo_sample_job   job = *bucket;
        sample_tied const key = sample_begin_ties(bucket, at, count, index);
        job.scattered = (char *)bucket->scattered + at * size;
        job.records = (char *)bucket->records + at * size;
        job.labels = bucket->labels + at;
        job.owned = count;
        TRY(do_step(call, slot, job));
        sample_end_ties(bucket, at, count, key);
    }
    return ORDO_OK;
}

/* Sorts bucket b and stores its keys. The records of pairs are numbered before: the number takes
 * the place of the index, because the values are found in a small array later. */
static ordo_status sort_bucket(sample_call *call, sample_slot *slot, size_t b)
{
    ordo_sample_job job = bucket_job(call, b);
    bool const      numbered = call->value_size != 0;
    for (size_t at = 0; at < job.owned; at += CACHED) {
        size_t const count = ordo_min(CACHED, job.owned - at);
        sample_gather(call, NULL, b, at, count, (char *)job.scattered + at * call->record_size);
        if (numbered)
            sample_number(&job, at, count, held_index(call, b));
    }
    if (b % 2 == 0)
        TRY(do_step(call, slot, job));
    if (numbered)
        TRY(sort_ties(call, slot, &job, held_index(call, b)));
    store_bucket(call, b, &job);
    return do_step(call, slot, job);
}

void sample_sort_piece(sample_call *call, sample_slot *slot, size_t b)
{
    if (call->starts[b + 1] > call->starts[b] && !is_for_all(call, b))
        (void)sort_bucket(call, slot, b);
}

ordo_status sample_sort_rest(sample_call *call)
{
    for (size_t b = 0; b < call->cpu_buckets; b++)
        if (is_for_all(call, b))
            TRY(sort_bucket(call, NULL, b));
    return ORDO_OK;
}

/* The values of a bucket are held in the order before the sort: first those of the CPU's part. */
void sample_own_piece(sample_call *call, sample_slot *slot, size_t b)
{
    ordo_sample_job job = sample_cpu_job(call, ORDO_SAMPLE_VALUES, 0, 0);
    job.owned = (size_t)call->cpu_counts[b];
    job.finished = call->gathered + (size_t)call->mine[b] * call->record_size;
    job.values = call->records->values;
    job.result_values = call->held_values + (size_t)call->starts[b] * call->value_size;
    if (job.owned > 0)
        cpu_piece_step(call, slot, job, 3);
}

void sample_sent_piece(sample_call *call, sample_slot *slot, size_t b)
{
    size_t const each = call->value_size;
    char        *to = call->held_values + (size_t)(call->starts[b] + call->cpu_counts[b]) * each;
    (void)slot;
    for (size_t i = 0; i < call->line_count; i++) {
        const sample_line *const line = &call->lines[i];
        size_t const             bytes = (size_t)line->counts[b] * each;
        memcpy(to, call->results[1] + (line->sent_before + (size_t)line->out[b]) * each, bytes);
        to += bytes;
    }
}

size_t sample_value_count(const sample_call *call) { return call->cpu_buckets * VALUE_PIECES; }

void sample_value_piece(sample_call *call, sample_slot *slot, size_t piece)
{
    size_t const    b = piece / VALUE_PIECES, part = piece % VALUE_PIECES;
    ordo_sample_job job = bucket_job(call, b);
    size_t const    at = job.owned * part / VALUE_PIECES, start = (size_t)call->starts[b];
    if (job.owned == 0)
        return;
    job.step = ORDO_SAMPLE_VALUES;
    job.owned = job.owned * (part + 1) / VALUE_PIECES - at;
    job.finished = (char *)job.scattered + at * call->record_size;
    job.values = call->held_values + start * call->value_size;
    job.result_values = call->results[1] + (start + at) * call->result_sizes[1];
    cpu_piece_step(call, slot, job, 3);
}

void sample_divide_buckets(sample_call *call)
{
    unsigned const threads = call->exec->threads;
    call->large =
        threads == 1 ? SIZE_MAX : ordo_max(ORDO_TUNE_SAMPLE_WORDS, call->cpu_owned / threads);
}
