/* bench_core.c - contexts, arrays and the timing of `ordo bench`.
 *
 * Time is cli_now() around the public call. The median is the figure shown; the least is
 * kept beside it, for the published experiments took that. Arrays are made once, touched by the
 * threads that will use them, and asked onto huge pages, so that a row measures the algorithm
 * and not page faults; the copy it is compared with runs over the very same memory. Where the
 * arrays are not the host's, a bench_place makes, fills, times and looks at them instead. */
#define _GNU_SOURCE
#include "bench/harness/bench_core.h"
#include "bench/harness/bench_machine.h"
#include "bench/harness/bench_peers.h"
#include "cli/cli.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    HUGE_PAGE = 2 << 20,
    LEAST_ARRAY = 4 << 20, /* the small-n sections fit this */
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

static bool grow(void **array, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity)
        return true;
    const size_t wanted = *capacity == 0 ? 64 : *capacity * 2;
    void *const  bigger = realloc(*array, wanted * size);
    if (bigger == NULL) {
        cli_error("bench: out of memory for the results");
        return false;
    }
    *array = bigger;
    *capacity = wanted;
    return true;
}

/* ---- Contexts and arrays ---------------------------------------------------------------- */

bool bench_selected(const char *only, const char *section)
{
    const size_t length = strlen(section);

    if (only == NULL)
        return true;
    for (const char *at = only; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strcspn(at, ",") == length && memcmp(at, section, length) == 0)
            return true;
    }
    return false;
}

ordo_ctx *bench_context(bench *b, unsigned threads)
{
    if (b->contexts[threads] == NULL) {
        const ordo_ctx_opts opts =
            ORDO_OPTS(ordo_ctx_opts, .where = b->set.where, .threads = (uint32_t)threads);
        if (ordo_ctx_create(&b->contexts[threads], &opts) != ORDO_OK)
            cli_error("bench: no context with %u threads: %s", threads, ordo_last_error(NULL));
    }
    return b->contexts[threads];
}

static bool list_threads(bench *b)
{
    const size_t all = b->set.threads;
    b->contexts = calloc(all + 1, sizeof *b->contexts);
    b->thread_counts = calloc(8 * sizeof all + 1, sizeof *b->thread_counts);
    if (b->contexts == NULL || b->thread_counts == NULL) {
        cli_error("bench: out of memory for %zu contexts", all);
        return false;
    }
    for (size_t t = 1; t < all; t *= 2)
        b->thread_counts[b->thread_count_count++] = (unsigned)t;
    b->thread_counts[b->thread_count_count++] = (unsigned)all;
    return true;
}

static bool make_array(bench *b, char **array, size_t bytes)
{
    void *block = NULL;

    if (bytes == 0)
        return true;
    if (b->place != NULL) {
        *array = b->place->alloc(bytes);
        return *array != NULL;
    }
    if (posix_memalign(&block, HUGE_PAGE, bytes) != 0) {
        cli_error("bench: the system refused an array of %zu bytes; lower -n", bytes);
        return false;
    }
    *array = block;
#ifdef MADV_HUGEPAGE
    (void)madvise(block, bytes, MADV_HUGEPAGE); /* a wish: without huge pages it runs, too    */
#endif
    return bench_generate(b, ORDO_DIST_ZERO, ORDO_U8, block, bytes, 0);
}

static size_t array_bytes(size_t per_key, size_t n)
{
    const size_t bytes = per_key * n;
    return per_key != 0 && bytes < LEAST_ARRAY ? LEAST_ARRAY : bytes;
}

static bool make_arrays(bench *b, const bench_section *sections)
{
    size_t src = 0, dst = 0, flags = 0;

    for (const bench_section *s = sections; s->name != NULL; s++) {
        if (!bench_selected(b->set.only, s->name))
            continue;
        src = s->src_per_key > src ? s->src_per_key : src;
        dst = s->dst_per_key > dst ? s->dst_per_key : dst;
        flags = s->flags_per_key > flags ? s->flags_per_key : flags;
    }
    b->src_bytes = array_bytes(src, b->set.n);
    b->dst_bytes = array_bytes(dst, b->set.n);
    b->flags_bytes = array_bytes(flags, b->set.n);

    const size_t total = b->src_bytes + b->dst_bytes + b->flags_bytes;
    const size_t available = b->place != NULL ? b->place->available() : bench_memory_available();
    if (total > available) {
        cli_error("bench: n = %zu needs %.2f GB of memory and %.2f GB are available; "
                  "lower -n, or take fewer sections with --only",
                  b->set.n, (double)total * 1e-9, (double)available * 1e-9);
        return false;
    }
    return make_array(b, &b->src, b->src_bytes) && make_array(b, &b->dst, b->dst_bytes) &&
           make_array(b, &b->flags, b->flags_bytes);
}

bool bench_open(bench *b, const bench_settings *set, const bench_place *place,
                const bench_section *sections)
{
    *b = (bench){.set = *set, .place = place, .unit = 1e-3};
    b->terminal = isatty(STDERR_FILENO) == 1;
    for (const bench_section *s = sections; s->name != NULL; s++)
        if (s->peers && bench_selected(set->only, s->name) && !bench_peers_open(b))
            return false;
    return list_threads(b) && make_arrays(b, sections);
}

static void release_array(const bench *b, char *array)
{
    if (b->place != NULL && array != NULL)
        b->place->release(array);
    else
        free(array);
}

void bench_close(bench *b)
{
    for (unsigned t = 0; b->contexts != NULL && t <= b->set.threads; t++)
        ordo_ctx_free(b->contexts[t]);
    for (size_t i = 0; i < b->row_count; i++)
        free(b->rows[i].seconds);
    free(b->contexts);
    free(b->thread_counts);
    release_array(b, b->src);
    release_array(b, b->dst);
    release_array(b, b->flags);
    free(b->rows);
    free(b->facts);
    bench_peers_close(b);
}

static bool generate(bench *b, ordo_dist dist, ordo_type type, void *out, size_t n,
                     const ordo_gen_opts *opts)
{
    if (b->place != NULL)
        return b->place->generate(dist, type, out, n, opts);
    ordo_ctx *const ctx = bench_context(b, b->set.threads);
    if (ctx == NULL)
        return false;
    if (ordo_gen(ctx, dist, type, out, n, opts) != ORDO_OK) {
        cli_error("bench: cannot generate %zu keys of type %s: %s", n, ordo_type_name(type),
                  ordo_last_error(ctx));
        return false;
    }
    return true;
}

bool bench_generate(bench *b, ordo_dist dist, ordo_type type, void *out, size_t n, double p)
{
    return generate(b, dist, type, out, n, &ORDO_OPTS(ordo_gen_opts, .seed = b->set.seed, .p = p));
}

bool bench_generate_k(bench *b, ordo_dist dist, ordo_type type, void *out, size_t n, size_t k)
{
    return generate(b, dist, type, out, n, &ORDO_OPTS(ordo_gen_opts, .seed = b->set.seed, .k = k));
}

/* ---- Measuring -------------------------------------------------------------------------- */

bool bench_add(bench *b, const char *name, unsigned threads, bench_role role, bench_call *call,
               const void *what)
{
    if (!grow((void **)&b->rows, &b->row_capacity, b->row_count, sizeof *b->rows))
        return false;
    b->rows[b->row_count] = (bench_row){
        .section = b->section,
        .name = name,
        .role = role,
        .threads = threads,
        .call = call,
        .what = what,
        .calls = 1,
        .seconds = calloc(b->set.repeat, sizeof(double)),
    };
    if (b->rows[b->row_count].seconds == NULL) {
        cli_error("bench: out of memory for the results");
        return false;
    }
    b->row_count++;
    return true;
}

static char because[256]; /* of a call that used a context of its own */

void bench_because(const char *why) { snprintf(because, sizeof because, "%s", why); }

static const char *reason(const bench_row *row, const ordo_ctx *ctx)
{
    return row->peer ? "the peer failed" : because[0] != '\0' ? because : ordo_last_error(ctx);
}

static bool complain(const bench *b, const bench_row *row, const ordo_ctx *ctx)
{
    bench_progress_clear(b);
    cli_error("bench: %s %s, n = %zu: %s with %u threads failed: %s", row->question.op,
              row->question.label, row->question.n, row->name, row->threads, reason(row, ctx));
    return false;
}

/* *seconds gets the time for one array, from `calls` calls in a row. False after a message; a call
 * that is not supported is no failure, but marks the row as skipped. */
static bool time_calls(bench *b, bench_row *row, size_t calls, double *seconds)
{
    const bench_question *const q = &row->question;
    ordo_ctx *const             ctx = bench_context(b, row->threads);
    ordo_ctx *const             all = bench_context(b, b->set.threads);
    ordo_status                 status = ORDO_OK;

    assert(calls == 1 || q->prepare == NULL);
    if (ctx == NULL || all == NULL)
        return false;
    if (q->prepare != NULL && q->prepare(all, q->prepare_what) != ORDO_OK) {
        bench_progress_clear(b);
        cli_error("bench: %s %s, n = %zu: no fresh input: %s", q->op, q->label, q->n,
                  ordo_last_error(all));
        return false;
    }
    const double start = cli_now();
    because[0] = '\0';
    if (b->place != NULL && !b->place->start())
        return false;
    for (size_t i = 0; i < calls && status == ORDO_OK; i++)
        status = row->call(ctx, row->what);
    *seconds = cli_now() - start;
    if (b->place != NULL && status == ORDO_OK && !b->place->stop(seconds))
        return false;
    *seconds /= (double)(calls * batch_of(q));
    if (status == ORDO_E_UNSUPPORTED) {
        row->skipped = true;
        bench_progress_clear(b);
        bench_print_skipped(b, row, reason(row, ctx));
        return true;
    }
    return status == ORDO_OK || complain(b, row, ctx);
}

uint64_t bench_fingerprint(const char *bytes, size_t size)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t       h[4] = {1, 2, 3, 4}, word[4];
    size_t         i = 0;

    for (; size - i >= sizeof word; i += sizeof word) {
        memcpy(word, bytes + i, sizeof word);
        for (int k = 0; k < 4; k++) {
            h[k] = (h[k] ^ word[k]) * odd;
            h[k] ^= h[k] >> 29;
        }
    }
    for (; i < size; i++)
        h[i % 4] = (h[i % 4] ^ (unsigned char)bytes[i]) * odd;
    return ((h[0] * odd ^ h[1]) * odd ^ h[2]) * odd ^ h[3];
}

/* A round of a section of small arrays times many calls: as many as fill its time. */
static bool choose_calls(bench *b, bench_row *row)
{
    double one;

    if (b->batch_seconds <= 0)
        return true;
    if (!time_calls(b, row, 1, &one)) /* the first call paid for cold caches */
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

/* The untimed first call of every contender. A wrong answer must not win a race, so all of them
 * are compared; the answer of the one before is wiped out first. */
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

/* Takes the skipped rows out, and the copies that no row is left to be compared with. */
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

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void take_median(bench_row *row, unsigned rounds)
{
    double sorted[BENCH_MOST_ROUNDS];

    assert(rounds > 0 && rounds <= BENCH_MOST_ROUNDS);
    memcpy(sorted, row->seconds, rounds * sizeof *sorted);
    qsort(sorted, rounds, sizeof *sorted, by_value);
    row->least = sorted[0];
    row->median = (sorted[(rounds - 1) / 2] + sorted[rounds / 2]) / 2;
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
    bench_progress(b, question->label, 0);
    if (!warm_up(b, rows, b->row_count - first))
        return false;
    const size_t last = drop_skipped(b, first);
    for (unsigned round = 0; round < b->set.repeat; round++) {
        bench_progress(b, question->label, round + 1);
        for (size_t i = 0; i < last - first; i++)
            if (!time_calls(b, &rows[i], rows[i].calls, &rows[i].seconds[round]) || rows[i].skipped)
                return false;
    }
    for (size_t i = 0; i < last - first; i++) {
        take_median(&rows[i], b->set.repeat);
        rows[i].call = NULL;
        rows[i].what = NULL;
    }
    compare(rows, last - first);
    b->last = first;
    b->pending = last;
    b->peer_call_count = 0;
    bench_progress_clear(b);
    bench_print_rows(b, first, last);
    return true;
}

double bench_last_median(const bench *b, const char *name, unsigned threads)
{
    for (size_t i = b->last; i < b->row_count; i++)
        if (strcmp(b->rows[i].name, name) == 0 && b->rows[i].threads == threads)
            return b->rows[i].median;
    return NAN;
}

bool bench_note(bench *b, const char *name, double value)
{
    if (!grow((void **)&b->facts, &b->fact_capacity, b->fact_count, sizeof *b->facts))
        return false;
    bench_fact *const fact = &b->facts[b->fact_count++];
    snprintf(fact->name, sizeof fact->name, "%s", name);
    fact->value = value;
    return true;
}
