/* bench_measure.c - times the contenders of a question and compares their answers.
 *
 * The clock is cli_now() or the CPU time around the public call, or the clock of the bench_place.
 * Every round times each contender: one call, several calls in a row, or several single calls. In
 * a question with fresh keys, all contenders of a round get the same new keys. A
 * row shows the median of the rounds, the quartiles, and the least time, because the published
 * experiments report the least. */
#include "bench/harness/bench_measure.h"
#include "cli/base/cli.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    WIPED = 0xa5
};

typedef struct copy_args {
    const bench_place *place;
    void              *dst;
    const void        *src;
    size_t             bytes, batch;
} copy_args;

static ordo_status call_copy(ordo_ctx *ctx, const void *what)
{
    const copy_args *const args = what;
    ordo_status            status = ORDO_OK;

    for (size_t i = 0; i < args->batch && status == ORDO_OK; i++) {
        if (args->place == NULL)
            status = ordo_copy(ctx, args->dst, args->src, args->bytes);
        else if (!args->place->copy(args->dst, args->src, args->bytes))
            status = ORDO_E_DEVICE;
    }
    return status;
}

static size_t batch_of(const bench_question *question)
{
    return question->batch != 0 ? question->batch : 1;
}

static char failure[256]; /* why the last call with its own context failed; "" if it did not */

void bench_set_reason(const char *why) { snprintf(failure, sizeof failure, "%s", why); }

static const char *reason(const bench_row *row, const ordo_ctx *ctx)
{
    return row->peer ? "the peer failed" : failure[0] != '\0' ? failure : ordo_last_error(ctx);
}

static bool complain(const bench *b, const bench_row *row, const ordo_ctx *ctx)
{
    bench_progress_clear(b);
    cli_error("bench: %s %s, n = %zu: %s with %u threads failed: %s", row->question.op,
              row->question.label, row->question.n, row->name, row->threads, reason(row, ctx));
    return false;
}

/* The time of a phase of the last call on ctx. */
static double phase_time(const ordo_ctx *ctx, unsigned phase)
{
    ordo_report report = {.struct_size = sizeof report};
    return ordo_last_report(ctx, &report) == ORDO_OK ? report.facts.phase_seconds[phase - 1] : NAN;
}

static bool prepare(bench *b, const bench_row *row)
{
    const bench_question *const q = &row->question;
    ordo_ctx *const             all = bench_context(b, b->set.threads);

    if (all == NULL)
        return false;
    if (q->prepare != NULL && row->phase == 0 && q->prepare(all, q->prepare_what) != ORDO_OK) {
        bench_progress_clear(b);
        cli_error("bench: %s %s, n = %zu: cannot copy the input: %s", q->op, q->label, q->n,
                  ordo_last_error(all));
        return false;
    }
    return true;
}

static double now(const bench *b)
{
    return b->set.cpu_time ? (double)clock() / CLOCKS_PER_SEC : cli_now();
}

/* The median of single calls, with prepare() before each of them. The mean would depend on calls
 * that the system interrupts, which take many times as long as the others. */
static bool time_singles(bench *b, const bench_row *row, ordo_ctx *ctx, ordo_status *status,
                         double *seconds)
{
    const unsigned count = row->question.singles;
    double         times[BENCH_MOST_ROUNDS];

    assert(count <= BENCH_MOST_ROUNDS);
    *seconds = 0;
    for (unsigned i = 0; i < count && *status == ORDO_OK; i++) {
        *row->question.call_number = i;
        if (!prepare(b, row))
            return false;
        const double start = now(b);
        *status = row->call(ctx, row->what);
        times[i] = now(b) - start;
    }
    if (*status == ORDO_OK) {
        bench_sort_times(times, count);
        *seconds = bench_quantile(times, count, 0.5);
    }
    return true;
}

static bool time_together(bench *b, const bench_row *row, size_t calls, ordo_ctx *ctx,
                          ordo_status *status, double *seconds)
{
    if (!prepare(b, row))
        return false;
    const double start = now(b);
    if (b->place != NULL && !b->place->start())
        return false;
    for (size_t i = 0; i < calls && *status == ORDO_OK; i++)
        *status = row->call(ctx, row->what);
    *seconds = now(b) - start;
    if (b->place != NULL && *status == ORDO_OK && !b->place->stop(seconds))
        return false;
    *seconds /= (double)(calls * batch_of(&row->question));
    return true;
}

/* Sets *seconds to the time for one array, from `calls` consecutive calls or from the single calls
 * of the question. False after a message. A call that is not supported is not a failure; it marks
 * the row as skipped. */
static bool time_calls(bench *b, bench_row *row, size_t calls, double *seconds)
{
    const bench_question *const q = &row->question;
    ordo_ctx *const             ctx = bench_context(b, row->threads);
    ordo_status                 status = ORDO_OK;

    assert(calls == 1 || q->prepare == NULL);
    if (ctx == NULL)
        return false;
    failure[0] = '\0';
    if (!(q->singles > 0 ? time_singles(b, row, ctx, &status, seconds)
                         : time_together(b, row, calls, ctx, &status, seconds)))
        return false;
    if (row->phase != 0)
        *seconds = phase_time(ctx, row->phase);
    if (status == ORDO_E_UNSUPPORTED) {
        row->skipped = true;
        bench_progress_clear(b);
        bench_print_skipped(b, row, reason(row, ctx));
        return true;
    }
    return status == ORDO_OK || complain(b, row, ctx);
}

/* In sections of small arrays a round times as many calls as fit into b->batch_seconds. */
static bool choose_calls(bench *b, bench_row *row)
{
    double one;

    if (b->batch_seconds <= 0)
        return true;
    if (!time_calls(b, row, 1, &one)) /* a second call, with warm caches */
        return false;
    row->calls =
        one * 1e6 < b->batch_seconds ? (size_t)1000000 : (size_t)(b->batch_seconds / one) + 1;
    return true;
}

static bool wipe(const bench *b, void *answer, size_t bytes)
{
    if (b->place != NULL)
        return b->place->wipe(answer, bytes);
    memset(answer, WIPED, bytes);
    return true;
}

static bool fingerprint(const bench *b, const void *answer, size_t bytes, uint64_t *out)
{
    if (b->place != NULL)
        return b->place->fingerprint(answer, bytes, out);
    *out = bench_fingerprint(answer, bytes);
    return true;
}

/* Calls every contender without timing it, and compares the answers, so that a wrong answer is
 * not measured. The previous answer is overwritten first. */
static bool warm_up(bench *b, bench_row *rows, size_t count)
{
    const bench_row *first = NULL;
    uint64_t         expected = 0, found;
    double           seconds;

    for (size_t i = 0; i < count; i++) {
        bench_row *const            row = &rows[i];
        const bench_question *const q = &row->question;
        const bool compared = row->role == BENCH_CONTENDER || row->role == BENCH_BASE;
        if (compared && q->answer_bytes != 0 && !wipe(b, q->answer, q->answer_bytes))
            return false;
        if (!time_calls(b, row, 1, &seconds))
            return false;
        if (compared && !row->skipped) {
            if (!fingerprint(b, q->answer, q->answer_bytes, &found))
                return false;
            if (first == NULL) {
                first = row;
                expected = found;
            } else if (found != expected) {
                bench_progress_clear(b);
                cli_error("bench: %s %s, n = %zu: %s with %u threads and %s with %u threads "
                          "give different answers",
                          q->op, q->label, q->n, first->name, first->threads, row->name,
                          row->threads);
                return false;
            }
        }
        if (!row->skipped && !choose_calls(b, row))
            return false;
    }
    return true;
}

/* Removes skipped rows, and the copies if no other row is left. */
static size_t drop_skipped(bench *b, size_t first)
{
    size_t kept = first, contenders = 0;

    for (size_t i = first; i < b->row_count; i++)
        contenders += b->rows[i].role != BENCH_COPY && !b->rows[i].skipped;
    for (size_t i = first; i < b->row_count; i++) {
        if (b->rows[i].skipped || contenders == 0)
            free(b->rows[i].seconds);
        else
            b->rows[kept++] = b->rows[i];
    }
    b->row_count = kept;
    return kept;
}

static void take_quartiles(bench_row *row, unsigned rounds)
{
    double sorted[BENCH_MOST_ROUNDS];

    assert(rounds > 0 && rounds <= BENCH_MOST_ROUNDS);
    memcpy(sorted, row->seconds, rounds * sizeof *sorted);
    bench_sort_times(sorted, rounds);
    row->least = sorted[0];
    row->median = bench_quantile(sorted, rounds, 0.5);
    row->quartiles[0] = bench_quantile(sorted, rounds, 0.25);
    row->quartiles[1] = bench_quantile(sorted, rounds, 0.75);
}

static void compare(bench_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bench_row *const row = &rows[i];
        row->over_copy = NAN;
        row->speedup = NAN;
        for (size_t k = 0; k < count; k++) {
            if (rows[k].role == BENCH_COPY && rows[k].threads == row->threads)
                row->over_copy = row->median / rows[k].median;
            if (rows[k].role == BENCH_BASE || rows[k].role == BENCH_BASE_LOOSE)
                row->speedup = row->role == BENCH_COPY ? NAN : rows[k].median / row->median;
        }
    }
}

static bool add_copies(bench *b, const copy_args *args)
{
    const size_t last = b->row_count;

    for (unsigned t = 0; t < b->thread_count_count; t++) {
        bool wanted = false;
        for (size_t i = b->pending; i < last; i++)
            wanted = wanted || b->rows[i].threads == b->thread_counts[t];
        if (wanted && !bench_add(b, "copy", b->thread_counts[t], BENCH_COPY, call_copy, args))
            return false;
    }
    return true;
}

/* Ends the question of the rows from `first` on, which have all their times. */
static void finish(bench *b, size_t first)
{
    bench_row *const rows = b->rows + first;
    const size_t     count = b->row_count - first;

    for (size_t i = 0; i < count; i++) {
        take_quartiles(&rows[i], b->set.repeat);
        rows[i].first = first;
        rows[i].arrays = b->arrays;
        rows[i].call = NULL;
        rows[i].what = NULL;
    }
    compare(rows, count);
    b->last = first;
    b->pending = b->row_count;
    b->peer_call_count = 0;
    bench_progress_clear(b);
    bench_print_rows(b, first, b->row_count);
}

void bench_take_times(bench *b, const bench_question *question)
{
    for (size_t i = b->pending; i < b->row_count; i++)
        b->rows[i].question = *question;
    finish(b, b->pending);
}

bool bench_measure(bench *b, const bench_question *question)
{
    const size_t    first = b->pending;
    const copy_args copy = {
        .place = b->place,
        .dst = b->dst,
        .src = b->src,
        .bytes = question->bytes / 2,
        .batch = batch_of(question),
    };

    if (!add_copies(b, &copy))
        return false;
    bench_row *const rows = b->rows + first;
    for (size_t i = 0; i < b->row_count - first; i++)
        rows[i].question = *question;
    b->arrays = 1;
    bench_progress(b, question->label, 0);
    if (!warm_up(b, rows, b->row_count - first))
        return false;
    const size_t last = drop_skipped(b, first);
    for (unsigned round = 0; round < b->set.repeat; round++) {
        bench_progress(b, question->label, round + 1);
        if (question->fresh) {
            if (!bench_renew(b, round))
                return false;
            b->arrays = round + 1;
        }
        if (question->round != NULL) {
            *question->round = round;
            b->arrays = round < question->arrays ? round + 1 : question->arrays;
        }
        for (size_t i = 0; i < last - first; i++)
            if (!time_calls(b, &rows[i], rows[i].calls, &rows[i].seconds[round]) || rows[i].skipped)
                return false;
    }
    finish(b, first);
    return true;
}
